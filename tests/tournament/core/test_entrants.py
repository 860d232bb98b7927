"""Who takes part: registration, check-in, withdrawals, computer players that fill up, and the order at the start."""

import hashlib
import hmac
from itertools import pairwise
from typing import Any

import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import rounds
from services.tournament.model import Kind, System
from services.tournament.records import players
from tests.tournament.core.recording import (
    SEED,
    TOURNAMENT_ID,
    Recorder,
    arena,
    between,
    numbers,
    paired,
    person,
    plan,
    playing,
    running,
)


def test_entrants_have_numbers_in_the_order_of_registration() -> None:
    """All of one call, or none; and players are known by their ids."""
    recorder = Recorder()
    recorder.do("register", [person("a"), person("b")])
    recorder.do("register", [pb.Entrant(name="bot", ai_level="greedy")])
    assert recorder.refused("register", [person("c"), person("a")]) == "ALREADY_REGISTERED"
    state = recorder.tournament
    assert [one.name for _, one in sorted(state.entrants.items())] == ["a", "b", "bot"]
    assert dict(state.by_player) == {"id-of-a": 0, "id-of-b": 1}


def test_computer_players_of_one_level_may_be_many() -> None:
    """They are nobody in particular."""
    recorder = Recorder()
    recorder.do("register", [pb.Entrant(name="bot", ai_level="greedy")] * 5)
    assert len(recorder.tournament.entrants) == 5
    assert not recorder.tournament.by_player


def test_who_has_not_checked_in_is_withdrawn_at_the_start() -> None:
    """In the same command; computer players are always there, and who had withdrawn before is not withdrawn again."""
    recorder = Recorder(plan(needs_check_in=True), people=4)
    recorder.do("register", [pb.Entrant(name="bot", ai_level="greedy")])
    recorder.do("check_in", 1)
    recorder.do("check_in", 3)
    recorder.do("withdraw", 0)
    decided = recorder.do("start")
    assert recorder.names()[-2:] == ["EntrantWithdrawn", "TournamentStarted"]
    assert len({envelope.command_id for envelope in decided.envelopes}) == 1
    assert recorder.events(pb.EntrantWithdrawn)[-1].number == 2
    assert recorder.tournament.order == (1, 3, 4)


def test_nobody_needs_to_check_in_where_the_plan_does_not_say_so() -> None:
    """But everybody may."""
    recorder = Recorder(people=3)
    recorder.do("check_in", 1)
    recorder.do("start")
    assert recorder.tournament.order == (0, 1, 2)
    assert [one.is_checked_in for _, one in sorted(recorder.tournament.entrants.items())] == [False, True, False]


@pytest.mark.parametrize(("people", "computers"), [(0, 6), (4, 2), (6, 0), (7, 0)])
def test_computer_players_fill_up(people: int, computers: int) -> None:
    """Until there are so many, by name and level; none if there are enough."""
    recorder = running(plan(fill_level="random", fill_to=6), people)
    levels = [one.ai_level for _, one in sorted(recorder.tournament.entrants.items())]
    assert levels == [""] * people + ["random"] * computers
    names = [recorder.tournament.entrants[number].name for number in numbers(*range(people, people + computers))]
    assert names == [f"random {number + 1}" for number in range(people, people + computers)]


def test_computer_players_stand_in_for_who_has_not_come() -> None:
    """Who has withdrawn or has not checked in is not there: the tables are filled for those who are."""
    recorder = Recorder(plan(needs_check_in=True, fill_level="random", fill_to=6), people=4)
    recorder.do("check_in", 0)
    recorder.do("check_in", 1)
    recorder.do("withdraw", 1)
    recorder.do("start")
    assert len(recorder.tournament.present) == 6
    assert recorder.tournament.order[0] == 0
    assert set(recorder.tournament.order) == {0, *range(4, 9)}


def test_who_comes_late_is_the_last_of_the_order() -> None:
    """Until the round that the plan says; the rounds before it were missed."""
    recorder = between(plan(rounds=3, late_until=2), people=4)
    recorder.do("register", [person("late", 3000)])
    assert recorder.tournament.order == (0, 1, 2, 3, 4)
    late = players(recorder.tournament)[-1]
    assert [(entry.kind, entry.points) for entry in late.entries] == [(Kind.ABSENT, 0)]
    recorder.pair()
    assert any(4 in (*board.seats, *recorder.last.byes) for board in recorder.last.boards.values())
    assert recorder.refused("register", [person("later")]) == "REGISTRATION_CLOSED"


def test_late_entries_change_nothing_that_was_drawn() -> None:
    """Their entropy comes too late."""
    recorder = running(plan(late_until=3))
    before = recorder.tournament.seed
    recorder.do("register", [person("late", entropy=b"anything")])
    assert recorder.tournament.seed == before
    assert recorder.folded().seed == before


def test_who_withdraws_plays_on_but_is_not_paired_again() -> None:
    """And who comes back is; what was missed is missed."""
    recorder = playing(plan(rounds=4), people=6)
    recorder.do("withdraw", 0)
    recorder.record_all()
    (first,) = players(recorder.tournament)[0].entries
    assert first.kind is Kind.PLAYED
    recorder.play()
    assert 0 not in [number for board in recorder.last.boards.values() for number in board.seats]
    recorder.do("come_back", 0)
    recorder.pair()
    assert 0 in [number for board in recorder.last.boards.values() for number in board.seats]
    assert [entry.kind for entry in players(recorder.tournament)[0].entries] == [Kind.PLAYED, Kind.ABSENT]


def test_who_still_plays_is_not_absent() -> None:
    """Standings in the middle of a round count what is there: an open table is nothing, for nobody."""
    recorder = playing(people=4)
    recorder.record(0)
    there = {one.number: tuple([entry.kind for entry in one.entries]) for one in players(recorder.tournament)}
    done, still = recorder.board(0).seats, recorder.board(1).seats
    assert there == dict.fromkeys(done, (Kind.PLAYED,)) | dict.fromkeys(still, ())


def test_a_tournament_is_over_when_too_few_are_left() -> None:
    """Nobody can be paired with nobody."""
    recorder = between(plan(rounds=3), people=3)
    for number in (0, 1):
        assert not rounds.is_over(recorder.tournament)
        recorder.do("withdraw", number)
    assert rounds.is_over(recorder.tournament)
    assert rounds.propose(recorder.tournament) is None
    recorder.finish()


def test_the_order_at_the_start_is_by_rating() -> None:
    """The best first, whatever the lot says."""
    recorder = Recorder()
    for number, rating in enumerate((1500, 0, 2100, 1800, 1)):
        recorder.do("register", [person(f"p{number}", rating)])
    recorder.do("start")
    assert recorder.tournament.order == (2, 3, 0, 4, 1)


def order_of(seed: bytes = SEED, entropies: tuple[bytes, ...] = (), people: int = 24) -> tuple[int, ...]:
    """The order of many who are all rated the same."""
    recorder = Recorder(seed=seed)
    added = [*entropies, *[b""] * (people - len(entropies))]
    recorder.do("register", [person(f"p{at}", 1000, entropy) for at, entropy in enumerate(added)])
    recorder.do("start")
    return recorder.tournament.order


def test_where_ratings_are_equal_a_lot_decides() -> None:
    """By the seed: the same seed, the same order; another one, or what any player adds, another."""
    assert order_of() == order_of()
    assert sorted(order_of()) == list(range(24))
    added = [(), (b"a",), (b"b",), (b"a", b"b"), (b"b", b"a"), (b"ab",), (b"\0",), (b"x" * 32,)]
    orders = [order_of(entropies=entropies) for entropies in added] + [order_of(b"another seed".ljust(32))]
    assert len(set(orders)) == len(orders)


def test_the_seed_of_all_lots_is_of_the_server_and_of_players() -> None:
    """As it is specified: an HMAC over the id and what players added, one after the other."""
    recorder = Recorder()
    recorder.do("register", [person("a", entropy=b"one"), person("b"), person("c", entropy=b"two")])
    assert recorder.tournament.seed == b""
    recorder.do("start")
    added = hashlib.sha256(hashlib.sha256(b"one").digest() + b"two").digest()
    message = b"meydan-tournament-seed-1\0" + TOURNAMENT_ID.encode() + added
    assert recorder.tournament.seed == hmac.new(SEED, message, hashlib.sha256).digest()


def test_the_beginning_is_committed_to_the_seed_that_the_end_shows() -> None:
    """The hash first, the seed last, and in between nothing of it."""
    recorder = playing()
    assert recorder.events(pb.TournamentCreated)[0].server_seed_hash == hashlib.sha256(SEED).digest()
    recorder.record_all()
    recorder.play_on()
    assert recorder.events(pb.TournamentFinished)[0].server_seed == SEED
    secrets = (SEED, recorder.tournament.seed)
    shown = [envelope.public for envelope in recorder.envelopes[:-1]]
    assert not any(secret in public for secret in secrets for public in shown)


def opponents(recorder: Recorder) -> set[frozenset[int]]:
    """Who sits with whom in the last round."""
    return {frozenset(board.seats) for board in recorder.last.boards.values()}


def pairs(*found: tuple[int, int]) -> frozenset[Any]:
    """Pairs of entrants."""
    return frozenset([numbers(*pair) for pair in found])


def test_forbidden_pairs_never_meet_and_forced_ones_do_once() -> None:
    """What is forbidden stands until something else is laid down; what is forced is for the next round only."""
    recorder = running(plan(rounds=4), people=6)
    recorder.do("lay_down_pairs", pairs((0, 3), (1, 4)), pairs((0, 5)))
    recorder.pair()
    assert frozenset((0, 5)) in opponents(recorder)
    assert recorder.tournament.forced == frozenset()
    recorder.record_all()
    for _ in range(3):
        recorder.play()
        assert not opponents(recorder) & {frozenset((0, 3)), frozenset((1, 4))}


def test_pairs_that_are_laid_down_replace_those_before() -> None:
    """All of them."""
    recorder = running(people=4)
    recorder.do("lay_down_pairs", pairs((0, 2)), pairs((1, 2)))
    recorder.do("lay_down_pairs", pairs((0, 1)), pairs())
    assert (recorder.tournament.forbidden, recorder.tournament.forced) == (pairs((0, 1)), frozenset())
    recorder.pair()
    assert opponents(recorder) == {frozenset((0, 2)), frozenset((1, 3))}


@pytest.mark.parametrize("system", [one for one in System if one not in (System.SWISS, System.ARENA)])
def test_the_order_is_the_seeds_of_every_system(system: System) -> None:
    """The first of the order is seed 1."""
    changes: dict[str, Any] = {"groups": 2} if system is System.GROUPS else {}
    recorder = paired(plan(system, **changes), people=8)
    assert [(one.number, one.seed) for one in players(recorder.tournament)] == [(at, at + 1) for at in range(8)]
    assert all(before.rating >= after.rating for before, after in pairwise(players(recorder.tournament)))


def test_who_comes_to_an_arena_is_paired_when_somebody_is_free() -> None:
    """As long as it is open, and the plan lets them."""
    recorder = arena(people=2, late_until=5)
    recorder.pair()
    recorder.do("register", [person("late")])
    recorder.do("register", [person("later")])
    recorder.pair()
    assert opponents(recorder) == {frozenset((2, 3))}
