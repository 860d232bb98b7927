"""The worlds that a view leaves open: each leads to what was seen, none is missing, and all are equally likely."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations, islice, permutations, product
from math import comb, factorial, perm, prod, sqrt

import pytest

from services.domino.rules.model import TILES, Options, Tile, tiles_in
from services.domino.rules.view import View, view
from services.domino.rules.worlds import Shuffle, Worlds, state_in
from shared.kernel import Chance, Viewer
from tests.games.domino.seeded import Setting, every_setting, positions, replayed

MATCHES = range(4)
# Of a match to a target, so many positions are enough.
MOST = 50


def by_lot(worlds: Worlds, number: int) -> list[int]:
    """So many ranks; 32 bytes are so many more than there are worlds that none is preferred."""
    chance = Chance(b"ranks")
    return [int.from_bytes(chance.derive(str(one)), "big") % worlds.count for one in range(number)]


@every_setting
def test_a_world_leads_to_exactly_what_the_seat_has_seen(setting: Setting) -> None:
    """Dealt and played again by the rules, it comes to the same view, and to the state that is expected of it."""
    for seed in MATCHES:
        for position in islice(positions(setting, seed), MOST):
            seen = position.view
            worlds = Worlds(seen)
            for rank in (0, worlds.count - 1, *by_lot(worlds, 2)):
                state = replayed(seen, worlds.shuffle(rank))
                assert state is not None
                assert view(state, Viewer(seen.seat)) == seen
                assert state == state_in(seen, worlds.shuffle(rank))


@every_setting
def test_the_real_world_is_always_possible(setting: Setting) -> None:
    """Each tile came from a source that is not excluded: nothing false is ever concluded from what was seen."""
    for seed in MATCHES:
        for position in islice(positions(setting, seed), MOST):
            worlds, shuffle = Worlds(position.view), position.shuffle
            assert all(shuffle[place] == tile for place, tile in worlds._known.items())
            for tile, sources in worlds._bound:
                assert any(shuffle.index(tile) in worlds._sources[source].places for source in sources)
            for tile in worlds._loose:
                source = next(one for one in worlds._sources if shuffle.index(tile) in one.places)
                assert source.seat != position.state.turn
            assert state_in(position.view, shuffle) == position.state


@every_setting
def test_the_work_is_bounded_by_what_is_hidden(setting: Setting) -> None:
    """There are no more partial counts than ways to fill sources to some height: the seat's own, and the others."""
    for seed in MATCHES:
        for position in islice(positions(setting, seed), MOST):
            worlds, seat = Worlds(position.view), position.state.turn
            own = prod(len(source.places) + 1 for source in worlds._sources if source.seat == seat)
            others = prod(len(source.places) + 1 for source in worlds._sources if source.seat != seat)
            assert sum(map(len, worlds._choices)) <= own + others


# Small positions, in which everything that may have been dealt can be tried.

SMALL = [
    Setting(2, Options(13)),
    Setting(2, Options(12)),
    Setting(2, Options(5)),
    Setting(2, Options(5, target=40)),
    Setting(3, Options(9)),
    Setting(3, Options(9, target=40)),
    Setting(3, Options(8)),
]
every_small_setting = pytest.mark.parametrize("setting", SMALL, ids=str)


@cache
def small_views(setting: Setting) -> list[View]:
    """Views with up to 600 deals, all of them after somebody has drawn."""
    found = (position.view for seed in range(60) for position in islice(positions(setting, seed), MOST))
    return list(islice((seen for seen in found if takers(seen) and 1 < number_of_deals(seen) <= 600), 12))


@every_small_setting
def test_no_world_is_missing_and_none_is_counted_twice(setting: Setting) -> None:
    """Of all deals, those that lead to what was seen when they are played are as many as were counted."""
    tried = found = 0
    for seen in small_views(setting):
        possible = possible_deals(seen)
        assert Worlds(seen).count == len(possible) * orders_of_a_deal(seen)
        tried += number_of_deals(seen)
        found += len(possible)
    # What was seen does exclude deals.
    assert 0 < found < tried / 2


@every_small_setting
def test_ranks_that_differ_are_worlds_that_differ(setting: Setting) -> None:
    """With as many worlds as ranks, every world has one."""
    for seen in small_views(setting):
        worlds = Worlds(seen)
        some = {*range(min(100, worlds.count)), *by_lot(worlds, 100)}
        assert len(set(map(worlds.shuffle, some))) == len(some)


@every_small_setting
def test_all_worlds_are_equally_likely(setting: Setting) -> None:
    """With 50 draws for each world, chi-squared is within four standard deviations of what it is on average."""
    views = [seen for seen in small_views(setting) if 3 < len(possible_deals(seen)) < 60]
    assert views
    for seen in views:
        worlds, possible = Worlds(seen), possible_deals(seen)
        drawn = Counter(deal_of(seen, worlds.shuffle(rank)) for rank in by_lot(worlds, 50 * len(possible)))
        assert set(drawn) <= possible
        chi_squared = sum((drawn[deal] - 50) ** 2 / 50 for deal in possible)
        freedom = len(possible) - 1
        assert abs(chi_squared - freedom) < 4 * sqrt(2 * freedom)


@cache
def possible_deals(seen: View) -> frozenset[Shuffle]:
    """The deals that lead to what was seen: found by playing all of them, with no thought."""
    return frozenset(deal for deal in deals(seen) if is_seen_in(seen, deal))


def is_seen_in(seen: View, deal: Shuffle) -> bool:
    state = replayed(seen, deal)
    return state is not None and view(state, Viewer(seen.seat)) == seen


def deals(seen: View) -> Iterator[Shuffle]:
    """What may have been dealt and drawn, if only the numbers of tiles count, and who laid or holds what is seen."""
    for hands in all_hands(seen, 0, unseen_tiles(seen)):
        taken = [{*hand, *laid_by(seen, seat)} for seat, hand in enumerate(hands)]
        left = set(TILES).difference(*taken)
        for drawn in product(*(permutations(tiles, takers(seen).count(seat)) for seat, tiles in enumerate(taken))):
            dealt = [sorted(tiles.difference(own)) for tiles, own in zip(taken, drawn, strict=True)]
            in_turn = list(map(iter, drawn))
            yield (*chain(*dealt), *(next(in_turn[seat]) for seat in takers(seen)), *sorted(left))


def deal_of(seen: View, shuffle: Shuffle) -> Shuffle:
    """The one of `deals` that a shuffle stands for: orders are left out in hands as dealt and in what is left."""
    size, left = seen.options.hand_size, len(TILES) - seen.boneyard_size
    dealt = [sorted(shuffle[seat * size : (seat + 1) * size]) for seat in range(len(seen.hands))]
    return (*chain(*dealt), *shuffle[len(seen.hands) * size : left], *sorted(shuffle[left:]))


def orders_of_a_deal(seen: View) -> int:
    """How many shuffles a deal stands for."""
    hands = [factorial(seen.options.hand_size)] * len(seen.hands)
    return prod(hands) * factorial(seen.boneyard_size)


def number_of_deals(seen: View) -> int:
    """How many `deals` there are."""
    drawn = list(map(takers(seen).count, range(len(seen.hands))))
    orders = prod(perm(seen.options.hand_size + number, number) for number in drawn)
    unseen, hands = len(unseen_tiles(seen)), 1
    for seat, size in enumerate(seen.hand_sizes):
        if seat != seen.seat:
            hands, unseen = hands * comb(unseen, size), unseen - size
    return hands * orders


def all_hands(seen: View, seat: int, unseen: frozenset[Tile]) -> Iterator[list[tuple[Tile, ...]]]:
    """Every way to share out what is not seen, from this seat on."""
    if seat == len(seen.hands):
        yield []
        return
    shown = seen.hands[seat]
    for hand in combinations(sorted(unseen), seen.hand_sizes[seat]) if shown is None else [tiles_in(shown)]:
        yield from ([hand, *others] for others in all_hands(seen, seat + 1, unseen.difference(hand)))


def unseen_tiles(seen: View) -> frozenset[Tile]:
    laid = chain(*(laid_by(seen, seat) for seat in range(len(seen.hands))))
    return frozenset(TILES).difference(laid, *(tiles_in(hand) for hand in seen.hands if hand is not None))


def laid_by(seen: View, seat: int) -> list[Tile]:
    return [turn.tile for turn in seen.turns if turn.tile is not None and turn.seat == seat]


def takers(seen: View) -> list[int]:
    """Who took each tile that was drawn, in their order."""
    assert seen.seat is not None
    return [*chain(*([turn.seat] * turn.drawn for turn in seen.turns)), *[seen.seat] * seen.drawn]
