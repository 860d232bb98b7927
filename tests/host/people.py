"""Everybody who may come to a match with a token."""

import itertools
from dataclasses import dataclass
from typing import Any

from meydan.match.v1 import match_service_pb2 as pb
from meydan.match.v1.match_service_pb2_grpc import MatchServiceStub
from shared.access.tokens import Claims, Scope
from shared.host.access import AGENT
from shared.kernel import Seat
from shared.match.ids import new_match_id
from shared.match.model import SeatState, Stamp, Terms
from tests.access.forging import PLAYER, SEAT, STRANGER, by_hand, unsigned, written
from tests.host.service import ORGANISER, PATIENCE, TOKEN_KEY, Calling, Service, bearer, seeded_match

# Who sits where: Alice after Carol has been asked to leave, and nobody where Dave and Erin have been.
ALICE, BOB, COMPUTER, OPEN, EMPTY = map(Seat, range(5))
_SEATS = tuple(SeatState(ai_level="greedy") if seat == COMPUTER else SeatState() for seat in range(5))
# All of them call their join the same, as clients do that count.
_SAME_JOIN = "join-1"


@dataclass
class Gathering:
    """A match that has begun, in which it is Alice's turn, and the tokens of all who come to it."""

    service: Service
    id: str
    other_id: str
    tokens: dict[str, str]

    def anonymous(self) -> Any:
        """A stub without a token."""
        return MatchServiceStub(self.service.channel)

    def called_by(self, who: str) -> Any:
        """A stub with somebody's token."""
        return Calling(self.anonymous(), self.tokens[who])

    async def logs(self) -> dict[str, list[bytes]]:
        """Everything that is stored."""
        ids = await self.service.log.list_ids(None, "", 1000)
        return {match_id: list(await self.service.log.read(match_id, 0)) for match_id in ids}

    async def release(self, seat: Seat) -> None:
        """The organiser asks whoever sits there to leave."""
        request = pb.ReleaseSeatRequest(
            match_id=self.id, seat=seat, command_id=f"release-{seat}-{await self.version()}"
        )
        await self.called_by("organiser").ReleaseSeat(request, timeout=PATIENCE)

    async def join(self, name: str, seat: Seat, match_id: str = "") -> str:
        """A player takes a seat; answers its token."""
        request = pb.JoinMatchRequest(match_id=match_id or self.id, seat=seat, player_name=name, request_id=_SAME_JOIN)
        token = self.service.token(Scope.PLAYER, subject=name)
        joined: pb.JoinMatchResponse = await self.anonymous().JoinMatch(
            request, timeout=PATIENCE, metadata=bearer(token)
        )
        return joined.token

    async def finish(self) -> None:
        """Every seat is taken, and given up."""
        tokens = {ALICE: self.tokens["seat"], BOB: self.tokens["other seat"], COMPUTER: self.tokens["agent"]}
        for seat, name in ((OPEN, "frank"), (EMPTY, "grace")):
            tokens[seat] = await self.join(name, seat)
        for seat, token in tokens.items():
            request = pb.ResignMatchRequest(
                match_id=self.id, seat=pb.SeatCredential(seat=seat, token=token), command_id="give-up"
            )
            await self.anonymous().ResignMatch(request, timeout=PATIENCE)

    async def version(self) -> int:
        """Where the match is."""
        return len(await self.service.log.read(self.id, 0))

    async def a_move(self, command_id: str = "move") -> pb.SubmitCommandRequest:
        """A legal command of Alice's, without a token."""
        seat = pb.SeatCredential(seat=ALICE)
        legal = await self.called_by("seat").GetLegalCommands(
            pb.GetLegalCommandsRequest(match_id=self.id, seat=seat), timeout=PATIENCE
        )
        return pb.SubmitCommandRequest(match_id=self.id, seat=seat, command_id=command_id, text=legal.commands[0].text)


async def gathering(service: Service, *, is_public: bool) -> Gathering:
    """The match, and another one for those who come from elsewhere."""
    terms = Terms(organiser_id=ORGANISER, is_public=is_public)
    here, there = [new_match_id(service.clock.now + number * 1000) for number in range(2)]
    await seeded_match(service, _SEATS, seed=_seed(service, here), match_id=here, terms=terms)
    await seeded_match(service, _SEATS, match_id=there, terms=terms)
    who = Gathering(service, here, there, _tokens_of_people(service, here, there))
    who.tokens["seat elsewhere"] = await who.join("alice", ALICE, there)
    who.tokens["gone"] = await who.join("carol", ALICE)
    who.tokens["other seat"] = await who.join("bob", BOB)
    await who.join("dave", OPEN)
    who.tokens["left"] = await who.join("erin", EMPTY)
    for seat in (ALICE, OPEN, EMPTY):
        await who.release(seat)
    who.tokens["seat"] = await who.join("alice", ALICE)
    return who


def _tokens_of_people(service: Service, here: str, there: str) -> dict[str, str]:
    expires = service.tokens.expiry(3600)

    def spectator(match_id: str) -> str:
        return service.tokens.issue(Claims("watcher", frozenset({Scope.SPECTATOR}), expires, match_id))

    return {
        "organiser": service.token(Scope.ORGANISER, subject=ORGANISER),
        "stranger": service.token(Scope.ORGANISER, subject="another organiser"),
        "alice": service.token(Scope.PLAYER, subject="alice"),
        "carol": service.token(Scope.PLAYER, subject="carol"),
        "public": service.token(Scope.PUBLIC, subject=ORGANISER),
        "spectator": spectator(here),
        "watcher elsewhere": spectator(there),
        "agent": service.seat_token(here, COMPUTER, AGENT),
        "expired": service.seat_token(here, ALICE, _SAME_JOIN, seconds=0, subject="alice"),
        "garbage": "garbage",
        "forged": by_hand(SEAT | {"match": here, "seat": ALICE, "sub": "alice", "join": _SAME_JOIN}, STRANGER),
        "unsigned": unsigned({"alg": "none", "kid": TOKEN_KEY.public.id}, written(PLAYER)) + ".",
    }


def _seed(service: Service, match_id: str) -> bytes:
    """One with which Alice begins. Who sits at the seats is all the same to the deal."""
    host = service.host
    computers = (SeatState(ai_level="greedy"),) * len(_SEATS)

    def first(seed: bytes) -> tuple[Seat, ...]:
        created = host.lifecycle.create(
            match_id, host.game.default_options, computers, Terms(), seed, Stamp("create", service.clock.now)
        )
        return host.game.to_act(created.after.state)

    return next(seed for number in itertools.count() if first(seed := b"%d" % number) == (ALICE,))
