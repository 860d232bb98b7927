"""What arbiters decide, in every order, and what is left of it when it is taken back: nothing."""

import itertools
import random
from typing import Any

import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import rounds, verify
from services.tournament.model import Kind, System
from services.tournament.records import players
from services.tournament.state import Board
from tests.tournament.core.recording import ARBITER, Recorder, ahead, between, paired, plan, playing, running


def kinds(recorder: Recorder, number: int = 1) -> dict[int, Kind]:
    """What a round was to everybody who has something to show of it."""
    entries = [(one.number, entry) for one in players(recorder.tournament) for entry in one.entries]
    return {one: entry.kind for one, entry in entries if entry.round == number}


def test_an_override_counts_in_place_of_what_was_recorded() -> None:
    """Or of nothing, if nothing was."""
    recorder = playing()
    recorder.record(0)
    for table in (0, 1):
        recorder.rule(override=pb.Override(round=1, table=table, places=ahead([1], [0])))
        first, second = recorder.board(table).seats
        assert (recorder.units()[first], recorder.units()[second]) == (0, 24)
    assert recorder.last.open_tables == 0
    assert set(kinds(recorder).values()) == {Kind.PLAYED}


def test_a_forfeit_is_a_loss_without_a_game() -> None:
    """At a table of two the other has won without one; at one of four, all who are there share the first place."""
    two, four = playing(), playing(plan(seats=4), people=4)
    two.rule(forfeit=pb.Forfeit(round=1, table=0, seats=[0]))
    four.rule(forfeit=pb.Forfeit(round=1, table=0, seats=[3, 1]))
    (lost, won), seats = two.board(0).seats, four.board(0).seats
    assert (kinds(two)[lost], kinds(two)[won]) == (Kind.FORFEIT_LOSS, Kind.FORFEIT_WIN)
    assert (two.units()[lost], two.units()[won]) == (0, 24)
    wanted = [Kind.PLAYED, Kind.FORFEIT_LOSS, Kind.PLAYED, Kind.FORFEIT_LOSS]
    assert [kinds(four)[number] for number in seats] == wanted
    assert [four.units()[number] for number in seats] == [12, 0, 12, 0]


def test_a_double_loss_is_nobodys_point() -> None:
    """Everybody at the table has lost, and nobody has met anybody."""
    recorder = between()
    recorder.rule(double_loss=pb.DoubleLoss(round=1, table=0))
    seats = recorder.board(0).seats
    assert [recorder.units()[number] for number in seats] == [0, 0]
    assert [kinds(recorder)[number] for number in seats] == [Kind.FORFEIT_LOSS] * 2


def test_an_annulled_table_counts_as_if_nobody_had_played() -> None:
    """The same two may meet again: they have not met."""
    recorder = between(people=2)
    recorder.rule(annulment=pb.Annulment(round=1, table=0))
    assert set(kinds(recorder).values()) == {Kind.VOID}
    assert set(recorder.units().values()) == {0}
    recorder.pair()
    assert recorder.last.certificate.value == recorder.last.certificate.bound


def test_two_change_places() -> None:
    """With their seats; a bye can be exchanged too."""
    recorder = paired(people=5)
    (bye,), (first, second) = recorder.last.byes, recorder.board(0).seats
    recorder.rule(swap=pb.Swap(one=first, other=recorder.board(1).seats[1]))
    assert recorder.board(1).seats[1] == first
    recorder.rule(swap=pb.Swap(one=second, other=bye))
    assert recorder.board(0).seats[1] == bye
    assert recorder.last.byes == (second,)
    assert recorder.folded() == recorder.tournament


def test_the_newest_ruling_that_stands_counts() -> None:
    """Whatever order they are taken back in, what stood before counts again, at last the match itself."""
    wishes: list[dict[str, Any]] = [
        {"override": pb.Override(round=1, table=0, places=ahead([1], [0]))},
        {"double_loss": pb.DoubleLoss(round=1, table=0)},
        {"forfeit": pb.Forfeit(round=1, table=0, seats=[1])},
    ]
    alone = [_units_after([wish]) for wish in wishes]
    for order in itertools.permutations(range(3)):
        recorder = between()
        recorded = recorder.units()
        made = [recorder.rule(**wish) for wish in wishes]
        standing = [0, 1, 2]
        for at in order:
            assert recorder.units() == alone[standing[-1]]
            recorder.undo(made[at])
            standing.remove(at)
        assert recorder.units() == recorded
        assert not recorder.tournament.rulings


def _units_after(wishes: list[dict[str, Any]]) -> dict[int, int]:
    recorder = between()
    for wish in wishes:
        recorder.rule(**wish)
    return recorder.units()


def test_numbers_of_rulings_are_never_used_again() -> None:
    """Whoever undoes number 1 twice undoes nothing else."""
    recorder = between()
    recorder.undo(recorder.rule(double_loss=pb.DoubleLoss(round=1, table=0)))
    assert recorder.rule(double_loss=pb.DoubleLoss(round=1, table=0)) == 2
    assert recorder.refused("undo", 1, ARBITER, "Again.") == "NO_RULING"


def test_a_ruling_keeps_who_made_it_and_why() -> None:
    """For ever, also when it is taken back."""
    recorder = between()
    recorder.undo(recorder.rule("He had three hands.", double_loss=pb.DoubleLoss(round=1, table=0)))
    made, undone = recorder.events(pb.RulingMade)[0], recorder.events(pb.RulingUndone)[0]
    assert (made.arbiter_id, made.reason) == (ARBITER, "He had three hands.")
    assert (undone.arbiter_id, undone.reason, undone.number) == (ARBITER, "Seen by nobody.", made.number)


def test_a_table_without_a_result_is_open_again_when_its_ruling_is_taken_back() -> None:
    """And wants its match again, if there was none."""
    recorder = paired()
    number = recorder.rule(annulment=pb.Annulment(round=1, table=0))
    assert (recorder.last.open_tables, recorder.last.waiting_tables) == (1, 1)
    recorder.undo(number)
    assert (recorder.last.open_tables, recorder.last.waiting_tables) == (2, 2)
    recorder.start_matches()
    assert recorder.last.waiting_tables == 0


def test_nothing_is_paired_while_a_table_of_an_earlier_round_is_open_again() -> None:
    """The next round would be made of points that are not known."""
    recorder = paired(people=6)
    number = recorder.rule(annulment=pb.Annulment(round=1, table=0))
    recorder.start_matches()
    recorder.record_all()
    recorder.play()
    assert rounds.is_due(recorder.tournament)
    recorder.undo(number)
    assert not rounds.is_due(recorder.tournament)
    recorder.record(0, number=1)
    assert rounds.is_due(recorder.tournament)
    recorder.play_on()
    assert verify.verify(recorder.envelopes) == recorder.tournament


def loser(board: Board) -> Any:
    """The second seat is ahead at every other table."""
    return [[1], [0]] if sum(board.seats) % 2 else [[0], [1]]


@pytest.mark.parametrize("seed", range(12))
def test_rulings_that_are_taken_back_leave_nothing(seed: int) -> None:
    """A tournament with rulings about anything, each undone sometime, ends as the same one without any."""
    chance = random.Random(seed)
    with_, without = running(plan(rounds=4), people=8), running(plan(rounds=4), people=8)
    for _ in range(4):
        with_.play(loser)
        without.play(loser)
        made = [with_.rule(**_wish(chance, with_)) for _ in range(3)]
        for number in chance.sample(made, len(made)):
            with_.undo(number)
        assert with_.units() == without.units()
        assert [with_.board(at).seats for at in range(4)] == [without.board(at).seats for at in range(4)]
    for one in (with_, without):
        one.finish()
    assert with_.tournament.places == without.tournament.places
    assert verify.verify(with_.envelopes) == with_.tournament


def _wish(chance: random.Random, recorder: Recorder) -> dict[str, Any]:
    number = chance.randrange(1, len(recorder.tournament.rounds) + 1)
    about = {"round": number, "table": chance.randrange(4)}
    return chance.choice(
        [
            {"override": pb.Override(**about, places=ahead([1], [0]))},
            {"override": pb.Override(**about, places=ahead([0, 1]))},
            {"forfeit": pb.Forfeit(**about, seats=[chance.randrange(2)])},
            {"double_loss": pb.DoubleLoss(**about)},
            {"annulment": pb.Annulment(**about)},
        ]
    )


def test_exchanges_are_taken_back_in_any_order_that_gives_everybody_their_place_again() -> None:
    """Two exchanges without anybody in common, either first; of two with somebody in common, the later one first."""
    for order in itertools.permutations(range(2)):
        recorder = paired(people=8)
        before = [recorder.board(at).seats for at in range(4)]
        made = [recorder.rule(swap=pb.Swap(one=before[at][0], other=before[at + 2][1])) for at in range(2)]
        for at in order:
            recorder.undo(made[at])
        assert [recorder.board(at).seats for at in range(4)] == before
    recorder = paired(people=8)
    made = [recorder.rule(swap=pb.Swap(one=before[0][0], other=before[at][0])) for at in (1, 2)]
    assert recorder.refused("undo", made[0], ARBITER, "First.") == "SWAPPED_AGAIN"
    recorder.undo(made[1])
    recorder.undo(made[0])
    assert [recorder.board(at).seats for at in range(4)] == before


def test_a_ruling_of_an_earlier_round_changes_the_rounds_that_follow() -> None:
    """But none that is paired: what was paired stands, and its certificate is checked with what was known then."""
    recorder = between(plan(rounds=3), people=4)
    recorder.pair()
    tables = [recorder.board(at).seats for at in range(2)]
    recorder.rule(override=pb.Override(round=1, table=0, places=ahead([1], [0])))
    assert [recorder.board(at).seats for at in range(2)] == tables
    recorder.start_matches()
    recorder.record_all()
    recorder.play_on()
    assert verify.verify(recorder.envelopes) == recorder.tournament


def test_rulings_count_in_brackets() -> None:
    """Who is given the win goes on."""
    recorder = between(plan(System.SINGLE_ELIMINATION), people=4)
    losers = [recorder.board(table).seats[1] for table in range(2)]
    for table in range(2):
        recorder.rule(override=pb.Override(round=1, table=table, places=ahead([1], [0])))
    recorder.pair()
    assert set(recorder.board(0).seats) == set(losers)
