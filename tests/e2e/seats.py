"""People at a table, for tests that run the whole platform: they only use what any client can use."""

import itertools
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import grpc

from meydan.match.v1 import envelope_pb2, match_service_pb2, match_service_pb2_grpc
from services.launcher import Launcher
from shared.envelope import hash_of
from shared.host.messages import envelope_of
from shared.proof.heads import SignedHead
from shared.proof.keys import PublicKey

PATIENCE = 60.0
# A service that stops may cancel a call that it has not begun.
_TRY_AGAIN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)


@dataclass
class Table:
    """A client of one or more processes that serve the same matches. A failed call goes to the next one, unchanged."""

    addresses: Sequence[str]
    # Of an organiser and player.
    token: str
    connect: Callable[[str], grpc.Channel] = grpc.insecure_channel
    stubs: "Iterator[match_service_pb2_grpc.MatchServiceStub]" = field(init=False)
    acknowledged: dict[str, match_service_pb2.Acknowledgement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        channels = map(self.connect, self.addresses)
        self.stubs = itertools.cycle([match_service_pb2_grpc.MatchServiceStub(channel) for channel in channels])

    @classmethod
    def of(cls, platform: Launcher) -> "Table":
        """At the Domino service of a platform."""
        return cls([platform.addresses["domino"]], platform.development_token())

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What every call has with it."""
        return (("authorization", f"Bearer {self.token}"),)

    def call(self, method: str, request: object) -> object:
        """The answer; a service that is away is asked again, in the very same words."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return getattr(next(self.stubs), method)(request, timeout=5.0, metadata=self.metadata)
            except grpc.RpcError as error:
                if error.code() not in _TRY_AGAIN or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def create(self, *levels: str) -> str:
        """A match; an empty level is an open seat."""
        seats = [
            envelope_pb2.SeatSetup(ai=envelope_pb2.AiSeat(level=level))
            if level
            else envelope_pb2.SeatSetup(open=envelope_pb2.OpenSeat())
            for level in levels
        ]
        answer = self.call("CreateMatch", match_service_pb2.CreateMatchRequest(seats=seats))
        assert isinstance(answer, match_service_pb2.CreateMatchResponse)
        return answer.match_id

    def join(self, match_id: str, seat: int) -> match_service_pb2.SeatCredential:
        """Takes a seat."""
        request = match_service_pb2.JoinMatchRequest(
            match_id=match_id, seat=seat, player_name=f"player {seat}", request_id=f"join-{match_id[:20]}-{seat}"
        )
        answer = self.call("JoinMatch", request)
        assert isinstance(answer, match_service_pb2.JoinMatchResponse)
        return match_service_pb2.SeatCredential(seat=answer.seat, token=answer.token)

    def summary(self, match_id: str) -> match_service_pb2.MatchSummary:
        """What everybody may know now."""
        answer = self.call("GetView", match_service_pb2.GetViewRequest(match_id=match_id))
        assert isinstance(answer, match_service_pb2.GetViewResponse)
        return answer.match

    def move(self, match_id: str, credential: match_service_pb2.SeatCredential, luck: random.Random) -> bool:
        """Plays a random legal command, if it is the seat's turn."""
        asked = match_service_pb2.GetLegalCommandsRequest(match_id=match_id, seat=credential)
        legal = self.call("GetLegalCommands", asked)
        assert isinstance(legal, match_service_pb2.GetLegalCommandsResponse)
        if not legal.commands:
            return False
        command_id = f"{credential.seat}-{legal.version}"
        request = match_service_pb2.SubmitCommandRequest(
            match_id=match_id, seat=credential, command_id=command_id, text=luck.choice(legal.commands).text
        )
        answer = self.call("SubmitCommand", request)
        assert isinstance(answer, match_service_pb2.SubmitCommandResponse)
        self.acknowledged[command_id] = answer.acknowledgement
        return True

    def play_to_the_end(self, match_id: str, seats: Sequence[match_service_pb2.SeatCredential], seed: int) -> None:
        """All of these seats, whenever it is their turn."""
        luck = random.Random(seed)
        deadline = time.monotonic() + PATIENCE
        while not self.is_finished(match_id):
            moved = [self.move(match_id, credential, luck) for credential in seats]
            assert any(moved) or time.monotonic() < deadline, f"{match_id} does not go on"

    def is_finished(self, match_id: str) -> bool:
        """Whether the match is over."""
        return self.summary(match_id).status == match_service_pb2.MATCH_STATUS_FINISHED

    def wait_for_the_end(self, *match_ids: str) -> None:
        """Until the matches are over by themselves."""
        deadline = time.monotonic() + PATIENCE
        waiting = list(match_ids)
        while waiting:
            waiting = [match_id for match_id in waiting if not self.is_finished(match_id)]
            assert time.monotonic() < deadline, f"{waiting} do not end"

    def history(self, match_id: str) -> list[envelope_pb2.Envelope]:
        """The whole log, as a spectator sees it."""
        request = match_service_pb2.GetHistoryRequest(match_id=match_id, limit=1000)
        answer = self.call("GetHistory", request)
        assert isinstance(answer, match_service_pb2.GetHistoryResponse)
        assert len(answer.envelopes) == answer.current_version
        return list(answer.envelopes)

    def keys(self) -> dict[str, PublicKey]:
        """What receipts are signed with."""
        answer = self.call("ListKeys", match_service_pb2.ListKeysRequest())
        assert isinstance(answer, match_service_pb2.ListKeysResponse)
        return {row.key_id: PublicKey(row.key) for row in answer.keys}

    def check_acknowledged(self, match_id: str) -> None:
        """Everything that was acknowledged is in the log, once, where the answer said, and its receipt holds."""
        log, keys = self.history(match_id), self.keys()
        assert [envelope.version for envelope in log] == list(range(1, len(log) + 1))
        for command_id, answer in self.acknowledged.items():
            versions = [envelope.version for envelope in log if envelope.command_id == command_id]
            assert versions == list(range(answer.first_version, answer.version + 1)), command_id
            receipt = answer.receipt
            head = SignedHead(receipt.match_id, receipt.version, receipt.hash, receipt.key_id, receipt.signature)
            assert head.is_signed_by(keys[receipt.key_id])
            assert head[:3] == (match_id, answer.version, hash_of(envelope_of(log[answer.version - 1])))
