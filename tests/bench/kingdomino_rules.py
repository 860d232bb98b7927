"""`kingdomino-rules`: whole random games by Kingdomino's rules, against the same rules written plainly, in CPU time.

Both shuffle, deal, and play to the count of the kingdoms. An action is one decision: a domino placed, discarded or
chosen. Before each of them both work out all that is legal, and of that each is as likely as any other. Ours plays it
by `rules.advance`, which checks and decides as `decide` does and gives the state too; a service that folds the events
once more, by `evolve`, takes over a third longer. Our shuffle is the one that players can check, from the seed of the
match; the plain one is Python's own.

What limits ours: no one thing. A third of the time goes into new states (`evolve`, most of it the kingdom with one
domino more and its properties), a sixth into placements, an eighth into checking the command; the rest is calls, small
tuples and the random choices themselves.
"""

import random
import time
from collections.abc import Callable

from services.kingdomino.rules import model, rules
from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from shared.kernel import Chance, Refusal
from tests.bench import kingdomino_naive as naive
from tests.bench.report import Result
from tests.bench.rounds import in_turns, median

NAME = "kingdomino-rules"
_BAR = 10.0
_AGAINST = "naive Python (objects, full scan)"
_STANDARD, _DUEL = model.Options(), model.Options(mighty_duel=True)
_GAMES_AT_ONCE = 5


def run(is_quick: bool) -> list[Result]:
    """Games a second of CPU time, with two and with four players."""
    seconds, rounds = (0.3, 3) if is_quick else (0.8, 7)
    chance = random.Random(1)
    duel = median([_rate(lambda: _our_game(2, _DUEL, chance), seconds)[0] for _ in range(rounds)])
    return [
        _compared(2, chance, seconds, rounds, {"duel_per_second": duel}),
        _compared(4, chance, seconds, rounds, {}),
    ]


def _compared(players: int, chance: random.Random, seconds: float, rounds: int, extra: dict[str, object]) -> Result:
    ours, theirs = in_turns(
        lambda: _rate(lambda: _our_game(players, _STANDARD, chance), seconds),
        lambda: _rate(lambda: _their_game(players, chance), seconds),
        rounds,
    )
    value, baseline = median(games for games, _ in ours), median(games for games, _ in theirs)
    decisions = median(decisions for _, decisions in ours)
    return Result(
        f"{NAME}-{players}p",
        value,
        "games/s",
        baseline,
        value / baseline,
        _BAR,
        _AGAINST,
        {"decisions_per_second": decisions, **extra},
    )


def _rate(play: Callable[[], int], seconds: float) -> tuple[float, float]:
    """Games and decisions a second of CPU time, over at least this much of it."""
    games, decisions, started = 0, 0, time.process_time()
    while (spent := time.process_time() - started) < seconds:
        decisions += sum(play() for _ in range(_GAMES_AT_ONCE))
        games += _GAMES_AT_ONCE
    return games / spent, decisions / spent


def _our_game(players: int, options: model.Options, chance: random.Random) -> int:
    """One game, from the shuffle to the count; answers the number of decisions."""
    of_match = Chance(chance.randbytes(32))
    state = model.initial(options, players)
    for event in rules.start(state, of_match):
        state = rules.evolve(state, event)
    decisions = 0
    while state.phase is not model.Phase.OVER:
        decided = rules.advance(state, state.kings[state.at], _random_command(state, chance), of_match)
        if isinstance(decided, Refusal):
            raise RuntimeError(f"a legal command was refused: {decided.message}")
        state, _ = decided
        decisions += 1
    return decisions


def _random_command(state: model.State, chance: random.Random) -> Command:
    if state.phase is model.Phase.CHOOSE:
        return ChooseDomino(chance.choice(rules.free_dominoes(state.next_line, state.next_kings)))
    number = state.line[state.at]
    placements = rules.placements(state.kingdoms[state.kings[state.at]], number)
    return PlaceDomino(number, chance.choice(placements)) if placements else DiscardDomino(number)


def _their_game(players: int, chance: random.Random) -> int:
    game = naive.dealt(players, naive.Variant(), chance)
    decisions = naive.play(game, chance)
    game.tallies()
    return decisions
