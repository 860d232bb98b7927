"""Nothing secret leaves a process: matches and tournaments are played, and all that any process has sent or written is
searched.

Tokens, keys, seeds, salts and hands are looked for in log files, the broker, the outboxes and all else that the log's
server is told beside the log itself, metrics, traces, and the answers to refused calls.
"""

import base64
import json
import re
import signal
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
import redis

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from meydan.match.v1.match_service_pb2_grpc import MatchServiceStub
from meydan.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from services import registry
from services.keyring import key_file
from services.launcher import Launcher
from shared.access.tokens import Claims, Scope, Tokens
from shared.clock import SystemClock
from shared.envelope import Envelope, SealedPart, unpack
from shared.kernel import Seat, Viewer
from shared.match.wire import Wire, full_name
from shared.proof.keys import SigningKey
from shared.replay import Replay
from shared.settings import Settings
from tests.e2e.hosting import Venue
from tests.e2e.leaks import Collector, Leak, Wiretap, collecting, is_about_a_log, leaks
from tests.e2e.seats import PATIENCE, Table
from tests.e2e.secret_events import one_that_goes_on, one_that_is_over, wrong_calls
from tests.e2e.test_sight import free_ports, kill_children

GAME = registry.load("domino")
DEAL = full_name(domino_pb2.RoundDealt)
PROCESSES = (*registry.SERVICES, "dispatcher", "worker")
# What a process could have found out by chance is no leak.
SHORTEST = 7
CANARY = "canary-4d2f8a"
JSON_WEB_TOKEN = re.compile(rb"eyJ[\w-]{10,}\.[\w-]{10,}\.")
HOUR = 3600


@dataclass
class Story:
    """What has happened on a platform, and what was heard of it outside."""

    platform: Launcher
    folder: Path
    collector: Collector
    taps: dict[str, Wiretap]
    table: Table
    tokens: set[str] = field(default_factory=set)
    matches: list[str] = field(default_factory=list)
    # Of these, those that are not over.
    going_on: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    refusals: list[bytes] = field(default_factory=list)
    pages: list[bytes] = field(default_factory=list)

    @property
    def stub(self) -> Any:
        return MatchServiceStub(grpc.insecure_channel(self.platform.addresses["domino"]))

    @property
    def tournaments(self) -> Any:
        return TournamentServiceStub(grpc.insecure_channel(self.platform.addresses["tournament"]))

    def create(self, *levels: str, **terms: Any) -> str:
        """A match, for a caller whose request has a name that may go anywhere."""
        request = pb.CreateMatchRequest(**terms)
        for level in levels:
            seat = request.seats.add()
            if level:
                seat.ai.level = level
            else:
                seat.open.SetInParent()
        metadata = (*self.table.metadata, ("x-request-id", CANARY))
        match_id: str = self.stub.CreateMatch(request, metadata=metadata, timeout=PATIENCE).match_id
        self.matches.append(match_id)
        return match_id

    def join(self, match_id: str, seat: int) -> pb.SeatCredential:
        """Takes a seat."""
        credential = self.table.join(match_id, seat)
        self.tokens.add(credential.token)
        return credential

    def refused(self, method: str, request: Any, token: str) -> None:
        """A call that must be refused, and all that is said about why."""
        self.tokens.add(token)
        with pytest.raises(grpc.RpcError) as caught:
            self._answers(method, request, token)
        error: Any = caught.value
        said = [str(error), error.details(), error.debug_error_string()]
        trailers = [value if isinstance(value, bytes) else value.encode() for _, value in error.trailing_metadata()]
        self.refusals += [*(text.encode() for text in said), *trailers]

    def _answers(self, method: str, request: Any, token: str) -> list[Any]:
        stub = self.stub if hasattr(self.stub, method) else self.tournaments
        call = getattr(stub, method)
        answer = call(request, metadata=(("authorization", f"Bearer {token}"),), timeout=PATIENCE)
        return list(answer) if isinstance(answer, Iterator) else [answer]

    def look_at_metrics(self) -> None:
        """What all processes show of themselves now."""
        for port in self.platform.metrics_ports.values():
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
                self.pages.append(answer.read())

    def sources(self) -> dict[str, bytes]:
        """All that has come out of any process."""
        files = [*(self.folder / "logs").iterdir(), *self.folder.glob("*/server.log"), *self.folder.glob("*.address")]
        return {
            **{f"{file.parent.name}/{file.name}": file.read_bytes() for file in files},
            "broker": self.taps["broker"].heard(lambda _: True),
            "log server": self.taps["log"].heard(lambda command: not is_about_a_log(command)),
            "outbox": self.taps["log"].heard(lambda command: any(b":outbox" in word for word in command[:3])),
            "metrics": b"\n".join(self.pages),
            "traces": b"\n".join(self.collector.sent),
            "refusals": b"\n".join(self.refusals),
        }

    def logs(self, ids: Sequence[str]) -> dict[str, list[Envelope]]:
        """The logs of matches or tournaments, with all of their secrets."""
        with redis.Redis.from_url(self.platform.redis_url) as client:
            streams: Any = {one: client.keys(f"meydan:*:log:{one}") for one in ids}
            rows: Any = {one: client.xrange(key) for one, (key,) in streams.items()}
        return {one: [unpack(row[b"e"]) for _, row in found] for one, found in rows.items()}


def wait(is_so: Callable[[], bool], what: str, pause: float = 0.05) -> None:
    """Until something has happened."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(pause)


def play_with_people(story: Story) -> None:
    """Two people and a computer; tokens of all kinds are given, seats change hands."""
    match_id = story.create("", "", "greedy", watching=events_pb.WATCHING_INVITED)
    seats = [story.join(match_id, seat) for seat in (0, 1)]
    for request in (
        pb.IssueTokenRequest(match_id=match_id, spectator=pb.Spectator()),
        pb.IssueTokenRequest(match_id=match_id, seat=0),
    ):
        issued: Any = story.table.call("IssueToken", request)
        story.tokens.add(issued.token)
    refuse_everything(story, match_id, seats)
    release = pb.ReleaseSeatRequest(match_id=match_id, seat=1, command_id="release")
    story.table.call("ReleaseSeat", release)
    joined: Any = story.table.call(
        "JoinMatch", pb.JoinMatchRequest(match_id=match_id, seat=1, player_name="the next", request_id="the-next")
    )
    story.tokens.add(joined.token)
    story.refused("GetView", pb.GetViewRequest(match_id=match_id, viewer=pb.Viewer(seat=seats[1])), seats[1].token)
    seats[1] = pb.SeatCredential(seat=1, token=joined.token)
    story.table.play_to_the_end(match_id, seats, seed=1)


def refuse_everything(story: Story, match_id: str, seats: list[pb.SeatCredential]) -> None:
    """Calls with every kind of token that does not open what it is used for."""
    clock = SystemClock()
    own = Tokens(SigningKey.read(key_file(story.folder, "tokens")), clock)
    forged = Tokens(SigningKey.generate(), clock)
    seat = frozenset({Scope.SEAT})
    stranger = own.issue(Claims("stranger", frozenset({Scope.PUBLIC}), own.expiry(HOUR)))
    bad = {
        stranger,
        own.issue(Claims("late", seat, own.expiry(-HOUR), match_id, Seat(0), "join")),
        own.issue(Claims("elsewhere", seat, own.expiry(HOUR), "01AAAAAAAAAAAAAAAAAAAAAAAA", Seat(0), "join")),
        own.issue(Claims("revoked", seat, own.expiry(HOUR), match_id, Seat(0), "another join")),
        forged.issue(Claims("forger", seat, own.expiry(HOUR), match_id, Seat(0), "join")),
        seats[1].token,
        seats[0].token[:-5] + "AAAAA",
        "x" * 5000,
    }
    viewer = pb.Viewer(seat=pb.SeatCredential(seat=0))
    for token in bad:
        story.refused("GetView", pb.GetViewRequest(match_id=match_id, viewer=viewer), token)
        story.refused("WatchMatch", pb.WatchMatchRequest(match_id=match_id, viewer=viewer), token)
        in_field = pb.SubmitCommandRequest(match_id=match_id, command_id="c", text="6-6 left")
        in_field.seat.CopyFrom(pb.SeatCredential(seat=0, token=token))
        story.refused("SubmitCommand", in_field, story.table.token)
        story.tokens.add(token)
    story.refused("GetView", pb.GetViewRequest(match_id=match_id), stranger)
    everything = pb.Viewer(everything=pb.Everything())
    story.refused("GetHistory", pb.GetHistoryRequest(match_id=match_id, viewer=everything), story.table.token)
    for text in ("nonsense", "6-6 left", "0-0 right"):
        # Out of turn, or not in the hand, or not understood: the reason is the rule's, and tells no hand.
        wrong = pb.SubmitCommandRequest(match_id=match_id, seat=seats[0], command_id="w", text=text, expected_version=1)
        story.refused("SubmitCommand", wrong, story.table.token)


def hold_tournaments(story: Story, settings: Settings) -> None:
    """One that is over and one that goes on: the secrets of both are looked for."""
    venue = Venue(story.platform, settings)
    goes_on, is_over = one_that_goes_on(venue), one_that_is_over(venue)
    for held in (goes_on, is_over):
        story.events.append(held.event.id)
        story.matches += held.matches
        story.tokens |= held.tokens
    story.going_on += goes_on.matches
    own, forged = Tokens(SigningKey.read(key_file(story.folder, "tokens")), SystemClock()), SigningKey.generate()
    for call in wrong_calls(goes_on, is_over, own, Tokens(forged, SystemClock())):
        story.refused(*call)


def kill_a_task(story: Story) -> None:
    """A process of the worker dies in the middle of a turn, and the service is away when another one wants to move."""
    service, worker = story.platform.processes["domino"], story.platform.processes["worker"]
    first = story.create("greedy", "random", "greedy")
    service.send_signal(signal.SIGSTOP)

    def has_died_at_work() -> bool:
        kill_children(worker.pid)
        return b"WorkerLostError" in story.platform.log_file("worker").read_bytes()

    # A turn that is begun now waits for the service, and so it is begun again until one dies in it.
    wait(has_died_at_work, "no task was killed", pause=0.5)
    service.send_signal(signal.SIGCONT)
    second = story.create("greedy", "greedy")
    service.kill()
    service.wait()
    broker = story.taps["broker"]
    wait(lambda: b'"retries": 1' in broker.heard(lambda _: True), "no task was repeated")
    story.platform.start_service("domino")
    story.table.wait_for_the_end(first, second)


def run_out_of_time(story: Story) -> None:
    """A person who comes and does not move, and one who does not come."""
    clock = events_pb.Clock(per_move=events_pb.PerMove(seconds=1))
    late = story.create("", "greedy", "greedy", clock=clock)
    story.join(late, 0)
    absent = story.create("", "random", join_seconds=1, clock=clock)
    story.table.wait_for_the_end(late, absent)


def leave_one_open(story: Story) -> None:
    """A match that goes on: its secrets are still secrets."""
    match_id = story.create("", "")
    for seat in (0, 1):
        story.join(match_id, seat)
    story.going_on.append(match_id)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """All of it, on a platform that says as much as it can."""
    folder = tmp_path_factory.mktemp("platform")
    with collecting() as (collector, endpoint):
        settings = Settings(
            data_dir=folder,
            ports=dict.fromkeys(registry.SERVICES, 0),
            redis_url="",
            broker_url="",
            log_level="debug",
            resend_seconds=2.0,
            metrics_port=free_ports(len(PROCESSES)),
            traces_endpoint=endpoint,
        )
        with Launcher(settings) as platform:
            taps = {name: Wiretap(server.port) for name, server in platform.servers.items()}
            told = Story(platform, folder, collector, taps, Table.of(platform))
            told.tokens.add(told.table.token)
            play_with_people(told)
            hold_tournaments(told, settings)
            kill_a_task(told)
            told.look_at_metrics()
            run_out_of_time(told)
            leave_one_open(told)
            worker = platform.log_file("worker")
            wait(
                lambda: worker.read_text().count('"match_audited"') >= len(told.matches) - len(told.going_on),
                "no audits",
            )
            told.look_at_metrics()
            for process in platform.processes.values():
                process.send_signal(signal.SIGTERM)
            for process in platform.processes.values():
                process.wait(PATIENCE)
            for tap in taps.values():
                tap.close()
            yield told


def secrets_of(story: Story) -> dict[str, bytes]:
    """All that must not have got out, by name."""
    found: dict[str, bytes] = {}
    for number, token in enumerate(sorted(story.tokens)):
        found[f"token {number}"] = token.encode()
        if token.count(".") == 2:
            signature = token.rpartition(".")[2]
            found[f"signature {number}"] = signature.encode()
            found[f"signed bytes {number}"] = base64.urlsafe_b64decode(signature + "==")
    for file in (story.folder / "keys").iterdir():
        found[f"key {file.name}"] = SigningKey.read(file).key.private_bytes_raw()
    for match_id, log in story.logs(story.matches).items():
        found |= {f"{name} of {match_id}": secret for name, secret in (secrets_in(log) | sealed_in(log)).items()}
    for event, log in story.logs(story.events).items():
        found |= {f"{name} of tournament {event}": secret for name, secret in sealed_in(log).items()}
    return {name: secret for name, secret in found.items() if len(secret) >= SHORTEST}


def secrets_in(log: list[Envelope]) -> dict[str, bytes]:
    """The secrets of a match: seeds, and the hands as the rules have them after the deal."""
    replay = Replay(GAME, Wire(GAME))
    match = replay.fold(None, log)
    found = {"server seed": match.server_seed, "seed": match.seed}
    dealt = next(envelope.version for envelope in log if envelope.type == DEAL)
    state = replay.fold(None, log[:dealt]).state
    views = [GAME.view(state, Viewer(Seat(seat))) for seat in range(len(match.seats))]
    return found | {f"repr of {place}": repr(one.hands).encode() for place, one in enumerate((state, *views))}


def sealed_in(log: list[Envelope]) -> dict[str, bytes]:
    """What a log of any kind has sealed, and the salts of it."""
    found: dict[str, bytes] = {}
    for envelope in log:
        for number, part in enumerate(envelope.sealed):
            name = f"{part.type} {number} at {envelope.version}"
            found[f"salt of {name}"] = part.salt
            found[name] = part.content or b""
            found[f"inside of {name}"] = inside(part)
    return found


def inside(part: SealedPart) -> bytes:
    """The heart of a secret, as other messages than its own would have it too."""
    content = part.content or b""
    match part.type.rpartition(".")[2]:
        case "ServerSeed":
            return events_pb.ServerSeed.FromString(content).seed
        case "AgentNote":
            return events_pb.AgentNote.FromString(content).seed
        case "Hand":
            # In a view, the tiles of a seat are also a packed field of number 2.
            tiles = domino_pb2.Hand.FromString(content).tiles
            return b"\x12" + bytes((len(tiles), *tiles))
        case "Boneyard":
            return bytes(domino_pb2.Boneyard.FromString(content).tiles)
        case _:
            return b""


def test_nothing_secret_has_got_out(story: Story) -> None:
    """No token, no key, no seed, no salt, no hand; in no form that we can think of."""
    secrets = secrets_of(story)
    names = " ".join(secrets)
    for kind in ("token", "signature", "key", "server seed", "salt", "inside of meydan.domino.v1.Hand", "AgentNote"):
        assert kind in names
    seeds = [name for name in secrets if name.startswith("inside of meydan.match.v1.ServerSeed")]
    assert [sum(name.endswith(f"tournament {event}") for name in seeds) for event in story.events] == [1, 1]
    sources = story.sources()
    assert leaks(sources, secrets) == []
    assert [source for source, data in sources.items() if b"TILE_" in data] == []


def test_no_token_of_anybody_has_got_out(story: Story) -> None:
    """Workers make tokens that nobody else ever sees: whatever looks like one is one too many."""
    for source, data in story.sources().items():
        assert (source, JSON_WEB_TOKEN.findall(data)) == (source, [])


def test_the_search_goes_where_things_go(story: Story) -> None:
    """The name of a request may go everywhere: it is found in each place that it has been to, however it is wrapped."""
    found = {leak.source for leak in leaks(story.sources(), {"canary": CANARY.encode()})}
    on_the_way = {"logs/domino.log", "logs/dispatcher.log", "logs/worker.log", "outbox", "log server", "broker"}
    assert found == on_the_way
    assert CANARY.encode() not in story.sources()["broker"], "it is wrapped there"
    matches = {match: match.encode() for match in story.matches}
    assert {leak.source for leak in leaks(story.sources(), matches)} >= {*on_the_way, "traces"}
    events = {event: event.encode() for event in story.events}
    assert {leak.source for leak in leaks(story.sources(), events)} >= {
        *("logs/tournament.log", "logs/dispatcher.log", "logs/worker.log"),
        *("outbox", "log server", "broker", "traces"),
    }
    first = story.matches[0]
    assert leaks({"log": b"\n".join(one.public for one in story.logs([first])[first])}, {"any": b"the next"})


def test_all_that_was_meant_to_happen_has_happened(story: Story) -> None:
    """Else nothing could have leaked from it."""
    sources = story.sources()
    assert b"clock_expired" in sources["logs/domino.log"]
    assert b"WorkerLostError" in sources["logs/worker.log"]
    assert b"match_audited" in sources["logs/worker.log"]
    assert b"audit_failed" not in sources["logs/worker.log"]
    for done in (b"round_submitted", b"tournament_changed", b"result_recorded"):
        assert done in sources["logs/tournament.log"]
    assert b'meydan_tasks_total{result="done",task="record_result"}' in sources["metrics"]
    assert b"task_put_off" in sources["logs/worker.log"]
    assert b"meydan_tokens_refused" in sources["metrics"]
    for reason in (b"NOT_YOUR_TOURNAMENT", b"WRONG_TOKEN"):
        assert reason in sources["refusals"]
    for reason in (b"BAD_TOKEN", b"TOKEN_EXPIRED", b"NOT_YOUR_SEAT", b"NOT_YOUR_MATCH", b"TOKEN_REVOKED"):
        assert reason in sources["refusals"]
    assert sources["traces"]


SECRET = bytes(range(7, 135, 4))
NOISE = b'{"event": "noise", "match": "01AAAAAAAAAAAAAAAAAAAAAAAA"}\n'


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(SECRET, id="as it is"),
        pytest.param(SECRET.hex().encode(), id="in digits"),
        pytest.param(repr(SECRET).encode(), id="as Python shows it"),
        pytest.param(json.dumps({"error": repr(SECRET)}).encode(), id="as a log shows what Python shows"),
        pytest.param(json.dumps(SECRET.decode("latin-1")).encode(), id="as JSON"),
        pytest.param(str(list(SECRET)).encode(), id="as numbers"),
        pytest.param(str(events_pb.ServerSeed(seed=SECRET)).encode(), id="as protobuf shows it"),
        pytest.param(json.dumps(str(events_pb.ServerSeed(seed=SECRET))).encode(), id="as a log shows that"),
        pytest.param(b"seed=" + base64.b64encode(SECRET), id="in base64"),
        pytest.param(b"seed:" + base64.urlsafe_b64encode(b"more " + SECRET + b" more"), id="in base64 with more"),
        pytest.param(b"n" + base64.b64encode(b"m" + SECRET), id="in base64 after a letter"),
        pytest.param(
            base64.b64encode(json.dumps([["domino", base64.b64encode(b"x" + SECRET).decode()], {}]).encode()),
            id="as the work of a task",
        ),
    ],
)
def test_a_secret_would_be_found(written: bytes) -> None:
    """Among other things, in every form; and is not found where it is not."""
    assert leaks({"here": NOISE + written + NOISE, "there": NOISE}, {"seed": SECRET}) == [Leak("here", "seed")]
    assert leaks({"here": NOISE + written + NOISE}, {"other seed": bytes(32)}) == []
