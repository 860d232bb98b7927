"""Clocks through the service: what is shown, and who goes out when."""

import asyncio

import grpc
import pytest

from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.envelope import unpack
from shared.eventlog.memory import MemoryLog
from shared.host.keeper import Accepted, Command
from shared.host.live import Live
from shared.match.model import Match
from tests.host.clocked import (
    INCREMENT,
    PER_MOVE,
    SECOND,
    Platform,
    acting,
    check_log,
    clocked,
    clocks,
    move_until,
    went_out,
)
from tests.host.service import (
    PATIENCE,
    Table,
    computer,
    human,
    join,
    refusal,
)

# What is shown


async def test_time_per_move_is_shown_as_it_goes_by(platform: Platform) -> None:
    """In views and in lists; at an earlier version as it was then; full again with each turn."""
    table = await platform.table(clock=PER_MOVE)
    seat = await acting(table)
    start = (await table.view()).match.version
    await platform.live(4)
    running = [(10 * SECOND, False)] * 2
    running[seat] = (6 * SECOND, True)
    assert await clocks(table) == running
    (listed,) = (await table.service.stub.ListMatches(pb.ListMatchesRequest(), timeout=PATIENCE)).matches
    assert listed == (await table.view()).match
    assert listed.clock == PER_MOVE
    await table.play(1)
    assert (await clocks(table, start))[seat] == (10 * SECOND, True)
    other = await acting(table)
    assert other != seat
    assert [(await clocks(table))[one] for one in (seat, other)] == [(10 * SECOND, False), (10 * SECOND, True)]
    await check_log(table)


async def test_time_per_match_goes_down_and_grows_with_each_turn(platform: Platform) -> None:
    """Four seconds for a move that brings five: one more than before."""
    table = await platform.table(clock=INCREMENT)
    seat = await acting(table)
    await platform.live(4)
    assert (await clocks(table))[seat] == (56 * SECOND, True)
    await table.play(1)
    other = await acting(table)
    assert [(await clocks(table))[one] for one in (seat, other)] == [(61 * SECOND, False), (60 * SECOND, True)]
    await platform.live(7)
    await table.play(1)
    assert (await clocks(table))[other] == (58 * SECOND, False)
    await check_log(table)


async def test_no_clock_runs_before_the_start_or_after_the_end(platform: Platform) -> None:
    """There is none to show before, and none that could run out after."""
    match_id = await platform.create(clock=PER_MOVE)
    waiting = Table(platform.services[0], match_id, ())
    await platform.live(20)
    assert await clocks(waiting) == []
    table = await platform.table(clock=PER_MOVE)
    await table.resign(0, "leave-0")
    await table.resign(1, "leave-1")
    assert not any(is_running for _, is_running in await clocks(table))
    before = await table.records()
    await platform.live(20)
    assert await table.records() == before


async def test_a_computers_time_is_not_counted(platform: Platform) -> None:
    """While it thinks nobody's clock runs, however long that takes."""
    match_id = await platform.create(human(), computer(), clock=PER_MOVE)
    token = (await join(platform.services[0], match_id, 0)).token
    agent = platform.services[0].seat_token(match_id, 1, "agent")
    table = Table(platform.services[0], match_id, (token, agent))
    await move_until(table, 1)
    assert await clocks(table) == [(10 * SECOND, False), (10 * SECOND, False)]
    await platform.live(30)
    assert await went_out(table) == []
    await check_log(table)


# Whose time is up


async def test_a_seat_whose_time_is_up_goes_out_once(platform: Platform) -> None:
    """However many sweeps look at the same moment; the default plays for it, and the match goes on to its end."""
    table = await platform.table(3, clock=PER_MOVE)
    late = await acting(table)
    await platform.live(9)
    assert await went_out(table) == []
    platform.later(SECOND)
    await asyncio.gather(*(sweep.step() for sweep in platform.sweeps * 5))
    assert await went_out(table) == [(late, "OUT_REASON_TIME_UP")]
    for service in platform.services:
        summary = (await table.on(service).view()).match
        assert [seat.is_out for seat in summary.seats] == [seat == late for seat in range(3)]
        assert late not in summary.to_act
    refused = await refusal(table.submit(table.submission(late, (await table.next_submission()).text)))
    assert refused.reason == "SEAT_IS_OUT"
    await check_log(table)
    places = [list(place.seats) for place in (await table.view()).match.places]
    assert places[-1] == [late]


async def test_a_match_in_which_everybody_runs_out_ends(platform: Platform) -> None:
    """One after the other, the last to go is first; it is not due any more."""
    table = await platform.table(3, clock=PER_MOVE)
    first = await acting(table)
    await platform.live(60)
    gone = [seat for seat, _ in await went_out(table)]
    assert (gone[0], sorted(gone)) == (first, [0, 1, 2])
    summary = (await table.view()).match
    assert [list(place.seats) for place in summary.places] == [[seat] for seat in reversed(gone)]
    assert await table.service.log.due(2**60, 10) == []
    await check_log(table)


@pytest.mark.parametrize("control", [PER_MOVE, INCREMENT], ids=["per move", "per match"])
async def test_a_move_after_the_time_is_refused_before_any_sweep_has_come(
    platform: Platform, control: events_pb.Clock
) -> None:
    """At the very microsecond; the one before is in time."""
    table = await platform.table(clock=control)
    seconds = (await clocks(table))[0][0] // SECOND
    await platform.live(seconds - 1)
    platform.later(SECOND)
    request = await table.next_submission()
    before = await table.records()
    for service in platform.services:
        refused = await refusal(table.on(service).submit(request))
        assert (refused.code, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TIME_IS_UP")
    assert await table.records() == before
    platform.later(-1)
    assert (await table.submit(request)).first_version == len(before) + 1
    await check_log(table)


async def test_a_sweep_that_loses_against_a_move_changes_nothing(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The move comes in the last moment, in another process, when the sweep has looked at the match already."""
    table = await platform.table(clock=PER_MOVE)
    await platform.live(9)
    request = await table.next_submission()
    here, there = platform.services
    here.clock.now += SECOND
    execute = here.host.execute

    async def overtaken(live: Live[Match], command: Command[Match]) -> Accepted:
        await table.on(there).submit(request)
        return await execute(live, command)

    monkeypatch.setattr(here.host, "execute", overtaken)
    await platform.sweeps[0].step()
    assert await went_out(table) == []
    monkeypatch.undo()
    assert unpack((await table.records())[-1]).command_id == request.command_id
    assert [remaining for remaining, _ in await clocks(table)] == [10 * SECOND, 9 * SECOND][
        :: 1 - 2 * request.seat.seat
    ]
    there.clock.now = here.clock.now
    await check_log(table)


async def test_a_match_that_can_not_be_read_keeps_no_other_waiting() -> None:
    """It is the longest overdue, and stays so."""
    log = MemoryLog()
    async with clocked(log, log) as platform:
        broken, table = await platform.table(clock=PER_MOVE), await platform.table(clock=PER_MOVE)
        for service in platform.services:
            service.host.live.forget(broken.id)
        log._logs[broken.id].records[3] = b"broken"
        await platform.live(10)
        assert (await log.due(platform.clock.now, 10))[0] == broken.id
        assert len(await went_out(table)) == 1
