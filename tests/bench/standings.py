"""`standings-10000`: all tie-breaks of 10,000 players after nine rounds, in CPU time on one core.

The bar is a second. The second row is the slow and plain computation that the tests hold the standings against: it
looks everything up again each time, so that it takes longer for each player the more there are, and is measured with
100 players only; its rate with 10,000 would be far lower still.
"""

import gc
import random
import time
from collections.abc import Callable, Sequence

from services.tournament.model import Entry, Kind, Number, Plan, Player, Scoring, System, TieBreak
from services.tournament.standings import rank
from tests.bench.report import Result
from tests.bench.rounds import in_turns, median
from tests.tournament.standings.fields import game
from tests.tournament.standings.slow import Slow

NAME = "standings-10000"
_MOST_SECONDS = 1.0
_MANY, _FEW = 10_000, 100
_ROUNDS = 9
_SCORING = Scoring()
_PLAN = Plan("Event", System.SWISS, "domino", rounds=_ROUNDS, scoring=_SCORING, tie_breaks=tuple(TieBreak))
# That somebody is away, and that somebody does not turn up.
_AWAY, _FORFEIT = 0.02, 0.01


def run(is_quick: bool) -> list[Result]:
    """Seconds for all (less is better, so the ratio is the other way round), and players a second."""
    many, few = _field(_MANY, random.Random(1)), _field(_FEW, random.Random(2))
    # What was made for the comparison is not to be looked through again and again while it goes on.
    gc.collect()
    gc.freeze()
    ours, slow = in_turns(
        lambda: _cpu_seconds(lambda: rank(_PLAN, many)),
        lambda: _cpu_seconds(lambda: Slow(_PLAN, few).table()),
        1 if is_quick else 5,
    )
    seconds = median(ours)
    rate, slow_rate = _MANY / seconds, _FEW / median(slow)
    return [
        Result(NAME, seconds, "s", _MOST_SECONDS, _MOST_SECONDS / seconds, 1.0, "the bar, not measured"),
        Result(
            f"{NAME}-plain",
            rate,
            "players/s",
            slow_rate,
            rate / slow_rate,
            10.0,
            f"looked up each time, {_FEW} players",
        ),
    ]


def _cpu_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _field(count: int, chance: random.Random) -> list[Player]:
    """Players after all rounds, in which neighbours by score met."""
    players = [Player(Number(one), f"p{one}", chance.randint(1000, 2400), one + 1) for one in range(count)]
    for number in range(1, _ROUNDS + 1):
        done = _round(players, number, chance)
        players = [player._replace(entries=(*player.entries, done[player.number])) for player in players]
    return players


def _round(players: Sequence[Player], number: int, chance: random.Random) -> dict[Number, Entry]:
    away = {player.number: Entry(number, Kind.ABSENT, 0) for player in players if chance.random() < _AWAY}
    there = sorted(
        (player for player in players if player.number not in away), key=lambda one: (-one.points, chance.random())
    )
    done = dict(away)
    for start in range(0, len(there), 2):
        done |= _table(number, tuple([player.number for player in there[start : start + 2]]), chance)
    return done


def _table(number: int, seats: tuple[Number, ...], chance: random.Random) -> dict[Number, Entry]:
    if len(seats) == 1:
        return {seats[0]: Entry(number, Kind.BYE, _SCORING.bye)}
    one, other = seats
    places = chance.choice((((one,), (other,)), ((other,), (one,)), ((one, other),)))
    entries = game(_SCORING, number, seats, places, chance)
    if len(places) == 2 and chance.random() < _FORFEIT:
        kinds = (Kind.FORFEIT_WIN, Kind.FORFEIT_LOSS)
        entries = [entry._replace(kind=kinds[entry.place]) for entry in entries]
    return dict(zip(seats, entries, strict=True))
