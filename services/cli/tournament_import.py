"""`meydan tournament import`: a tournament that was exported when it was over is on this platform too."""

import gzip
import io
import json
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import typer
from rich.text import Text

from services.cli import proofs, show, tournament_lookup
from services.cli.failures import Wrong
from services.registry import TOURNAMENT

_GZIP_MAGIC = b"\x1f\x8b"


def import_one(file: Path, address: str | None, *, is_json: bool) -> None:
    """Takes a file in; whether all of it holds, the service finds out."""
    packed = _packed(file)
    with tournament_lookup.client_of(address) as client, _waiting():
        answer = client.take_in(packed)
    made, events = answer.tournament_id, answer.acknowledgement.version
    if is_json:
        typer.echo(json.dumps({"tournament_id": made, "events": events}))
        return
    out = show.console()
    show.say(out, Text(f"Tournament {made} is here, with all of its {events:,} events."))
    at = f" --address {address}" if address else ""
    show.commands(out, (f"{show.program()} tournament standings {made}{at}", "shows how it ended"))


def _waiting() -> AbstractContextManager[None]:
    notes = show.console(is_error=True)
    return show.working(notes, "Everything is decided again") if notes.is_terminal else nullcontext()


def _packed(file: Path) -> bytes:
    """A file that was compressed goes as it is."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise Wrong(f"{file} can't be read: {error.strerror}.") from None
    if content.startswith(_GZIP_MAGIC):
        return content
    first = io.StringIO(content.partition(b"\n")[0].decode("utf-8", "replace"))
    if proofs.header(file, first, "an exported tournament").game != TOURNAMENT:
        raise Wrong(f"{file} is an exported match: only tournaments are imported.")
    return gzip.compress(content)
