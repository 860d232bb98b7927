"""What holds in every position of every match of Kingdomino, whoever plays."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from services.kingdomino.rules import rules, scoring
from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import NUMBERS, Square, Terrain
from services.kingdomino.rules.events import DominoDiscarded, DominoPlaced, Event, GameDealt, LineDrawn
from services.kingdomino.rules.model import (
    Cells,
    Direction,
    Kingdom,
    Options,
    Phase,
    cell_at,
    cells_in,
    first_cell,
    initial,
    placement,
    position,
    second_cell,
)
from shared.kernel import Chance, Refusal, Seat
from tests.games.kingdomino.positions import (
    Cell,
    Step,
    decisions,
    fold,
    free,
    match_steps,
    neighbours,
    plain_placements,
    squares,
    whereabouts,
)

REACH = range(-6, 7)
WHERE = [placement(cell_at(x, y), direction) for x in REACH for y in REACH for direction in Direction]


@dataclass(frozen=True)
class Setting:
    """A match to be played: its options, its seed, and which of the decisions is taken each time."""

    players: int
    options: Options
    seed: bytes
    picks: list[int]


@st.composite
def settings_of_matches(draw: st.DrawFn) -> Setting:
    """Any number of players, with every combination of variants that it permits."""
    players = draw(st.integers(2, 4))
    dynasty, middle_kingdom, harmony = (draw(st.booleans()) for _ in range(3))
    options = Options(dynasty, middle_kingdom, harmony, mighty_duel=players == 2 and draw(st.booleans()))
    picks = draw(st.lists(st.integers(0, 199), max_size=200))
    return Setting(players, options, draw(st.binary(min_size=1, max_size=8)), picks)


def steps(setting: Setting) -> Iterator[Step]:
    """The match, step by step: the picks choose, and then the seed."""
    return match_steps(setting.players, setting.options, setting.seed, setting.picks)


def over_matches(test: Callable[[Setting], None]) -> Callable[[], None]:
    """Runs the test over many matches, the same ones each time."""
    return settings(max_examples=60, deadline=None, derandomize=True)(given(settings_of_matches())(test))


def kingdoms(setting: Setting) -> Iterator[Kingdom]:
    """Every kingdom as it is after each domino."""
    for step in steps(setting):
        for event in step.events:
            if isinstance(event, DominoPlaced | DominoDiscarded):
                yield step.state.kingdoms[event.seat]


def shown(cells: Cells) -> set[Cell]:
    """A set of cells as positions."""
    return set(map(position, cells_in(cells)))


@over_matches
def test_every_domino_is_always_in_exactly_one_place(setting: Setting) -> None:
    """K-1, K-3: deck, aside, under a king, to choose from, laid or discarded, and never in two of them."""
    for step in steps(setting):
        assert whereabouts(step.state) == list(NUMBERS)


@over_matches
def test_the_free_cells_of_a_kingdom_are_those_that_leave_it_small_enough(setting: Setting) -> None:
    """K-12, K-14: one square more, tried cell by cell; and the extent is that of the squares, within the side."""
    side = setting.options.side
    for built in kingdoms(setting):
        columns, rows = zip(*squares(built), strict=True)
        left, top, right, bottom = min(columns), min(rows), max(columns), max(rows)
        assert built.extent == (left, top, right, bottom)
        assert max(right - left, bottom - top) < side
        room = {(x, y) for x in range(right - side + 1, left + side) for y in range(bottom - side + 1, top + side)}
        assert shown(built.free) == room - squares(built).keys()


@over_matches
def test_what_touches_a_terrain_is_what_is_beside_it(setting: Setting) -> None:
    """K-13: by terrain, the cells beside its squares or the castle, as far as they are free."""
    for built in kingdoms(setting):
        lying, empty = squares(built), shown(built.free)
        for terrain in Terrain:
            own = [cell for cell, square in lying.items() if square is None or square.terrain == terrain]
            beside = {near for cell in own for near in neighbours(cell)}
            assert shown(built.touching[terrain]) & empty == beside & empty


def flooded(lying: dict[Cell, Square | None], start: Cell) -> set[Cell]:
    """K-16: the property of a square, cell by cell."""
    found, waiting = {start}, [start]
    while waiting:
        for near in neighbours(waiting.pop()):
            one, other = lying.get(near), lying[start]
            if near not in found and one is not None and other is not None and one.terrain == other.terrain:
                found.add(near)
                waiting.append(near)
    return found


def plain_properties(built: Kingdom) -> list[tuple[list[Cell], int, int]]:
    """K-16: cells, terrain and crowns of every property, by flood fill."""
    lying = squares(built)
    areas = {frozenset(flooded(lying, cell)) for cell, square in lying.items() if square is not None}
    return sorted((sorted(area), *described(lying, area)) for area in areas)


def described(lying: dict[Cell, Square | None], area: frozenset[Cell]) -> tuple[int, int]:
    """The terrain of an area, and its crowns."""
    own = [square for cell in area if (square := lying[cell]) is not None]
    return own[0].terrain, sum(square.crowns for square in own)


@over_matches
def test_the_properties_of_a_kingdom_are_what_a_flood_finds(setting: Setting) -> None:
    """K-16: however the dominoes came to lie there, and so are the points, the largest property and the crowns."""
    for built in kingdoms(setting):
        plain = plain_properties(built)
        kept = sorted((sorted(shown(one.cells)), int(one.terrain), one.crowns) for one in built.properties)
        assert kept == plain
        tally = scoring.score(built, Options()).tally
        assert tally.points == sum(len(cells) * crowns for cells, _, crowns in plain)
        assert tally.largest == max((len(cells) for cells, _, _ in plain), default=0)
        assert tally.crowns == sum(crowns for _, _, crowns in plain)


@over_matches
def test_the_placements_are_what_trying_every_cell_finds(setting: Setting) -> None:
    """K-12 to K-14, Order: the same ones, in the same order."""
    for step in islice(steps(setting), 0, None, 2):
        state = step.state
        if state.phase is Phase.PLACE:
            built, number = state.kingdoms[state.kings[state.at]], state.line[state.at]
            kept = [
                (position(first_cell(where)), position(second_cell(where))) for where in rules.placements(built, number)
            ]
            assert kept == plain_placements(built, number, setting.options.side)


def every_command(step: Step) -> list[Command]:
    """All single decisions that can be put in words about the dominoes of the lines, and some others."""
    state = step.state
    numbers = {*state.line, *state.next_line, *state.deck[:1]}
    own = state.line[state.at] if state.phase is Phase.PLACE else 1
    placed = [PlaceDomino(own, where) for where in WHERE if rules.straight(own, where) == where]
    return [*placed, *map(DiscardDomino, sorted(numbers)), *map(ChooseDomino, sorted(numbers))]


@over_matches
def test_what_is_accepted_is_exactly_what_may_be_decided(setting: Setting) -> None:
    """K-6 to K-15: of all commands of every seat, the decisions of the seat that is to act and no others."""
    chance = Chance(setting.seed)
    for step in islice(steps(setting), 0, 200, 12):
        for seat in map(Seat, range(setting.players)):
            offered = every_command(step)
            taken = [one for one in offered if not isinstance(rules.decide(step.state, seat, one, chance), Refusal)]
            assert taken == (decisions(step.state) if seat in rules.to_act(step.state) else [])


@over_matches
def test_where_a_decision_is_asked_for_there_is_a_choice_of_dominoes(setting: Setting) -> None:
    """K-6: never for a king with one option; and one seat is to act until the match is over."""
    for step in steps(setting):
        state = step.state
        assert state.phase in (Phase.PLACE, Phase.CHOOSE, Phase.OVER)
        assert len(rules.to_act(state)) == (state.phase is not Phase.OVER)
        assert state.phase is not Phase.CHOOSE or len(free(state)) > 1


@over_matches
def test_between_the_events_of_one_decision_nobody_may_act(setting: Setting) -> None:
    """K-8: a log may be read up to any event of it; where a line or a deal is still to come, everything is refused."""
    state = initial(setting.options, setting.players)
    between = 0
    for event in (event for step in steps(setting) for event in step.events):
        state = fold(state, [event])
        if state.phase is Phase.BETWEEN:
            between += 1
            assert rules.to_act(state) == ()
            for seat in map(Seat, range(setting.players)):
                for command in (ChooseDomino(1), DiscardDomino(1), PlaceDomino(1, WHERE[0])):
                    assert isinstance(rules.decide(state, seat, command, Chance(setting.seed)), Refusal)
    assert between == 2 * setting.options.games + (setting.options.games - 1)


def lines(events: list[Event]) -> Iterator[tuple[int, ...]]:
    """The dominoes placed or discarded, a line at a time."""
    done = [event.number for event in events if isinstance(event, DominoPlaced | DominoDiscarded)]
    start = 0
    for event in events:
        if isinstance(event, LineDrawn):
            yield tuple(done[start : start + len(event.numbers)])
            start += len(event.numbers)


@over_matches
def test_turns_go_by_number_line_after_line(setting: Setting) -> None:
    """K-8, K-9: what is placed or discarded are the lines as they were drawn, each in ascending order."""
    events = [event for step in steps(setting) for event in step.events]
    drawn = [event.numbers for event in events if isinstance(event, LineDrawn)]
    assert [*lines(events)] == drawn
    assert drawn == [tuple(sorted(line)) for line in drawn]


@over_matches
def test_every_seat_gets_as_many_dominoes(setting: Setting) -> None:
    """K-2, K-10: in each game all have the same number of turns."""
    events = [event for step in steps(setting) for event in step.events]
    turns = Counter(event.seat for event in events if isinstance(event, DominoPlaced | DominoDiscarded))
    games = sum(isinstance(event, GameDealt) for event in events)
    assert turns == dict.fromkeys(range(setting.players), games * (24 if setting.options.mighty_duel else 12))


@over_matches
def test_the_cause_of_a_move_leads_to_it(setting: Setting) -> None:
    """K-8: the command that is read from events gives the same events, and the fold of them the state."""
    chance = Chance(setting.seed)
    before, *others = steps(setting)
    for step in others:
        command = rules.cause(iter(step.events))
        assert command is not None
        (seat,) = rules.to_act(before.state)
        assert rules.decide(before.state, seat, command, chance) == step.events
        assert rules.advance(before.state, seat, command, chance) == (fold(before.state, step.events), step.events)
        before = step
