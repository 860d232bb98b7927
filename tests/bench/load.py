"""The client's side of the move benchmarks, the same for the service and for the bare ceiling.

A lane is one match: its commands are bytes that were made beforehand, and the next is sent when the one before has been
answered. So the client need not think, and costs as little as a client of gRPC can.
"""

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc

from meydan.match.v1 import match_service_pb2 as pb
from tests.bench.rounds import percentile


@dataclass(slots=True)
class Lane:
    """The commands of one match, each with the number of the stream that it goes to."""

    match_id: str
    messages: Sequence[tuple[int, bytes]]
    sent: int = 0
    sent_at: float = 0.0

    @property
    def left(self) -> int:
        return len(self.messages) - self.sent


@dataclass(slots=True)
class Sample:
    """What was answered in a time."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds

    def millis(self, share: float) -> float:
        """A percentile of the time from a command to its answer."""
        return 1000 * percentile(self.latencies, share)


class Load:
    """Lanes that are played, a fixed number at a time, for a time. What is left of them can be played on."""

    def __init__(self) -> None:
        self.lanes: deque[Lane] = deque()
        self._deadline = 0.0
        self._sample = Sample()

    @property
    def left(self) -> int:
        """Commands that can still be played."""
        return sum(lane.left for lane in self.lanes)

    async def run(self, outstanding: int, seconds: float) -> Sample:
        """Keeps this many commands unanswered until the time is over, then waits for the last answers."""
        self._sample = Sample()
        started = time.perf_counter()
        self._deadline = started + seconds
        await self._run(outstanding)
        self._sample.seconds = time.perf_counter() - started
        return self._sample

    async def _run(self, outstanding: int) -> None:
        raise NotImplementedError

    def _next_lane(self, lane: Lane | None) -> Lane | None:
        """The same lane, or another if it has come to its end; None when the time is over."""
        is_over = time.perf_counter() >= self._deadline
        if lane is not None and lane.left:
            if is_over:
                self.lanes.append(lane)
            return None if is_over else lane
        if is_over or not self.lanes:
            # With fewer lanes than wanted it would be another measurement.
            self._deadline = 0.0
            return None
        return self.lanes.popleft()

    def _next_message(self, lane: Lane) -> tuple[int, bytes]:
        found = lane.messages[lane.sent]
        lane.sent += 1
        lane.sent_at = time.perf_counter()
        return found

    def _answered(self, lane: Lane) -> None:
        self._sample.latencies.append(time.perf_counter() - lane.sent_at)


class StreamLoad(Load):
    """Over a few streams, which stay open from one run to the next."""

    def __init__(self, calls: "Sequence[grpc.aio.StreamStreamCall[Any, Any]]") -> None:
        super().__init__()
        self._calls = calls
        self._playing: dict[str, Lane] = {}
        self._unanswered_follows = 0
        self._outboxes: list[list[bytes]] = [[] for _ in calls]
        self._news = [asyncio.Event() for _ in calls]
        self._idle = asyncio.Event()
        self._tasks = [
            asyncio.create_task(work(number)) for number in range(len(calls)) for work in (self._read, self._write)
        ]

    async def follow(self, requests: Sequence[tuple[int, bytes]]) -> None:
        """Sends these to the streams and waits until all are answered."""
        self._idle.clear()
        self._unanswered_follows = len(requests)
        for number, message in requests:
            self._send(number, message)
        await self._until_idle()

    async def close(self) -> None:
        """Ends the streams."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, outstanding: int) -> None:
        self._idle.clear()
        for _ in range(outstanding):
            self._go_on(None)
        await self._until_idle()

    async def _until_idle(self) -> None:
        waiting = asyncio.create_task(self._idle.wait())
        try:
            # A stream that breaks ends its task before anything is idle.
            done, _ = await asyncio.wait((waiting, *self._tasks), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        for task in done:
            task.result()
        if waiting not in done:
            raise RuntimeError("a stream has ended")

    def _go_on(self, before: Lane | None) -> None:
        lane = self._next_lane(before)
        if lane is not None:
            self._playing[lane.match_id] = lane
            self._send(*self._next_message(lane))
        elif not self._playing:
            self._idle.set()

    def _send(self, number: int, message: bytes) -> None:
        self._outboxes[number].append(message)
        self._news[number].set()

    async def _write(self, number: int) -> None:
        call, news = self._calls[number], self._news[number]
        while True:
            await news.wait()
            news.clear()
            messages, self._outboxes[number] = self._outboxes[number], []
            for message in messages:
                await call.write(message)

    async def _read(self, number: int) -> None:
        call = self._calls[number]
        while isinstance(data := await call.read(), bytes):
            for answer in pb.PlayResponse.FromString(data).answers:
                self._take(answer)

    def _take(self, answer: pb.PlayAnswer) -> None:
        if answer.HasField("refusal"):
            raise RuntimeError(f"the service refused: {answer.refusal.message}")
        if answer.command_id:
            lane = self._playing.pop(answer.match_id)
            self._answered(lane)
            self._go_on(lane)
        else:
            self._unanswered_follows -= 1
            if not self._unanswered_follows:
                self._idle.set()


class UnaryLoad(Load):
    """By single calls."""

    def __init__(self, call: Any) -> None:
        super().__init__()
        self._call = call

    async def _run(self, outstanding: int) -> None:
        await asyncio.gather(*(self._play() for _ in range(outstanding)))

    async def _play(self) -> None:
        lane = self._next_lane(None)
        while lane is not None:
            _, message = self._next_message(lane)
            await self._call(message)
            self._answered(lane)
            lane = self._next_lane(lane)
