"""What is not taken in, and why; nothing of it is stored."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import importing
from services.tournament.wire import WIRE
from shared.access.tokens import Scope
from shared.envelope import redact
from shared.eventlog.memory import MemoryLog
from shared.export import envelope_line
from shared.kernel import SPECTATOR
from tests.host.service import Answer, refusal
from tests.tournament.core.recording import plan, playing
from tests.tournament.service.importing import OTHER_KEY, cup, file_of, platform

INVALID, FAILED = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION
CUP = cup().envelopes
FILE = file_of(CUP)
LINES = FILE.splitlines(keepends=True)
PACKED = gzip.compress(FILE)


async def refused(file: bytes) -> Answer:
    """How a file is refused, which leaves nothing behind."""
    async with platform(MemoryLog()) as here:
        answer = await refusal(here.take(file))
        assert await here.stored() == {}
    assert answer.message.endswith("."), answer
    return answer


def changed(line: int, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """The file with something else in one of its lines."""
    row = json.loads(LINES[line])
    change(row)
    return b"".join([*LINES[:line], json.dumps(row).encode() + b"\n", *LINES[line + 1 :]])


def hidden() -> bytes:
    """The whole log, as if it were not over."""
    return b"".join([LINES[0], envelope_line(WIRE, redact(CUP[0], SPECTATOR)).encode(), *LINES[2:]])


@pytest.mark.parametrize(
    ("file", "code", "reason", "message"),
    [
        pytest.param(b"", INVALID, "MALFORMED", "Line 1 of the file is not a JSON object.", id="nothing"),
        pytest.param(b"{}\n", INVALID, "MALFORMED", "This is not an exported match.", id="another JSON"),
        pytest.param(b"\xff\xfe\n", INVALID, "MALFORMED", "Line 1 of the file is not a JSON object.", id="no text"),
        pytest.param(b"[" * 100_000, INVALID, "MALFORMED", "The file can't be read.", id="nested without end"),
        pytest.param(b"\x1f\x8bnot so", INVALID, "MALFORMED", "it is not what gzip writes", id="no gzip"),
        pytest.param(PACKED[:-1], INVALID, "MALFORMED", "does not end where gzip says", id="half a gzip"),
        pytest.param(PACKED + b"x", INVALID, "MALFORMED", "does not end where gzip says", id="more than a gzip"),
        pytest.param(FILE + b"{}\n", INVALID, "MALFORMED", "is not an envelope", id="a line too many"),
        pytest.param(b"".join(LINES[:-1]), INVALID, "UNSOUND_LOG", "are signed", id="a line too few"),
        pytest.param(
            changed(0, lambda row: row.update(note="mine")),
            INVALID,
            "UNSOUND_LOG",
            "wrong in its first line: the first line was changed",
            id="another header",
        ),
        pytest.param(
            changed(5, lambda row: row["readable"].update(number=9)),
            INVALID,
            "UNSOUND_LOG",
            "wrong at version 5, line 6: the line was changed",
            id="another text beside the bytes",
        ),
        pytest.param(
            changed(5, lambda row: row.update(time_micros=row["time_micros"] + 1)),
            INVALID,
            "UNSOUND_LOG",
            "wrong at version 6",
            id="another time",
        ),
        pytest.param(
            changed(0, lambda row: row["head"].update(version=3)),
            INVALID,
            "UNSOUND_LOG",
            "the signature of the head does not hold",
            id="another head",
        ),
        pytest.param(
            file_of(CUP, OTHER_KEY), FAILED, "UNTRUSTED_KEY", f"key '{OTHER_KEY.public.id}'", id="a stranger's key"
        ),
        pytest.param(file_of(CUP, game="domino"), INVALID, "UNSOUND_LOG", "not of a tournament", id="a match"),
        pytest.param(file_of(playing().envelopes), FAILED, "NOT_OVER", "that is over", id="not over"),
        pytest.param(hidden(), INVALID, "UNSOUND_LOG", "another meydan.tournament.v1.Tou", id="without its seed"),
    ],
)
async def test_a_file_that_is_not_the_whole_truth_is_refused_with_the_reason(
    file: bytes, code: grpc.StatusCode, reason: str, message: str
) -> None:
    answer = await refused(file)
    assert (answer.code, answer.reason) == (code, reason), answer
    assert message in answer.message


async def test_what_was_decided_against_the_rules_is_not_believed_even_if_it_is_signed() -> None:
    """A result twice over, chained and signed as if it had been accepted."""
    recorder = playing(plan(rounds=1), people=2)
    answer_before = recorder.tournament
    recorder.record(0)
    recorder.tournament = answer_before._replace(version=recorder.tournament.version, head=recorder.tournament.head)
    recorder.record(0)
    recorder.finish()
    answer = await refused(file_of(recorder.envelopes))
    assert answer.reason == "UNSOUND_LOG"
    assert "this can't have happened here: ALREADY_RECORDED" in answer.message


async def test_a_game_that_is_not_played_here_is_refused() -> None:
    answer = await refused(file_of(cup(game="hanafuda").envelopes))
    assert (answer.code, answer.fields) == (INVALID, ("plan.game",))


async def test_what_would_unpack_to_too_much_is_refused_however_small_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MOST_BYTES", len(FILE) - 1)
    for file in (FILE, PACKED, gzip.compress(b"0" * 10_000_000)):
        answer = await refused(file)
        assert (answer.code, answer.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MUCH")


async def test_what_unpacks_to_just_as_much_as_there_may_be_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MOST_BYTES", len(FILE))
    async with platform(MemoryLog()) as here:
        assert (await here.take(PACKED)).acknowledgement.version == len(CUP)


@pytest.mark.parametrize("scope", [Scope.PLAYER, Scope.PUBLIC])
async def test_only_an_organiser_imports(scope: Scope) -> None:
    async with platform(MemoryLog()) as here:
        answer = await refusal(here.called_by(scope).ImportTournament(api.ImportTournamentRequest(file=FILE)))
        assert answer.code is grpc.StatusCode.PERMISSION_DENIED
        assert await here.stored() == {}
