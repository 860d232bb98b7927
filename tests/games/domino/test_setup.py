"""D-1 to D-6 and the limits of D-14: the set, the deal, who starts, and the opening turn."""

from collections.abc import Sequence
from itertools import combinations_with_replacement

import pytest

from services.domino.game import GAME
from services.domino.rules import rules, setup
from services.domino.rules.events import RoundDealt
from services.domino.rules.model import HALVES, TILES, Hand, Options, State, initial, tiles_in
from shared.kernel import Chance, Refusal
from tests.games.domino.positions import (
    Stacked,
    after,
    answer,
    choices,
    described,
    hand,
    hand_text,
    line_text,
    started,
    tiles,
)


def dealt(chance: Chance, players: int, options: Options | None = None) -> RoundDealt:
    """The first deal of a match."""
    deal = setup.deal(initial(options or Options(), players), chance)[0]
    assert isinstance(deal, RoundDealt)
    return deal


def known(deal: RoundDealt) -> tuple[Hand, ...]:
    """The hands of a deal in which nothing is hidden."""
    return tuple(held for held in deal.hands if held is not None)


def test_the_set_has_every_pair_of_halves_once() -> None:
    """D-1: 28 tiles, every unordered pair of 0..6."""
    assert sorted(HALVES) == list(combinations_with_replacement(range(7), 2))
    assert len(TILES) == 28


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_deal_shares_out_the_whole_set(players: int) -> None:
    """D-1, D-2: each tile of the set is dealt or left in the boneyard, once."""
    deal = dealt(Chance(b"whole set"), players)
    placed = [tile for held in known(deal) for tile in tiles_in(held)]
    assert sorted([*placed, *(deal.boneyard or ())]) == list(range(28))


@pytest.mark.parametrize(
    ("players", "options", "hand_size", "boneyard"),
    [
        pytest.param(2, Options(), 5, 18, id="D-2: two players take 5 each and leave 18"),
        pytest.param(3, Options(), 5, 13, id="D-2: three players take 5 each and leave 13"),
        pytest.param(4, Options(), 5, 8, id="D-2: four players take 5 each and leave 8"),
        pytest.param(5, Options(), 5, 3, id="D-3: five players take 5 each and leave 3"),
        pytest.param(2, Options(14), 14, 0, id="D-14: two hands of 14 leave nothing"),
        pytest.param(3, Options(9), 9, 1, id="D-14: three hands of 9 leave one"),
        pytest.param(5, Options(2), 2, 18, id="D-14: five hands of 2 leave 18"),
    ],
)
def test_every_player_takes_a_hand_and_the_rest_is_the_boneyard(
    players: int, options: Options, hand_size: int, boneyard: int
) -> None:
    """D-2: all hands have the same size, and the boneyard is what is left."""
    deal = dealt(Chance(b"sizes"), players, options)
    assert [held.bit_count() for held in known(deal)] == [hand_size] * players
    assert (deal.round, deal.hand_size) == (1, hand_size)
    assert (deal.boneyard_size, len(deal.boneyard or ())) == (boneyard, boneyard)


def test_tiles_are_dealt_in_the_order_of_the_shuffle() -> None:
    """D-2: seat 0 takes the first tiles, seat 1 the next, and the boneyard is drawn in the order that is left."""
    deal = dealt(Stacked("6-1 0-0", "5-3 2-2", "4-4 0-1 3-3"), 2, Options(hand_size=2))
    assert list(map(hand_text, known(deal))) == ["0-0 1-6", "2-2 3-5"]
    assert deal.boneyard is not None
    assert deal.boneyard[:3] == tiles("4-4 0-1 3-3")


def test_the_seed_alone_decides_the_deal() -> None:
    """D-2: one seed, one deal; over many seeds, any tile may be in the first hand or last in the boneyard."""
    deals = [dealt(Chance(bytes([number])), 2) for number in range(200)]
    assert deals[7] == dealt(Chance(bytes([7])), 2)
    assert {tile for deal in deals for tile in tiles_in(known(deal)[0])} == set(TILES)
    assert {deal.boneyard[-1] for deal in deals if deal.boneyard} == set(TILES)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_two_to_five_players_can_play_with_the_default_hands(players: int) -> None:
    """D-3: with 5 tiles each, the set is enough for 2 to 5 players."""
    assert setup.check_options(Options(), players) is None


def test_six_players_would_need_thirty_tiles() -> None:
    """D-3: with 5 tiles each, the set is not enough for six."""
    refusal = setup.check_options(Options(), 6)
    assert refusal is not None
    assert "6 hands of 5 need more than the 28 tiles" in refusal.message


@pytest.mark.parametrize(
    ("hands", "seat", "tile"),
    [
        pytest.param(["6-5 1-1", "2-2 0-1"], 1, "2-2", id="D-4: the highest double starts"),
        pytest.param(["6-6 0-1", "5-5 4-4"], 0, "6-6", id="D-4: the double six starts if it is dealt"),
        pytest.param(["6-5 6-4", "0-1 0-0"], 1, "0-0", id="D-4: even the double blank starts before any other tile"),
        pytest.param(
            ["1-1 4-4", "3-3 6-5", "2-2 0-1"], 0, "4-4", id="D-4: of two doubles in a hand, the higher counts"
        ),
        pytest.param(["6-4 5-4", "6-5 0-1"], 1, "6-5", id="D-4: without a double, the highest pip sum starts"),
        pytest.param(["6-2 0-1", "5-4 0-2"], 1, "5-4", id="D-4: the sum counts before the higher half"),
        pytest.param(["5-4 0-1", "6-3 0-2"], 1, "6-3", id="D-4: 6-3 starts before 5-4 of an earlier seat"),
        pytest.param(["6-3 0-1", "5-4 0-2"], 0, "6-3", id="D-4: 6-3 starts before 5-4 of a later seat"),
        pytest.param(["5-3 0-1", "0-2 0-3", "6-2 1-2"], 2, "6-2", id="D-4: 6-2 starts before 5-3"),
        pytest.param(
            ["4-3 0-1", "5-2 0-3", "6-1 1-2", "0-5 0-4"], 2, "6-1", id="D-4: of three that tie at 7, 6-1 starts"
        ),
    ],
)
def test_who_starts_and_with_which_tile(hands: Sequence[str], seat: int, tile: str) -> None:
    """D-4: the highest double, else the highest pip sum, else the higher half."""
    assert setup.opening(tuple(map(hand, hands))) == (seat, *tiles(tile))


def test_no_two_tiles_tie_for_the_start() -> None:
    """D-4: of any two tiles one starts, wherever they are held."""
    for one in TILES:
        for other in TILES[one + 1 :]:
            assert setup.opening((1 << one, 1 << other))[1] == setup.opening((1 << other, 1 << one))[1]


@pytest.mark.parametrize(
    ("stack", "expected", "line"),
    [
        pytest.param(
            ["6-5 1-1", "2-2 2-1"],
            ["Round 1: 2 tiles each, 24 in the boneyard; seat 1 starts.", "Seat 1 lays 2-2 at the left end."],
            "[2|2]",
            id="D-5: after a start with a double",
        ),
        pytest.param(
            ["5-4 4-0", "6-3 3-0"],
            ["Round 1: 2 tiles each, 24 in the boneyard; seat 1 starts.", "Seat 1 lays 3-6 at the left end."],
            "[3|6]",
            id="D-5: after a start without a double",
        ),
    ],
)
def test_the_first_tile_is_forced_and_the_second_is_the_starters(
    stack: Sequence[str], expected: list[str], line: str
) -> None:
    """D-5: the service lays the first tile, and the same seat is asked for the second."""
    events, state = started(Stacked(*stack), 2, Options(hand_size=2))
    assert described(events) == expected
    assert (line_text(state), rules.to_act(state)) == (line, (1,))


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        pytest.param(
            ["5-5 0-5 3-5", "0-1 0-2 0-3"],
            ["0-5 left", "0-5 right", "3-5 left", "3-5 right"],
            id="D-5: any matching tile at either end of a double",
        ),
        pytest.param(
            ["6-3 6-0 3-1", "0-1 0-2 0-4"],
            ["0-6 right", "1-3 left"],
            id="D-5: either end of a first tile that is no double",
        ),
        pytest.param(
            ["6-3 6-0 2-1", "0-1 0-2 0-4"], ["0-6 right"], id="D-5: only what matches, even if the other tile is new"
        ),
    ],
)
def test_the_starter_chooses_the_second_tile_and_its_end(stack: Sequence[str], expected: list[str]) -> None:
    """D-5: which second tile, and to which end, is the starter's choice."""
    _, state = started(Stacked(*stack), 2, Options(hand_size=3))
    assert choices(state) == expected


def test_a_second_tile_that_does_not_match_is_refused() -> None:
    """D-5: the second tile follows the rule of any other (D-7)."""
    _, state = started(Stacked("6-3 6-0 2-1", "0-1 0-2 0-4"), 2, Options(hand_size=3))
    assert answer(state, "2-1 left") == ["refused: D-7"]


def test_the_opening_turn_ends_with_the_second_tile() -> None:
    """D-5: two tiles in the opening turn, not three, and then the next seat plays."""
    _, state = started(Stacked("6-6 6-0 0-1", "6-1 6-2 6-3", "6-4 6-5 0-2"), 3, Options(hand_size=3))
    assert answer(state, "6-0 right") == ["Seat 0 lays 0-6 at the right end."]
    assert rules.to_act(after(state, "6-0 right")) == (1,)


@pytest.mark.parametrize(
    ("stack", "expected", "then"),
    [
        pytest.param(
            ["6-6 1-2", "0-1 6-5", "0-0 1-1 6-1 6-2"],
            ["Seat 0 lays 6-6 at the left end.", "Seat 0 draws 0-0.", "Seat 0 draws 1-1.", "Seat 0 draws 1-6."],
            ["1-6 left", "1-6 right"],
            id="D-6: after a double, until the third tile matches",
        ),
        pytest.param(
            ["6-3 1-2", "0-1 5-4", "0-4 2-3"],
            ["Seat 0 lays 3-6 at the left end.", "Seat 0 draws 0-4.", "Seat 0 draws 2-3."],
            ["2-3 left"],
            id="D-6: after a start without a double",
        ),
    ],
)
def test_a_starter_without_a_second_tile_draws_until_one_matches(
    stack: Sequence[str], expected: list[str], then: list[str]
) -> None:
    """D-6: the draws are forced, one event each, and the tile that matches is the only one to play."""
    events, state = started(Stacked(*stack), 2, Options(hand_size=2))
    assert described(events)[1:] == expected
    assert (rules.to_act(state), choices(state)) == ((0,), then)


def boneyard_without_a_six() -> tuple[list[str], State]:
    """Three hands of 9: seat 0 starts with 6-6, seat 1 holds the other sixes, and 5-5 is in the boneyard."""
    stack = Stacked(
        "6-6 0-0 0-1 0-2 0-3 0-4 0-5 1-1 1-2",
        "6-0 6-1 6-2 6-3 6-4 6-5 1-3 1-4 1-5",
        "2-2 2-3 2-4 2-5 3-3 3-4 3-5 4-4 4-5",
        "5-5",
    )
    events, state = started(stack, 3, Options(hand_size=9))
    return described(events), state


def test_a_starter_whom_the_boneyard_cannot_help_ends_the_turn_with_one_tile() -> None:
    """D-6: if the boneyard runs out first, the turn ends with the one tile laid."""
    told, state = boneyard_without_a_six()
    assert told[1:] == ["Seat 0 lays 6-6 at the left end.", "Seat 0 draws 5-5.", "Seat 0 passes."]
    assert (line_text(state), rules.to_act(state)) == ("[6|6]", (1,))


def test_only_the_starter_may_add_two_tiles() -> None:
    """D-6: after an opening of one tile, the next seat plays one tile as in any turn."""
    _, state = boneyard_without_a_six()
    assert answer(state, "6-0 left") == ["Seat 1 lays 0-6 at the left end.", "Seat 2 passes."]
    assert rules.to_act(after(state, "6-0 left")) == (0,)


@pytest.mark.parametrize(
    ("players", "options"),
    [
        pytest.param(2, Options(hand_size=2), id="D-14: a hand of 2 is the smallest"),
        pytest.param(2, Options(hand_size=14), id="D-14: two hands of 14 are the whole set"),
        pytest.param(4, Options(hand_size=7), id="D-14: four hands of 7 are the whole set"),
        pytest.param(5, Options(target=1), id="D-14: a target of 1 is the smallest"),
        pytest.param(5, Options(target=1000), id="D-14: a target of 1,000 is the largest"),
    ],
)
def test_options_within_the_limits(players: int, options: Options) -> None:
    """D-14: the limits themselves are allowed."""
    assert setup.check_options(options, players) is None


@pytest.mark.parametrize(
    ("players", "options", "named"),
    [
        pytest.param(2, Options(hand_size=1), "hand_size", id="D-14: a hand of 1 is too small"),
        pytest.param(2, Options(hand_size=0), "hand_size", id="D-14: an empty hand is too small"),
        pytest.param(2, Options(hand_size=15), "2 hands of 15", id="D-14: two hands of 15 are 30 tiles"),
        pytest.param(3, Options(hand_size=10), "3 hands of 10", id="D-14: three hands of 10 are 30 tiles"),
        pytest.param(4, Options(hand_size=8), "4 hands of 8", id="D-14: four hands of 8 are 32 tiles"),
        pytest.param(5, Options(hand_size=6), "5 hands of 6", id="D-14: five hands of 6 are 30 tiles"),
        pytest.param(2, Options(target=0), "target", id="D-14: a target of 0 is too small"),
        pytest.param(2, Options(target=1001), "target", id="D-14: a target of 1,001 is too large"),
    ],
)
def test_options_beyond_the_limits(players: int, options: Options, named: str) -> None:
    """D-14: what is beyond the limits is refused, and the answer says what is wrong."""
    refusal = setup.check_options(options, players)
    assert isinstance(refusal, Refusal)
    assert refusal.rule == "D-14"
    assert named in refusal.message


def test_the_defaults_are_hands_of_five_and_one_round() -> None:
    """D-14: `hand_size` is 5 and there is no target unless said otherwise."""
    options = Options()
    assert (options.hand_size, options.target) == (5, None)


def test_two_to_five_play() -> None:
    """D-3: the platform offers no other number of seats."""
    assert [seats for seats in range(10) if seats in GAME.seat_counts] == [2, 3, 4, 5]
