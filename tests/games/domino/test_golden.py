"""Golden playthroughs: whole matches of random players, event by event, as stored text.

A difference is a change of the rules, of chance or of the notation. If it is meant, write the files anew with
`python -m tests.games.domino.test_golden` and read what changed.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.domino.rules import heuristic, notation, rules, scoring
from services.domino.rules.model import Options, State
from services.domino.rules.view import view
from shared.kernel import EVERYTHING, Chance, Refusal, Viewer
from tests.games.domino.positions import described, fold, started

GOLDEN = Path(__file__).parent / "golden"
# D-3: two to five players.
SEAT_COUNTS = range(2, 6)

PLAYTHROUGHS = {
    "two_seats": (2, Options()),
    "three_seats": (3, Options()),
    "four_seats": (4, Options()),
    "five_seats": (5, Options()),
    "three_seats_target": (3, Options(hand_size=7, target=60)),
}


def playthrough(name: str) -> str:
    """The whole match as text."""
    players, options = PLAYTHROUGHS[name]
    return "\n".join((headline(players, options), *narrated(name, players, options), ""))


def headline(players: int, options: Options) -> str:
    """What is played."""
    target = "no target" if options.target is None else f"target {options.target}"
    return f"{players} seats, hands of {options.hand_size}, {target}"


def narrated(name: str, players: int, options: Options) -> Iterator[str]:
    """The events of the setup, each command with its events, and how it all ends."""
    dealer = Chance(f"golden/{name}".encode())
    events, state = started(dealer, players, options)
    yield from described(events)
    moves = 0
    while rules.to_act(state):
        told, state = moved(state, Chance(f"golden/{name}/{moves}".encode()), dealer)
        yield from told
        moves += 1
    yield from ("", notation.format_view(view(state, EVERYTHING)), "", f"Places: {scoring.outcome(state)}")


def moved(state: State, mover: Chance, dealer: Chance) -> tuple[list[str], State]:
    """One command of a random player, as text, and the state after it."""
    command = heuristic.random_choice(view(state, Viewer(state.turn)), mover, iter(()))
    events = rules.decide(state, state.turn, command, dealer)
    assert not isinstance(events, Refusal), events
    said = f"> seat {state.turn}: {notation.format_command(command)}"
    return [said, *described(events)], fold(state, events)


def stored(name: str) -> str:
    """The text of the stored file."""
    return (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_match_goes_as_it_always_went(name: str) -> None:
    """D-1 to D-14: the same seed, options and choices give the same match, letter for letter."""
    assert playthrough(name) == stored(name)


@pytest.mark.parametrize("players", SEAT_COUNTS)
def test_every_number_of_seats_has_a_playthrough(players: int) -> None:
    """D-3: no number of players lacks a stored match."""
    headlines = [path.read_text(encoding="utf-8").splitlines()[0] for path in GOLDEN.glob("*.txt")]
    assert headline(players, Options()) in headlines


def test_no_stored_match_is_forgotten() -> None:
    """Every file is compared with a match played today."""
    assert {path.stem for path in GOLDEN.iterdir()} == set(PLAYTHROUGHS)


def rewrite() -> None:
    """Stores the matches as they go today."""
    GOLDEN.mkdir(exist_ok=True)
    for name in PLAYTHROUGHS:
        (GOLDEN / f"{name}.txt").write_text(playthrough(name), encoding="utf-8")


if __name__ == "__main__":
    rewrite()
