"""Out of an event into a report."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from services.tournament.model import Entry, Kind, Number, Plan, Player, Round, Scoring
from services.tournament.standings import draw_of, rank
from services.tournament.standings.points import loss_of, win_of
from services.tournament.trf.columns import (
    MOST_ENTRANTS,
    MOST_RATING,
    SYSTEMS,
    TIE_BREAKS,
    VOID,
    decimal,
    one_line,
)
from shared.kernel import Malformed

_COLOURS = "wb"
_RESULTS = {Kind.FORFEIT_WIN: "+", Kind.FORFEIT_LOSS: "-"}


class _Event(NamedTuple):
    """What is written: entrants by their order at the start, with the rounds that are over."""

    plan: Plan
    players: tuple[Player, ...]
    # From 1, by number.
    starts: Mapping[Number, int]
    # Who sat where, by round and number.
    seats: Mapping[tuple[int, Number], int]
    rounds: int


def write(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> str:
    """The report of an event. Malformed tells why there is none."""
    _check(plan, players)
    event = _event(plan, players, rounds)
    lines = [*_head(event), *_players(event), *_extensions(event), *_voids(event)]
    return "".join([f"{line}\r\n" for line in lines])


def _check(plan: Plan, players: Sequence[Player]) -> None:
    if plan.seats != 2 or plan.system not in SYSTEMS:
        raise Malformed("trf", "only a Swiss for two at a table has a report")
    if not 0 < len(players) <= MOST_ENTRANTS:
        raise Malformed("trf", f"a report has 1 to {MOST_ENTRANTS} entrants, not {len(players)}")
    for player in players:
        if not 0 <= player.rating <= MOST_RATING:
            raise Malformed("trf", f"a report holds ratings from 0 to {MOST_RATING}, not {player.rating}")


def _event(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> _Event:
    done = min(len(player.entries) for player in players)
    order = sorted(players, key=lambda player: (player.seed, player.number))
    return _Event(
        plan,
        tuple([player._replace(entries=player.entries[:done]) for player in order]),
        {player.number: start for start, player in enumerate(order, 1)},
        {(each.number, one): seat for each in rounds for table in each.tables for seat, one in enumerate(table.seats)},
        done,
    )


def _head(event: _Event) -> Iterator[str]:
    plan = event.plan
    yield f"012 {one_line(plan.name)}"
    yield f"062 {len(event.players)}"
    yield f"072 {len([player for player in event.players if player.rating])}"
    yield "092 Individual: Swiss-System"
    yield f"142 {max(plan.rounds, event.rounds)}"
    yield f"152 {_first_colour(event).upper()}"
    if plan.scoring != Scoring():
        yield f"162  {'    '.join([f'{code}{decimal(units):>4}' for code, units in _scores(plan.scoring)])}"
    yield f"192 {SYSTEMS[plan.system]}"
    if plan.tie_breaks:
        codes = ",".join([TIE_BREAKS[tie_break] for tie_break in plan.tie_breaks])
        yield f"202 {codes}"
        yield f"212 PTS,{codes}"


def _scores(scoring: Scoring) -> list[tuple[str, int]]:
    return [("W", win_of(scoring)), ("D", draw_of(scoring, 2)), ("L", loss_of(scoring)), ("A", 0), ("P", scoring.bye)]


def _first_colour(event: _Event) -> str:
    """Of the highest entrant who was paired in the first round."""
    paired = [player for player in event.players if player.entries and player.entries[0].opponents]
    return _colour(event, paired[0], paired[0].entries[0]) if paired else "w"


def _players(event: _Event) -> Iterator[str]:
    places = {row.number: row.place for row in rank(event.plan, event.players)}
    for start, player in enumerate(event.players, 1):
        rating = str(player.rating or "")
        points, place = decimal(player.points), places[player.number]
        rounds = "".join([f"  {_round(event, player, entry)}" for entry in player.entries])
        yield f"001 {start:>4}      {one_line(player.name)[:33]:<33} {rating:>4}{'':27} {points:>4} {place:>4}{rounds}"


def _round(event: _Event, player: Player, entry: Entry) -> str:
    if entry.kind in (Kind.BYE, Kind.ABSENT, Kind.VOID):
        return f"0000 - {_bye(event.plan.scoring, player, entry)}"
    if len(entry.opponents) != 1:
        raise _unsaid(player, entry, "there were not two at the table")
    return f"{event.starts[entry.opponents[0]]:>4} {_colour(event, player, entry)} {_result(event, player, entry)}"


def _bye(scoring: Scoring, player: Player, entry: Entry) -> str:
    if entry.kind is not Kind.BYE and entry.points == 0:
        return "Z"
    if entry.kind is Kind.BYE and entry.points == scoring.bye:
        return "U"
    codes = {win_of(scoring): "F"} if entry.kind is Kind.BYE else {draw_of(scoring, 2): "H"}
    if entry.points not in codes:
        raise _unsaid(player, entry, "no code gives so many points without a game")
    return codes[entry.points]


def _result(event: _Event, player: Player, entry: Entry) -> str:
    code = _RESULTS.get(entry.kind) or "1=0"[1 + _sign(entry.place - entry.opponent_places[0])]
    if entry.points != points_for(event.plan.scoring, code):
        raise _unsaid(player, entry, "its points are not what the result gives")
    return code


def _sign(difference: int) -> int:
    return (difference > 0) - (difference < 0)


def points_for(scoring: Scoring, code: str) -> int:
    """What a result with an opponent is worth."""
    worth = {"1": win_of(scoring), "+": win_of(scoring), "=": draw_of(scoring, 2), "0": loss_of(scoring), "-": 0}
    return worth[code]


def _colour(event: _Event, player: Player, entry: Entry) -> str:
    """White begins."""
    return _COLOURS[event.seats.get((entry.round, player.number), max(entry.seat, 0))]


def _unsaid(player: Player, entry: Entry, why: str) -> Malformed:
    return Malformed("trf", f"a report can't say what entrant {player.number} did in round {entry.round}: {why}")


def _extensions(event: _Event) -> Iterator[str]:
    """For engines that pair: what they read of a round to come."""
    away = [start for start, player in enumerate(event.players, 1) if not player.is_active]
    if away:
        yield f"240 Z {event.rounds + 1:03} {_list(away)}"
        yield f"XXZ {_list(away)}"
    yield f"XXR {max(event.plan.rounds, event.rounds)}"
    yield f"XXC {'white1' if _first_colour(event) == 'w' else 'black1'}"
    if event.plan.scoring != Scoring():
        codes = {code: decimal(units) for code, units in _scores(event.plan.scoring)}
        yield f"XXS W={codes['W']} D={codes['D']} WL={codes['L']} BL={codes['L']} PAB={codes['P']}"


def _list(starts: Iterable[int]) -> str:
    return " ".join([f"{start:>4}" for start in starts])


def _voids(event: _Event) -> Iterator[str]:
    for player in event.players:
        for entry in player.entries:
            if entry.kind is Kind.VOID and entry.opponents and _colour(event, player, entry) == "w":
                pair = _list([event.starts[player.number], event.starts[entry.opponents[0]]])
                yield f"{VOID} {entry.round:03} {pair}"
