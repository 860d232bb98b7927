"""`meydan replay`: a match from its log, at any version."""

import json
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer
from google.protobuf.json_format import MessageToDict
from rich.console import Console
from rich.text import Text

from services.cli import lookup, recording, show
from services.cli.client import EVERYTHING, SPECTATOR
from services.cli.failures import Wrong
from services.cli.recording import Recording
from services.cli.sentences import Sentences, holder
from shared.envelope import Envelope
from shared.match.ids import is_match_id
from shared.match.wire import Wire


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for: a match's id or a file, and what to do with it."""

    match: str
    game: str | None = None
    address: str | None = None
    at: int | None = None
    export: Path | None = None
    svg: Path | None = None


def replay(wish: Wish, *, is_json: bool) -> None:
    """Shows a match of a service, or of a file."""
    # What a program reads has only JSON in it.
    out, notes = show.console(), show.console(is_error=is_json)
    with ExitStack() as stack:
        found = _from_file(wish) if Path(wish.match).is_file() else _from_service(wish, notes, stack)
        version = found.version if wish.at is None else found.envelope(wish.at).version
        if wish.svg is not None:
            draw(found, version, wish.svg, notes)
        if is_json:
            typer.echo(json.dumps(_as_json(found, version), indent=2))
        elif wish.at is None:
            _print_all(found, out)
        else:
            print_position(found, version, out)


def _from_file(wish: Wish) -> Recording:
    if wish.export is not None:
        raise Wrong(f"{wish.match} is an exported match already; --export takes the id of a match.")
    return recording.from_file(Path(wish.match))


def _from_service(wish: Wish, notes: Console, stack: ExitStack) -> Recording:
    if not is_match_id(wish.match):
        raise Wrong(f"{wish.match!r} is neither the id of a match nor a file.")
    client, summary = lookup.match_named(wish.match, wish.game, wish.address)
    stack.enter_context(client)
    found = recording.from_service(client, summary)
    if wish.export is not None:
        viewer = EVERYTHING if found.is_finished else SPECTATOR
        _write(wish.export, client.export(wish.match, viewer), notes)
    return found


def _write(path: Path, content: bytes, notes: Console) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise Wrong(f"{path} can't be written: {error.strerror}.") from None
    show.say(notes, Text(f"Wrote {path}.", style="dim"))


def draw(found: Recording, version: int, path: Path, notes: Console) -> None:
    """Writes a picture of a position."""
    view = found.position(version)
    if view is None:
        raise Wrong(f"At version {version} the match had not started: there is nothing to draw.")
    _write(path, found.game.picture(view).encode(), notes)


def _print_all(found: Recording, out: Console) -> None:
    sentences = Sentences(found.game)
    for envelope in found.envelopes:
        show.say(out, show.sentence(sentences.of(envelope), envelope.version))
    if found.has_positions:
        _print_board(found, found.version, out)
    if found.places:
        out.print(show.results(found.places, found.seats))


def print_position(found: Recording, version: int, out: Console) -> None:
    """What happened at a version, and the board after it."""
    told = Sentences(found.game).of(found.envelope(version))
    show.say(out, show.sentence(told, version))
    _print_board(found, version, out)


def _print_board(found: Recording, version: int, out: Console) -> None:
    sight = "everything revealed" if found.is_finished else "as a spectator sees it"
    title = f"{found.game.title}, version {version} of {found.version}"
    out.print(show.Board(found.game, found.position(version), title, sight))


def _as_json(found: Recording, version: int) -> dict[str, Any]:
    view = found.position(version) if found.has_positions else None
    return {
        "match_id": found.match_id,
        "game": found.game.name,
        "status": found.status,
        "version": version,
        "newest_version": found.version,
        "seats": list(map(holder, found.seats)),
        "places": found.places,
        "events": [_event(found, envelope) for envelope in found.envelopes[:version]],
        "view": None if view is None else _fields(found.game.codec.encode_view(view)),
        "board": None if view is None else found.game.notation.format_view(view),
    }


def _event(found: Recording, envelope: Envelope) -> dict[str, Any]:
    return {
        "version": envelope.version,
        "time": datetime.fromtimestamp(envelope.time_micros / 1e6, UTC).isoformat(),
        "seat": envelope.seat,
        "type": envelope.type,
        "event": _fields(Wire(found.game).public(envelope)),
        "sentence": Sentences(found.game).of(envelope),
    }


def _fields(message: Any) -> dict[str, Any]:
    return MessageToDict(message, preserving_proto_field_name=True)
