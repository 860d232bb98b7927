"""How a game describes its options to clients."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option: its name in the game's options message, what it does, its default and its limits."""

    name: str
    description: str
    default: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()
