"""What holds in every position of every match of Domino, whoever plays."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from services.domino.rules import heuristic, rules, scoring
from services.domino.rules.commands import LayTile
from services.domino.rules.events import Event, RoundDealt, RoundEnded, TileDrawn, TileLaid, TurnPassed
from services.domino.rules.model import TILE_OF, TILES, End, Options, State, tiles_in
from services.domino.rules.view import line_of, view
from shared.kernel import Chance, Refusal, Seat, Viewer
from tests.games.domino.positions import fold, started

COMMANDS = [LayTile(tile, end) for tile in TILES for end in End]
# A match with a target is left after so many commands; a single round never has that many.
ENOUGH = 60


@dataclass(frozen=True)
class Setting:
    """A match to be played: its options, its seed, and which of the legal commands is chosen each time."""

    players: int
    options: Options
    seed: bytes
    picks: list[int]


@dataclass(frozen=True)
class Step:
    """Events that were decided together, and the state after them."""

    events: tuple[Event, ...]
    state: State


@st.composite
def settings_of_matches(draw: st.DrawFn) -> Setting:
    """Any number of players, hands of any size, with and without a target."""
    players = draw(st.integers(2, 5))
    hand_size = draw(st.integers(2, len(TILES) // players))
    target = draw(st.none() | st.integers(1, 60))
    picks = draw(st.lists(st.integers(0, 55), max_size=ENOUGH))
    return Setting(players, Options(hand_size, target), draw(st.binary(min_size=1, max_size=8)), picks)


def steps(setting: Setting) -> Iterator[Step]:
    """The match, step by step: the picks choose, and then the first legal command."""
    chance = Chance(setting.seed)
    events, state = started(chance, setting.players, setting.options)
    yield Step(events, state)
    for number in range(ENOUGH):
        if not rules.to_act(state):
            return
        events = decided(state, chosen(state, setting.picks[number : number + 1] or [0]), chance)
        state = fold(state, events)
        yield Step(events, state)


def chosen(state: State, pick: list[int]) -> LayTile:
    """The legal command that a number stands for."""
    legal = heuristic.legal(view(state, Viewer(state.turn)))
    return legal[pick[0] % len(legal)]


def decided(state: State, command: LayTile, chance: Chance) -> tuple[Event, ...]:
    """The events of a legal command."""
    events = rules.decide(state, state.turn, command, chance)
    assert not isinstance(events, Refusal), events
    return events


def over_matches(test: Callable[[Setting], None]) -> Callable[[], None]:
    """Runs the test over many matches, the same ones each time."""
    return settings(max_examples=60, deadline=None, derandomize=True)(given(settings_of_matches())(test))


@over_matches
def test_every_tile_is_always_in_exactly_one_place(setting: Setting) -> None:
    """D-1, D-9: in a hand, in the boneyard or in the line, and never in two of them."""
    for step in steps(setting):
        held = [tile for hand in step.state.hands for tile in tiles_in(hand)]
        lying = [TILE_OF[both] for both in line_of(step.state.turns)]
        assert sorted([*held, *step.state.boneyard, *lying]) == list(TILES)


@over_matches
def test_neighbouring_halves_of_the_line_are_equal(setting: Setting) -> None:
    """D-7: along the whole line, and its open ends are those that the rules test."""
    for step in steps(setting):
        line = line_of(step.state.turns)
        assert all(left[1] == right[0] for left, right in pairwise(line))
        assert not line or (line[0][0], line[-1][1]) == (step.state.left, step.state.right)


@over_matches
def test_what_is_legal_is_exactly_what_is_accepted(setting: Setting) -> None:
    """D-7, D-8: of all 56 commands of every seat, those that are legal and no others."""
    chance = Chance(setting.seed)
    for step in steps(setting):
        for seat in map(Seat, range(setting.players)):
            accepted = [c for c in COMMANDS if not isinstance(rules.decide(step.state, seat, c, chance), Refusal)]
            assert list(heuristic.legal(view(step.state, Viewer(seat)))) == accepted
            assert bool(accepted) == (seat in rules.to_act(step.state))


def rounds(setting: Setting) -> list[list[Event]]:
    """The events of a match, split at each deal."""
    found: list[list[Event]] = []
    for event in (event for step in steps(setting) for event in step.events):
        if isinstance(event, RoundDealt):
            found.append([])
        found[-1].append(event)
    return found


@over_matches
def test_the_events_of_a_round_are_bounded(setting: Setting) -> None:
    """D-9 to D-11: no tile is laid or drawn twice, and between two tiles at least one seat does not pass."""
    drawable = len(TILES) - setting.players * setting.options.hand_size
    for events in rounds(setting):
        kinds = Counter(map(type, events))
        assert kinds[TileLaid] <= len(TILES)
        assert kinds[TileDrawn] <= drawable
        assert kinds[TurnPassed] <= kinds[TileLaid] * (setting.players - 1)
        assert kinds[RoundDealt] == 1
        assert kinds[RoundEnded] <= 1


@over_matches
def test_a_single_round_always_ends(setting: Setting) -> None:
    """D-11, D-13: without a target, a match is over before the tiles run out, and places every seat once."""
    single = replace(setting, options=replace(setting.options, target=None))
    *before, last = (step.state for step in steps(single))
    assert len(before) < len(TILES)
    assert [scoring.outcome(state) for state in before] == [None] * len(before)
    places = scoring.outcome(last)
    assert places is not None
    assert sorted(seat for tied in places for seat in tied) == list(range(setting.players))


@over_matches
def test_scores_are_the_points_of_the_rounds(setting: Setting) -> None:
    """D-14: with a target, the scores are the sums of the points, and the match is over when one of them reaches it."""
    target = setting.options.target or 30
    scores = [0] * setting.players
    for step in steps(replace(setting, options=replace(setting.options, target=target))):
        for event in step.events:
            if isinstance(event, RoundEnded):
                scores = [score + points for score, points in zip(scores, event.points, strict=True)]
        assert list(step.state.scores) == scores
        assert step.state.is_over == (max(scores) >= target)
