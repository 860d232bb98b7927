"""How rules say no."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command breaks a rule. It is a value, not an exception: deciding is a function with two kinds of answer."""

    rule: str
    message: str


class Malformed(ValueError):
    """Input that is no command, option or text of the game at all. `field` names the part that is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message
