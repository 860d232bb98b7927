"""What a proof is made of: an exported file, the keys that it is checked by, receipts. Nothing here asks a server."""

import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from services import keyring, registry
from services.cli.failures import Failure, Wrong, keys_in_a_sentence
from services.registry import TOURNAMENT
from shared import export, verify
from shared.audit import HEADER, Audited, Keys, audit
from shared.export import Exported
from shared.proof import published
from shared.proof.heads import SignedHead, from_row
from shared.proof.keys import SigningKey
from shared.settings import Settings


class Trusted(NamedTuple):
    """The keys that signatures are checked by, by their ids, and whose they are; none: only the file's own."""

    keys: Keys | None
    whose: str


class Checked(NamedTuple):
    """A file in which nothing is wrong, and the keys that its receipts are checked by."""

    audited: Audited
    keys: Keys


class Unproved(Failure):
    """A file that is not what it says. `version` is where it shows, or None if it can't be read so far."""

    def __init__(self, message: str, version: int | None = None) -> None:
        super().__init__(message)
        self.version = version


def trusted(file: Path | None, settings: Settings) -> Trusted:
    """The published keys of a file, or the key of the platform of the data folder, or none."""
    if file is not None:
        return Trusted(_read_keys(file), f"published in {file}")
    own = keyring.signing_key_file(settings)
    if not own.exists():
        return Trusted(None, "")
    with keys_in_a_sentence():
        key = SigningKey.read(own).public
    return Trusted({key.id: key}, f"of the platform in {settings.data_dir}")


def _read_keys(file: Path) -> Keys:
    """A JSON object as `meydan keys --json` prints it."""
    keys = published.parse(read(file))
    if not keys:
        raise Wrong(f"{file} does not hold public keys as `meydan keys --json` prints them.")
    return keys


def checked(file: Path, by: Trusted) -> Checked:
    """The file, if all that can be checked of it holds."""
    lines = list(io.StringIO(read(file)))
    exported = header(file, lines, "an exported match")
    if exported.game == TOURNAMENT:
        raise Wrong(f"{file} is an exported tournament: `meydan tournament verify` checks it.")
    signed = exported.signed
    with wrong_told(file):
        audited = audit(lines, registry.load, by.keys)
    own = {} if signed is None else {signed.key.id: signed.key}
    return Checked(audited, own if by.keys is None else by.keys)


def is_tournament(file: Path) -> bool:
    """Whether a file is of a tournament and not of a match, by its first line."""
    return header(file, io.StringIO(read(file)), "an exported match").game == TOURNAMENT


def header(file: Path, lines: Iterable[str], what: str) -> Exported:
    """What the first line of a file says."""
    try:
        return export.read(lines)
    except export.BrokenFile:
        raise Wrong(f"{file} is not {what}.") from None


@contextmanager
def wrong_told(file: Path) -> Iterator[None]:
    """Whatever is wrong with a file becomes a sentence that says where."""
    try:
        yield
    except Failure:
        raise
    except verify.Wrong as wrong:
        raise unproved(file, wrong) from None
    except export.BrokenFile as error:
        raise Unproved(f"{file} is damaged: {error}") from None
    except Exception as error:
        # Bytes of a stranger's file can break what reads them in any way there is.
        raise Unproved(f"{file} can't be checked ({type(error).__name__}: {error}).") from error


def unproved(file: Path, wrong: verify.Wrong) -> Unproved:
    """What is wrong with a file, and where."""
    version = wrong.version
    place = "in its first line" if version == HEADER else f"at version {version}, line {version + 1}"
    return Unproved(f"{file} is wrong {place}: {wrong.message}.", version)


def receipts(file: Path) -> list[SignedHead]:
    """One receipt or several, a line each."""
    lines = [line for line in read(file).splitlines() if line.strip()]
    if not lines:
        raise Wrong(f"{file} has no receipt in it.")
    return [_receipt(file, number, line) for number, line in enumerate(lines, 1)]


def _receipt(file: Path, number: int, line: str) -> SignedHead:
    try:
        return from_row(json.loads(line))
    except (LookupError, TypeError, ValueError):
        raise Wrong(f"Line {number} of {file} is not a receipt.") from None


def read(file: Path) -> str:
    """The text of a file. Bytes that are no text stay what they are, so that what reads them can say where."""
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise Wrong(f"{file} can't be read: {error.strerror}.") from None
