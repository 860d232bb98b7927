"""Chance, held to its specification by a second implementation that was written from the specification alone."""

import hashlib
import hmac
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.kernel import Chance

SEED = bytes(range(32))
# The 0.9999 quantiles of chi-square, by degrees of freedom.
CHI_SQUARE = {1: 15.14, 2: 18.42, 4: 23.51, 5: 25.74, 6: 27.86, 12: 39.13, 23: 56.0, 27: 61.7}

# Computed by the naive implementation above.
VECTOR = "01eba83aa029e8c4a7aad3f8ff4e9284cf0b425b21564c6127b29a31c1b875b4"
SHUFFLED = (6, 8, 4, 1, 9, 3, 7, 0, 5, 2)


def block(seed: bytes, purpose: str, number: int) -> bytes:
    """One block of the bytes for a purpose."""
    message = b"meydan-chance-1" + b"\x00" + purpose.encode("utf-8") + b"\x00" + number.to_bytes(8, "big")
    return hmac.new(seed, message, hashlib.sha256).digest()


class Naive:
    """The specification, sentence by sentence."""

    def __init__(self, seed: bytes, purpose: str) -> None:
        self.seed = seed
        self.purpose = purpose
        self.place = 0

    def word(self) -> int:
        """The next four bytes."""
        data = block(self.seed, self.purpose, self.place // 32)
        word = int.from_bytes(data[self.place % 32 : self.place % 32 + 4], "big")
        self.place += 4
        return word

    def below(self, n: int) -> int:
        """A number below n."""
        largest = (2**32 // n) * n
        while True:
            word = self.word()
            if word < largest:
                return word % n

    def shuffle(self, items: list[int]) -> list[int]:
        """From the last place down to the second."""
        for place in range(len(items) - 1, 0, -1):
            other = self.below(place + 1)
            items[place], items[other] = items[other], items[place]
        return items


@settings(deadline=None)
@given(seed=st.binary(max_size=80), purpose=st.text(max_size=20), size=st.integers(0, 200))
def test_a_shuffle_is_as_specified(seed: bytes, purpose: str, size: int) -> None:
    """For any seed, purpose and number of items."""
    expected = Naive(seed, purpose).shuffle(list(range(size)))
    assert list(Chance(seed).shuffled(purpose, range(size))) == expected


@settings(deadline=None)
@given(seed=st.binary(max_size=80), purpose=st.text(max_size=20), size=st.integers(1, 2**32))
def test_a_pick_is_as_specified(seed: bytes, purpose: str, size: int) -> None:
    """Also of very many, where words are skipped."""
    assert Chance(seed).pick(purpose, range(size)) == Naive(seed, purpose).below(size)


@settings(deadline=None)
@given(seed=st.binary(max_size=80), purpose=st.text(max_size=20))
def test_derived_bytes_are_the_first_block(seed: bytes, purpose: str) -> None:
    """32 bytes."""
    assert Chance(seed).derive(purpose) == block(seed, purpose, 0)


def test_words_that_do_not_fit_are_skipped() -> None:
    """With n just above half of 2^32, nearly every second word is skipped; the same numbers come out."""
    n = 2**31 + 1
    picks = [Chance(SEED).pick(f"skip/{number}", range(n)) for number in range(50)]
    assert picks == [Naive(SEED, f"skip/{number}").below(n) for number in range(50)]
    read = [Naive(SEED, f"skip/{number}") for number in range(50)]
    for one in read:
        one.below(n)
    assert any(one.place > 4 for one in read)


def test_vectors_are_for_ever() -> None:
    """Numbers that were published: whoever checks a match with another program must get the same."""
    chance = Chance(SEED)
    assert chance.derive("vector").hex() == VECTOR
    assert chance.shuffled("vector", range(10)) == SHUFFLED


@pytest.mark.parametrize("n", [2, 3, 5, 6, 7, 13, 28])
def test_numbers_are_even(n: int) -> None:
    """Chi-square over 500 draws for each possibility, with a fixed seed."""
    rounds = 500 * n
    chance = Chance(b"evenness")
    counts = Counter(chance.pick(f"{n}/{number}", range(n)) for number in range(rounds))
    chi_square = sum((counts[value] - 500) ** 2 / 500 for value in range(n))
    assert chi_square < CHI_SQUARE[n - 1]


def test_orders_are_even() -> None:
    """All 24 orders of four items, chi-square over 200 shuffles for each."""
    chance = Chance(b"evenness of orders")
    counts = Counter(chance.shuffled(f"{number}", range(4)) for number in range(24 * 200))
    assert sum((counts[order] - 200) ** 2 / 200 for order in permutations(range(4))) < CHI_SQUARE[23]


def test_purposes_are_independent() -> None:
    """What is drawn for one purpose changes nothing for another, and purposes that look alike are not alike."""
    chance = Chance(SEED)
    alone = chance.shuffled("b", range(28))
    for _ in range(3):
        chance.shuffled("a", range(28))
    assert chance.shuffled("b", range(28)) == alone
    alike = ["a", "a\0", "\0a", "a/1", "a/11", "A", ""]
    assert len({chance.derive(purpose) for purpose in alike}) == len(alike)


def test_pairs_of_purposes_are_even_too() -> None:
    """First numbers of two purposes, taken together, are as even as one alone."""
    counts: Counter[tuple[int, int]] = Counter()
    for number in range(2_000):
        chance = Chance(number.to_bytes(4, "big"))
        counts[chance.pick("domino/round/1", range(2)), chance.pick("domino/round/2", range(2))] += 1
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 21.11
    assert len(counts) == 4


@settings(max_examples=50, deadline=None)
@given(seed=st.binary(min_size=1, max_size=32), items=st.lists(st.integers(), max_size=60))
def test_a_shuffle_keeps_what_it_shuffles(seed: bytes, items: list[int]) -> None:
    """Nothing is lost, nothing is added, and the original is left alone."""
    before = list(items)
    assert sorted(Chance(seed).shuffled("keep", items)) == sorted(items)
    assert items == before
