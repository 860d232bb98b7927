"""Every call of the tournament service, once for what it is for."""

import pytest

from meydan.match.v1.match_service_pb2 import Acknowledgement
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import rounds, verify
from services.tournament.model import System, TieBreak
from services.tournament.wire import EVENTS
from shared.eventlog.memory import MemoryLog
from shared.eventlog.store import PAIR_ROUND, START_MATCHES
from shared.host.messages import envelope_of
from shared.match.wire import full_name
from shared.proof.heads import SignedHead
from tests.host.service import SIGNING_KEY, StillClock
from tests.tournament.core.recording import ahead, plan
from tests.tournament.service.serving import (
    ARBITER,
    METHODS,
    ORGANISER,
    Cup,
    Service,
    new_cup,
    over,
    people,
    playing,
    serving,
    started,
)

KEYS = {SIGNING_KEY.public.id: SIGNING_KEY.public}


async def test_a_tournament_from_its_creation_to_its_end(service: Service) -> None:
    """By every call that there is; what comes out is verified whole."""
    cup = await new_cup(service, plan(rounds=2, needs_check_in=True, fill_level="random", fill_to=6, late_until=1))
    await _before_the_start(cup)
    await cup.start()
    await _first_round(cup)
    await _ask_about(cup)
    await cup.play()
    await service.organiser.FinishTournament(api.FinishTournamentRequest(**cup.ids))
    state = await cup.state()
    assert state.places == rounds.final_places(state)
    await _watch_to_the_end(cup)
    lines = (await exported(cup)).splitlines(keepends=True)
    assert verify.audited(lines, KEYS).tournament == state
    assert service.called == set(METHODS) - {"ImportTournament"}


async def _before_the_start(cup: Cup) -> None:
    organiser, service = service_of(cup).organiser, service_of(cup)
    await organiser.RegisterEntrants(api.RegisterEntrantsRequest(**cup.ids, entrants=people(4)))
    one = api.RegisterEntrantsRequest(**cup.ids, entrants=[pb.Entrant(name="Eve", entropy=b"chance")])
    assert (await service.player("eve").RegisterEntrants(one)).number == 4
    await service.player("eve").CheckIn(api.CheckInRequest(**cup.ids, number=4))
    for number in range(4):
        await cup.arbiter.CheckIn(api.CheckInRequest(**cup.ids, number=number))
    await service.player("player-3").Withdraw(api.WithdrawRequest(**cup.ids, number=3))
    await service.player("player-3").Return(api.ReturnRequest(**cup.ids, number=3))
    pairs = pb.PairsLaidDown(forbidden=[pb.Pair(one=0, other=1)], forced=[pb.Pair(one=2, other=3)])
    await cup.arbiter.LayDownPairs(api.LayDownPairsRequest(**cup.ids, pairs=pairs))


def service_of(cup: Cup) -> Service:
    return cup.service


async def _first_round(cup: Cup) -> None:
    await cup.pair()
    await cup.worker.ReportMatches(await cup.matches_request())
    await cup.arbiter.PauseTournament(api.PauseTournamentRequest(**cup.ids))
    await cup.record(0)
    number = await cup.rule(forfeit=pb.Forfeit(round=1, table=0, seats=[0]))
    await cup.arbiter.UndoRuling(api.UndoRulingRequest(**cup.ids, number=number, reason="They were there."))
    await cup.arbiter.ResumeTournament(api.ResumeTournamentRequest(**cup.ids))
    for table in (1, 2):
        await cup.record(table)


async def _ask_about(cup: Cup) -> None:
    public, service = cup.service.public, cup.service
    summary = (await public.GetTournament(api.GetTournamentRequest(tournament_id=cup.id))).tournament
    assert (summary.entrants, summary.round, summary.rounds, summary.open_tables) == (6, 1, 2, 0)
    assert (summary.status, summary.organiser_id) == (api.TOURNAMENT_STATUS_RUNNING, ORGANISER)
    listed = await public.ListTournaments(api.ListTournamentsRequest())
    assert [one.tournament_id for one in listed.tournaments] == [cup.id]
    table = (await public.GetRound(api.GetRoundRequest(tournament_id=cup.id, round=1))).tables[0]
    assert table.status == api.TABLE_STATUS_OVER
    assert set(table.names) <= {"P0", "P1", "P2", "P3", "Eve", "random 6"}
    assert (await cup.standings()).row_count == 6
    explained = await public.ExplainPairing(api.ExplainPairingRequest(tournament_id=cup.id, round=1, number=2))
    assert any("P3" in sentence for sentence in explained.sentences)
    keys = await public.ListKeys(api.ListKeysRequest())
    assert [key.key for key in keys.keys] == [SIGNING_KEY.public.data]
    request = api.IssueArbiterTokenRequest(tournament_id=cup.id, arbiter_id=ARBITER)
    issued = await service.organiser.IssueArbiterToken(request)
    await service.stub(issued.token).PauseTournament(api.PauseTournamentRequest(**cup.ids))
    await service.stub(issued.token).ResumeTournament(api.ResumeTournamentRequest(**cup.ids))


async def _watch_to_the_end(cup: Cup) -> None:
    history = await cup.history()
    watched = cup.service.public.WatchTournament(api.WatchTournamentRequest(tournament_id=cup.id))
    assert [one async for piece in watched for one in piece.envelopes] == history
    pieces = cup.service.public.WatchStandings(api.WatchStandingsRequest(tournament_id=cup.id))
    assert [row async for piece in pieces for row in piece.rows] == list((await cup.standings()).rows)


async def exported(cup: Cup) -> str:
    """The file of a tournament."""
    pieces = cup.service.public.ExportTournament(api.ExportTournamentRequest(tournament_id=cup.id))
    return b"".join([piece.piece async for piece in pieces]).decode()


async def test_an_exported_file_is_the_history(memory_service: Service) -> None:
    """Before the end without what is secret, after it with everything; and it can be verified at any time."""
    cup = await playing(memory_service)
    found = verify.audited((await exported(cup)).splitlines(keepends=True), KEYS)
    assert list(found.envelopes) == [envelope_of(one) for one in await cup.history()]
    assert found.tournament.version == (await cup.state()).version
    for table in range(2):
        await cup.record(table)
    await cup.play_on()
    assert verify.audited((await exported(cup)).splitlines(keepends=True), KEYS).tournament == await cup.state()


async def test_a_receipt_vouches_for_the_log_up_to_its_command(memory_service: Service) -> None:
    """Signed by the platform, with the hash that the next envelope links to."""
    cup = await new_cup(memory_service)
    request = api.RegisterEntrantsRequest(**cup.ids, entrants=people(3))
    answer: Acknowledgement = (await memory_service.organiser.RegisterEntrants(request)).acknowledgement
    await cup.start()
    receipt = answer.receipt
    signed = SignedHead(receipt.match_id, receipt.version, receipt.hash, receipt.key_id, receipt.signature)
    assert signed.is_signed_by(SIGNING_KEY.public)
    assert (answer.first_version, answer.version, receipt.match_id) == (2, 4, cup.id)
    assert (await cup.history())[4].previous_hash == receipt.hash


async def test_what_workers_must_do_waits_in_the_outbox() -> None:
    """From the start to the end; nothing is left after it."""
    log = MemoryLog()
    async with serving(log) as service:
        cup = await new_cup(service, plan(rounds=1), 4)

        def kinds() -> list[str]:
            return [work.kind for work in log.waiting_work(cup.id)]

        assert kinds() == []
        await cup.start()
        assert kinds() == [PAIR_ROUND]
        await cup.pair()
        assert kinds() == [START_MATCHES]
        await cup.worker.ReportMatches(await cup.matches_request())
        assert kinds() == []
        await cup.record(0)
        assert kinds() == []
        await cup.record(1)
        assert kinds() == [PAIR_ROUND]
        await cup.pair()
        assert kinds() == []


async def test_the_sweep_closes_an_arena(service: Service) -> None:
    """At its time; then the tables that are played are waited for, and it ends."""
    cup = await playing(service, plan(System.ARENA, arena_seconds=60))
    await service.sweep()
    assert not (await cup.state()).is_closed
    service.clock.now += 61_000_000
    await service.sweep()
    await service.sweep()
    state = await cup.state()
    assert state.is_closed
    for table in range(2):
        await cup.record(table)
    await cup.pair()
    types = [envelope_of(one).type for one in await cup.history()]
    assert types.count(full_name(pb.ArenaClosed)) == 1
    assert types[-1] == full_name(pb.TournamentFinished)


async def test_what_no_entrant_sees_is_not_there_before_the_start(memory_service: Service) -> None:
    """A tournament that is open has no standings and no rounds."""
    cup = await new_cup(memory_service, entrants=3)
    assert (await cup.standings()).row_count == 0
    summary = (await memory_service.public.GetTournament(api.GetTournamentRequest(tournament_id=cup.id))).tournament
    assert (summary.status, summary.entrants) == (api.TOURNAMENT_STATUS_REGISTERING, 3)
    assert (summary.round, summary.rounds) == (0, 3)


async def test_standings_are_those_of_any_version(memory_service: Service) -> None:
    """What they were then is what the log up to there leads to."""
    cup = await started(memory_service, plan(rounds=2, tie_breaks=(TieBreak.BUCHHOLZ,)), 5)
    seen = [await cup.standings()]
    while not rounds.is_over(await cup.state()):
        await cup.play()
        seen.append(await cup.standings())
    for known in seen:
        assert await cup.standings(version=known.version) == known
    assert len({known.SerializeToString() for known in seen}) == len(seen)


async def test_a_round_shows_what_has_become_of_its_tables(memory_service: Service) -> None:
    """Paired, played, over, annulled; with the ruling that counts, forfeits, and byes with the last piece."""
    cup = await started(memory_service, entrants=9)
    await cup.pair()
    request = await cup.matches_request()
    del request.started.matches[0]
    await cup.worker.ReportMatches(request)
    await cup.record(2)
    annulled = await cup.rule(annulment=pb.Annulment(round=1, table=3))
    forfeited = await cup.rule(forfeit=pb.Forfeit(round=1, table=2, seats=[0]))
    ask = api.GetRoundRequest(tournament_id=cup.id)
    answer = await memory_service.public.GetRound(ask)
    assert [table.status for table in answer.tables] == [1, 2, 3, 4]
    assert [table.ruling for table in answer.tables] == [0, 0, forfeited, annulled]
    assert list(answer.tables[2].forfeits) == [0]
    assert list(answer.tables[2].places) == ahead([1], [0])
    assert len(answer.byes) == 1
    assert answer.certificate.criteria
    assert not answer.certificate.HasField("proof")
    pieces = [
        await memory_service.public.GetRound(api.GetRoundRequest(tournament_id=cup.id, first_table=at, limit=3))
        for at in (0, 3)
    ]
    assert [table for piece in pieces for table in piece.tables] == list(answer.tables)
    assert [list(piece.byes) for piece in pieces] == [[], list(answer.byes)]


async def test_lists_come_in_pages(service: Service) -> None:
    """The newest first, each once, by status or all."""
    made = []
    for _ in range(5):
        service.clock.now += 1_000_000
        made.append((await new_cup(service, entrants=2)).id)
    for tournament_id in made[:2]:
        await Cup(service, tournament_id, 10).start()
    assert await listed(service, 2, api.TOURNAMENT_STATUS_UNSPECIFIED) == made[::-1]
    assert await listed(service, 1, api.TOURNAMENT_STATUS_RUNNING) == made[1::-1]
    assert await listed(service, 100, api.TOURNAMENT_STATUS_REGISTERING) == made[:1:-1]
    assert await listed(service, 0, api.TOURNAMENT_STATUS_FINISHED) == []


async def listed(service: Service, size: int, status: api.TournamentStatus.ValueType) -> list[str]:
    """The ids of all pages."""
    found: list[str] = []
    token = ""
    while True:
        request = api.ListTournamentsRequest(page_size=size, page_token=token, status=status)
        page = await service.public.ListTournaments(request)
        assert size == 0 or len(page.tournaments) <= size
        found += [one.tournament_id for one in page.tournaments]
        token = page.next_page_token
        if not token:
            return found


@pytest.mark.parametrize("limit", [1, 3, 0])
async def test_history_comes_in_pages(service: Service, limit: int) -> None:
    """Of any size, in order, to the end and no further."""
    cup = await over(service)
    whole = await cup.history()
    found: list[object] = []
    while True:
        request = api.GetHistoryRequest(tournament_id=cup.id, after_version=len(found), limit=limit)
        page = await service.public.GetHistory(request)
        assert page.current_version == len(whole)
        if not page.envelopes:
            break
        found.extend(page.envelopes)
    assert found == whole
    assert envelope_of(whole[0]).type == full_name(EVENTS[0])
    beyond = api.GetHistoryRequest(tournament_id=cup.id, after_version=2**64 - 1)
    assert not (await service.public.GetHistory(beyond)).envelopes


async def test_a_tournament_that_was_not_asked_for_in_a_while_is_loaded_again() -> None:
    """What is kept in memory is not the truth."""
    async with serving(MemoryLog(), StillClock(), live_matches=1) as service:
        cups = [await playing(service) for _ in range(3)]
        for cup in cups:
            await cup.record(0)
        assert [(await cup.state()).results for cup in cups] == [1, 1, 1]
