"""Plans that can't be played, each with the sentence that says why."""

from dataclasses import replace

import pytest

from services.tournament.formats import check_field, check_plan
from services.tournament.model import POINT, Plan, Scoring, System, TieBreak

TWO_TO_FOUR, TWO_ONLY, FOUR_ONLY = range(2, 5), range(2, 3), range(4, 5)
SWISS = Plan("cup", System.SWISS, "domino", rounds=5)
DUTCH = replace(SWISS, system=System.DUTCH)
LEAGUE = Plan("cup", System.ROUND_ROBIN, "domino")
SINGLE = Plan("cup", System.SINGLE_ELIMINATION, "domino")
DOUBLE = Plan("cup", System.DOUBLE_ELIMINATION, "domino")
CUP = Plan("cup", System.GROUPS, "domino", groups=4)
ARENA = Plan("cup", System.ARENA, "domino", arena_seconds=3600)

GOOD = {
    "Swiss": SWISS,
    "Swiss for four": replace(SWISS, seats=4, scoring=Scoring((3 * POINT, 2 * POINT, POINT, 0))),
    "Dutch": DUTCH,
    "league": replace(LEAGUE, legs=2, tie_breaks=(TieBreak.SONNEBORN_BERGER, TieBreak.WINS)),
    "league for three": replace(LEAGUE, seats=3),
    "single elimination": replace(SINGLE, has_third_place=True),
    "single elimination for four": replace(SINGLE, seats=4, advancing=2),
    "double elimination": DOUBLE,
    "groups": replace(CUP, has_third_place=True, legs=2),
    "arena": replace(ARENA, has_streaks=True),
    "late entries": replace(SWISS, late_until=3),
    "computer players": replace(SWISS, fill_to=16, fill_level="easy"),
    "football": replace(SWISS, scoring=Scoring((3 * POINT, 0), draw=POINT, bye=3 * POINT)),
}

BAD = [
    (replace(SWISS, seats=4), TWO_ONLY, "domino is played by 2, not by 4."),
    (replace(SWISS, seats=5), range(2, 7), "have 2 to 4 seats, not 5"),
    (replace(SWISS, seats=1), range(1, 5), "have 2 to 4 seats, not 1"),
    (SWISS, range(3, 5), "is played by 3 or 4, not by 2."),
    (replace(DUTCH, seats=4), TWO_TO_FOUR, "dutch is for two at a table"),
    (replace(DOUBLE, seats=3), TWO_TO_FOUR, "double elimination is for two at a table"),
    (replace(LEAGUE, seats=4), FOUR_ONLY, "can't be played by 2"),
    (replace(SINGLE, seats=4), range(3, 5), "can't be played by 2"),
    (replace(SWISS, rounds=0), TWO_TO_FOUR, "say how many, not 0"),
    (replace(DUTCH, rounds=-1), TWO_TO_FOUR, "say how many, not -1"),
    (replace(SWISS, rounds=10**6), TWO_TO_FOUR, "1 to 1000 rounds"),
    (replace(LEAGUE, rounds=3), TWO_TO_FOUR, "knows itself when it is over"),
    (replace(LEAGUE, legs=0), TWO_TO_FOUR, "not 0 times"),
    (replace(CUP, legs=10**6), TWO_TO_FOUR, "1 to 100 times"),
    (replace(SINGLE, legs=2), TWO_TO_FOUR, "Legs are for"),
    (replace(CUP, groups=0), TWO_TO_FOUR, "not 0"),
    (replace(CUP, groups=1), TWO_TO_FOUR, "2 to 702 groups, not 1"),
    (replace(CUP, groups=703), TWO_TO_FOUR, "not 703"),
    (replace(SWISS, groups=2), TWO_TO_FOUR, "swiss has no groups"),
    (replace(CUP, advancing=0), TWO_TO_FOUR, "One at least goes on"),
    (replace(SINGLE, seats=4, advancing=0), TWO_TO_FOUR, "One at least goes on"),
    (replace(SINGLE, seats=4, advancing=4), TWO_TO_FOUR, "somebody must be out"),
    (replace(CUP, seats=3, advancing=3), TWO_TO_FOUR, "somebody must be out"),
    (replace(DOUBLE, has_third_place=True), TWO_TO_FOUR, "third place is for single eliminations"),
    (replace(SINGLE, seats=3, has_third_place=True), TWO_TO_FOUR, "third place is for single eliminations"),
    (replace(ARENA, arena_seconds=0), TWO_TO_FOUR, "An arena needs a time"),
    (replace(SWISS, has_streaks=True), TWO_TO_FOUR, "streaks are for an arena"),
    (replace(SWISS, arena_seconds=60), TWO_TO_FOUR, "are for an arena"),
    (replace(SWISS, no_show_seconds=-1), TWO_TO_FOUR, "0 or more seconds, not -1"),
    (replace(SWISS, late_until=-1), TWO_TO_FOUR, "not -1"),
    (replace(SWISS, late_until=6), TWO_TO_FOUR, "before round 6 of 5"),
    (replace(SINGLE, late_until=2), TWO_TO_FOUR, "nobody can come after the start"),
    (replace(SWISS, fill_to=8), TWO_TO_FOUR, "a level and how many"),
    (replace(SWISS, fill_level="easy"), TWO_TO_FOUR, "a level and how many"),
    (replace(SWISS, fill_to=10**6, fill_level="easy"), TWO_TO_FOUR, "up to 100000 entrants, not to 1000000"),
    (replace(CUP, fill_to=7, fill_level="easy"), TWO_TO_FOUR, "4 groups need 2 entrants each, and 7 are too few"),
    (replace(SWISS, tie_breaks=(TieBreak.WINS, TieBreak.BUCHHOLZ, TieBreak.WINS)), TWO_TO_FOUR, "wins is there twice"),
    (replace(SWISS, scoring=Scoring(())), TWO_TO_FOUR, "points for 1 to 2 places"),
    (replace(SWISS, scoring=Scoring((3, 2, 1))), TWO_TO_FOUR, "not for 3"),
    (replace(SWISS, scoring=Scoring((0, POINT))), TWO_TO_FOUR, "more for a worse place"),
    (replace(SWISS, scoring=Scoring((POINT, -POINT))), TWO_TO_FOUR, "Points are 0 or more"),
    (replace(SWISS, scoring=Scoring(bye=-1)), TWO_TO_FOUR, "Points are 0 or more"),
    (replace(SWISS, scoring=Scoring(bye=POINT + 1)), TWO_TO_FOUR, "than for a first place"),
    (replace(SWISS, scoring=Scoring(draw=2 * POINT)), TWO_TO_FOUR, "than for a first place"),
    (replace(SWISS, seats=3, scoring=Scoring(draw=1)), TWO_TO_FOUR, "a draw are for two at a table"),
    (replace(SWISS, scoring=Scoring((25, 0), bye=0)), TWO_TO_FOUR, "25 units of points can't be shared by 2"),
    (
        replace(SWISS, seats=3, scoring=Scoring((10, 4, 2), bye=0)),
        TWO_TO_FOUR,
        "16 units of points can't be shared by 3",
    ),
]


@pytest.mark.parametrize("wanted", GOOD.values(), ids=GOOD.keys())
def test_a_plan_that_can_be_played_is_not_refused(wanted: Plan) -> None:
    """One at least of every system."""
    assert check_plan(wanted, TWO_TO_FOUR) is None
    assert check_field(wanted, 16) is None


@pytest.mark.parametrize(("wanted", "seat_counts", "words"), BAD, ids=[words for *_, words in BAD])
def test_a_plan_that_cannot_be_played_is_refused_with_the_reason(wanted: Plan, seat_counts: range, words: str) -> None:
    """One sentence, that says what is wrong."""
    found = check_plan(wanted, seat_counts)
    assert found is not None
    assert words in found
    assert found.endswith(".")


def test_every_system_has_a_good_plan_here() -> None:
    """So that none is refused whatever it says."""
    assert {wanted.system for wanted in GOOD.values()} == set(System)


FIELDS = [
    (SWISS, 1, "needs 2 entrants at least, not 1"),
    (SWISS, 10**6, "100000 entrants at most, not 1000000"),
    (CUP, 7, "4 groups need 2 entrants each, and 7 are too few"),
    (LEAGUE, 513, "512 entrants at most can all meet each other, not 513"),
    (replace(LEAGUE, seats=4), 129, "128 entrants at most can all meet each other, not 129"),
    (CUP, 2049, "512 entrants at most can all meet each other, not 513"),
]


@pytest.mark.parametrize(("wanted", "entrants", "words"), FIELDS, ids=[words for *_, words in FIELDS])
def test_a_field_that_is_too_small_or_too_large_is_refused(wanted: Plan, entrants: int, words: str) -> None:
    """One fewer, or one more, is not."""
    found = check_field(wanted, entrants)
    assert found is not None
    assert words in found


@pytest.mark.parametrize(
    ("wanted", "entrants"), [(SWISS, 2), (SWISS, 100_000), (CUP, 8), (LEAGUE, 512), (CUP, 2048), (SINGLE, 100_000)]
)
def test_a_field_at_the_limit_is_not_refused(wanted: Plan, entrants: int) -> None:
    """The limits themselves can be played."""
    assert check_field(wanted, entrants) is None
