"""`meydan up` and `meydan demo` as programs of their own: what they start, they stop."""

import json
import os
import re
import signal
from pathlib import Path

import pytest

from services import registry
from services.cli import up
from services.cli.client import Client
from services.cli.failures import Failure
from shared.settings import Settings
from tests.cli import programs


@pytest.fixture
def own_environment(tmp_path: Path) -> dict[str, str]:
    """A platform of the test's own: its folders, and free ports."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEYDAN_")}
    ports = json.dumps(dict.fromkeys(registry.SERVICES, 0))
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    own = {"MEYDAN_DATA_DIR": str(tmp_path / "data"), "MEYDAN_PORTS": ports, "TMPDIR": str(temporary), "COLUMNS": "160"}
    return kept | own


def test_up_serves_until_it_is_interrupted(own_environment: dict[str, str], tmp_path: Path) -> None:
    """Address and token are good, a dead process is told, a second platform refused, and SIGINT stops everything."""
    running = programs.start("up", environment=own_environment)
    printed = programs.read_until(running, "Ctrl-C stops everything.")
    # Two servers, the service, the dispatcher, the worker and its two processes.
    started = programs.await_descendants(running.pid, 7)
    address = re.findall(r"domino service +│ (\S+)", printed)[0]
    token = re.findall(r"^eyJ\S+$", printed, re.MULTILINE)[0]
    with Client(registry.load("domino"), address, Settings(), token) as client:
        assert client.describe().game == "domino"
        assert len(client.create(("open", "open")).match_id) == 26
    assert "A development token, for 24 hours, good for this machine's platform only" in printed
    assert not [file for file in (tmp_path / "data" / "logs").iterdir() if token in file.read_text()]
    with pytest.raises(Failure, match="A platform is running on"), up.alone(tmp_path / "data"):
        pass
    os.kill(int(re.findall(r"dispatcher +│ process (\d+)", printed)[0]), signal.SIGKILL)
    assert "logs/dispatcher.log" in programs.read_until(running, "dispatcher has ended with code -9; see")
    running.send_signal(signal.SIGINT)
    assert "Everything is stopped." in running.communicate(timeout=programs.MOST_SECONDS)[0]
    assert running.returncode == 0
    assert programs.are_gone(started)


def test_up_stops_while_it_is_starting(own_environment: dict[str, str]) -> None:
    """SIGTERM in the middle of the start leaves nothing behind."""
    running = programs.start("up", environment=own_environment)
    programs.read_until(running, "Starting the platform")
    started = programs.await_descendants(running.pid, 1)
    running.send_signal(signal.SIGTERM)
    assert "Everything is stopped." in running.communicate(timeout=programs.MOST_SECONDS)[0]
    assert running.returncode == 0
    assert programs.are_gone(started)


def test_a_password_is_not_shown() -> None:
    """Addresses of servers are printed without what opens them."""
    assert up.without_password("redis://ada:secret@host:6379/0") == "redis://host:6379/0"


# The demo plays 64 matches of tournaments, beside other tests.
DEMO_SECONDS = 4 * programs.MOST_SECONDS


def test_demo_plays_and_replays(own_environment: dict[str, str], tmp_path: Path) -> None:
    """Settings that are left over do not break it; it leaves pictures, and files that prove what it has shown."""
    leftovers = {
        "MEYDAN_PORTS": "nonsense",
        "MEYDAN_ADDRESSES": '{"domino": "127.0.0.1:1"}',
        "MEYDAN_LISTEN": "1.1.1.1",
    }
    stale = tmp_path / "build" / "demo-domino-matches" / "of-an-earlier-demo.jsonl"
    stale.parent.mkdir(parents=True)
    stale.write_text("{}")
    running = programs.start("demo", environment=own_environment | leftovers, cwd=tmp_path)
    printed = running.communicate(timeout=DEMO_SECONDS)[0]
    assert running.returncode == 0, printed
    counts = [len(registry.load(name).seat_counts) + 1 for name in registry.NAMES]
    assert printed.count("over after") == sum(counts)
    assert f"All {sum(counts)} matches, replayed from their logs, give the results that were recorded." in printed
    assert "gRPC client" in printed
    assert "make up" in printed
    for name in registry.NAMES:
        assert (tmp_path / "build" / f"demo-{name}.svg").read_text().startswith("<svg")
        assert f"build/demo-{name}.jsonl is what happened, and it happened by the rules." in printed
    assert printed.count("were computed again, and are in the log.") == len(registry.NAMES)
    assert "1 of 1 players have added theirs" in printed
    check_tournaments(printed)
    proofs = re.findall(r"meydan ((?:tournament verify|tournament replay|verify|rerun-ai) build/.*?)  ", printed)
    assert len(proofs) == 4
    for words in proofs:
        ran = programs.start(*words.split(), environment=own_environment, cwd=tmp_path)
        assert ran.wait(programs.MOST_SECONDS) == 0
    assert not list((tmp_path / "tmp").iterdir())


def check_tournaments(printed: str) -> None:
    """One in every game: told live, to its end; proved whole, with every match; and a pairing explained."""
    for name in registry.NAMES:
        title = registry.load(name).title
        told = re.findall(rf"^{title} Open, round (\d) of 4, (\d) of 8 tables over", printed, re.MULTILINE)
        assert told == sorted(told)
        assert len({number for number, _ in told}) > 1
        assert told[-1] == ("4", "8")
        assert f"build/demo-{name}-tournament.jsonl is what happened, and it happened by the rules." in printed
    assert printed.count("32 of 32 files have the hash that is in the log") == len(registry.NAMES)
    assert printed.count("4 of 4 prove that nothing is better") == len(registry.NAMES)
    explained = printed[printed.index("Why did these two meet?") :]
    one, other = re.findall(r"round 4, table 0: (\w+ \d+) and (\w+ \d+)\.", explained)[0]
    assert re.search(rf"^{one} \([\d.]+ points?\) meets {other}", explained, re.MULTILINE)
    assert " stands above " in explained or " share place 1" in explained


def test_demo_cleans_up_when_it_is_interrupted(own_environment: dict[str, str], tmp_path: Path) -> None:
    """Ctrl-C in the middle of the matches: no process and no folder is left."""
    running = programs.start("demo", environment=own_environment, cwd=tmp_path)
    programs.read_until(running, "Matches, played over gRPC")
    started = programs.descendants(running.pid)
    running.send_signal(signal.SIGINT)
    printed = running.communicate(timeout=programs.MOST_SECONDS)[0]
    assert running.returncode == 130
    assert "Traceback" not in printed
    assert programs.are_gone(started)
    assert not list((tmp_path / "tmp").iterdir())


def test_demo_says_in_one_sentence_what_failed(own_environment: dict[str, str], tmp_path: Path) -> None:
    """The Redis of one's own is honoured; if it can't be used, a sentence says so, and where the logs are."""
    running = programs.start("demo", environment=own_environment | {"MEYDAN_REDIS_URL": "nonsense"}, cwd=tmp_path)
    printed = running.communicate(timeout=programs.MOST_SECONDS)[0]
    assert running.returncode == 1
    assert "The demo failed (logs in build/demo-logs): The service of domino did not start" in printed.splitlines()[-1]
    assert "Traceback" not in printed
    told = (tmp_path / "build" / "demo-logs" / "domino.log").read_text()
    assert "MEYDAN_REDIS_URL is not the address of a Redis" in told
    assert not list((tmp_path / "tmp").iterdir())
