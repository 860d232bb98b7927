"""The computer player `search`: it tries its commands in worlds that may be the real one.

An iteration takes one of the worlds that a view leaves open, and for each command that the seat may choose it plays
the round out by the real rules. All commands meet the same world, and in it seats lay what fits by the same order of
the tiles, drawn by lot: so luck does not tell commands apart. The command with the best sum of values is chosen; the
first of several, in their fixed order.

An iteration depends on its number and on nothing before it: a search that was cut short is a short search.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from services.domino.rules import rules
from services.domino.rules.commands import Command
from services.domino.rules.heuristic import legal
from services.domino.rules.model import TILES, State
from services.domino.rules.scoring import outcome
from services.domino.rules.view import View
from services.domino.rules.worlds import Worlds, state_in
from shared.kernel import Chance, Refusal, Seat

T = TypeVar("T")

# Bits of a lot for each tile.
_BITS = 5


class _Unshuffled(Chance):
    """For the deal of a round that nobody looks at."""

    __slots__ = ()

    def shuffled(self, purpose: str, items: Sequence[T]) -> tuple[T, ...]:  # noqa: ARG002 - as in Chance
        """The items as they are."""
        return tuple(items)


_NEXT_DEAL = _Unshuffled(b"")


def search(view: View, chance: Chance, numbers: Iterator[int]) -> Command:
    """The command that did best in as many iterations as there are numbers."""
    commands = legal(view)
    if len(commands) == 1:
        return commands[0]
    worlds = Worlds(view)
    totals = [0] * len(commands)
    for number in numbers:
        # 32 bytes are enough for both: a rank is below 28!, and an order takes 140 bits.
        lot, rank = divmod(int.from_bytes(chance.derive(f"domino/search/{number}"), "big"), worlds.count)
        values = _values(state_in(view, worlds.shuffle(rank)), commands, _order(lot))
        totals = [total + value for total, value in zip(totals, values, strict=True)]
    return commands[totals.index(max(totals))]


def _order(lot: int) -> tuple[int, ...]:
    """The rank of each tile in an order by lot."""
    return tuple([lot >> tile * _BITS & (1 << _BITS) - 1 for tile in TILES])


def _values(state: State, commands: tuple[Command, ...], order: tuple[int, ...]) -> list[int]:
    """What each command is worth in a world."""
    return [_value(_played_out(_after(state, command), state.round, order), state.turn) for command in commands]


def _played_out(state: State, number: int, order: tuple[int, ...]) -> State:
    """The state after the round of this number, in which everybody lays what comes last in the order."""
    while state.round == number and not state.is_over:
        commands = rules.playable(state.hands[state.turn], state.left, state.right)
        state = _after(state, max(commands, key=lambda command: order[command.tile]))
    return state


def _after(state: State, command: Command) -> State:
    advanced = rules.advance(state, state.turn, command, _NEXT_DEAL)
    assert not isinstance(advanced, Refusal)
    return advanced[0]


def _value(state: State, seat: Seat) -> int:
    """How a round has served a seat.

    After the end of a match, it is the number of seats behind less the number of those ahead. Before it, a lead is
    that part of a place that it is of the target; both are counted in points, so that all values are whole numbers.
    """
    target = state.options.target or 1
    places = outcome(state)
    if places is None:
        return sum([state.scores[seat] - score for score in state.scores])
    place = next(number for number, seats in enumerate(places) if seat in seats)
    return target * (sum(map(len, places[place + 1 :])) - sum(map(len, places[:place])))
