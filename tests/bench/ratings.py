"""`ratings`: the projection of ratings, against openskill called bare, in CPU time on one core.

Both rate the same matches of two and four in their order. Bare: the package's own objects in a dictionary. Ours rounds,
counts, and knows what it has counted before; it makes an object for each player once, as the bare loop does.
"""

import random
import time
from collections.abc import Callable

from openskill.models import PlackettLuce

from services.tournament.ratings import Match, rated
from tests.bench.report import Result
from tests.bench.rounds import in_turns, median

NAME = "ratings"
_BAR = 0.8
_PLAYERS = 1_000


def run(is_quick: bool) -> list[Result]:
    """Matches a second."""
    count, rounds = (1_000, 3) if is_quick else (6_000, 7)
    matches = _matches(count, random.Random(5))
    ours, theirs = in_turns(
        lambda: count / _cpu_seconds(lambda: rated(matches)),
        lambda: count / _cpu_seconds(lambda: _bare(matches)),
        rounds,
    )
    value, baseline = median(ours), median(theirs)
    return [Result(NAME, value, "matches/s", baseline, value / baseline, _BAR, "openskill called bare")]


def _cpu_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _bare(matches: list[Match]) -> None:
    model = PlackettLuce()
    table = {f"p{number}": model.rating() for number in range(_PLAYERS)}
    for match in matches:
        who = [player for shared in match.places for player in shared]
        ranks = [float(place) for place, shared in enumerate(match.places) for _ in shared]
        for player, team in zip(who, model.rate([[table[player]] for player in who], ranks=ranks), strict=True):
            table[player] = team[0]


def _matches(count: int, chance: random.Random) -> list[Match]:
    """Half with two seats, half with four; one in ten ends with a shared first place."""
    return [
        Match(f"m{number}", "domino", _places(chance.sample(range(_PLAYERS), chance.choice((2, 4))), chance))
        for number in range(count)
    ]


def _places(who: list[int], chance: random.Random) -> tuple[tuple[str, ...], ...]:
    players = [f"p{one}" for one in who]
    together = 2 if chance.random() < 0.1 else 1
    return (tuple(players[:together]), *[(player,) for player in players[together:]])
