"""Who may do what with a tournament: every call, with every token."""

from dataclasses import dataclass
from typing import Any

import grpc
import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from shared.access.tokens import Claims, Scope
from shared.eventlog.memory import MemoryLog
from shared.host.messages import envelope_of
from shared.kernel import Seat
from tests.host.service import UNKNOWN_MATCH, StillClock, explained, refusal
from tests.tournament.core.recording import plan
from tests.tournament.service.serving import (
    METHODS,
    ORGANISER,
    STREAMS,
    Cup,
    Service,
    new_cup,
    people,
    playing,
    serving,
)

DOOR = {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED}
# Tokens that open nothing at all.
NOBODY = {
    "no token": "NO_TOKEN",
    "garbage": "BAD_TOKEN",
    "expired": "TOKEN_EXPIRED",
    "foreign tournament": "BAD_TOKEN",
    "foreign arbiter": "BAD_TOKEN",
    "foreign worker": "BAD_TOKEN",
    "unbound arbiter": "BAD_TOKEN",
    "unbound worker": "BAD_TOKEN",
}
ANYBODY = (
    "organiser",
    "other organiser",
    "foreign organiser",
    "arbiter",
    "other arbiter",
    "player",
    "other player",
    "foreign player",
    "public",
    "spectator",
    "seat",
    "worker",
    "other worker",
)
ORGANISERS = ("organiser", "foreign organiser")
ARBITERS = (*ORGANISERS, "arbiter")
# Who gets past the door.
MAY = {
    "CreateTournament": (*ORGANISERS, "other organiser"),
    "ImportTournament": (*ORGANISERS, "other organiser"),
    "RegisterEntrants": (*ORGANISERS, "player", "other player", "foreign player"),
    "CheckIn": (*ARBITERS, "player", "foreign player"),
    "Withdraw": (*ARBITERS, "player", "foreign player"),
    "Return": (*ARBITERS, "player", "foreign player"),
    "StartTournament": ORGANISERS,
    "LayDownPairs": ARBITERS,
    "MakeRuling": ARBITERS,
    "UndoRuling": ARBITERS,
    "PauseTournament": ARBITERS,
    "ResumeTournament": ARBITERS,
    "FinishTournament": ORGANISERS,
    "IssueArbiterToken": ORGANISERS,
    "SubmitRound": ("worker",),
    "ReportMatches": ("worker",),
    "RecordResult": ("worker",),
}
# Even without a token.
OPEN = ("ListKeys",)


def tokens_of_everybody(service: Service, cup: Cup, other: Cup) -> dict[str, str]:
    """Player 0 is the one whose entry is asked about."""
    seat = Claims("player-0", frozenset({Scope.SEAT}), service.tokens.expiry(60), cup.id, Seat(0), "join")
    return {
        "no token": "",
        "garbage": "garbage",
        "expired": service.token(Scope.ORGANISER, ORGANISER, seconds=0),
        "foreign tournament": service.foreign(f"tournament/{cup.id}"),
        "foreign arbiter": service.foreign("somebody", "arbiter"),
        "foreign worker": service.foreign("somebody", "worker"),
        "unbound arbiter": service.token(Scope.ARBITER, "somebody"),
        "unbound worker": service.token(Scope.WORKER, "somebody"),
        "organiser": service.token(Scope.ORGANISER, ORGANISER),
        "other organiser": service.token(Scope.ORGANISER, "another organiser"),
        "foreign organiser": service.foreign(ORGANISER),
        "arbiter": service.token(Scope.ARBITER, "somebody", cup.id),
        "other arbiter": service.token(Scope.ARBITER, ORGANISER, other.id),
        "player": service.token(Scope.PLAYER, "player-0"),
        "other player": service.token(Scope.PLAYER, "player-1"),
        "foreign player": service.foreign("player-0", "player"),
        "public": service.token(Scope.PUBLIC, ORGANISER),
        "spectator": service.token(Scope.SPECTATOR, ORGANISER, cup.id),
        "seat": service.tokens.issue(seat),
        "worker": service.token(Scope.WORKER, ORGANISER, cup.id),
        "other worker": service.token(Scope.WORKER, ORGANISER, other.id),
    }


@dataclass
class Scene:
    """Two tournaments, and everybody's tokens."""

    service: Service
    cup: Cup
    tokens: dict[str, str]

    async def call(self, method: str, who: str, tournament_id: str = "") -> tuple[grpc.StatusCode, str]:
        """How a call ends that nobody past the door can be granted: there is something wrong with it."""
        request = getattr(api, f"{method}Request")()
        if "tournament_id" in request.DESCRIPTOR.fields_by_name:
            request.tournament_id = tournament_id or ("" if method == "CreateTournament" else self.cup.id)
        if method == "RegisterEntrants":
            request.entrants.add(name="nobody", ai_level="no level")
        call = getattr(self.service.stub(self.tokens[who]), method)(request)
        try:
            if method in STREAMS:
                await call.read()
                call.cancel()
            else:
                await call
        except grpc.aio.AioRpcError as error:
            return error.code(), explained(error).reason
        return grpc.StatusCode.OK, ""

    async def logs(self) -> list[list[bytes]]:
        """Everything that is stored."""
        ids = await self.service.log.list_ids(None, "", 100)
        return [list(await self.service.log.read(one, 0)) for one in ids]


@pytest.mark.parametrize("method", METHODS)
async def test_a_call_is_for_who_may(method: str) -> None:
    """Whoever may not is told that, and nothing else, and nothing changes; whoever may is told what is wrong."""
    async with serving(MemoryLog()) as service:
        cup, other = await playing(service), await new_cup(service)
        scene = Scene(service, cup, tokens_of_everybody(service, cup, other))
        before = await scene.logs()
        assert set(scene.tokens) == {*NOBODY, *ANYBODY}
        for who in scene.tokens:
            code, reason = await scene.call(method, who)
            may = method in OPEN or who in MAY.get(method, ANYBODY)
            assert (code not in DOOR) == may, (who, code, reason)
            if who in NOBODY and method not in OPEN:
                assert (code, reason) == (grpc.StatusCode.UNAUTHENTICATED, NOBODY[who])
            elif not may:
                assert code is grpc.StatusCode.PERMISSION_DENIED
        assert await scene.logs() == before


@pytest.mark.parametrize("method", [method for method in METHODS if method not in OPEN])
async def test_nobody_without_a_token_hears_what_there_is(method: str) -> None:
    """The answer is the same whether there is such a tournament or not."""
    async with serving(MemoryLog()) as service:
        cup, other = await new_cup(service), await new_cup(service)
        scene = Scene(service, cup, tokens_of_everybody(service, cup, other))
        for who in NOBODY:
            assert await scene.call(method, who, UNKNOWN_MATCH) == await scene.call(method, who)


def test_every_call_has_a_line() -> None:
    """A new one is for anybody with a token until somebody thinks about it."""
    looking = {"GetTournament", "ListTournaments", "GetRound", "GetStandings", "WatchStandings", "ExplainPairing"}
    looking |= {"GetHistory", "WatchTournament", "ExportTournament"}
    assert set(METHODS) == set(MAY) | set(OPEN) | looking


async def test_an_arbiter_rules_over_one_tournament(memory_service: Service) -> None:
    """A token that the organiser asked for opens the one that it was asked for, in the arbiter's name."""
    here, there = await playing(memory_service), await playing(memory_service)
    request = api.IssueArbiterTokenRequest(tournament_id=here.id, arbiter_id="Ann")
    issued = await memory_service.organiser.IssueArbiterToken(request)
    ann = memory_service.stub(issued.token)
    ruling = pb.Ruling(double_loss=pb.DoubleLoss(round=1, table=0))
    await ann.MakeRuling(api.MakeRulingRequest(**here.ids, ruling=ruling, reason="Both."))
    elsewhere = await refusal(ann.MakeRuling(api.MakeRulingRequest(**there.ids, ruling=ruling, reason="Both.")))
    assert (elsewhere.code, elsewhere.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_TOURNAMENT")
    made = pb.RulingMade.FromString(envelope_of((await here.history())[-1]).public)
    assert (made.arbiter_id, made.number) == ("Ann", 1)
    memory_service.clock.now = issued.expires_micros
    late = await refusal(ann.PauseTournament(api.PauseTournamentRequest(**here.ids)))
    assert late.reason == "TOKEN_EXPIRED"


async def test_a_player_is_nobody_else(memory_service: Service) -> None:
    """Neither at the registration, nor later; and gives themselves no rating."""
    cup = await new_cup(memory_service, entrants=2)
    mallory = memory_service.player("mallory")
    others = [
        [pb.Entrant(name="M", player_id="alice")],
        [pb.Entrant(name="M", rating=3000)],
        [pb.Entrant(name="M", ai_level="greedy")],
        [pb.Entrant(name="M"), pb.Entrant(name="N")],
    ]
    for entrants in others:
        refused = await refusal(mallory.RegisterEntrants(api.RegisterEntrantsRequest(**cup.ids, entrants=entrants)))
        assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED")
    for call in (mallory.CheckIn(api.CheckInRequest(**cup.ids)), mallory.Withdraw(api.WithdrawRequest(**cup.ids))):
        assert (await refusal(call)).reason == "NOT_YOUR_ENTRY"
    assert len((await cup.state()).entrants) == 2
    assert (await cup.state()).version == 3


async def test_the_token_of_a_worker_of_another_tournament_opens_nothing(memory_service: Service) -> None:
    """Though it is the platform's own."""
    here, there = await playing(memory_service), await playing(memory_service)
    request = await here.result_request(0)
    assert (await refusal(there.worker.RecordResult(request))).reason == "NOT_YOUR_TOURNAMENT"
    request.tournament_id = there.id
    assert (await refusal(there.worker.RecordResult(request))).reason == "NOT_OF_THIS_TOURNAMENT"
    assert (await here.state()).results == (await there.state()).results == 0


async def test_a_stream_ends_with_its_token() -> None:
    """At the next event, not at the next opening."""
    clock = StillClock()
    async with serving(MemoryLog(), clock) as service:
        cup = await new_cup(service, plan(), 2)
        short = service.stub(service.token(Scope.PUBLIC, "anybody", seconds=10))
        for call in (
            short.WatchTournament(api.WatchTournamentRequest(tournament_id=cup.id)),
            short.WatchStandings(api.WatchStandingsRequest(tournament_id=cup.id)),
        ):
            await call.read()
            clock.now += 11_000_000
            request = api.RegisterEntrantsRequest(**cup.ids, entrants=people(1, 5 + cup.sent))
            await service.organiser.RegisterEntrants(request)
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await _read_to_the_end(call)
            assert explained(error.value).reason == "TOKEN_EXPIRED"
            clock.now -= 11_000_000


async def _read_to_the_end(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass
