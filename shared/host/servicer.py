"""meydan.match.v1.MatchService for one game."""

import asyncio
import hmac
import secrets
from collections.abc import AsyncIterator

import structlog

from meydan.match.v1 import envelope_pb2
from meydan.match.v1 import match_service_pb2 as pb
from shared.envelope import redact
from shared.eventlog.store import Written
from shared.host import errors, export, messages
from shared.host.host import Command, Host, digest_of
from shared.host.live import LiveMatch
from shared.host.play import PlayStream, Read, Write
from shared.kernel import EVERYTHING, SPECTATOR, Malformed, Refusal, Seat, Viewer
from shared.match.ids import SeatKeys, is_match_id, join_id, new_match_id
from shared.match.lifecycle import agent_seed
from shared.match.model import Decided, Match, Stamp, Status

log = structlog.get_logger(__name__)

_HISTORY_DEFAULT, _HISTORY_MOST = 200, 1000
_PAGE_DEFAULT, _PAGE_MOST = 20, 100
_WATCH_AT_ONCE = 100
_EXPORT_AT_ONCE = 100
_LONGEST_AGENT_NAME = 64


class MatchServicer:
    """Each method is one call: check the request, ask the host, build the answer. rpc.py turns errors into statuses."""

    def __init__(self, host: Host, keys: SeatKeys) -> None:
        self.host = host
        self._keys = keys
        self._description = messages.description_message(host.game)

    async def describe_game(self, _request: pb.DescribeGameRequest, _request_id: str) -> pb.DescribeGameResponse:
        return self._description

    async def create_match(self, request: pb.CreateMatchRequest, request_id: str) -> pb.CreateMatchResponse:
        game = self.host.game
        seats = messages.seats_of(game, request)
        options = messages.options_of(game, request)
        now = self.host.now()
        match_id = request.match_id or new_match_id(now)
        if not is_match_id(match_id):
            raise Malformed("match_id", "A match id is a ULID: 26 characters, digits and capital letters.")
        digest = digest_of("create", options, *(seat.ai_level for seat in seats))
        written = await self.host.create(match_id, options, seats, secrets.token_bytes(32), digest, request_id)
        log.info("match_created", match=match_id, seats=len(seats), version=written.version)
        return pb.CreateMatchResponse(match_id=match_id, version=written.version)

    async def join_match(self, request: pb.JoinMatchRequest, request_id: str) -> pb.JoinMatchResponse:
        name = messages.player_name_of(request.player_name)
        wanted = Seat(request.seat) if request.HasField("seat") else None
        joining = join_id(messages.join_request_id_of(request.request_id or secrets.token_hex(16)))
        live = await self.host.get(request.match_id)
        if wanted is not None and wanted >= len(live.match.seats):
            raise Malformed("seat", f"This match has the seats 0 to {len(live.match.seats) - 1}.")
        written = await self.host.execute(
            live,
            Command(
                "join",
                joining,
                digest_of("join", wanted, name),
                lambda match, stamp: self.host.lifecycle.join(match, wanted, name, stamp),
                request_id=request_id,
            ),
        )
        if written.version > live.match.version:
            live = await self.host.fresh(request.match_id)
        seat = next(Seat(number) for number, seat in enumerate(live.match.seats) if seat.join_id == joining)
        key = self._keys.for_player(request.match_id, seat, joining)
        return pb.JoinMatchResponse(seat=seat, seat_key=key, version=written.version)

    async def submit_command(self, request: pb.SubmitCommandRequest, request_id: str) -> pb.SubmitCommandResponse:
        return pb.SubmitCommandResponse(acknowledgement=_acknowledgement(await self.submit(request, request_id)))

    async def submit(self, request: pb.SubmitCommandRequest, request_id: str) -> Written:
        """A command, from a call or from a Play stream."""
        live, seat = await self._match_and_seat(request.match_id, request.seat)
        command = messages.command_of(self.host.game, request)
        expected = request.expected_version if request.HasField("expected_version") else None
        note = _note_of(live.match, seat, request.agent, expected) if request.HasField("agent") else None

        def decide(match: Match, stamp: Stamp) -> Decided | Refusal:
            if note is not None and not hmac.compare_digest(note.seed, agent_seed(match, seat)):
                raise Malformed("agent.seed", "This is not the seed of this turn.")
            return self.host.lifecycle.submit(match, seat, command, note, stamp)

        written = await self.host.execute(
            live,
            Command(
                f"seat-{seat}",
                messages.command_id_of(request.command_id),
                digest_of("submit", seat, self.host.game.notation.format_command(command)),
                decide,
                expected,
                request_id,
            ),
        )
        log.debug("command_accepted", match=request.match_id, seat=seat, version=written.version)
        return written

    async def resign_match(self, request: pb.ResignMatchRequest, request_id: str) -> pb.ResignMatchResponse:
        live, seat = await self._match_and_seat(request.match_id, request.seat)
        written = await self.host.execute(
            live,
            Command(
                f"seat-{seat}",
                messages.command_id_of(request.command_id),
                digest_of("resign", seat),
                lambda match, stamp: self.host.lifecycle.resign(match, seat, stamp),
                request_id=request_id,
            ),
        )
        log.info("seat_resigned", match=request.match_id, seat=seat, version=written.version)
        return pb.ResignMatchResponse(acknowledgement=_acknowledgement(written))

    async def get_view(self, request: pb.GetViewRequest, _request_id: str) -> pb.GetViewResponse:
        live = await self.host.fresh(request.match_id)
        match = live.match
        viewer = self.viewer(match, request.viewer)
        if request.HasField("version") and request.version != match.version:
            if not 1 <= request.version <= match.version:
                raise Malformed("version", f"The match has the versions 1 to {match.version}.")
            match = await self.host.reader.at_version(match.id, request.version)
        view = None if match.state is None else self.host.packed_view(match, viewer)
        return pb.GetViewResponse(match=messages.summary_message(self.host.game, match), view=view)

    async def get_legal_commands(
        self, request: pb.GetLegalCommandsRequest, _request_id: str
    ) -> pb.GetLegalCommandsResponse:
        live = await self.host.fresh(request.match_id)
        match = live.match
        seat = self._seat(match, request.seat)
        game = self.host.game
        is_in = match.status is Status.PLAYING and seat not in match.out
        commands = game.legal(game.view(match.state, Viewer(seat))) if is_in else ()
        answer = pb.GetLegalCommandsResponse(version=match.version)
        for command in commands:
            row = answer.commands.add(text=game.notation.format_command(command))
            row.command.Pack(game.codec.encode_command(command))
        return answer

    async def get_history(self, request: pb.GetHistoryRequest, _request_id: str) -> pb.GetHistoryResponse:
        live = await self.host.fresh(request.match_id)
        viewer = self.viewer(live.match, request.viewer)
        limit = min(request.limit or _HISTORY_DEFAULT, _HISTORY_MOST)
        envelopes = await self.host.reader.page(live, request.after_version, limit)
        return pb.GetHistoryResponse(
            envelopes=[messages.envelope_message(envelope, viewer) for envelope in envelopes],
            current_version=live.match.version,
        )

    async def list_matches(self, request: pb.ListMatchesRequest, _request_id: str) -> pb.ListMatchesResponse:
        if request.page_token and not is_match_id(request.page_token):
            raise Malformed("page_token", "A page token comes from the answer before.")
        size = min(request.page_size or _PAGE_DEFAULT, _PAGE_MOST)
        matches = await self.host.list_matches(messages.status_of(request.status), request.page_token, size + 1)
        page = matches[:size]
        return pb.ListMatchesResponse(
            matches=[messages.summary_message(self.host.game, match) for match in page],
            next_page_token=page[-1].id if len(matches) > size else "",
        )

    async def watch_match(
        self, request: pb.WatchMatchRequest, _request_id: str
    ) -> AsyncIterator[pb.WatchMatchResponse]:
        """Reads on from where the watcher is whenever there is news: a slow watcher is late, but nothing piles up."""
        news = asyncio.Event()
        live, stop = await self.host.follow(request.match_id, news.set)
        self.host.wakers.add(news.set)
        try:
            viewer = self.viewer(live.match, request.viewer)
            after = request.after_version
            while True:
                news.clear()
                if live.is_lost:
                    raise errors.unavailable("the match is being loaded again")
                envelopes = await self.host.reader.page(live, after, _WATCH_AT_ONCE)
                if envelopes:
                    yield pb.WatchMatchResponse(
                        envelopes=[messages.envelope_message(envelope, viewer) for envelope in envelopes]
                    )
                    after = envelopes[-1].version
                elif live.match.status is Status.FINISHED:
                    return
                elif self.host.is_stopping:
                    raise errors.stopping()
                else:
                    await news.wait()
        finally:
            self.host.wakers.discard(news.set)
            stop()

    async def export_match(
        self, request: pb.ExportMatchRequest, _request_id: str
    ) -> AsyncIterator[pb.ExportMatchResponse]:
        live = await self.host.fresh(request.match_id)
        match = live.match
        viewer = self.viewer(match, request.viewer)
        yield pb.ExportMatchResponse(piece=export.header_line(match.game, match.id).encode())
        after = 0
        while after < match.version:
            envelopes = await self.host.reader.page(live, after, _EXPORT_AT_ONCE)
            lines = (export.envelope_line(self.host.wire, redact(envelope, viewer)) for envelope in envelopes)
            yield pb.ExportMatchResponse(piece="".join(lines).encode())
            after = envelopes[-1].version

    async def play(self, read: Read, write: Write, request_id: str) -> None:
        """One stream, until its end."""
        await PlayStream(self, read, request_id).run(write)

    async def _match_and_seat(self, match_id: str, credential: pb.SeatCredential) -> tuple[LiveMatch, Seat]:
        """For a command: the match as this process knows it, and the seat that the caller has proved to hold."""
        live = await self.host.get(match_id)
        if not self._opens(live.match, credential):
            # Another process may have given the seat away a moment ago.
            live = await self.host.fresh(match_id)
            return live, self._seat(live.match, credential)
        return live, Seat(credential.seat)

    def _seat(self, match: Match, credential: pb.SeatCredential) -> Seat:
        """The seat that the caller has proved to hold."""
        if not self._opens(match, credential):
            raise errors.not_your_seat()
        return Seat(credential.seat)

    def _opens(self, match: Match, credential: pb.SeatCredential) -> bool:
        # A seat that nobody has taken has no key that anybody was given.
        if credential.seat >= len(match.seats) or not match.seats[credential.seat].is_taken:
            return False
        seat = Seat(credential.seat)
        state = match.seats[seat]
        if state.ai_level:
            key = self._keys.for_agent(match.id, seat)
        else:
            key = self._keys.for_player(match.id, seat, state.join_id)
        return hmac.compare_digest(key.encode(), credential.seat_key.encode())

    def viewer(self, match: Match, wanted: pb.Viewer) -> Viewer:
        """The eyes that the caller may look with."""
        sight = wanted.WhichOneof("sight")
        is_over = match.status is Status.FINISHED
        if sight == "everything":
            if not is_over:
                raise errors.still_secret()
            return EVERYTHING
        if sight == "seat":
            if is_over and not wanted.seat.seat_key and wanted.seat.seat < len(match.seats):
                return Viewer(Seat(wanted.seat.seat))
            return Viewer(self._seat(match, wanted.seat))
        return SPECTATOR


def _acknowledgement(written: Written) -> pb.Acknowledgement:
    return pb.Acknowledgement(first_version=written.first, version=written.version)


def _note_of(match: Match, seat: Seat, note: envelope_pb2.AgentNote, expected: int | None) -> envelope_pb2.AgentNote:
    """An AI's note must be true as far as the service can tell: it is what the move will be computed again from."""
    if not match.seats[seat].ai_level or not 1 <= len(note.name) <= _LONGEST_AGENT_NAME:
        raise Malformed("agent", "Only a computer's seat moves with a note of its player.")
    if expected is None:
        raise Malformed("expected_version", "A computer player names the version that it has seen.")
    # Made anew, so that nothing else comes into the log with it.
    return envelope_pb2.AgentNote(name=note.name, version=note.version, seed=note.seed)
