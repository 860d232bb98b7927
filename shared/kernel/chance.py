"""All chance of a match, from its seed.

The generator is part of what players can check, so it is specified to the byte:

- The bytes for a purpose are the concatenation of the blocks 0, 1, 2, ... where block i is HMAC-SHA-256 with the seed
  as key over `meydan-chance-1`, a zero byte, the purpose in UTF-8, a zero byte, and i as 8 bytes, big-endian.
- A number below n reads those bytes as 4-byte big-endian words. Words at or above the largest multiple of n that fits
  in 2^32 are skipped; the first other word, modulo n, is the number.
- A shuffle goes from the last place down to the second and swaps each with a place drawn below (its index + 1).

Each purpose has a stream of its own, so that a draw does not depend on what was drawn before for something else.
"""

import hmac
import struct
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

_WORDS = struct.Struct(">8I")
_SPAN = 1 << 32


class Chance:
    """The draws of one match: a pure function of its seed."""

    __slots__ = ("_seed",)

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def shuffled(self, purpose: str, items: Sequence[T]) -> tuple[T, ...]:
        """The items in an order in which every order is equally likely."""
        order = list(items)
        words = self._words(purpose)
        # _below, spelled out: a call for each place would cost as much again.
        for last in range(len(order) - 1, 0, -1):
            word = next(words)
            while word >= _SPAN - _SPAN % (last + 1):
                word = next(words)
            other = word % (last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        """One of the items, each equally likely."""
        return items[_below(self._words(purpose), len(items))]

    def derive(self, purpose: str) -> bytes:
        """32 bytes for a purpose: a seed for something of its own."""
        return self._block(purpose, 0)

    def _block(self, purpose: str, index: int) -> bytes:
        message = b"meydan-chance-1\0" + purpose.encode() + b"\0" + index.to_bytes(8, "big")
        return hmac.digest(self._seed, message, "sha256")

    def _words(self, purpose: str) -> Iterator[int]:
        index = 0
        while True:
            yield from _WORDS.unpack(self._block(purpose, index))
            index += 1


def _below(words: Iterator[int], bound: int) -> int:
    limit = _SPAN - _SPAN % bound
    return next(word for word in words if word < limit) % bound
