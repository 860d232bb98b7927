"""The page that strangers write verifiers from says what the platform does."""

import json
import re
from itertools import takewhile

import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import FieldDescriptor

from services.registry import load
from shared.audit import audit
from shared.envelope import Envelope, core
from shared.kernel import Chance
from tests.proof.make_vectors import FILE, KEY, LARGE, vectors

PAGE = FILE.with_name("proof.md").read_text()
STORED = json.loads(FILE.read_text())
CHANCE = STORED["3. Chance"]

_KINDS = {
    FieldDescriptor.TYPE_STRING: "text",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_MESSAGE: "message",
    FieldDescriptor.TYPE_UINT32: "varint",
    FieldDescriptor.TYPE_ENUM: "varint",
    FieldDescriptor.TYPE_BOOL: "varint",
}


@pytest.mark.parametrize("section", sorted(STORED))
def test_the_vectors_of_the_page_are_what_the_platform_computes(section: str) -> None:
    """A change of any of these bytes would break the verifiers of others, and every log that is stored."""
    assert vectors()[section] == STORED[section]


def test_every_section_of_the_vectors_is_one_of_the_page() -> None:
    """Who reads a section finds its example."""
    assert set(STORED) <= set(re.findall(r"^## (\d\. .*)$", PAGE, re.MULTILINE))


def test_words_are_thrown_away_in_some_of_the_vectors() -> None:
    """Without such a case, a verifier without rejection would pass; without another, one that always rejects."""
    chance = Chance(bytes.fromhex(CHANCE["match_seed"]))
    numbers = CHANCE["numbers_below_3000000000"]
    thrown_away = [len(list(takewhile(lambda word: word >= LARGE, chance._words(purpose)))) for purpose in numbers]
    assert min(thrown_away) == 0
    assert max(thrown_away) > 0


def test_the_words_of_the_vectors_need_a_second_block() -> None:
    """A block has eight."""
    assert len(CHANCE["words"]["a purpose"]) > 8


def test_the_exported_match_of_the_vectors_verifies() -> None:
    """It is a good file, with the key that the page names."""
    lines = [line + "\n" for line in STORED["8. The file"]]
    audited = audit(lines, load, {KEY.public.id: KEY.public})
    assert audited.match is not None
    assert len(lines) == audited.match.version + 1


def test_the_page_counts_the_bytes_before_the_type() -> None:
    """An envelope in which nothing has a length has no other bytes."""
    empty = Envelope(1, 1, "", 0, "", None, b"")
    assert f"\n{len(core(empty))} bytes come before the type." in PAGE


def test_the_fields_of_messages_are_those_of_the_protos() -> None:
    """Numbers, names and kinds."""
    rows = re.findall(r"^\| `([\w.]+)`.*? \| (.+) \|$", PAGE.partition("## 9. Messages")[2], re.MULTILINE)
    assert len(rows) > 10
    for name, fields in rows:
        found = descriptor_pool.Default().FindMessageTypeByName(name).fields_by_name
        for number, field, kind in re.findall(r"(\d+) `(\w+)` (\w+)", fields):
            assert (found[field].number, _kind(found[field])) == (int(number), kind), f"{name}.{field}"


def _kind(field: FieldDescriptor) -> str:
    kind = _KINDS[field.type]
    return f"{kind}s" if kind == "varint" and field.is_repeated else kind


def test_every_label_is_on_the_page() -> None:
    """The texts that begin what is hashed or signed, so that no hash can be taken for another."""
    for label in ("seed", "chance", "salt", "head"):
        assert f'"meydan-{label}-1\\0"' in PAGE
