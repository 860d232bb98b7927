"""Tournaments that were exported come back: the same id, the same events, the same hashes.

Such a log is finished from its first moment on, for it is written by one append: nobody can find a part of it and take
it for a tournament that goes on. Standings, places and later ratings are believed because this platform signs them, so
only files are taken that it has signed itself, or that a platform has whose key it was told to trust.
"""

import asyncio
import io
import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import grpc
import structlog

from services.tournament import plans, verify
from services.tournament.host import TournamentHost
from services.tournament.state import Tournament
from shared import export
from shared.audit import HEADER
from shared.envelope import Envelope, pack
from shared.eventlog.store import Append, Conflict, Written
from shared.host import errors
from shared.host.keeper import Accepted, digest_of
from shared.kernel import Malformed, Refusal
from shared.match.model import Status
from shared.proof.keys import PublicKey
from shared.verify import Wrong

log = structlog.get_logger(__name__)

# Unpacked: some 100,000 events. Redis takes less than a second to append them, and nobody else writes meanwhile.
MOST_BYTES = 64 << 20
# What the log remembers it by.
_COMMAND = "platform import"
_GZIP_MAGIC = b"\x1f\x8b"
# To zlib: only what gzip writes.
_GZIP = 16 + zlib.MAX_WBITS


class Checked(NamedTuple):
    """A finished tournament, all of whose log holds, and the log as it is stored."""

    tournament: Tournament
    records: tuple[bytes, ...]


class Importer:
    """Takes in files, one after the other: each of them needs much memory and time."""

    def __init__(self, host: TournamentHost, keys: Mapping[str, PublicKey]) -> None:
        self._host = host
        self._keys = keys
        self._turn = asyncio.Lock()

    async def take(self, file: bytes, request_id: str) -> tuple[Tournament, Accepted]:
        """The tournament is here. The same file again gets the same answer, also where it was played here."""
        async with self._turn:
            checked = await asyncio.to_thread(read, file, self._keys)
            return checked.tournament, await self._kept(checked, request_id)

    async def _kept(self, checked: Checked, request_id: str) -> Accepted:
        tournament = checked.tournament
        head = tournament.head
        after = self._host.aftermath(None, tournament, request_id)
        digest = digest_of("import", head.hex())
        entry = Append(tournament.id, 0, checked.records, _COMMAND, digest, *after)
        answer = await self._host.log.append(entry)
        if isinstance(answer, Written):
            log.info("tournament_imported", tournament=tournament.id, is_repeated=answer.is_repeated)
            return Accepted(answer.first, answer.version, head)
        if isinstance(answer, Conflict) and await self._is_here(tournament, answer.version):
            return Accepted(1, tournament.version, head)
        raise errors.Refused(
            grpc.StatusCode.ALREADY_EXISTS, "ANOTHER_LOG", f"There is another log of tournament {tournament.id} here."
        )

    async def _is_here(self, tournament: Tournament, version: int) -> bool:
        if version != tournament.version:
            return False
        return await self._host.reader.hash_at(tournament.id, version) == tournament.head


def read(file: bytes, keys: Mapping[str, PublicKey]) -> Checked:
    """What a file holds, if all of it holds; takes long. Malformed or Refused tell what is wrong with it."""
    lines = list(io.StringIO(_unpacked(file).decode("utf-8", "surrogateescape")))
    try:
        _check_key(export.read(lines[:1]), keys)
        audited = verify.audited(lines, keys)
    except export.BrokenFile as error:
        raise Malformed("file", str(error)) from None
    except Wrong as wrong:
        raise errors.malformed("file", _told(wrong), "UNSOUND_LOG") from None
    except errors.Refused:
        raise
    except Exception as error:
        # Bytes of a stranger's file can break what reads them in any way there is.
        log.warning("import_unreadable", error=type(error).__name__)
        raise Malformed("file", "The file can't be read.") from error
    return Checked(audited.tournament, _records(audited.tournament, audited.envelopes))


def _unpacked(file: bytes) -> bytes:
    content = _decompressed(file) if file.startswith(_GZIP_MAGIC) else file
    if len(content) > MOST_BYTES:
        raise errors.too_much("import", f"A file that is imported has at most {MOST_BYTES >> 20} MB, unpacked.")
    return content


def _decompressed(file: bytes) -> bytes:
    """At most one byte too many, however much the file would come to."""
    unpacking = zlib.decompressobj(_GZIP)
    try:
        content = unpacking.decompress(file, MOST_BYTES + 1)
    except zlib.error:
        raise Malformed("file", "The file is damaged: it is not what gzip writes.") from None
    if len(content) <= MOST_BYTES and (not unpacking.eof or unpacking.unused_data):
        raise Malformed("file", "The file is damaged: it does not end where gzip says.")
    return content


def _check_key(exported: export.Exported, keys: Mapping[str, PublicKey]) -> None:
    signed = exported.signed
    if signed is not None and signed.head.key_id not in keys:
        sentence = f"The file is signed with key {signed.head.key_id[:40]!r}, which is not trusted here."
        raise errors.broken_rule(Refusal("UNTRUSTED_KEY", sentence))


def _told(wrong: Wrong) -> str:
    place = "in its first line" if wrong.version == HEADER else f"at version {wrong.version}, line {wrong.version + 1}"
    return f"The file is wrong {place}: {wrong.message}."


def _records(tournament: Tournament, envelopes: Sequence[Envelope]) -> tuple[bytes, ...]:
    """The stored bytes: the verifier accepts no log that is over and hides anything."""
    if tournament.status is not Status.FINISHED:
        raise errors.broken_rule(Refusal("NOT_OVER", "Only a tournament that is over can be imported."))
    plans.game_of(tournament.plan.game)
    return tuple(map(pack, envelopes))
