"""What pairing, standings and formats speak of. Pure.

Points are whole numbers of units, 24 to a point: half points, and points shared by two, three or four, are exact.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, NewType, TypeAlias

from shared.match.clocks import TimeControl

# An entrant, in the order of registration, from 0.
Number = NewType("Number", int)
Units: TypeAlias = int
POINT: Units = 24


class System(Enum):
    """How rounds are made."""

    # Equal scores meet. For two at a table, and for three or four.
    SWISS = "swiss"
    # The same by the rules of FIDE's Dutch system, for two.
    DUTCH = "dutch"
    # Everybody meets everybody, so many times (`legs`): a league.
    ROUND_ROBIN = "round_robin"
    SINGLE_ELIMINATION = "single_elimination"
    DOUBLE_ELIMINATION = "double_elimination"
    # Round robin in groups, then a bracket of the best.
    GROUPS = "groups"
    # Whoever is free is paired, until the time is over.
    ARENA = "arena"


class TieBreak(Enum):
    """What decides between equal points, in the order that a plan gives."""

    DIRECT_ENCOUNTER = "direct_encounter"
    BUCHHOLZ = "buchholz"
    BUCHHOLZ_CUT_1 = "buchholz_cut_1"
    BUCHHOLZ_CUT_2 = "buchholz_cut_2"
    BUCHHOLZ_MEDIAN = "buchholz_median"
    SONNEBORN_BERGER = "sonneborn_berger"
    PROGRESSIVE = "progressive"
    WINS = "wins"
    SECOND_SEAT = "second_seat"
    OPPONENTS_RATING = "opponents_rating"
    GAME_POINTS = "game_points"
    MARGIN = "margin"


@dataclass(frozen=True, slots=True)
class Scoring:
    """Points for places, the first first; seats that share places share their points.

    With two at a table, `draw` is what both get when they share the first place, if it is not half of all.
    """

    places: tuple[Units, ...] = (POINT, 0)
    draw: Units | None = None
    # For an entrant without a table in a round, through no fault of its own.
    bye: Units = POINT


@dataclass(frozen=True, slots=True)
class Plan:
    """What the organiser lays down. Nothing of it changes after the first round is paired."""

    name: str
    system: System
    game: str
    # The game's options message as it was given, serialised; empty: its defaults.
    options: bytes = b""
    # At a full table.
    seats: int = 2
    # Of a Swiss; the other systems know when they are over.
    rounds: int = 0
    # Of a round robin: how often everybody meets everybody.
    legs: int = 1
    # Of the first stage, and how many of each go on to the bracket.
    groups: int = 0
    advancing: int = 2
    # Of a bracket: the losers of the half-finals play too.
    has_third_place: bool = False
    scoring: Scoring = Scoring()
    tie_breaks: tuple[TieBreak, ...] = ()
    # None: nobody's time is counted.
    control: TimeControl | None = None
    # A seat that nobody has taken after so many seconds is forfeited; 0: matches wait for ever.
    no_show_seconds: int = 0
    # The last round before which entrants may still come; 0: none after the start.
    late_until: int = 0
    needs_check_in: bool = False
    # Computer players of this level join at the start until there are so many entrants; empty: nobody fills up.
    fill_level: str = ""
    fill_to: int = 0
    # Of an arena: how long it goes on, and whether wins in a row count more.
    arena_seconds: int = 0
    has_streaks: bool = False


class Kind(Enum):
    """How an entrant came to its points of a round."""

    PLAYED = "played"
    FORFEIT_WIN = "forfeit_win"
    FORFEIT_LOSS = "forfeit_loss"
    # The pairing had no table for it.
    BYE = "bye"
    # It was not there: withdrawn, or not yet registered.
    ABSENT = "absent"
    # Its table was annulled.
    VOID = "void"


class Entry(NamedTuple):
    """What one entrant did in one round."""

    round: int
    kind: Kind
    points: Units
    # The others at its table in the order of their seats, and their places; none for BYE and ABSENT.
    opponents: tuple[Number, ...] = ()
    opponent_places: tuple[int, ...] = ()
    # 0 for the first seat, and 0 for the first place, which may be shared. -1 where there was no table.
    seat: int = -1
    place: int = -1
    # What the game counts (more is better), and by how much that is ahead of the best of the others, or behind.
    game_points: int = 0
    margin: int = 0


class Player(NamedTuple):
    """An entrant and all that it has done. Numbers are places in the sequence of all players."""

    number: Number
    name: str
    rating: int
    # The order at the start: 1 for the first. By rating, and where that is equal by lot.
    seed: int
    # One for each round that was paired, the first round first.
    entries: tuple[Entry, ...] = ()
    # Whether it is to be paired.
    is_active: bool = True

    @property
    def points(self) -> Units:
        return sum([entry.points for entry in self.entries])


class Table(NamedTuple):
    """A table of a round: who sits there, the first seat first, and how it ended (None: not yet, or annulled).

    `places` has entrants, the winners first; those who share a place are together.
    """

    seats: tuple[Number, ...]
    places: tuple[tuple[Number, ...], ...] | None = None
    # Such as `final` or `group B`; empty in a Swiss.
    label: str = ""


class Round(NamedTuple):
    """A round as it was paired, with the results so far."""

    number: int
    tables: tuple[Table, ...]
    byes: tuple[Number, ...] = ()


class OddSet(NamedTuple):
    """An odd number of entrants: one of them at least meets somebody outside, which costs its weight at least."""

    members: tuple[Number, ...]
    weight: int
    # All who have at least this score, with `members` as the exceptions; None: the members alone.
    above: Units | None = None


class Proof(NamedTuple):
    """Dual values of a matching: no pairing can cost less than their sum (pairing/check.py says how they are counted).

    Where the bye is a partner, it stands as an entrant with the number -1.
    """

    # Entrants whose value is not 0.
    potentials: tuple[tuple[Number, int], ...] = ()
    # By score: all with at least this score are an odd set of this weight.
    lines: tuple[tuple[Units, int], ...] = ()
    odd_sets: tuple[OddSet, ...] = ()
    # All values are multiples of 1 / scale.
    scale: int = 1


class Certificate(NamedTuple):
    """Why a round was paired so: what was minimised, the most important first, what came out, and what is the least.

    The pairing is proved to be the best by its own criteria if `value` is equal to `bound`.
    """

    # Such as `fast`, `tables`, `dutch`, `berger`.
    method: str
    criteria: tuple[str, ...]
    value: tuple[int, ...]
    bound: tuple[int, ...]
    proof: Proof = Proof()


class Draw(NamedTuple):
    """A round as it is to be played: tables in order, the first seat first, and who has none."""

    tables: tuple[Table, ...]
    byes: tuple[Number, ...]
    certificate: Certificate
