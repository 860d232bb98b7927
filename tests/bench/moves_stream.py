"""`moves-stream`: durable moves a second over Play, 100 matches at a time, against a bare ceiling.

Ours is the real Domino service in a process of its own, on a Redis that syncs every write. The client holds two
streams: one plays the first seats of all matches, the other the second seats, with 100 commands unanswered at any time,
one a match. When a match ends, another that was created and joined beforehand takes its place. A move counts when it is
acknowledged, that is, when its events are on disk.

The baseline (bare_server.py) is a server of the same kind that parses nothing, decides nothing, and appends 180 bytes
for each message on a Redis of the same settings. Its client is the same code with the same number of streams and of
commands unanswered, sends messages of the same size, and parses the same answers. Each message is answered by one of
its own, where Play puts all answers that have become known together.

The moves of each match are worked out beforehand, so that thinking is not measured on either side. There are two rows:

- `moves-stream`: each stream follows all matches as its seat, so that both players see every event as it happens. These
  events are there on our side only: the bare ceiling has nothing like them.
- `moves-stream-unfollowed`: commands and acknowledgements only, as the bare ceiling.
"""

from typing import Any

import grpc

from tests.bench import event_loop
from tests.bench.bare_server import SERVICE as BARE_SERVICE
from tests.bench.load import StreamLoad
from tests.bench.matches import SEATS, Matches, as_play_request
from tests.bench.moves import OUTSTANDING, TARGET, Side, bare_lanes, compare, enough
from tests.bench.processes import Server, bare_ceiling, domino_service
from tests.bench.report import Result

NAME = "moves-stream"
_BAR = 0.5
_PLAY = "/meydan.match.v1.MatchService/Play"
_BARE_PLAY = f"/{BARE_SERVICE}/Play"


def run(is_quick: bool) -> list[Result]:
    """Both rows."""
    with domino_service() as service, bare_ceiling() as bare:
        return [
            event_loop.run(_measure(NAME, service, bare, is_quick, is_followed=True)),
            event_loop.run(_measure(f"{NAME}-unfollowed", service, bare, is_quick, is_followed=False)),
        ]


async def _measure(name: str, service: Server, bare: Server, is_quick: bool, *, is_followed: bool) -> Result:
    async with grpc.aio.insecure_channel(service.address) as ours, grpc.aio.insecure_channel(bare.address) as theirs:
        load = _streams(ours, _PLAY, service)
        bare_load = _streams(theirs, _BARE_PLAY, bare)
        bare_load.lanes.extend(bare_lanes())
        filling = _Filling(Matches(ours, service, TARGET), load, is_followed)
        try:
            return await compare(
                name, Side(load, service.pid, filling.fill), Side(bare_load, bare.pid, enough), _BAR, is_quick
            )
        finally:
            await load.close()
            await bare_load.close()


def _streams(channel: grpc.aio.Channel, method: str, server: Server) -> StreamLoad:
    play: Any = channel.stream_stream(method)
    return StreamLoad([play(metadata=server.metadata) for _ in range(SEATS)])


class _Filling:
    """Adds matches to a load, and follows them."""

    def __init__(self, matches: Matches, load: StreamLoad, is_followed: bool) -> None:
        self._matches = matches
        self._load = load
        self._is_followed = is_followed

    async def fill(self, commands: int) -> None:
        while self._load.left < commands or len(self._load.lanes) < OUTSTANDING:
            started = await self._matches.start(OUTSTANDING)
            if self._is_followed:
                await self._load.follow([(seat, match.follow(seat)) for match in started for seat in range(SEATS)])
            self._load.lanes.extend(await self._matches.lanes(started, as_play_request))
