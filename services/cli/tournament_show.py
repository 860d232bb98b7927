"""How tournaments look: standings, rounds and lists as tables."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from rich.table import Table
from rich.text import Text

from meydan.match.v1.envelope_pb2 import Place
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services import registry
from services.cli import show
from services.cli.sentences import counted, ranked
from services.tournament.model import POINT

_MOST_ENTRANTS = 100
_MEDALS = ("bold yellow", "bold white", "bold dark_orange")
_STATUSES = {
    api.TOURNAMENT_STATUS_REGISTERING: Text("open for registration", style="cyan"),
    api.TOURNAMENT_STATUS_RUNNING: Text("running", style="yellow"),
    api.TOURNAMENT_STATUS_FINISHED: Text("over", style="green"),
}
_TABLES = {
    api.TABLE_STATUS_PAIRED: Text("paired", style="dim"),
    api.TABLE_STATUS_PLAYING: Text("playing", style="yellow"),
    api.TABLE_STATUS_OVER: Text("over", style="green"),
    api.TABLE_STATUS_ANNULLED: Text("annulled", style="red"),
}


def system(plan: pb.Plan) -> str:
    """`swiss`, `round robin`."""
    return pb.System.Name(plan.system).removeprefix("SYSTEM_").replace("_", " ").lower()


def game(plan: pb.Plan) -> str:
    """What is played, and at which tables."""
    title = registry.load(plan.game).title if plan.game in registry.NAMES else plan.game
    return f"{title} at tables of {plan.seats}"


def status(summary: api.TournamentSummary) -> Text:
    """Where a tournament is in its life."""
    found = _STATUSES.get(summary.status, Text("?")).copy()
    return found.append(", paused") if summary.is_paused else found


def progress(summary: api.TournamentSummary, tables: int) -> str:
    """`round 2 of 4, 5 of 8 tables over`."""
    if summary.status == api.TOURNAMENT_STATUS_REGISTERING:
        return f"open for registration, {counted(summary.entrants, 'entrant')}"
    if not summary.round:
        return "the first round is being paired"
    of_all = f" of {summary.rounds}" if summary.rounds else ""
    return f"round {summary.round}{of_all}, {tables - summary.open_tables} of {counted(tables, 'table')} over"


def tournaments(rows: Iterable[api.TournamentSummary]) -> Table:
    """A list, a line for each."""
    made = show.table("tournament", "name", "system", "game", "seats", "entrants", "round", "status")
    for row in rows:
        rounds = f"{row.round} of {row.rounds}" if row.rounds else str(row.round)
        plan = row.plan
        made.add_row(
            Text(row.tournament_id, style="bold green", overflow="fold"),
            plan.name,
            system(plan),
            plan.game,
            str(plan.seats),
            f"{row.entrants:,}",
            rounds,
            status(row),
        )
    return made


def standings(
    plan: pb.Plan, rows: Sequence[api.StandingsRow], title: str, most: int = 0, fresh: frozenset[int] = frozenset()
) -> Table:
    """The first rows of the standings, all if no number is given; `fresh` ones have just changed."""
    made = show.table("place", "no.", "name", "points", *map(tie_break, plan.tie_breaks), title=title)
    for column in (0, 1, *range(3, len(made.columns))):
        made.columns[column].justify = "right"
    shown = rows[:most] if most else rows
    for row in shown:
        style = _MEDALS[row.place - 1] if row.place <= len(_MEDALS) else ""
        name = Text(row.name, style=style).append(" (withdrawn)" if row.is_withdrawn else "", style="dim")
        mark = "reverse" if row.number in fresh else ""
        made.add_row(str(row.place), Text(str(row.number), style="dim"), name, row.points, *row.tie_breaks, style=mark)
    if len(shown) < len(rows):
        made.caption = f"... and {len(rows) - len(shown):,} more"
        made.caption_justify = "left"
    return made


def tie_break(one: pb.TieBreak.ValueType) -> str:
    """`buchholz cut 1`."""
    return pb.TieBreak.Name(one).removeprefix("TIE_BREAK_").replace("_", " ").lower()


def round_table(found: api.GetRoundResponse, title: str) -> Table:
    """Who sits where, and what has become of it."""
    has_labels = any(one.seating.label for one in found.tables)
    labels = ["of"] if has_labels else []
    made = show.table("table", *labels, "seats, the first first", "result", "status", "match", title=title)
    made.columns[0].justify = "right"
    for one in found.tables:
        state = _TABLES.get(one.status, Text("?")).copy()
        if one.ruling:
            state.append(f", by ruling {one.ruling}")
        made.add_row(
            str(one.table),
            *([one.seating.label] if has_labels else []),
            _names(one),
            Text(", ").join(_result(one)),
            state,
            Text(one.match_id, style="dim", overflow="fold"),
        )
    return made


def _names(one: api.RoundTable) -> Text:
    seated = enumerate(zip(one.names, one.seating.seats, strict=True))
    return Text(", ").join(
        Text(name, style=show.seat_style(seat)).append(f" ({number})", style="dim") for seat, (name, number) in seated
    )


def _result(one: api.RoundTable) -> list[Text]:
    """`1. greedy 3, 2. random 4`; who did not come is said to have forfeited."""
    return [
        Text(f"{rank}. ").append_text(Text(" = ").join(_finisher(one, seat) for seat in seats))
        for rank, seats in ranked(_seats(one.places))
    ]


def _finisher(one: api.RoundTable, seat: int) -> Text:
    text = Text(one.names[seat], style=show.seat_style(seat))
    return text.append(" (forfeit)", style="red") if seat in one.forfeits else text


def _seats(places: Iterable[Place]) -> list[Sequence[int]]:
    return [place.seats for place in places if place.seats]


def certificate(found: pb.Certificate) -> Table:
    """What a round's pairing is the best by, and whether it is proved to be."""
    made = show.table("criterion, the most important first", "value", "at least", title="Certificate")
    made.columns[1].justify = made.columns[2].justify = "right"
    for criterion, value, bound in zip(found.criteria, found.value, found.bound, strict=False):
        made.add_row(criterion, f"{value:,}", Text(f"{bound:,}", style="green" if bound == value else "yellow"))
    return made


def verdict(found: pb.Certificate) -> Text:
    """What a certificate amounts to."""
    if list(found.value) == list(found.bound):
        return Text("Nothing can be better: the values are the least that there can be.", style="green")
    return Text("What is best of all is known to lie between the two columns.", style="yellow")


def entrants(found: Mapping[int, pb.Entrant]) -> Table:
    """Who takes part, before there are standings."""
    made = show.table("no.", "name", "player", "rating", title=f"{len(found):,} entrants")
    for number, one in list(found.items())[:_MOST_ENTRANTS]:
        who = f"computer, {one.ai_level}" if one.ai_level else one.player_id
        made.add_row(str(number), one.name, who, str(one.rating or ""))
    if len(found) > _MOST_ENTRANTS:
        made.caption = f"... and {len(found) - _MOST_ENTRANTS:,} more"
    return made


def line(plan: pb.Plan) -> Text:
    """What the organiser has laid down, in a line."""
    said = [f"{system(plan)} of {game(plan)}"]
    if plan.rounds:
        said.append(counted(plan.rounds, "round"))
    said.append(f"points {', '.join(_points(units) for units in plan.scoring.places)}")
    said.append(f"bye {_points(plan.scoring.bye)}")
    if plan.tie_breaks:
        said.append(f"then {', '.join(map(tie_break, plan.tie_breaks))}")
    text = "; ".join(said)
    return Text(f"{text[:1].upper()}{text[1:]}.")


def _points(units: int) -> str:
    return str(Fraction(units, POINT))
