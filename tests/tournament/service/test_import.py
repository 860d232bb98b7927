"""A tournament that was exported comes back as it was: event by event, hash by hash, over and with nothing to do."""

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import grpc
import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import book, messages, verify
from shared.access.tokens import Scope
from shared.envelope import Envelope, pack
from shared.eventlog.memory import MemoryLog
from shared.eventlog.redis_log import RedisLog
from shared.eventlog.store import Answer, Append, EventLog, LogUnavailable
from shared.host.messages import envelope_of
from shared.match.model import Status
from tests.host.service import PATIENCE, refusal
from tests.tournament.core.recording import ORGANISER, TOURNAMENT_ID
from tests.tournament.service.importing import KEY, OTHER_KEY, Platform, cup, file_of, platform

CUP = cup()
FILE = file_of(CUP.envelopes)


@pytest.fixture(params=["memory", "redis"])
async def log(request: pytest.FixtureRequest, open_redis_log: Callable[[], RedisLog]) -> EventLog:
    """Each kind of log."""
    return open_redis_log() if request.param == "redis" else MemoryLog()


async def test_it_is_here_as_it_was(log: EventLog) -> None:
    """The stored bytes, what they lead to, and what clients are shown of them."""
    async with platform(log) as here:
        answer = await here.take(FILE)
        assert answer.tournament_id == TOURNAMENT_ID
        assert answer.acknowledgement.version == len(CUP.envelopes)
        assert answer.acknowledgement.receipt.hash == CUP.tournament.head
        assert await here.stored() == {TOURNAMENT_ID: list(map(pack, CUP.envelopes))}
        summary = await here.stub.GetTournament(api.GetTournamentRequest(tournament_id=TOURNAMENT_ID))
        assert summary.tournament == book.summary(CUP.tournament)
        standings = await here.stub.GetStandings(api.GetStandingsRequest(tournament_id=TOURNAMENT_ID))
        assert list(standings.rows) == book.standings_rows(CUP.tournament)
        assert await history(here) == CUP.envelopes


async def history(here: Platform) -> list[Envelope]:
    """The log as everybody sees it after the end."""
    request = api.GetHistoryRequest(tournament_id=TOURNAMENT_ID, limit=5000)
    return list(map(envelope_of, (await here.stub.GetHistory(request, timeout=PATIENCE)).envelopes))


async def test_what_was_is_shown_and_explained() -> None:
    """The standings of an earlier version, and why two met."""
    async with platform(MemoryLog()) as here:
        await here.take(FILE)
        after_one = CUP.tournament.rounds[1].version - 1
        request = api.GetStandingsRequest(tournament_id=TOURNAMENT_ID, version=after_one)
        assert list((await here.stub.GetStandings(request)).rows) == book.standings_rows(CUP.folded(after_one))
        why = api.ExplainPairingRequest(tournament_id=TOURNAMENT_ID, round=2, number=0)
        sentences = (await here.stub.ExplainPairing(why, timeout=PATIENCE)).sentences
        assert any(CUP.tournament.entrants[CUP.tournament.order[0]].name in sentence for sentence in sentences)


async def test_what_is_exported_again_is_the_same_to_the_byte(log: EventLog) -> None:
    """All but the head, which is signed by whoever exports it."""
    async with platform(log) as here:
        await here.take(FILE)
        exported = await here.exported()
    assert exported.splitlines()[1:] == FILE.splitlines()[1:]
    audited = verify.audited(exported.decode().splitlines(keepends=True), {KEY.public.id: KEY.public})
    assert audited.tournament == CUP.tournament


async def test_of_another_platform_it_is_taken_if_its_key_is_trusted(tmp_path: Path) -> None:
    """And vouched for with the own key from there on."""
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({OTHER_KEY.public.id: OTHER_KEY.public.data.hex()}))
    foreign = file_of(CUP.envelopes, OTHER_KEY)
    async with platform(MemoryLog(), import_keys=keys) as here:
        await here.take(foreign)
        head, *lines = (await here.exported()).splitlines()
    assert json.loads(head)["head"]["key_id"] == KEY.public.id
    assert lines == foreign.splitlines()[1:]


async def test_the_same_file_again_gets_the_same_answer(log: EventLog) -> None:
    """Compressed or not, in this process or another."""
    async with platform(log) as here:
        first = await here.take(FILE)
        stored = await here.stored()
        assert await here.take(gzip.compress(FILE)) == first
        async with platform(log) as there:
            assert await there.take(FILE) == first
        assert await here.stored() == stored


async def test_where_it_was_played_it_is_here_already(log: EventLog) -> None:
    """Its events were written by the commands that led to them."""
    await write_piece_by_piece(log, CUP.envelopes)
    async with platform(log) as here:
        stored = await here.stored()
        answer = await here.take(FILE)
        assert (answer.acknowledgement.first_version, answer.acknowledgement.version) == (1, len(CUP.envelopes))
        assert answer.acknowledgement.receipt.hash == CUP.tournament.head
        assert await here.stored() == stored


async def write_piece_by_piece(log: EventLog, envelopes: Sequence[Envelope]) -> None:
    """A log as commands have written it."""
    for envelope in envelopes:
        status = Status.FINISHED if envelope.version == len(envelopes) else Status.PLAYING
        records = (pack(envelope),)
        await log.append(Append(TOURNAMENT_ID, envelope.version - 1, records, f"c-{envelope.version}", b"d", status))


@pytest.mark.parametrize("missing", [0, 3])
async def test_another_log_of_that_name_stays(log: EventLog, missing: int) -> None:
    """One that is as long, and one that is not over yet."""
    other = CUP if missing else cup(seed=b"another seed".ljust(32))
    assert len(other.envelopes) == len(CUP.envelopes)
    await write_piece_by_piece(log, other.envelopes[: len(other.envelopes) - missing])
    async with platform(log) as here:
        stored = await here.stored()
        answer = await refusal(here.take(FILE))
        assert (answer.code, answer.reason) == (grpc.StatusCode.ALREADY_EXISTS, "ANOTHER_LOG")
        assert await here.stored() == stored


async def test_another_file_of_that_name_is_refused(log: EventLog) -> None:
    """The first one is what it is."""
    async with platform(log) as here:
        await here.take(FILE)
        stored = await here.stored()
        answer = await refusal(here.take(file_of(cup(people=5).envelopes)))
        assert (answer.code, answer.reason) == (grpc.StatusCode.ALREADY_EXISTS, "ANOTHER_LOG")
        assert await here.stored() == stored


async def test_it_is_over_and_nothing_is_to_be_done(log: EventLog) -> None:
    """No work waits, nothing is due, and it does not count for its organiser."""
    async with platform(log) as here:
        await here.take(FILE)
    assert [await log.list_ids(status, "", 9) for status in Status] == [
        [TOURNAMENT_ID] if status is Status.FINISHED else [] for status in Status
    ]
    assert await log.due(1 << 60, 9) == []
    assert await log.open_matches(ORGANISER) == 0
    if isinstance(log, MemoryLog):
        assert log.waiting_work(TOURNAMENT_ID) == ()


async def test_it_does_not_go_on() -> None:
    """Nobody registers any more, and nobody makes another of that name."""
    async with platform(MemoryLog()) as here:
        await here.take(FILE)
        register = api.RegisterEntrantsRequest(tournament_id=TOURNAMENT_ID, command_id="late")
        register.entrants.append(pb.Entrant(name="Zoe"))
        create = api.CreateTournamentRequest(
            tournament_id=TOURNAMENT_ID, plan=messages.plan_message(CUP.tournament.plan)
        )
        player = here.called_by(Scope.PLAYER)
        assert (await refusal(player.RegisterEntrants(register))).reason == "TOURNAMENT_OVER"
        assert (await refusal(here.stub.CreateTournament(create))).code is grpc.StatusCode.ALREADY_EXISTS


class Fragile(MemoryLog):
    """A log that writes, and then is away before it can say so: once."""

    is_away = False

    async def append(self, entry: Append) -> Answer:
        answer = await super().append(entry)
        if not self.is_away:
            self.is_away = True
            raise LogUnavailable("it is away")
        return answer


async def test_whoever_did_not_get_the_answer_asks_again() -> None:
    """What was written is whole: there is one append."""
    async with platform(Fragile()) as here:
        assert (await refusal(here.take(FILE))).code is grpc.StatusCode.UNAVAILABLE
        assert await here.stored() == {TOURNAMENT_ID: list(map(pack, CUP.envelopes))}
        assert (await here.take(FILE)).acknowledgement.version == len(CUP.envelopes)
