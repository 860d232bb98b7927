"""`meydan tournament export` and `verify`: one hash vouches for the whole event. No server is asked to verify."""

import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import typer
from rich.console import Console
from rich.progress import track
from rich.text import Text

from meydan.tournament.v1 import tournament_pb2 as pb
from services.cli import lookup, proofs, show, tournament_lookup, tournament_matches
from services.cli.client import Client
from services.cli.failures import Wrong
from services.cli.proofs import Trusted, Unproved
from services.cli.tournament_client import TournamentClient
from services.cli.tournament_matches import Recorded
from services.cli.verify import Check
from services.registry import TOURNAMENT
from services.tournament import verify
from services.tournament.state import Tournament
from services.tournament.verify import Audited
from services.tournament.wire import WIRE
from shared import export
from shared.envelope import Envelope
from shared.match.model import Status

T = TypeVar("T")


def export_one(word: str, file: Path, folder: Path | None, address: str | None) -> None:
    """Writes a tournament's log to a file, and the logs of its matches to a folder."""
    tournament = tournament_lookup.tournament_id(word)
    out = show.console()
    with tournament_lookup.client_of(address) as client:
        log = write_log(client, tournament, file, out)
    if folder is not None:
        with lookup.client_of(lookup.game_named(created(log).plan.game)) as game:
            write_matches(game, log, folder, out)


def write_log(client: TournamentClient, tournament: str, file: Path, out: Console) -> list[Envelope]:
    """Writes the tournament's own log, and answers it."""
    content = client.export(tournament)
    try:
        file.write_bytes(content)
    except OSError as error:
        raise Wrong(f"{file} can't be written: {error.strerror}.") from None
    show.say(out, Text(f"Wrote {file}.", style="dim"))
    return list(export.read(io.StringIO(content.decode())).envelopes)


def write_matches(client: Client, log: Sequence[Envelope], folder: Path, out: Console) -> None:
    """Writes the matches that the log vouches for."""
    ids = list(verify.matches_of(log))
    for _ in _with_progress(tournament_matches.write(client, ids, folder), len(ids), "Writing matches", out):
        pass
    show.say(out, Text(f"Wrote {len(ids)} matches into {folder}.", style="dim"))


def created(log: Sequence[Envelope]) -> pb.TournamentCreated:
    """The first event."""
    return pb.TournamentCreated.FromString(log[0].public)


def _with_progress(steps: Iterable[T], total: int, what: str, out: Console) -> Iterable[T]:
    return track(steps, what, total, console=out, transient=True) if out.is_terminal else steps


class Proved(NamedTuple):
    """A tournament's file in which nothing is wrong, and what was found in the files of its matches."""

    audited: Audited
    matches: dict[str, Recorded]
    # Of these, the files were checked; None if nobody asked.
    checked: frozenset[str] | None


def verify_file(file: Path, keys: Path | None, folder: Path | None, *, is_json: bool) -> None:
    """Checks a file, and says what was checked; raises what is wrong with it."""
    by, out = proofs.trusted(keys, lookup.settings()), show.console()
    try:
        proved = prove(file, by, folder, show.console(is_error=True) if is_json else out)
    except Unproved as unproved:
        if is_json:
            typer.echo(json.dumps({"is_good": False, "version": unproved.version, "message": unproved.message}))
        raise
    if is_json:
        typer.echo(json.dumps(_as_json(proved, by), indent=2))
    else:
        print_checks(file, proved, by, out)


def prove(file: Path, by: Trusted, folder: Path | None, out: Console) -> Proved:
    """Everything that can be checked of a tournament, and of its matches if there is a folder with them."""
    files = [] if folder is None else tournament_matches.files_in(folder, file)
    with ExitStack() as stack:
        if out.is_terminal:
            stack.enter_context(show.working(out, "Deciding everything again"))
        audited = checked(file, by)
    known = tournament_matches.recorded(audited.tournament, audited.envelopes)
    found = {
        tournament_matches.check(one, audited.tournament, known, by)
        for one in _with_progress(files, len(files), "Deciding the matches again", out)
    }
    return Proved(audited, known, None if folder is None else frozenset(found))


def checked(file: Path, by: Trusted) -> Audited:
    """The log in a file, if all that can be checked of it holds."""
    lines = list(io.StringIO(proofs.read(file)))
    exported = proofs.header(file, lines, "an exported tournament")
    if exported.game != TOURNAMENT:
        raise Wrong(f"{file} is an exported match: `meydan verify` checks it.")
    with proofs.wrong_told(file):
        return verify.audited(lines, by.keys)


def print_checks(file: Path, proved: Proved, by: Trusted, out: Console) -> None:
    """The list of checks, and what they amount to."""
    tournament = proved.audited.tournament
    made = show.table("", "check", "found", title=f"{tournament.plan.name}, tournament {tournament.id}")
    for name, what in checks(proved, by):
        mark = Text("?", style="yellow") if what is None else Text("✓", style="bold green")
        made.add_row(mark, name, what or _HIDDEN)
    out.print(made)
    show.say(out, Text(f"{file} {_verdict(proved, by)}", style="bold green"))
    for doubt in _doubts(proved, by):
        show.say(out, Text(doubt, style="yellow"))


_HIDDEN = "not to be checked while the seed is hidden: export the tournament again when it is over"


def _verdict(proved: Proved, by: Trusted) -> str:
    if by.keys is None:
        return "holds together."
    if proved.audited.tournament.status is not Status.FINISHED:
        return "is what has happened so far, and it happened by the rules."
    return "is what happened, and it happened by the rules."


def _doubts(proved: Proved, by: Trusted) -> Iterable[str]:
    if by.keys is None:
        yield "But who has made the file may have made its key: `--keys FILE` checks by what `meydan keys` prints."
    if proved.checked is None:
        yield f"Its {len(proved.matches)} matches were not looked at: --matches FOLDER checks their files too."
    elif missing := len(proved.matches) - len(proved.checked):
        yield f"The files of {missing} matches are not in the folder: their results were taken as they are."


def checks(proved: Proved, by: Trusted) -> list[Check]:
    """What was found in a file that has no fault."""
    audited, tournament = proved.audited, proved.audited.tournament
    events, whose = len(audited.envelopes), by.whose or "which only the file itself vouches for"
    tables = sum(len(pairing.boards) for pairing in tournament.rounds)
    is_over = tournament.status is Status.FINISHED
    entrants = f"{len(tournament.order)} entrants, by rating and by lot from the seed that was committed to"
    return [
        Check("signature", f"by key {audited.head.key_id}, {whose}"),
        Check("length", f"{events:,} events, as signed"),
        Check("chain", f"{events:,} hashes, each of them in the next event; the last is signed"),
        Check("order at the start", entrants if is_over else None),
        Check("rounds", f"{len(tournament.rounds)} rounds of {tables:,} tables: {_rounds(tournament)}"),
        Check("decisions", f"all {events:,} events come out again when they are decided anew"),
        Check("rulings", _rulings(audited.envelopes)),
        Check("matches", _matches(proved)),
        Check("places", _places(tournament)),
    ]


def _rounds(tournament: Tournament) -> str:
    """Where the system lays down who meets, nothing is minimised, and nothing is claimed to be the least."""
    certificates = [pairing.certificate for pairing in tournament.rounds]
    weighed = [one for one in certificates if one.value]
    if not weighed:
        return "all are what the system lays down"
    proved = sum(one.value == one.bound for one in weighed)
    return f"every certificate is accepted, {proved} of {len(weighed)} prove that nothing is better"


def _rulings(envelopes: Sequence[Envelope]) -> str:
    kinds = Counter(type(WIRE.public(envelope)) for envelope in envelopes)
    made, undone = kinds[pb.RulingMade], kinds[pb.RulingUndone]
    return f"{made} made, {undone} of them undone" if made else "none was made"


def _matches(proved: Proved) -> str:
    count = len(proved.matches)
    if proved.checked is None:
        return f"the hashes of {count} matches are in the log"
    told = f"{len(proved.checked)} of {count} files have the hash that is in the log"
    return f"{told}, and were played by the rules to the result in it"


def _places(tournament: Tournament) -> str:
    if tournament.places is None:
        return "none yet: it is not over"
    first = " and ".join(tournament.entrants[number].name for number in tournament.places[0])
    return f"{len(tournament.order)} places come out again; first is {first}"


def _as_json(proved: Proved, by: Trusted) -> dict[str, Any]:
    tournament = proved.audited.tournament
    return {
        "is_good": True,
        "tournament_id": tournament.id,
        "events": len(proved.audited.envelopes),
        "key_id": proved.audited.head.key_id,
        "is_key_published": by.keys is not None,
        "is_over": tournament.status is Status.FINISHED,
        "matches": len(proved.matches),
        "matches_checked": None if proved.checked is None else len(proved.checked),
        "places": tournament.places,
        "checks": dict(checks(proved, by)),
    }
