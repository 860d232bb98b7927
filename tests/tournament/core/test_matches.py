"""Matches of a round: that they are there, how they ended, and what counts of it."""

import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament.model import Kind, Scoring
from services.tournament.records import players
from tests.tournament.core.recording import Recorder, between, paired, plan, playing


def test_the_id_of_a_match_is_of_its_round_and_table() -> None:
    """Whoever makes it makes the same; every other table and round has another."""
    recorder = between(people=8)
    recorder.pair()
    ids = [recorder.match(table, number) for number in (1, 2) for table in range(4)]
    assert len(set(ids)) == 8
    assert ids == [recorder.match(table, number) for number in (1, 2) for table in range(4)]
    assert recorder.folded() == recorder.tournament


def test_matches_are_noted_piece_by_piece() -> None:
    """By several workers: what is there already, or is another match than the table's, is passed over."""
    recorder = paired(people=8)
    recorder.do("start_matches", recorder.started(1, 0, 1))
    assert recorder.last.waiting_tables == 2
    wanted = recorder.started(1, 1, 2, 3)
    wanted.matches[2].match_id = recorder.match(0)
    recorder.do("start_matches", wanted)
    assert [one.table for one in recorder.events(pb.MatchesStarted)[-1].matches] == [2]
    assert [recorder.board(table).is_waiting for table in range(4)] == [False, False, False, True]


def test_a_result_may_come_before_its_match_was_noted() -> None:
    """A fast match ends before the worker that made it has said so; then it is not waited for any more."""
    recorder = paired()
    recorder.record(1)
    assert (recorder.last.open_tables, recorder.last.waiting_tables) == (1, 1)
    assert recorder.refused("start_matches", recorder.started(1, 1)) == "NOTHING_TO_START"
    assert recorder.refused("record", recorder.result(1)) == "ALREADY_RECORDED"
    assert recorder.folded() == recorder.tournament


def test_a_result_may_come_though_an_arbiter_has_decided_without_the_match() -> None:
    """It is kept: when the ruling is taken back it is there, and no match is waited for that is over long since."""
    recorder = paired()
    match_id = recorder.match(0)
    number = recorder.rule(forfeit=pb.Forfeit(round=1, table=0, seats=[0]))
    recorder.record(0)
    assert recorder.board(0).match_id == match_id
    assert recorder.board(0).outcome != recorder.board(0).recorded
    recorder.undo(number)
    assert recorder.board(0).outcome == recorder.board(0).recorded
    assert (recorder.last.open_tables, recorder.last.waiting_tables) == (1, 1)


def test_a_match_of_another_tournament_is_not_recorded() -> None:
    """Though it has the same round and table, and was made in the same moment."""
    recorder, other = playing(), playing(plan(rounds=4))
    other.tournament = other.tournament._replace(id="01HZZZZZZZZZZZZZZZZZZZZZZ0")
    assert recorder.refused("record", other.result(0)) == "NOT_OF_THIS_TOURNAMENT"


def exchanged(recorder: Recorder) -> Recorder:
    """The first seats of two tables have changed places."""
    recorder.rule(swap=pb.Swap(one=recorder.board(0).seats[0], other=recorder.board(1).seats[0]))
    return recorder


@pytest.mark.parametrize("is_noted", [True, False])
def test_the_match_of_a_table_whose_entrants_were_exchanged_does_not_count(is_noted: bool) -> None:
    """Whether it was noted before or not; the table gets another one, which does."""
    recorder = playing() if is_noted else paired()
    old = recorder.result(0)
    exchanged(recorder)
    assert recorder.refused("record", old) == "SUPERSEDED"
    assert recorder.match(0) != old.match_id
    recorder.record(0)
    assert recorder.refused("record", old) == "SUPERSEDED"


def test_no_match_of_a_table_is_ever_used_again() -> None:
    """After each exchange there is a new one, also when everybody sits as before."""
    recorder = playing()
    seen = [recorder.match(0)]
    for _ in range(3):
        number = recorder.rule(swap=pb.Swap(one=recorder.board(0).seats[0], other=recorder.board(1).seats[0]))
        seen.append(recorder.match(0))
        recorder.undo(number)
        seen.append(recorder.match(0))
    assert len(set(seen)) == len(seen)


def test_points_are_for_places_and_shared_by_who_shares_them() -> None:
    """Of three and more: the points of the places are added up and parted."""
    wanted = plan(seats=4, scoring=Scoring((72, 48, 24, 0)))
    recorder = playing(wanted, people=8)
    recorder.record(0, [[2], [0, 3], [1]])
    recorder.record(1, [[0, 1, 2, 3]])
    seats, others = recorder.board(0).seats, recorder.board(1).seats
    units = recorder.units()
    assert [units[number] for number in seats] == [36, 0, 72, 36]
    assert [units[number] for number in others] == [36] * 4


def test_who_did_not_come_gets_nothing() -> None:
    """Also where seats that did not come share a place that has points."""
    wanted = plan(seats=4, scoring=Scoring((72, 48, 24, 0)))
    recorder = playing(wanted, people=4)
    recorder.record(0, [[1], [0], [2, 3]], no_shows=[2, 3])
    kinds = {one.number: one.entries[0].kind for one in players(recorder.tournament)}
    units = recorder.units()
    seats = recorder.board(0).seats
    assert [units[number] for number in seats] == [48, 72, 0, 0]
    assert [kinds[number] for number in seats] == [Kind.PLAYED, Kind.PLAYED, Kind.FORFEIT_LOSS, Kind.FORFEIT_LOSS]


def test_who_is_there_alone_wins_without_a_game() -> None:
    """And who played with others has met those who came, and nobody else."""
    recorder = playing(plan(seats=3), people=6)
    recorder.record(0, [[1], [0, 2]], no_shows=[0, 2])
    recorder.record(1, [[1], [0], [2]], no_shows=[2])
    entries = {one.number: one.entries[0] for one in players(recorder.tournament)}
    alone, pair = recorder.board(0).seats, recorder.board(1).seats
    assert entries[alone[1]].kind is Kind.FORFEIT_WIN
    assert entries[pair[0]].opponents == (pair[1],)
    assert entries[pair[2]].opponents == pair[:2]


def test_a_bye_is_worth_what_the_plan_says() -> None:
    """Once for the one who has no table."""
    recorder = paired(plan(scoring=Scoring(bye=12)), people=5)
    (one,) = recorder.last.byes
    assert recorder.units()[one] == 12
    assert sum(recorder.units().values()) == 12


def test_what_the_game_counts_is_kept_with_the_lead() -> None:
    """Over the best of the others."""
    recorder = playing(plan(seats=3), people=3)
    recorder.record(0, [[1], [0], [2]], points=[30, 41, 25])
    entries = {one.number: one.entries[0] for one in players(recorder.tournament)}
    found = [(entries[number].game_points, entries[number].margin) for number in recorder.board(0).seats]
    assert found == [(30, -11), (41, 11), (25, -16)]


def test_results_come_in_any_order_to_the_same_standings() -> None:
    """What stands at the end does not depend on who was told first."""
    orders = [(0, 1, 2, 3), (3, 1, 0, 2)]
    found = []
    for order in orders:
        recorder = playing(people=8)
        for table in order:
            recorder.record(table, [[table % 2], [1 - table % 2]])
        found.append(recorder.units())
    assert found[0] == found[1]
