"""What only the append function and its indexes can get wrong: slots, incomplete calls, costs, traces left behind."""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence

import pytest
import redis.asyncio

from shared.eventlog import keys
from shared.eventlog.embedded import EmbeddedServer
from shared.eventlog.pipe import Command
from shared.eventlog.store import Answer, Written
from shared.match.model import Status
from tests.contracts.stores import Admin, OpenLog, entry, match_id, opened

MATCH = match_id(1)


def tags_of(names: Iterable[str]) -> set[str]:
    """The parts of keys that choose their slots."""
    return {name.partition("{")[2].partition("}")[0] for name in names}


async def test_keys_of_a_match_share_a_slot(key_space: str) -> None:
    """One function call touches them all, which a cluster allows only within one slot; beats have one of their own."""
    beats = tags_of(keys.beat_keys(key_space))
    assert len(beats) == 1
    for number in range(1, 50):
        tags = tags_of(keys.append_keys(key_space, match_id(number)))
        assert len(tags) == 1
        assert tags.isdisjoint(beats)


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param((0, "", 3, "only one record"), id="fewer records than it says"),
        pytest.param((0, "", 0), id="no record"),
        pytest.param((0,), id="no number of records"),
        pytest.param((), id="nothing after the status"),
        pytest.param(("soon", "", 1, "record"), id="a due time that is no number"),
        pytest.param((-1, "", 1, "record"), id="a due time before all times"),
    ],
)
async def test_a_log_that_lacks_a_part_of_an_append_is_not_touched(
    open_redis_log: OpenLog, admin: Admin, key_space: str, rest: tuple[str | int, ...]
) -> None:
    """A function does not roll back: an incomplete call is refused before its first write."""
    log = open_redis_log()
    await log.append(entry(MATCH, 0, "a"))
    names = keys.append_keys(key_space, MATCH)
    with pytest.raises(redis.ResponseError, match="incomplete"):
        await admin("FCALL", "meydan_append", len(names), *names, MATCH, 1, "b", "d", 2, *rest)
    assert await log.read(MATCH, 0) == [b"a"]
    assert await log.find(MATCH, "b", b"d") is None


async def commands_of(admin: Admin, call: Awaitable[Answer]) -> dict[str, int]:
    """How often the server ran which command for a call."""
    await admin("CONFIG", "RESETSTAT")
    assert isinstance(await call, Written)
    stats = await admin("INFO", "commandstats")
    names = {name.removeprefix("cmdstat_"): row["calls"] for name, row in stats.items()}
    return {name: calls for name, calls in names.items() if name not in ("config|resetstat", "info")}


async def test_an_append_pays_only_for_what_it_changes(open_redis_log: OpenLog, admin: Admin) -> None:
    """Without a due time and an organiser a move takes five commands; so does one that leaves the due time alone."""
    log = open_redis_log()
    usual = {"fcall": 1, "hmget": 1, "xadd": 1, "hset": 1, "publish": 1}
    await log.append(entry(match_id(2), 0, "a"))
    created = usual | {"hset": 2, "zadd": 1}
    assert await commands_of(admin, log.append(entry(MATCH, 0, "a"))) == created
    assert await commands_of(admin, log.append(entry(MATCH, 1, "b"))) == usual
    assert await commands_of(admin, log.append(entry(MATCH, 2, "c", due=1))) == usual | {"zadd": 1}
    assert await commands_of(admin, log.append(entry(MATCH, 3, "d", due=1))) == usual
    assert await commands_of(admin, log.append(entry(MATCH, 4, "e"))) == usual | {"zrem": 1}
    assert await commands_of(admin, log.append(entry(MATCH, 5, "f"))) == usual


async def test_all_partitions_are_asked_in_one_round_trip(open_redis_log: OpenLog) -> None:
    """What is due and who has matches open is asked often."""

    async def counted(commands: Sequence[Command]) -> list[object]:
        sizes.append(len(commands))
        return await exchange(commands)

    log = open_redis_log()
    sizes: list[int] = []
    await log.read(MATCH, 0)
    pipe = log._reader._pipe
    assert pipe is not None
    exchange = pipe.batch
    pipe.batch = counted  # type: ignore[method-assign]
    await log.due(1, 10)
    await log.open_matches("ann")
    assert sizes == [keys.PARTITIONS] * 2


async def test_what_is_over_leaves_no_trace_in_the_indexes(
    open_redis_log: OpenLog, admin: Admin, key_space: str
) -> None:
    """Counts at 0 and due times that are gone take no room."""
    log = open_redis_log()
    due_key, open_key = (key(key_space, keys.partition_of(MATCH)) for key in (keys.due_key, keys.open_key))
    await log.append(entry(MATCH, 0, "a", due=1, organiser="ann"))
    assert await admin("EXISTS", due_key, open_key) == 2
    await log.append(entry(MATCH, 1, "b", status=Status.FINISHED))
    assert await admin("EXISTS", due_key, open_key) == 0


async def test_due_times_counts_and_beats_survive_a_killed_server(own_server: EmbeddedServer) -> None:
    """They are as durable as events; the time in which the server was away shows as a downtime."""
    now = 1_790_000_000_000_001
    async with opened(own_server.url) as log:
        await log.append(entry(MATCH, 0, "a", due=now, organiser="ann"))
        await log.beat(now, 5)
        await log.beat(now + 10, 5)
        own_server.kill()
        await asyncio.to_thread(own_server.start)
        assert await log.due(now, 10) == [MATCH]
        assert await log.due(now - 1, 10) == []
        assert await log.open_matches("ann") == 1
        assert await log.beat(now + 100, 5) == [(now, now + 10), (now + 10, now + 100)]


async def test_the_append_function_is_loaded_again_when_it_is_lost(open_redis_log: OpenLog, admin: Admin) -> None:
    """A server that was emptied of its functions gets them back from the next append."""
    log = open_redis_log()
    await log.append(entry(MATCH, 0, "a"))
    await admin("FUNCTION", "FLUSH")
    answers = await asyncio.gather(*(log.append(entry(match_id(10 + number), 0, "a")) for number in range(20)))
    assert all(isinstance(answer, Written) for answer in answers)
    assert await log.append(entry(MATCH, 1, "b")) == Written(2, 2)
