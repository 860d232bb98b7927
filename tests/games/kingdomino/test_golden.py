"""Golden playthroughs: whole matches of random players, event by event, as stored text.

A difference is a change of the rules, of chance or of the notation. If it is meant, write the files anew with
`python -m tests.games.kingdomino.test_golden` and read what changed.
"""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from services.kingdomino.rules import notation, rules, scoring
from services.kingdomino.rules.heuristic import legal
from services.kingdomino.rules.model import Options, State
from services.kingdomino.rules.view import view
from shared.kernel import EVERYTHING, Chance, Viewer
from tests.games.kingdomino.positions import decided, described, fold, started

GOLDEN = Path(__file__).parent / "golden"
# K-2: two to four players.
SEAT_COUNTS = range(2, 5)

PLAYTHROUGHS = {
    "two_seats": (2, Options()),
    "three_seats": (3, Options()),
    "four_seats": (4, Options()),
    "two_seats_duel": (2, Options(middle_kingdom=True, harmony=True, mighty_duel=True)),
    "three_seats_dynasty": (3, Options(dynasty=True, middle_kingdom=True, harmony=True)),
}


def playthrough(name: str) -> str:
    """The whole match as text."""
    players, options = PLAYTHROUGHS[name]
    return "\n".join((headline(players, options), *narrated(name, players, options), ""))


def headline(players: int, options: Options) -> str:
    """What is played."""
    variants = [name for name, chosen in asdict(options).items() if chosen]
    return ", ".join((f"{players} seats", *(variants or ["no variant"])))


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
    """One command, any of those that are legal, as text, and the state after it: half a turn or a whole one (K-8)."""
    (seat,) = rules.to_act(state)
    command = mover.pick("golden", legal(view(state, Viewer(seat))))
    events = decided(state, command, dealer)
    return [f"> seat {seat}: {notation.format_command(command)}", *described(events)], fold(state, events)


def stored(name: str) -> str:
    """The text of the stored file."""
    return (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_match_goes_as_it_always_went(name: str) -> None:
    """K-1 to K-21: the same seed, options and choices give the same match, letter for letter."""
    assert playthrough(name) == stored(name)


@pytest.mark.parametrize("players", SEAT_COUNTS)
def test_every_number_of_seats_has_a_playthrough(players: int) -> None:
    """K-2: no number of players lacks a stored match without variants."""
    headlines = [path.read_text(encoding="utf-8").splitlines()[0] for path in GOLDEN.glob("*.txt")]
    assert headline(players, Options()) in headlines


def test_every_variant_is_played_in_some_playthrough() -> None:
    """K-18 to K-21: none of them is missing from the stored matches."""
    played = {name for _, options in PLAYTHROUGHS.values() for name, chosen in asdict(options).items() if chosen}
    assert played == set(asdict(Options()))


@pytest.mark.parametrize("words", [" discards ", " then ", "> seat 0: choose ", "Game 3:", "Places: "])
def test_everything_that_can_be_done_is_done_in_some_playthrough(words: str) -> None:
    """K-8, K-15, K-18: turns by halves and whole ones, discards, three games, an end."""
    assert any(words in stored(name) for name in PLAYTHROUGHS)


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
