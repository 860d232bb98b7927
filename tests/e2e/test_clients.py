"""docs/clients.md is true: its programs are run as printed against the real platform, and its tables are compared."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from meydan.match.v1 import match_service_pb2, match_service_pb2_grpc
from services.launcher import Launcher
from shared.settings import Settings
from tests.e2e.printed import MOST_SECONDS, blocks, run

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs" / "clients.md").read_text()
NODE_PACKAGES = Path(__file__).parent / "node"
# Where the document says that Domino is.
PRINTED_ADDRESS = "127.0.0.1:50551"
SERVICE = "meydan.match.v1.MatchService"
# The platform's own look at a match that is not due; no caller can ask for it.
NEVER_ANSWERED = {"NOT_DUE"}


@pytest.fixture(scope="module")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the platform keeps its data."""
    return tmp_path_factory.mktemp("platform")


@pytest.fixture(scope="module")
def platform(data_folder: Path) -> Iterator[Launcher]:
    """All processes of the platform, as `make up` starts them."""
    settings = Settings(data_dir=data_folder, ports={"domino": 0}, redis_url="", broker_url="")
    with Launcher(settings, ("domino",)) as launcher:
        yield launcher


@pytest.fixture(scope="module")
def token(platform: Launcher, data_folder: Path) -> str:
    """A token, made as the document says."""
    assert platform.addresses
    [commands] = blocks(DOC, "sh", "Tokens")
    return run(f'{commands}\nprintf %s "$MEYDAN_TOKEN"', data_folder, {"MEYDAN_DATA_DIR": str(data_folder)})


@pytest.fixture(scope="module")
def address(platform: Launcher) -> str:
    """Where the Domino service listens."""
    return platform.addresses["domino"]


@pytest.fixture
def channel(address: str) -> Iterator[grpc.Channel]:
    """A connection to the Domino service."""
    with grpc.insecure_channel(address) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a developer of a client has: the protos."""
    shutil.copytree(ROOT / "protos", tmp_path / "protos")
    return tmp_path


def run_printed(commands: str, address: str, folder: Path, token: str) -> str:
    """What the shell commands of the document print, run in the folder against the address."""
    assert PRINTED_ADDRESS in commands
    return run(commands.replace(PRINTED_ADDRESS, address), folder, {"MEYDAN_TOKEN": token})


def printed_places(output: str) -> list[list[int]]:
    """The seats of each place, as a program has printed them."""
    places = re.findall(r"^place \d+: (.*)$", output, re.MULTILINE)
    return [[int(seat) for seat in re.findall(r"seat (\d+)", place)] for place in places]


def newest_result(channel: grpc.Channel, token: str) -> list[list[int]]:
    """The places of the newest match that is over."""
    request = match_service_pb2.ListMatchesRequest(status=match_service_pb2.MATCH_STATUS_FINISHED, page_size=1)
    metadata = (("authorization", f"Bearer {token}"),)
    newest = match_service_pb2_grpc.MatchServiceStub(channel).ListMatches(request, metadata=metadata).matches[0]
    return [list(place.seats) for place in newest.places]


def test_the_python_program_plays_a_match_to_its_end(
    folder: Path, address: str, channel: grpc.Channel, token: str
) -> None:
    """From stubs made as printed, the program exits with 0 and prints the places that the log has."""
    [commands], [program] = blocks(DOC, "sh", "Python"), blocks(DOC, "python", "Python")
    (folder / "play.py").write_text(program)
    places = printed_places(run_printed(commands, address, folder, token))
    assert sorted(seat for tied in places for seat in tied) == [0, 1]
    assert places == newest_result(channel, token)


def test_the_node_program_plays_a_match_to_its_end(
    folder: Path, address: str, channel: grpc.Channel, token: str
) -> None:
    """With the two packages as pinned, the program exits with 0 and prints the places that the log has."""
    install_node_packages(folder)
    [commands], [program] = blocks(DOC, "sh", "Node"), blocks(DOC, "js", "Node")
    (folder / "play.mjs").write_text(program)
    places = printed_places(run_printed(commands, address, folder, token))
    assert sorted(seat for tied in places for seat in tied) == [0, 1]
    assert places == newest_result(channel, token)


def install_node_packages(folder: Path) -> None:
    """The Node client's packages; a machine without Node skips the test, one without the registry fails it."""
    missing = [program for program in ("node", "npm") if shutil.which(program) is None]
    if missing:
        pytest.skip(f"not installed: {' and '.join(missing)}")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(NODE_PACKAGES / name, folder)
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
    ran = subprocess.run(
        ["npm", "ci", *quiet], cwd=folder, capture_output=True, text=True, timeout=MOST_SECONDS, check=False
    )
    if ran.returncode != 0:
        pytest.fail(f"npm could not install the Node client's packages; is its registry in reach?\n{ran.stderr}")


def test_the_lock_of_the_node_packages_has_hashes_and_no_addresses() -> None:
    """Whoever installs takes the packages from a registry of their own, and gets the same bytes."""
    lock = json.loads((NODE_PACKAGES / "package-lock.json").read_text())
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert [name for name, package in packages.items() if "integrity" not in package or "resolved" in package] == []


class Grpcurl(NamedTuple):
    """A printed line: a verb or none, what it is about, the request, and whether it has a token."""

    verb: str
    symbol: str
    data: str
    has_token: bool


def grpcurl_lines() -> list[Grpcurl]:
    """The printed lines, in order."""
    [block] = blocks(DOC, "sh", "grpcurl")
    lines = re.findall(r"^grpcurl .*?(?=^grpcurl |\Z)", block, re.MULTILINE | re.DOTALL)
    return [parse_grpcurl(line.replace("\\\n", " ")) for line in lines]


def parse_grpcurl(line: str) -> Grpcurl:
    parser = ArgumentParser(exit_on_error=False)
    parser.add_argument("-plaintext", action="store_true", required=True)
    parser.add_argument("-H", dest="header")
    parser.add_argument("-d", dest="data", default="{}")
    parser.add_argument("address", choices=[PRINTED_ADDRESS])
    parser.add_argument("words", nargs="+")
    read = parser.parse_args(shlex.split(line)[1:])
    assert read.header in (None, "authorization: Bearer $MEYDAN_TOKEN")
    match read.words:
        case ["list"]:
            return Grpcurl("list", "", read.data, bool(read.header))
        case ["describe", symbol]:
            return Grpcurl("describe", symbol, read.data, bool(read.header))
        case [method]:
            return Grpcurl("", method, read.data, bool(read.header))
        case _:
            raise AssertionError(f"not understood: {line}")


def test_every_grpcurl_line_names_what_exists(channel: grpc.Channel) -> None:
    """A method of the service's descriptor, or a symbol that reflection can describe."""
    service = match_service_pb2.DESCRIPTOR.services_by_name["MatchService"]
    methods = {f"{SERVICE}/{name}" for name in service.methods_by_name}
    lines = grpcurl_lines()
    assert {line.symbol for line in lines if not line.verb} <= methods
    database = ProtoReflectionDescriptorDatabase(channel)
    for line in lines:
        if line.verb == "describe":
            assert database.FindFileContainingSymbol(line.symbol).package == line.symbol.rpartition(".")[0]


def test_every_grpcurl_line_is_answered(address: str, token: str) -> None:
    """The printed requests, sent in order by another client that knows the protos by reflection alone."""
    answers = [curl(address, line, token) for line in grpcurl_lines() if not line.verb]
    assert answers[0]["game"] == "domino"
    assert len(answers[1]["keys"]) == 1
    assert answers[-1]["match"]["options"] == {"@type": "type.googleapis.com/meydan.domino.v1.Options", "handSize": 7}
    assert answers[-1]["match"]["clock"] == {"perMove": {"seconds": 60}}


def curl(address: str, line: Grpcurl, token: str) -> Any:
    """The answer to a printed line, by `buf curl`, which is at hand where grpcurl may not be."""
    program = str(Path(sys.executable).with_name("buf"))
    header = ["--header", f"authorization: Bearer {token}"] if line.has_token else []
    command = [program, "curl", "--protocol", "grpc", *header, "--data", line.data, f"http://{address}/{line.symbol}"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_reflection_lists_the_services_and_describes_a_games_command(channel: grpc.Channel) -> None:
    """A client that explores finds the match service, health, and the fields of Domino's command."""
    database = ProtoReflectionDescriptorDatabase(channel)
    assert {SERVICE, "grpc.health.v1.Health"} <= set(database.get_services())
    command = DescriptorPool(database).FindMessageTypeByName("meydan.domino.v1.LayTile")
    assert [field.name for field in command.fields] == ["tile", "end"]


@pytest.mark.parametrize("service", ["", SERVICE])
def test_health_says_serving(channel: grpc.Channel, service: str) -> None:
    """Once the service has looked at its log, `Check` says so, for the process and for the match service."""
    health: Any = health_pb2_grpc.HealthStub(channel)
    request = health_pb2.HealthCheckRequest(service=service)
    serving = health_pb2.HealthCheckResponse.SERVING
    assert any(news.status == serving for news in health.Watch(request, timeout=MOST_SECONDS))
    assert health.Check(request).status == serving


def test_the_table_of_errors_has_every_reason_that_is_given() -> None:
    """The names in the document are those in the code; rule ids are the games' own."""
    sources = [file for name in ("access", "host", "match") for file in (ROOT / "shared" / name).glob("*.py")]
    given = {reason for source in sources for reason in re.findall(r'"([A-Z_]{6,})"', source.read_text())}
    given -= NEVER_ANSWERED
    section = DOC.split("\n## Errors\n")[1].split("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    assert {reason for row in rows for reason in re.findall(r"`([A-Z_]{6,})`", row[2])} == given
    assert {code for row in rows for code in re.findall(r"`(\w+)`", row[1])} <= set(grpc.StatusCode.__members__)
