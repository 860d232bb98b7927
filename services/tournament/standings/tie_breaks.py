"""The tie-breaks that are a number of each entrant's own: more is better. Direct encounter is none (encounter.py)."""

from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from services.tournament.model import POINT, Entry, Kind, Number, TieBreak, Units
from services.tournament.standings.ledger import SHARES, Ledger, Line, is_game


class Value(NamedTuple):
    """An exact number, `amount / scale`. All values of a tie-break have the same scale."""

    amount: int
    scale: int = 1


class Measure(NamedTuple):
    """How a tie-break is counted, and how many make one."""

    amount: Callable[[Ledger, Line], int]
    scale: int = 1


def values_of(tie_break: TieBreak, book: Ledger) -> list[Value]:
    """One value for each line, in their order."""
    measure = _measure(tie_break, book)
    amounts = [measure.amount(book, line) for line in book.lines]
    # Most are shared by many.
    values = {amount: Value(amount, measure.scale) for amount in dict.fromkeys(amounts)}
    return [values[amount] for amount in amounts]


def _measure(tie_break: TieBreak, book: Ledger) -> Measure:
    if tie_break is TieBreak.SONNEBORN_BERGER and book.plan.seats != 2:
        return Measure(_sonneborn_berger_at_tables, POINT * POINT * SHARES)
    return _MEASURES[tie_break]


def _buchholz(_: Ledger, line: Line) -> int:
    """8.1: the scores of all opponents together."""
    return sum(line.cut_order)


def _cut_1(_: Ledger, line: Line) -> int:
    """14.1: without the least."""
    return sum(line.cut_order[1:])


def _cut_2(_: Ledger, line: Line) -> int:
    """14.2: without the two least."""
    return sum(line.cut_order[2:])


def _median(_: Ledger, line: Line) -> int:
    """14.3: without the least, and then without the greatest."""
    left = line.cut_order[1:]
    return sum(left) - max(left, default=0)


def _sonneborn_berger(_: Ledger, line: Line) -> int:
    """9.1: each opponent's score, times the points that were won against it."""
    return sum([score * entry.points for entry, score in zip(line.entries, line.scores, strict=True)])


def _sonneborn_berger_at_tables(book: Ledger, line: Line) -> int:
    """The same for tables of three and four: the mean of a table, a win against each who is behind."""
    return sum(
        [
            _won_at(book, entry) if is_game(book.plan, entry) else score * _won_alone(book, entry.points)
            for entry, score in zip(line.entries, line.scores, strict=True)
        ]
    )


def _won_at(book: Ledger, entry: Entry) -> int:
    won = [book.adjusted[other] * result for other, result in against(entry)]
    return sum(won) * (SHARES // max(len(won), 1))


def against(entry: Entry) -> list[tuple[Number, Units]]:
    """Everybody else at the table, and what the result between the two is worth: a win, a draw or nothing."""
    if entry.kind is Kind.PLAYED:
        pairs = zip(entry.opponents, entry.opponent_places, strict=True)
        return [
            (other, POINT if place > entry.place else POINT // 2 * (place == entry.place)) for other, place in pairs
        ]
    return [(other, POINT if entry.kind is Kind.FORFEIT_WIN else 0) for other in entry.opponents]


def _won_alone(book: Ledger, points: Units) -> Units:
    """16.4: the result that these points stand for."""
    if points >= book.win:
        return POINT
    return POINT // 2 if points >= book.draw else 0


def _progressive(_: Ledger, line: Line) -> int:
    """7.5: the own scores after each round together."""
    return sum(accumulate([entry.points for entry in line.player.entries]))


def _wins(book: Ledger, line: Line) -> int:
    """7.1: rounds with the points of a win, with or without playing."""
    return len([entry for entry in line.player.entries if entry.points >= book.win > 0])


def _second_seat(_: Ledger, line: Line) -> int:
    """7.3: games in the second seat; at larger tables, all seats that others had before one's own."""
    return sum([entry.seat for entry in line.player.entries if entry.kind is Kind.PLAYED])


def _opponents_rating(book: Ledger, line: Line) -> int:
    """10.1: the mean rating of those whom it played, a half upwards. Who has none (0) does not count."""
    played = [other for entry in line.player.entries if entry.kind is Kind.PLAYED for other in entry.opponents]
    ratings = [rating for other in played if (rating := book.ratings[other])]
    return (2 * sum(ratings) + len(ratings)) // (2 * len(ratings)) if ratings else 0


def _game_points(_: Ledger, line: Line) -> int:
    """What the game itself counts, in all games together."""
    return sum([entry.game_points for entry in line.player.entries if entry.kind is Kind.PLAYED])


def _margin(_: Ledger, line: Line) -> int:
    """By how much it was ahead of the best of the others, in all games together."""
    return sum([entry.margin for entry in line.player.entries if entry.kind is Kind.PLAYED])


_Table: TypeAlias = dict[TieBreak, Measure]
_MEASURES: _Table = {
    TieBreak.BUCHHOLZ: Measure(_buchholz, POINT * SHARES),
    TieBreak.BUCHHOLZ_CUT_1: Measure(_cut_1, POINT * SHARES),
    TieBreak.BUCHHOLZ_CUT_2: Measure(_cut_2, POINT * SHARES),
    TieBreak.BUCHHOLZ_MEDIAN: Measure(_median, POINT * SHARES),
    TieBreak.SONNEBORN_BERGER: Measure(_sonneborn_berger, POINT * POINT * SHARES),
    TieBreak.PROGRESSIVE: Measure(_progressive, POINT),
    TieBreak.WINS: Measure(_wins),
    TieBreak.SECOND_SEAT: Measure(_second_seat),
    TieBreak.OPPONENTS_RATING: Measure(_opponents_rating),
    TieBreak.GAME_POINTS: Measure(_game_points),
    TieBreak.MARGIN: Measure(_margin),
}
