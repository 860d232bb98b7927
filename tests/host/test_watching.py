"""Watchers: from any version without a gap, however slow they are, and gone when they go."""

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.envelope import unpack
from shared.eventlog.embedded import EmbeddedServer
from shared.eventlog.memory import MemoryLog
from shared.eventlog.redis_log import RedisLog
from shared.eventlog.store import Answer, Append, Changed, LogUnavailable, Unsubscribe
from shared.host.keeper import Command, digest_of
from shared.kernel import Viewer
from shared.match.model import Status
from tests.host.service import DOMINO, PATIENCE, SOON, Service, Table, new_match, new_table, refusal, serving, until


async def watched(table: Table, seat: int | None = None, after: int = 0) -> list[events_pb.Envelope]:
    """Everything that a watcher is sent until the match ends."""
    request = pb.WatchMatchRequest(match_id=table.id, viewer=table.viewer(seat), after_version=after)
    stream = table.service.stub.WatchMatch(request, timeout=PATIENCE)
    return [envelope async for response in stream for envelope in response.envelopes]


async def test_every_watcher_sees_the_history_of_its_viewer(service: Service) -> None:
    """Seats and spectators, from the beginning, while the match is played; the stream ends after the last event."""
    table = await new_table(service, 3)
    watchers = [asyncio.create_task(watched(table, seat)) for seat in (0, 1, 2, None)]
    await table.play()
    for seat, seen in zip((0, 1, 2, None), await asyncio.gather(*watchers), strict=True):
        assert seen == await table.history(seat)


async def test_a_watcher_goes_on_from_any_version(table: Table) -> None:
    """Of a match that is over: from each of its versions, the rest."""
    await table.play()
    whole = await table.history()
    for after in range(len(whole) + 1):
        assert await watched(table, after=after) == whole[after:]


async def test_a_watcher_that_comes_back_misses_nothing(table: Table) -> None:
    """It leaves after each response and goes on from there, while the match is played."""
    seen: list[events_pb.Envelope] = []
    playing = asyncio.create_task(table.play())
    async with asyncio.timeout(PATIENCE):
        while not seen or not seen[-1].event.type_url.endswith("MatchFinished"):
            request = pb.WatchMatchRequest(match_id=table.id, after_version=len(seen))
            stream = table.service.stub.WatchMatch(request, timeout=PATIENCE)
            response = await stream.read()
            assert isinstance(response, pb.WatchMatchResponse)
            seen.extend(response.envelopes)
            stream.cancel()
    await playing
    assert seen == await table.history()


async def test_a_watcher_of_the_future_waits_for_it(table: Table) -> None:
    """It is sent nothing up to the version that it says to know."""
    after = (await table.view()).match.version + 2
    watcher = asyncio.create_task(watched(table, after=after))
    await table.play()
    assert await watcher == (await table.history())[after:]


@pytest.mark.parametrize("after", [10_000, 2**64 - 1])
async def test_a_watcher_far_in_the_future_ends_with_the_match(table: Table, after: int) -> None:
    """It is sent nothing at all."""
    watcher = asyncio.create_task(watched(table, after=after))
    await table.play()
    assert await watcher == []


def followers_of(service: Service, match_id: str) -> int:
    """How many follow a match on a host."""
    live = service.host.live._logs.get(match_id)
    return len(live.followers or ()) if live is not None else 0


async def test_a_watcher_that_leaves_is_forgotten(table: Table) -> None:
    """Cancelled or out of time, it leaves no follower, no subscription and no recent events behind."""
    request = pb.WatchMatchRequest(match_id=table.id)
    leaving = table.service.stub.WatchMatch(request, timeout=PATIENCE)
    await until(lambda: followers_of(table.service, table.id) == 1)
    leaving.cancel()
    await until(lambda: followers_of(table.service, table.id) == 0)
    late = table.service.stub.WatchMatch(request, timeout=0.5)
    ended = await refusal(read_to_the_end(late))
    assert ended.code is grpc.StatusCode.DEADLINE_EXCEEDED
    await until(lambda: followers_of(table.service, table.id) == 0)
    live = await table.service.host.get(table.id)
    assert (live.followers, live.recent, live.subscription) == (None, None, None)
    assert await table.play() > 0


async def read_to_the_end(stream: Any) -> None:
    """Takes what a stream gives until it ends."""
    async for _ in stream:
        pass


async def test_a_slow_watcher_is_only_a_position(memory_service: Service) -> None:
    """A long match is played while a watcher reads nothing: few events are kept for it, and later it reads them all."""
    service = memory_service
    table = await new_table(service, 2, domino_pb2.Options(hand_size=7, target=1000))
    stream = service.stub.WatchMatch(pb.WatchMatchRequest(match_id=table.id), timeout=PATIENCE)
    first = await stream.read()
    assert isinstance(first, pb.WatchMatchResponse)
    live = await service.host.get(table.id)
    kept = 0
    number = 0
    while live.folded.status is Status.PLAYING:
        seat = DOMINO.to_act(live.folded.state)[0]
        choice = DOMINO.default(DOMINO.view(live.folded.state, Viewer(seat)))
        number += 1
        await service.host.execute(
            live,
            Command(
                f"seat-{seat}",
                f"{number}",
                digest_of(number),
                lambda match, stamp, seat=seat, choice=choice: service.host.lifecycle.submit(  # type: ignore[misc]
                    match, seat, choice, None, stamp
                ),
            ),
        )
        kept = max(kept, len(live.recent or ()))
    records = [unpack(record) for record in await table.records()]
    assert len(records) > 400
    assert kept < 150
    seen = [envelope.version for envelope in first.envelopes]
    while (response := await stream.read()) is not grpc.aio.EOF:
        assert isinstance(response, pb.WatchMatchResponse)
        assert len(response.envelopes) <= 100
        seen.extend(envelope.version for envelope in response.envelopes)
    assert seen == list(range(1, len(records) + 1))


class GatedLog(MemoryLog):
    """A log in memory that can be told to fail its reads, and to hold its appends and subscriptions up."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open = asyncio.Event()
        self.is_open.set()
        self.is_failing = False
        self.failed = 0
        self.waiting = 0

    async def _pass(self) -> None:
        self.waiting += 1
        try:
            await self.is_open.wait()
        finally:
            self.waiting -= 1

    async def append(self, entry: Append) -> Answer:
        await self._pass()
        return await super().append(entry)

    async def read(self, match_id: str, after: int, limit: int | None = None) -> Sequence[bytes]:
        if self.is_failing:
            self.failed += 1
            raise LogUnavailable("injected")
        return await super().read(match_id, after, limit)

    async def subscribe(self, match_id: str, changed: Changed) -> Unsubscribe:
        await self._pass()
        return await super().subscribe(match_id, changed)


async def test_a_watcher_that_could_not_start_is_forgotten() -> None:
    """A log that fails while a watcher comes leaves no follower behind, or the match would stay in memory for ever."""
    log = GatedLog()
    async with serving(log) as service:
        table = await new_table(service)
        log.is_failing = True
        answer = await refusal(watched(table))
        assert (answer.code, answer.reason) == (grpc.StatusCode.UNAVAILABLE, "LOG_UNAVAILABLE")
        assert followers_of(service, table.id) == 0
        log.is_failing = False
        assert await table.play() > 0


async def test_a_failed_look_at_the_log_is_made_up_for() -> None:
    """News that came while the log could not be read reach the watcher later, also if nothing happens any more."""
    shared_log, log = MemoryLog(), GatedLog()
    # The same logs, of which one process has trouble to read.
    log._logs, log._changed = shared_log._logs, shared_log._changed
    async with serving(shared_log) as here, serving(log) as there:
        table = await new_table(here)
        watcher = asyncio.create_task(watched(table.on(there)))
        await until(lambda: len(there.host.wakers) == 1)
        live = await there.host.get(table.id)
        log.is_failing = True
        await table.play(1)
        await until(lambda: log.failed > 0)
        log.is_failing = False
        async with asyncio.timeout(SOON):
            await until(lambda: live.folded.version == len(shared_log._logs[table.id].records))
        watcher.cancel()


async def test_a_stream_that_ends_while_it_starts_to_follow_leaves_nothing_behind() -> None:
    """Who goes away before a follow is in force is not followed for afterwards."""
    log = GatedLog()
    async with serving(log) as service:
        table = await new_table(service)
        log.is_open.clear()
        stream = service.stub.Play(timeout=PATIENCE)
        await stream.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=table.id)))
        await until(lambda: log.waiting == 1)
        stream.cancel()
        await until(lambda: not service.host.wakers)
        log.is_open.set()
        async with asyncio.timeout(SOON):
            await until(lambda: followers_of(service, table.id) == 0)


async def test_a_command_whose_caller_went_away_is_still_whole() -> None:
    """A call that is cancelled in the middle of its append holds nobody up; what was written counts."""
    log = GatedLog()
    async with serving(log) as service:
        table = await new_table(service)
        request = await table.next_submission()
        log.is_open.clear()
        call = service.stub.SubmitCommand(request, timeout=PATIENCE)
        await until(lambda: log.waiting == 1)
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call
        await until(lambda: log.waiting == 0)
        log.is_open.set()
        assert (await table.submit(request)).version == len(await table.records())
        assert await table.play() > 0


async def test_a_deadline_ends_a_call_that_waits_for_the_log() -> None:
    """The caller hears DEADLINE_EXCEEDED, and the match goes on for others."""
    log = GatedLog()
    async with serving(log) as service:
        table = await new_table(service)
        request = await table.next_submission()
        log.is_open.clear()
        answer = await refusal(service.stub.SubmitCommand(request, timeout=0.3))
        assert answer.code is grpc.StatusCode.DEADLINE_EXCEEDED
        await until(lambda: log.waiting == 0)
        log.is_open.set()
        assert await table.play() > 0


async def test_a_log_that_does_not_answer_is_unavailable_and_comes_back(tmp_path: Path) -> None:
    """Moves, reads and new matches say UNAVAILABLE while the server is down; then all of them work again."""
    with EmbeddedServer(tmp_path, is_durable=True) as server:
        log = RedisLog(server.url, "own", patience=1.0)
        async with serving(log) as service:
            table = await new_table(service)
            request = await table.next_submission()
            server.kill()
            create = pb.CreateMatchRequest(seats=[events_pb.SeatSetup(open=events_pb.OpenSeat())] * 2)
            for call in (table.submit(request), table.view(), service.stub.CreateMatch(create, timeout=PATIENCE)):
                answer = await refusal(call)
                assert (answer.code, answer.reason) == (grpc.StatusCode.UNAVAILABLE, "LOG_UNAVAILABLE")
            await asyncio.to_thread(server.start)
            await table.submit(request)
            assert await table.play() > 0
        await log.close()


async def test_a_watcher_that_waits_for_the_log_holds_up_no_commands(tmp_path: Path) -> None:
    """While the server is down, a move of a match that somebody wants to watch is UNAVAILABLE, not stuck."""
    with EmbeddedServer(tmp_path, is_durable=True) as server:
        log = RedisLog(server.url, "own", patience=1.0)
        async with serving(log) as service:
            table = await new_table(service)
            request = await table.next_submission()
            server.kill()
            watching = service.stub.WatchMatch(pb.WatchMatchRequest(match_id=table.id), timeout=PATIENCE)
            await until(lambda: followers_of(service, table.id) == 1)
            answer = await refusal(service.stub.SubmitCommand(request, timeout=SOON))
            watching.cancel()
            assert (answer.code, answer.reason) == (grpc.StatusCode.UNAVAILABLE, "LOG_UNAVAILABLE")
        await asyncio.to_thread(server.start)
        await log.close()


async def test_an_event_that_a_cut_made_silent_reaches_the_watcher(tmp_path: Path) -> None:
    """News of an append may be lost with the connection: the watcher has it all the same, when the server is back."""
    with EmbeddedServer(tmp_path, is_durable=True) as server:
        logs = [RedisLog(server.url, "own") for _ in range(2)]
        async with serving(logs[0]) as here, serving(logs[1]) as there:
            table = await new_table(here)
            watcher = asyncio.create_task(watched(table.on(there)))
            await until(lambda: followers_of(there, table.id) == 1)
            await table.play(1)
            server.kill()
            await asyncio.to_thread(server.start)
            await table.play()
            assert await watcher == await table.history()
        for log in logs:
            await log.close()


async def test_a_match_that_waits_is_watched_until_it_starts(service: Service) -> None:
    """A watcher of a waiting match is not sent away."""
    match_id = await new_match(service)
    stream = service.stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id, after_version=1), timeout=PATIENCE)
    reading = asyncio.create_task(stream.read())
    await until(lambda: followers_of(service, match_id) == 1)
    request = pb.JoinMatchRequest(match_id=match_id, player_name="A")
    await service.stub.JoinMatch(request, timeout=PATIENCE)
    response = await reading
    assert isinstance(response, pb.WatchMatchResponse)
    assert [envelope.version for envelope in response.envelopes] == [2]
    stream.cancel()
