"""What stood against each entrant in each of its rounds, and what unplayed rounds count for (C.07, article 16).

- 16.1: being absent is a requested bye, before a late entry and after a withdrawal too. It and a forfeit loss are
  *voluntary*. A bye of the pairing, a forfeit win and an annulled table are not.
- 16.3: an opponent's score is adjusted: requested byes after which it did nothing but stay away count as draws.
  Everything else counts as the points that were given.
- 16.4: a round that one did not play oneself is a game against a dummy with one's own points, but with no more than the
  (adjusted) opponent had whom a forfeit was against, or else than draws in all rounds so far make.
- 16.5: where values are cut, the lowest of those that one did not want to play are cut first.

Scores are in units; what may be the mean of a table is in `SHARES` of a unit, so that it is whole.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from services.tournament.model import Entry, Kind, Number, Plan, Player, System, Units
from services.tournament.standings.points import draw_of, win_of

# Divisible by the number of opponents at any table of up to eleven.
SHARES = 2520
# 15.2: who meets whom does not depend on who is there.
_LAID_DOWN = (System.ROUND_ROBIN, System.GROUPS, System.SINGLE_ELIMINATION, System.DOUBLE_ELIMINATION)
# 16.1.2
VOLUNTARY = frozenset((Kind.ABSENT, Kind.FORFEIT_LOSS))
_FORFEITS = frozenset((Kind.FORFEIT_WIN, Kind.FORFEIT_LOSS))
_GAMES = _FORFEITS | {Kind.PLAYED}


class Line(NamedTuple):
    """All that an entrant's own tie-breaks are counted from."""

    player: Player
    total: Units
    # The rounds that count, and the score that stood against the entrant in each of them, in shares of a unit.
    entries: tuple[Entry, ...]
    scores: tuple[int, ...]
    # The scores in the order in which the least significant are cut.
    cut_order: tuple[int, ...]


class Ledger(NamedTuple):
    """The field as tie-breaks see it. A line for each player, in the same order."""

    plan: Plan
    lines: tuple[Line, ...]
    ratings: dict[Number, int]
    # 16.3, by number.
    adjusted: dict[Number, Units]
    # What a win and a draw of all are worth.
    win: Units
    draw: Units


def is_laid_down(plan: Plan) -> bool:
    """15.2: forfeits count as games, and rounds without an opponent for nothing."""
    return plan.system in _LAID_DOWN


def is_game(plan: Plan, entry: Entry) -> bool:
    """Whether somebody stood against the entrant."""
    return entry.kind is Kind.PLAYED or (is_laid_down(plan) and entry.kind in _FORFEITS)


def ledger(plan: Plan, players: Sequence[Player]) -> Ledger:
    """The lines of these players. Everybody whom they met is one of them."""
    draw = draw_of(plan.scoring, plan.seats)
    totals = [player.points for player in players]
    adjusted = {
        player.number: total + _adjustment(plan, player, draw) for player, total in zip(players, totals, strict=True)
    }
    most = draw * max([len(player.entries) for player in players], default=0)
    lines = [_line(plan, player, total, adjusted, most) for player, total in zip(players, totals, strict=True)]
    ratings = {player.number: player.rating for player in players}
    return Ledger(plan, tuple(lines), ratings, adjusted, win_of(plan.scoring), draw)


def _adjustment(plan: Plan, player: Player, draw: Units) -> Units:
    """16.3: by how much the score that opponents' tie-breaks are counted with differs from the own."""
    if is_laid_down(plan) or not player.entries or player.entries[-1].kind not in VOLUNTARY:
        return 0
    return sum([draw - entry.points for entry in _away_at_the_end(player)])


def _away_at_the_end(player: Player) -> Iterator[Entry]:
    for entry in reversed(player.entries):
        if entry.kind not in VOLUNTARY:
            return
        if entry.kind is Kind.ABSENT:
            yield entry


def _line(plan: Plan, player: Player, total: Units, adjusted: dict[Number, Units], most: Units) -> Line:
    if is_laid_down(plan):
        entries = tuple([entry for entry in player.entries if entry.kind in _GAMES and entry.opponents])
        scores = tuple([_mean(entry, adjusted) for entry in entries])
        return Line(player, total, entries, scores, tuple(sorted(scores)))
    scores = tuple([_faced(entry, total, adjusted, most) for entry in player.entries])
    return Line(player, total, player.entries, scores, _cut_order(player.entries, scores))


def _faced(entry: Entry, total: Units, adjusted: dict[Number, Units], most: Units) -> int:
    """8.1 and 16.4: the opponents' score, or the dummy's."""
    if entry.kind is Kind.PLAYED:
        return _mean(entry, adjusted)
    has_opponent = entry.kind in _FORFEITS and entry.opponents
    return min(total * SHARES, _mean(entry, adjusted) if has_opponent else most * SHARES)


def _mean(entry: Entry, adjusted: dict[Number, Units]) -> int:
    others = entry.opponents
    if len(others) == 1:
        return adjusted[others[0]] * SHARES
    return sum([adjusted[one] for one in others]) * (SHARES // max(len(others), 1))


def _cut_order(entries: Sequence[Entry], scores: Sequence[int]) -> tuple[int, ...]:
    """16.5"""
    unwanted = [score for entry, score in zip(entries, scores, strict=True) if entry.kind in VOLUNTARY]
    if not unwanted:
        return tuple(sorted(scores))
    others = [score for entry, score in zip(entries, scores, strict=True) if entry.kind not in VOLUNTARY]
    return (*sorted(unwanted), *sorted(others))
