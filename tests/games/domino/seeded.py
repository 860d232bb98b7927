"""Positions of matches that a seed has played, with the shuffle that is hidden in each; and rounds played again."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from services.domino.rules import notation, rules
from services.domino.rules.commands import LayTile
from services.domino.rules.model import TILES, Options, State, initial
from services.domino.rules.view import View, view
from services.domino.rules.worlds import Shuffle
from shared.kernel import Chance, Refusal, Viewer
from tests.games.domino.positions import Stacked, fold, started


@dataclass(frozen=True)
class Setting:
    """Matches of one kind."""

    players: int
    options: Options

    def __repr__(self) -> str:
        target = "" if self.options.target is None else f" to {self.options.target} points"
        return f"{self.players} hands of {self.options.hand_size}{target}"


@dataclass(frozen=True)
class Position:
    """Somebody's turn, and the shuffle of the round."""

    state: State
    shuffle: Shuffle

    @property
    def view(self) -> View:
        """What the seat sees whose turn it is."""
        return view(self.state, Viewer(self.state.turn))


SETTINGS = [
    *(Setting(players, Options(hand_size)) for players in range(2, 6) for hand_size in (2, 3, 5)),
    *(Setting(players, Options(len(TILES) // players)) for players in range(2, 5)),
    *(Setting(players, Options(target=60)) for players in range(2, 6)),
    Setting(2, Options(13)),
    Setting(3, Options(2, target=30)),
]
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)


def positions(setting: Setting, seed: int) -> Iterator[Position]:
    """All of a match in which each command is chosen by lot."""
    chance = Chance(f"match {seed}".encode())
    _, state = started(chance, setting.players, setting.options)
    while not state.is_over:
        yield Position(state, chance.shuffled(f"domino/round/{state.round}", TILES))
        commands = rules.playable(state.hands[state.turn], state.left, state.right)
        command = chance.pick(f"round {state.round}, turn {len(state.turns)}", commands)
        advanced = rules.advance(state, state.turn, command, chance)
        assert not isinstance(advanced, Refusal)
        state = advanced[0]


def replayed(seen: View, shuffle: Shuffle) -> State | None:
    """The round of a view as this shuffle deals it, each tile laid as it was seen; None where the rules forbid it.

    A round after the first is started by whoever did, with any tile: what came before it is not in a view.
    """
    chance = Stacked(*map(notation.format_tile, shuffle))
    starter = seen.turns[0].seat if seen.turns else seen.turn
    before = initial(seen.options, len(seen.hands))._replace(round=seen.round - 1, scores=seen.scores)
    if seen.round > 1 and starter is not None:
        before = before._replace(winners=(starter,))
    state = fold(before, rules.start(before, chance))
    for turn in seen.turns[len(state.turns) :]:
        if turn.tile is None or turn.end is None:
            continue
        advanced = rules.advance(state, turn.seat, LayTile(turn.tile, turn.end), chance)
        if isinstance(advanced, Refusal):
            return None
        state = advanced[0]
    return state
