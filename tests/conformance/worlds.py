"""Other worlds: logs that differ from a given one only in what one viewer has not seen.

A game with secrets adds an entry to HIDDEN. Its `other_world` gets the game's events so far and answers events that
look the same to the viewer, with other tiles, cards or orders behind what is sealed. It need not be a world that these
rules and players would have come to, as long as the viewer can't tell the difference from a part that it was shown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from services.domino.rules.events import Event, RoundDealt, RoundEnded, TileDrawn, TileLaid
from services.domino.rules.model import TILES, Hand, Tile, hand_of, tiles_in
from services.domino.rules.model import Options as DominoOptions
from services.kingdomino.rules.events import Event as KingdominoEvent
from services.kingdomino.rules.events import GameDealt, LineDrawn
from services.kingdomino.rules.model import Options as KingdominoOptions
from shared.kernel import Viewer


@dataclass(frozen=True)
class Hidden:
    """What the tests of non-interference must know of a game."""

    other_world: Callable[[Sequence[Any], Viewer, Random], tuple[Any, ...]]
    # How many of the events that follow a seat's command can't depend on anything that it has not seen.
    independent_events: int
    # Options that leave so little hidden from the viewer's own sight that equal sights come up by chance.
    smallest_options: Any
    # So many deals have enough equal sights.
    deals: int


def other_domino_world(events: Sequence[Event], viewer: Viewer, random: Random) -> tuple[Event, ...]:
    """The unseen tiles of the present round change places: between the other hands, and in the order of the boneyard.

    Tiles that were laid are seen by everybody, and tiles that were drawn by whoever drew them. Earlier rounds are left
    as they were, but for what nobody has drawn of their boneyards, which nobody ever sees.
    """
    began = max(place for place, event in enumerate(events) if isinstance(event, RoundDealt))
    this_round = events[began:]
    seen = set().union(*(_seen_tiles(event, viewer) for event in this_round))
    unseen = [tile for tile in TILES if tile not in seen]
    moved = dict(zip(unseen, random.sample(unseen, len(unseen)), strict=True))
    return (*events[:began], *(_renamed(event, moved) for event in this_round))


def _seen_tiles(event: Event, viewer: Viewer) -> set[Tile]:
    match event:
        case RoundDealt():
            return set() if viewer.seat is None else set(tiles_in(event.hands[viewer.seat] or 0))
        case TileDrawn():
            return {event.tile} if event.tile is not None and viewer.may_see((event.seat,)) else set()
        case TileLaid():
            return {event.tile}
        case RoundEnded():
            return {tile for hand in event.hands for tile in tiles_in(hand)}
        case _:
            return set()


def _renamed(event: Event, moved: dict[Tile, Tile]) -> Event:
    def hand(held: Hand | None) -> Hand:
        return hand_of(tuple(moved.get(tile, tile) for tile in tiles_in(held or 0)))

    match event:
        case RoundDealt():
            boneyard = tuple(moved.get(tile, tile) for tile in event.boneyard or ())
            return event._replace(hands=tuple(map(hand, event.hands)), boneyard=boneyard)
        case TileDrawn() if event.tile is not None:
            return event._replace(tile=moved.get(event.tile, event.tile))
        case _:
            return event


def other_kingdomino_world(
    events: Sequence[KingdominoEvent], _viewer: Viewer, random: Random
) -> tuple[KingdominoEvent, ...]:
    """In each game, the dominoes of a line come off the deck in another order, and those that nobody has seen change
    places: between the deck and what was put aside too. Nobody sees more of them than anybody else.
    """
    deals = [place for place, event in enumerate(events) if isinstance(event, GameDealt)]
    changed = list(events)
    for began, ended in zip(deals, (*deals[1:], len(events)), strict=True):
        drawn = [event.numbers for event in events[began:ended] if isinstance(event, LineDrawn)]
        changed[began] = _dealt_again(events[began], drawn, random)
    return tuple(changed)


def _dealt_again(event: KingdominoEvent, drawn: Sequence[Sequence[int]], random: Random) -> GameDealt:
    assert isinstance(event, GameDealt)
    shown = [number for line in drawn for number in random.sample(line, len(line))]
    unseen = sorted({*(event.deck or ()), *(event.aside or ())} - set(shown))
    order = (*shown, *random.sample(unseen, len(unseen)))
    return event._replace(deck=order[: event.deck_size], aside=order[event.deck_size :])


HIDDEN: dict[str, Hidden] = {
    # A tile laid is followed by draws of the next seat, which depend on its hand: only the tile itself does not.
    "domino": Hidden(
        other_domino_world, independent_events=1, smallest_options=DominoOptions(hand_size=2), deals=1_500
    ),
    # A line comes third, and the next deal too; but a log may be read up to a king's forced choice, and then second.
    "kingdomino": Hidden(
        other_kingdomino_world, independent_events=1, smallest_options=KingdominoOptions(), deals=12_000
    ),
}
