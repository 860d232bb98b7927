"""The computer player `search`: what its choice depends on, and how strong it is."""

from collections.abc import Iterator
from itertools import islice

import pytest

from services.kingdomino.rules.commands import Command
from services.kingdomino.rules.heuristic import legal
from services.kingdomino.rules.model import Options, State
from services.kingdomino.rules.rules import to_act
from services.kingdomino.rules.search import promising, search
from services.kingdomino.rules.view import View, view
from shared.kernel import Chance, Viewer
from tests.games.kingdomino.contest import Contest, Player, matches, of_decks
from tests.games.kingdomino.positions import NO_CHANCE, match_steps

CHANCE = Chance(b"a computer player")
SETTINGS = [
    pytest.param(2, Options(), id="two seats"),
    pytest.param(3, Options(harmony=True), id="three seats, harmony"),
    pytest.param(4, Options(middle_kingdom=True, harmony=True), id="four seats, both bonuses"),
    pytest.param(2, Options(mighty_duel=True, dynasty=True), id="the Mighty Duel, three games"),
]
every_setting = pytest.mark.parametrize(("players", "options"), SETTINGS)


def states(players: int, options: Options) -> Iterator[State]:
    """From all parts of a match at random, in which somebody is to act."""
    ongoing = (step.state for step in match_steps(players, options, b"search") if to_act(step.state))
    return islice(ongoing, 0, None, 9)


def seen_by_mover(state: State) -> View:
    return view(state, Viewer(to_act(state)[0]))


def chosen(seen: View, iterations: int, chance: Chance = CHANCE) -> Command:
    return search(seen, chance, iter(range(iterations)))


@every_setting
def test_the_choice_is_legal_however_short_the_search(players: int, options: Options) -> None:
    """Also with no iteration at all, when it is what promises most."""
    for seen in map(seen_by_mover, states(players, options)):
        assert {chosen(seen, 0), chosen(seen, 1)} <= set(legal(seen))
        assert chosen(seen, 0) == promising(seen)[0]


def test_a_turn_without_a_choice_needs_no_search() -> None:
    """K-15: not one number is taken."""
    everything = (seen_by_mover(step.state) for step in match_steps(2, Options(), b"search") if to_act(step.state))
    seen = next(one for one in everything if len(promising(one)) == 1)
    numbers = iter(range(1))
    assert (search(seen, CHANCE, numbers), next(numbers)) == (promising(seen)[0], 0)


def test_where_the_deck_is_empty_one_iteration_tells_everything() -> None:
    """K-11: no other number is taken, and the seed does not matter."""
    ends = (seen_by_mover(step.state) for step in match_steps(4, Options(), b"search") if to_act(step.state))
    seen = next(one for one in ends if not one.deck_size and len(promising(one)) > 1)
    numbers = iter(range(30))
    first = search(seen, CHANCE, numbers)
    assert next(numbers) == 1
    assert first == chosen(seen, 1, NO_CHANCE)


@every_setting
def test_a_search_that_is_cut_short_is_a_short_search(players: int, options: Options) -> None:
    """All that counts is how many numbers there were: also past the iteration after which turns are given up."""
    for seen in islice(map(seen_by_mover, states(players, options)), 2, 4):
        numbers = iter(range(100))
        cut_short = search(seen, CHANCE, islice(numbers, 5))
        assert next(numbers) == 5
        assert cut_short == chosen(seen, 5) == chosen(seen, 5)


@every_setting
def test_the_choice_does_not_depend_on_what_the_seat_cannot_see(players: int, options: Options) -> None:
    """Hidden: with the dominoes of the deck and of those put aside in another order, the same is chosen."""
    for number, state in enumerate(states(players, options)):
        unseen = Chance(b"another world").shuffled(f"{number}", (*state.deck, *state.aside))
        size = len(state.deck)
        other = state._replace(deck=unseen[:size], aside=unseen[size:])
        assert other != state or size < 2
        assert chosen(seen_by_mover(other), 2) == chosen(seen_by_mover(state), 2)


def test_what_is_searched_depends_on_the_seed() -> None:
    """Or every search of one iteration would meet the same deck."""
    seeds = [Chance(bytes([seed])) for seed in range(6)]
    seen = list(islice(map(seen_by_mover, states(2, Options())), 1, 4))
    assert any(len({chosen(one, 1, seed) for seed in seeds}) > 1 for one in seen)


def test_a_very_short_search_is_stronger_than_greedy() -> None:
    """Of 16 matches of two, from both seats of each deck: a lead that is far from none."""
    contest = Contest(Player("search", 3), Player("greedy"), 2)
    found = of_decks([[match.lead for match in deck] for deck in matches(contest, range(8))])
    assert found.mean > 2 * found.error
