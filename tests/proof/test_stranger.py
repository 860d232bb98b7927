"""A verifier that uses nothing but what docs/proof.md says, in another language, with none of our code, agrees."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.registry import NAMES, load
from shared.envelope import Envelope
from shared.kernel import EVERYTHING, SPECTATOR, Seat, Viewer
from shared.match.wire import Wire
from tests.histories import make
from tests.proof import cheats
from tests.proof.cheats import Cheat
from tests.proof.files import envelopes_of, exported, forged, seed_of, signed, stored
from tests.proof.make_vectors import FILE as VECTORS

KINGDOMINO = load("kingdomino")
HERE = Path(__file__).parent
# The last resort against a program that hangs; each takes a tenth of a second.
MOST_SECONDS = 60


def node(program: str, *arguments: str) -> str:
    """What a program of the stranger's prints; a machine without Node skips the test."""
    if shutil.which("node") is None:
        pytest.skip("not installed: node")
    command = ["node", str(HERE / program), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    assert (ran.returncode == 0) == ran.stdout.startswith("good"), ran.stdout + ran.stderr
    return ran.stdout.strip()


def verdict(folder: Path, lines: list[str]) -> str:
    """What the stranger says of a file."""
    file = folder / "match.jsonl"
    file.write_text("".join(lines))
    return node("stranger.mjs", str(file), make.KEY.public.data.hex())


def test_the_stranger_uses_nothing_of_ours() -> None:
    """Only what Node brings along."""
    imports = [line for line in (HERE / "stranger.mjs").read_text().splitlines() if line.startswith("import ")]
    assert imports
    assert all('from "node:' in line for line in imports)


def test_the_stranger_computes_the_vectors_of_the_page() -> None:
    """Each of them, from the inputs that stand beside it."""
    assert node("stranger_vectors.mjs", str(VECTORS)) == "good"


@pytest.mark.parametrize(("game", "name"), [(game, name) for game in NAMES for name in signed(game)])
def test_the_stranger_accepts_every_stored_match(game: str, name: str, tmp_path: Path) -> None:
    """With computer players, clocks, seats that changed hands, absent players and several rounds or games."""
    assert verdict(tmp_path, stored(name, game)) == "good"


@pytest.mark.parametrize("viewer", [SPECTATOR, Viewer(Seat(1))], ids=["a spectator", "a seat"])
@pytest.mark.parametrize("length", [1, 20, None], ids=["begun", "going on", "over"])
def test_the_stranger_accepts_what_a_viewer_has(viewer: Viewer, length: int | None, tmp_path: Path) -> None:
    """The log of somebody from whom things are hidden has the same links, and its open parts can be checked."""
    lines = exported(envelopes_of("signed")[:length], viewer)
    assert verdict(tmp_path, lines) == "good, as far as it is open"


def without_a_line(lines: list[str]) -> list[str]:
    return [*lines[:10], *lines[11:]]


def with_a_line_twice(lines: list[str]) -> list[str]:
    return [*lines[:10], lines[9], *lines[10:]]


def with_lines_swapped(lines: list[str]) -> list[str]:
    return [*lines[:9], lines[10], lines[9], *lines[11:]]


def with_another_command_id(lines: list[str]) -> list[str]:
    return [*lines[:9], lines[9].replace('"command_id": "', '"command_id": "x'), *lines[10:]]


def with_another_time(lines: list[str]) -> list[str]:
    return [*lines[:9], lines[9].replace('"time_micros": 1', '"time_micros": 2'), *lines[10:]]


def with_a_part_for_others(lines: list[str]) -> list[str]:
    """Seat 1's hand is said to be seat 0's to see."""
    return [line.replace('{"seats": [1], "type"', '{"seats": [0], "type"', 1) for line in lines]


def with_a_part_closed(lines: list[str]) -> list[str]:
    """So that less would be checked."""
    seed = next(part for part in lines[1].split('"') if part.startswith("CiB"))
    salt = lines[1].partition('"salt": "')[2].partition('"')[0]
    return [lines[0], lines[1].replace(f'"{seed}"', "null", 1).replace(f'"{salt}"', '""', 1), *lines[2:]]


def with_another_game(lines: list[str]) -> list[str]:
    return [lines[0].replace('"game": "domino"', '"game": "other"'), *lines[1:]]


def with_another_key(lines: list[str]) -> list[str]:
    return [lines[0].replace(make.KEY.public.data.hex(), "ab" * 32), *lines[1:]]


def with_another_signature(lines: list[str]) -> list[str]:
    return [lines[0].replace('"signature": "', '"signature": "00'), *lines[1:]]


def with_another_match(lines: list[str]) -> list[str]:
    return [lines[0].replace('"match_id": "01H', '"match_id": "01J'), *lines[1:]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:-1], "version 45: 46 envelopes are signed"),
        (without_a_line, "version 45: 46 envelopes are signed"),
        (with_a_line_twice, "version 47: 46 envelopes are signed"),
        (with_lines_swapped, "version 9: versions do not count up"),
        (with_another_command_id, "version 10: the previous hash is another"),
        (with_another_time, "version 10: the previous hash is another"),
        (with_a_part_for_others, "version 7: the previous hash is another"),
        (with_a_part_closed, "version 46: what is open is not what any viewer may see"),
        (with_another_game, "version 1: the header has another game"),
        (with_another_key, "version 0: the key is not the published one"),
        (with_another_signature, "version 0: the signature does not hold"),
        (with_another_match, "version 0: the signature does not hold"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_stranger_sees_what_was_changed(
    change: Callable[[list[str]], list[str]], said: str, tmp_path: Path
) -> None:
    """Where it was changed, or at the next link."""
    assert verdict(tmp_path, change(stored("signed"))) == said


@pytest.mark.parametrize(
    ("name", "cheat", "said"),
    [
        ("signed", cheats.another_commitment, "the server seed is not the one that was committed to"),
        ("signed", cheats.another_seed_at_the_end, "another server seed is shown"),
        ("signed", cheats.another_seed_everywhere, "a salt does not come from the seed"),
        ("signed", cheats.ignored_entropy, "a salt does not come from the seed"),
        ("signed", cheats.another_deal, "seat 0 was dealt another hand"),
        ("signed", cheats.another_boneyard, "another boneyard"),
        ("signed", cheats.another_tile_drawn, "another tile was drawn"),
        ("signed", cheats.an_event_too_many, "the log does not end with the match"),
        ("computers", cheats.a_chosen_seed, "a computer player's seed was chosen"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_stranger_sees_what_a_cheat_has_signed(name: str, cheat: Cheat, said: str, tmp_path: Path) -> None:
    """Everything else is made to fit, with the platform's own key; the version is the one that ours names."""
    log = envelopes_of(name)
    seed = seed_of(log)
    version = cheat(log)
    assert verdict(tmp_path, exported(forged(log, seed))) == f"version {version}: {said}"


def replaced(log: list[Envelope], event_type: str, change: Callable[[Any], Any], nth: int = 0) -> int:
    """Another event of Kingdomino in the place of one of this type; says where."""
    place = [at for at, one in enumerate(log) if one.type.endswith(f".{event_type}")][nth]
    wire = Wire(KINGDOMINO)
    form = wire.encode(change(wire.event(log[place])))
    sealed = tuple(part._replace(content=new.content) for part, new in zip(log[place].sealed, form.sealed, strict=True))
    log[place] = log[place]._replace(public=form.public, sealed=sealed)
    return place + 1


@pytest.mark.parametrize(
    ("event_type", "nth", "change", "said"),
    [
        pytest.param(
            "GameDealt",
            0,
            lambda deal: deal._replace(kings=tuple(sorted(deal.kings))),
            "the kings were drawn otherwise",
            id="K-6: kings in another order",
        ),
        pytest.param(
            "GameDealt",
            2,
            lambda deal: deal._replace(deck=(*deal.deck[:-1], deal.aside[0]), aside=(deal.deck[-1], *deal.aside[1:])),
            "another deck was dealt",
            id="K-3, K-18: a domino that was put aside, in the third deck",
        ),
        pytest.param(
            "GameDealt",
            1,
            lambda deal: deal._replace(deck=(*deal.deck, deal.aside[0]), aside=deal.aside[1:]),
            "the deck has another size",
            id="K-3: a domino too many",
        ),
        pytest.param(
            "LineDrawn",
            4,
            lambda line: line._replace(numbers=(*line.numbers[:-1], line.numbers[-1] + 1)),
            "another line was drawn",
            id="K-9: another domino in a line",
        ),
    ],
)
def test_the_stranger_sees_how_kingdomino_was_dealt(
    event_type: str, nth: int, change: Callable[[Any], Any], said: str, tmp_path: Path
) -> None:
    """Everything else is made to fit, with the platform's own key."""
    log = envelopes_of("dynasty_with_bonuses", "kingdomino")
    seed = seed_of(log, KINGDOMINO)
    version = replaced(log, event_type, change, nth)
    lines = exported(forged(log, seed), game=KINGDOMINO)
    assert verdict(tmp_path, lines) == f"version {version}: {said}"


def test_the_stranger_sees_a_head_of_another_match(tmp_path: Path) -> None:
    """A good signature, but not of this log."""
    lines = exported(envelopes_of("signed"), EVERYTHING, match_id="01AAAAAAAAAAAAAAAAAAAAAAAA")
    assert verdict(tmp_path, lines) == "version 1: another match is signed"
