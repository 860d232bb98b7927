"""Tournaments in which anything may happen at any time, by a seed: commands that make sense, and some that do not."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import rounds
from services.tournament.model import Number, Plan, System
from services.tournament.pairing.pool import pair_of
from shared.kernel import Refusal
from shared.match.model import Status
from tests.tournament.core.recording import ARBITER, SECOND, Places, Recorder, ahead, person

# In how many steps a tournament of these tests must have come to its end.
_MOST = 600


def wander(wanted: Plan, people: int, seed: int, seen: Callable[[Recorder], None] | None = None) -> Recorder:
    """A tournament from its creation to its end; `seen` looks at it after every command."""
    walk = Walk(Recorder(wanted), random.Random(seed))
    walk.recorder.do("register", [person(f"p{number}", walk.chance.choice((0, 1500))) for number in range(people)])
    for _ in range(_MOST):
        if walk.recorder.is_over:
            return walk.recorder
        walk.step()
        if seen is not None:
            seen(walk.recorder)
    raise AssertionError(f"no end: {walk.recorder.names()}")


class Walk:
    """Somebody who tries this and that, and gets on with the tournament in between."""

    def __init__(self, recorder: Recorder, chance: random.Random) -> None:
        self.recorder = recorder
        self.chance = chance

    def step(self) -> None:
        """One command."""
        is_early = self.recorder.tournament.status is Status.WAITING
        if self.chance.random() < (0.8 if is_early else 0.3):
            self._try()
        else:
            self._get_on()

    def _get_on(self) -> None:
        """What the platform would do next."""
        recorder = self.recorder
        state = recorder.tournament
        if state.status is Status.WAITING:
            self._attempt("start")
        elif state.is_paused:
            recorder.do("resume")
        elif rounds.is_due(state) and rounds.is_over(state):
            recorder.finish()
        elif rounds.is_due(state):
            recorder.pair()
        else:
            self._play_on()

    def _play_on(self) -> None:
        recorder, state = self.recorder, self.recorder.tournament
        going = [
            (pairing.number, table)
            for pairing in state.rounds
            for table, board in sorted(pairing.boards.items())
            if board.outcome is None
        ]
        if not going:
            # Of an arena, nobody is free and nobody plays: its time must go by.
            recorder.now += 600 * SECOND
            self._attempt("expire")
            return
        number, table = self.chance.choice(going)
        if recorder.board(table, number).is_waiting and self.chance.random() < 0.8:
            recorder.do("start_matches", recorder.started(number, table))
        else:
            self._record(number, table)

    def _record(self, number: int, table: int) -> None:
        seats = len(self.recorder.board(table, number).seats)
        absent = [seat for seat in range(seats) if self.chance.random() < 0.05]
        there = [seat for seat in range(seats) if seat not in absent]
        places = [*self._places(there), *([absent] if absent else [])]
        points = [self.chance.randrange(100) for _ in range(seats)] if self.chance.random() < 0.5 else []
        self.recorder.record(table, places, number, no_shows=absent, points=points)

    def _places(self, seats: list[int]) -> Places:
        order = self.chance.sample(seats, len(seats))
        places: list[list[int]] = []
        for seat in order:
            if places and self.chance.random() < 0.15:
                places[-1].append(seat)
            else:
                places.append([seat])
        return places

    def _try(self) -> None:
        """What somebody might want, whether it can be or not."""
        name, *args = self.chance.choice(list(self._wishes()))
        self._attempt(name, *args)

    def _attempt(self, command: str, *args: Any) -> None:
        before = self.recorder.tournament
        answer = self.recorder.answer(command, *args)
        if isinstance(answer, Refusal):
            assert self.recorder.tournament is before
        else:
            self.recorder.take(answer)

    def _wishes(self) -> Iterator[tuple[Any, ...]]:
        state, chance = self.recorder.tournament, self.chance
        one, other = chance.randrange(len(state.entrants) + 1), chance.randrange(len(state.entrants) + 1)
        yield "register", [person(f"late{state.version}", 1400, b"%d" % state.version)]
        yield from (("check_in", one), ("withdraw", one), ("come_back", one), ("come_back", other))
        yield from (("pause",), ("resume",), ("expire",))
        if one != other:
            pair = frozenset({pair_of(Number(one), Number(other))})
            none: frozenset[Any] = frozenset()
            yield "lay_down_pairs", *chance.choice(((pair, none), (none, pair), (none, none)))
        yield "rule", self._ruling(one, other), ARBITER, "It was seen."
        yield "rule", self._ruling(one, other), ARBITER, "It was seen again."
        yield "undo", chance.randrange(1, state.ruling_count + 2), ARBITER, "It was not."

    def _ruling(self, one: int, other: int) -> pb.Ruling:
        state, chance = self.recorder.tournament, self.chance
        number = chance.randrange(1, len(state.rounds) + 1) if state.rounds else 1
        boards = state.rounds[number - 1].boards if state.rounds else {}
        about = {"round": number, "table": chance.randrange(len(boards) or 1)}
        seats = len(boards[about["table"]].seats) if boards else 2
        places = ahead(*self._places(list(range(seats))))
        return chance.choice(
            [
                pb.Ruling(override=pb.Override(**about, places=places)),
                pb.Ruling(forfeit=pb.Forfeit(**about, seats=[chance.randrange(seats)])),
                pb.Ruling(double_loss=pb.DoubleLoss(**about)),
                pb.Ruling(annulment=pb.Annulment(**about)),
                pb.Ruling(swap=pb.Swap(one=one, other=other)),
            ]
        )


SYSTEMS: dict[str, tuple[System, dict[str, Any], int]] = {
    "a Swiss": (System.SWISS, {"rounds": 4, "late_until": 3}, 9),
    "a Swiss of three": (System.SWISS, {"seats": 3, "rounds": 3, "late_until": 2}, 8),
    "a Swiss of four": (System.SWISS, {"seats": 4, "rounds": 3}, 10),
    "the Dutch system": (System.DUTCH, {"rounds": 4, "late_until": 2}, 8),
    "a round robin": (System.ROUND_ROBIN, {}, 5),
    "a round robin of three": (System.ROUND_ROBIN, {"seats": 3}, 7),
    "a single elimination": (System.SINGLE_ELIMINATION, {"has_third_place": True}, 7),
    "a single elimination of four": (System.SINGLE_ELIMINATION, {"seats": 4, "advancing": 2}, 11),
    "a double elimination": (System.DOUBLE_ELIMINATION, {}, 6),
    "groups": (System.GROUPS, {"groups": 2}, 8),
    "groups of three": (System.GROUPS, {"groups": 2, "seats": 3}, 9),
    "an arena": (System.ARENA, {"arena_seconds": 40, "late_until": 10}, 6),
    "an arena of three with streaks": (System.ARENA, {"arena_seconds": 30, "seats": 3, "has_streaks": True}, 8),
}
