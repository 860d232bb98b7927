"""Standings and logs as they change, pushed to whoever watches: here, on another process, fast or slow."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from meydan.match.v1 import envelope_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import book, reading
from services.tournament.model import TieBreak
from shared.envelope import core
from shared.eventlog.memory import MemoryLog
from shared.host.messages import envelope_of
from shared.match.wire import full_name
from tests.host.service import SOON, explained, until
from tests.tournament.core.recording import plan
from tests.tournament.service.serving import Cup, Service, new_cup, over, playing, serving, started

WANTED = plan(rounds=3, tie_breaks=(TieBreak.BUCHHOLZ, TieBreak.WINS))


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service rests between two standings of an event that is watched: here every one of them is wanted."""
    monkeypatch.setattr(book, "_LEAST_REST", 0.0)
    monkeypatch.setattr(book, "_REST", 0.0)


class Follower:
    """A client that applies what it is told, and remembers what it then had at every complete version."""

    def __init__(self, service: Service, tournament_id: str) -> None:
        self.call: Any = service.public.WatchStandings(api.WatchStandingsRequest(tournament_id=tournament_id))
        self.rows: dict[int, api.StandingsRow] = {}
        self.complete: dict[int, list[api.StandingsRow]] = {}
        self.sent: dict[int, int] = {}
        self.status = api.TOURNAMENT_STATUS_UNSPECIFIED

    async def read(self) -> bool:
        """One piece; False at the end."""
        piece = await asyncio.wait_for(self.call.read(), SOON)
        if piece is grpc.aio.EOF:
            return False
        self.rows |= {row.number: row for row in piece.rows}
        self.sent[piece.version] = self.sent.get(piece.version, 0) + len(piece.rows)
        self.status = piece.status
        if piece.is_complete:
            self.complete[piece.version] = sorted(self.rows.values(), key=lambda row: (row.place, row.number))
        return True

    async def until(self, version: int) -> None:
        """Reads on until it has the standings of this version."""
        while not self.complete or max(self.complete) < version:
            assert await self.read()

    async def to_the_end(self) -> None:
        while await self.read():
            pass


async def check(follower: Follower, cup: Cup) -> None:
    """At every version that it was told complete, the client has what GetStandings says of that version."""
    for version, rows in follower.complete.items():
        asked = await cup.standings(version=version)
        assert rows == sorted(asked.rows, key=lambda row: (row.place, row.number)), version


async def test_who_applies_what_is_pushed_has_the_standings(service: Service) -> None:
    """From the registration to the end; only rows that have changed are sent, and the stream ends by itself."""
    cup = await new_cup(service, WANTED, 7)
    follower = Follower(service, cup.id)
    await follower.until((await cup.state()).version)
    await cup.start()
    await follower.until((await cup.state()).version)
    assert follower.sent[(await cup.state()).version] == 7
    for _ in range(3):
        await _one_round(cup, follower)
    await cup.pair()
    await follower.to_the_end()
    assert follower.status == api.TOURNAMENT_STATUS_FINISHED
    assert max(follower.complete) == (await cup.state()).version
    await check(follower, cup)


async def _one_round(cup: Cup, follower: Follower) -> None:
    await cup.pair()
    await cup.worker.ReportMatches(await cup.matches_request())
    for table in range(3):
        await cup.record(table)
        await follower.until((await cup.state()).version)


async def test_what_changes_no_row_is_pushed_without_rows(memory_service: Service) -> None:
    """The version moves on: the client knows that what it has is still true."""
    cup = await playing(memory_service, WANTED, 6)
    follower = Follower(memory_service, cup.id)
    await follower.until((await cup.state()).version)
    await cup.arbiter.PauseTournament(api.PauseTournamentRequest(**cup.ids))
    version = (await cup.state()).version
    await follower.until(version)
    assert follower.sent[version] == 0
    assert len(follower.rows) == 6


async def test_a_ruling_is_pushed_like_a_result(memory_service: Service) -> None:
    """And so is its being taken back, and a name that is withdrawn."""
    cup = await playing(memory_service, WANTED, 6)
    await cup.record(0)
    follower = Follower(memory_service, cup.id)
    number = await cup.rule(double_loss=pb.DoubleLoss(round=1, table=0))
    await follower.until((await cup.state()).version)
    request = api.UndoRulingRequest(**cup.ids, number=number, reason="It was not.")
    await cup.arbiter.UndoRuling(request)
    await follower.until((await cup.state()).version)
    await cup.arbiter.Withdraw(api.WithdrawRequest(**cup.ids, number=5))
    version = (await cup.state()).version
    await follower.until(version)
    assert follower.rows[5].is_withdrawn
    assert follower.sent[version] == 1
    await check(follower, cup)


async def test_who_watches_on_another_process_sees_the_same(two_services: tuple[Service, Service]) -> None:
    """What one process writes, the watchers of the other are told."""
    here, there = two_services
    cup = await started(here, WANTED, 5)
    follower, log = Follower(there, cup.id), watched(there, cup.id)
    seen = [await anext(log) for _ in range((await cup.state()).version)]
    await follower.until((await cup.state()).version)
    await cup.play_on()
    await asyncio.wait_for(follower.to_the_end(), SOON)
    seen += [one async for one in log]
    assert events(seen) == events(await cup.history())
    assert max(follower.complete) == (await cup.state()).version
    await check(follower, cup)


def events(envelopes: list[envelope_pb2.Envelope]) -> list[tuple[int, bytes]]:
    """What is in them for everybody, also before the end."""
    return [(one.version, core(envelope_of(one))) for one in envelopes]


async def watched(service: Service, tournament_id: str, after: int = 0) -> AsyncIterator[envelope_pb2.Envelope]:
    """The log, as it is pushed."""
    request = api.WatchTournamentRequest(tournament_id=tournament_id, after_version=after)
    async for piece in service.public.WatchTournament(request):
        for one in piece.envelopes:
            yield one


async def test_a_log_is_pushed_as_it_grows(service: Service) -> None:
    """Every event once, in its order, from any version on, up to the end."""
    cup = await playing(service, WANTED, 4)
    logs = [watched(service, cup.id, after) for after in (0, 3, 7)]
    firsts = [await anext(log) for log in logs]
    await cup.record(0)
    await cup.record(1)
    await cup.play_on()
    whole = await cup.history()
    for first, log, after in zip(firsts, logs, (0, 3, 7), strict=True):
        assert events([first, *[one async for one in log]]) == events(whole[after:])
    assert envelope_of(whole[-1]).type == full_name(pb.TournamentFinished)


async def test_who_is_slow_is_late_but_misses_nothing(service: Service) -> None:
    """Whoever reads nothing until the end gets every event then, and the last standings."""
    cup = await started(service, WANTED, 6)
    follower, log = Follower(service, cup.id), watched(service, cup.id)
    await follower.read()
    await anext(log)
    await cup.play_on()
    await follower.to_the_end()
    rest = [one async for one in log]
    assert events(rest) == events((await cup.history())[1:])
    assert max(follower.complete) == (await cup.state()).version
    await check(follower, cup)


async def test_long_standings_come_in_pieces(memory_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version is complete with the last of them."""
    monkeypatch.setattr(reading, "_ROWS_DEFAULT", 4)
    cup = await started(memory_service, WANTED, 10)
    call: Any = memory_service.public.WatchStandings(api.WatchStandingsRequest(tournament_id=cup.id))
    pieces = [await call.read() for _ in range(3)]
    assert [len(piece.rows) for piece in pieces] == [4, 4, 2]
    assert [piece.is_complete for piece in pieces] == [False, False, True]
    assert {piece.version for piece in pieces} == {(await cup.state()).version}
    call.cancel()


async def test_the_first_and_last_rows_of_standings_can_be_asked_for(memory_service: Service) -> None:
    """In pages of any size, which together are the whole."""
    cup = await over(memory_service, WANTED, 9)
    whole = list((await cup.standings()).rows)
    pages = [(await cup.standings(first_row=first, limit=2)).rows for first in range(0, 10, 2)]
    assert [row for page in pages for row in page] == whole
    assert [row.place for row in whole] == sorted(row.place for row in whole)
    beyond = await cup.standings(first_row=2**32 - 1)
    assert (list(beyond.rows), beyond.row_count) == ([], 9)
    assert all(row.reason for row in whole[:-1])
    assert not whole[-1].reason


async def test_standings_are_not_sent_again_without_news(memory_service: Service) -> None:
    """Who is woken up for nothing tells nothing: each piece has a version of its own."""
    cup = await playing(memory_service, WANTED, 4)
    call: Any = memory_service.public.WatchStandings(api.WatchStandingsRequest(tournament_id=cup.id))
    first = await asyncio.wait_for(call.read(), SOON)
    for wake in list(memory_service.host.wakers):
        wake()
    await cup.record(0)
    assert (await asyncio.wait_for(call.read(), SOON)).version == first.version + 1
    call.cancel()


async def test_nothing_is_left_of_who_went_away(memory_service: Service) -> None:
    """Neither in the list of followers, nor in what wakes them up, nor in the count of streams."""
    cup = await started(memory_service, WANTED, 4)
    live = await memory_service.host.get(cup.id)
    for _ in range(3):
        follower = Follower(memory_service, cup.id)
        log: Any = memory_service.public.WatchTournament(api.WatchTournamentRequest(tournament_id=cup.id))
        await follower.read()
        await log.read()
        follower.call.cancel()
        log.cancel()
    await until(lambda: not live.followers and not memory_service.host.wakers)
    ended = Follower(memory_service, cup.id)
    await ended.read()
    await cup.play_on()
    await ended.to_the_end()
    await until(lambda: not live.followers and not memory_service.host.wakers)


async def test_a_process_that_stops_tells_its_watchers() -> None:
    """They go on with another one, from where they are."""
    async with serving(MemoryLog()) as service:
        cup = await playing(service, WANTED, 4)
        follower, log = Follower(service, cup.id), watched(service, cup.id)
        await follower.read()
        for _ in range((await cup.state()).version):
            await anext(log)
        service.host.stop()
        for reading_on in (follower.to_the_end(), anext(log)):
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await asyncio.wait_for(reading_on, SOON)
            assert (error.value.code(), explained(error.value).reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")


async def test_standings_are_worked_out_once_for_all_who_ask() -> None:
    """At one version, however many watch and ask at the same time."""
    async with serving(MemoryLog()) as service:
        cup = await playing(service, WANTED, 6)
        await cup.record(0)
        counted = 0
        plain = book.standings_rows

        def counting(tournament: Any) -> Any:
            nonlocal counted
            counted += 1
            return plain(tournament)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(book, "standings_rows", counting)
            answers = await asyncio.gather(*[cup.standings() for _ in range(20)])
        assert len({answer.SerializeToString() for answer in answers}) == 1
        assert counted == 1
