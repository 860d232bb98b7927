"""Standings written slowly and plainly: everything is looked up again each time, in fractions, article by article.

It shares no code with the standings of the platform, which must agree with it, and is what they are measured against.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple, TypeAlias

from services.tournament.model import POINT, Entry, Kind, Number, Plan, Player, System, TieBreak

_LAID_DOWN = {System.ROUND_ROBIN, System.GROUPS, System.SINGLE_ELIMINATION, System.DOUBLE_ELIMINATION}
_FORFEITS = {Kind.FORFEIT_WIN, Kind.FORFEIT_LOSS}
_VOLUNTARY = {Kind.ABSENT, Kind.FORFEIT_LOSS}
# More games are missing than this: the worst and the best that can come are looked at, not everything.
_FEW = 4


class Place(NamedTuple):
    """A line of the table."""

    number: Number
    place: int
    points: Fraction
    values: tuple[Fraction, ...]


_Pair: TypeAlias = tuple[Number, Number]
_Results: TypeAlias = dict[_Pair, Fraction]


class Slow:
    """The table of one event."""

    def __init__(self, plan: Plan, players: Sequence[Player]) -> None:
        self._plan = plan
        self._players = players
        self._rounds = max([len(player.entries) for player in players], default=0)
        self._is_laid_down = plan.system in _LAID_DOWN
        first = list(plan.scoring.places) + [0] * plan.seats
        self._win, self._loss = Fraction(first[0], POINT), Fraction(first[1], POINT)
        self._draw = Fraction(sum(first[: plan.seats]), POINT * plan.seats)
        if plan.seats == 2 and plan.scoring.draw is not None:
            self._draw = Fraction(plan.scoring.draw, POINT)

    def table(self, reached: Mapping[Number, int] | None = None) -> list[Place]:
        """Everybody, the best first."""
        keys = {one.number: self._first(one, reached) for one in self._players}
        for tie_break in self._plan.tie_breaks:
            before = dict(keys)
            for one in self._players:
                equals = [other for other in self._players if before[other.number] == before[one.number]]
                keys[one.number] = (*before[one.number], self._value(tie_break, one, equals))
        order = sorted(self._players, key=lambda one: (*[-part for part in keys[one.number]], one.seed))
        return [
            Place(
                one.number,
                1 + sum(key > keys[one.number] for key in keys.values()),
                self._points(one),
                keys[one.number][2:],
            )
            for one in order
        ]

    def _first(self, one: Player, reached: Mapping[Number, int] | None) -> tuple[Fraction, ...]:
        return Fraction(0 if reached is None else reached.get(one.number, -1)), self._points(one)

    def _points(self, one: Player) -> Fraction:
        return sum((Fraction(entry.points, POINT) for entry in one.entries), Fraction(0))

    def _value(self, tie_break: TieBreak, one: Player, equals: Sequence[Player]) -> Fraction:
        cuts = {
            TieBreak.BUCHHOLZ: (0, 0),
            TieBreak.BUCHHOLZ_CUT_1: (1, 0),
            TieBreak.BUCHHOLZ_CUT_2: (2, 0),
            TieBreak.BUCHHOLZ_MEDIAN: (1, 1),
        }
        if tie_break in cuts:
            return self._left(one, *cuts[tie_break])
        if tie_break is TieBreak.DIRECT_ENCOUNTER:
            return self._encounter(one, equals)
        if tie_break is TieBreak.SONNEBORN_BERGER:
            return sum((self._sonneborn_berger(one, entry) for entry in self._counting(one)), Fraction(0))
        return self._own(tie_break, one)

    def _own(self, tie_break: TieBreak, one: Player) -> Fraction:
        """7, 10, and what the games count."""
        scores = [Fraction(entry.points, POINT) for entry in one.entries]
        return {
            TieBreak.PROGRESSIVE: sum((sum(scores[:end], Fraction(0)) for end in range(len(scores) + 1)), Fraction(0)),
            TieBreak.WINS: Fraction(len([score for score in scores if score >= self._win])),
            TieBreak.SECOND_SEAT: Fraction(sum(entry.seat for entry in _played(one))),
            TieBreak.OPPONENTS_RATING: self._rating(one),
            TieBreak.GAME_POINTS: Fraction(sum(entry.game_points for entry in _played(one))),
            TieBreak.MARGIN: Fraction(sum(entry.margin for entry in _played(one))),
        }[tie_break]

    def _player(self, number: Number) -> Player:
        return next(player for player in self._players if player.number == number)

    def _adjusted(self, one: Player) -> Fraction:
        """16.3"""
        score = self._points(one)
        for index, entry in enumerate(one.entries):
            later = one.entries[index + 1 :]
            if (
                entry.kind is Kind.ABSENT
                and all(other.kind in _VOLUNTARY for other in later)
                and not self._is_laid_down
            ):
                score += self._draw - Fraction(entry.points, POINT)
        return score

    def _counting(self, one: Player) -> list[Entry]:
        """15.2, 15.3: the rounds that count."""
        if not self._is_laid_down:
            return list(one.entries)
        return [entry for entry in one.entries if entry.opponents and entry.kind in _FORFEITS | {Kind.PLAYED}]

    def _is_game(self, entry: Entry) -> bool:
        return entry.kind is Kind.PLAYED or (self._is_laid_down and entry.kind in _FORFEITS)

    def _faced(self, one: Player, entry: Entry) -> Fraction:
        """8.1, 16.4"""
        opponents = [self._adjusted(self._player(other)) for other in entry.opponents]
        mean = sum(opponents, Fraction(0)) / len(opponents) if opponents else Fraction(0)
        if self._is_game(entry):
            return mean
        if entry.kind in _FORFEITS and opponents:
            return min(self._points(one), mean)
        return min(self._points(one), self._draw * self._rounds)

    def _left(self, one: Player, least: int, greatest: int) -> Fraction:
        """14 and 16.5: one after the other is taken out."""
        left = [
            (entry.kind in _VOLUNTARY and not self._is_laid_down, self._faced(one, entry))
            for entry in self._counting(one)
        ]
        for _ in range(least):
            if left:
                unwanted = [part for part in left if part[0]]
                left.remove(min(unwanted or left, key=lambda part: part[1]))
        for _ in range(greatest):
            if left:
                left.remove(max(left, key=lambda part: part[1]))
        return sum((part[1] for part in left), Fraction(0))

    def _sonneborn_berger(self, one: Player, entry: Entry) -> Fraction:
        """9.1"""
        points = Fraction(entry.points, POINT)
        if self._plan.seats == 2:
            return self._faced(one, entry) * points
        if not self._is_game(entry):
            result = Fraction(1) if points >= self._win else Fraction(1, 2) if points >= self._draw else Fraction(0)
            return self._faced(one, entry) * result
        won = [self._adjusted(self._player(other)) * self._against(entry, other) for other in entry.opponents]
        return sum(won, Fraction(0)) / len(won)

    def _against(self, entry: Entry, other: Number) -> Fraction:
        """At a table of three or four, the result against one of the others."""
        if entry.kind is Kind.FORFEIT_WIN:
            return Fraction(1)
        if entry.kind is Kind.FORFEIT_LOSS:
            return Fraction(0)
        place = entry.opponent_places[entry.opponents.index(other)]
        return Fraction((place > entry.place) - (place < entry.place) + 1, 2)

    def _rating(self, one: Player) -> Fraction:
        """10.1"""
        ratings = [self._player(other).rating for entry in _played(one) for other in entry.opponents]
        rated = [rating for rating in ratings if rating > 0]
        return Fraction(int(Fraction(sum(rated), len(rated)) + Fraction(1, 2)) if rated else 0)

    def _encounter(self, one: Player, equals: Sequence[Player]) -> Fraction:
        """6: how many of the equals stand behind it."""
        tiers = self._tiers([other.number for other in equals])
        mine = next(index for index, tier in enumerate(tiers) if one.number in tier)
        return Fraction(sum(len(tier) for tier in tiers[mine + 1 :]))

    def _tiers(self, group: list[Number]) -> list[list[Number]]:
        results = dict(self._results(group))
        pairs = [(one, other) for one in group for other in group if one != other]
        if all(pair in results for pair in pairs):
            sums = {one: self._sum(results, one) for one in group}
            tiers = [[one for one in group if sums[one] == score] for score in sorted(set(sums.values()), reverse=True)]
            return [part for tier in tiers for part in self._tiers(tier)] if len(tiers) > 1 else [group]
        rest, alone = list(group), []
        while len(rest) > 1 and (first := self._first_for_sure(results, pairs, rest)) is not None:
            alone.append([first])
            rest.remove(first)
        return [*alone, *self._tiers(rest)] if alone else [group]

    def _first_for_sure(self, results: _Results, pairs: list[_Pair], rest: list[Number]) -> Number | None:
        """6.3: who is ahead of all of the rest, whatever comes."""
        sure: set[Number] | None = None
        for outcome in self._outcomes(results, pairs):
            sums = {one: self._sum(outcome, one) for one in rest}
            best = [one for one in rest if sums[one] == max(sums.values())]
            sure = (set(best) if len(best) == 1 else set()) & (set(best) if sure is None else sure)
            if not sure:
                return None
        return sure.pop() if sure else None

    def _outcomes(self, results: _Results, pairs: list[_Pair]) -> Iterator[_Results]:
        missing = [(one, other) for one, other in pairs if one < other and (one, other) not in results]
        if len(missing) <= _FEW:
            for choice in product(self._possible(), repeat=len(missing)):
                came = {pair: mine for pair, (mine, _) in zip(missing, choice, strict=True)}
                yield results | came | {(b, a): theirs for (a, b), (_, theirs) in zip(missing, choice, strict=True)}
            return
        win, loss = self._possible()[0]
        for unlucky in dict.fromkeys(one for one, _ in pairs):
            # The one loses what is missing, and everybody else wins it.
            lost = {pair: loss if pair[0] == unlucky else win for pair in pairs if pair not in results}
            yield results | lost

    def _possible(self) -> list[tuple[Fraction, Fraction]]:
        win, draw, loss = (
            (self._win, self._draw, self._loss) if self._plan.seats == 2 else (Fraction(1), Fraction(1, 2), Fraction(0))
        )
        return [(win, loss), (draw, draw), (loss, win)]

    def _sum(self, results: _Results, one: Number) -> Fraction:
        return sum((won for (who, _), won in results.items() if who == one), Fraction(0))

    def _results(self, group: list[Number]) -> Iterator[tuple[_Pair, Fraction]]:
        """6.1: the mean of the meetings."""
        for one, other in product(group, group):
            won = list(self._won(self._player(one), self._player(other)))
            if won:
                yield (one, other), sum(won, Fraction(0)) / len(won)

    def _won(self, one: Player, other: Player) -> Iterator[Fraction]:
        for entry in one.entries:
            same_round = [theirs for theirs in other.entries if theirs.round == entry.round]
            if other.number in entry.opponents and all(map(self._is_game, [entry, *same_round])):
                two = self._plan.seats == 2
                yield Fraction(entry.points, POINT) if two else self._against(entry, other.number)


def _played(one: Player) -> Iterable[Entry]:
    return [entry for entry in one.entries if entry.kind is Kind.PLAYED]
