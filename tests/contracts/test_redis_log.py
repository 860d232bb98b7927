"""What only a store on a server can get wrong: connections that break, callers that go away, servers that die."""

import asyncio
import contextlib

import pytest
import redis.asyncio

from shared.eventlog import keys
from shared.eventlog.embedded import EmbeddedServer
from shared.eventlog.redis_log import RedisLog
from shared.eventlog.store import Answer, LogUnavailable, Written
from tests.contracts.stores import PATIENCE, Admin, OpenLog, entry, match_id, opened, until

MATCH = match_id(1)
# For what takes milliseconds, or never happens.
SOON = 5.0


async def pausing_writes(admin: Admin) -> None:
    """From now on, the server takes appends but does not answer them."""
    await admin("CLIENT", "PAUSE", 60_000, "WRITE")


async def until_one_waits(admin: Admin) -> None:
    """Until an append has reached the pausing server."""
    async with asyncio.timeout(PATIENCE):
        while not (await admin("INFO", "clients"))["blocked_clients"]:  # noqa: ASYNC110 - the server has no event
            await asyncio.sleep(0.001)


async def test_callers_that_go_away_do_not_stop_the_others(open_redis_log: OpenLog, admin: Admin) -> None:
    """Calls that are cancelled in the middle of a round trip leave the group commit alive, and their events written."""
    log = open_redis_log()
    await log.append(entry(MATCH, 0, "warm"))
    await pausing_writes(admin)
    calls = [asyncio.create_task(log.append(entry(match_id(9), 0, f"{number}"))) for number in range(2)]
    calls += [asyncio.create_task(log.append(entry(match_id(10 + number), 0, "a"))) for number in range(40)]
    await until_one_waits(admin)
    for call in calls[::2]:
        call.cancel()
    await asyncio.sleep(0)
    await admin("CLIENT", "UNPAUSE")
    async with asyncio.timeout(PATIENCE):
        answers = await asyncio.gather(*calls, return_exceptions=True)
        later = await asyncio.gather(*(log.append(entry(MATCH, 1, "later")) for _ in range(3)))
    assert all(isinstance(answer, asyncio.CancelledError) for answer in answers[::2])
    assert all(not isinstance(answer, BaseException) for answer in answers[1::2])
    assert Written(2, 2) in later


async def test_what_a_caller_asked_before_it_went_away_is_written(open_redis_log: OpenLog, admin: Admin) -> None:
    """A cancelled append may have happened; asked again, it says so."""
    log = open_redis_log()
    await log.append(entry(MATCH, 0, "warm"))
    await pausing_writes(admin)
    call = asyncio.create_task(log.append(entry(MATCH, 1, "gone")))
    await until_one_waits(admin)
    call.cancel()
    await admin("CLIENT", "UNPAUSE")
    async with asyncio.timeout(PATIENCE):
        assert await log.append(entry(MATCH, 1, "gone")) == Written(2, 2, is_repeated=True)
    assert await log.read(MATCH, 0) == [b"warm", b"gone"]


async def test_a_failure_inside_the_group_commit_fails_those_who_wait_and_nobody_else(open_redis_log: OpenLog) -> None:
    """An error that nobody foresaw is told to the waiting callers as LogUnavailable; later appends work."""

    async def fail(_: object) -> list[object]:
        raise RuntimeError("injected")

    log = open_redis_log()
    await log.append(entry(MATCH, 0, "a"))
    pipe = log._writer._pipe
    assert pipe is not None
    pipe.batch = fail  # type: ignore[method-assign, assignment]
    calls = (log.append(entry(match_id(10 + number), 0, "a")) for number in range(20))
    async with asyncio.timeout(PATIENCE):
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(answer) for answer in answers} == {LogUnavailable}
        assert await log.append(entry(MATCH, 1, "b")) == Written(2, 2)


async def test_each_append_is_answered_once_though_connections_are_cut(open_redis_log: OpenLog, admin: Admin) -> None:
    """Under load, with every connection killed again and again: no event is lost, none is written twice."""

    async def write(match: str) -> None:
        for version in range(60):
            answer = await log.append(entry(match, version, f"{version}"))
            assert isinstance(answer, Written)
            assert (answer.first, answer.version) == (version + 1, version + 1)
            answered.append(match)

    async def cut() -> None:
        for number in range(1, 6):
            await until(lambda: len(answered) >= number * 150)  # noqa: B023 - awaited within the round
            await admin("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")

    log = open_redis_log()
    answered: list[str] = []
    matches = [match_id(number) for number in range(1, 21)]
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(cut(), *map(write, matches))
    assert len(answered) == 20 * 60
    for match in matches:
        assert await log.read(match, 0) == [b"%d" % version for version in range(60)]


async def test_racing_callers_survive_a_cut_connection(open_redis_log: OpenLog, admin: Admin) -> None:
    """Fifty appends that expect the same version and are sent again after a cut: still exactly one is written."""
    log = open_redis_log()
    await log.append(entry(MATCH, 0, "warm"))
    await pausing_writes(admin)
    calls = [asyncio.create_task(log.append(entry(MATCH, 1, f"{number}"))) for number in range(50)]
    await until_one_waits(admin)
    await admin("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    await admin("CLIENT", "UNPAUSE")
    async with asyncio.timeout(PATIENCE):
        answers = await asyncio.gather(*calls)
    assert sum(isinstance(answer, Written) for answer in answers) == 1
    assert len(await log.read(MATCH, 0)) == 2


async def test_everything_acknowledged_survives_a_killed_server(own_server: EmbeddedServer) -> None:
    """The server is killed in the middle of load, and started on the same folder: callers go on as if nothing was."""

    async def write(match: str) -> None:
        for version in range(40):
            answer: Answer = await log.append(entry(match, version, f"{version}"))
            assert isinstance(answer, Written)
            acknowledged.append((match, answer.version))

    async def kill() -> None:
        for number in (1, 2):
            await until(lambda: len(acknowledged) >= number * 100)  # noqa: B023 - awaited within the round
            own_server.kill()
            before = set(acknowledged)
            await asyncio.to_thread(own_server.start)
            async with opened(own_server.url) as fresh:
                for match in matches:
                    kept = await fresh.read(match, 0)
                    known = {version for one, version in before if one == match}
                    assert len(kept) >= max(known, default=0)

    acknowledged: list[tuple[str, int]] = []
    matches = [match_id(number) for number in range(1, 11)]
    async with opened(own_server.url) as log, asyncio.timeout(PATIENCE * 2):
        await asyncio.gather(kill(), *map(write, matches))
        for match in matches:
            assert await log.read(match, 0) == [b"%d" % version for version in range(40)]
        assert len(acknowledged) == 10 * 40


async def test_a_repeated_command_gets_its_first_answer_after_a_restart(own_server: EmbeddedServer) -> None:
    """Command ids are as durable as events."""
    async with opened(own_server.url) as log:
        await log.append(entry(MATCH, 0, "a", (b"1", b"2")))
        own_server.kill()
        await asyncio.to_thread(own_server.start)
        assert await log.append(entry(MATCH, 0, "a", (b"1", b"2"))) == Written(1, 2, is_repeated=True)
        assert await log.read(MATCH, 0) == [b"1", b"2"]


async def test_a_server_that_is_gone_is_unavailable_until_it_is_back(own_server: EmbeddedServer) -> None:
    """Appends, reads and the check of health say LogUnavailable when patience is over; then all is well again."""
    async with opened(own_server.url, patience=1.0) as log, asyncio.timeout(PATIENCE):
        await log.append(entry(MATCH, 0, "a"))
        own_server.kill()
        calls = log.append(entry(MATCH, 1, "b")), log.read(MATCH, 0), log.check()
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(answer) for answer in answers] == [LogUnavailable] * 3
        await asyncio.to_thread(own_server.start)
        await log.check()
        assert await log.read(MATCH, 0) == [b"a"]
        assert isinstance(await log.append(entry(MATCH, 1, "b")), Written)


async def test_a_server_that_cannot_write_is_unavailable(own_server: EmbeddedServer) -> None:
    """A full server refuses appends with an error of its own: callers hear LogUnavailable, and may try again."""
    async with opened(own_server.url, patience=1.0) as log, redis.asyncio.from_url(own_server.url) as client:
        await log.append(entry(MATCH, 0, "a"))
        await client.config_set("maxmemory", "1")
        with pytest.raises(LogUnavailable):
            await log.append(entry(MATCH, 1, "b"))
        await client.config_set("maxmemory", "0")
        assert await log.append(entry(MATCH, 1, "b")) == Written(2, 2)


async def test_subscribers_are_told_to_look_again_after_a_cut(open_redis_log: OpenLog, admin: Admin) -> None:
    """Notices may be lost with a connection: when it is back, everybody hears of it, and then of appends again."""
    log = open_redis_log()
    heard: list[int | None] = []
    others: list[int | None] = []
    await log.subscribe(MATCH, heard.append)
    await log.subscribe(match_id(2), others.append)
    await log.append(entry(MATCH, 0, "a"))
    await until(lambda: 1 in heard)
    await admin("CLIENT", "KILL", "TYPE", "pubsub")
    await log.append(entry(MATCH, 1, "b"))
    await until(lambda: None in heard and None in others)
    heard.clear()
    await log.append(entry(MATCH, 2, "c"))
    await until(lambda: 3 in heard)


async def test_a_subscription_that_is_asked_for_during_a_cut_comes_into_force(own_server: EmbeddedServer) -> None:
    """It is confirmed when the server is back, and from then on nothing is missed."""
    async with opened(own_server.url) as log, asyncio.timeout(PATIENCE):
        await log.subscribe(match_id(2), lambda _: None)
        own_server.kill()
        heard: list[int | None] = []
        asking = asyncio.create_task(log.subscribe(MATCH, heard.append))
        await asyncio.to_thread(own_server.start)
        await asking
        await log.append(entry(MATCH, 0, "a"))
        await until(lambda: 1 in heard)


async def test_a_cancelled_subscription_leaves_nothing_behind(open_redis_log: OpenLog) -> None:
    """Who gives up before the confirmation is not called, and who comes after is."""
    log = open_redis_log()
    gone: list[int | None] = []
    heard: list[int | None] = []
    asking = asyncio.create_task(log.subscribe(MATCH, gone.append))
    await asyncio.sleep(0)
    asking.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asking
    await log.subscribe(MATCH, heard.append)
    await log.append(entry(MATCH, 0, "a"))
    await until(lambda: 1 in heard)
    assert gone == []


async def test_a_strange_notice_does_not_make_the_process_deaf(
    open_redis_log: OpenLog, admin: Admin, key_space: str
) -> None:
    """Whatever somebody publishes on a channel, later appends are heard, and new subscriptions come into force."""
    log = open_redis_log()
    heard: list[int | None] = []
    others: list[int | None] = []
    await log.subscribe(MATCH, heard.append)
    await admin("PUBLISH", keys.log_key(key_space, MATCH), "not a version")
    async with asyncio.timeout(SOON):
        await log.subscribe(match_id(2), others.append)
        await log.append(entry(MATCH, 0, "a"))
        await until(lambda: 1 in heard)


async def test_a_subscriber_that_fails_does_not_make_the_others_deaf(open_redis_log: OpenLog) -> None:
    """An error in one callback is nobody else's."""

    def fail(_: int | None) -> None:
        raise RuntimeError("injected")

    log = open_redis_log()
    heard: list[int | None] = []
    await log.subscribe(MATCH, fail)
    await log.subscribe(MATCH, heard.append)
    await log.append(entry(MATCH, 0, "a"))
    await log.append(entry(MATCH, 1, "b"))
    async with asyncio.timeout(SOON):
        await until(lambda: 2 in heard or None in heard)


async def test_closing_finishes_what_was_accepted(redis_url: str, key_space: str) -> None:
    """Appends that are under way are answered; what is asked later is refused at once."""
    log = RedisLog(redis_url, key_space)
    calls = [asyncio.create_task(log.append(entry(match_id(number), 0, "a"))) for number in range(1, 1200)]
    await asyncio.sleep(0)
    await log.close()
    assert all(isinstance(answer, Written) for answer in await asyncio.gather(*calls))
    for call in (log.append(entry(MATCH, 1, "b")), log.read(MATCH, 0)):
        with pytest.raises(LogUnavailable):
            await call
