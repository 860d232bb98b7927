"""Computer players of Kingdomino against each other, over seeded decks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from services.kingdomino.game import GAME
from services.kingdomino.rules import rules, scoring
from services.kingdomino.rules.model import Options, Phase, State
from services.kingdomino.rules.scoring import match_tallies
from services.kingdomino.rules.view import view
from shared.kernel import Chance, Refusal, Viewer
from tests.games.kingdomino.positions import STANDARD, started


@dataclass(frozen=True)
class Player:
    """A level, and how often it searches."""

    level: str
    iterations: int = 0


@dataclass(frozen=True)
class Contest:
    """One seat plays as one player, all others as another; the same decks from every seat."""

    player: Player
    others: Player
    seats: int
    options: Options = STANDARD


class Figure(NamedTuple):
    """A mean and its standard error."""

    mean: float
    error: float


class Match(NamedTuple):
    """How a match went for the player: its part of the win, and its points less those of the best of the others."""

    won: float
    lead: int


def matches(contest: Contest, decks: Sequence[int]) -> Iterator[tuple[Match, ...]]:
    """For each deck, the matches from every seat."""
    for deck in decks:
        yield tuple(_match(contest, deck, seat) for seat in range(contest.seats))


def _match(contest: Contest, deck: int, seat: int) -> Match:
    players = [contest.player if number == seat else contest.others for number in range(contest.seats)]
    state = played(players, contest.options, Chance(f"deck {deck}".encode()))
    points = [tally.points for tally in match_tallies(state.tallies, contest.seats)]
    first = (scoring.outcome(state) or ((),))[0]
    return Match((seat in first) / len(first), points.pop(seat) - max(points))


def played(players: Sequence[Player], options: Options, chance: Chance) -> State:
    """The state after a match; each turn has chance of its own, as in a match of the platform."""
    _, state = started(chance, len(players), options)
    turn = 0
    while state.phase is not Phase.OVER:
        state = _after_turn(state, players, chance, turn)
        turn += 1
    return state


def _after_turn(state: State, players: Sequence[Player], chance: Chance, turn: int) -> State:
    (seat,) = rules.to_act(state)
    player = players[seat]
    own = Chance(chance.derive(f"turn {turn}"))
    command = GAME.agents[player.level].choose(view(state, Viewer(seat)), own, iter(range(player.iterations)))
    advanced = rules.advance(state, seat, command, chance)
    assert not isinstance(advanced, Refusal), advanced
    return advanced[0]


def figure(values: Sequence[float]) -> Figure:
    """Of independent values."""
    mean = sum(values) / len(values)
    squares = sum((value - mean) ** 2 for value in values)
    return Figure(mean, sqrt(squares / (len(values) - 1) / len(values)))


def of_decks(found: Sequence[Sequence[float]]) -> Figure:
    """Of values a deck: those of one deck are not independent, so that its mean counts once."""
    return figure([sum(values) / len(values) for values in found])
