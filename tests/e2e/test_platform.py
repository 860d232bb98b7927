"""The whole platform, as its users run it: every process real, every call over gRPC."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from meydan.match.v1 import envelope_pb2, match_service_pb2
from services import registry
from services.launcher import Launcher
from shared.host.messages import envelope_of
from shared.kernel import Chance, Seat, Viewer
from shared.match.wire import NOTE_TYPE, Wire
from shared.replay import Replay
from shared.rerun import rerun
from shared.settings import Settings
from tests.e2e.seats import PATIENCE, Table

GAME = registry.load("domino")
WIRE = Wire(GAME)
REPLAY = Replay(GAME, WIRE)
# As in /proc/net/tcp: 127.0.0.1, also in the form that it has in IPv6, and the state of a socket that listens.
LOOPBACK, LISTENING = {"0100007F", "0000000000000000FFFF00000100007F"}, "0A"
# Whoever's it is: workers make tokens too.
JSON_WEB_TOKEN = r"eyJ[\w-]+\.[\w-]+\."


def settings_in(folder: Path) -> Settings:
    """A platform of its own in an empty folder, which logs everything that it does."""
    ports = dict.fromkeys(registry.SERVICES, 0)
    return Settings(data_dir=folder, ports=ports, redis_url="", broker_url="", log_level="debug")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the platform keeps its data and logs."""
    return tmp_path_factory.mktemp("platform")


@pytest.fixture(scope="module")
def platform(folder: Path) -> Iterator[Launcher]:
    """The platform, up."""
    with Launcher(settings_in(folder)) as launcher:
        yield launcher


def revealed(table: Table, match_id: str) -> list[envelope_pb2.Envelope]:
    """The log of a finished match with every secret open."""
    everything = match_service_pb2.Viewer(everything=match_service_pb2.Everything())
    request = match_service_pb2.GetHistoryRequest(match_id=match_id, viewer=everything, limit=1000)
    answer = table.call("GetHistory", request)
    assert isinstance(answer, match_service_pb2.GetHistoryResponse)
    return list(answer.envelopes)


def logged(platform: Launcher, name: str, event: str, match_id: str) -> list[dict[str, object]]:
    """What a process has logged of an event of a match; waits for the first row."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        lines = platform.log_file(name).read_text().splitlines(keepends=True)
        rows = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("\n")]
        found = [row for row in rows if row["event"] == event and row.get("match") == match_id]
        if found:
            return found
    pytest.fail(f"{name} has logged no {event} of {match_id}")


@pytest.mark.parametrize("seats", GAME.seat_counts)
def test_computer_players_play_a_match_to_its_end(platform: Launcher, seats: int) -> None:
    """Each of their moves is recorded with name, version and seed, and can be computed again from the log."""
    table = Table.of(platform)
    match_id = table.create(*(["greedy", "random"] * 3)[:seats])
    table.wait_for_the_end(match_id)
    log = [envelope_of(message) for message in revealed(table, match_id)]
    notes = 0
    for envelope in log:
        note = next((part for part in envelope.sealed if part.type == NOTE_TYPE), None)
        if note is None or note.content is None or envelope.seat is None:
            continue
        notes += 1
        read = envelope_pb2.AgentNote.FromString(note.content)
        before = REPLAY.fold(None, log[: envelope.version - 1])
        level = before.seats[envelope.seat].ai_level
        assert (read.name, read.version) == (f"domino/{level}", GAME.agents[level].version)
        view = GAME.view(before.state, Viewer(envelope.seat))
        command = GAME.agents[level].choose(view, Chance(read.seed), iter(range(read.iterations)))
        events = GAME.decide(before.state, envelope.seat, command, Chance(before.seed))
        assert isinstance(events, tuple)
        assert events[0] == WIRE.event(envelope)
    commands = {envelope.command_id for envelope in log if envelope.command_id.startswith("ai-")}
    assert notes == len(commands) > 0
    assert [one.is_computed for one in rerun(GAME, WIRE, log)] == [True] * notes


def test_the_end_of_a_match_reaches_a_worker_that_checks_it(platform: Launcher) -> None:
    """A finished match is replayed from its log by a worker, and the recorded result found right."""
    table = Table.of(platform)
    match_id = table.create("greedy", "greedy")
    table.wait_for_the_end(match_id)
    (audit,) = logged(platform, "worker", "match_audited", match_id)
    recorded = [list(place.seats) for place in table.summary(match_id).places]
    assert audit["places"] == recorded


def test_a_request_id_is_in_every_log_on_the_way(platform: Launcher) -> None:
    """From the call that caused it, through outbox, dispatcher and worker, and back into the service."""
    table = Table.of(platform)
    seats = [envelope_pb2.SeatSetup(ai=envelope_pb2.AiSeat(level="greedy"))] * 2
    request = match_service_pb2.CreateMatchRequest(seats=seats)
    metadata = (*table.metadata, ("x-request-id", "trace-me-42"))
    match_id = next(table.stubs).CreateMatch(request, metadata=metadata).match_id
    table.wait_for_the_end(match_id)
    for name, event in (
        ("domino", "match_created"),
        ("dispatcher", "work_sent"),
        ("worker", "turn_taken"),
        ("domino", "command_accepted"),
    ):
        rows = logged(platform, name, event, match_id)
        assert {row["request_id"] for row in rows} == {"trace-me-42"}
        assert all("version" in row for row in rows)


def test_no_token_no_key_and_no_seed_is_ever_logged(platform: Launcher, folder: Path) -> None:
    """All that any process has logged, at the most talkative level, is searched for what must not be there."""
    table = Table.of(platform)
    match_id = table.create("", "", "greedy")
    seats = [table.join(match_id, seat) for seat in (0, 1)]
    table.play_to_the_end(match_id, seats, seed=1)
    match = REPLAY.fold(None, [envelope_of(message) for message in revealed(table, match_id)])
    logged(platform, "worker", "match_audited", match_id)
    seeds = [form for seed in (match.seed, match.server_seed) for form in (seed.hex(), repr(seed))]
    keys = [file.read_text().splitlines()[1] for file in (folder / "keys").iterdir()]
    secrets = [table.token, *(credential.token for credential in seats), *seeds, *keys]
    written = "\n".join(file.read_text() for file in (folder / "logs").iterdir())
    assert match_id in written
    assert len(keys) == 2
    assert [secret for secret in secrets if secret in written] == []
    assert re.findall(JSON_WEB_TOKEN, written) == []


def test_matches_survive_a_restart_of_everything(tmp_path: Path) -> None:
    """Stopped and started again on the same folder: the match is where it was, and the seats' tokens still open it."""
    with Launcher(settings_in(tmp_path)) as launcher:
        table = Table.of(launcher)
        match_id = table.create("", "greedy")
        seat = table.join(match_id, 0)
        before = table.summary(match_id)
    with Launcher(settings_in(tmp_path)) as launcher:
        table = Table.of(launcher)
        assert table.summary(match_id).version >= before.version
        table.play_to_the_end(match_id, [seat], seed=2)
        table.check_acknowledged(match_id)
        assert Seat(table.summary(match_id).places[0].seats[0]) in (0, 1)


def test_without_configuration_only_this_machine_can_connect(platform: Launcher) -> None:
    """Every port that any process of the platform listens on is bound to loopback."""
    pids = [process.pid for process in platform.processes.values()] + [one.pid for one in platform.servers.values()]
    listening = [address for pid in pids for address in listening_addresses(pid)]
    assert len(listening) >= len(platform.addresses) + len(platform.servers)
    assert set(listening) <= LOOPBACK


def listening_addresses(pid: int) -> list[str]:
    """The addresses that a process listens on, as Linux writes them."""
    if not Path("/proc/self/net/tcp").exists():
        pytest.skip("this system does not say in /proc who listens")
    opened = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            opened.add(str(file.readlink()))
    rows = [row.split() for name in ("tcp", "tcp6") for row in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()]
    return [row[1].partition(":")[0] for row in rows if row[3] == LISTENING and f"socket:[{row[9]}]" in opened]


def test_nobody_can_use_up_the_command_id_of_another_seat(platform: Launcher) -> None:
    """A player who guesses the id of a computer player's next command does not stop its turn."""
    table = Table.of(platform)
    match_id = table.create("", "greedy")
    seat = table.join(match_id, 0)
    asked = match_service_pb2.GetLegalCommandsRequest(match_id=match_id, seat=seat)
    while not table.is_finished(match_id):
        legal = table.call("GetLegalCommands", asked)
        assert isinstance(legal, match_service_pb2.GetLegalCommandsResponse)
        if legal.commands:
            guess = f"ai-1-{legal.version + 1}"
            request = match_service_pb2.SubmitCommandRequest(
                match_id=match_id, seat=seat, command_id=guess, text=legal.commands[0].text
            )
            table.call("SubmitCommand", request)
    by_seat = {(envelope.seat, envelope.command_id) for envelope in table.history(match_id) if envelope.command_id}
    ids = [command_id for _, command_id in by_seat if command_id.startswith("ai-1-")]
    assert len(ids) > len(set(ids)), "no id was guessed right"
