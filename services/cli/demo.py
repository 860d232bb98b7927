"""`meydan demo`: the whole platform for a minute, in a folder of its own that is gone afterwards."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from services import registry
from services.cli import demo_matches, demo_tournaments, keys, proofs, recording, replay, rerun, sentences, show, verify
from services.cli.client import EVERYTHING, Client
from services.cli.demo_matches import Row
from services.cli.failures import Failure
from services.cli.interrupts import Interrupts, interruptible
from services.cli.recording import Recording
from services.cli.tournament_client import TournamentClient
from shared.match.wire import Wire
from shared.settings import Settings
from shared.verify import verify as verified

if TYPE_CHECKING:
    from services.launcher import Launcher

_PREFIX = "MEYDAN_"
_BUILD = Path("build")
_KEPT_LOGS = _BUILD / "demo-logs"
_KEYS = _BUILD / "demo-keys.json"


def demo() -> None:
    """Bots and a client play every game over gRPC; one match is shown, replayed from its log, and proved.

    Then tournaments are hosted in all games at once, and proved whole.
    """
    out = show.console()
    with ExitStack() as stack:
        redis_url = stack.enter_context(_own_environment())
        interrupts = stack.enter_context(interruptible())
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="meydan-demo-"))).resolve()
        try:
            _demo(redis_url, folder, interrupts, out)
        except Exception as error:
            raise _told(error, folder) from error
    _print_next(out)


def _told(error: Exception, folder: Path) -> Failure:
    """Whatever went wrong, in one sentence; the logs are kept where it says."""
    what = error.message if isinstance(error, Failure) else str(error) or type(error).__name__
    logs = folder / "logs"
    try:
        shutil.rmtree(_KEPT_LOGS, ignore_errors=True)
        shutil.copytree(logs, _KEPT_LOGS)
    except OSError:
        return Failure(f"The demo failed: {what}")
    return Failure(f"The demo failed (logs in {_KEPT_LOGS}): {what.replace(str(logs), str(_KEPT_LOGS))}")


@contextmanager
def _own_environment() -> Iterator[str]:
    """Settings that are left over must not change the demo or its processes; a Redis of one's own is used, though."""
    kept = {name: value for name, value in os.environ.items() if name.upper().startswith(_PREFIX)}
    for name in kept:
        del os.environ[name]
    try:
        yield kept.get(f"{_PREFIX}REDIS_URL", "")
    finally:
        os.environ.update(kept)


def _demo(redis_url: str, folder: Path, interrupts: Interrupts, out: Console) -> None:
    # Imported in the demo's own environment: the workers' settings are read when they are imported.
    from services.launcher import Launcher

    settings = Settings(redis_url=redis_url, data_dir=folder, ports=dict.fromkeys(registry.SERVICES, 0))
    launcher = Launcher(settings)
    try:
        with interrupts.held(), show.working(out, "Starting the platform"):
            launcher.start()
        _tell(launcher, settings, out)
    finally:
        with show.working(out, "Stopping the platform"):
            launcher.stop()


def _tell(launcher: "Launcher", settings: Settings, out: Console) -> None:
    with ExitStack() as stack:
        token = launcher.development_token()
        clients = [
            stack.enter_context(Client(registry.load(name), launcher.addresses[name], settings, token))
            for name in registry.NAMES
        ]
        out.print(Text(f"Up: {', '.join(f'{name} at {at}' for name, at in launcher.addresses.items())}."))
        out.print(Rule("Matches, played over gRPC"))
        rows = demo_matches.host(clients, out)
        recordings = [_audited(row) for row in rows]
        # Of each game, the match that the client has played in.
        chosen = {row.client: made for row, made in zip(rows, recordings, strict=True) if row.has_client}
        _print_match(chosen[clients[0]], out)
        out.print(
            f"All {len(rows)} matches, replayed from their logs, give the results that were recorded.",
            style="bold green",
        )
        _BUILD.mkdir(exist_ok=True)
        for made in chosen.values():
            replay.draw(made, made.version, _BUILD / f"demo-{made.game.name}.svg", out)
        out.print(Rule("Proved from an exported file, with no server"))
        for client, made in chosen.items():
            _export(client, made.match_id)
            _prove(made.game.name, out)
        tournaments = stack.enter_context(TournamentClient(launcher.addresses[registry.TOURNAMENT], settings, token))
        _tell_tournaments(tournaments, clients, out)


def _tell_tournaments(client: TournamentClient, games: list[Client], out: Console) -> None:
    out.print(Rule("A tournament in every game at once"))
    events = demo_tournaments.host(client, games, out)
    out.print(Rule("Proved from exported files, with no server: one hash vouches for a whole event"))
    for event in events:
        demo_tournaments.prove(client, event, proofs.trusted(_KEYS, Settings()), out)
    out.print(Rule("Why did these two meet?"))
    demo_tournaments.explain(client, events[0], out)


def _audited(row: Row) -> Recording:
    """The match from its log alone, if that comes out as it was recorded."""
    log = tuple(row.client.history(row.match_id, EVERYTHING))
    recorded = tuple(tuple(place.seats) for place in row.client.look(row.match_id).match.places)
    if verified(row.game, Wire(row.game), log).places != recorded:
        raise Failure(f"The replay of match {row.match_id} does not give the result that was recorded.")
    return recording.from_log(row.game, log)


def _print_match(shown: Recording, out: Console) -> None:
    out.print(Rule(f"One of them, {shown.match_id}"))
    last = shown.version
    out.print(show.Board(shown.game, shown.position(last), f"{shown.game.title}, the end", "everything revealed"))
    out.print(show.results(shown.places, shown.seats))
    out.print(Rule("Replayed from its log"))
    started = next(version for version in range(1, last + 1) if shown.position(version) is not None)
    for part in range(1, 4):
        replay.print_position(shown, started + (last - started) * part // 4, out)
    told = f"Replayed: {last} events, {sentences.places(shown.places)}. Recorded: the same."
    show.say(out, show.sentence(told))


def _export(client: Client, match_id: str) -> None:
    _exported(client.game.name).write_bytes(client.export(match_id, EVERYTHING))
    _KEYS.write_text(keys.as_json(keys.published(client)))


def _prove(game: str, out: Console) -> None:
    """As anybody can who has the file and the published keys."""
    file, by = _exported(game), proofs.trusted(_KEYS, Settings())
    found = proofs.checked(file, by)
    verify.print_checks(file, found, by, out)
    rerun.print_again(file, found.audited, out)


def _exported(game: str) -> Path:
    return _BUILD / f"demo-{game}.jsonl"


def _print_next(out: Console) -> None:
    program, game = show.program(), registry.NAMES[0]
    event, matches = demo_tournaments.event_file(game), demo_tournaments.matches_folder(game)
    out.print(Rule("What to try next"))
    show.commands(
        out,
        (f"{program} verify {_exported(game)} --keys {_KEYS}", "the proof again; a changed byte breaks it"),
        (f"{program} rerun-ai {_exported(game)} --keys {_KEYS}", "the moves of the computer players again"),
    )
    show.commands(
        out,
        (f"{program} tournament verify {event} --matches {matches} --keys {_KEYS}", "a tournament and its matches"),
        (f"{program} tournament replay {event} --round 2", "the standings at any moment, from the log alone"),
    )
    show.commands(
        out,
        ("make up", "stays up; in another terminal:"),
        (f"{program} play {game} --receipts receipts.jsonl", "play against the computer, and keep the receipts"),
        (f"{program} create {game} --seat greedy --seat random", "make a match"),
        (f"{program} watch MATCH", "a match as it happens"),
        (f"{program} replay MATCH --export match.jsonl", "a match from its log, and as a file"),
        (f"{program} receipt match.jsonl receipts.jsonl", "your moves are in the log"),
        (f"{program} tournament create Cup --game {game} --rounds 4 --bots 16 --start", "a tournament of your own"),
        (f"{program} tournament watch TOURNAMENT", "its standings, live"),
        ("make test", "all checks and tests"),
    )
