"""A program that plays one seat through a Play stream, as any client in any language can."""

import queue
import secrets
from collections.abc import Callable, Sequence

import grpc

from meydan.match.v1 import match_service_pb2 as pb
from services.cli.client import FINISHED, Client
from services.cli.failures import Failure
from shared.envelope import Envelope
from shared.host.messages import envelope_of

_ABORTED: int = grpc.StatusCode.ABORTED.value[0]


class StreamPlayer:
    """Follows its match, and plays one of the legal commands whenever it has any."""

    def __init__(self, client: Client, match_id: str, seat: pb.SeatCredential) -> None:
        self._client = client
        self._match_id = match_id
        self._seat = seat
        self._requests: queue.SimpleQueue[pb.PlayRequest | None] = queue.SimpleQueue()
        # The version at which it has moved last.
        self._moved_at = 0

    def play(self, seconds: float, saw: Callable[[Sequence[Envelope]], None]) -> None:
        """To the end of the match. `saw` is called with every piece of the log that arrives."""
        follow = pb.FollowMatch(match_id=self._match_id, viewer=pb.Viewer(seat=self._seat))
        self._requests.put(pb.PlayRequest(follow=follow))
        try:
            for response in self._client.play(iter(self._requests.get, None), seconds):
                self._heed(response, saw)
        finally:
            self._say_goodbye()

    def _heed(self, response: pb.PlayResponse, saw: Callable[[Sequence[Envelope]], None]) -> None:
        for answer in response.answers:
            self._check(answer)
        for events in response.events:
            batch = list(map(envelope_of, events.envelopes))
            saw(batch)
            if batch[-1].type == FINISHED:
                self._say_goodbye()
                return
        self._move()

    def _check(self, answer: pb.PlayAnswer) -> None:
        if not answer.HasField("refusal"):
            return
        if answer.refusal.code != _ABORTED:
            raise Failure(answer.refusal.message)
        # The match had moved on in the meantime: choose again.
        self._moved_at = 0

    def _move(self) -> None:
        legal = self._client.legal(self._match_id, self._seat)
        if not legal.commands or legal.version == self._moved_at:
            return
        self._moved_at = legal.version
        submit = pb.SubmitCommandRequest(
            match_id=self._match_id,
            seat=self._seat,
            command_id=secrets.token_hex(16),
            command=secrets.choice(legal.commands).command,
            expected_version=legal.version,
        )
        self._requests.put(pb.PlayRequest(submit=submit))

    def _say_goodbye(self) -> None:
        self._requests.put(None)
