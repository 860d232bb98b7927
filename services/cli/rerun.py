"""`meydan rerun-ai`: whether computer players have moved as they do."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from services.cli import lookup, proofs, show
from services.cli.failures import Wrong
from shared import rerun as core
from shared.audit import Audited
from shared.match.wire import Wire
from shared.rerun import Rerun
from shared.verify import Wrong as Differs


def rerun(file: Path, keys: Path | None) -> None:
    """Computes every move of a computer player in a file again."""
    print_again(file, proofs.checked(file, proofs.trusted(keys, lookup.settings())).audited, show.console())


def print_again(file: Path, audited: Audited, out: Console) -> None:
    """A table of the players; raises the first move that comes out otherwise."""
    if audited.match is None:
        raise Wrong(f"{file} lacks what was hidden when it was written; export the match again when it is over.")
    try:
        again = list(_with_progress(audited, out))
    except Differs as wrong:
        raise proofs.unproved(file, wrong) from None
    out.print(_table(again))
    computed = sum(one.is_computed for one in again)
    show.say(out, Text(f"{computed} moves of computer players were computed again, and are in the log.", "bold green"))
    if computed < len(again):
        lost = f"{len(again) - computed} are of versions that are not there any more, and can't be computed."
        show.say(out, Text(lost, style="yellow"))


def _with_progress(audited: Audited, out: Console) -> Iterator[Rerun]:
    again = core.rerun(audited.game, Wire(audited.game), audited.envelopes)
    if not out.is_terminal:
        return again
    total = core.count(audited.envelopes)
    return iter(track(again, "Computing again", total, console=out, transient=True))


def _table(again: list[Rerun]) -> Table:
    moves = Counter((one.seat, one.level, one.agent_version) for one in again)
    agreed = Counter((one.seat, one.level, one.agent_version) for one in again if one.is_computed)
    made = show.table("seat", "computer player", "version", "moves", "agreed")
    for player, count in sorted(moves.items()):
        seat, level, version = player
        style = show.seat_style(seat)
        counts = map(str, (version, count, agreed[player]))
        made.add_row(Text(str(seat), style=style), Text(level, style=style), *counts)
    return made
