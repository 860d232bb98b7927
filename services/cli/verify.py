"""`meydan verify`: whether a file is what happened. No server is asked."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import typer
from rich.console import Console
from rich.text import Text

from services.cli import lookup, proofs, sentences, show
from services.cli.proofs import Checked, Trusted, Unproved
from shared.audit import Audited
from shared.match.model import Match

_HIDDEN = "not to be checked while things are hidden: export the match again when it is over"


class Check(NamedTuple):
    """Something that holds, and what was found; None if it can't be told because things are hidden."""

    name: str
    found: str | None


def verify(file: Path, keys: Path | None, *, is_json: bool) -> None:
    """Checks a file, of a match or of a tournament, and says what was checked; raises what is wrong with it."""
    by = proofs.trusted(keys, lookup.settings())
    if proofs.is_tournament(file):
        from services.cli import tournament_proof

        tournament_proof.verify_file(file, keys, None, is_json=is_json)
        return
    try:
        found = proofs.checked(file, by)
    except Unproved as unproved:
        if is_json:
            typer.echo(json.dumps({"is_good": False, "version": unproved.version, "message": unproved.message}))
        raise
    if is_json:
        typer.echo(json.dumps(_as_json(found.audited, by), indent=2))
    else:
        print_checks(file, found, by, show.console())


def print_checks(file: Path, found: Checked, by: Trusted, out: Console) -> None:
    """The list of checks, and what they amount to."""
    audited = found.audited
    made = show.table("", "check", "found", title=f"{audited.game.title}, match {audited.head.match_id}")
    for name, what in checks(audited, by):
        mark = Text("?", style="yellow") if what is None else Text("✓", style="bold green")
        made.add_row(mark, name, show.sentence(what or _HIDDEN))
    out.print(made)
    show.say(out, Text(f"{file} {_verdict(audited, by)}", style="bold green"))
    if by.keys is None:
        doubt = "But who has made the file may have made its key: `--keys FILE` checks by what `meydan keys` prints."
        show.say(out, Text(doubt, style="yellow"))


def _verdict(audited: Audited, by: Trusted) -> str:
    if by.keys is None:
        return "holds together."
    if audited.match is None:
        return "is a part of what has happened so far, and nothing of it was changed."
    return "is what happened, and it happened by the rules."


def checks(audited: Audited, by: Trusted) -> list[Check]:
    """What was found in a file that has no fault."""
    events = len(audited.envelopes)
    whose = by.whose or "which only the file itself vouches for"
    parts = [part for envelope in audited.envelopes for part in envelope.sealed]
    opened = sum(part.content is not None for part in parts)
    match = audited.match
    return [
        Check("signature", f"by key {audited.head.key_id}, {whose}"),
        Check("length", f"{events} events, as signed"),
        Check("chain", f"{events} hashes, each of them in the next event; the last is signed"),
        Check("commitments", f"{opened} of {len(parts)} sealed parts are open, all as they were committed to"),
        Check("seed", match and _seed(match)),
        Check("draws and rules", match and f"all {events} events come out again when they are decided anew"),
        Check("outcome", match and sentences.places(match.places or ())),
    ]


def _seed(match: Match) -> str:
    added = sum(bool(seat.entropy) for seat in match.seats)
    players = sum(not seat.ai_level for seat in match.seats)
    return f"the server's part as it was committed to; {added} of {players} players have added theirs"


def _as_json(audited: Audited, by: Trusted) -> dict[str, Any]:
    match = audited.match
    return {
        "is_good": True,
        "match_id": audited.head.match_id,
        "game": audited.game.name,
        "events": len(audited.envelopes),
        "key_id": audited.head.key_id,
        "is_key_published": by.keys is not None,
        "is_redacted": match is None,
        "places": match and match.places,
        "checks": dict(checks(audited, by)),
    }
