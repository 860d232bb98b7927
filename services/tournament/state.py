"""The state of a tournament: the fold of its events."""

from typing import NamedTuple

from immutables import Map

from services.tournament.model import Certificate, Number, Plan
from services.tournament.pairing.pool import Pair
from shared.kernel import Places, Seat
from shared.match.model import Status


class Entrant(NamedTuple):
    """Somebody who takes part: a player, or a computer player of a level."""

    name: str
    player_id: str
    ai_level: str
    rating: int
    is_checked_in: bool = False
    is_withdrawn: bool = False


class Outcome(NamedTuple):
    """How a table ended, by its match or by an arbiter. Seats that have lost without a game are last in the places."""

    places: Places
    forfeits: tuple[Seat, ...] = ()
    # What the game counts for each seat; none where it counts nothing, or nothing was played.
    points: tuple[int, ...] = ()
    is_annulled: bool = False


class Board(NamedTuple):
    """A table of a round, and what has become of it."""

    seats: tuple[Number, ...]
    label: str = ""
    # How many matches it had before: a table whose entrants were exchanged gets a new one.
    attempt: int = 0
    # Empty until it is started.
    match_id: str = ""
    recorded: Outcome | None = None
    # Those that stand, the newest last: it is the one that counts.
    rulings: tuple[tuple[int, Outcome], ...] = ()

    @property
    def outcome(self) -> Outcome | None:
        return self.rulings[-1][1] if self.rulings else self.recorded

    @property
    def is_waiting(self) -> bool:
        """Whether it wants a match. Where an arbiter has decided already, none is needed."""
        return not self.match_id and self.outcome is None


class Pairing(NamedTuple):
    """A round as it was paired, and how it stands."""

    number: int
    boards: Map[int, Board]
    byes: tuple[Number, ...]
    certificate: Certificate
    # Tables without a result, and those without a match to come to one.
    open_tables: int
    waiting_tables: int
    # When it was paired, and by which version of the log.
    paired_micros: int
    version: int


class Made(NamedTuple):
    """A ruling that stands: which table it is about, or which two entrants of a round have changed places."""

    round: int
    table: int = -1
    swapped: Pair | None = None


class Tournament(NamedTuple):
    """A tournament at one version of its log. Waiting is being open for registration."""

    id: str
    plan: Plan
    organiser_id: str
    status: Status
    is_paused: bool
    version: int
    created_micros: int
    time_micros: int
    head: bytes
    # Never shown before the end: the server's seed, and the seed of all lots (empty until the start).
    server_seed: bytes
    seed: bytes
    entrants: Map[Number, Entrant]
    # Entrants by the ids of their players.
    by_player: Map[str, Number]
    # What players have added to the chance of the lots, all together.
    entropy: bytes
    # Since the start: who takes part, the first of the order at the start first; late entries follow.
    order: tuple[Number, ...]
    rounds: tuple[Pairing, ...]
    # By the id of a match, its round and table.
    matches: Map[str, tuple[int, int]]
    # Of tables, all rounds.
    results: int
    rulings: Map[int, Made]
    # How many there have been, undone ones too.
    ruling_count: int
    forbidden: frozenset[Pair]
    forced: frozenset[Pair]
    # Of an arena: when it closes (0: not begun), and whether it has.
    closes_micros: int
    is_closed: bool
    # Once finished: entrants, those of one place together.
    places: tuple[tuple[Number, ...], ...] | None

    @property
    def present(self) -> tuple[Number, ...]:
        """Who takes part and is there."""
        return tuple([number for number in self.order if not self.entrants[number].is_withdrawn])
