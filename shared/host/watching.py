"""WatchMatch: the events of one match, as they happen."""

import asyncio
from collections.abc import AsyncIterator

from meydan.match.v1 import match_service_pb2 as pb
from shared.host import errors, messages
from shared.host.access import Access, Caller, sight
from shared.host.host import Host
from shared.match.model import Status

_AT_ONCE = 100


async def watch(
    host: Host, access: Access, request: pb.WatchMatchRequest, caller: Caller
) -> AsyncIterator[pb.WatchMatchResponse]:
    """Reads on from where the watcher is whenever there is news: a slow watcher is late, but nothing piles up."""
    claims = access.holder(request.viewer.seat, caller)
    news = asyncio.Event()
    live, stop = await host.follow(request.match_id, news.set)
    host.wakers.add(news.set)
    try:
        seen_by = sight(live.folded, request.viewer, claims)
        after = request.after_version
        while True:
            news.clear()
            if live.is_lost:
                raise errors.unavailable("the match is being loaded again")
            envelopes = await host.reader.page(live, after, _AT_ONCE)
            access.check_still(live.folded, seen_by)
            if envelopes:
                yield pb.WatchMatchResponse(
                    envelopes=[messages.envelope_message(envelope, seen_by.viewer) for envelope in envelopes]
                )
                after = envelopes[-1].version
            elif live.folded.status is Status.FINISHED:
                return
            elif host.is_stopping:
                raise errors.stopping()
            else:
                await news.wait()
    finally:
        host.wakers.discard(news.set)
        stop()
