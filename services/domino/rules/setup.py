"""D-2 to D-5 and D-14: options, the deal, and who starts with what."""

from services.domino.rules.events import Event, RoundDealt, TileLaid
from services.domino.rules.model import (
    DOUBLES,
    HALVES,
    MAX_TARGET,
    MIN_HAND_SIZE,
    SUMS,
    TILES,
    End,
    Hand,
    Options,
    State,
    Tile,
    hand_of,
    tiles_in,
)
from shared.kernel import Chance, Refusal, Seat


def check_options(options: Options, players: int) -> Refusal | None:
    """D-14: the limits of the options, for this number of players."""
    if options.hand_size < MIN_HAND_SIZE:
        return Refusal("D-14", f"hand_size must be {MIN_HAND_SIZE} or more.")
    if options.hand_size * players > len(TILES):
        return Refusal(
            "D-14", f"{players} hands of {options.hand_size} need more than the {len(TILES)} tiles of the set."
        )
    if options.target is not None and not 1 <= options.target <= MAX_TARGET:
        return Refusal("D-14", f"target must be from 1 to {MAX_TARGET}.")
    return None


def deal(state: State, chance: Chance) -> tuple[Event, ...]:
    """D-2: shuffle, deal, and lay the forced first tile where there is one."""
    number, size, players = state.round + 1, state.options.hand_size, len(state.hands)
    tiles = chance.shuffled(f"domino/round/{number}", TILES)
    hands = tuple([hand_of(tiles[seat * size : (seat + 1) * size]) for seat in range(players)])
    boneyard = tiles[players * size :]
    if len(state.winners) == 1:
        # D-14: the winner of the last round starts with any tile, so there is nothing to lay yet.
        return (RoundDealt(number, state.winners[0], size, hands, len(boneyard), boneyard),)
    starter, first = opening(hands)
    return (
        RoundDealt(number, starter, size, hands, len(boneyard), boneyard),
        TileLaid(starter, first, End.LEFT),
    )


def opening(hands: tuple[Hand, ...]) -> tuple[Seat, Tile]:
    """D-4: who starts, and with which tile."""
    held = sum(hands)
    # Of the bits of doubles, the highest is the highest double.
    tile = Tile((held & DOUBLES).bit_length() - 1) if held & DOUBLES else max(tiles_in(held), key=_weight)
    return next(Seat(seat) for seat, hand in enumerate(hands) if hand >> tile & 1), tile


def _weight(tile: Tile) -> tuple[int, int]:
    """D-4: the pip sum, then the higher half."""
    return SUMS[tile], HALVES[tile][1]
