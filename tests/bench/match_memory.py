"""`match-memory`: what a live match costs the service in memory.

Resident memory of the real service with 10,000 started matches, a few moves played in each, minus that of the same
process after it has played some matches to the end. The baseline is no measurement but the bar: 10 KiB a match.
"""

from collections import deque
from typing import Any

import grpc

from tests.bench import event_loop
from tests.bench.load import Lane, StreamLoad
from tests.bench.matches import SEATS, Matches, as_play_request
from tests.bench.processes import Server, domino_service, resident_bytes
from tests.bench.report import Result

NAME = "match-memory"
_MOST_BYTES = 10 * 1024
_MOVES_EACH = 4
_WARM_UP_MATCHES = 200
_OUTSTANDING = 100
_LONG = 3600.0


def run(is_quick: bool) -> list[Result]:
    """Bytes a match; less is better, so the ratio is the other way round."""
    count = 1_000 if is_quick else 10_000
    with domino_service() as service:
        empty, full = event_loop.run(_measure(service, count))
    value = (full - empty) / count
    extra: dict[str, object] = {"matches": count, "empty_mb": empty / 1e6, "full_mb": full / 1e6}
    return [Result(NAME, value, "bytes", _MOST_BYTES, _MOST_BYTES / value, 1.0, "the bar, not measured", extra)]


async def _measure(service: Server, count: int) -> tuple[int, int]:
    async with grpc.aio.insecure_channel(service.address) as channel:
        matches = Matches(channel, service)
        play: Any = channel.stream_stream("/meydan.match.v1.MatchService/Play")
        load = StreamLoad([play(metadata=service.metadata) for _ in range(SEATS)])
        try:
            await _play(load, await matches.lanes(await matches.start(_WARM_UP_MATCHES), as_play_request))
            empty = resident_bytes(service.pid)
            await _play(load, await matches.lanes(await matches.start(count), as_play_request, _MOVES_EACH))
            return empty, resident_bytes(service.pid)
        finally:
            await load.close()


async def _play(load: StreamLoad, lanes: list[Lane]) -> None:
    """All of it: a run ends as soon as a lane has no successor, so what is left is played with fewer at a time."""
    load.lanes = deque(lanes)
    while load.left:
        await load.run(min(_OUTSTANDING, len(load.lanes)), _LONG)
