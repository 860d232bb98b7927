"""The worlds that a view leaves open: the shuffles of this round that lead to exactly what a seat has seen of it.

What turns tell of hands:

- D-4: in the first round nobody was dealt a tile that would have started before the one that did. Whether a later
  round began with a forced tile or with any (D-14), a view does not tell, and nothing is concluded from it.
- D-6, D-9, D-10: who drew or passed held nothing that fitted the ends, drew nothing that fitted before the last tile,
  and laid that one. So a tile that was in a hand through such a turn does not fit the ends of that turn.
- D-8: a tile that was laid without a draw had been dealt, or drawn in an earlier turn.

Each of these says that one tile did not come from one source: a hand as dealt, the tiles drawn in one turn, or what is
left of the boneyard. So shuffles can be counted exactly, tile by tile, by how many places of each source are still
free, and each has a rank of its own below that count. A rank drawn uniformly is a world drawn uniformly from all that
are possible: what may have led players to choose as they did is not asked.

The work is bounded: there are no more partial counts than the product of the places of the sources that are not the
seat's own, each plus one. Of the tiles drawn in a turn the last is laid and known, so that this is below 80,000 for any
options and turns; two hands of five lead to some twenty, five hands of two or three at times to thousands.
"""

from collections.abc import Iterator
from math import factorial
from typing import NamedTuple, TypeAlias

from services.domino.rules.model import FITS, TILES, Hand, State, Tile, Turn, hand_of, tiles_in
from services.domino.rules.setup import opening
from services.domino.rules.view import Lying, View, line_of
from shared.kernel import Seat

# All tiles in the order in which they are dealt, seat by seat, and then drawn: the whole of what is hidden.
Shuffle: TypeAlias = tuple[Tile, ...]

# The turn of sources that are there from the beginning.
_DEAL = -1
# The free places of all sources are packed into one number; no source has more than 28.
_BITS = 5
_MOST = (1 << _BITS) - 1


class _Source(NamedTuple):
    """Places of a shuffle that a seat took at the same time."""

    # Nobody took what is left of the boneyard.
    seat: Seat | None
    turn: int
    places: range
    # Tiles that can't have been there.
    excluded: Hand = 0


class _Stuck(NamedTuple):
    """A turn that a seat began with nothing that fitted."""

    seat: Seat
    turn: int
    fitting: Hand


class _Fate(NamedTuple):
    """Who may have taken a tile (None: nobody, as yet), and the turn until which it was then held."""

    tile: Tile
    takers: tuple[Seat | None, ...]
    until: int


class _Bound(NamedTuple):
    """A tile that may have come from some of the sources only."""

    tile: Tile
    sources: tuple[int, ...]


class _Choice(NamedTuple):
    """A source for a tile: how many worlds have it there, and in each place there; and what is free after that."""

    source: int
    worlds: int
    worlds_a_place: int
    free: int


class Worlds:
    """All worlds that are left open by the view of the seat whose turn it is."""

    def __init__(self, view: View) -> None:
        turns = _turns_so_far(view)
        self._sources = tuple(source for source in _sources(view, turns) if source.places)
        self._known = dict(_known_places(view, turns))
        self._bound, self._loose = _tiles(view, turns, self._sources)
        self._choices: tuple[dict[int, tuple[_Choice, ...]], ...] = tuple({} for _ in self._bound)
        self._free = sum(len(source.places) << number * _BITS for number, source in enumerate(self._sources))
        self.count = self._count(0, self._free)

    def shuffle(self, rank: int) -> Shuffle:
        """The world of a rank, which is below the count."""
        order = dict(self._known)
        places = [list(source.places) for source in self._sources]
        free = self._free
        for (tile, _), choices in zip(self._bound, self._choices, strict=True):
            choice, rank = _chosen(choices[free], rank)
            place, rank = divmod(rank, choice.worlds_a_place)
            order[places[choice.source].pop(place)] = tile
            free = choice.free
        anywhere = [place for left in places for place in left]
        for tile in self._loose:
            rank, place = divmod(rank, len(anywhere))
            order[anywhere.pop(place)] = tile
        return tuple([order[place] for place in range(len(TILES))])

    def _count(self, step: int, free: int) -> int:
        """In how many ways the tiles from this step on can be put in the free places."""
        if step == len(self._bound):
            return factorial(len(self._loose))
        if free not in self._choices[step]:
            self._choices[step][free] = tuple(self._possible(step, free))
        return sum([choice.worlds for choice in self._choices[step][free]])

    def _possible(self, step: int, free: int) -> Iterator[_Choice]:
        for source in self._bound[step].sources:
            places = free >> source * _BITS & _MOST
            if places:
                after = free - (1 << source * _BITS)
                count = self._count(step + 1, after)
                yield _Choice(source, places * count, count, after)


def _chosen(choices: tuple[_Choice, ...], rank: int) -> tuple[_Choice, int]:
    """The choice that a rank falls to, and its rank there."""
    for choice in choices:
        if rank < choice.worlds:
            return choice, rank
        rank -= choice.worlds
    raise IndexError("the rank is not below the count")


def state_in(view: View, shuffle: Shuffle) -> State:
    """What the match has come to in one of the worlds of a view."""
    left, right = view.ends
    return State(
        options=view.options,
        round=view.round,
        scores=view.scores,
        hands=_hands_in(view, shuffle),
        boneyard=shuffle[len(TILES) - view.boneyard_size :],
        left=left,
        right=right,
        turn=_own(view)[0],
        turns=view.turns,
        drawn=view.drawn,
        winners=(),
        is_over=False,
    )


def _hands_in(view: View, shuffle: Shuffle) -> tuple[Hand, ...]:
    size, drawn = view.options.hand_size, len(view.hands) * view.options.hand_size
    held = [hand_of(shuffle[seat * size : (seat + 1) * size]) for seat in range(len(view.hands))]
    seat, _ = _own(view)
    for taker, number in (*((turn.seat, turn.drawn) for turn in view.turns), (seat, view.drawn)):
        held[taker] |= hand_of(shuffle[drawn : drawn + number])
        drawn += number
    laid = hand_of(tuple([turn.tile for turn in view.turns if turn.tile is not None]))
    return tuple([hand & ~laid for hand in held])


def _own(view: View) -> tuple[Seat, Hand]:
    """The seat that looks, and its hand."""
    assert view.seat is not None
    hand = view.hands[view.seat]
    assert hand is not None
    return view.seat, hand


def _turns_so_far(view: View) -> tuple[Turn, ...]:
    """The turns, and the present one if tiles were drawn in it: the last of them is the only one that fits."""
    if not view.drawn:
        return view.turns
    seat, hand = _own(view)
    return (*view.turns, Turn(seat, view.drawn, tiles_in(hand & _fitting(view.line))[0], None))


def _fitting(line: tuple[Lying, ...]) -> Hand:
    return FITS[line[0][0]] | FITS[line[-1][1]]


def _sources(view: View, turns: tuple[Turn, ...]) -> Iterator[_Source]:
    size, not_dealt = view.options.hand_size, _not_dealt(view)
    for seat in range(len(view.hands)):
        yield _Source(Seat(seat), _DEAL, range(seat * size, (seat + 1) * size), not_dealt)
    for number, (turn, places) in enumerate(zip(turns, _places_drawn(view, turns), strict=True)):
        # Where the last tile drawn came from is known if it was laid.
        yield _Source(turn.seat, number, places if turn.tile is None else places[:-1])
    yield _Source(None, _DEAL, range(len(TILES) - view.boneyard_size, len(TILES)))


def _places_drawn(view: View, turns: tuple[Turn, ...]) -> Iterator[range]:
    """For each turn, the places of the tiles drawn in it."""
    taken = len(view.hands) * view.options.hand_size
    for turn in turns:
        yield range(taken, taken + turn.drawn)
        taken += turn.drawn


def _known_places(view: View, turns: tuple[Turn, ...]) -> Iterator[tuple[int, Tile]]:
    for turn, places in zip(turns, _places_drawn(view, turns), strict=True):
        if places and turn.tile is not None:
            yield places[-1], turn.tile


def _not_dealt(view: View) -> Hand:
    """D-4: the tiles that would have started the first round, had anybody been dealt them."""
    first = view.turns[0].tile if view.round == 1 else None
    if first is None:
        return 0
    return hand_of(tuple(tile for tile in TILES if opening((1 << first | 1 << tile,))[1] != first))


def _tiles(
    view: View, turns: tuple[Turn, ...], sources: tuple[_Source, ...]
) -> tuple[tuple[_Bound, ...], tuple[Tile, ...]]:
    """The tiles whose places are not known: those that are bound to some sources, and those that are not.

    Of the first, the seat's own come first, then those with few sources: it keeps the partial counts few. The others
    may have come from any source but the seat's own.
    """
    stuck = tuple(_stuck_turns(turns))
    tiles = [_Bound(fate.tile, tuple(_possible_sources(fate, sources, stuck))) for fate in _fates(view, turns)]
    hidden = tuple(number for number, source in enumerate(sources) if source.seat != view.seat)
    bound = [tile for tile in tiles if tile.sources != hidden]
    bound.sort(key=lambda tile: (tile.sources[0] in hidden, len(tile.sources), tile.sources))
    return tuple(bound), tuple(tile.tile for tile in tiles if tile.sources == hidden)


def _stuck_turns(turns: tuple[Turn, ...]) -> Iterator[_Stuck]:
    for number, turn in enumerate(turns):
        if turn.drawn or turn.tile is None:
            yield _Stuck(turn.seat, number, _fitting(line_of(turns[:number])))


def _fates(view: View, turns: tuple[Turn, ...]) -> Iterator[_Fate]:
    seat, hand = _own(view)
    seen = 0
    for number, turn in enumerate(turns):
        if turn.tile is not None:
            seen |= 1 << turn.tile
            if not turn.drawn:
                yield _Fate(turn.tile, (turn.seat,), number)
    others = (None, *(Seat(other) for other in range(len(view.hands)) if other != seat))
    for tile in TILES:
        if not seen >> tile & 1:
            yield _Fate(tile, (seat,) if hand >> tile & 1 else others, len(turns))


def _possible_sources(fate: _Fate, sources: tuple[_Source, ...], stuck: tuple[_Stuck, ...]) -> Iterator[int]:
    for number, source in enumerate(sources):
        is_taken = source.seat in fate.takers and source.turn < fate.until
        if is_taken and not _excluded(source, fate.until, stuck) >> fate.tile & 1:
            yield number


def _excluded(source: _Source, until: int, stuck: tuple[_Stuck, ...]) -> Hand:
    """The tiles that were not taken from a source and then held until a turn."""
    excluded = source.excluded
    for one in stuck:
        if one.seat == source.seat and source.turn <= one.turn < until:
            excluded |= one.fitting
    return excluded
