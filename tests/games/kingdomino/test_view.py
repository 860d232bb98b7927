"""Hidden: the deck's order and what was put aside. Nothing else."""

import pytest

from services.kingdomino.rules import notation, rules
from services.kingdomino.rules.events import GameDealt
from services.kingdomino.rules.model import Options, Phase, State, initial
from services.kingdomino.rules.view import View, view
from shared.kernel import EVERYTHING, SPECTATOR, Chance, Seat, Viewer
from tests.games.kingdomino.positions import Stacked, after, match_steps, numbers, position, seats, started

SEAT_0, SEAT_1 = Viewer(Seat(0)), Viewer(Seat(1))
FIRST_KINGDOM = """
             0      1      2
      0 castle    48w 48m***
"""
every_player = pytest.mark.parametrize(
    "viewer",
    [
        pytest.param(SEAT_0, id="Hidden: from the seat that is to act"),
        pytest.param(SEAT_1, id="Hidden: from the other seat"),
        pytest.param(SPECTATOR, id="Hidden: from a spectator"),
    ],
)


def with_secrets(deck: str = "31 9 30 5", aside: str = "40 41 42 44") -> State:
    """Seat 0 is to place 12; there is something in the deck, and something was put aside."""
    state = position("7=1 >12=0 26=0 43=1", "3 20 36=1 47", kingdoms=["", FIRST_KINGDOM], deck=deck)
    return state._replace(aside=numbers(aside))


@every_player
def test_nobody_sees_the_deck_nor_what_was_put_aside(viewer: Viewer) -> None:
    """Hidden: only how many dominoes there are."""
    looking = view(with_secrets(), viewer)
    assert (looking.deck, looking.aside) == (None, None)
    assert (looking.deck_size, looking.aside_size) == (4, 4)


@every_player
@pytest.mark.parametrize(
    ("deck", "aside"),
    [
        pytest.param("5 30 9 31", "40 41 42 44", id="Hidden: the order of the deck"),
        pytest.param("31 9 30 5", "44 41 40 42", id="Hidden: the order of what was put aside"),
        pytest.param("31 9 44 5", "40 41 42 30", id="Hidden: which dominoes are in the deck and which aside"),
        pytest.param("40 41 42 44", "31 9 30 5", id="Hidden: whatever is left"),
    ],
)
def test_states_that_differ_in_what_is_hidden_look_the_same(viewer: Viewer, deck: str, aside: str) -> None:
    """Hidden: no part of a view depends on it, nor does the text; who sees everything can tell them apart."""
    one, other = with_secrets(), with_secrets(deck, aside)
    assert view(one, viewer) == view(other, viewer)
    assert notation.format_view(view(one, viewer)) == notation.format_view(view(other, viewer))
    assert view(one, EVERYTHING) != view(other, EVERYTHING)


@pytest.mark.parametrize("viewer", [SEAT_0, SEAT_1, SPECTATOR, EVERYTHING])
def test_everybody_sees_all_that_lies_on_the_table(viewer: Viewer) -> None:
    """Hidden: kingdoms, lines and kings are not, nor whose turn it is."""
    state = with_secrets()
    looking = view(state, viewer)
    assert looking.kingdoms == state.kingdoms
    assert (looking.line, looking.kings, looking.at) == (numbers("7 12 26 43"), seats("1 0 0 1"), 1)
    assert (looking.next_line, looking.next_kings) == (numbers("3 20 36 47"), (None, None, 1, None))
    assert (looking.seat, looking.turn, looking.phase, looking.game) == (viewer.seat, 0, Phase.PLACE, 1)


def test_everything_is_seen_once_all_is_revealed() -> None:
    """Hidden: nothing is missing from the view that shows everything."""
    looking = view(with_secrets(), EVERYTHING)
    assert (looking.deck, looking.aside) == (numbers("31 9 30 5"), numbers("40 41 42 44"))


@every_player
def test_an_empty_deck_hides_nothing(viewer: Viewer) -> None:
    """Hidden: where there is no domino, everybody knows it; what was put aside stays hidden to the end."""
    looking = view(with_secrets(deck=""), viewer)
    assert (looking.deck, looking.deck_size, looking.aside, looking.aside_size) == ((), 0, None, 4)
    assert view(with_secrets(aside=""), viewer).aside == ()


def secrets_shown(looking: View) -> bool:
    """Whether a view shows a domino of the deck or of what was put aside."""
    return bool(looking.deck or looking.aside)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_nothing_hidden_is_shown_in_any_position_of_a_match(players: int) -> None:
    """Hidden: from no seat, from the deal to the end of the third game (K-18)."""
    steps = [*match_steps(players, Options(dynasty=True), b"hidden")]
    viewers = [SPECTATOR, *(Viewer(Seat(seat)) for seat in range(players))]
    assert not any(secrets_shown(view(step.state, viewer)) for step in steps for viewer in viewers)
    assert secrets_shown(view(steps[0].state, EVERYTHING))


def test_before_the_first_line_has_its_kings_everybody_sees_their_order() -> None:
    """K-6: the kings are drawn in the open."""
    _, state = started(Stacked("48 3 17 25", kings="1 0 0 1"), 2)
    looking = view(state, SPECTATOR)
    assert (looking.line, looking.kings, looking.at, looking.turn) == ((), seats("1 0 0 1"), 0, 1)
    assert view(after(state, "choose 3"), SPECTATOR).turn == 0


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(initial(Options(), 2), id="K-3: before the first deal"),
        pytest.param(
            after(position("7=1 12=0 26=0 >43=1", kingdoms=["", FIRST_KINGDOM]), "43 at 0,1 south"),
            id="K-10: after the end",
        ),
    ],
)
def test_it_is_nobodys_turn_outside_of_a_game(state: State) -> None:
    """K-8: a turn needs a king on a line."""
    assert [view(state, viewer).turn for viewer in (SEAT_0, SEAT_1, SPECTATOR)] == [None] * 3


@pytest.mark.parametrize("hidden", ["deck", "aside"])
def test_what_a_seat_sees_of_a_deal_cannot_pass_for_the_deal(hidden: str) -> None:
    """Hidden: a state is folded from full events only."""
    empty = initial(Options(), 2)
    deal = rules.start(empty, Chance(b"redacted"))[0]
    assert isinstance(deal, GameDealt)
    shown = deal._replace(deck=None) if hidden == "deck" else deal._replace(aside=None)
    with pytest.raises(ValueError, match="redacted"):
        rules.evolve(empty, shown)
