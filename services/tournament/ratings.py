"""Ratings by Plackett-Luce (the package `openskill`), for any number of seats and for ties. A projection, and pure.

Ratings are the fold of all matches in the order in which they ended; a match that was annulled is left out, so that
rating again without it is a replay. Every game has ratings of its own.

A rating is kept in whole millionths, rounded after each match: the last bit of an exponential, which machines may
disagree about, does not grow with the matches. Those who share a place are rated in the order of their names. (The
package gives each of its objects a random id, which nothing here looks at.)
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from immutables import Map
from openskill.models import PlackettLuce, PlackettLuceRating

from shared.kernel import Malformed

MILLION = 1_000_000
# Who has played nothing: a mean of 25, with a deviation of 25/3.
_MU, _SIGMA = 25 * MILLION, 25 * MILLION // 3
# Nearly everybody plays at least as well as their rating minus so many deviations.
_DEVIATIONS = 3
_MODEL = PlackettLuce()


class Match(NamedTuple):
    """A match as ratings see it."""

    id: str
    game: str
    # Who played, the winners first; those who share a place are together.
    places: tuple[tuple[str, ...], ...]
    is_voided: bool = False


class Rating(NamedTuple):
    """How well somebody is believed to play, and how sure that is, in millionths."""

    mu: int = _MU
    sigma: int = _SIGMA
    # How many matches it comes from.
    matches: int = 0

    @property
    def level(self) -> int:
        """What standings of ratings are ordered by: so well at least, almost surely."""
        return self.mu - _DEVIATIONS * self.sigma


# A game and a player.
Key: TypeAlias = tuple[str, str]
NEW = Rating()


class Ratings(NamedTuple):
    """All ratings after some matches, and which matches these were."""

    by_player: Map[Key, Rating] = Map()
    counted: Map[str, bool] = Map()

    def of(self, game: str, player: str) -> Rating:
        """The rating of one, who may have played nothing yet."""
        return self.by_player.get((game, player), NEW)


class Change(NamedTuple):
    """What became of a rating."""

    game: str
    player: str
    before: Rating
    after: Rating


NONE_YET = Ratings()


def rated(matches: Iterable[Match], before: Ratings = NONE_YET) -> Ratings:
    """The ratings after these matches too. A match that was counted before does not count again."""
    table, counted = _Table(before), before.counted
    fresh: dict[str, bool] = {}
    for match in matches:
        if not match.is_voided and match.id not in fresh and match.id not in counted:
            table.rate(match)
            fresh[match.id] = True
    return Ratings(table.finished(), counted.update(fresh))


class _Table:
    """Ratings while they are counted: as the package's own objects, which are made once for each player of a game."""

    def __init__(self, before: Ratings) -> None:
        self._before = before
        self._live: dict[str, dict[str, PlackettLuceRating]] = {}
        # Everybody of a game, once for each match.
        self._seated: dict[str, list[str]] = {}

    def rate(self, match: Match) -> None:
        """Takes one match in. A match of one alone says nothing about anybody."""
        players = _players(match)
        if len(players) < 2:
            return
        live = self._of(match.game, players)
        ranks: list[float] = [place for place, shared in enumerate(match.places) for _ in shared]
        for one, (came,) in zip(live, _MODEL.rate([[one] for one in live], ranks=ranks), strict=True):
            one.mu, one.sigma = round(came.mu * MILLION) / MILLION, round(came.sigma * MILLION) / MILLION

    def _of(self, game: str, players: list[str]) -> list[PlackettLuceRating]:
        self._seated.setdefault(game, []).extend(players)
        live = self._live.setdefault(game, {})
        return [live.get(player) or live.setdefault(player, self._first(game, player)) for player in players]

    def _first(self, game: str, player: str) -> PlackettLuceRating:
        rating = self._before.of(game, player)
        return _MODEL.rating(rating.mu / MILLION, rating.sigma / MILLION)

    def finished(self) -> Map[Key, Rating]:
        """The ratings before, with those that changed."""
        found = self._before.by_player.mutate()
        for game, live in self._live.items():
            matches = Counter(self._seated[game])
            for player, one in live.items():
                before = self._before.of(game, player).matches
                found[game, player] = Rating(
                    round(one.mu * MILLION), round(one.sigma * MILLION), before + matches[player]
                )
        return found.finish()


def _players(match: Match) -> list[str]:
    """In the order of their places; those who share one, by name."""
    players = [player for shared in match.places for player in (sorted(shared) if len(shared) > 1 else shared)]
    if len(frozenset(players)) != len(players):
        raise Malformed("places", f"match {match.id}: places name everybody once, which {match.places} do not")
    return players


def diff(before: Ratings, after: Ratings) -> tuple[Change, ...]:
    """Whose ratings are not the same, by game, and there the one that changed most first."""
    return tuple(sorted(_changes(before, after), key=_by_size))


def _changes(before: Ratings, after: Ratings) -> Iterator[Change]:
    for key in dict.fromkeys([*before.by_player, *after.by_player]):
        change = Change(*key, before.of(*key), after.of(*key))
        if change.before != change.after:
            yield change


def _by_size(change: Change) -> tuple[str, int, str]:
    return change.game, -abs(change.after.level - change.before.level), change.player


def standings(ratings: Ratings, game: str) -> tuple[tuple[str, Rating], ...]:
    """The players of a game, the best first; who are level, by name."""
    found = [(player, rating) for (of_game, player), rating in ratings.by_player.items() if of_game == game]
    return tuple(sorted(found, key=lambda row: (-row[1].level, row[0])))
