"""Clocks and seats: those that nobody takes, those that change hands, and what an organiser may ask for."""

from typing import Any

import grpc
import pytest

from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.envelope import Envelope, unpack
from shared.eventlog.memory import MemoryLog
from shared.eventlog.store import AGENT_TURN
from shared.verify import check_chain
from tests.host.clocked import (
    PER_MOVE,
    SECOND,
    Platform,
    acting,
    check_log,
    clocks,
    given_back,
    went_out,
)
from tests.host.service import PATIENCE, Service, Table, computer, human, join, refusal

# Seats that nobody takes


async def test_a_seat_that_nobody_takes_in_time_is_out_and_the_match_begins(platform: Platform) -> None:
    """Who came plays; who did not is last."""
    match_id = await platform.create(human(), human(), human(), join_seconds=60)
    tokens = [(await join(platform.services[0], match_id, seat)).token for seat in (0, 2)]
    table = Table(platform.services[0], match_id, (tokens[0], "", tokens[1]))
    deadline = (await table.view()).match.join_deadline_micros
    assert deadline == platform.clock.now + 60 * SECOND
    await platform.live(59)
    assert (await table.view()).match.status == pb.MATCH_STATUS_WAITING
    await platform.live(1)
    assert await went_out(table) == [(1, "OUT_REASON_NO_SHOW")]
    summary = (await table.view()).match
    assert (summary.status, summary.join_deadline_micros) == (pb.MATCH_STATUS_PLAYING, 0)
    refused = await refusal(join(platform.services[0], match_id, 1))
    assert refused.reason == "NO_OPEN_SEAT"
    await check_log(table)
    assert list((await table.view()).match.places[-1].seats) == [1]


async def test_a_match_to_which_nobody_comes_ends(platform: Platform) -> None:
    """Without a winner: all share the last place. It counts as open no longer, and is not due any more."""
    match_id = await platform.create(join_seconds=60, clock=PER_MOVE)
    table = Table(platform.services[0], match_id, ())
    await platform.live(61)
    summary = (await table.view()).match
    assert summary.status == pb.MATCH_STATUS_FINISHED
    assert [sorted(place.seats) for place in summary.places] == [[0, 1]]
    assert await platform.services[0].log.open_matches("organiser") == 0
    assert await platform.services[0].log.due(2**60, 10) == []
    await check_log(table)


async def test_computers_play_when_nobody_comes(platform: Platform) -> None:
    """Their turns become work for the workers, or the open seat's default has played to the end."""
    match_id = await platform.create(computer(), human(), computer(), join_seconds=60)
    service = platform.services[0]
    agents = [service.seat_token(match_id, seat, "agent") for seat in range(3)]
    table = Table(service, match_id, tuple(agents))
    await platform.live(60)
    assert await went_out(table) == [(1, "OUT_REASON_NO_SHOW")]
    assert await acting(table) in (0, 2)
    if isinstance(service.log, MemoryLog):
        assert [work.kind for work in service.log.waiting_work(match_id)] == [AGENT_TURN]
    await check_log(table)


async def test_downtime_moves_the_time_until_which_seats_wait(platform: Platform) -> None:
    """By as much as the platform was away: nobody could have come."""
    match_id = await platform.create(join_seconds=60)
    table = Table(platform.services[0], match_id, ())
    deadline = (await table.view()).match.join_deadline_micros
    await platform.live(30)
    platform.later(100 * SECOND)
    await platform.beat()
    assert await given_back(table) == [100 * SECOND]
    assert (await table.view()).match.join_deadline_micros == deadline + 100 * SECOND
    await platform.live(29)
    assert await went_out(table) == []
    await platform.live(1)
    assert len(await went_out(table)) == 2
    await check_log(table)


async def test_a_join_that_comes_before_the_sweep_moves_it_too(platform: Platform) -> None:
    """The others get the time that was given back."""
    match_id = await platform.create(human(), human(), human(), join_seconds=60)
    table = Table(platform.services[0], match_id, ())
    deadline = (await table.view()).match.join_deadline_micros
    await platform.live(10)
    platform.later(20 * SECOND)
    await platform.beat()
    await join(platform.services[1], match_id, 0)
    assert await given_back(table) == [20 * SECOND]
    assert (await table.view()).match.join_deadline_micros == deadline + 20 * SECOND
    await platform.live(100)
    envelopes: list[Envelope] = [unpack(record) for record in await table.records()]
    check_chain(envelopes)


# Seats that change hands


async def test_the_clock_of_a_seat_runs_on_while_nobody_sits_there(platform: Platform) -> None:
    """Who takes it goes on with the time that is left."""
    table = await platform.table(clock=PER_MOVE)
    seat = await acting(table)
    await platform.live(3)
    release = pb.ReleaseSeatRequest(match_id=table.id, seat=seat, command_id="release")
    await table.service.stub.ReleaseSeat(release, timeout=PATIENCE)
    await platform.live(3)
    assert (await clocks(table))[seat] == (4 * SECOND, True)
    tokens = list(table.tokens)
    tokens[seat] = (await join(platform.services[1], table.id, seat)).token
    table = Table(table.service, table.id, tuple(tokens))
    await platform.live(3)
    assert (await clocks(table))[seat] == (SECOND, True)
    await table.play(1)
    assert (await clocks(table))[seat] == (10 * SECOND, False)
    await check_log(table)


async def test_a_seat_that_nobody_takes_again_runs_out(platform: Platform) -> None:
    """And can't be taken after that."""
    table = await platform.table(3, clock=PER_MOVE)
    seat = await acting(table)
    release = pb.ReleaseSeatRequest(match_id=table.id, seat=seat, command_id="release")
    await table.service.stub.ReleaseSeat(release, timeout=PATIENCE)
    await platform.live(10)
    assert await went_out(table) == [(seat, "OUT_REASON_TIME_UP")]
    assert (await refusal(join(table.service, table.id, seat))).reason == "NO_OPEN_SEAT"
    await check_log(table)


# What an organiser may ask for

MONTH = 30 * 24 * 3600


def base(seconds: int, increment: int = 0) -> events_pb.Clock:
    """Time for a match."""
    both = events_pb.BaseAndIncrement(base_seconds=seconds, increment_seconds=increment)
    return events_pb.Clock(base_and_increment=both)


def per_move(seconds: int) -> events_pb.Clock:
    """Time for a turn."""
    return events_pb.Clock(per_move=events_pb.PerMove(seconds=seconds))


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        pytest.param({"clock": events_pb.Clock()}, "clock", id="a clock that counts nothing"),
        pytest.param({"clock": per_move(0)}, "clock.per_move.seconds", id="no time for a move"),
        pytest.param({"clock": per_move(MONTH + 1)}, "clock.per_move.seconds", id="too much for a move"),
        pytest.param({"clock": base(0)}, "clock.base_and_increment.base_seconds", id="no time for a match"),
        pytest.param({"clock": base(0, 5)}, "clock.base_and_increment.base_seconds", id="only an increment"),
        pytest.param({"clock": base(2**32 - 1)}, "clock.base_and_increment.base_seconds", id="too much for a match"),
        pytest.param({"clock": base(1, MONTH + 1)}, "clock.base_and_increment.increment_seconds", id="too much more"),
        pytest.param({"join_seconds": MONTH + 1}, "join_seconds", id="too long to wait"),
    ],
)
async def test_times_out_of_range_are_refused(memory_service: Service, terms: dict[str, Any], field: str) -> None:
    """With the name of the field."""
    request = pb.CreateMatchRequest(seats=[human(), human()], **terms)
    refused = await refusal(memory_service.stub.CreateMatch(request, timeout=PATIENCE))
    assert (refused.code, refused.fields) == (grpc.StatusCode.INVALID_ARGUMENT, (field,))
    assert await memory_service.log.list_ids(None, "", 10) == []


@pytest.mark.parametrize(
    "terms",
    [
        {"clock": per_move(1)},
        {"clock": per_move(MONTH)},
        {"clock": base(1)},
        {"clock": base(MONTH, MONTH)},
        {"join_seconds": MONTH},
    ],
    ids=str,
)
async def test_times_at_the_edge_are_accepted(memory_service: Service, terms: dict[str, Any]) -> None:
    """And are what the match shows."""
    request = pb.CreateMatchRequest(seats=[human(), human()], **terms)
    match_id = (await memory_service.stub.CreateMatch(request, timeout=PATIENCE)).match_id
    summary = (await Table(memory_service, match_id, ()).view()).match
    assert summary.clock == terms.get("clock", events_pb.Clock())
    waited = summary.join_deadline_micros - memory_service.clock.now
    assert waited == MONTH * SECOND if "join_seconds" in terms else summary.join_deadline_micros == 0
