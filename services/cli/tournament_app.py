"""`meydan tournament`: what can be typed to look at tournaments, and to prove them. Hosting is in the other module."""

from pathlib import Path
from typing import Annotated

import typer

from services.cli import tournament_app_hosting as hosting
from services.cli.tournament_arguments import Address, Entrant, Json, Tournament

app = hosting.app

File = Annotated[Path, typer.Argument(metavar="FILE", help="A tournament that was exported.")]
Matches = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where the files of its matches are.")]
Keys = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The published keys, as `meydan keys --json` prints them.")
]

Version = Annotated[int | None, typer.Option("--at", min=1, metavar="VERSION", help="As they were at this version.")]
Rows = Annotated[int, typer.Option(min=0, help="How many rows to show; 0: all.")]


@app.command("list")
def list_all(
    *,
    status: Annotated[str | None, typer.Option(help="registering, running or finished; else all.")] = None,
    count: Annotated[int, typer.Option(min=1, help="How many, the newest first.")] = 20,
    address: Address = None,
    is_json: Json = False,
) -> None:
    """The newest tournaments."""
    from services.cli import tournament_looking

    tournament_looking.list_all(status, count, address, is_json=is_json)


@app.command()
def show(tournament: Tournament, *, address: Address = None, is_json: Json = False) -> None:
    """What a tournament is, where it stands, and who takes part or leads."""
    from services.cli import tournament_looking

    tournament_looking.show_one(tournament, address, is_json=is_json)


@app.command()
def standings(
    tournament: Tournament,
    *,
    version: Version = None,
    rows: Rows = 50,
    why: Annotated[bool, typer.Option("--why", help="Why each stands above the next.")] = False,
    address: Address = None,
    is_json: Json = False,
) -> None:
    """Who stands where."""
    from services.cli import tournament_looking

    tournament_looking.standings(tournament, version, rows, address, why=why, is_json=is_json)


@app.command()
def watch(tournament: Tournament, *, address: Address = None) -> None:
    """The standings as they change, to the end."""
    from services.cli import tournament_watch

    tournament_watch.watch(tournament, address)


@app.command("round")
def show_round(
    tournament: Tournament,
    number: Annotated[int | None, typer.Argument(metavar="[ROUND]", min=1, help="Else the present one.")] = None,
    *,
    address: Address = None,
    is_json: Json = False,
) -> None:
    """Who sits where in a round, how it ended, and by which criteria it was paired."""
    from services.cli import tournament_looking

    tournament_looking.show_round(tournament, number, address, is_json=is_json)


@app.command()
def explain(
    tournament: Tournament,
    number: Annotated[int, typer.Argument(metavar="ROUND", min=1, help="The round.")],
    entrant: Entrant,
    *,
    address: Address = None,
) -> None:
    """Why somebody met whom they met in a round, in plain English."""
    from services.cli import tournament_looking

    tournament_looking.explain(tournament, number, entrant, address)


@app.command()
def replay(
    tournament: Annotated[str, typer.Argument(metavar="TOURNAMENT", help="The id of a tournament, or a file.")],
    *,
    version: Version = None,
    after_round: Annotated[int | None, typer.Option("--round", min=1, help="As they were after this round.")] = None,
    rows: Rows = 0,
    address: Address = None,
    is_json: Json = False,
) -> None:
    """All that has happened, or the standings at any moment: from the log alone; of a file without any service."""
    from services.cli import tournament_replay

    tournament_replay.replay(tournament_replay.Wish(tournament, version, after_round, rows, address), is_json=is_json)


@app.command()
def export(
    tournament: Tournament,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the log.")],
    *,
    matches: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write its matches too, a file each, into this folder.")
    ] = None,
    address: Address = None,
) -> None:
    """The log as a file, which proves itself."""
    from services.cli import tournament_proof

    tournament_proof.export_one(tournament, file, matches, address)


@app.command()
def verify(file: File, *, keys: Keys = None, matches: Matches = None, is_json: Json = False) -> None:
    """Whether an exported tournament is what happened: signature, hashes, lots, rounds, results, places, matches."""
    from services.cli import tournament_proof

    tournament_proof.verify_file(file, keys, matches, is_json=is_json)


@app.command("import")
def import_one(file: File, *, address: Address = None, is_json: Json = False) -> None:
    """An exported tournament that is over is on this platform too: the same id, the same events."""
    from services.cli import tournament_import

    tournament_import.import_one(file, address, is_json=is_json)


@app.command()
def trf(
    tournament: Annotated[str, typer.Argument(metavar="TOURNAMENT", help="The id of a tournament, or a file.")],
    file: Annotated[Path, typer.Argument(metavar="OUT", help="Where to write the report.")],
    *,
    address: Address = None,
) -> None:
    """FIDE's report of a Swiss for two at a table, which other engines read."""
    from services.cli import tournament_replay, tournament_trf

    tournament_trf.write(tournament_replay.Wish(tournament, address=address), file)


@app.command()
def pair(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="FIDE's report of a tournament.")],
    *,
    system: Annotated[str | None, typer.Option(help="swiss or dutch; else that of the report.")] = None,
    is_json: Json = False,
) -> None:
    """The next round of anybody's tournament as our engine pairs it, with its certificate; no service is asked."""
    from services.cli import tournament_trf

    tournament_trf.pair(file, system, is_json=is_json)
