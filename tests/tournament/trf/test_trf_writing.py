"""An event as FIDE's report: every column, and what has no report."""

from dataclasses import replace

import pytest

from services.tournament import trf
from services.tournament.model import POINT, Entry, Kind, Number, Plan, Player, Scoring, System
from shared.kernel import Malformed
from tests.tournament.standings.fields import drawn
from tests.tournament.trf.sample import PLAN, ROUNDS, THREE, WRITTEN


def test_every_record_stands_in_its_columns() -> None:
    assert trf.write(PLAN, THREE, ROUNDS) == WRITTEN.replace("\n", "\r\n")


def test_scoring_that_is_not_the_usual_one_is_told_twice() -> None:
    """162 for TRF26, XXS for engines of old."""
    scoring = Scoring((3 * POINT, 0), draw=POINT, bye=3 * POINT)
    lines = trf.write(replace(PLAN, scoring=scoring), drawn("Ann w2+\n Bob b1-", scoring), ()).splitlines()
    assert "162  W 3.0    D 1.0    L 0.0    A 0.0    P 3.0" in lines
    assert "XXS W=3.0 D=1.0 WL=0.0 BL=0.0 PAB=3.0" in lines


def test_who_is_not_there_for_the_next_round_is_named_twice() -> None:
    players = [player._replace(is_active=player.number != 1) for player in THREE]
    lines = trf.write(PLAN, players, ROUNDS).splitlines()
    assert "240 Z 004    2" in lines
    assert "XXZ    2" in lines


def test_a_round_that_is_being_played_is_not_written() -> None:
    begun = [THREE[0]._replace(entries=(*THREE[0].entries, Entry(4, Kind.BYE, POINT))), *THREE[1:]]
    assert "0000 - U" not in trf.write(PLAN, begun, ROUNDS).splitlines()[9][119:]


def test_numbers_are_those_of_the_order_at_the_start() -> None:
    """Bob came first, but is seeded second."""
    bob = Player(Number(0), "Bob", 0, 2, (Entry(1, Kind.PLAYED, 0, (Number(1),), (0,), 1, 1),))
    ann = Player(Number(1), "Ann", 0, 1, (Entry(1, Kind.PLAYED, POINT, (Number(0),), (1,), 0, 0),))
    lines = [line for line in trf.write(PLAN, [bob, ann], ()).splitlines() if line.startswith("001")]
    assert [line[4:18].split()[0:2] for line in lines] == [["1", "Ann"], ["2", "Bob"]]
    assert [line[91:99] for line in lines] == ["   2 w 1", "   1 b 0"]


def test_a_name_can_neither_break_a_line_nor_move_a_column() -> None:
    name = "Ann\r\n001    2\x85\u2028" + "x" * 60
    lines = trf.write(PLAN, [Player(Number(0), name, 1500, 1)], ()).split("\r\n")
    found = next(line for line in lines if line.startswith("001"))
    assert len([line for line in lines if line.startswith("001")]) == 1
    assert found[48:52] == "1500"
    assert found[14:47].startswith("Ann??001    2??xxx")


@pytest.mark.parametrize(
    ("plan", "players", "message"),
    [
        pytest.param(replace(PLAN, seats=3), THREE, "only a Swiss for two", id="tables of three"),
        pytest.param(replace(PLAN, system=System.ARENA), THREE, "only a Swiss for two", id="an arena"),
        pytest.param(PLAN, [], "1 to 9999 entrants, not 0", id="nobody"),
        pytest.param(PLAN, [Player(Number(0), "p", 0, 1)] * 10_000, "1 to 9999 entrants, not 10000", id="too many"),
        pytest.param(PLAN, [Player(Number(0), "p", 10_000, 1)], "ratings from 0 to 9999", id="a rating of five digits"),
        pytest.param(
            replace(PLAN, scoring=Scoring((8, 0))),
            drawn("Ann w2+\n Bob b1-", Scoring((8, 0))),
            "in tenths, and not 8/24",
            id="a third",
        ),
        pytest.param(
            replace(PLAN, scoring=Scoring((3 * POINT, 0))),
            THREE,
            "its points are not what the result gives",
            id="points",
        ),
        pytest.param(
            PLAN, [Player(Number(0), "p", 0, 1, (Entry(1, Kind.ABSENT, POINT),))], "no code gives so many", id="odd bye"
        ),
    ],
)
def test_what_a_report_cannot_say_is_refused_with_the_reason(plan: Plan, players: list[Player], message: str) -> None:
    with pytest.raises(Malformed, match=message):
        trf.write(plan, players, ROUNDS)
