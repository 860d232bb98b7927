"""The checker of `fast` rejects whatever was changed in a round or in its certificate."""

from collections.abc import Callable

import pytest

from services.tournament.model import Draw, Number, OddSet, Table
from services.tournament.pairing import fast
from services.tournament.pairing.check import check
from services.tournament.pairing.pool import Pool
from services.tournament.pairing.seating import seated
from services.tournament.pairing.unsound import Unsound
from tests.tournament.pairs.events import Setting, rounds
from tests.tournament.pairs.every_pairing import judged, pairing_of
from tests.tournament.pairs.pools import pool_of

# Late in a small event: the proof has potentials, odd sets and a bye.
_BEFORE, _LATE = list(rounds(Setting(15, 6, rounds=6, unrest=0)))[3:5]


def test_the_round_that_is_changed_below_has_a_proof_of_every_kind() -> None:
    check(_LATE.pool, _LATE.draw)
    proof = _LATE.draw.certificate.proof
    assert proof.potentials
    assert proof.odd_sets
    assert _LATE.draw.byes


def _with_tables(draw: Draw, *tables: Table) -> Draw:
    return draw._replace(tables=(*tables, *draw.tables[len(tables) :]))


def _swapped_players(draw: Draw) -> Draw:
    (a, b), (c, d) = draw.tables[0].seats, draw.tables[1].seats
    return _with_tables(draw, Table((a, d)), Table((c, b)))


def _swapped_seats(draw: Draw) -> Draw:
    return _with_tables(draw, Table(draw.tables[0].seats[::-1]))


def _swapped_tables(draw: Draw) -> Draw:
    return _with_tables(draw, draw.tables[1], draw.tables[0])


def _another_bye(draw: Draw) -> Draw:
    one, other = draw.tables[-1].seats
    return draw._replace(tables=(*draw.tables[:-1], Table((one, draw.byes[0]))), byes=(other,))


def _nobody_twice(draw: Draw) -> Draw:
    return _with_tables(draw, Table((draw.tables[0].seats[0], draw.tables[1].seats[0])))


def _one_missing(draw: Draw) -> Draw:
    return draw._replace(tables=draw.tables[1:])


def _three_at_a_table(draw: Draw) -> Draw:
    return _with_tables(draw, Table((*draw.tables[0].seats, draw.byes[0])))._replace(byes=())


def _two_more_byes(draw: Draw) -> Draw:
    return draw._replace(tables=draw.tables[:-1], byes=(*draw.byes, *draw.tables[-1].seats))


def _a_result(draw: Draw) -> Draw:
    return _with_tables(draw, draw.tables[0]._replace(places=((draw.tables[0].seats[0],),)))


_CHANGED_ROUNDS = [
    _swapped_players,
    _swapped_seats,
    _swapped_tables,
    _another_bye,
    _nobody_twice,
    _one_missing,
    _three_at_a_table,
    _two_more_byes,
    _a_result,
]


@pytest.mark.parametrize("change", _CHANGED_ROUNDS)
def test_a_changed_round_is_rejected(change: Callable[[Draw], Draw]) -> None:
    with pytest.raises(Unsound):
        check(_LATE.pool, change(_LATE.draw))


def _certificate(draw: Draw, **fields: object) -> Draw:
    return draw._replace(certificate=draw.certificate._replace(**fields))  # type: ignore[arg-type]


def _proof(draw: Draw, **fields: object) -> Draw:
    return _certificate(draw, proof=draw.certificate.proof._replace(**fields))  # type: ignore[arg-type]


def _value(draw: Draw) -> Draw:
    *rest, gap = draw.certificate.value
    return _certificate(draw, value=(*rest, gap - 12))


def _bound(draw: Draw) -> Draw:
    *rest, gap = draw.certificate.bound
    return _certificate(draw, bound=(*rest, gap - 12))


def _method(draw: Draw) -> Draw:
    return _certificate(draw, method="tables")


def _criteria(draw: Draw) -> Draw:
    return _certificate(draw, criteria=draw.certificate.criteria[::-1])


def _scale(draw: Draw) -> Draw:
    return _proof(draw, scale=0)


def _no_potentials(draw: Draw) -> Draw:
    return _proof(draw, potentials=())


def _no_sets(draw: Draw) -> Draw:
    return _proof(draw, odd_sets=())


def _twice(draw: Draw) -> Draw:
    potentials = draw.certificate.proof.potentials
    return _proof(draw, potentials=(*potentials, potentials[0]))


def _a_stranger(draw: Draw) -> Draw:
    return _proof(draw, potentials=((Number(99), 0), *draw.certificate.proof.potentials))


def _negative_set(draw: Draw) -> Draw:
    return _proof(draw, odd_sets=(*draw.certificate.proof.odd_sets, OddSet((Number(0),), -2)))


def _even_set(draw: Draw) -> Draw:
    return _proof(draw, odd_sets=(*draw.certificate.proof.odd_sets, OddSet((Number(0), Number(1)), 0)))


_CHANGED_CERTIFICATES = [
    _value,
    _bound,
    _method,
    _criteria,
    _scale,
    _no_potentials,
    _no_sets,
    _twice,
    _a_stranger,
    _negative_set,
    _even_set,
]


@pytest.mark.parametrize("change", _CHANGED_CERTIFICATES)
def test_a_changed_certificate_is_rejected(change: Callable[[Draw], Draw]) -> None:
    with pytest.raises(Unsound):
        check(_LATE.pool, change(_LATE.draw))


@pytest.mark.parametrize("by", [1, -1, 24])
def test_any_value_of_the_proof_that_is_changed_is_noticed(by: int) -> None:
    proof = _LATE.draw.certificate.proof
    for at, (number, value) in enumerate(proof.potentials):
        changed = (*proof.potentials[:at], (number, value + by), *proof.potentials[at + 1 :])
        assert _is_rejected(_LATE.pool, _proof(_LATE.draw, potentials=changed)) or by == -1
    for at, odd in enumerate(proof.odd_sets):
        more = (*proof.odd_sets[:at], odd._replace(weight=odd.weight + 24), *proof.odd_sets[at + 1 :])
        assert _is_rejected(_LATE.pool, _proof(_LATE.draw, odd_sets=more))


def test_a_line_that_weighs_more_than_the_scores_differ_is_rejected() -> None:
    pool = pool_of([48, 24, 24, 24])
    draw = fast.pair(pool)
    check(pool, draw)
    ((score, weight),) = draw.certificate.proof.lines
    with pytest.raises(Unsound, match="more than the scores differ"):
        check(pool, _proof(draw, lines=((score, weight + 2),)))


def test_a_proof_that_names_everybody_does_not_make_the_check_long() -> None:
    pool = pool_of([0] * 4000)
    draw = fast.pair(pool)
    everybody = tuple([(one.number, -1 - one.number) for one in pool.contenders])
    with pytest.raises(Unsound, match="linear time"):
        check(pool, _proof(draw, potentials=everybody))


def test_a_round_paired_from_another_pool_is_rejected() -> None:
    assert _is_rejected(_BEFORE.pool, _LATE.draw)


def test_nobody_at_all_is_a_sound_round() -> None:
    draw = fast.pair(pool_of([]))
    check(pool_of([]), draw)
    assert (draw.tables, draw.byes) == ((), ())


def test_two_who_change_places_are_rejected_unless_that_is_as_good_by_every_criterion() -> None:
    rejected = 0
    for seed in range(20):
        for paired in rounds(Setting(6 + 2 * seed, seed, rounds=4, draws=0.1)):
            changed = _reseated(paired.pool, _first_with_last(paired.draw))
            is_worse = judged(paired.pool, pairing_of(paired.pool, changed)) > paired.draw.certificate.value
            assert _is_rejected(paired.pool, changed) == is_worse
            rejected += is_worse
    assert rejected > 20


def _first_with_last(draw: Draw) -> Draw:
    (a, b), (c, d) = draw.tables[0].seats, draw.tables[-1].seats
    return draw._replace(tables=(Table((a, d)), *draw.tables[1:-1], Table((c, b))))


def _reseated(pool: Pool, draw: Draw) -> Draw:
    """With the order of tables and seats that the rule gives, so that they are not what is wrong."""
    place = {one.number: at for at, one in enumerate(pool.contenders)}
    tables = []
    for number, (higher, lower) in enumerate(
        sorted([sorted([place[one] for one in two.seats]) for two in draw.tables])
    ):
        seats = seated(pool.contenders[higher], pool.contenders[lower], number)
        tables.append(Table((seats[0].number, seats[1].number)))
    return draw._replace(tables=tuple(tables))


def _is_rejected(pool: Pool, draw: Draw) -> bool:
    try:
        check(pool, draw)
    except Unsound:
        return True
    return False
