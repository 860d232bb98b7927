"""K-1 to K-7: the dominoes, the kings, the deck, and the choice of the first line."""

from collections import Counter

import pytest

from services.kingdomino.rules import rules, setup
from services.kingdomino.rules.dominoes import DOMINOES, NUMBERS, Domino, Square, Terrain
from services.kingdomino.rules.events import DominoChosen, GameDealt, LineDrawn
from services.kingdomino.rules.model import Options, Phase, castle_alone, initial
from shared.kernel import Chance
from tests.games.kingdomino.positions import (
    Stacked,
    after,
    answer,
    described,
    free,
    kingdom_text,
    match_steps,
    numbers,
    play,
    seats,
    started,
    whereabouts,
)

DUEL = Options(mighty_duel=True)
FIRST_LINES = Stacked("48 3 17 25 40 8 2 36", kings="1 0 0 1")
every_table = pytest.mark.parametrize(
    ("players", "options"),
    [
        pytest.param(2, Options(), id="two players"),
        pytest.param(3, Options(), id="three players"),
        pytest.param(4, Options(), id="four players"),
        pytest.param(2, DUEL, id="the duel"),
    ],
)


def dealt(chance: Chance, players: int, options: Options | None = None) -> GameDealt:
    """The first deal of a match."""
    return setup.deal(initial(options or Options(), players), chance)


def test_the_dominoes_are_numbered_from_1_to_48() -> None:
    """K-1: 48 of them, each under its own number."""
    assert tuple(range(1, 49)) == NUMBERS
    assert [DOMINOES[number].number for number in NUMBERS] == list(NUMBERS)


@pytest.mark.parametrize(
    ("number", "first", "second"),
    [
        pytest.param(1, Square(Terrain.WHEAT, 0), Square(Terrain.WHEAT, 0), id="K-1: 1 is wheat twice"),
        pytest.param(12, Square(Terrain.SWAMP, 0), Square(Terrain.SWAMP, 0), id="K-1: 12 is swamp twice"),
        pytest.param(18, Square(Terrain.FOREST, 0), Square(Terrain.GRASS, 0), id="K-1: 18 is forest and grass"),
        pytest.param(23, Square(Terrain.WHEAT, 1), Square(Terrain.MINE, 0), id="K-1: 23 has its crown on the wheat"),
        pytest.param(39, Square(Terrain.GRASS, 0), Square(Terrain.SWAMP, 1), id="K-1: 39 has its crown on the swamp"),
        pytest.param(42, Square(Terrain.LAKE, 0), Square(Terrain.GRASS, 2), id="K-1: 42 has two crowns"),
        pytest.param(48, Square(Terrain.WHEAT, 0), Square(Terrain.MINE, 3), id="K-1: 48 has three crowns"),
    ],
)
def test_what_a_domino_shows(number: int, first: Square, second: Square) -> None:
    """K-1: two squares, each a terrain and 0 to 3 crowns."""
    assert DOMINOES[number] == Domino(number, first, second)


def test_how_often_each_terrain_and_its_crowns_are_printed() -> None:
    """K-1: as counted on the printed dominoes; the scarcer a terrain, the more crowns it has."""
    squares = [square for domino in DOMINOES.values() for square in (domino.first, domino.second)]
    printed = Counter(square.terrain.name for square in squares)
    crowns = Counter[str]()
    for square in squares:
        crowns[square.terrain.name] += square.crowns
    assert printed == {"WHEAT": 26, "FOREST": 22, "LAKE": 18, "GRASS": 14, "SWAMP": 10, "MINE": 6}
    assert crowns == {"WHEAT": 5, "FOREST": 6, "LAKE": 6, "GRASS": 6, "SWAMP": 6, "MINE": 10}


def test_the_first_twelve_dominoes_have_two_equal_squares() -> None:
    """K-1: no others have, so that only these are the same laid the other way round."""
    assert [number for number in NUMBERS if DOMINOES[number].is_double] == list(range(1, 13))


@pytest.mark.parametrize(
    ("players", "kings"),
    [
        pytest.param(2, "0 0 1 1", id="K-2: two kings each for two players"),
        pytest.param(3, "0 1 2", id="K-2: one king each for three players"),
        pytest.param(4, "0 1 2 3", id="K-2: one king each for four players"),
    ],
)
def test_how_many_kings_a_player_has(players: int, kings: str) -> None:
    """K-2: all of them are drawn, and nobody else's."""
    assert tuple(sorted(dealt(Chance(b"kings"), players).kings)) == seats(kings)


def test_two_players_have_two_kings_in_the_duel_too() -> None:
    """K-2: the duel is a game of two players."""
    assert sorted(dealt(Chance(b"kings"), 2, DUEL).kings) == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("players", "options", "used", "aside"),
    [
        pytest.param(2, Options(), 24, 24, id="K-3: two players use 24 and put 24 aside"),
        pytest.param(3, Options(), 36, 12, id="K-3: three players use 36 and put 12 aside"),
        pytest.param(4, Options(), 48, 0, id="K-3: four players use all"),
        pytest.param(2, DUEL, 48, 0, id="K-21: the duel uses all"),
    ],
)
def test_how_many_dominoes_are_used(players: int, options: Options, used: int, aside: int) -> None:
    """K-3: the deck and what is put aside are the whole set, each domino once."""
    deal = dealt(Chance(b"sizes"), players, options)
    assert (deal.deck_size, deal.aside_size) == (used, aside)
    assert (len(deal.deck or ()), len(deal.aside or ())) == (used, aside)
    assert sorted([*(deal.deck or ()), *(deal.aside or ())]) == list(NUMBERS)


def test_any_domino_may_be_put_aside() -> None:
    """K-3: which ones is random; over many seeds each is used and each is put aside."""
    deals = [dealt(Chance(bytes([seed])), 2) for seed in range(60)]
    assert {number for deal in deals for number in deal.deck or ()} == set(NUMBERS)
    assert {number for deal in deals for number in deal.aside or ()} == set(NUMBERS)


@every_table
def test_everybody_starts_with_a_castle(players: int, options: Options) -> None:
    """K-4: and with nothing else."""
    _, state = started(Chance(b"castles"), players, options)
    assert [kingdom_text(built, options.side) for built in state.kingdoms] == [["castle"]] * players
    assert state.kingdoms == (castle_alone(options.side),) * players


@pytest.mark.parametrize(
    ("chance", "players", "expected"),
    [
        pytest.param(FIRST_LINES, 2, "3 17 25 48", id="K-5: four with two players"),
        pytest.param(Stacked("48 3 17 25", kings="2 0 1"), 3, "3 17 48", id="K-5: three with three players"),
        pytest.param(Stacked("48 3 17 25", kings="2 0 1 3"), 4, "3 17 25 48", id="K-5: four with four players"),
    ],
)
def test_the_first_line_is_the_top_of_the_deck_by_number(chance: Chance, players: int, expected: str) -> None:
    """K-5: as many as there are kings, in ascending order, with no king yet."""
    events, state = started(chance, players)
    assert events[1:] == (LineDrawn(numbers(expected)),)
    assert (state.next_line, set(state.next_kings)) == (numbers(expected), {None})


def test_a_match_begins_with_the_deal_and_the_first_line() -> None:
    """K-3, K-5, K-6: and then the first king's owner is asked."""
    events, state = started(FIRST_LINES, 2)
    assert described(events) == [
        "Game 1: 24 dominoes, 24 put aside; the kings choose in the order 1, 0, 0, 1.",
        "A line is drawn: 3, 17, 25, 48.",
    ]
    assert (rules.to_act(state), state.phase, state.line) == ((1,), Phase.CHOOSE, ())


def test_kings_choose_in_the_order_in_which_they_were_drawn() -> None:
    """K-6: not by seat, and a player with two kings may be asked twice in a row."""
    _, state = started(FIRST_LINES, 2)
    asked = []
    for command in ("choose 48", "choose 25", "choose 17"):
        asked.append((rules.to_act(state), free(state)))
        state = after(state, command)
    assert asked == [((1,), [3, 17, 25, 48]), ((0,), [3, 17, 25]), ((0,), [3, 17])]


def test_the_last_king_has_no_choice_and_the_next_line_is_drawn() -> None:
    """K-6, K-7: the last king's domino is an event without a command, and the next line follows at once."""
    _, state = started(FIRST_LINES, 2)
    state = after(state, "choose 48", "choose 25")
    events, state = play(state, "choose 17")
    assert described(events) == ["Seat 0 chooses 17.", "Seat 1 chooses 3.", "A line is drawn: 2, 8, 36, 40."]
    assert (state.line, state.kings) == ((3, 17, 25, 48), seats("1 0 0 1"))


def test_no_line_is_drawn_before_every_domino_has_a_king() -> None:
    """K-7: after a choice that leaves two dominoes, nothing follows."""
    _, state = started(FIRST_LINES, 2)
    assert answer(after(state, "choose 48"), "choose 3") == ["Seat 0 chooses 3."]


def test_with_three_players_the_second_choice_settles_the_third() -> None:
    """K-6: three kings, two choices."""
    _, state = started(Stacked("48 3 17 25 40 8", kings="2 0 1"), 3)
    assert answer(after(state, "choose 3"), "choose 48") == [
        "Seat 0 chooses 48.",
        "Seat 1 chooses 17.",
        "A line is drawn: 8, 25, 40.",
    ]


@pytest.mark.parametrize(
    ("players", "orders"),
    [
        pytest.param(2, 6, id="K-6: two players' kings come in each of 6 orders"),
        pytest.param(3, 6, id="K-6: three kings come in each of 6 orders"),
        pytest.param(4, 24, id="K-6: four kings come in each of 24 orders"),
    ],
)
def test_the_kings_are_drawn_in_random_order(players: int, orders: int) -> None:
    """K-6: any order comes up over many seeds; kings of one player are not told apart."""
    assert len({dealt(Chance(bytes([seed])), players).kings for seed in range(200)}) == orders


def test_the_seed_alone_decides_the_deal() -> None:
    """K-3, K-6: one seed, one deal; another seed, another deck."""
    deals = [dealt(Chance(bytes([seed])), 4) for seed in range(20)]
    assert deals[7] == dealt(Chance(bytes([7])), 4)
    assert len({deal.deck for deal in deals}) == 20


@every_table
def test_a_deal_puts_every_domino_in_one_place(players: int, options: Options) -> None:
    """K-1, K-3, K-5: in the deck, aside or in the line; and so after every decision of a match."""
    for step in match_steps(players, options, b"one place"):
        assert whereabouts(step.state) == list(NUMBERS)


@every_table
def test_the_kings_of_the_first_line_are_those_that_chose(players: int, options: Options) -> None:
    """K-6, K-7: one king a domino, as many choices as kings, before the second line is drawn."""
    first, *others = match_steps(players, options, b"first line")
    events = [*first.events, *(event for step in others for event in step.events)]
    _, second = [place for place, event in enumerate(events) if isinstance(event, LineDrawn)][:2]
    chosen = [event for event in events[2:second] if isinstance(event, DominoChosen)]
    line = events[1]
    assert isinstance(line, LineDrawn)
    assert len(chosen) == second - 2
    assert sorted(event.number for event in chosen) == list(line.numbers)
    assert [event.seat for event in chosen] == list(first.state.kings)
