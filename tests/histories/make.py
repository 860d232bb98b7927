"""Writes the stored histories that are not there yet: `python -m tests.histories.make`.

A history is written once, by the code of its day, and must replay for ever: a file that is there is never written
again. A new game, option or kind of event adds a line to HISTORIES.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from services.domino.rules.model import Options as DominoOptions
from services.registry import load
from shared.envelope import Envelope
from shared.host.export import envelope_line, header_line
from shared.kernel import Seat
from tests.conformance.recording import Recorder, finished, play_on
from tests.histories.older import OLDER_TYPE, as_older

FOLDER = Path(__file__).parent
PICKS = (3, 1, 4, 1, 5, 9, 2, 6)


def played(game: str, seats: int, options: Any = None) -> Recorder:
    """A match that everybody plays to the end."""
    rules = load(game)
    name = f"history of {game} with {seats} seats"
    return finished(rules, options or rules.default_options, ("",) * seats, name.encode().ljust(32), PICKS)


def with_leaving(game: str, seats: int, *leaving: int) -> Recorder:
    """A match in which a seat leaves after every second command, until those who want to leave have left."""
    rules = load(game)
    recorder = Recorder(rules, rules.default_options, ("",) * seats, b"history with leaving".ljust(32))
    for seat in leaving:
        for _ in play_on(recorder, PICKS, 2):
            pass
        recorder.resign(Seat(seat))
    for _ in play_on(recorder, PICKS):
        pass
    return recorder


HISTORIES: dict[str, Callable[[], Recorder]] = {
    "domino/two_seats": lambda: played("domino", 2),
    "domino/three_seats": lambda: played("domino", 3),
    "domino/four_seats": lambda: played("domino", 4),
    "domino/five_seats": lambda: played("domino", 5),
    "domino/hands_of_seven_to_a_target": lambda: played("domino", 3, DominoOptions(hand_size=7, target=60)),
    "domino/a_seat_resigned": lambda: with_leaving("domino", 4, 2),
    "domino/everybody_left": lambda: with_leaving("domino", 3, 1, 0, 2),
}
# The same match twice: as it is written today, and as code of an older day would have written it.
OLDER = "domino_older/tiles_as_numbers"
NEWER = "domino/three_seats"


def path_of(name: str) -> Path:
    """Where a history is stored."""
    return FOLDER / f"{name}.jsonl"


def lines(recorder: Recorder) -> list[str]:
    """A history as a file."""
    rows = (envelope_line(recorder.wire, envelope) for envelope in recorder.envelopes)
    return [header_line(recorder.game.name, recorder.match.id), *rows]


def older_lines(recorder: Recorder) -> list[str]:
    """The same history, with the events of one type in a shape that they no longer have."""
    head, *rows = lines(recorder)
    return [head, *map(_older_line, rows, recorder.envelopes)]


def _older_line(line: str, envelope: Envelope) -> str:
    if envelope.type != OLDER_TYPE:
        return line
    older = as_older(envelope)
    return json.dumps({**json.loads(line), **older}) + "\n"


def main(folder: Path = FOLDER) -> int:
    """Writes what is missing; says what it left alone."""
    made = {name: lines(build()) for name, build in HISTORIES.items()}
    made[OLDER] = older_lines(HISTORIES[NEWER]())
    for name, text in made.items():
        path = folder / f"{name}.jsonl"
        if path.exists():
            sys.stdout.write(f"{path.name} is there and stays as it is\n")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
