"""The checker accepts what the solver made (see the events), and refuses everything that was changed."""

from collections.abc import Callable

import pytest

from services.tournament.model import Draw, Number, OddSet, Proof, Table
from services.tournament.pairing import tables
from services.tournament.pairing.check_tables import check
from services.tournament.pairing.pool import Contender, Pool
from services.tournament.pairing.unsound import Unsound
from tests.tournament.tables.events import Setting, rounds


def _first_two_swapped(draw: Draw) -> Draw:
    """The best of the first table and of the last change places."""
    first, last = draw.tables[0].seats, draw.tables[-1].seats
    changed = [Table((last[0], *first[1:])), *draw.tables[1:-1], Table((first[0], *last[1:]))]
    return draw._replace(tables=tuple(changed))


def _somebody_twice(draw: Draw) -> Draw:
    first = draw.tables[0].seats
    return draw._replace(tables=(Table((first[1], *first[1:])), *draw.tables[1:]))


def _another_size(draw: Draw) -> Draw:
    """Two go from the first table to the second."""
    one, other = draw.tables[0].seats, draw.tables[1].seats
    return draw._replace(tables=(Table(one[:-2]), Table((*other, *one[-2:])), *draw.tables[2:]))


def _needless_bye(draw: Draw) -> Draw:
    last = draw.tables[-1].seats
    return draw._replace(tables=draw.tables[:-1], byes=(*draw.byes, *last))


def _value(at: int, by: int) -> Callable[[Draw], Draw]:
    def changed(draw: Draw) -> Draw:
        value = list(draw.certificate.value)
        value[at] += by
        return draw._replace(certificate=draw.certificate._replace(value=tuple(value)))

    return changed


def _bound(at: int, by: int) -> Callable[[Draw], Draw]:
    def changed(draw: Draw) -> Draw:
        bound = list(draw.certificate.bound)
        bound[at] += by
        return draw._replace(certificate=draw.certificate._replace(bound=tuple(bound)))

    return changed


_CHANGES: dict[str, tuple[Callable[[Draw], Draw], str]] = {
    "somebody is there twice": (_somebody_twice, "Not everybody"),
    "somebody is left out": (lambda draw: draw._replace(tables=draw.tables[:-1]), "Not everybody"),
    "a stranger": (lambda draw: draw._replace(byes=(*draw.byes, Number(999))), "Not everybody"),
    "a table too large": (_another_size, "sizes"),
    "a bye that is not needed": (_needless_bye, "sizes"),
    "two who changed places": (_first_two_swapped, "."),
    "tables in another order": (lambda draw: draw._replace(tables=draw.tables[::-1]), "order"),
    "a result before the match": (
        lambda draw: draw._replace(tables=(draw.tables[0]._replace(places=()), *draw.tables[1:])),
        "before it is played",
    ),
    "a label": (
        lambda draw: draw._replace(tables=(draw.tables[0]._replace(label="final"), *draw.tables[1:])),
        "before it is played",
    ),
    "fewer repeats than there are": (_value(2, -1), "but the tables come to"),
    "less gap than there is": (_value(3, -1), "but the tables come to"),
    "more gap than there is": (_value(3, 1), "but the tables come to"),
    "a bound that flatters": (_bound(2, 1), "is the least"),
    "a bound that hides": (_bound(3, -1), "is the least"),
    "another method": (
        lambda draw: draw._replace(certificate=draw.certificate._replace(method="fast")),
        "four criteria",
    ),
    "criteria in another order": (
        lambda draw: draw._replace(certificate=draw.certificate._replace(criteria=draw.certificate.criteria[::-1])),
        "four criteria",
    ),
    "a proof of something else": (
        lambda draw: draw._replace(certificate=draw.certificate._replace(proof=Proof(odd_sets=(OddSet((), 1),)))),
        "four criteria",
    ),
}


@pytest.mark.parametrize("change", _CHANGES)
def test_a_changed_round_is_refused(change: str) -> None:
    changed, sentence = _CHANGES[change]
    for entrants in (10, 31, 90):
        *_, last = rounds(Setting(entrants, 4, 5, rounds=4, unrest=0))
        check(last.pool, last.draw)
        with pytest.raises(Unsound, match=sentence):
            check(last.pool, changed(last.draw))


def test_seats_that_could_be_more_even_are_refused() -> None:
    for entrants in (12, 60):
        *_, last = rounds(Setting(entrants, 4, 1, rounds=4, unrest=0))
        refused = [at for at in range(len(last.draw.tables)) if _is_refused(last.pool, _turned(last.draw, at))]
        assert len(refused) > len(last.draw.tables) // 2


def _turned(draw: Draw, at: int) -> Draw:
    """One table with its seats turned by one."""
    seats = draw.tables[at].seats
    changed = Table((*seats[1:], seats[0]))
    return draw._replace(tables=(*draw.tables[:at], changed, *draw.tables[at + 1 :]))


def _is_refused(pool: Pool, draw: Draw) -> bool:
    try:
        check(pool, draw)
    except Unsound as unsound:
        return "more even" in str(unsound)
    return False


def test_in_a_small_field_tables_that_are_not_the_best_are_refused_whatever_they_claim() -> None:
    contenders = tuple([Contender(Number(number), 24 * (8 - number), number + 1) for number in range(8)])
    pool = Pool(1, 4, contenders)
    worse = tuple([Table(tuple([Number(number) for number in seats])) for seats in ((0, 1, 2, 7), (3, 4, 5, 6))])
    honest = tables.pair(pool)
    # 7 and 3 points of gap, where 3 and 3 can be had.
    claimed = honest.certificate._replace(value=(0, 0, 0, 240), bound=(0, 0, 0, 240))
    with pytest.raises(Unsound, match="is the least"):
        check(pool, honest._replace(tables=worse, certificate=claimed))
    # What is above its bound is not refused: the certificate says that it is above.
    check(pool, honest._replace(tables=worse, certificate=claimed._replace(bound=honest.certificate.value)))


def test_a_round_is_not_that_of_another_pool() -> None:
    first, second, *_ = rounds(Setting(40, 4, 2, unrest=0))
    with pytest.raises(Unsound):
        check(second.pool, first.draw)
    with pytest.raises(Unsound):
        check(first.pool, second.draw)


def test_a_round_of_a_game_that_needs_every_seat_is_not_one_of_a_game_that_does_not() -> None:
    *_, last = rounds(Setting(30, 4, 0, rounds=2, fewest=4, unrest=0))
    with pytest.raises(Unsound, match="sizes"):
        check(last.pool, last.draw, fewest=2)
