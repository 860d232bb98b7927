"""The calls that only look."""

from collections.abc import AsyncIterator

from meydan.match.v1 import match_service_pb2 as pb
from shared import export
from shared.envelope import redact
from shared.host import messages
from shared.host.access import Access, Caller, check_seat, may_watch, sight
from shared.host.host import Host
from shared.host.limits import Limits, Streams
from shared.host.pages import PageTokens
from shared.host.watching import watch
from shared.kernel import Malformed, Seat, Viewer
from shared.match.model import Status
from shared.proof.heads import SignedHead, sign
from shared.proof.keys import SigningKey

_HISTORY_DEFAULT, _HISTORY_MOST = 200, 1000
_PAGE_DEFAULT, _PAGE_MOST = 20, 100
_EXPORT_AT_ONCE = 100


class ReadingServicer:
    """Each method is one call: check the request, ask the host, build the answer. rpc.py turns errors into statuses."""

    def __init__(self, host: Host, access: Access, key: SigningKey, limits: Limits) -> None:
        self.host = host
        self.access = access
        self.limits = limits
        self.streams = Streams(limits.streams)
        self._key = key
        self._pages = PageTokens(key)
        self._description = messages.description_message(host.game)

    async def describe_game(self, _request: pb.DescribeGameRequest, _caller: Caller) -> pb.DescribeGameResponse:
        return self._description

    async def list_keys(self, _request: pb.ListKeysRequest, _caller: Caller) -> pb.ListKeysResponse:
        public = self._key.public
        return pb.ListKeysResponse(keys=[pb.PublicKey(key_id=public.id, key=public.data)])

    async def get_view(self, request: pb.GetViewRequest, caller: Caller) -> pb.GetViewResponse:
        claims = self.access.holder(request.viewer.seat, caller)
        live = await self.host.fresh(request.match_id)
        match, now = live.folded, self.host.now()
        viewer = sight(match, request.viewer, claims).viewer
        if request.HasField("version") and request.version != match.version:
            if not 1 <= request.version <= match.version:
                raise Malformed("version", f"The match has the versions 1 to {match.version}.")
            match = await self.host.reader.at_version(match.id, request.version)
            now = match.time_micros
        view = None if match.state is None else self.host.packed_view(match, viewer)
        return pb.GetViewResponse(match=messages.summary_message(self.host.game, match, now), view=view)

    async def get_legal_commands(
        self, request: pb.GetLegalCommandsRequest, caller: Caller
    ) -> pb.GetLegalCommandsResponse:
        claims = self.access.holder(request.seat, caller)
        match = (await self.host.fresh(request.match_id)).folded
        seat = Seat(request.seat.seat)
        check_seat(match, seat, claims)
        game = self.host.game
        is_in = match.status is Status.PLAYING and seat not in match.out
        commands = game.legal(game.view(match.state, Viewer(seat))) if is_in else ()
        answer = pb.GetLegalCommandsResponse(version=match.version)
        for command in commands:
            row = answer.commands.add(text=game.notation.format_command(command))
            row.command.Pack(game.codec.encode_command(command))
        return answer

    async def get_history(self, request: pb.GetHistoryRequest, caller: Caller) -> pb.GetHistoryResponse:
        claims = self.access.holder(request.viewer.seat, caller)
        live = await self.host.fresh(request.match_id)
        viewer = sight(live.folded, request.viewer, claims).viewer
        limit = min(request.limit or _HISTORY_DEFAULT, _HISTORY_MOST)
        envelopes = await self.host.reader.page(live, request.after_version, limit)
        return pb.GetHistoryResponse(
            envelopes=[messages.envelope_message(envelope, viewer) for envelope in envelopes],
            current_version=live.folded.version,
        )

    async def list_matches(self, request: pb.ListMatchesRequest, caller: Caller) -> pb.ListMatchesResponse:
        claims = self.access.claims(caller.token)
        before = self._pages.read(request.page_token) if request.page_token else ""
        size = min(request.page_size or _PAGE_DEFAULT, _PAGE_MOST)
        matches = await self.host.list_matches(messages.status_of(request.status), before, size + 1)
        page, now = matches[:size], self.host.now()
        return pb.ListMatchesResponse(
            matches=[
                messages.summary_message(self.host.game, match, now) for match in page if may_watch(match, claims)
            ],
            next_page_token=self._pages.token(page[-1].id) if len(matches) > size else "",
        )

    async def watch_match(self, request: pb.WatchMatchRequest, caller: Caller) -> AsyncIterator[pb.WatchMatchResponse]:
        with self.streams.one_more(caller.peer):
            async for response in watch(self.host, self.access, request, caller):
                yield response

    async def export_match(
        self, request: pb.ExportMatchRequest, caller: Caller
    ) -> AsyncIterator[pb.ExportMatchResponse]:
        claims = self.access.holder(request.viewer.seat, caller)
        with self.streams.one_more(caller.peer):
            live = await self.host.fresh(request.match_id)
            match = live.folded
            viewer = sight(match, request.viewer, claims).viewer
            head = self.signed(match.id, match.version, match.head)
            yield pb.ExportMatchResponse(piece=export.header_line(match.game, head, self._key.public).encode())
            after = 0
            while after < match.version:
                most = min(_EXPORT_AT_ONCE, match.version - after)
                envelopes = await self.host.reader.page(live, after, most)
                lines = (export.envelope_line(self.host.wire, redact(envelope, viewer)) for envelope in envelopes)
                yield pb.ExportMatchResponse(piece="".join(lines).encode())
                after = envelopes[-1].version

    def signed(self, match_id: str, version: int, head: bytes) -> SignedHead:
        """The platform's word on a log."""
        return sign(self._key, match_id, version, head)
