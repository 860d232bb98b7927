"""`meydan tournament replay`: the standings at any moment, from the log alone."""

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from meydan.tournament.v1 import tournament_service_pb2 as api
from services.cli import proofs, show, tournament_lookup, tournament_show
from services.cli.failures import Wrong
from services.cli.tournament_sentences import Sentences
from services.registry import TOURNAMENT
from services.tournament import book, messages
from services.tournament.fold import TournamentFold
from services.tournament.state import Tournament
from shared.envelope import Envelope


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for: a tournament's id or a file, and the moment to show."""

    tournament: str
    at: int | None = None
    round: int | None = None
    rows: int = 0
    address: str | None = None


def replay(wish: Wish, *, is_json: bool) -> None:
    """Shows a tournament of the service, or of a file."""
    if wish.at is not None and wish.round is not None:
        raise Wrong("Either --at names a version, or --round a round.")
    with proofs.wrong_told(Path(wish.tournament)):
        log = log_of(wish)
        tournament = _folded(wish, log)
        rows = book.standings_rows(tournament) if tournament.order else []
        lines = [] if is_json else _lines(wish, log, tournament.version)
    if is_json:
        typer.echo(json.dumps(_as_json(tournament, len(log), rows), indent=2))
        return
    out = show.console()
    for line in lines:
        show.say(out, line)
    _print_standings(tournament, len(log), rows, wish.rows, out)


def log_of(wish: Wish) -> list[Envelope]:
    """The log of a tournament of the service, or of a file."""
    file = Path(wish.tournament)
    if file.is_file():
        return read(file)
    if not tournament_lookup.is_id(wish.tournament):
        raise Wrong(f"{wish.tournament!r} is neither the id of a tournament nor a file.")
    with tournament_lookup.client_of(wish.address) as client:
        return client.history(wish.tournament)


def read(file: Path) -> list[Envelope]:
    """The log in a file; whether it is good is for `verify` to say."""
    exported = proofs.header(file, io.StringIO(proofs.read(file)), "an exported tournament")
    if exported.game != TOURNAMENT:
        raise Wrong(f"{file} is an exported match: `meydan replay` shows it.")
    return list(exported.envelopes)


def _folded(wish: Wish, log: list[Envelope]) -> Tournament:
    whole = TournamentFold().fold(None, log)
    version = _version(wish, whole)
    return whole if version == whole.version else TournamentFold().fold(None, log[:version])


def _version(wish: Wish, whole: Tournament) -> int:
    """A round is shown as it stood when the next one was paired."""
    if wish.round is not None:
        if not 1 <= wish.round <= len(whole.rounds):
            raise Wrong(f"The tournament has the rounds 1 to {len(whole.rounds)}, not {wish.round}.")
        is_last = wish.round == len(whole.rounds)
        return whole.version if is_last else whole.rounds[wish.round].version - 1
    if wish.at is not None and not 1 <= wish.at <= whole.version:
        raise Wrong(f"The tournament has the versions 1 to {whole.version}, not {wish.at}.")
    return wish.at or whole.version


def _lines(wish: Wish, log: list[Envelope], version: int) -> list[Text]:
    """All events; of a moment, the one that led to it."""
    sentences = Sentences()
    told = [show.numbered(sentences.of(envelope), envelope.version) for envelope in log[:version]]
    return told if wish.at is None and wish.round is None else told[-1:]


def _print_standings(
    tournament: Tournament, newest: int, rows: list[api.StandingsRow], most: int, out: Console
) -> None:
    if not rows:
        show.say(out, Text(f"{len(tournament.entrants)} entrants; it has not started: there are no standings yet."))
        return
    plan = messages.plan_message(tournament.plan)
    title = f"{plan.name}, version {tournament.version} of {newest}"
    out.print(tournament_show.standings(plan, rows, title, most))


def _as_json(tournament: Tournament, newest: int, rows: list[api.StandingsRow]) -> dict[str, Any]:
    return {
        "tournament_id": tournament.id,
        "version": tournament.version,
        "newest_version": newest,
        "round": len(tournament.rounds),
        "rows": [show.fields(row) for row in rows],
    }
