"""What the two move benchmarks share: filling up lanes, rounds in turns, and the result."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from meydan.match.v1 import match_service_pb2 as pb
from shared.match.ids import new_match_id
from tests.bench.load import Lane, Load
from tests.bench.matches import SEATS
from tests.bench.processes import cpu_seconds
from tests.bench.report import Result
from tests.bench.rounds import in_turns_async, median

OUTSTANDING = 100
# A match to 100 points takes some 170 commands, its deals among what follows from them.
TARGET = 100
# A command has about as many bytes on a Play stream and in a call of its own; most are those of its seat's token.
_BARE_BYTES = 480
_BARE_COMMANDS = 20_000
_SPARE = 1.5


@dataclass(frozen=True, slots=True)
class Measured:
    """One round of one side."""

    rate: float
    p50_ms: float
    p99_ms: float
    # Of the server's process, for each command.
    cpu_us: float


@dataclass(frozen=True, slots=True)
class Side:
    """A load, and the process that it is for. `fill` adds lanes until about so many commands can be played."""

    load: Load
    pid: int
    fill: Callable[[int], Awaitable[None]]

    async def measure(self, seconds: float, expected_rate: float) -> Measured:
        await self.fill(int(expected_rate * seconds * _SPARE))
        cpu = cpu_seconds(self.pid)
        sample = await self.load.run(OUTSTANDING, seconds)
        cpu = cpu_seconds(self.pid) - cpu
        return Measured(sample.rate, sample.millis(0.5), sample.millis(0.99), 1_000_000 * cpu / len(sample.latencies))


async def compare(name: str, ours: Side, bare: Side, bar: float, is_quick: bool) -> Result:
    """Rounds in turns, after a short one to warm up."""
    seconds, rounds = (0.5, 2) if is_quick else (1.5, 10)
    await bare.measure(0.3, 10_000)
    rate = (await ours.measure(0.7, 10_000)).rate
    mine, theirs = await in_turns_async(
        lambda: ours.measure(seconds, rate), lambda: bare.measure(seconds, rate), rounds
    )
    value, baseline = _median(mine), _median(theirs)
    extra: dict[str, object] = {
        "p50_ms": value.p50_ms,
        "p99_ms": value.p99_ms,
        "server_cpu_us": value.cpu_us,
        "baseline_p50_ms": baseline.p50_ms,
        "baseline_p99_ms": baseline.p99_ms,
        "baseline_server_cpu_us": baseline.cpu_us,
        "rounds": [round(one.rate) for one in mine],
        "baseline_rounds": [round(one.rate) for one in theirs],
    }
    return Result(
        name, value.rate, "moves/s", baseline.rate, value.rate / baseline.rate, bar, "gRPC + append, bare", extra
    )


def _median(rows: list[Measured]) -> Measured:
    return Measured(
        median(row.rate for row in rows),
        median(row.p50_ms for row in rows),
        median(row.p99_ms for row in rows),
        median(row.cpu_us for row in rows),
    )


def bare_lanes() -> list[Lane]:
    """Messages of the same sizes for the bare ceiling: what it answers is their beginning, an acknowledgement."""
    ids = [new_match_id(time.time_ns() // 1000) for _ in range(OUTSTANDING)]
    return [Lane(one, [(seat, _bare_message(one)) for seat in range(SEATS)] * (_BARE_COMMANDS // SEATS)) for one in ids]


def _bare_message(match_id: str) -> bytes:
    receipt = pb.Receipt(match_id=match_id, version=1001, hash=bytes(32), key_id="0" * 16, signature=bytes(64))
    acknowledgement = pb.Acknowledgement(first_version=1000, version=1001, receipt=receipt)
    answer = pb.PlayAnswer(match_id=match_id, command_id="move-000000", acknowledgement=acknowledgement)
    return pb.PlayResponse(answers=[answer]).SerializeToString().ljust(_BARE_BYTES, b"\0")


async def enough(_commands: int) -> None:
    """The bare ceiling's lanes are long enough for any run."""
