"""What a match should be like: seats and options, from the words of the command line."""

import re
from collections.abc import Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from services.cli.client import OPEN
from services.cli.failures import Wrong
from shared.game import AnyGame
from shared.kernel import OptionSpec
from shared.match.clocks import TimeControl
from shared.match.model import Terms
from shared.proof.chain import LONGEST_ENTROPY

_NONE = "none"
_MICROS = 1_000_000
_CLOCK = re.compile(r"(\d{1,9})(\+\d{1,9})?", re.ASCII)
_TRUTHS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def seats(game: AnyGame, words: Sequence[str]) -> tuple[str, ...]:
    """Each word is `open` or one of the game's levels."""
    for word in words:
        if word != OPEN and word not in game.agents:
            raise Wrong(f"A seat of {game.title} is {_either((OPEN, *game.agents))}, not {word!r}.")
    return tuple(words)


def usual_opponent(game: AnyGame) -> str:
    """The level to play against if nobody says which."""
    return "greedy" if "greedy" in game.agents else next(iter(game.agents))


def options(game: AnyGame, words: Sequence[str]) -> Message | None:
    """The game's options message, each field set from a `name=value`; None where there is nothing to set."""
    if not words:
        return None
    message = game.codec.options_type()
    for word in words:
        name, is_pair, value = word.partition("=")
        if not is_pair:
            raise Wrong(f"An option is written name=value, not {word!r}.")
        _set(game, message, name.strip(), value.strip())
    return message


def terms(clock: str | None, join_within: int, *, is_invited: bool) -> Terms:
    """What is laid down beside the game's options."""
    control = None if clock is None else time_control(clock)
    return Terms(is_public=not is_invited, control=control, join_micros=join_within * _MICROS)


def time_control(word: str) -> TimeControl:
    """`30`: seconds for each move; `300+5`: seconds for the match, and more with each move."""
    found = _CLOCK.fullmatch(word)
    if found is None:
        raise Wrong(f"A clock is seconds a move, such as 30, or base and increment, such as 300+5, not {word!r}.")
    first, increment = int(found[1]) * _MICROS, found[2]
    if increment is None:
        return TimeControl(move_micros=first)
    return TimeControl(base_micros=first, increment_micros=int(increment) * _MICROS)


def entropy(digits: str) -> bytes:
    """What a player adds to the seed, from hexadecimal digits."""
    try:
        added = bytes.fromhex(digits)
    except ValueError:
        added = b""
    if not 1 <= len(added) <= LONGEST_ENTROPY:
        raise Wrong(f"Entropy is written as 1 to {LONGEST_ENTROPY} bytes in hexadecimal digits, not {digits!r}.")
    return added


def _set(game: AnyGame, message: Message, name: str, value: str) -> None:
    field = message.DESCRIPTOR.fields_by_name.get(name)
    if field is None or field.is_repeated or field.type == FieldDescriptor.TYPE_MESSAGE:
        known = ", ".join(spec.name for spec in game.option_specs) or "none"
        raise Wrong(f"{game.title} has no option {name!r}; its options are {known}.")
    if value == _NONE and field.has_presence:
        message.ClearField(name)
        return
    try:
        setattr(message, name, _value(field, value))
    except (ValueError, KeyError):
        raise Wrong(f"{name} is {expected(game, field)}, not {value!r}.") from None


def _value(field: Any, value: str) -> object:
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            return value
        case FieldDescriptor.CPPTYPE_BOOL:
            return _TRUTHS[value.lower()]
        case FieldDescriptor.CPPTYPE_ENUM:
            return _choices(field)[value.lower()]
        case FieldDescriptor.CPPTYPE_FLOAT | FieldDescriptor.CPPTYPE_DOUBLE:
            return float(value)
        case _:
            return int(value)


def _choices(field: Any) -> dict[str, int]:
    """The values of an enum as people write them: MODE_QUICK is `quick`; the unspecified one can't be chosen."""
    names = {value.number: value.name for value in field.enum_type.values if value.number}
    prefix = field.enum_type.values[0].name.removesuffix("UNSPECIFIED")
    return {name.removeprefix(prefix).lower(): number for number, name in names.items()}


def expected(game: AnyGame, field: Any) -> str:
    """What the value of an option may be, in a few words."""
    spec = next((spec for spec in game.option_specs if spec.name == field.name), OptionSpec(field.name, "", ""))
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_BOOL:
            return "true or false"
        case FieldDescriptor.CPPTYPE_ENUM:
            return _either(tuple(_choices(field)))
        case FieldDescriptor.CPPTYPE_STRING:
            return _either(spec.choices) if spec.choices else "a text"
        case _:
            return f"a number{limits(spec)}"


def limits(spec: OptionSpec) -> str:
    """` from 2 to 14`, as far as there are limits."""
    below = "" if spec.minimum is None else f" from {spec.minimum}"
    return below if spec.maximum is None else f"{below} to {spec.maximum}"


def _either(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last
