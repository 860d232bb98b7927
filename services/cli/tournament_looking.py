"""`meydan tournament list`, `show`, `standings`, `round` and `explain`."""

import json

import typer
from rich.text import Text

from meydan.tournament.v1 import tournament_service_pb2 as api
from services.cli import show, tournament_lookup, tournament_show
from services.cli.failures import Wrong
from services.cli.tournament_client import TournamentClient

_STATUSES = {
    "registering": api.TOURNAMENT_STATUS_REGISTERING,
    "running": api.TOURNAMENT_STATUS_RUNNING,
    "finished": api.TOURNAMENT_STATUS_FINISHED,
}


def list_all(status: str | None, count: int, address: str | None, *, is_json: bool) -> None:
    """The newest tournaments."""
    if status is not None and status not in _STATUSES:
        raise Wrong(f"A tournament is {', '.join(_STATUSES)}, not {status!r}.")
    wanted = api.TOURNAMENT_STATUS_UNSPECIFIED if status is None else _STATUSES[status]
    with tournament_lookup.client_of(address) as client:
        rows, has_more = _newest(client, wanted, count)
    if is_json:
        typer.echo(json.dumps(list(map(show.fields, rows)), indent=2))
        return
    out = show.console()
    if not rows:
        show.say(out, Text(f"There are none; `{show.program()} tournament create` makes one."))
        return
    out.print(tournament_show.tournaments(rows))
    if has_more:
        out.print("There are more; --count shows them.", style="dim")


def _newest(
    client: TournamentClient, status: api.TournamentStatus.ValueType, count: int
) -> tuple[list[api.TournamentSummary], bool]:
    page = client.tournaments(status)
    rows = list(page.tournaments)
    while page.next_page_token and len(rows) < count:
        page = client.tournaments(status, page.next_page_token)
        rows.extend(page.tournaments)
    return rows[:count], len(rows) > count or bool(page.next_page_token)


def show_one(word: str, address: str | None, *, is_json: bool) -> None:
    """What a tournament is, where it stands, and who leads; before the start, who takes part."""
    tournament = tournament_lookup.tournament_id(word)
    with tournament_lookup.client_of(address) as client:
        summary = client.look(tournament)
        if is_json:
            typer.echo(json.dumps(show.fields(summary), indent=2))
            return
        _print(client, summary)


_LEADERS = 10


def _print(client: TournamentClient, summary: api.TournamentSummary) -> None:
    out, plan = show.console(), summary.plan
    out.print(tournament_show.tournaments([summary]))
    show.say(out, tournament_show.line(plan))
    if summary.status == api.TOURNAMENT_STATUS_REGISTERING:
        entrants = tournament_lookup.registered(client.history(summary.tournament_id))
        out.print(tournament_show.entrants(entrants))
        return
    show.say(out, Text(f"Now: {tournament_show.progress(summary, tables_of(client, summary))}."))
    rows = client.standings(summary.tournament_id).rows
    out.print(tournament_show.standings(plan, rows, "Standings", _LEADERS))


def tables_of(client: TournamentClient, summary: api.TournamentSummary) -> int:
    """How many tables the present round has."""
    return client.round(summary.tournament_id, summary.round, limit=1).table_count if summary.round else 0


def standings(word: str, version: int | None, most: int, address: str | None, *, why: bool, is_json: bool) -> None:
    """Who stands where, now or at a version of the log."""
    tournament = tournament_lookup.tournament_id(word)
    with tournament_lookup.client_of(address) as client:
        plan = client.look(tournament).plan
        found = client.standings(tournament, version)
    if is_json:
        typer.echo(json.dumps(show.fields(found), indent=2))
        return
    out = show.console()
    out.print(tournament_show.standings(plan, found.rows, f"{plan.name}, version {found.version}", most))
    if why:
        for row in found.rows[: most or None]:
            if row.reason:
                show.say(out, Text(row.reason))


def show_round(word: str, number: int | None, address: str | None, *, is_json: bool) -> None:
    """Who sits where in a round, and why that is the best there is."""
    tournament = tournament_lookup.tournament_id(word)
    with tournament_lookup.client_of(address) as client:
        plan = client.look(tournament).plan
        found = client.whole_round(tournament, number)
        named = tournament_lookup.names(client, tournament) if found.byes else {}
    if is_json:
        typer.echo(json.dumps(show.fields(found), indent=2))
        return
    out = show.console()
    out.print(tournament_show.round_table(found, f"{plan.name}, round {found.round}"))
    if found.byes:
        show.say(out, Text(f"Without a table: {', '.join(f'{named[one]} ({one})' for one in found.byes)}."))
    if found.certificate.criteria:
        out.print(tournament_show.certificate(found.certificate))
        show.say(out, tournament_show.verdict(found.certificate))


def explain(word: str, number: int, who: str, address: str | None) -> None:
    """Why somebody met whom they met in a round."""
    tournament = tournament_lookup.tournament_id(word)
    with tournament_lookup.client_of(address) as client:
        entrant = tournament_lookup.entrant(client, tournament, who)
        sentences = client.explain(tournament, number, entrant)
    out = show.console()
    for sentence in sentences:
        show.say(out, Text(sentence))
