"""What a tournament should be like, from the words of the command line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import cycle, islice
from typing import TypeVar

from meydan.tournament.v1 import tournament_pb2 as pb
from services.cli import lookup, wishes
from services.cli.failures import Wrong
from services.tournament.model import POINT, System, TieBreak
from shared.game import AnyGame
from shared.match import terms

E = TypeVar("E", bound=Enum)


@dataclass(frozen=True, slots=True)
class PlanWish:
    """What the command line asks for; texts are as they were typed."""

    name: str
    game: str
    system: str = "swiss"
    seats: int = 2
    rounds: int = 0
    legs: int = 0
    groups: int = 0
    advancing: int = 0
    has_third_place: bool = False
    # Of places, of a draw, of a bye.
    points: str | None = None
    draw: str | None = None
    bye: str | None = None
    tie_breaks: Sequence[str] = ()
    clock: str | None = None
    options: Sequence[str] = ()
    no_show_seconds: int = 0
    late_until: int = 0
    needs_check_in: bool = False
    levels: Sequence[str] = ()
    fill_to: int = 0
    arena_seconds: int = 0
    has_streaks: bool = False


def plan(wish: PlanWish) -> pb.Plan:
    """The same as a message. Whether it can be played, the service says."""
    game = lookup.game_named(wish.game)
    made = pb.Plan(
        name=wish.name,
        system=pb.System.Value(f"SYSTEM_{_system(wish.system).name}"),
        game=game.name,
        seats=wish.seats,
        rounds=wish.rounds,
        legs=wish.legs,
        groups=wish.groups,
        advancing=wish.advancing,
        has_third_place=wish.has_third_place,
        tie_breaks=[pb.TieBreak.Value(f"TIE_BREAK_{_tie_break(word).name}") for word in wish.tie_breaks],
        no_show_seconds=wish.no_show_seconds,
        late_until=wish.late_until,
        needs_check_in=wish.needs_check_in,
        fill_level=levels(game, wish.levels)[0] if wish.fill_to else "",
        fill_to=wish.fill_to,
        arena_seconds=wish.arena_seconds,
        has_streaks=wish.has_streaks,
    )
    _lay_down(game, wish, made)
    return made


def _lay_down(game: AnyGame, wish: PlanWish, made: pb.Plan) -> None:
    """What is left out where nothing is said of it."""
    options = wishes.options(game, wish.options)
    if options is not None:
        made.options.Pack(options)
    if wish.clock is not None:
        made.clock.CopyFrom(terms.clock_message(wishes.time_control(wish.clock)))
    if wish.points is None and wish.draw is None and wish.bye is None:
        return
    places = [_units(word) for word in ("1" if wish.points is None else wish.points).split(",")]
    # A bye is worth as much as a win, unless something else is said.
    made.scoring.CopyFrom(pb.Scoring(places=places, bye=places[0] if wish.bye is None else _units(wish.bye)))
    if wish.draw is not None:
        made.scoring.draw = _units(wish.draw)


def _system(word: str) -> System:
    return _named(System, word, "system")


def _tie_break(word: str) -> TieBreak:
    return _named(TieBreak, word, "tie-break")


def _named(kind: type[E], word: str, noun: str) -> E:
    known = {str(one.value): one for one in kind}
    found = known.get(word.strip().lower().replace("-", "_"))
    if found is None:
        raise Wrong(f"There is no {noun} {word!r}; there are {', '.join(known)}.")
    return found


def _units(word: str) -> int:
    """`1`, `0.5` and `1/2` points, in the units that they are counted in."""
    try:
        units = Fraction(word.strip()) * POINT
    except (ValueError, ZeroDivisionError):
        units = Fraction(-1)
    if units < 0 or units.denominator != 1:
        raise Wrong(f"Points are numbers such as 3, 0.5 or 1/3, to a {POINT}th of a point, not {word!r}.")
    return int(units)


def levels(game: AnyGame, words: Sequence[str]) -> tuple[str, ...]:
    """Levels of computer players; greedy, or else the first there is, if none is named."""
    for word in words:
        if word not in game.agents:
            raise Wrong(f"The computer players of {game.title} are {', '.join(game.agents)}, not {word!r}.")
    return tuple(words) or (wishes.usual_opponent(game),)


def computer_players(kinds: Sequence[str], first: int, count: int) -> Iterable[pb.Entrant]:
    """So many, of these levels in turn; named by level and number."""
    for number, level in enumerate(islice(cycle(kinds), count), first):
        yield pb.Entrant(name=f"{level} {number}", ai_level=level)
