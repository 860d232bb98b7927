"""Receipts: kept while somebody plays, and `meydan receipt`, which finds their moves in an exported log."""

import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from services.cli import lookup, proofs, show
from services.cli.failures import Failure, Wrong
from services.cli.proofs import Checked
from services.cli.sentences import Sentences
from shared.audit import check_receipt
from shared.envelope import Envelope
from shared.proof.heads import SignedHead, to_row
from shared.verify import Wrong as NotInLog


class ReceiptBook:
    """Writes each receipt to a file as soon as it comes; without a file, it keeps none."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._kept = 0
        self._write("")

    def add(self, receipt: SignedHead) -> None:
        """One more."""
        self._write(json.dumps(to_row(receipt)) + "\n")
        self._kept += 1

    def _write(self, line: str) -> None:
        if self._file is None:
            return
        try:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            raise Wrong(f"{self._file} can't be written: {error.strerror}.") from None

    def tell(self, out: Console) -> None:
        """Where they are, and what they are good for."""
        if self._file is None or not self._kept:
            return
        out.print(f"{self._kept} receipts are in {self._file}. They prove what you have played; once it is exported:")
        show.commands(out, (f"{show.program()} receipt EXPORTED {self._file}", "finds each of them in the log"))


def receipt(file: Path, receipts: Path, keys: Path | None) -> None:
    """Says of each receipt what it was given for; it is a failure if one does not hold."""
    found = proofs.checked(file, proofs.trusted(keys, lookup.settings()))
    out = show.console()
    all_receipts = proofs.receipts(receipts)
    failed = sum(not _tell(one, found, out) for one in all_receipts)
    if failed:
        raise Failure(f"{failed} of {len(all_receipts)} receipts do not hold for {file}")


def _tell(one: SignedHead, found: Checked, out: Console) -> bool:
    try:
        envelope = check_receipt(found.audited, one, found.keys)
    except NotInLog as wrong:
        show.say(out, Text.assemble(("✗ ", "bold red"), f"version {wrong.version}: {wrong.message}."))
        return False
    first = _first_of_command(found.audited.envelopes, envelope)
    told = show.sentence(Sentences(found.audited.game).of(first), first.version)
    show.say(out, Text.assemble(("✓ ", "bold green"), told, (f" In the log up to version {one.version}.", "dim")))
    return True


def _first_of_command(log: Sequence[Envelope], last: Envelope) -> Envelope:
    """What was acknowledged together with this event, from its beginning: there the command itself shows."""
    at = last.version - 1
    while at and _belong_together(log[at - 1], last):
        at -= 1
    return log[at]


def _belong_together(one: Envelope, other: Envelope) -> bool:
    return (one.command_id, one.time_micros) == (other.command_id, other.time_micros)
