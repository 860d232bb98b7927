"""The page that strangers write verifiers from says what the platform does."""

import json
import re

import pytest

from services.registry import load
from shared.audit import audit
from tests.proof.make_vectors import FILE, KEY, vectors

PAGE = FILE.with_name("proof.md")
STORED = json.loads(FILE.read_text())


@pytest.mark.parametrize("section", sorted(STORED))
def test_the_vectors_of_the_page_are_what_the_platform_computes(section: str) -> None:
    """A change of any of these bytes would break the verifiers of others, and every log that is stored."""
    assert vectors()[section] == STORED[section]


def test_every_section_of_the_vectors_is_one_of_the_page() -> None:
    """Who reads a section finds its example."""
    assert set(STORED) <= set(re.findall(r"^## (\d\. .*)$", PAGE.read_text(), re.MULTILINE))


def test_a_word_is_thrown_away_in_one_of_the_vectors() -> None:
    """Without such a case, a verifier without rejection would pass."""
    chance = STORED["3. Chance"]
    from_first_words = {purpose: _first_word(purpose) % 3_000_000_000 for purpose in chance["numbers_below_3000000000"]}
    assert from_first_words != chance["numbers_below_3000000000"]


def _first_word(purpose: str) -> int:
    from shared.kernel import Chance

    seed = bytes.fromhex(STORED["3. Chance"]["match_seed"])
    return int.from_bytes(Chance(seed).derive(purpose)[:4])


def test_the_exported_match_of_the_vectors_verifies() -> None:
    """It is a good file, with the key that the page names."""
    lines = [line + "\n" for line in STORED["8. The file"]]
    audited = audit(lines, load, {KEY.public.id: KEY.public})
    assert audited.match is not None
    assert len(lines) == audited.match.version + 1
