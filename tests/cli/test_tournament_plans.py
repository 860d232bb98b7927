"""What `meydan tournament create` makes of its words, and what it says to wrong ones."""

import pytest

from meydan.domino.v1 import domino_pb2
from meydan.match.v1.envelope_pb2 import BaseAndIncrement, Clock
from meydan.tournament.v1 import tournament_pb2 as pb
from services.cli import tournament_plan
from services.cli.failures import Wrong
from services.cli.tournament_plan import PlanWish
from tests.cli.programs import Meydan
from tests.cli.test_wrong_arguments import NO_MATCH, NOWHERE, check


def test_every_word_comes_into_the_plan() -> None:
    """Nothing that was asked for is lost."""
    wish = PlanWish(
        name="Cup",
        game="domino",
        system="groups",
        seats=3,
        rounds=4,
        legs=2,
        groups=5,
        advancing=1,
        has_third_place=True,
        points="3,1,0",
        draw="1.5",
        bye="2",
        tie_breaks=("buchholz-cut-1", "direct_encounter"),
        clock="300+5",
        options=("hand_size=7",),
        no_show_seconds=60,
        late_until=3,
        needs_check_in=True,
        levels=("random", "greedy"),
        fill_to=16,
        arena_seconds=600,
        has_streaks=True,
    )
    expected = pb.Plan(
        name="Cup",
        system=pb.SYSTEM_GROUPS,
        game="domino",
        seats=3,
        rounds=4,
        legs=2,
        groups=5,
        advancing=1,
        has_third_place=True,
        scoring=pb.Scoring(places=[72, 24, 0], draw=36, bye=48),
        tie_breaks=[pb.TIE_BREAK_BUCHHOLZ_CUT_1, pb.TIE_BREAK_DIRECT_ENCOUNTER],
        clock=Clock(base_and_increment=BaseAndIncrement(base_seconds=300, increment_seconds=5)),
        no_show_seconds=60,
        late_until=3,
        needs_check_in=True,
        fill_level="random",
        fill_to=16,
        arena_seconds=600,
        has_streaks=True,
    )
    expected.options.Pack(domino_pb2.Options(hand_size=7))
    plan = tournament_plan.plan(wish)
    assert plan == expected
    assert {field.name for field, _ in plan.ListFields()} == {field.name for field in pb.Plan.DESCRIPTOR.fields}


def test_what_is_not_said_is_left_to_the_service() -> None:
    """Its defaults are not written twice."""
    plan = tournament_plan.plan(PlanWish(name="Cup", game="domino", rounds=3))
    assert plan == pb.Plan(name="Cup", system=pb.SYSTEM_SWISS, game="domino", seats=2, rounds=3)


@pytest.mark.parametrize(("word", "units"), [("1", 24), ("0.5", 12), ("1/3", 8), (" 2 ", 48), ("0", 0)])
def test_points_are_counted_to_the_24th(word: str, units: int) -> None:
    """Halves, thirds and quarters are exact."""
    plan = tournament_plan.plan(PlanWish(name="Cup", game="domino", points=word))
    assert (list(plan.scoring.places), plan.scoring.bye) == ([units], units)


@pytest.mark.parametrize("word", ["1/7", "0.01", "-1", "many", "", "1/0", "1,,2"])
def test_other_points_are_refused(word: str) -> None:
    """The sentence says what points are."""
    with pytest.raises(Wrong, match="Points are numbers such as 3,"):
        tournament_plan.plan(PlanWish(name="Cup", game="domino", points=word))


def test_computer_players_take_turns() -> None:
    """Levels in the order in which they were named; names go on with the numbers."""
    found = list(tournament_plan.computer_players(("random", "greedy"), 3, 3))
    assert [(one.name, one.ai_level) for one in found] == [
        ("random 3", "random"),
        ("greedy 4", "greedy"),
        ("random 5", "random"),
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("create", "Missing argument 'NAME'."),
        ("create Cup", "Missing option '--game'."),
        ("create Cup --game chess", "There is no game 'chess'; the games are domino, kingdomino."),
        ("create Cup --game domino --system chaos", "There is no system 'chaos'; there are swiss, dutch, round_robin,"),
        ("create Cup --game domino --tie-break luck", "There is no tie-break 'luck'; there are direct_encounter,"),
        (
            "create Cup --game domino --level genius",
            "The computer players of Domino Double 6 are random, greedy, search",
        ),
        ("create Cup --game domino --rounds 3 --seats 7", "A tournament's tables have 2 to 4 seats, not 7."),
        ("create Cup --game kingdomino --rounds 3 --seats 4 --option mighty_duel=true", "Rule K-21: "),
        ("create Cup --game domino --rounds 9999", "A Swiss has 1 to 1000 rounds: say how many, not 9999."),
        ("create Cup --game domino --rounds 3 --clock soon", "A clock is seconds a move, such as 30"),
        ("create Cup --game domino --rounds 3 --option size=5", "has no option 'size'"),
        (
            "create Cup --game domino --rounds 3 --fill-to 1000000",
            "Computer players fill up to 100000 entrants, not to 1000000.",
        ),
        ("create Cup --game domino --rounds -1", "Invalid value for '--rounds'"),
        ("list --status asleep", "A tournament is registering, running, finished, not 'asleep'."),
        ("show nonsense", "'nonsense' is not the id of a tournament"),
        (f"show {NO_MATCH}", f"There is no tournament '{NO_MATCH}' here."),
        ("watch", "Missing argument 'TOURNAMENT'."),
        (f"watch {NO_MATCH}", f"There is no tournament '{NO_MATCH}' here."),
        (f"register {NO_MATCH}", "Who takes part? --name NAME, or --bot LEVEL for computer players."),
        (f"register {NO_MATCH} --name Ada --bot greedy", "Either --bot adds computer players, or --name a player."),
        (f"register {NO_MATCH} --name Ada --count 2", "--count is for computer players."),
        (f"register {NO_MATCH} --bot greedy --count 0", "--count is 1 to 131,072."),
        (f"rule {NO_MATCH} 1 0 --annul", "Missing option '--reason'."),
        (
            f"rule {NO_MATCH} 1 0 --reason why",
            "A ruling is one of --forfeit, --places, --double-loss, --annul and --swap.",
        ),
        (f"rule {NO_MATCH} 1 0 --annul --double-loss --reason why", "A ruling is one of"),
        (f"rule {NO_MATCH} --annul --reason why", "Which table? A ruling names a round and a table"),
        (f"rule {NO_MATCH} 1 --annul --reason why", "Which table?"),
        (f"rule {NO_MATCH} 1 0 --swap 1 2 --reason why", "A swap is of the present round"),
        (f"rule {NO_MATCH} 1 0 --places first --reason why", "Places are seats, the winner first, such as 1,0"),
        (f"rule {NO_MATCH} 1 0 --places -1,0 --reason why", "Places are seats, the winner first, such as 1,0"),
        (f"rule {NO_MATCH} 1 0 --annul --reason why", f"There is no tournament '{NO_MATCH}' here."),
        (f"pairs {NO_MATCH} --forbid 1-2", "A pair is two numbers of entrants, such as 3,7, not '1-2'."),
        (f"arbiter {NO_MATCH}", "Missing argument 'NAME'."),
        (f"explain {NO_MATCH} 0 Ada", "Invalid value for 'ROUND'"),
        (f"replay {NO_MATCH} --at 1 --round 1", "Either --at names a version, or --round a round."),
        (f"replay {NO_MATCH}", f"There is no tournament '{NO_MATCH}' here."),
        ("replay nonsense", "'nonsense' is neither the id of a tournament nor a file."),
        ("replay README.md", "README.md is not an exported tournament."),
        (f"export {NO_MATCH} file", f"There is no tournament '{NO_MATCH}' here."),
        ("verify README.md", "README.md is not an exported tournament."),
        ("verify missing.jsonl", "missing.jsonl can't be read: No such file or directory."),
        ("verify README.md --matches missing", "missing is not a folder."),
        ("verify README.md --matches docs", "docs has no exported matches in it"),
        ("dance", "No such command 'dance'."),
    ],
)
def test_a_wrong_argument_is_told_in_one_sentence(meydan: Meydan, words: str, sentence: str) -> None:
    """Exit code 2: asking again in the same words will not help."""
    check(meydan("tournament", *words.split()), 2, sentence)


@pytest.mark.parametrize(
    "words",
    [f"show {NO_MATCH}", "list", f"watch {NO_MATCH}", "create Cup --game domino --rounds 3", f"start {NO_MATCH}"],
)
def test_a_service_that_is_not_there_is_told_in_one_sentence(meydan: Meydan, words: str) -> None:
    """Exit code 1, and what to do about it."""
    answered = meydan("tournament", *words.split(), "--address", NOWHERE)
    check(answered, 1, "does not answer; `make up` starts the platform.")
