"""Node counts by depth: how many different sequences of commands lead on from a deal.

Chance is fixed by the seed, so that a count stands for the whole of the rules: what may be played, forced draws and
passes, whose turn it is, and when it is over.
"""

import pytest

from services.domino.rules import rules
from services.domino.rules.model import Options, State
from shared.kernel import Chance, Refusal
from tests.games.domino.positions import fold, started

SEED = Chance(b"perft of domino")


def perft(state: State, depth: int) -> int:
    """The number of sequences of so many commands."""
    if depth == 0:
        return 1
    return sum(perft(following, depth - 1) for following in successors(state))


def successors(state: State) -> list[State]:
    """The states after each command of the seats that are to act."""
    found = []
    for seat in rules.to_act(state):
        for command in rules.playable(state.hands[seat], state.left, state.right):
            events = rules.decide(state, seat, command, SEED)
            assert not isinstance(events, Refusal), events
            found.append(fold(state, events))
    return found


@pytest.mark.parametrize(
    ("players", "options", "counts"),
    [
        pytest.param(2, Options(), [3, 7, 12, 25, 37, 53, 86, 102], id="two players"),
        pytest.param(3, Options(), [6, 16, 46, 96, 222, 488, 878], id="three players"),
        pytest.param(5, Options(), [4, 12, 40, 148, 368, 592], id="five players"),
        pytest.param(
            2, Options(3, target=20), [2, 2, 4, 12, 20, 28, 36], id="two players, hands of three, over several rounds"
        ),
    ],
)
def test_node_counts_by_depth(players: int, options: Options, counts: list[int]) -> None:
    """D-5 to D-14: depth 1 first; a change of any count is a change of the rules."""
    _, state = started(SEED, players, options)
    assert [perft(state, depth) for depth in range(1, len(counts) + 1)] == counts
