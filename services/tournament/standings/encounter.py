"""Direct encounter (C.07, article 6): a table of its own of those who are equal, and of their games with one another.

- 6.1: forfeits are no games, unless pairings are laid down (15.2). Who met more than once has the mean of the meetings.
- 6.2: if all have met, that table ranks them, and again those who are equal in it.
- 6.3: if not, who is alone at its top whatever the missing games would bring is first, then the same for the second,
  and so on; who is left is ranked by article 6 again. A missing game brings a win at most and a loss at least.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple, TypeAlias

from services.tournament.model import POINT, Entry, Number, Plan, Player, Units
from services.tournament.standings.ledger import is_game
from services.tournament.standings.points import loss_of, win_of
from services.tournament.standings.tie_breaks import against

# What each won against each other of the group, once for each meeting.
_Meetings: TypeAlias = Mapping[Number, Mapping[Number, Sequence[Units]]]
_Exact: TypeAlias = int | Fraction


class _Standing(NamedTuple):
    """What one has in the table of its own if all missing games are lost, and if all are won."""

    number: Number
    least: _Exact
    most: _Exact
    has_met_all: bool


def encounter(plan: Plan, group: Sequence[Player]) -> dict[Number, int]:
    """How many of the group each of them is ahead of by their direct encounters."""
    if _is_too_large(plan, group):
        return dict.fromkeys([player.number for player in group], 0)
    ahead: dict[Number, int] = {}
    behind = len(group)
    for tier in _tiers(plan, _meetings(plan, group), tuple([player.number for player in group])):
        behind -= len(tier)
        ahead |= dict.fromkeys(tier, behind)
    return ahead


def _is_too_large(plan: Plan, group: Sequence[Player]) -> bool:
    """Whether so many games are missing that nobody can be ahead of all others for sure: spares the table."""
    loss, win = _worth(plan)
    others = len(group) - 1
    games = max([sum([len(entry.opponents) for entry in player.entries]) for player in group])
    most = max([entry.points for player in group for entry in player.entries], default=0) if plan.seats == 2 else POINT
    return games < others and games * most + others * loss <= (others - games) * win


def _worth(plan: Plan) -> tuple[Units, Units]:
    """What a game brings at least and at most."""
    return (loss_of(plan.scoring), win_of(plan.scoring)) if plan.seats == 2 else (0, POINT)


def _tiers(plan: Plan, meetings: _Meetings, group: tuple[Number, ...]) -> Iterator[tuple[Number, ...]]:
    """The group in its order, the best first; those whom it cannot part are together."""
    table = sorted(_table(plan, meetings, group), key=lambda one: (-one.least, -one.most, one.number))
    first = _equals(table) if all(one.has_met_all for one in table) else _alone_at_the_top(table)
    if len(first) < 2:
        yield group
        return
    for tier in first:
        yield from _tiers(plan, meetings, tier) if len(tier) > 1 else (tier,)


def _equals(table: Sequence[_Standing]) -> list[tuple[Number, ...]]:
    """6.2: who has the same."""
    return [tuple([one.number for one in same]) for _, same in groupby(table, key=lambda one: one.least)]


def _alone_at_the_top(table: Sequence[_Standing]) -> list[tuple[Number, ...]]:
    """6.3: each who is ahead of all behind it for sure, as long as there is one, and then all others."""
    rest = list(table)
    alone: list[tuple[Number, ...]] = []
    while len(rest) > 1 and rest[0].least > max([one.most for one in rest[1:]]):
        alone.append((rest.pop(0).number,))
    return [*alone, tuple([one.number for one in rest])]


def _table(plan: Plan, meetings: _Meetings, group: tuple[Number, ...]) -> Iterator[_Standing]:
    loss, win = _worth(plan)
    members = frozenset(group)
    for one in group:
        won = [_mean(results) for other, results in meetings[one].items() if other in members]
        missing = len(group) - 1 - len(won)
        yield _Standing(one, sum(won) + loss * missing, sum(won) + win * missing, missing == 0)


def _mean(results: Sequence[Units]) -> _Exact:
    """6.1.2"""
    return results[0] if len(results) == 1 else Fraction(sum(results), len(results))


def _meetings(plan: Plan, group: Sequence[Player]) -> _Meetings:
    played = {player.number: _rounds_of_games(plan, player) for player in group}
    found: dict[Number, dict[Number, list[Units]]] = {player.number: {} for player in group}
    for player in group:
        for entry in player.entries:
            for other, won in _results(plan, entry) if entry.round in played[player.number] else ():
                if entry.round in played.get(other, ()):
                    found[player.number].setdefault(other, []).append(won)
    return found


def _rounds_of_games(plan: Plan, player: Player) -> frozenset[int]:
    return frozenset([entry.round for entry in player.entries if is_game(plan, entry)])


def _results(plan: Plan, entry: Entry) -> Iterable[tuple[Number, Units]]:
    """At a table of two, the points themselves."""
    if plan.seats == 2:
        return [(other, entry.points) for other in entry.opponents]
    return against(entry)
