"""Kingdomino's rules agree with the same rules written plainly, over whole games of random play.

Both get the same deck, the same order of kings and the same decisions; each says who is to act and what is legal.
"""

import random
from dataclasses import dataclass
from functools import cache

import pytest

from services.kingdomino.rules import rules, scoring
from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import DOMINOES
from services.kingdomino.rules.model import (
    Options,
    Phase,
    Placement,
    State,
    first_cell,
    initial,
    position,
    second_cell,
)
from shared.kernel import Chance, Refusal
from tests.bench import kingdomino_naive as naive


@dataclass(frozen=True)
class Setting:
    """Games to be played: how many seats, how many games, and the standard game or the duel."""

    players: int
    games: int
    is_duel: bool = False

    def __str__(self) -> str:
        return "the duel" if self.is_duel else f"{self.players} players"


@dataclass(frozen=True)
class Decision:
    """Who is to act, the domino to be placed (None: one is to be chosen), its placements, and the free dominoes."""

    seat: int
    domino: int | None
    placements: list[naive.Placement]
    choices: list[int]


@dataclass(frozen=True)
class Played:
    """A game as both saw it: the decisions up to the first on which they differ, and what they led to."""

    options: Options
    decisions: list[tuple[Decision, Decision]]
    state: State
    plain: naive.Game


# The more there is to lay, the longer the plain rules take.
SETTINGS = [Setting(2, 50), Setting(3, 40), Setting(4, 30), Setting(2, 15, is_duel=True)]
over_settings = pytest.mark.parametrize("setting", SETTINGS, ids=str)


@cache
def games(setting: Setting) -> tuple[Played, ...]:
    """The same ones each time; with both bonuses, with either, and without."""
    return tuple(played(setting, seed) for seed in range(setting.games))


def played(setting: Setting, seed: int) -> Played:
    """A random game, both engines in step."""
    options = Options(middle_kingdom=seed % 2 == 0, harmony=seed % 3 == 0, mighty_duel=setting.is_duel)
    of_match, choosing = Chance(f"{setting}/{seed}".encode()), random.Random(seed)
    state, plain = begun(setting, options, of_match)
    decisions = []
    while rules.to_act(state) and not plain.is_over:
        both = as_we_see_it(state), as_they_see_it(plain)
        decisions.append(both)
        if both[0] != both[1]:
            break
        state = advanced(state, plain, choosing, of_match)
    return Played(options, decisions, state, plain)


def begun(setting: Setting, options: Options, of_match: Chance) -> tuple[State, naive.Game]:
    """Our deal, and a plain game with the same deck and kings."""
    dealt, *others = rules.start(initial(options, setting.players), of_match)
    state = rules.evolve(initial(options, setting.players), dealt)
    variant = naive.Variant(options.mighty_duel, options.middle_kingdom, options.harmony)
    plain = naive.Game(setting.players, list(state.deck), list(state.kings), variant)
    for event in others:
        state = rules.evolve(state, event)
    return state, plain


def as_we_see_it(state: State) -> Decision:
    """The decision that our rules want next."""
    (seat,) = rules.to_act(state)
    free = rules.free_dominoes(state.next_line, state.next_kings)
    if state.phase is Phase.CHOOSE:
        return Decision(seat, None, [], free)
    number = state.line[state.at]
    legal = rules.placements(state.kingdoms[seat], number)
    return Decision(seat, number, list(map(as_positions, legal)), free)


def as_they_see_it(plain: naive.Game) -> Decision:
    """The decision that the plain rules want next."""
    number = None if plain.domino is None else plain.domino.number
    return Decision(plain.seat, number, plain.placements(), plain.choices())


def as_positions(where: Placement) -> naive.Placement:
    """One of our placements as two cells."""
    return naive.Placement(position(first_cell(where)), position(second_cell(where)))


def advanced(state: State, plain: naive.Game, choosing: random.Random, of_match: Chance) -> State:
    """Our state after a random decision, which the plain game is told too."""
    (seat,) = rules.to_act(state)
    command = random_command(state, choosing)
    match command:
        case PlaceDomino():
            plain.place(as_positions(command.where))
        case DiscardDomino():
            plain.discard()
        case ChooseDomino():
            plain.choose(command.number)
    decided = rules.advance(state, seat, command, of_match)
    assert not isinstance(decided, Refusal), decided
    return decided[0]


def random_command(state: State, choosing: random.Random) -> Command:
    """One of the legal ones."""
    if state.phase is Phase.CHOOSE:
        return ChooseDomino(choosing.choice(rules.free_dominoes(state.next_line, state.next_kings)))
    number = state.line[state.at]
    legal = rules.placements(state.kingdoms[state.kings[state.at]], number)
    return PlaceDomino(number, choosing.choice(legal)) if legal else DiscardDomino(number)


@over_settings
def test_the_same_is_legal_at_every_decision(setting: Setting) -> None:
    """K-6 to K-15: the seat, the domino under its king, its placements in their order, and the free dominoes."""
    for game in games(setting):
        for ours, theirs in game.decisions:
            assert ours == theirs


@over_settings
def test_both_games_end_together(setting: Setting) -> None:
    """K-10, K-21: after the same number of dominoes, every one of the deck laid or discarded."""
    for game in games(setting):
        assert game.state.phase is Phase.OVER
        assert game.plain.is_over
        used = [
            number
            for kingdom in game.state.kingdoms
            for number in (*(laid.number for laid in kingdom.laid), *kingdom.discarded)
        ]
        assert len(used) == len(set(used)) == (48 if setting.is_duel else 12 * setting.players)


@over_settings
def test_the_same_lies_in_the_kingdoms(setting: Setting) -> None:
    """K-8, K-15: the same squares on the same cells, and the same dominoes discarded."""
    for game in games(setting):
        for ours, theirs in zip(game.state.kingdoms, game.plain.kingdoms, strict=True):
            cells: dict[naive.Position, object] = {naive.CASTLE: None}
            for number, where in ours.laid:
                cells |= zip(as_positions(where), DOMINOES[number][1:], strict=True)
            assert cells == theirs.squares
            assert list(ours.discarded) == sorted(domino.number for domino in theirs.discarded)


@over_settings
def test_points_largest_properties_and_crowns_are_the_same(setting: Setting) -> None:
    """K-16, K-17, K-19, K-20: counted square by square, with the bonuses that the game has."""
    for game in games(setting):
        (ours,) = game.state.tallies
        assert list(map(tuple, ours)) == list(map(tuple, game.plain.tallies()))


@over_settings
def test_the_places_are_the_same(setting: Setting) -> None:
    """K-17: ties and all."""
    for game in games(setting):
        places = scoring.outcome(game.state)
        assert places is not None
        assert [list(tied) for tied in places] == game.plain.places()


def test_the_games_show_what_is_compared() -> None:
    """K-15, K-17, K-19, K-20: some have discards, equal points and either bonus, and some have not."""
    all_games = [game for setting in SETTINGS for game in games(setting)]
    counted = [(game, kingdom) for game in all_games for kingdom in game.state.kingdoms]
    scores = [(game.options, scoring.score(kingdom, game.options)) for game, kingdom in counted]
    assert {0, 10} == {score.middle_kingdom for options, score in scores if options.middle_kingdom}
    assert {0, 5} == {score.harmony for options, score in scores if options.harmony}
    assert {False, True} == {bool(kingdom.discarded) for _, kingdom in counted}
    points = [[tally.points for tally in game.state.tallies[0]] for game in all_games]
    assert {False, True} == {len(set(of_game)) < len(of_game) for of_game in points}
