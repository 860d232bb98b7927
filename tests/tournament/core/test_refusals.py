"""Every command in every state: how it is refused, by name. What is refused changes nothing."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import lifecycle, refusals, rulings
from services.tournament.formats.plans import MOST_ENTRANTS
from services.tournament.model import Certificate, Draw, Number, System
from shared.kernel import Refusal
from tests.tournament.core.recording import (
    ARBITER,
    Recorder,
    ahead,
    arena,
    between,
    closed_arena,
    numbers,
    over,
    paired,
    person,
    plan,
    playing,
    running,
)

NO_DRAW = Draw((), (), Certificate("none", (), (), ()))
PAIR = frozenset({(Number(0), Number(1))})
NOBODY: frozenset[Any] = frozenset()
PAIR = frozenset({(Number(0), Number(1))})


class Case(NamedTuple):
    """A state, a command (and what it is given there), and the name of the refusal."""

    state: Callable[[], Recorder]
    command: str
    args: Callable[[Recorder], Sequence[Any]]
    refusal: str


def with_(recorder: Recorder, command: str, *args: Any) -> Recorder:
    """The state after one more command."""
    recorder.do(command, *args)
    return recorder


def waiting() -> Recorder:
    """Four have registered."""
    return Recorder(people=4)


def paused() -> Recorder:
    """Paused while tables are played."""
    return with_(playing(), "pause")


def withdrawn_early() -> Recorder:
    """Entrant 1 has withdrawn before the start."""
    return with_(with_(waiting(), "withdraw", 1), "start")


def forfeited() -> Recorder:
    """Table 0 has a ruling, and no match."""
    recorder = paired()
    recorder.rule(forfeit=pb.Forfeit(round=1, table=0, seats=[1]))
    return recorder


def swapped() -> Recorder:
    """The first of two tables have changed places, after their matches had begun."""
    recorder = playing()
    one, other = recorder.board(0).seats[0], recorder.board(1).seats[0]
    recorder.rule(swap=pb.Swap(one=one, other=other))
    return recorder


def swapped_twice() -> Recorder:
    """One of them has changed places once more."""
    recorder = swapped()
    recorder.rule(swap=pb.Swap(one=recorder.board(0).seats[0], other=recorder.board(1).seats[1]))
    return recorder


def swapped_and_over() -> Recorder:
    """The round in which two have changed places is not the last any more."""
    recorder = swapped()
    recorder.start_matches()
    recorder.record_all()
    recorder.pair()
    return recorder


def swapped_and_recorded() -> Recorder:
    """One of the tables at which they sit has a result."""
    recorder = swapped()
    recorder.start_matches()
    recorder.record(0)
    return recorder


def two_groups() -> Recorder:
    """Two tables of one group, and two of another."""
    return paired(plan(System.GROUPS, groups=2), 8)


def one_has_a_bye() -> Recorder:
    """In a bracket, where it is the bye of one place in the tree."""
    return paired(plan(System.SINGLE_ELIMINATION), 7)


def reopened() -> Recorder:
    """Two rounds are over, but for a table of the first, whose ruling was taken back."""
    recorder = paired()
    number = recorder.rule(double_loss=pb.DoubleLoss(round=1, table=0))
    recorder.record_all()
    recorder.play()
    recorder.undo(number)
    return recorder


def all_but_one() -> Recorder:
    """The last round is paired, and one of its tables has no result."""
    recorder = playing(plan(rounds=1))
    recorder.record(0)
    return recorder


def paused_at_the_end() -> Recorder:
    """Before the last word, somebody wants to look at something."""
    return with_(between(plan(rounds=1)), "pause")


def free_in_a_closed_arena() -> Recorder:
    """An arena whose time is over, while one table is played."""
    recorder = closed_arena()
    recorder.record(0)
    return recorder


def league_of_many() -> Recorder:
    """More than can all meet each other."""
    recorder = Recorder(plan(System.ROUND_ROBIN))
    recorder.do("register", [person(f"p{number}") for number in range(513)])
    return recorder


def ruling(**kind: Any) -> Callable[[Recorder], Sequence[Any]]:
    """What a ruling is given."""
    return lambda _: (pb.Ruling(**kind), ARBITER, "For a reason.")


def swap(one: int, other: int) -> Callable[[Recorder], Sequence[Any]]:
    return ruling(swap=pb.Swap(one=one, other=other))


def undoing(number: int) -> Callable[[Recorder], Sequence[Any]]:
    return lambda _: (number, ARBITER, "For a reason.")


def given(*args: Any) -> Callable[[Recorder], Sequence[Any]]:
    return lambda _: args


def of_table(table: int, **others: Any) -> Callable[[Recorder], Sequence[Any]]:
    """The result of a table's match."""
    return lambda recorder: (recorder.result(table, **others),)


def old_match_of(table: int) -> Callable[[Recorder], Sequence[Any]]:
    """The result of the match that a table had before its entrants were exchanged."""

    def found(recorder: Recorder) -> Sequence[Any]:
        known = {place: match_id for match_id, place in recorder.tournament.matches.items()}
        return (recorder.result(table, match_id=known[1, table]),)

    return found


late = [person("late")]
forfeit_of = ruling(forfeit=pb.Forfeit(round=1, table=0, seats=[1]))

CASES = [
    # Entrants
    Case(over, "register", given(late), "TOURNAMENT_OVER"),
    Case(closed_arena, "register", given(late), "TOURNAMENT_OVER"),
    Case(running, "register", given(late), "REGISTRATION_CLOSED"),
    Case(paused, "register", given(late), "REGISTRATION_CLOSED"),
    Case(lambda: running(plan(System.ROUND_ROBIN)), "register", given(late), "REGISTRATION_CLOSED"),
    Case(lambda: between(plan(late_until=1)), "register", given(late), "REGISTRATION_CLOSED"),
    Case(waiting, "register", given([person("p0")]), "ALREADY_REGISTERED"),
    Case(waiting, "register", given([person("new"), person("new")]), "ALREADY_REGISTERED"),
    Case(lambda: with_(waiting(), "withdraw", 2), "register", given([person("p2")]), "ALREADY_REGISTERED"),
    Case(waiting, "register", given([person("bot")] * (MOST_ENTRANTS - 3)), "TOO_MANY_ENTRANTS"),
    Case(waiting, "check_in", given(4), "NO_ENTRANT"),
    Case(lambda: with_(waiting(), "check_in", 1), "check_in", given(1), "ALREADY_CHECKED_IN"),
    Case(running, "check_in", given(1), "ALREADY_STARTED"),
    Case(over, "check_in", given(1), "ALREADY_STARTED"),
    Case(waiting, "withdraw", given(4), "NO_ENTRANT"),
    Case(lambda: with_(waiting(), "withdraw", 1), "withdraw", given(1), "ALREADY_WITHDRAWN"),
    Case(lambda: with_(playing(), "withdraw", 1), "withdraw", given(1), "ALREADY_WITHDRAWN"),
    Case(over, "withdraw", given(1), "TOURNAMENT_OVER"),
    Case(waiting, "come_back", given(4), "NO_ENTRANT"),
    Case(waiting, "come_back", given(1), "NOT_WITHDRAWN"),
    Case(playing, "come_back", given(1), "NOT_WITHDRAWN"),
    Case(withdrawn_early, "come_back", given(1), "NOT_IN_THE_ORDER"),
    Case(over, "come_back", given(1), "TOURNAMENT_OVER"),
    # Start and rounds
    Case(running, "start", given(), "ALREADY_STARTED"),
    Case(over, "start", given(), "ALREADY_STARTED"),
    Case(Recorder, "start", given(), "TOO_FEW_ENTRANTS"),
    Case(lambda: Recorder(people=1), "start", given(), "TOO_FEW_ENTRANTS"),
    Case(lambda: Recorder(plan(needs_check_in=True), 4), "start", given(), "TOO_FEW_ENTRANTS"),
    Case(waiting, "start", given(numbers(0, 1, 2)), "BAD_ORDER"),
    Case(waiting, "start", given(numbers(0, 1, 2, 3, 3)), "BAD_ORDER"),
    Case(league_of_many, "start", given(), "WRONG_FIELD"),
    Case(lambda: Recorder(plan(System.GROUPS, groups=3), 5), "start", given(), "WRONG_FIELD"),
    Case(over, "lay_down_pairs", given(PAIR, NOBODY), "TOURNAMENT_OVER"),
    Case(arena, "lay_down_pairs", given(PAIR, NOBODY), "NOT_IN_THIS_SYSTEM"),
    Case(waiting, "lay_down_pairs", given(frozenset({(Number(0), Number(4))}), NOBODY), "BAD_PAIR"),
    Case(running, "lay_down_pairs", given(NOBODY, frozenset({(Number(2), Number(2))})), "BAD_PAIR"),
    Case(running, "lay_down_pairs", given(PAIR, PAIR), "CONTRADICTION"),
    Case(running, "lay_down_pairs", given(NOBODY, PAIR | {(Number(1), Number(2))}), "CONTRADICTION"),
    Case(waiting, "pair", given(1, NO_DRAW), "NOT_STARTED"),
    Case(over, "pair", given(4, NO_DRAW), "TOURNAMENT_OVER"),
    Case(free_in_a_closed_arena, "pair", given(2, NO_DRAW), "TOURNAMENT_OVER"),
    Case(lambda: with_(between(), "pause"), "pair", given(2, NO_DRAW), "PAUSED"),
    Case(playing, "pair", given(2, NO_DRAW), "ROUND_IS_OPEN"),
    Case(between, "pair", given(1, NO_DRAW), "NOT_THE_NEXT_ROUND"),
    Case(between, "pair", given(3, NO_DRAW), "NOT_THE_NEXT_ROUND"),
    # Matches
    Case(running, "start_matches", given(pb.MatchesStarted(round=1)), "NO_ROUND"),
    Case(paired, "start_matches", given(pb.MatchesStarted(round=0)), "NO_ROUND"),
    Case(paired, "start_matches", given(pb.MatchesStarted(round=2)), "NO_ROUND"),
    Case(paired, "start_matches", given(pb.MatchesStarted(round=1)), "NOTHING_TO_START"),
    Case(playing, "start_matches", lambda one: (one.started(1, 0, 1),), "NOTHING_TO_START"),
    Case(forfeited, "start_matches", lambda one: (one.started(1, 0),), "NOTHING_TO_START"),
    Case(waiting, "record", given(pb.MatchResult(match_id="01HZZZZZZZZZZZZZZZZZZZZZZX")), "NOT_OF_THIS_TOURNAMENT"),
    Case(playing, "record", given(pb.MatchResult(match_id="01HZZZZZZZZZZZZZZZZZZZZZZX")), "NOT_OF_THIS_TOURNAMENT"),
    Case(over, "record", of_table(0), "TOURNAMENT_OVER"),
    Case(swapped, "record", old_match_of(0), "SUPERSEDED"),
    Case(between, "record", of_table(0), "ALREADY_RECORDED"),
    Case(playing, "record", of_table(0, no_shows=[2]), "BAD_SEATS"),
    Case(playing, "record", of_table(0, no_shows=[1, 1]), "BAD_SEATS"),
    Case(playing, "record", of_table(0, points=[3]), "BAD_POINTS"),
    Case(playing, "record", of_table(0, places=[[0]]), "BAD_PLACES"),
    Case(playing, "record", of_table(0, places=[[0], [1], [0]]), "BAD_PLACES"),
    Case(playing, "record", of_table(0, places=[[0, 1], []]), "BAD_PLACES"),
    # Arbiters
    Case(waiting, "rule", forfeit_of, "NOT_STARTED"),
    Case(over, "rule", forfeit_of, "TOURNAMENT_OVER"),
    Case(running, "rule", forfeit_of, "NO_ROUND"),
    Case(playing, "rule", ruling(), "NO_RULING"),
    Case(playing, "rule", ruling(annulment=pb.Annulment(round=2)), "NO_ROUND"),
    Case(playing, "rule", ruling(annulment=pb.Annulment(round=0)), "NO_ROUND"),
    Case(playing, "rule", ruling(double_loss=pb.DoubleLoss(round=1, table=2)), "NO_TABLE"),
    Case(playing, "rule", ruling(forfeit=pb.Forfeit(round=1, table=0)), "BAD_SEATS"),
    Case(playing, "rule", ruling(forfeit=pb.Forfeit(round=1, table=0, seats=[0, 1])), "BAD_SEATS"),
    Case(playing, "rule", ruling(forfeit=pb.Forfeit(round=1, table=0, seats=[2])), "BAD_SEATS"),
    Case(playing, "rule", ruling(override=pb.Override(round=1, table=0)), "BAD_PLACES"),
    Case(playing, "rule", ruling(override=pb.Override(round=1, table=0, places=ahead([0], [2]))), "BAD_PLACES"),
    Case(playing, "rule", swap(0, 0), "BAD_SWAP"),
    Case(playing, "rule", swap(0, 4), "BAD_SWAP"),
    Case(playing, "rule", lambda one: swap(*one.board(0).seats)(one), "BAD_SWAP"),
    Case(between, "rule", swap(0, 1), "TABLE_IS_OVER"),
    Case(two_groups, "rule", lambda one: swap(one.board(0).seats[0], one.board(2).seats[0])(one), "OTHER_PART"),
    Case(one_has_a_bye, "rule", lambda one: swap(one.board(0).seats[0], one.last.byes[0])(one), "OTHER_PART"),
    Case(reopened, "pair", given(3, NO_DRAW), "ROUND_IS_OPEN"),
    Case(between, "pair", given(2, NO_DRAW), "UNSOUND_ROUND"),
    Case(between, "end", given(), "NOT_OVER"),
    Case(reopened, "finish", given(), "TABLES_ARE_OPEN"),
    Case(waiting, "undo", undoing(1), "NOT_STARTED"),
    Case(over, "undo", undoing(1), "TOURNAMENT_OVER"),
    Case(playing, "undo", undoing(1), "NO_RULING"),
    Case(swapped_and_over, "undo", undoing(1), "ROUND_IS_OVER"),
    Case(swapped_and_recorded, "undo", undoing(1), "TABLE_IS_OVER"),
    Case(swapped_twice, "undo", undoing(1), "SWAPPED_AGAIN"),
    # The organiser
    Case(waiting, "pause", given(), "NOT_STARTED"),
    Case(paused, "pause", given(), "ALREADY_PAUSED"),
    Case(over, "pause", given(), "TOURNAMENT_OVER"),
    Case(waiting, "resume", given(), "NOT_PAUSED"),
    Case(playing, "resume", given(), "NOT_PAUSED"),
    Case(over, "resume", given(), "NOT_PAUSED"),
    Case(waiting, "expire", given(), "NOT_DUE"),
    Case(playing, "expire", given(), "NOT_DUE"),
    Case(arena, "expire", given(), "NOT_DUE"),
    Case(closed_arena, "expire", given(), "NOT_DUE"),
    Case(waiting, "finish", given(), "NOT_STARTED"),
    Case(playing, "finish", given(), "TABLES_ARE_OPEN"),
    Case(waiting, "end", given(), "NOT_STARTED"),
    Case(playing, "end", given(), "NOT_OVER"),
    Case(arena, "end", given(), "NOT_OVER"),
    Case(closed_arena, "end", given(), "NOT_OVER"),
    Case(all_but_one, "end", given(), "TABLES_ARE_OPEN"),
    Case(paused_at_the_end, "end", given(), "PAUSED"),
    Case(over, "end", given(), "TOURNAMENT_OVER"),
    Case(over, "finish", given(), "TOURNAMENT_OVER"),
]


def name_of(case: Case) -> str:
    return f"{case.command} is {case.refusal}"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_command_that_can_not_be_is_refused_by_name(case: Case) -> None:
    """With a sentence, and whatever the state was, it is the same afterwards: nothing is written."""
    recorder = case.state()
    args = case.args(recorder)
    before, log = recorder.tournament, list(recorder.envelopes)
    assert recorder.refused(case.command, *args) == case.refusal
    assert (recorder.tournament, recorder.envelopes) == (before, log)
    assert recorder.folded() == before


def test_every_refusal_has_a_case() -> None:
    """Whoever adds a refusal to one of these modules adds a case here."""
    sources = [Path(str(module.__file__)).read_text() for module in (lifecycle, refusals, rulings)]
    known = {name for source in sources for name in re.findall(r'Refusal\(\s*"([A-Z_]+)"', source)}
    assert {case.refusal for case in CASES} == known


def test_every_command_has_a_case() -> None:
    """But for the creation, whose plan is checked before."""
    commands = {name for name in vars(lifecycle.Lifecycle) if not name.startswith("_")} - {"create"}
    assert {case.command for case in CASES} == commands


@pytest.mark.parametrize("state", [waiting, running, paused, between, closed_arena, over])
def test_a_refusal_is_the_same_each_time(state: Callable[[], Recorder]) -> None:
    """Every command of the table, whatever its own state was: refused or accepted, the state it was asked in stays."""
    recorder = state()
    before = recorder.tournament
    for case in CASES:
        try:
            args = case.args(recorder)
        except (LookupError, TypeError):
            # What it speaks of is not there in this state.
            continue
        first, second = recorder.answer(case.command, *args), recorder.answer(case.command, *args)
        assert isinstance(first, Refusal) == isinstance(second, Refusal)
        assert not isinstance(first, Refusal) or first == second
        assert recorder.tournament == before
