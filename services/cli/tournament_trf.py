"""`meydan tournament trf` and `pair`: FIDE's report of a Swiss for two, written, and paired on by our engine."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import typer
from rich.text import Text

from services.cli import proofs, show, tournament_replay, tournament_show
from services.cli.failures import Failure, Wrong
from services.cli.sentences import counted
from services.tournament import messages, records, trf
from services.tournament.fold import TournamentFold
from services.tournament.model import Draw, Number, Player, System
from services.tournament.pairing import check, check_dutch, dutch, fast
from services.tournament.pairing.pool import Pool, pool
from services.tournament.pairing.unsound import Unsound
from services.tournament.standings import points_shown
from services.tournament.trf import Report
from shared.kernel import Malformed

T = TypeVar("T")

_SYSTEMS = {"swiss": System.SWISS, "dutch": System.DUTCH}
# Not all at which Python would break a line: names may hold those.
_LINE_END = re.compile(r"\r\n|\r|\n")
_TIE_BREAKS = "202"
# What engines are told of a round to come and our reader leaves out: without it the round would be another one.
_UNREAD = {"XXP": "pairs", "260": "pairs", "XXA": "acceleration", "250": "acceleration"}


def write(wish: tournament_replay.Wish, file: Path) -> None:
    """Writes the report of a tournament of the service, or of an exported one."""
    with proofs.wrong_told(Path(wish.tournament)):
        tournament = TournamentFold().fold(None, tournament_replay.log_of(wish))
    if not tournament.order:
        raise Wrong("The tournament has not started: there is nothing to report.")
    players = records.players(tournament)
    content = _told(lambda: trf.write(tournament.plan, players, records.rounds(tournament)))
    try:
        file.write_bytes(content.encode())
    except OSError as error:
        raise Wrong(f"{file} can't be written: {error.strerror}.") from None
    rounds = min(len(player.entries) for player in players)
    said = f"Wrote {file}: {counted(len(players), 'entrant')}, {counted(rounds, 'round')}."
    show.say(show.console(), Text(said))


def _told(read: Callable[[], T], about: str = "") -> T:
    """What the report's own code says, as a sentence."""
    try:
        return read()
    except Malformed as error:
        said = f"{about}{error.message}."
        raise Wrong(said[:1].upper() + said[1:]) from None


class _Paired(NamedTuple):
    """A round that follows a report, which its checker accepts."""

    report: Report
    pool: Pool
    draw: Draw

    def start(self, number: Number) -> int:
        """An entrant as the report calls it."""
        return self.report.players[number].seed


def pair(file: Path, system: str | None, *, is_json: bool) -> None:
    """Shows the round that our engine pairs after those of a report, with its certificate."""
    report = _read(file)
    wanted = report.plan.system if system is None else _system(system)
    paired = _paired(report, wanted)
    if is_json:
        typer.echo(json.dumps(_as_json(paired), indent=2))
    else:
        _print(paired)


def _read(file: Path) -> Report:
    # Tie-breaks have no say in who meets whom: those that are not known here do not matter.
    lines = ["" if line[:3] == _TIE_BREAKS else line for line in _LINE_END.split(_text(file))]
    for at, line in enumerate(lines, 1):
        if line[:3] in _UNREAD:
            raise Wrong(f"In {file}, line {at}: {_UNREAD[line[:3]]} of a report ({line[:3]}) are not known here.")
    return _told(lambda: trf.read("\n".join(lines)), f"in {file}, ")


def _text(file: Path) -> str:
    """What is no UTF-8 is from before it: a byte a letter, so that columns stay where they are."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise Wrong(f"{file} can't be read: {error.strerror}.") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _system(word: str) -> System:
    if word not in _SYSTEMS:
        raise Wrong(f"A report is paired by {' or '.join(_SYSTEMS)}, not by {word!r}.")
    return _SYSTEMS[word]


def _paired(report: Report, system: System) -> _Paired:
    number = len(report.rounds) + 1
    found = pool(report.players, number, 2)
    try:
        if system is System.DUTCH:
            draw = dutch.pair(replace(report.plan, system=system), report.players, number, found)
            check_dutch.check(found, draw)
        else:
            draw = fast.pair(found)
            check.check(found, draw)
    except dutch.CannotPair as error:
        raise Wrong(str(error)) from None
    except Unsound as error:
        raise Failure(f"The checker does not accept the round: {error}") from None
    return _Paired(report, found, draw)


def _as_json(paired: _Paired) -> dict[str, Any]:
    draw = paired.draw
    return {
        "round": paired.pool.round,
        "tables": [[paired.start(one) for one in table.seats] for table in draw.tables],
        "byes": [paired.start(one) for one in draw.byes],
        "certificate": show.fields(messages.certificate_message(draw.certificate)),
        "is_accepted": True,
    }


def _print(paired: _Paired) -> None:
    out, draw = show.console(), paired.draw
    made = show.table("table", "white", "black", title=f"{paired.report.plan.name}, round {paired.pool.round}")
    made.columns[0].justify = "right"
    for at, table in enumerate(draw.tables, 1):
        made.add_row(str(at), *_named(paired, table.seats))
    out.print(made)
    if draw.byes:
        show.say(out, Text(f"Without a table: {', '.join(_named(paired, draw.byes))}."))
    certificate = messages.certificate_message(draw.certificate)
    out.print(tournament_show.certificate(certificate))
    show.say(out, Text("The checker, which knows nothing of the search, accepts the round and its certificate."))
    if draw.certificate.method == check_dutch.METHOD:
        show.say(
            out, Text("It proves a round of the Dutch system to be legal; to be the best one, only the engine can.")
        )
    else:
        show.say(out, tournament_show.verdict(certificate))


def _named(paired: _Paired, numbers: Sequence[Number]) -> list[str]:
    """`3 Ann (2.5)`: the start number, the name, and the points so far."""
    players: list[Player] = [paired.report.players[number] for number in numbers]
    return [f"{one.seed} {one.name} ({points_shown(one.points)})" for one in players]
