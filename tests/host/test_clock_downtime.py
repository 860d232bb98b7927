"""Time that is nobody's fault is given back."""

from typing import Any

import pytest

from shared.eventlog.memory import MemoryLog
from shared.eventlog.store import LogUnavailable
from shared.host.pulse import Pulse
from shared.host.sweep import Sweep
from tests.host.clocked import (
    INCREMENT,
    PER_MOVE,
    SECOND,
    Platform,
    acting,
    check_log,
    clocked,
    clocks,
    given_back,
    move_until,
    went_out,
)
from tests.host.service import Table, computer, human, join


async def test_downtime_is_given_back_to_the_microsecond(platform: Platform) -> None:
    """No beat for a hundred seconds: the first one after them gives them back, and puts nobody out."""
    table = await platform.table(clock=PER_MOVE)
    seat = await acting(table)
    await platform.live(4)
    platform.later(100 * SECOND + 123)
    await platform.beat()
    assert await given_back(table) == [100 * SECOND + 123]
    assert await went_out(table) == []
    assert (await clocks(table))[seat] == (6 * SECOND, True)
    await platform.live(5)
    assert await went_out(table) == []
    await platform.live(1)
    assert await went_out(table) == [(seat, "OUT_REASON_TIME_UP")]
    assert len(await given_back(table)) == 1
    await check_log(table)


async def test_who_was_late_before_the_downtime_is_not_saved_by_it(platform: Platform) -> None:
    """The time was up while the platform was there, if nobody had looked yet."""
    table = await platform.table(clock=PER_MOVE)
    seat = await acting(table)
    await platform.live(9)
    platform.later(2 * SECOND)
    for service in platform.services:
        service.host.pulse.heard(service.clock.now, await service.log.beat(service.clock.now, 3 * SECOND))
    platform.later(100 * SECOND)
    await platform.beat()
    assert await went_out(table) == [(seat, "OUT_REASON_TIME_UP")]
    await check_log(table)


@pytest.mark.parametrize("host", [0, 1])
async def test_a_move_that_comes_before_the_sweep_is_given_the_downtime_too(platform: Platform, host: int) -> None:
    """By processes that have started again: they have heard of the downtime, but the match was not due."""
    table = await platform.table(clock=INCREMENT)
    seat = await acting(table)
    await platform.live(10)
    platform.later(30 * SECOND)
    await platform.beat()
    assert await given_back(table) == []
    platform.later(2 * SECOND)
    await table.on(platform.services[host]).submit(await table.next_submission())
    assert await given_back(table) == [30 * SECOND]
    assert (await clocks(table))[seat] == ((60 - 12 + 5) * SECOND, False)
    await check_log(table)


async def test_a_log_that_was_away_while_the_service_lived_costs_nobody_time(platform: Platform) -> None:
    """The move comes before this process could tell the log that it is back; nothing is given back twice."""
    table = await platform.table(clock=PER_MOVE)
    seat = await acting(table)
    await platform.live(4)
    platform.later(50 * SECOND)
    request = await table.next_submission()
    await table.submit(request)
    assert await given_back(table) == [50 * SECOND]
    assert (await clocks(table))[seat] == (10 * SECOND, False)
    # Then the sweep comes, and hears from the log of the same downtime.
    await platform.beat()
    await platform.live(9)
    assert await went_out(table) == []
    await platform.live(1)
    assert [out for out, _ in await went_out(table)] == [1 - seat]
    assert sum(await given_back(table)) == 50 * SECOND
    await check_log(table)


async def test_a_service_that_finds_no_log_at_its_start_charges_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """How long the platform was away is not known before the log says so."""
    log = MemoryLog()
    async with clocked(log, log) as platform:
        platform.sweeps = platform.sweeps[:1]
        other = platform.services[1]
        other.host.pulse = Pulse()
        table = await platform.table(clock=PER_MOVE)
        await platform.live(4)
        platform.later(500 * SECOND)
        beat = log.beat

        async def away(*_: int) -> Any:
            raise LogUnavailable("the log is away")

        monkeypatch.setattr(log, "beat", away)
        await Sweep(other.host, 1.0).try_step()
        monkeypatch.setattr(log, "beat", beat)
        await table.on(other).submit(await table.next_submission())
        assert await given_back(table) == [504 * SECOND]
        assert await went_out(table) == []
        await check_log(table)


async def test_a_short_silence_is_counted(platform: Platform) -> None:
    """Three seconds between two beats are no downtime."""
    table = await platform.table(clock=PER_MOVE)
    seat = await acting(table)
    for _ in range(3):
        platform.later(3 * SECOND)
        await platform.beat()
    assert (await clocks(table))[seat] == (SECOND, True)
    assert await given_back(table) == []


async def test_one_process_is_enough_to_be_there(platform: Platform) -> None:
    """The other was away, and hears at its start that nobody missed it."""
    table = await platform.table(clock=PER_MOVE)
    seat = await acting(table)
    for _ in range(9):
        platform.later(SECOND)
        await platform.sweeps[0].step()
    await platform.sweeps[1].step()
    platform.later(SECOND)
    await platform.beat()
    assert await went_out(table) == [(seat, "OUT_REASON_TIME_UP")]
    assert await given_back(table) == []


async def test_downtime_before_the_start_changes_no_clock(platform: Platform) -> None:
    """None was running: both begin with all of their time."""
    match_id = await platform.create(clock=PER_MOVE)
    tokens = [(await join(platform.services[0], match_id, 0)).token]
    platform.later(100 * SECOND)
    await platform.beat()
    tokens.append((await join(platform.services[0], match_id, 1)).token)
    table = Table(platform.services[0], match_id, tuple(tokens))
    assert sorted(await clocks(table)) == [(10 * SECOND, False), (10 * SECOND, True)]
    await check_log(table)


async def test_downtime_while_a_computer_thinks_changes_no_clock(platform: Platform) -> None:
    """Its time is not counted, and nobody else's runs."""
    match_id = await platform.create(human(), computer(), clock=PER_MOVE)
    token = (await join(platform.services[0], match_id, 0)).token
    table = Table(platform.services[0], match_id, (token, platform.services[0].seat_token(match_id, 1, "agent")))
    await move_until(table, 1)
    platform.later(100 * SECOND)
    await platform.beat()
    await move_until(table, 0)
    assert await clocks(table) == [(10 * SECOND, True), (10 * SECOND, False)]
    await check_log(table)
