"""Makes docs/proof-vectors.json, an example for each section of docs/proof.md: `python -m tests.proof.make_vectors`."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.domino.rules.model import Options
from services.registry import load
from shared import export
from shared.envelope import Envelope, SealedPart, core, hash_of
from shared.kernel import Chance, Seat
from shared.proof import chain, heads
from shared.proof.keys import SigningKey
from tests.conformance.recording import MATCH_ID, finished

FILE = Path(__file__).parents[2] / "docs" / "proof-vectors.json"
SERVER_SEED = bytes(range(32))
LARGE = 3_000_000_000
ROUNDS = ("domino/round/1", "domino/round/2")
ENTROPIES = (b"", b"salt of the earth", bytes(32))
KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32, 64))))


def vectors() -> dict[str, Any]:
    """All of them."""
    seed = chain.match_seed(SERVER_SEED, MATCH_ID, ENTROPIES)
    return {
        "1. Commit": {"server_seed": SERVER_SEED.hex(), "server_seed_hash": chain.sha256(SERVER_SEED).hex()},
        "2. The seed of the match": {
            "server_seed": SERVER_SEED.hex(),
            "match_id": MATCH_ID,
            "entropies": [entropy.hex() for entropy in ENTROPIES],
            "match_seed": seed.hex(),
        },
        "3. Chance": _chance(seed),
        "4. The envelope": _envelope(seed),
        "6. Sealed parts": _sealed_part(),
        "7. Signatures": _signature(),
        "8. The file": _file(),
    }


def _chance(seed: bytes) -> dict[str, Any]:
    chance = Chance(seed)
    return {
        "match_seed": seed.hex(),
        # More words than one block has.
        "words": {"a purpose": list(islice(chance._words("a purpose"), 10))},
        # Of three billion, nearly one word in three is thrown away.
        "numbers_below_3000000000": {f"large/{n}": chance.pick(f"large/{n}", range(LARGE)) for n in range(6)},
        "picks_of_abcdefg": {purpose: chance.pick(purpose, "abcdefg") for purpose in ("a purpose", "café")},
        "shuffles_of_1_to_28": {purpose: list(chance.shuffled(purpose, range(1, 29))) for purpose in ROUNDS},
        "derived": {purpose: chance.derive(purpose).hex() for purpose in ("a purpose", "ai/0/12", "")},
    }


def _envelope(seed: bytes) -> dict[str, Any]:
    contents = (b"what seat 0 holds", b"what nobody sees")
    salts = [chain.salt(seed, 7, index) for index in range(2)]
    commitments = [chain.commitment(salt, content) for salt, content in zip(salts, contents, strict=True)]
    envelope = Envelope(
        7,
        1,
        "meydan.domino.v1.RoundDealt",
        1_767_225_600_000_000,
        "command-1",
        None,
        b"public bytes",
        (
            SealedPart((Seat(0),), "meydan.domino.v1.Hand", contents[0], commitments[0], salts[0]),
            SealedPart((), "meydan.domino.v1.Boneyard", contents[1], commitments[1], salts[1]),
        ),
        chain.sha256(b"the one before"),
    )
    return {
        "match_seed": seed.hex(),
        "version": envelope.version,
        "schema_version": envelope.schema_version,
        "type": envelope.type,
        "time_micros": envelope.time_micros,
        "command_id": envelope.command_id,
        "seat": envelope.seat,
        "public": envelope.public.hex(),
        "previous_hash": envelope.previous_hash.hex(),
        "sealed": [
            {
                "seats": list(part.seats),
                "type": part.type,
                "content": (part.content or b"").hex(),
                "salt": part.salt.hex(),
                "commitment": part.commitment.hex(),
            }
            for part in envelope.sealed
        ],
        "core": core(envelope).hex(),
        "hash": hash_of(envelope).hex(),
    }


def _sealed_part() -> dict[str, Any]:
    """The only part whose salt comes from the server seed; its content is a ServerSeed message."""
    content = b"\x0a\x20" + SERVER_SEED
    salt = chain.salt(SERVER_SEED, 1, 0)
    return {
        "key": SERVER_SEED.hex(),
        "version": 1,
        "index": 0,
        "content": content.hex(),
        "salt": salt.hex(),
        "commitment": chain.commitment(salt, content).hex(),
    }


def _signature() -> dict[str, Any]:
    head = chain.sha256(b"a log")
    return {
        "private_key": KEY.key.private_bytes_raw().hex(),
        "public_key": KEY.public.data.hex(),
        "statement": chain.head_statement(MATCH_ID, 117, head).hex(),
        "head": heads.to_row(heads.sign(KEY, MATCH_ID, 117, head)),
    }


def _file() -> list[str]:
    """A whole match of two seats."""
    game = load("domino")
    recorder = finished(game, Options(), ["", ""], SERVER_SEED, (3, 1, 4))
    head = heads.sign(KEY, MATCH_ID, recorder.match.version, recorder.match.head)
    rows = (export.envelope_line(recorder.wire, envelope) for envelope in recorder.envelopes)
    return [line.rstrip("\n") for line in (export.header_line(game.name, head, KEY.public), *rows)]


if __name__ == "__main__":
    FILE.write_text(json.dumps(vectors(), indent=1) + "\n")
