"""Exported matches of all kinds, as text, and what a cheat with the platform's own key would make of them."""

from collections.abc import Iterable, Sequence

from meydan.match.v1.envelope_pb2 import ServerSeed
from services.registry import load
from shared import export
from shared.envelope import Envelope, SealedPart, hash_of, redact
from shared.game import AnyGame
from shared.kernel import EVERYTHING, Viewer
from shared.match.wire import Wire
from shared.proof import chain
from shared.proof.heads import sign
from shared.proof.keys import PublicKey
from shared.replay import Replay
from tests.conformance.recording import MATCH_ID, rechained
from tests.histories import make

GAME = load("domino")
WIRE = Wire(GAME)
KEYS: dict[str, PublicKey] = {make.KEY.public.id: make.KEY.public}


def signed(game: str) -> tuple[str, ...]:
    """The stored matches of a game that are signed."""
    files = sorted((make.FOLDER / game).glob("*.jsonl"))
    return tuple(path.stem for path in files if '"format_version": 2' in path.read_text().partition("\n")[0])


SIGNED = signed("domino")


def stored(name: str, game: str = "domino") -> list[str]:
    """The lines of a stored match."""
    return (make.FOLDER / game / f"{name}.jsonl").read_text().splitlines(keepends=True)


def envelopes_of(name: str, game: str = "domino") -> list[Envelope]:
    """The events of a stored match."""
    return list(export.read(stored(name, game)).envelopes)


def exported(
    envelopes: Iterable[Envelope], viewer: Viewer = EVERYTHING, match_id: str = MATCH_ID, game: AnyGame = GAME
) -> list[str]:
    """The file of a log, with a signature that holds."""
    log = list(envelopes)
    head = sign(make.KEY, match_id, len(log), hash_of(log[-1]))
    wire = Wire(game)
    rows = (export.envelope_line(wire, redact(envelope, viewer)) for envelope in log)
    return [export.header_line(game.name, head, make.KEY.public), *rows]


def seed_of(log: Sequence[Envelope], game: AnyGame = GAME) -> bytes:
    """The seed that a match was played with."""
    return Replay(game, Wire(game)).fold(None, log).seed


def forged(envelopes: Sequence[Envelope], seed: bytes) -> list[Envelope]:
    """The log with salts, commitments and links that fit each other, whatever was changed in it."""
    server_seed = ServerSeed.FromString(envelopes[0].sealed[0].content or b"").seed
    log = [
        envelope._replace(version=version, sealed=_sealed(envelope, version, server_seed if version == 1 else seed))
        for version, envelope in enumerate(envelopes, 1)
    ]
    return rechained(log)


def _sealed(envelope: Envelope, version: int, key: bytes) -> tuple[SealedPart, ...]:
    salts = [chain.salt(key, version, index) for index in range(len(envelope.sealed))]
    return tuple(
        part._replace(salt=salt, commitment=chain.commitment(salt, part.content or b""))
        for salt, part in zip(salts, envelope.sealed, strict=True)
    )
