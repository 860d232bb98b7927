"""`moves-unary`: durable moves a second by SubmitCommand, 100 matches with one call under way in each.

The sides are as in `moves-stream`: the real service against a bare server that appends 180 bytes for each call and
answers with as many bytes as an acknowledgement has. The moves of each match are worked out beforehand, so that nobody
needs to follow a match; requests are bytes made beforehand and answers are not parsed, on both sides alike.

There are two rows: against a bare server with our own lean connection to Redis, and (`-usual-client`) against one whose
appends go through a pipeline of redis-py.
"""

import grpc

from tests.bench import event_loop
from tests.bench.bare_server import CLIENT_VARIABLE
from tests.bench.bare_server import SERVICE as BARE_SERVICE
from tests.bench.load import UnaryLoad
from tests.bench.matches import Matches, as_call
from tests.bench.moves import OUTSTANDING, TARGET, Side, bare_lanes, compare, enough
from tests.bench.processes import Server, bare_ceiling, domino_service
from tests.bench.report import Result

NAME = "moves-unary"
_BAR = 0.8


def run(is_quick: bool) -> list[Result]:
    """Both rows."""
    with domino_service() as service, bare_ceiling() as bare, bare_ceiling(**{CLIENT_VARIABLE: "1"}) as usual:
        return [
            event_loop.run(_measure(NAME, service, bare, is_quick)),
            event_loop.run(_measure(f"{NAME}-usual-client", service, usual, is_quick)),
        ]


async def _measure(name: str, service: Server, bare: Server, is_quick: bool) -> Result:
    async with grpc.aio.insecure_channel(service.address) as ours, grpc.aio.insecure_channel(bare.address) as theirs:
        load = UnaryLoad(ours.unary_unary("/meydan.match.v1.MatchService/SubmitCommand"))
        bare_load = UnaryLoad(theirs.unary_unary(f"/{BARE_SERVICE}/Submit"))
        bare_load.lanes.extend(bare_lanes())
        matches = Matches(ours, service, TARGET)

        async def fill(commands: int) -> None:
            while load.left < commands or len(load.lanes) < OUTSTANDING:
                load.lanes.extend(await matches.lanes(await matches.start(OUTSTANDING), as_call))

        return await compare(name, Side(load, service.pid, fill), Side(bare_load, bare.pid, enough), _BAR, is_quick)
