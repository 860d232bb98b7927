"""What workers are told to do: exactly what is to be done, once, and again when something has changed."""

from collections.abc import Callable
from typing import Any

import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.work.v1 import work_pb2
from services.tournament import lifecycle, rounds
from services.tournament.host import TournamentHost, needs
from services.tournament.model import System
from shared.eventlog.memory import MemoryLog
from shared.eventlog.store import PAIR_ROUND, START_MATCHES
from shared.match.model import Decided, Status
from tests.host.service import StillClock
from tests.tournament.core.recording import (
    SECOND,
    Recorder,
    arena,
    between,
    closed_arena,
    over,
    paired,
    plan,
    playing,
    running,
)
from tests.tournament.core.wandering import SYSTEMS, wander


def waiting() -> Recorder:
    return Recorder(people=4)


def all_over() -> Recorder:
    """All rounds are over, and the end is to be found."""
    recorder = running()
    for _ in range(3):
        recorder.play()
    return recorder


def with_(state: Callable[[], Recorder], command: str, *args: Any) -> Callable[[], Recorder]:
    """A state after one more command."""

    def made() -> Recorder:
        recorder = state()
        recorder.do(command, *args)
        return recorder

    return made


@pytest.mark.parametrize(
    ("state", "wanted"),
    [
        pytest.param(waiting, [], id="open for registration"),
        pytest.param(running, [(PAIR_ROUND, 1)], id="started"),
        pytest.param(paired, [(START_MATCHES, 1)], id="paired"),
        pytest.param(playing, [], id="played"),
        pytest.param(between, [(PAIR_ROUND, 2)], id="between rounds"),
        pytest.param(all_over, [(PAIR_ROUND, 4)], id="to be ended"),
        pytest.param(over, [], id="over"),
        pytest.param(with_(paired, "pause"), [], id="paused before its matches"),
        pytest.param(with_(between, "pause"), [], id="paused between rounds"),
        pytest.param(with_(with_(between, "pause"), "resume"), [(PAIR_ROUND, 2)], id="going on"),
        pytest.param(arena, [(PAIR_ROUND, 1)], id="an arena with people who are free"),
        pytest.param(lambda: playing(plan(System.ARENA, arena_seconds=60)), [], id="an arena where everybody plays"),
        pytest.param(closed_arena, [(START_MATCHES, 1)], id="a closed arena whose tables are open"),
    ],
)
def test_what_is_to_be_done(state: Callable[[], Recorder], wanted: list[tuple[str, int]]) -> None:
    """By the state alone."""
    assert [(need.kind, need.round) for need in needs(state().tournament)] == wanted


def test_an_arena_that_has_closed_is_ended_when_its_last_table_is() -> None:
    """And not before."""
    recorder = closed_arena()
    recorder.start_matches()
    recorder.record(0)
    assert needs(recorder.tournament) == ()
    recorder.record(1)
    (need,) = needs(recorder.tournament)
    assert need.kind == PAIR_ROUND
    assert rounds.is_over(recorder.tournament)
    assert rounds.propose(recorder.tournament) is None
    recorder.finish()
    assert rounds.is_over(recorder.tournament)


def test_an_arena_closes_at_its_time_and_not_before() -> None:
    """Also while it is paused; from then on nothing new begins."""
    recorder = arena(seconds=100)
    assert lifecycle.due(recorder.tournament) == recorder.tournament.closes_micros
    recorder.do("pause")
    recorder.now = recorder.tournament.closes_micros - SECOND - 1
    assert recorder.refused("expire") == "NOT_DUE"
    recorder.now = recorder.tournament.closes_micros - SECOND
    recorder.do("expire")
    assert recorder.tournament.is_closed
    assert lifecycle.due(recorder.tournament) == 0


def test_nothing_else_is_ever_due() -> None:
    """No system but the arena has a time."""
    assert [lifecycle.due(state().tournament) for state in (waiting, running, playing, between, over)] == [0] * 5
    assert lifecycle.due(Recorder(plan(System.ARENA, arena_seconds=9), 4).tournament) == 0


def host() -> TournamentHost:
    return TournamentHost(MemoryLog(), StillClock(), 10)


def test_work_is_handed_out_when_it_begins_to_wait() -> None:
    """With the tournament, its version and the round; while it goes on waiting it is not handed out again."""
    recorder = running(people=8)
    decided = Recorder(people=8).do("start")
    work = host().aftermath(None, decided.after, "request").work
    assert work is not None
    (one,) = work
    found = work_pb2.TournamentRound.FromString(one.payload)
    assert (one.kind, found.tournament_id, found.round) == (PAIR_ROUND, recorder.tournament.id, 1)
    assert (found.version, found.request_id) == (decided.after.version, "request")
    recorder.pair()
    before = recorder.tournament
    recorder.do("start_matches", recorder.started(1, 0))
    assert host().aftermath(before, recorder.tournament, "").work is None


def test_what_is_done_is_taken_out() -> None:
    """No work is left when all matches are there, and none after the end."""
    recorder = paired()
    before = recorder.tournament
    recorder.start_matches()
    assert host().aftermath(before, recorder.tournament, "").work == ()
    ended = over().tournament
    assert host().aftermath(None, ended, "") == (Status.FINISHED, (), 0, "organiser")


def test_whatever_happens_in_an_arena_is_told_to_who_pairs() -> None:
    """Who comes back may be free, and who withdraws is not: a round that was made without knowing it is refused."""
    recorder = arena(people=6, late_until=3)
    for command, args in (("withdraw", (0,)), ("come_back", (0,)), ("lay", ())):
        before = recorder.tournament
        if command == "lay":
            recorder.pair()
            before = recorder.tournament
            recorder.record(0)
        else:
            recorder.do(command, *args)
        work = host().aftermath(before, recorder.tournament, "").work
        assert work
        assert PAIR_ROUND in [one.kind for one in work]


@pytest.mark.parametrize("name", SYSTEMS)
def test_something_is_to_be_done_exactly_if_it_can_be(name: str) -> None:
    """At every step of a tournament in which anything happens: a round that is due is proposed, or it is the end."""
    system, changes, people = SYSTEMS[name]

    def look(recorder: Recorder) -> None:
        state = recorder.tournament
        wanted = needs(state)
        for need in wanted:
            if need.kind == START_MATCHES:
                assert any(board.is_waiting for board in state.rounds[need.round - 1].boards.values())
            else:
                assert can_go_on(recorder)
        if state.status is Status.PLAYING and not state.is_paused:
            busy = any(board.outcome is None for pairing in state.rounds for board in pairing.boards.values())
            assert wanted or busy or not can_go_on(recorder)

    wander(plan(system, **changes), people, 5, look)


def can_go_on(recorder: Recorder) -> bool:
    """Whether the next round can be paired now, or the tournament ended."""
    state = recorder.tournament
    if rounds.is_over(state):
        return isinstance(recorder.answer("finish"), Decided)
    draw = rounds.propose(state)
    return draw is not None and isinstance(recorder.answer("pair", len(state.rounds) + 1, draw), Decided)


def test_two_matches_of_one_round_may_be_recorded_by_different_workers() -> None:
    """The next round waits for the last of them."""
    recorder = playing(people=6)
    for table in range(3):
        assert needs(recorder.tournament) == ()
        recorder.record(table)
    assert [need.kind for need in needs(recorder.tournament)] == [PAIR_ROUND]
    recorder.rule(annulment=pb.Annulment(round=1, table=0))
    assert [need.kind for need in needs(recorder.tournament)] == [PAIR_ROUND]
