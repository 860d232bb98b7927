"""A verifier written from docs/proof.md alone, in another language, with none of our code, agrees with ours."""

import shutil
import subprocess
from pathlib import Path

import pytest

from services.registry import load
from shared.kernel import SPECTATOR, Seat, Viewer
from shared.match.wire import Wire
from tests.histories import make
from tests.proof.files import SIGNED, envelopes_of, exported, forged, stored

STRANGER = Path(__file__).with_name("stranger.mjs")
WIRE = Wire(load("domino"))


def verdict(folder: Path, lines: list[str]) -> str:
    """What the stranger says of a file."""
    if shutil.which("node") is None:
        pytest.skip("not installed: node")
    file = folder / "match.jsonl"
    file.write_text("".join(lines))
    command = ["node", str(STRANGER), str(file), make.KEY.public.data.hex()]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout.strip()


@pytest.mark.parametrize("name", SIGNED)
def test_the_stranger_accepts_every_stored_match(name: str, tmp_path: Path) -> None:
    """With computer players, clocks, seats that changed hands, absent players and several rounds."""
    assert verdict(tmp_path, stored(name)) == "good"


@pytest.mark.parametrize("viewer", [SPECTATOR, Viewer(Seat(1))], ids=["a spectator", "a seat"])
def test_the_stranger_accepts_what_a_viewer_has_while_the_match_goes_on(viewer: Viewer, tmp_path: Path) -> None:
    """The log of somebody from whom things are hidden has the same links, and its open parts can be checked."""
    lines = exported(WIRE, envelopes_of("signed")[:20], viewer)
    assert verdict(tmp_path, lines) == "good, as far as it is open"


def test_the_stranger_sees_a_changed_event(tmp_path: Path) -> None:
    """The next envelope does not fit any more."""
    lines = stored("signed")
    lines[10] = lines[10].replace('"command_id": "', '"command_id": "x')
    assert verdict(tmp_path, lines) == "version 11: the previous hash is another"


def test_the_stranger_sees_a_truncated_file(tmp_path: Path) -> None:
    """The length is signed."""
    lines = stored("signed")
    assert verdict(tmp_path, lines[:-1]) == f"version {len(lines) - 2}: {len(lines) - 1} envelopes are signed"


def test_the_stranger_sees_a_deal_that_was_chosen(tmp_path: Path) -> None:
    """Two hands are swapped, and everything else is made to fit, with the platform's own key."""
    log = envelopes_of("signed")
    at = next(index for index, envelope in enumerate(log) if envelope.type.endswith("RoundDealt"))
    first, second, *others = log[at].sealed
    contents = (second.content or b"", first.content or b"")
    swapped = (first._replace(content=contents[0]), second._replace(content=contents[1]), *others)
    log[at] = log[at]._replace(sealed=swapped)
    assert verdict(tmp_path, exported(WIRE, forged(log))) == f"version {at + 1}: seat 0 was dealt another hand"


def test_the_stranger_asks_for_the_published_key(tmp_path: Path) -> None:
    """A file that somebody else has signed is nobody's word."""
    lines = stored("signed")
    other = "ab" * 32
    lines[0] = lines[0].replace(make.KEY.public.data.hex(), other)
    assert verdict(tmp_path, lines) == "version 0: the key is not the published one"
