"""D-5 to D-11: what may be played, what follows from it, and how the state changes."""

from collections.abc import Iterator
from typing import assert_never

from services.domino.rules import scoring, setup
from services.domino.rules.commands import Command, LayTile
from services.domino.rules.events import Event, RoundDealt, RoundEnded, TileDrawn, TileLaid, TurnPassed
from services.domino.rules.model import FITS, HALVES, NO_END, SUMS, TILES, End, Hand, State, Tile, Turn
from shared.kernel import Chance, Refusal, Seat

# There are only 56 commands; each is made once.
_LEFT, _RIGHT = (tuple(LayTile(tile, end) for tile in TILES) for end in End)
_AT_LEFT = End.LEFT
_state, _turn = State._make, Turn._make


def start(state: State, chance: Chance) -> tuple[Event, ...]:
    """The first round, up to the first choice."""
    return _with_forced(state, setup.deal(state, chance), chance)[1]


def decide(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[Event, ...] | Refusal:
    """A tile laid, and everything forced that follows until somebody has a choice again."""
    decided = advance(state, seat, command, chance)
    return decided if isinstance(decided, Refusal) else decided[1]


def advance(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[State, tuple[Event, ...]] | Refusal:
    """What `decide` decides, with the state that it leads to: for play-outs, which would only fold it again."""
    tile, end = command.tile, command.end
    refusal = _refusal(state, seat, tile, end)
    if refusal is not None:
        return refusal
    return _with_forced(state, (TileLaid(seat, tile, end),), chance)


def _refusal(state: State, seat: Seat, tile: Tile, end: End) -> Refusal | None:
    _, _, _, hands, _, left, right, turn, _, _, _, is_over = state
    if is_over:
        return Refusal("D-11", "The match is over.")
    if seat != turn:
        return Refusal("D-7", f"It is the turn of seat {turn}.")
    low, high = HALVES[tile]
    if not hands[seat] >> tile & 1:
        return Refusal("D-8", f"You do not hold {low}-{high}.")
    if left == NO_END:
        # D-14: any tile may start a repeated round.
        return None if end is _AT_LEFT else Refusal("D-7", "The first tile of a round is laid at the left end.")
    shown = left if end is _AT_LEFT else right
    if shown != low and shown != high:
        return Refusal("D-7", f"{low}-{high} does not fit the {end.value} end, which shows {shown}.")
    return None


def playable(hand: Hand, left: int, right: int) -> tuple[LayTile, ...]:
    """D-7: what a hand can play, tiles by (lower half, higher half), the left end before the right."""
    if left == NO_END:
        return tuple(_LEFT[tile] for tile in TILES if hand >> tile & 1)
    at_left, at_right = hand & FITS[left], hand & FITS[right]
    either = at_left | at_right
    found: list[LayTile] = []
    while either:
        lowest = either & -either
        tile = lowest.bit_length() - 1
        if at_left & lowest:
            found.append(_LEFT[tile])
        if at_right & lowest:
            found.append(_RIGHT[tile])
        either ^= lowest
    return tuple(found)


def to_act(state: State) -> tuple[Seat, ...]:
    """D-7: one seat at a time."""
    return () if state.is_over else (state.turn,)


def _with_forced(state: State, events: tuple[Event, ...], chance: Chance) -> tuple[State, tuple[Event, ...]]:
    """The events, and what follows without a choice: the round's end, the next deal, draws and passes."""
    found = events
    while events:
        for event in events:
            state = evolve(state, event)
        events = _next_forced(state, chance)
        found += events
    return state, found


def _next_forced(state: State, chance: Chance) -> tuple[Event, ...]:
    _, _, _, hands, boneyard, left, right, turn, _, _, winners, is_over = state
    if winners:
        return () if is_over else setup.deal(state, chance)
    if left == NO_END:
        return ()
    fitting = FITS[left] | FITS[right]
    # D-11, tested after every tile laid and every draw.
    if 0 in hands or not (boneyard or any(hand & fitting for hand in hands)):
        return (scoring.end_of_round(state),)
    if hands[turn] & fitting:
        return ()
    # D-9 and D-6: draw until a tile fits; D-10: pass when there is nothing left to draw.
    return (TileDrawn(turn, boneyard[0]) if boneyard else TurnPassed(turn),)


def evolve(state: State, event: Event) -> State:
    """The state after an event, which is taken as it is."""
    match event:
        case TileLaid():
            return _after_tile_laid(state, event)
        case TileDrawn():
            return _after_tile_drawn(state, event)
        case TurnPassed():
            turns = (*state.turns, Turn(event.seat, state.drawn, None, None))
            return state._replace(turn=_next(state, event.seat), turns=turns, drawn=0)
        case RoundDealt():
            return _after_deal(state, event)
        case RoundEnded():
            return _after_round(state, event)
        case _:
            assert_never(event)


def cause(events: Iterator[Event]) -> Command | None:
    """The command that a move is the effect of: it begins with a tile laid."""
    first = next(events)
    if not isinstance(first, TileLaid):
        return None
    return (_LEFT if first.end is _AT_LEFT else _RIGHT)[first.tile]


# The two events that make up nearly all of a match are spelled out: taking a state apart and putting it together with
# _make costs a third of _replace.


def _after_tile_laid(state: State, event: TileLaid) -> State:
    options, number, scores, hands, boneyard, left, right, turn, turns, drawn, winners, is_over = state
    seat, tile, end = event
    if left == NO_END:
        # D-5: who lays the first tile adds a second in the same turn.
        left, right = HALVES[tile]
    else:
        turn = Seat((seat + 1) % len(hands))
        if end is _AT_LEFT:
            left = SUMS[tile] - left
        else:
            right = SUMS[tile] - right
    hands = _with_hand(hands, seat, hands[seat] ^ 1 << tile)
    turns += (_turn((seat, drawn, tile, end)),)
    return _state((options, number, scores, hands, boneyard, left, right, turn, turns, 0, winners, is_over))


def _after_tile_drawn(state: State, event: TileDrawn) -> State:
    options, number, scores, hands, boneyard, left, right, turn, turns, drawn, winners, is_over = state
    seat, tile = event
    if tile is None:
        raise ValueError("a redacted event can't be folded into a full state")
    hands = _with_hand(hands, seat, hands[seat] | 1 << tile)
    drawn += 1
    return _state((options, number, scores, hands, boneyard[1:], left, right, turn, turns, drawn, winners, is_over))


def _with_hand(hands: tuple[Hand, ...], seat: Seat, hand: Hand) -> tuple[Hand, ...]:
    changed = list(hands)
    changed[seat] = hand
    return tuple(changed)


def _after_deal(state: State, event: RoundDealt) -> State:
    hands = tuple(hand for hand in event.hands if hand is not None)
    if event.boneyard is None or len(hands) != len(state.hands):
        raise ValueError("a redacted event can't be folded into a full state")
    return state._replace(
        round=event.round,
        hands=hands,
        boneyard=event.boneyard,
        left=NO_END,
        right=NO_END,
        turn=event.starter,
        turns=(),
        drawn=0,
        winners=(),
    )


def _after_round(state: State, event: RoundEnded) -> State:
    target = state.options.target
    scores = state.scores if target is None else tuple(map(sum, zip(state.scores, event.points, strict=True)))
    return state._replace(
        scores=scores,
        winners=event.winners,
        is_over=target is None or max(scores) >= target,
    )


def _next(state: State, seat: Seat) -> Seat:
    """D-7: turns go clockwise."""
    return Seat((seat + 1) % len(state.hands))
