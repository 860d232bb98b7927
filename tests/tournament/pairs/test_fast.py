"""What `fast` does in positions that are small enough to see why."""

from itertools import combinations

import pytest

from services.tournament.model import Number, Proof
from services.tournament.pairing import fast
from services.tournament.pairing.check import check
from services.tournament.pairing.criteria import field
from services.tournament.pairing.least import least
from services.tournament.pairing.pool import Pool
from services.tournament.pairing.unsound import Unsound
from tests.tournament.pairs.events import Setting, rounds
from tests.tournament.pairs.pools import meetings, pool_of


def test_in_the_first_round_the_upper_half_meets_the_lower_half() -> None:
    draw = fast.pair(pool_of([0] * 8))
    assert meetings(draw) == {(0, 4), (1, 5), (2, 6), (3, 7)}
    assert [table.seats for table in draw.tables] == [(0, 4), (5, 1), (2, 6), (7, 3)]


def test_equal_scores_meet_and_who_is_left_over_goes_down() -> None:
    assert meetings(fast.pair(pool_of([48, 48, 48, 24, 24, 24]))) == {(0, 1), (2, 4), (3, 5)}


def test_a_rematch_in_a_group_is_exchanged_within_the_group() -> None:
    assert meetings(fast.pair(pool_of([24] * 4, [(0, 2)]))) == {(0, 3), (1, 2)}


def test_a_group_of_two_who_have_met_is_opened() -> None:
    draw = fast.pair(pool_of([72, 72, 48, 48, 48, 48], [(0, 1)]))
    assert (0, 1) not in meetings(draw)
    assert draw.certificate.value == draw.certificate.bound == (0, 0, 0, 0, 48)


def test_the_last_who_had_no_bye_has_it() -> None:
    pool = pool_of([48, 24, 24, 0, 0], had_bye=[4])
    assert fast.pair(pool).byes == (3,)


def test_a_second_bye_is_given_when_all_had_one_and_the_certificate_says_so() -> None:
    draw = fast.pair(pool_of([48, 24, 0], had_bye=[0, 1, 2]))
    assert draw.byes == (2,)
    assert draw.certificate.value == draw.certificate.bound == (1, 0, 0, 0, 24)


def test_the_bye_moves_up_where_that_saves_a_rematch() -> None:
    draw = fast.pair(pool_of([0, 0, 0], [(0, 1)]))
    assert draw.byes == (1,)
    assert draw.certificate.value[:3] == (0, 0, 1)


def test_forbidden_pairs_do_not_meet() -> None:
    assert meetings(fast.pair(pool_of([0] * 4, forbidden=[(0, 2), (0, 3)]))) == {(0, 1), (2, 3)}


def test_forced_pairs_meet_though_they_have_met_and_are_far_apart() -> None:
    pool = pool_of([96, 72, 48, 24, 0, 0], [(0, 5)], forced=[(0, 5)])
    draw = fast.pair(pool)
    assert (0, 5) in meetings(draw)
    assert draw.certificate.value == draw.certificate.bound == (0, 1, 0, 0, 144)


def test_of_wishes_that_contradict_each_other_as_many_as_can_are_granted() -> None:
    draw = fast.pair(pool_of([0] * 6, forced=[(0, 1), (1, 2), (2, 3)]))
    assert {(0, 1), (2, 3)} <= meetings(draw)
    assert draw.certificate.value[0] == 1


def test_two_who_started_too_often_do_not_meet_though_their_scores_are_equal() -> None:
    draw = fast.pair(pool_of([24, 24, 24, 24], surplus=[2, -2, 2, -2]))
    assert meetings(draw) == {(0, 3), (1, 2)}
    assert [table.seats[0] for table in draw.tables] == [3, 1]


def test_where_uneven_seats_can_not_be_helped_the_certificate_counts_them() -> None:
    draw = fast.pair(pool_of([24, 24], surplus=[2, 3]))
    assert draw.certificate.value == draw.certificate.bound == (0, 0, 0, 1, 0)


def test_pairs_that_need_what_can_not_be_proved_have_an_honest_bound() -> None:
    """So many scores, and so many rematches among neighbours, that the field is cut into parts."""
    scores = [24 * (500 - number) for number in range(500)]
    pool = pool_of(scores, [(number, number + 1) for number in range(0, 500, 2)])
    draw = fast.pair(pool)
    check(pool, draw)
    assert draw.certificate.value[:4] == (0, 0, 0, 0)
    assert draw.certificate.bound <= draw.certificate.value
    with pytest.raises(Unsound, match="is the least"):
        check(pool, draw._replace(certificate=draw.certificate._replace(bound=draw.certificate.value)))


def test_the_same_pool_gives_the_same_draw_in_whatever_order_its_sets_are() -> None:
    for paired in rounds(Setting(31, 3, wishes=3)):
        again = Pool(
            paired.pool.round,
            2,
            tuple([one._replace() for one in paired.pool.contenders]),
            frozenset(sorted(paired.pool.forbidden, reverse=True)),
            frozenset(sorted(paired.pool.forced, reverse=True)),
        )
        assert fast.pair(again) == paired.draw


def test_no_proof_shows_more_than_the_best_of_all_costs() -> None:
    """Whatever is claimed for two, three or four entrants: if it holds, it is not above what a pairing costs."""
    pool = pool_of([48, 24, 24, 0], [(1, 2)])
    of_pool = field(pool)
    best = of_pool.total([(Number(0), Number(1)), (Number(2), Number(3))])
    shown = []
    for count in range(5):
        for named in combinations(of_pool.numbers, count):
            for worth in range(-48, 97, 24):
                shown += _shown(pool, Proof(tuple([(one, worth) for one in named]), scale=2))
    assert max(shown) <= best
    assert len(shown) > 20


def _shown(pool: Pool, proof: Proof) -> list[int]:
    try:
        return [least(field(pool), proof)]
    except Unsound:
        return []
