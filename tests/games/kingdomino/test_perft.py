"""Node counts by depth: how many different sequences of decisions lead on from a position.

A decision is one of the two halves of a turn: a domino placed or discarded, or a domino chosen. Chance is fixed by the
seed, so that a count stands for the whole of the rules: what may be placed, where a king has a choice, whose turn it
is, and when it is over.
"""

from itertools import islice

import pytest

from services.kingdomino.rules.dominoes import DOMINOES
from services.kingdomino.rules.model import Options, Phase, State, castle_alone
from shared.kernel import Chance
from tests.games.kingdomino.positions import (
    decided,
    decisions,
    fold,
    free,
    match_steps,
    places,
    plain_placements,
    started,
)

SEED = b"perft of kingdomino"
DUEL = Options(mighty_duel=True)


def perft(state: State, depth: int) -> int:
    """The number of sequences of so many decisions."""
    commands = decisions(state)
    if depth == 1:
        return len(commands)
    chance = Chance(SEED)
    return sum(perft(fold(state, decided(state, command, chance)), depth - 1) for command in commands)


def counted(state: State, depth: int) -> list[int]:
    """Depth 1 first."""
    return [perft(state, one) for one in range(1, depth + 1)]


def start(players: int, options: Options) -> State:
    """The first line is to be chosen from."""
    return started(Chance(SEED), players, options)[1]


def round_of(number: int, players: int, options: Options) -> State:
    """The first turn of a round of a match that the seed plays."""
    states = (step.state for step in match_steps(players, options, SEED))
    firsts = (state for state in states if state.phase is Phase.PLACE and state.at == 0)
    return next(islice(firsts, number - 1, None))


@pytest.mark.parametrize("side", [5, 7])
@pytest.mark.parametrize("number", DOMINOES)
def test_how_many_placements_a_castle_alone_has(number: int, side: int) -> None:
    """K-12 to K-14: 4 cells at the castle, 3 more cells at each of them: 12, and twice as many if it can be turned."""
    assert len(places(castle_alone(side), number)) == (12 if DOMINOES[number].is_double else 24)


# By hand. Four kings: 4 choices, then 3, then 2, and the last is made for its king; then 8, a double, is placed at a
# castle alone, and its king has 4 choices. Three kings: 3, then 2, then 8 is placed, and its king has 3 choices.
FOUR_KINGS = [4, 4 * 3, 4 * 3 * 2, 24 * 12, 24 * 12 * 4]
THREE_KINGS = [3, 3 * 2, 6 * 12, 6 * 12 * 3]
# With more than two players the next domino, no double, is placed at the castle of another seat.
FOUR_PLAYERS = [*FOUR_KINGS, 24 * 12 * 4 * 24]
THREE_PLAYERS = [*THREE_KINGS, 6 * 12 * 3 * 24, 6 * 12 * 3 * 24 * 2]


@pytest.mark.parametrize(
    ("players", "options", "counts"),
    [
        pytest.param(2, Options(), [*FOUR_KINGS, 29312], id="two players"),
        pytest.param(3, Options(), THREE_PLAYERS, id="three players"),
        pytest.param(4, Options(), FOUR_PLAYERS, id="four players"),
        pytest.param(2, DUEL, [*FOUR_KINGS, 29312], id="the duel"),
    ],
)
def test_node_counts_from_the_start(players: int, options: Options, counts: list[int]) -> None:
    """K-5 to K-14: the kings' choices, the first placement, the next choice; a change of a count changes the rules."""
    state = start(players, options)
    assert [DOMINOES[number].is_double for number in state.next_line[:2]] == [True, False]
    assert counted(state, len(counts)) == counts


@pytest.mark.parametrize(
    ("players", "options", "number", "counts"),
    [
        pytest.param(2, Options(), 4, [4, 16, 208, 624], id="two players, the fourth round"),
        pytest.param(3, Options(), 4, [22, 66, 1056, 2112], id="three players, the fourth round"),
        pytest.param(4, Options(), 5, [15, 60, 1200, 3600], id="four players, the fifth round"),
        pytest.param(2, DUEL, 5, [14, 56, 1120, 3360], id="the duel, the fifth round"),
    ],
)
def test_node_counts_from_the_middle_of_a_game(players: int, options: Options, number: int, counts: list[int]) -> None:
    """K-8 to K-15: a placement, a choice, a placement, a choice; the first two are counted again plainly."""
    state = round_of(number, players, options)
    plain = len(plain_placements(state.kingdoms[state.kings[0]], state.line[0], options.side))
    assert [plain, plain * len(free(state))] == counts[:2]
    assert counted(state, 4) == counts


@pytest.mark.parametrize(
    ("players", "options", "counts"),
    [
        pytest.param(2, Options(), [1, 1, 2, 2, 0], id="two players, four kings"),
        pytest.param(3, Options(), [1, 1, 1, 0], id="three players, three kings"),
        pytest.param(4, Options(), [1, 1, 1, 2, 0], id="four players, four kings"),
        pytest.param(2, DUEL, [1, 1, 4, 6, 0], id="the duel, four kings"),
    ],
)
def test_node_counts_of_the_last_round(players: int, options: Options, counts: list[int]) -> None:
    """K-11, K-15: a placement or a discard for each king, and nothing after that."""
    state = round_of(6 if players == 2 and not options.mighty_duel else 12, players, options)
    plain = len(plain_placements(state.kingdoms[state.kings[0]], state.line[0], options.side))
    assert max(plain, 1) == counts[0]
    assert counted(state, len(counts)) == counts
