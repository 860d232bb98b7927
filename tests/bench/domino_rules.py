"""`domino-rules`: random games by Domino's rules, against OpenSpiel's python_block_dominoes, in CPU time.

Both deal two hands of seven and play random legal actions to the end; an action is one player's decision. Ours works
out the legal commands and plays one by `rules.advance`, which checks and decides as `decide` does and gives the state
too, draws and passes included (block dominoes has no draws); a service that folds the events once more, by `evolve`,
takes about a quarter longer. OpenSpiel's deal is fourteen chance nodes, sampled uniformly as its rules say.
"""

import random
import time
from collections.abc import Callable

import open_spiel.python.games.block_dominoes  # noqa: F401 - registers the game
import pyspiel

from services.domino.rules import model, rules
from shared.kernel import Chance, Refusal
from tests.bench.report import Result
from tests.bench.rounds import in_turns, median

NAME = "domino-rules"
_OPTIONS = model.Options(hand_size=7)
_GAMES_AT_ONCE = 20


def run(is_quick: bool) -> list[Result]:
    """Actions a second of CPU time."""
    seconds, rounds = (0.3, 3) if is_quick else (0.8, 7)
    chance = random.Random(1)
    block_dominoes = pyspiel.load_game("python_block_dominoes")
    ours, theirs = in_turns(
        lambda: _rate(lambda: _our_game(chance), seconds),
        lambda: _rate(lambda: _their_game(block_dominoes, chance), seconds),
        rounds,
    )
    value, baseline = median(ours), median(theirs)
    return [Result(NAME, value, "actions/s", baseline, value / baseline, 5.0, "OpenSpiel python_block_dominoes")]


def _rate(play: Callable[[], int], seconds: float) -> float:
    """Actions a second of CPU time, over at least this much of it."""
    actions, started = 0, time.process_time()
    while (spent := time.process_time() - started) < seconds:
        actions += sum(play() for _ in range(_GAMES_AT_ONCE))
    return actions / spent


def _our_game(chance: random.Random) -> int:
    """One round, from the shuffle to its end; answers the number of actions."""
    of_match = Chance(chance.randbytes(32))
    state = model.initial(_OPTIONS, 2)
    for event in rules.start(state, of_match):
        state = rules.evolve(state, event)
    actions = 0
    while not state.is_over:
        command = chance.choice(rules.playable(state.hands[state.turn], state.left, state.right))
        decided = rules.advance(state, state.turn, command, of_match)
        if isinstance(decided, Refusal):
            raise RuntimeError(f"a legal command was refused: {decided.message}")
        state, _ = decided
        actions += 1
    return actions


def _their_game(game: pyspiel.Game, chance: random.Random) -> int:
    state = game.new_initial_state()
    actions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            # All outcomes are equally likely.
            state.apply_action(chance.choice(state.chance_outcomes())[0])
        else:
            state.apply_action(chance.choice(state.legal_actions()))
            actions += 1
    return actions
