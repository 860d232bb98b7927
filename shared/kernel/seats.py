"""Seats, who is looking, and final places."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NewType, TypeAlias

Seat = NewType("Seat", int)

# The winners first; seats in one group share the place.
Places: TypeAlias = tuple[tuple[Seat, ...], ...]


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whose eyes something is shown to: a seat's, a spectator's, or everybody's once all is revealed."""

    seat: Seat | None = None
    sees_everything: bool = False

    def may_see(self, seats: Collection[Seat]) -> bool:
        """Whether something that only `seats` see is open to this viewer."""
        return self.sees_everything or (self.seat is not None and self.seat in seats)


SPECTATOR = Viewer()
EVERYTHING = Viewer(sees_everything=True)
