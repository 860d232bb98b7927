"""One game's service, as the commands use it: each call is a method, each failure a sentence."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from meydan.match.v1 import envelope_pb2
from meydan.match.v1 import match_service_pb2 as pb
from meydan.match.v1.envelope_pb2 import AiSeat, MatchFinished, OpenSeat, SeatSetup
from meydan.match.v1.match_service_pb2_grpc import MatchServiceStub
from services.cli.connection import CALL_SECONDS, Connection, Following
from shared.envelope import Envelope
from shared.game import AnyGame
from shared.host.messages import envelope_of
from shared.match.model import Terms
from shared.match.terms import clock_message
from shared.match.wire import full_name
from shared.proof.heads import SignedHead
from shared.settings import Settings

OPEN = "open"
EVERYTHING = pb.Viewer(everything=pb.Everything())
SPECTATOR = pb.Viewer()
# The type of every match's last event.
FINISHED = full_name(MatchFinished)

_PAGE = 500
_MICROS = 1_000_000
_ENTROPY_BYTES = 16


class Client(Connection):
    """The calls of a game's service."""

    def __init__(self, game: AnyGame, address: str, settings: Settings, token: str = "") -> None:
        super().__init__(f"The service of {game.title}", address, settings, token)
        self.game = game
        # Who keeps the receipts.
        self.on_receipt: Callable[[SignedHead], None] = lambda _: None
        self._stub = MatchServiceStub(self.channel)

    def describe(self, timeout: float = CALL_SECONDS) -> pb.DescribeGameResponse:
        """What the service plays."""
        return self.call(self._stub.DescribeGame, pb.DescribeGameRequest(), timeout)

    def keys(self, timeout: float = CALL_SECONDS) -> pb.ListKeysResponse:
        """What the service signs with."""
        return self.call(self._stub.ListKeys, pb.ListKeysRequest(), timeout)

    def create(
        self, seats: Sequence[str], options: Message | None = None, terms: Terms | None = None
    ) -> pb.CreateMatchResponse:
        """Makes a match; a seat is `open` or has a computer player's level."""
        request = pb.CreateMatchRequest(seats=map(_seat_setup, seats))
        if options is not None:
            request.options.Pack(options)
        if terms is not None:
            _lay_down(terms, request)
        return self.call(self._stub.CreateMatch, request)

    def join(self, match_id: str, seat: int | None, name: str, entropy: bytes | None = None) -> pb.JoinMatchResponse:
        """Takes a seat, or the first open one. Everybody adds to the seed, so that nobody has to trust anybody."""
        request = pb.JoinMatchRequest(
            match_id=match_id,
            seat=seat,
            player_name=name,
            request_id=secrets.token_urlsafe(24),
            entropy=entropy or secrets.token_bytes(_ENTROPY_BYTES),
        )
        joined = self.call(self._stub.JoinMatch, request)
        self._keep(joined.receipt)
        return joined

    def seat_token(self, match_id: str, seat: int) -> str:
        """A new token of a seat that the caller holds."""
        return self.call(self._stub.IssueToken, pb.IssueTokenRequest(match_id=match_id, seat=seat)).token

    def spectator_token(self, match_id: str) -> str:
        """A token that watches a match of the caller's."""
        request = pb.IssueTokenRequest(match_id=match_id, spectator=pb.Spectator())
        return self.call(self._stub.IssueToken, request).token

    def submit(self, match_id: str, seat: pb.SeatCredential, command: AnyMessage | str) -> int:
        """Plays a command, given as a message or as text; answers the version after it."""
        request = pb.SubmitCommandRequest(match_id=match_id, seat=seat, command_id=secrets.token_hex(16))
        if isinstance(command, str):
            request.text = command
        else:
            request.command.CopyFrom(command)
        return self._acknowledged(self.call(self._stub.SubmitCommand, request).acknowledgement)

    def resign(self, match_id: str, seat: pb.SeatCredential) -> int:
        """Leaves a match for good; answers the version after it."""
        request = pb.ResignMatchRequest(match_id=match_id, seat=seat, command_id=secrets.token_hex(16))
        return self._acknowledged(self.call(self._stub.ResignMatch, request).acknowledgement)

    def look(self, match_id: str, viewer: pb.Viewer = SPECTATOR, version: int | None = None) -> pb.GetViewResponse:
        """The match and its position, now or at an earlier version."""
        return self.call(self._stub.GetView, pb.GetViewRequest(match_id=match_id, viewer=viewer, version=version))

    def legal(self, match_id: str, seat: pb.SeatCredential) -> pb.GetLegalCommandsResponse:
        """What a seat may do now."""
        return self.call(self._stub.GetLegalCommands, pb.GetLegalCommandsRequest(match_id=match_id, seat=seat))

    def history(self, match_id: str, viewer: pb.Viewer = SPECTATOR) -> list[Envelope]:
        """The whole log, as the viewer may see it."""
        found: list[Envelope] = []
        while True:
            request = pb.GetHistoryRequest(match_id=match_id, viewer=viewer, after_version=len(found), limit=_PAGE)
            page = self.call(self._stub.GetHistory, request)
            found.extend(map(envelope_of, page.envelopes))
            if len(found) >= page.current_version:
                return found

    def export(self, match_id: str, viewer: pb.Viewer = SPECTATOR) -> bytes:
        """The log as a file."""
        request = pb.ExportMatchRequest(match_id=match_id, viewer=viewer)
        return b"".join(answer.piece for answer in self.stream(self._stub.ExportMatch, request))

    def follow(
        self, match_id: str, viewer: pb.Viewer = SPECTATOR, after: int = 0, seconds: float | None = None
    ) -> Following[list[Envelope]]:
        """The events of a match as they happen; for a limited time, if one is given."""
        request = pb.WatchMatchRequest(match_id=match_id, viewer=viewer, after_version=after)

        def take(answer: pb.WatchMatchResponse) -> tuple[list[Envelope], bool]:
            batch = list(map(envelope_of, answer.envelopes))
            request.after_version = batch[-1].version
            return batch, batch[-1].type == FINISHED

        def watch() -> Any:
            return self._stub.WatchMatch(request, timeout=seconds, metadata=self.metadata)

        return Following(self, watch, take)

    def play(self, requests: Iterator[pb.PlayRequest], seconds: float) -> Iterator[pb.PlayResponse]:
        """A Play stream, for at most this long."""
        return self.stream(self._stub.Play, requests, seconds)

    def view_in(self, answer: pb.GetViewResponse) -> Any | None:
        """The game's view in an answer to `look`; None if the match had not started."""
        codec = self.game.codec
        return codec.decode_view(codec.view_type.FromString(answer.view.value)) if answer.HasField("view") else None

    def _acknowledged(self, acknowledgement: pb.Acknowledgement) -> int:
        self._keep(acknowledgement.receipt)
        return acknowledgement.version

    def _keep(self, receipt: pb.Receipt) -> None:
        self.on_receipt(SignedHead(receipt.match_id, receipt.version, receipt.hash, receipt.key_id, receipt.signature))


def _seat_setup(seat: str) -> SeatSetup:
    return SeatSetup(open=OpenSeat()) if seat == OPEN else SeatSetup(ai=AiSeat(level=seat))


def _lay_down(terms: Terms, request: pb.CreateMatchRequest) -> None:
    request.join_seconds = terms.join_micros // _MICROS
    request.watching = envelope_pb2.WATCHING_PUBLIC if terms.is_public else envelope_pb2.WATCHING_INVITED
    if terms.control is not None:
        request.clock.CopyFrom(clock_message(terms.control))
