"""The types that rules are written in. Nothing here does I/O or imports anything but the standard library."""

from shared.kernel.chance import Chance
from shared.kernel.errors import Malformed, Refusal
from shared.kernel.options import OptionSpec
from shared.kernel.seats import EVERYTHING, SPECTATOR, Places, Seat, Viewer

__all__ = [
    "EVERYTHING",
    "SPECTATOR",
    "Chance",
    "Malformed",
    "OptionSpec",
    "Places",
    "Refusal",
    "Seat",
    "Viewer",
]
