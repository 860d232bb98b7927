"""One game's service, as the commands use it: each call is a method, each failure a sentence."""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from meydan.match.v1 import envelope_pb2
from meydan.match.v1 import match_service_pb2 as pb
from meydan.match.v1.envelope_pb2 import AiSeat, MatchFinished, OpenSeat, SeatSetup
from meydan.match.v1.match_service_pb2_grpc import MatchServiceStub
from services.cli.failures import Unreachable, Wrong, from_call
from shared import tls
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

# Longer than a service waits for its log, so that its own explanation arrives.
_CALL_SECONDS = 15.0
_PAUSE_SECONDS = 0.25
_PAGE = 500
_MICROS = 1_000_000
_ENTROPY_BYTES = 16
# After a restart of the service a watcher is back at once, not when a long back-off ends.
_CHANNEL = (("grpc.initial_reconnect_backoff_ms", 200), ("grpc.max_reconnect_backoff_ms", 1000))

T = TypeVar("T")


class Client:
    """Every call that changes something has an id of its own, so that it may be repeated while the patience lasts."""

    def __init__(self, game: AnyGame, address: str, settings: Settings, token: str = "") -> None:
        """Without a token, only what everybody may know can be asked."""
        self.game = game
        self.address = address
        # How long an unreachable service is asked again, and who is told when that begins.
        self.patience = 0.0
        self.on_pause: Callable[[str], None] = lambda _: None
        # Who keeps the receipts.
        self.on_receipt: Callable[[SignedHead], None] = lambda _: None
        self._is_away = False
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        try:
            self._channel = tls.channel(address, settings, _CHANNEL)
        except tls.BadTls as error:
            raise Wrong(str(error)) from None
        self._stub = MatchServiceStub(self._channel)

    def describe(self, timeout: float = _CALL_SECONDS) -> pb.DescribeGameResponse:
        """What the service plays."""
        return self._call(self._stub.DescribeGame, pb.DescribeGameRequest(), timeout)

    def keys(self, timeout: float = _CALL_SECONDS) -> pb.ListKeysResponse:
        """What the service signs with."""
        return self._call(self._stub.ListKeys, pb.ListKeysRequest(), timeout)

    def create(
        self, seats: Sequence[str], options: Message | None = None, terms: Terms | None = None
    ) -> pb.CreateMatchResponse:
        """Makes a match; a seat is `open` or has a computer player's level."""
        request = pb.CreateMatchRequest(seats=map(_seat_setup, seats))
        if options is not None:
            request.options.Pack(options)
        if terms is not None:
            _lay_down(terms, request)
        return self._call(self._stub.CreateMatch, request)

    def join(self, match_id: str, seat: int | None, name: str, entropy: bytes | None = None) -> pb.JoinMatchResponse:
        """Takes a seat, or the first open one. Everybody adds to the seed, so that nobody has to trust anybody."""
        request = pb.JoinMatchRequest(
            match_id=match_id,
            seat=seat,
            player_name=name,
            request_id=secrets.token_urlsafe(24),
            entropy=entropy or secrets.token_bytes(_ENTROPY_BYTES),
        )
        joined = self._call(self._stub.JoinMatch, request)
        self._keep(joined.receipt)
        return joined

    def seat_token(self, match_id: str, seat: int) -> str:
        """A new token of a seat that the caller holds."""
        return self._call(self._stub.IssueToken, pb.IssueTokenRequest(match_id=match_id, seat=seat)).token

    def spectator_token(self, match_id: str) -> str:
        """A token that watches a match of the caller's."""
        request = pb.IssueTokenRequest(match_id=match_id, spectator=pb.Spectator())
        return self._call(self._stub.IssueToken, request).token

    def submit(self, match_id: str, seat: pb.SeatCredential, command: AnyMessage | str) -> int:
        """Plays a command, given as a message or as text; answers the version after it."""
        request = pb.SubmitCommandRequest(match_id=match_id, seat=seat, command_id=secrets.token_hex(16))
        if isinstance(command, str):
            request.text = command
        else:
            request.command.CopyFrom(command)
        return self._acknowledged(self._call(self._stub.SubmitCommand, request).acknowledgement)

    def resign(self, match_id: str, seat: pb.SeatCredential) -> int:
        """Leaves a match for good; answers the version after it."""
        request = pb.ResignMatchRequest(match_id=match_id, seat=seat, command_id=secrets.token_hex(16))
        return self._acknowledged(self._call(self._stub.ResignMatch, request).acknowledgement)

    def look(self, match_id: str, viewer: pb.Viewer = SPECTATOR, version: int | None = None) -> pb.GetViewResponse:
        """The match and its position, now or at an earlier version."""
        return self._call(self._stub.GetView, pb.GetViewRequest(match_id=match_id, viewer=viewer, version=version))

    def legal(self, match_id: str, seat: pb.SeatCredential) -> pb.GetLegalCommandsResponse:
        """What a seat may do now."""
        return self._call(self._stub.GetLegalCommands, pb.GetLegalCommandsRequest(match_id=match_id, seat=seat))

    def history(self, match_id: str, viewer: pb.Viewer = SPECTATOR) -> list[Envelope]:
        """The whole log, as the viewer may see it."""
        found: list[Envelope] = []
        while True:
            request = pb.GetHistoryRequest(match_id=match_id, viewer=viewer, after_version=len(found), limit=_PAGE)
            page = self._call(self._stub.GetHistory, request)
            found.extend(map(envelope_of, page.envelopes))
            if len(found) >= page.current_version:
                return found

    def export(self, match_id: str, viewer: pb.Viewer = SPECTATOR) -> bytes:
        """The log as a file."""
        request = pb.ExportMatchRequest(match_id=match_id, viewer=viewer)
        try:
            return b"".join(answer.piece for answer in self._stub.ExportMatch(request, metadata=self._metadata))
        except grpc.RpcError as error:
            raise from_call(error, self._name) from None

    def follow(
        self, match_id: str, viewer: pb.Viewer = SPECTATOR, after: int = 0, seconds: float | None = None
    ) -> "Following":
        """The events of a match as they happen; for a limited time, if one is given."""
        request = pb.WatchMatchRequest(match_id=match_id, viewer=viewer, after_version=after)
        return Following(
            self, lambda: self._stub.WatchMatch(request, timeout=seconds, metadata=self._metadata), request
        )

    def play(self, requests: Iterator[pb.PlayRequest], seconds: float) -> Iterator[pb.PlayResponse]:
        """A Play stream, for at most this long."""
        try:
            yield from self._stub.Play(requests, timeout=seconds, metadata=self._metadata)
        except grpc.RpcError as error:
            raise from_call(error, self._name) from None

    def view_in(self, answer: pb.GetViewResponse) -> Any | None:
        """The game's view in an answer to `look`; None if the match had not started."""
        codec = self.game.codec
        return codec.decode_view(codec.view_type.FromString(answer.view.value)) if answer.HasField("view") else None

    def _call(self, call: Callable[..., T], request: Message, timeout: float = _CALL_SECONDS) -> T:
        asked = time.monotonic()
        while True:
            try:
                answer = call(request, timeout=timeout, metadata=self._metadata)
            except grpc.RpcError as error:
                self.pause(error, asked)
            else:
                self.is_back()
                return answer

    def _acknowledged(self, acknowledgement: pb.Acknowledgement) -> int:
        self._keep(acknowledgement.receipt)
        return acknowledgement.version

    def _keep(self, receipt: pb.Receipt) -> None:
        self.on_receipt(SignedHead(receipt.match_id, receipt.version, receipt.hash, receipt.key_id, receipt.signature))

    def pause(self, error: grpc.RpcError, since: float) -> None:
        """Waits a moment before another try; raises the failure if it is no use, or if patience since then is over."""
        failure = from_call(error, self._name)
        if not isinstance(failure, Unreachable) or time.monotonic() >= since + self.patience:
            raise failure from None
        if not self._is_away:
            self._is_away = True
            self.on_pause(f"{self._name} is away; trying again ...")
        time.sleep(_PAUSE_SECONDS)

    def is_back(self) -> None:
        """The service has answered."""
        self._is_away = False

    @property
    def _name(self) -> str:
        return f"The service of {self.game.title} at {self.address}"

    def close(self) -> None:
        """Ends every call that still runs."""
        self._channel.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Following:
    """Batches of events, without a gap, to the match's end. If the service goes away, it goes on from the last."""

    def __init__(self, client: Client, watch: Callable[[], Any], request: pb.WatchMatchRequest) -> None:
        self._client = client
        self._watch = watch
        self._request = request
        self._call: Any = None
        self._has_ended = False
        self._good = time.monotonic()

    def __iter__(self) -> Iterator[list[Envelope]]:
        while not self._has_ended:
            try:
                yield from self._batches()
                self._has_ended = True
            except grpc.RpcError as error:
                if not self._has_ended:
                    self._client.pause(error, self._good)

    def _batches(self) -> Iterator[list[Envelope]]:
        self._call = self._watch()
        for answer in self._call:
            batch = list(map(envelope_of, answer.envelopes))
            self._request.after_version = batch[-1].version
            self._good = time.monotonic()
            self._client.is_back()
            self._has_ended = self._has_ended or batch[-1].type == FINISHED
            yield batch

    def cancel(self) -> None:
        """Ends it, from any thread."""
        self._has_ended = True
        if self._call is not None:
            self._call.cancel()


def _seat_setup(seat: str) -> SeatSetup:
    return SeatSetup(open=OpenSeat()) if seat == OPEN else SeatSetup(ai=AiSeat(level=seat))


def _lay_down(terms: Terms, request: pb.CreateMatchRequest) -> None:
    request.join_seconds = terms.join_micros // _MICROS
    request.watching = envelope_pb2.WATCHING_PUBLIC if terms.is_public else envelope_pb2.WATCHING_INVITED
    if terms.control is not None:
        request.clock.CopyFrom(clock_message(terms.control))
