"""What a viewer sees of a state. Hidden is the default: a hand or the boneyard is in a view only where it is put in."""

from dataclasses import dataclass
from typing import TypeAlias

from services.domino.rules.model import HALVES, NO_END, SUMS, End, Hand, Options, State, Tile, Turn
from shared.kernel import Seat, Viewer

# A tile of the line as it lies: its left half, its right half.
Lying: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class View:
    """The position as one viewer sees it. None stands for what is hidden."""

    seat: Seat | None
    options: Options
    round: int
    turn: Seat | None
    # From the left end to the right end.
    line: tuple[Lying, ...]
    hand_sizes: tuple[int, ...]
    hands: tuple[Hand | None, ...]
    scores: tuple[int, ...]
    boneyard_size: int
    boneyard: tuple[Tile, ...] | None
    turns: tuple[Turn, ...]
    drawn: int

    @property
    def ends(self) -> tuple[int, int]:
        """The open ends, left and right."""
        return (self.line[0][0], self.line[-1][1]) if self.line else (NO_END, NO_END)


def view(state: State, viewer: Viewer) -> View:
    """Each hand is seen by its owner only, the boneyard by nobody; the numbers of tiles by everybody."""
    return View(
        seat=viewer.seat,
        options=state.options,
        round=state.round,
        turn=None if state.is_over else state.turn,
        line=line_of(state.turns),
        hand_sizes=tuple(hand.bit_count() for hand in state.hands),
        # An empty hand or boneyard hides nothing.
        hands=tuple(
            hand if not hand or viewer.may_see((Seat(seat),)) else None for seat, hand in enumerate(state.hands)
        ),
        scores=state.scores,
        boneyard_size=len(state.boneyard),
        boneyard=state.boneyard if not state.boneyard or viewer.may_see(()) else None,
        turns=state.turns,
        drawn=state.drawn,
    )


def line_of(turns: tuple[Turn, ...]) -> tuple[Lying, ...]:
    """The line that these turns have built."""
    line: list[Lying] = []
    for turn in turns:
        if turn.tile is None:
            continue
        if not line:
            line.append(HALVES[turn.tile])
        elif turn.end is End.LEFT:
            joined = line[0][0]
            line.insert(0, (SUMS[turn.tile] - joined, joined))
        else:
            joined = line[-1][1]
            line.append((joined, SUMS[turn.tile] - joined))
    return tuple(line)
