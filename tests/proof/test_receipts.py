"""A receipt proves that its move is in a log, or that the log is another one."""

import pytest

from services.registry import load
from shared.audit import Audited, audit, check_receipt
from shared.envelope import hash_of, redact
from shared.kernel import SPECTATOR
from shared.proof.heads import SignedHead, from_row, sign, to_row
from shared.proof.keys import SigningKey
from shared.verify import Wrong
from tests.conformance.recording import MATCH_ID, rechained
from tests.histories import make
from tests.proof.files import KEYS, envelopes_of, exported, stored

LOG = envelopes_of("signed")
AUDITED: Audited = audit(stored("signed"), load, KEYS)


def receipt(version: int) -> SignedHead:
    """What the platform gave for the command that ended at a version."""
    return sign(make.KEY, MATCH_ID, version, hash_of(LOG[version - 1]))


@pytest.mark.parametrize("version", range(1, len(LOG) + 1))
def test_a_receipt_finds_its_event(version: int) -> None:
    """At every version of the log."""
    assert check_receipt(AUDITED, receipt(version), KEYS) == LOG[version - 1]


def test_a_receipt_finds_its_event_in_the_log_of_any_viewer() -> None:
    """While the match goes on, too: the hashes are the same for all."""
    seen = audit(exported(LOG[:20], SPECTATOR), load, KEYS)
    assert check_receipt(seen, receipt(9), KEYS) == redact(LOG[8], SPECTATOR)
    with pytest.raises(Wrong, match="of a longer log: this one has 20 events"):
        check_receipt(seen, receipt(21), KEYS)


def test_a_receipt_survives_a_file() -> None:
    """As text and back."""
    assert from_row(to_row(receipt(9))) == receipt(9)


OTHER_KEY = SigningKey.generate()


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (receipt(9)._replace(version=10), "signature"),
        (receipt(9)._replace(hash=bytes(32)), "signature"),
        (receipt(9)._replace(signature=bytes(64)), "signature"),
        (receipt(9)._replace(key_id=OTHER_KEY.public.id), "signature"),
        (receipt(9)._replace(match_id="01AAAAAAAAAAAAAAAAAAAAAAAA"), "signature"),
        (sign(OTHER_KEY, MATCH_ID, 9, hash_of(LOG[8])), "signature"),
        (sign(make.KEY, "01AAAAAAAAAAAAAAAAAAAAAAAA", 9, hash_of(LOG[8])), "is of match 01AAAAAAAAAAAAAAAAAAAAAAAA"),
        (sign(make.KEY, MATCH_ID, len(LOG) + 1, bytes(32)), f"of a longer log: this one has {len(LOG)} events"),
        (sign(make.KEY, MATCH_ID, 9, hash_of(LOG[9])), "not the one that the receipt was given for"),
    ],
    ids=[
        "another version",
        "another hash",
        "another signature",
        "another key id",
        "another match",
        "another key",
        "a receipt of another match",
        "a receipt of a longer log",
        "a receipt of a fork",
    ],
)
def test_a_receipt_that_does_not_fit_is_refused(wrong: SignedHead, why: str) -> None:
    """With what is wrong."""
    with pytest.raises(Wrong, match=why):
        check_receipt(AUDITED, wrong, KEYS)


def test_a_receipt_shows_a_log_that_was_written_again() -> None:
    """The platform signs two different logs of one match: who has a receipt of the first can show it."""
    other = rechained([LOG[0], *(envelope._replace(command_id="another") for envelope in LOG[1:])])
    second = audit(exported(other[:20], SPECTATOR), load, KEYS)
    with pytest.raises(Wrong, match="not the one that the receipt was given for"):
        check_receipt(second, receipt(9), KEYS)
