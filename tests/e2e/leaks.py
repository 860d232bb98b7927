"""What leaves the processes of a platform, and a search through it that sees through wrappings."""

import base64
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures
from contextlib import contextmanager
from typing import NamedTuple

import grpc
from google.protobuf import text_encoding
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

from tests.e2e.seats import PATIENCE

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}")
# A task has its work in base64, in JSON, in base64.
_DEEPEST = 3
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED = re.compile(rb"\\(x[0-9a-f]{2}|.)", re.DOTALL)
_SHORT = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b"}


class Leak(NamedTuple):
    """A secret, and where it was found."""

    source: str
    secret: str


def leaks(sources: Mapping[str, bytes], secrets: Mapping[str, bytes]) -> list[Leak]:
    """Every secret that is in a source, in whichever form."""
    forms = [(name, form) for name, secret in secrets.items() for form in _forms(secret)]
    found = set()
    for source, data in sources.items():
        shown = b"\n".join(_layers(data))
        found |= {Leak(source, name) for name, form in forms if form in shown}
    return sorted(found)


def _forms(secret: bytes) -> set[bytes]:
    """How bytes may be written, but for base64, which is taken off before."""
    text = secret.decode("latin-1")
    # As Python and protobuf show bytes, and as JSON, which logs are, shows all of that again.
    escaped = [repr(secret)[2:-1], text_encoding.CEscape(secret, as_utf8=False)]
    escaped += [json.dumps(one)[1:-1] for one in (text, *escaped)]
    numbers = ", ".join(map(str, secret))
    shown = {form.encode() for form in (*escaped, text, numbers, secret.hex(), secret.hex().upper())}
    return {secret, *shown}


def _layers(data: bytes, depth: int = _DEEPEST) -> Iterator[bytes]:
    """The data, and all that it has wrapped in base64."""
    yield data
    if depth:
        for run in set(_BASE64.findall(data)):
            for inner in _decoded(run):
                yield from _layers(inner, depth - 1)


def _decoded(run: bytes) -> Iterator[bytes]:
    """Where the wrapping begins is not known: letters before it may look like a part of it."""
    letters = run.translate(bytes.maketrans(b"-_", b"+/"))
    for start in range(4):
        whole = letters[start : start + (len(letters) - start) // 4 * 4]
        rest = letters[start + len(whole) :]
        if len(rest) > 1:
            whole += rest + b"=" * (4 - len(rest))
        yield base64.b64decode(whole)


class Wiretap:
    """Hears every command that a Redis server is sent, by whomever, and those of its functions."""

    def __init__(self, port: int) -> None:
        self.commands: list[list[bytes]] = []
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._socket.sendall(b"MONITOR\r\n")
        self._lines = self._socket.makefile("rb")
        assert self._lines.readline() == b"+OK\r\n"
        self._socket.settimeout(None)
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        for line in self._lines:
            self.commands.append([_unquoted(word) for word in _QUOTED.findall(line)])

    def heard(self, is_wanted: Callable[[list[bytes]], bool]) -> bytes:
        """All commands of a kind, as one text."""
        return b"\n".join(word for command in self.commands if is_wanted(command) for word in command)

    def close(self) -> None:
        """Listens no more."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._lines.close()
        self._socket.close()


def _unquoted(word: bytes) -> bytes:
    """What MONITOR has put between quotation marks. (Not by `ast`, which may fail in a thread with Python 3.11.)"""
    return _ESCAPED.sub(_unescaped, word)


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes.fromhex(code[1:].decode()) if len(code) > 1 else _SHORT.get(code, code)


def is_about_a_log(command: list[bytes]) -> bool:
    """The log itself has all secrets: it is where they are kept."""
    if command[0].upper() == b"FCALL":
        return command[1] == b"meydan_append"
    return command[0].upper() == b"XADD" and b":log:" in command[1]


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps the traces that it is sent, byte for byte."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def Export(  # noqa: N802 - as the protocol calls it
        self, request: trace_service_pb2.ExportTraceServiceRequest, _context: grpc.ServicerContext
    ) -> trace_service_pb2.ExportTraceServiceResponse:
        self.sent.append(request.SerializeToString())
        return trace_service_pb2.ExportTraceServiceResponse()


@contextmanager
def collecting() -> Iterator[tuple[Collector, str]]:
    """A collector, and where it listens."""
    collector = Collector()
    server = grpc.server(futures.ThreadPoolExecutor(2))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield collector, f"http://127.0.0.1:{port}"
    server.stop(None)
