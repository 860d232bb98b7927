"""Matches in memory: few, and never anything but what their logs say."""

import asyncio

import pytest

from meydan.match.v1 import match_service_pb2 as pb
from shared.envelope import unpack
from shared.eventlog.memory import MemoryLog
from shared.match.wire import Wire
from shared.replay import Replay
from tests.host.service import DOMINO, PATIENCE, Service, Table, new_table, refusal, serving


@pytest.mark.parametrize("most_live", [1, 2, 5])
async def test_more_matches_than_memory_are_played_right(most_live: int) -> None:
    """Ten matches move by move in turn, with room for a few: each is loaded again, and each comes out right."""
    async with serving(MemoryLog(), most_live=most_live) as service:
        tables = [await new_table(service, seed=bytes([number])) for number in range(10)]
        going_on = True
        while going_on:
            moved = [await table.play(1) for table in tables]
            going_on = any(moved)
            assert len(service.host.live) <= most_live
        for table in tables:
            await check_against_log(table)


async def test_matches_at_once_share_too_little_memory(service: Service) -> None:
    """All ten are played at the same time."""
    service.host.live._most = 2
    tables = [await new_table(service, seed=bytes([number])) for number in range(10)]
    await asyncio.gather(*(table.play() for table in tables))
    for table in tables:
        await check_against_log(table)


async def check_against_log(table: Table) -> None:
    """The service says of a match what its log folds to."""
    match = Replay(DOMINO, Wire(DOMINO)).fold(None, map(unpack, await table.records()))
    summary = (await table.view()).match
    assert summary.status == pb.MATCH_STATUS_FINISHED
    assert (await table.service.host.fresh(table.id)).folded == match
    assert [tuple(place.seats) for place in summary.places] == list(match.places or ())


async def test_a_match_that_is_watched_stays(memory_service: Service) -> None:
    """It is not thrown out while somebody follows it, however many others come."""
    memory_service.host.live._most = 2
    table = await new_table(memory_service)
    stream = memory_service.stub.WatchMatch(pb.WatchMatchRequest(match_id=table.id), timeout=PATIENCE)
    await stream.read()
    live = await memory_service.host.get(table.id)
    for number in range(20):
        await new_table(memory_service, seed=bytes([number]))
    assert await memory_service.host.get(table.id) is live
    assert len(memory_service.host.live) <= 3
    stream.cancel()


async def test_callers_that_want_the_same_match_share_one_load(memory_service: Service) -> None:
    """A crowd after a restart reads a log once."""
    table = await new_table(memory_service)
    async with serving(memory_service.log) as other:
        await asyncio.gather(*(table.on(other).view() for _ in range(50)))
        assert len(other.host.live) == 1
        first, second = await asyncio.gather(other.host.get(table.id), other.host.get(table.id))
        assert first is second


async def test_an_unknown_match_takes_no_memory(memory_service: Service) -> None:
    """Asking for what is not there leaves nothing behind."""
    for letter in "ABCDEFGHJK":
        await refusal(Table(memory_service, "01" + letter * 24, ()).view())
    assert len(memory_service.host.live) == 0
    assert memory_service.host.live._loading == {}


async def test_a_log_that_went_back_is_believed(memory_service: Service) -> None:
    """A store that lost its tail is not asked for ever: a caller hears UNAVAILABLE, then the log's word counts."""
    log = memory_service.log
    assert isinstance(log, MemoryLog)
    table = await new_table(memory_service)
    version = len(await table.records())
    await table.play(2)
    request = await table.next_submission()
    lost = log._logs[table.id]
    del lost.records[version:]
    lost.commands = {name: known for name, known in lost.commands.items() if known[1].version <= version}
    answer = await refusal(memory_service.stub.SubmitCommand(request, timeout=PATIENCE))
    assert (answer.code.name, answer.reason) == ("UNAVAILABLE", "LOG_UNAVAILABLE")
    assert (await table.view()).match.version == version
    assert await table.play() > 0
