"""K-5 to K-15: what may be done, what follows from it, and how the state changes."""

from collections.abc import Iterator
from typing import assert_never

from services.kingdomino.rules import scoring, setup
from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import DOMINOES
from services.kingdomino.rules.events import (
    DominoChosen,
    DominoDiscarded,
    DominoPlaced,
    Event,
    GameDealt,
    GameEnded,
    LineDrawn,
)
from services.kingdomino.rules.model import (
    STEPS,
    Cell,
    Cells,
    Direction,
    Kingdom,
    Phase,
    Placement,
    State,
    castle_alone,
    first_cell,
    occupied,
    position,
    second_cell,
    turned_round,
    with_domino,
    without_domino,
)
from shared.kernel import Chance, Refusal, Seat

_BETWEEN, _PLACE, _CHOOSE, _OVER = Phase
_state = State._make
_NEXT_COLUMN = STEPS[Direction.EAST]


def start(state: State, chance: Chance) -> tuple[Event, ...]:
    """The first deal, up to the first choice."""
    return _with_forced(state, (setup.deal(state, chance),), chance)[1]


def decide(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[Event, ...] | Refusal:
    """A domino placed, discarded or chosen, and everything forced that follows until somebody has a choice again."""
    decided = advance(state, seat, command, chance)
    return decided if isinstance(decided, Refusal) else decided[1]


def advance(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[State, tuple[Event, ...]] | Refusal:
    """What `decide` decides, with the state that it leads to: for play-outs, which would only fold it again."""
    events = _wanted(state, seat, command)
    return events if isinstance(events, Refusal) else _with_forced(state, events, chance)


def _wanted(state: State, seat: Seat, command: Command) -> tuple[Event, ...] | Refusal:
    """What the command itself does."""
    if state.phase is _OVER:
        return Refusal("K-10", "The match is over.")
    if state.phase is _BETWEEN:
        return Refusal("K-8", "It is nobody's turn.")
    if seat != state.kings[state.at]:
        return Refusal("K-8", f"It is the turn of seat {state.kings[state.at]}.")
    if isinstance(command, ChooseDomino):
        if state.phase is _PLACE:
            return Refusal("K-8", f"First place domino {state.line[state.at]}, which is under your king.")
        return _not_free(state, command.number) or (DominoChosen(seat, command.number),)
    placed = _placed(state, seat, command)
    if isinstance(placed, Refusal) or command.choose is None:
        return placed if isinstance(placed, Refusal) else (placed,)
    return _not_free(state, command.choose) or (placed, DominoChosen(seat, command.choose))


def _placed(state: State, seat: Seat, command: PlaceDomino | DiscardDomino) -> DominoPlaced | DominoDiscarded | Refusal:
    number = command.number
    refusal = _not_to_be_placed(state, number)
    if refusal is not None:
        return refusal
    kingdom = state.kingdoms[seat]
    if isinstance(command, DiscardDomino):
        if placements(kingdom, number):
            return Refusal("K-15", f"Domino {number} can be placed, so it can't be discarded.")
        return DominoDiscarded(seat, number)
    refusal = _misplaced(kingdom, number, command.where, state.options.side)
    return refusal or DominoPlaced(seat, number, straight(number, command.where))


def _not_to_be_placed(state: State, number: int) -> Refusal | None:
    if state.phase is _CHOOSE:
        if not state.line:
            return Refusal("K-6", "Nothing can be placed before the first line has its kings: choose a domino.")
        return Refusal("K-8", "Your domino has been dealt with: choose one of the next line.")
    if number != state.line[state.at]:
        return Refusal("K-8", f"The domino under your king is {state.line[state.at]}, not {number}.")
    return None


def _not_free(state: State, number: int) -> Refusal | None:
    if not state.next_line:
        return Refusal("K-11", "In the last round there is no line to choose from.")
    if number not in state.next_line:
        return Refusal("K-8", f"Domino {number} is not in the line to choose from.")
    king = state.next_kings[state.next_line.index(number)]
    return None if king is None else Refusal("K-6", f"A king of seat {king} is on domino {number} already.")


def _misplaced(kingdom: Kingdom, number: int, where: Placement, side: int) -> Refusal | None:
    one, other = first_cell(where), second_cell(where)
    bits = 1 << one | 1 << other
    if kingdom.free & bits != bits:
        return _no_room(kingdom, (one, other), side)
    _, first, second = DOMINOES[number]
    if kingdom.touching[first.terrain] >> one & 1 or kingdom.touching[second.terrain] >> other & 1:
        return None
    return Refusal("K-13", "Neither square would touch the castle or a square of its own terrain.")


def _no_room(kingdom: Kingdom, cells: tuple[Cell, Cell], side: int) -> Refusal:
    taken = occupied(kingdom)
    for cell in cells:
        if taken >> cell & 1:
            return Refusal("K-12", "The cell at {}, {} is taken.".format(*position(cell)))
    return Refusal("K-14", f"The kingdom would not fit in a square of {side} x {side}.")


def straight(number: int, where: Placement) -> Placement:
    """Of a domino with two equal squares, the lower cell is that of the first."""
    return turned_round(where) if DOMINOES[number].is_double and second_cell(where) < first_cell(where) else where


def placements(kingdom: Kingdom, number: int) -> list[Placement]:
    """K-12 to K-14: all that a domino has in a kingdom, in order."""
    _, _, _, free, touching, _ = kingdom
    _, first, second = DOMINOES[number]
    near, other_near = touching[first[0]] & free, touching[second[0]] & free
    found: list[Placement] = []
    if first != second:
        _collect(found, near & free << _NEXT_COLUMN | free & other_near << _NEXT_COLUMN, 0)
        _collect(found, near & free << 1 | free & other_near << 1, 1)
    _collect(found, near & free >> 1 | free & other_near >> 1, 2)
    _collect(found, near & free >> _NEXT_COLUMN | free & other_near >> _NEXT_COLUMN, 3)
    found.sort()
    return found


def _collect(found: list[Placement], cells: Cells, direction: int) -> None:
    while cells:
        lowest = cells & -cells
        found.append(Placement((lowest.bit_length() - 1) << 2 | direction))
        cells ^= lowest


def free_dominoes(line: tuple[int, ...], kings: tuple[Seat | None, ...]) -> list[int]:
    """K-6: the dominoes of a line that have no king, by number."""
    return [number for number, king in zip(line, kings, strict=True) if king is None]


def to_act(state: State) -> tuple[Seat, ...]:
    """K-8: one king at a time; nobody between the events of one decision, nor after the end."""
    return (state.kings[state.at],) if state.phase in (_PLACE, _CHOOSE) else ()


def _with_forced(state: State, events: tuple[Event, ...], chance: Chance) -> tuple[State, tuple[Event, ...]]:
    """The events, and what follows without a choice: the last king's domino, lines, the count, the next deal."""
    found = events
    while events:
        for event in events:
            state = evolve(state, event)
        events = _next_forced(state, chance)
        found += events
    return state, found


def _next_forced(state: State, chance: Chance) -> tuple[Event, ...]:
    _, _, _, kingdoms, deck, _, phase, _, kings, at, next_line, next_kings = state
    if phase is _CHOOSE:
        # K-6: where a king has one option, nothing is asked.
        if next_kings.count(None) == 1:
            return (DominoChosen(kings[at], next_line[next_kings.index(None)]),)
        return ()
    if phase is _PLACE:
        # K-7, K-9: a line for the kings of this one to go to, while there is one.
        return () if next_line or not deck else (_line(state),)
    if phase is _OVER:
        return ()
    if not kings:
        return (setup.deal(state, chance),)
    if deck:
        return (_line(state),)
    return (GameEnded(tuple([scoring.score(kingdom, state.options).tally for kingdom in kingdoms])),)


def _line(state: State) -> LineDrawn:
    """K-5: as many as there are kings, by number."""
    return LineDrawn(tuple(sorted(state.deck[: len(state.kings)])))


def evolve(state: State, event: Event) -> State:
    """The state after an event, which is taken as it is."""
    match event:
        case DominoPlaced():
            kingdom = with_domino(state.kingdoms[event.seat], event.number, event.where, state.options.side)
            return _after_placing(state, event.seat, kingdom)
        case DominoChosen():
            return _after_choice(state, event)
        case LineDrawn():
            return _after_line(state, event)
        case DominoDiscarded():
            return _after_placing(state, event.seat, without_domino(state.kingdoms[event.seat], event.number))
        case GameDealt():
            return _after_deal(state, event)
        case GameEnded():
            return _after_game(state, event)
        case _:
            assert_never(event)


def cause(events: Iterator[Event]) -> Command | None:
    """The command that a move is the effect of: it begins with a domino placed, discarded or chosen."""
    first = next(events)
    match first:
        case DominoPlaced():
            return PlaceDomino(first.number, first.where, _chosen(events))
        case DominoDiscarded():
            return DiscardDomino(first.number, _chosen(events))
        case DominoChosen():
            return ChooseDomino(first.number)
        case _:
            return None


def _chosen(events: Iterator[Event]) -> int | None:
    """The domino chosen in the same move. A king's only option, which is no choice, may be named all the same."""
    second = next(events, None)
    return second.number if isinstance(second, DominoChosen) else None


# Taking a state apart and putting it together with _make costs a third of _replace.


def _after_placing(state: State, seat: Seat, kingdom: Kingdom) -> State:
    options, game, tallies, kingdoms, deck, aside, phase, line, kings, at, next_line, next_kings = state
    changed = list(kingdoms)
    changed[seat] = kingdom
    if next_line:
        phase = _CHOOSE
    else:
        # K-11: in the last round that is all.
        at += 1
        if at == len(kings):
            phase, line, at = _BETWEEN, (), 0
    return _state((options, game, tallies, tuple(changed), deck, aside, phase, line, kings, at, next_line, next_kings))


def _after_choice(state: State, event: DominoChosen) -> State:
    options, game, tallies, kingdoms, deck, aside, _, line, kings, at, next_line, next_kings = state
    changed = list(next_kings)
    changed[next_line.index(event.number)] = event.seat
    at += 1
    if at < len(kings):
        phase = _PLACE if line else _CHOOSE
        return _state(
            (options, game, tallies, kingdoms, deck, aside, phase, line, kings, at, next_line, tuple(changed))
        )
    # K-9: every king has moved, and the next line becomes the line.
    owners = tuple([king for king in changed if king is not None])
    return _state((options, game, tallies, kingdoms, deck, aside, _PLACE, next_line, owners, 0, (), ()))


def _after_line(state: State, event: LineDrawn) -> State:
    options, game, tallies, kingdoms, deck, aside, _, line, kings, at, _, _ = state
    numbers = event.numbers
    # K-6: the first line is chosen from before anything is placed.
    phase = _PLACE if line else _CHOOSE
    free = (None,) * len(numbers)
    left = deck[len(numbers) :]
    return _state((options, game, tallies, kingdoms, left, aside, phase, line, kings, at, numbers, free))


def _after_deal(state: State, event: GameDealt) -> State:
    if event.deck is None or event.aside is None:
        raise ValueError("a redacted event can't be folded into a full state")
    kingdoms = (castle_alone(state.options.side),) * len(state.kingdoms)
    return State(
        options=state.options,
        game=event.game,
        tallies=state.tallies,
        kingdoms=kingdoms,
        deck=event.deck,
        aside=event.aside,
        phase=_BETWEEN,
        line=(),
        kings=event.kings,
        at=0,
        next_line=(),
        next_kings=(),
    )


def _after_game(state: State, event: GameEnded) -> State:
    """K-18: what is left of a game is its tallies, and the kingdoms until the next one is dealt."""
    tallies = (*state.tallies, event.tallies)
    phase = _OVER if len(tallies) == state.options.games else _BETWEEN
    return state._replace(tallies=tallies, phase=phase, line=(), kings=(), at=0, next_line=(), next_kings=())
