"""Moves of computer players are computed again from the log alone, and whatever is not theirs is found."""

from dataclasses import replace
from typing import Any

import pytest

from services import registry
from shared.game import AnyGame
from shared.kernel import Chance, Refusal, Seat, Viewer
from shared.match.agents import agent_seed
from shared.rerun import Rerun, count, rerun
from shared.verify import Wrong
from tests.conformance.recording import Recorder

GAMES = [registry.load(name) for name in registry.NAMES]
DOMINO = registry.load("domino")
# A move takes no longer for having been searched for seriously.
FEW_ITERATIONS = 20


class AgentsRecorder(Recorder):
    """A match in which computer players move as they do, or otherwise."""

    def choice(self, seat: Seat) -> Any:
        """What the computer player of a seat does."""
        view = self.game.view(self.match.state, Viewer(seat))
        agent = self.game.agents[self.match.seats[seat].ai_level]
        return agent.choose(view, Chance(agent_seed(self.match, seat)), iter(range(self.iterations(seat))))

    def iterations(self, seat: Seat) -> int:
        """How often it searches."""
        return min(self.game.agents[self.match.seats[seat].ai_level].iterations, FEW_ITERATIONS)

    def move(self) -> Seat:
        """The next of them moves as it does; says who it was."""
        (seat, *_) = self.acting()
        self.submit(seat, self.choice(seat), self.iterations(seat))
        return seat

    def again(self, game: AnyGame | None = None) -> list[Rerun]:
        """All moves, computed again by the game as it is, or by another."""
        return list(rerun(game or self.game, self.wire, self.envelopes))


def recorder(game: AnyGame, *levels: str, seed: bytes = b"seed") -> AgentsRecorder:
    """A match of these computer players, before the first move."""
    return AgentsRecorder(game, game.default_options, levels, seed)


def with_a_choice(level: str) -> AgentsRecorder:
    """A match of Domino whose next computer player, of this level, has more than one move."""
    made = recorder(DOMINO, level, level)
    while len(made.legal(made.acting()[0])) < 2:
        made.move()
    return made


@pytest.mark.parametrize("game", GAMES, ids=registry.NAMES)
@pytest.mark.parametrize("seed", [b"one", b"two"])
def test_every_move_of_every_level_comes_out_again(game: AnyGame, seed: bytes) -> None:
    """Of each player as many as it has made, at the versions at which they are in the log."""
    levels = (*game.agents, *game.agents)[: game.seat_counts[-1]]
    made = recorder(game, *levels, seed=seed)
    moved = []
    while made.is_playing:
        at = made.match.version + 1
        seat = made.move()
        moved.append(Rerun(at, seat, levels[seat], game.agents[levels[seat]].version, is_computed=True))
    assert made.again() == moved
    assert count(made.envelopes) == len(moved) > 0


def test_a_move_may_be_said_in_several_ways() -> None:
    """K-6: where a king has one domino to go to, it is all the same whether it is named."""
    game = registry.load("kingdomino")
    made = recorder(game, "greedy", "greedy")
    named = 0
    while made.is_playing:
        seat, before = made.acting()[0], made.match
        chosen = made.choice(seat)
        decided = game.decide(before.state, seat, chosen, Chance(before.seed))
        assert not isinstance(decided, Refusal)
        read = game.cause(iter(decided))
        named += read != chosen
        made.submit(seat, read)
    assert named > 0
    assert all(one.is_computed for one in made.again())


def test_moves_of_people_are_nobodys_to_compute() -> None:
    """A person's moves are passed over."""
    made = recorder(DOMINO, "", "greedy")
    seats = set()
    while made.is_playing:
        (seat,) = made.acting()
        if seat == 0:
            made.submit(seat, made.legal(seat)[0])
        else:
            made.move()
        seats.add(seat)
    assert seats == {0, 1}
    assert {one.seat for one in made.again()} == {1}


def test_a_move_that_the_player_would_not_make_is_found() -> None:
    """It is legal, and everything else is right: where it is, and what the player chooses, is said."""
    made = with_a_choice("greedy")
    (seat,), at = made.acting(), made.match.version + 1
    made.submit(seat, next(command for command in made.legal(seat) if command != made.choice(seat)))
    with pytest.raises(Wrong, match=r"the computer player greedy chooses another move here: \d-\d \w+") as wrong:
        made.again()
    assert wrong.value.version == at


def test_a_player_that_has_searched_too_often_is_found() -> None:
    """Whoever writes a note can't make the player better than it is."""
    made = recorder(DOMINO, "greedy", "greedy")
    made.move()
    (seat,), at = made.acting(), made.match.version + 1
    made.submit(seat, made.choice(seat), iterations=DOMINO.agents["greedy"].iterations + 1)
    with pytest.raises(Wrong, match="the computer player greedy never searches 1 times") as wrong:
        made.again()
    assert wrong.value.version == at


def test_a_player_of_another_version_is_not_computed() -> None:
    """Neither one that has changed since, nor one that is gone: it is counted, but nothing is said of its moves."""
    made = recorder(DOMINO, "greedy", "random")
    for _ in range(4):
        made.move()
    newer = replace(DOMINO.agents["greedy"], version=DOMINO.agents["greedy"].version + 1)
    changed = replace(DOMINO, agents={"greedy": newer, "random": DOMINO.agents["random"]})
    gone = replace(DOMINO, agents={"random": DOMINO.agents["random"]})
    for game in (changed, gone):
        assert {(one.level, one.is_computed) for one in made.again(game)} == {("greedy", False), ("random", True)}


def test_a_log_that_does_not_hold_is_not_computed() -> None:
    """What the verifier finds wrong is found here too, before anything is computed from it."""
    made = recorder(DOMINO, "greedy", "greedy")
    made.move()
    made.envelopes[-1] = made.envelopes[-1]._replace(time_micros=1)
    with pytest.raises(Wrong, match="time_micros"):
        made.again()
