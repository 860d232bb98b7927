"""Writes the stored histories that are not there yet: `python -m tests.histories.make`.

A history is written once, by the code of its day, and must replay for ever: a file that is there is never written
again. A new game, option or kind of event adds a line to HISTORIES.
"""

import base64
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.domino.rules.model import Options as DominoOptions
from services.kingdomino.rules.model import Options as KingdominoOptions
from services.registry import load
from shared.envelope import Envelope, hash_of
from shared.export import envelope_line, header_line
from shared.game import Agent, AnyGame
from shared.kernel import Chance, Seat, Viewer
from shared.match.agents import agent_seed
from shared.match.clocks import TimeControl
from shared.match.model import Terms
from shared.match.wire import Wire
from shared.proof.heads import sign
from shared.proof.keys import SigningKey
from tests.conformance.recording import SECOND, Recorder, finished, play_on, player, rechained
from tests.histories.older import OLDER_TYPE, as_older

FOLDER = Path(__file__).parent
PICKS = (3, 1, 4, 1, 5, 9, 2, 6)
# Of no platform but this one.
KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(b"the key of the stored histories."))
MOVE = 30 * SECOND
BASE = 60 * SECOND
JOIN = 90 * SECOND
SEARCHED = 40
BRIEFLY = 3


def played(game: str, seats: int, options: Any = None) -> Recorder:
    """A match that everybody plays to the end."""
    rules = load(game)
    name = f"history of {game} with {seats} seats"
    return finished(rules, options or rules.default_options, ("",) * seats, name.encode().ljust(32), PICKS)


def with_leaving(game: str, seats: int, *leaving: int) -> Recorder:
    """A match in which a seat leaves after every second command, until those who want to leave have left."""
    rules = load(game)
    recorder = Recorder(rules, rules.default_options, ("",) * seats, b"history of leaving".ljust(32))
    for seat in leaving:
        go_on(recorder, 2)
        recorder.resign(Seat(seat))
    return to_the_end(recorder)


def go_on(recorder: Recorder, commands: int, pause: int = 0) -> None:
    """So many commands, with a pause before each."""
    for _ in play_on(recorder, PICKS, commands):
        recorder.wait(pause)


def to_the_end(recorder: Recorder) -> Recorder:
    """Without incidents."""
    for _ in play_on(recorder, PICKS):
        pass
    return recorder


def with_clock(game: str, control: TimeControl) -> Recorder:
    """The platform is away for a while in the middle of a turn; later a seat runs out of time."""
    rules = load(game)
    terms = Terms("organiser", is_public=False, control=control)
    recorder = Recorder(rules, rules.default_options, ("",) * 3, b"history with a clock".ljust(32), terms)
    go_on(recorder, 3, pause=7 * SECOND)
    recorder.wait(1_000 * SECOND, away=995 * SECOND)
    recorder.expire()
    go_on(recorder, 1, pause=2 * SECOND)
    recorder.wait(BASE)
    recorder.expire()
    return to_the_end(recorder)


def with_nobody(game: str, seats: int, *absent: int) -> Recorder:
    """A match that has waited for players, a little longer because the platform was away, and started without them."""
    rules = load(game)
    terms = Terms("organiser", join_micros=JOIN)
    seed = b"history with absent players".ljust(32)
    recorder = Recorder(rules, rules.default_options, ("",) * seats, seed, terms, absent)
    recorder.wait(50 * SECOND, away=40 * SECOND)
    recorder.expire()
    recorder.wait(JOIN)
    recorder.expire()
    return to_the_end(recorder)


def with_other_hands(game: str, seats: int) -> Recorder:
    """A seat that changes hands before the start, and another that does so in its own turn."""
    rules = load(game)
    recorder = Recorder(
        rules, rules.default_options, ("",) * seats, b"history of other hands".ljust(32), absent=(seats - 1,)
    )
    recorder.release(Seat(0))
    recorder.join(Seat(seats - 1), player("the-last"))
    recorder.join(Seat(0), player("somebody-else"))
    go_on(recorder, 2)
    acting = recorder.acting()[0]
    recorder.release(acting)
    recorder.join(acting, player("a-substitute"))
    return to_the_end(recorder)


def with_computers(rules: AnyGame, *levels: str, most: int = SEARCHED) -> Recorder:
    """A match of computer players, as they play it, if they search no more often than this."""
    recorder = Recorder(rules, rules.default_options, levels, b"history of computers".ljust(32))
    while recorder.acting():
        seat = recorder.acting()[0]
        agent = rules.agents[levels[seat]]
        view = rules.view(recorder.match.state, Viewer(seat))
        chance = Chance(agent_seed(recorder.match, seat))
        iterations = min(agent.iterations, most)
        recorder.submit(seat, agent.choose(view, chance, iter(range(iterations))), iterations)
    return recorder


def searching(game: str, level: str) -> AnyGame:
    """A game whose computer player of a level is one that is not there today: it searches, if in a simple way."""
    rules = load(game)

    def choose(view: Any, chance: Chance, search: Any) -> Any:
        return chance.shuffled("search", rules.legal(view) * (1 + sum(1 for _ in search)))[0]

    return replace(rules, agents={level: Agent(version=1_000, choose=choose, iterations=SEARCHED)})


HISTORIES: dict[str, Callable[[], Recorder]] = {
    "domino/two_seats": lambda: played("domino", 2),
    "domino/three_seats": lambda: played("domino", 3),
    "domino/four_seats": lambda: played("domino", 4),
    "domino/five_seats": lambda: played("domino", 5),
    "domino/hands_of_seven_to_a_target": lambda: played("domino", 3, DominoOptions(hand_size=7, target=60)),
    "domino/a_seat_resigned": lambda: with_leaving("domino", 4, 2),
    "domino/everybody_left": lambda: with_leaving("domino", 3, 1, 0, 2),
    # Those above were stored before logs were chained and signed.
    "domino/signed": lambda: played("domino", 3),
    "domino/signed_to_a_target": lambda: played("domino", 2, DominoOptions(target=40)),
    "domino/signed_a_seat_resigned": lambda: with_leaving("domino", 4, 2),
    "domino/time_per_move": lambda: with_clock("domino", TimeControl(move_micros=MOVE)),
    "domino/time_base_and_increment": lambda: with_clock(
        "domino", TimeControl(base_micros=BASE, increment_micros=3 * SECOND)
    ),
    "domino/two_did_not_come": lambda: with_nobody("domino", 4, 1, 3),
    "domino/nobody_came": lambda: with_nobody("domino", 3, 0, 1, 2),
    "domino/seats_changed_hands": lambda: with_other_hands("domino", 3),
    "domino/computers": lambda: with_computers(load("domino"), "random", "greedy"),
    "domino/computers_that_searched": lambda: with_computers(searching("domino", "greedy"), "greedy", "greedy"),
    "kingdomino/two_seats": lambda: played("kingdomino", 2),
    "kingdomino/three_seats": lambda: played("kingdomino", 3),
    "kingdomino/four_seats": lambda: played("kingdomino", 4),
    "kingdomino/duel": lambda: played("kingdomino", 2, KingdominoOptions(mighty_duel=True)),
    "kingdomino/dynasty_with_bonuses": lambda: played(
        "kingdomino", 3, KingdominoOptions(dynasty=True, middle_kingdom=True, harmony=True)
    ),
    "kingdomino/every_variant": lambda: played(
        "kingdomino", 2, KingdominoOptions(dynasty=True, middle_kingdom=True, harmony=True, mighty_duel=True)
    ),
    "kingdomino/a_seat_resigned": lambda: with_leaving("kingdomino", 3, 1),
    "kingdomino/everybody_left": lambda: with_leaving("kingdomino", 2, 1, 0),
    "kingdomino/time_per_move": lambda: with_clock("kingdomino", TimeControl(move_micros=MOVE)),
    "kingdomino/time_base_and_increment": lambda: with_clock(
        "kingdomino", TimeControl(base_micros=BASE, increment_micros=3 * SECOND)
    ),
    "kingdomino/two_did_not_come": lambda: with_nobody("kingdomino", 4, 1, 3),
    "kingdomino/seats_changed_hands": lambda: with_other_hands("kingdomino", 3),
    "kingdomino/computers": lambda: with_computers(load("kingdomino"), "random", "greedy", "search", most=BRIEFLY),
}
# The same matches twice: as they are written today, and as code of an older day would have written them.
OLDER: dict[str, str] = {
    "domino_older/tiles_as_numbers": "domino/three_seats",
    "domino_older/tiles_as_numbers_signed": "domino/signed",
}


def path_of(name: str) -> Path:
    """Where a history is stored."""
    return FOLDER / f"{name}.jsonl"


def lines(recorder: Recorder) -> list[str]:
    """A history as a file."""
    rows = (envelope_line(recorder.wire, envelope) for envelope in recorder.envelopes)
    return [_header(recorder, recorder.envelopes), *rows]


def older_lines(recorder: Recorder) -> list[str]:
    """The same history, with the events of one type in a shape that they no longer have."""
    today = recorder.envelopes
    older = rechained([as_older(envelope) if envelope.type == OLDER_TYPE else envelope for envelope in today])
    return [_header(recorder, older), *(_older_line(recorder.wire, *pair) for pair in zip(older, today, strict=True))]


def _header(recorder: Recorder, envelopes: Sequence[Envelope]) -> str:
    head = sign(KEY, recorder.match.id, len(envelopes), hash_of(envelopes[-1]))
    return header_line(recorder.game.name, head, KEY.public)


def _older_line(wire: Wire, older: Envelope, today: Envelope) -> str:
    """Today's code can tell what the event says only from its present shape."""
    row = json.loads(envelope_line(wire, older._replace(public=today.public)))
    return json.dumps({**row, "public": base64.b64encode(older.public).decode()}) + "\n"


def main(folder: Path = FOLDER) -> int:
    """Writes what is missing; says what it left alone."""
    made = {name: lines(build()) for name, build in HISTORIES.items()}
    made |= {name: older_lines(HISTORIES[newer]()) for name, newer in OLDER.items()}
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
