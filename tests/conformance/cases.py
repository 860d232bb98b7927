"""Every registered game, with every number of seats and several options."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

import pytest

from services.domino.rules.model import Options as DominoOptions
from services.kingdomino.rules.model import Options as KingdominoOptions
from services.registry import NAMES, load
from shared.game import AnyGame
from shared.kernel import Seat
from tests.conformance.recording import Recorder, play_on

# Options other than the defaults that are worth playing with; those that do not suit a number of seats are left out.
OTHER_OPTIONS: dict[str, tuple[Any, ...]] = {
    "domino": (DominoOptions(hand_size=2), DominoOptions(hand_size=7), DominoOptions(target=30)),
    "kingdomino": (
        KingdominoOptions(dynasty=True, middle_kingdom=True, harmony=True),
        KingdominoOptions(middle_kingdom=True, mighty_duel=True),
    ),
}

# Games in which nobody stands above who has more points, and the rules that say so. Equals in points may be parted.
BY_POINTS = {
    # An empty hand has no pips, and nobody can have fewer.
    "domino": "D-12 to D-14",
    # Equal points are parted by the largest property and by crowns.
    "kingdomino": "K-17, K-18",
}

# Of a game with thousands of commands, so many at most, from all parts of its matches.
MOST_SEEN = 150

SEED = b"conformance".ljust(32, b".")


@dataclass(frozen=True, eq=False)
class Case:
    """A game as it is played in one test."""

    game: AnyGame
    options: Any
    seats: int

    def __repr__(self) -> str:
        return f"{self.game.name} with {self.seats} seats and {self.options}"

    @property
    def open_seats(self) -> tuple[str, ...]:
        """No computer players."""
        return ("",) * self.seats

    @property
    def numbers(self) -> tuple[Seat, ...]:
        return tuple(map(Seat, range(self.seats)))


def _cases() -> list[Case]:
    return [
        Case(game, options, seats)
        for name in NAMES
        for game in (load(name),)
        for seats in game.seat_counts
        for options in (game.default_options, *OTHER_OPTIONS.get(name, ()))
        if game.check_options(options, seats) is None
    ]


CASES = _cases()


def every(cases: Iterable[Case]) -> pytest.MarkDecorator:
    """A test for each of these cases."""
    return pytest.mark.parametrize("case", [pytest.param(case, id=str(case)) for case in cases])


every_case = every(CASES)
every_case_with_points = every([case for case in CASES if case.game.points is not None])
every_case_by_points = every([case for case in CASES if case.game.name in BY_POINTS])
every_game = pytest.mark.parametrize("game", [pytest.param(load(name), id=name) for name in NAMES])


@cache
def commands_seen(case: Case) -> tuple[Any, ...]:
    """Commands that were legal for some seat in some position of two matches: most of them are illegal elsewhere."""
    found: dict[str, Any] = {}
    for seed in (b"one", b"two"):
        recorder = Recorder(case.game, case.options, case.open_seats, seed)
        for _ in play_on(recorder, (0, 1, 2, 3), 100):
            for command in chain(*map(recorder.legal, recorder.acting())):
                found.setdefault(case.game.notation.format_command(command), command)
    step = 1 + len(found) // MOST_SEEN
    return tuple(found.values())[::step]
