"""What a viewer sees of a state. Hidden is the default: the deck is in a view only where it is put in."""

from dataclasses import dataclass

from services.kingdomino.rules.model import Kingdom, Options, Phase, State, Tally
from shared.kernel import Seat, Viewer


@dataclass(frozen=True, slots=True)
class View:
    """The position as one viewer sees it: everything but the deck and what was put aside. See `State` for its parts."""

    seat: Seat | None
    options: Options
    game: int
    tallies: tuple[tuple[Tally, ...], ...]
    kingdoms: tuple[Kingdom, ...]
    phase: Phase
    line: tuple[int, ...]
    kings: tuple[Seat, ...]
    at: int
    next_line: tuple[int, ...]
    next_kings: tuple[Seat | None, ...]
    deck_size: int
    deck: tuple[int, ...] | None
    aside_size: int
    aside: tuple[int, ...] | None

    @property
    def turn(self) -> Seat | None:
        """The seat to act."""
        return self.kings[self.at] if self.phase in (Phase.PLACE, Phase.CHOOSE) else None


def view(state: State, viewer: Viewer) -> View:
    """Nobody sees the deck before the match is over."""
    sees_all = viewer.may_see(())
    return View(
        seat=viewer.seat,
        options=state.options,
        game=state.game,
        tallies=state.tallies,
        kingdoms=state.kingdoms,
        phase=state.phase,
        line=state.line,
        kings=state.kings,
        at=state.at,
        next_line=state.next_line,
        next_kings=state.next_kings,
        # What is empty hides nothing.
        deck_size=len(state.deck),
        deck=state.deck if sees_all or not state.deck else None,
        aside_size=len(state.aside),
        aside=state.aside if sees_all or not state.aside else None,
    )
