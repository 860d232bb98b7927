"""A cheat with the platform's own key, who makes all hashes, commitments and signatures fit, is caught by the rules."""

from collections.abc import Sequence

import pytest

from meydan.domino.v1.domino_pb2 import RoundDealt
from services.domino.rules.model import Options
from services.registry import load
from shared.audit import audit
from shared.envelope import Envelope
from shared.kernel import EVERYTHING, SPECTATOR, Seat
from shared.match.clocks import TimeControl
from shared.match.model import Terms
from shared.proof import chain
from shared.verify import Wrong
from tests.conformance.recording import SECOND, Recorder, play_on, player, rechained
from tests.proof import cheats
from tests.proof.cheats import Cheat
from tests.proof.files import GAME, KEYS, SIGNED, envelopes_of, exported, forged, seed_of

PICKS = (2, 7, 1, 8)

CASES: dict[str, tuple[str, Cheat]] = {
    f"{name}: {cheat.__name__}": (name, cheat)
    for name, kinds in (
        ("signed_to_a_target", cheats.OF_ANY_MATCH),
        ("computers", cheats.OF_COMPUTERS),
        ("time_per_move", cheats.OF_CLOCKS),
        ("time_base_and_increment", (*cheats.OF_CLOCKS, cheats.time_given_to_one)),
        ("two_did_not_come", cheats.OF_ABSENCE),
    )
    for cheat in kinds
}


def refusal(log: Sequence[Envelope], seed: bytes) -> Wrong:
    """What is wrong with a log of which everything that is hashed or signed was made to fit."""
    with pytest.raises(Wrong) as wrong:
        audit(exported(forged(log, seed)), load, KEYS)
    return wrong.value


@pytest.mark.parametrize("case", CASES)
def test_a_consistent_forgery_is_found_where_it_is(case: str) -> None:
    """The rules and the seed lead to something else, and the first such place is named."""
    name, cheat = CASES[case]
    log = envelopes_of(name)
    seed = seed_of(log)
    version = cheat(log)
    assert refusal(log, seed).version == version


def test_salts_can_not_be_chosen() -> None:
    """Otherwise the commitments, which everybody sees at once, could tell a friend what is hidden."""
    log = envelopes_of("signed")
    at = cheats.first(log, RoundDealt)
    part, *others = log[at].sealed
    salt = b"a salt that says something".ljust(32)
    chosen = part._replace(salt=salt, commitment=chain.commitment(salt, part.content or b""))
    log[at] = log[at]._replace(sealed=(chosen, *others))
    with pytest.raises(Wrong) as wrong:
        audit(exported(rechained(log)), load, KEYS)
    assert wrong.value.version == at + 1


def test_a_log_of_another_match_is_not_the_one_that_is_signed() -> None:
    """Neither a revealed one, nor one that is not to be decided again."""
    log = envelopes_of("signed")
    for viewer in (EVERYTHING, SPECTATOR):
        with pytest.raises(Wrong, match="another match"):
            audit(exported(log, viewer, match_id="01AAAAAAAAAAAAAAAAAAAAAAAA"), load, KEYS)


@pytest.mark.parametrize("name", SIGNED)
def test_an_honest_log_passes_the_same_way(name: str) -> None:
    """Salted, committed, hashed and signed again, nothing has changed."""
    log = envelopes_of(name)
    assert forged(log, seed_of(log)) == log
    assert audit(exported(log), load, KEYS).match is not None


def eventful(seats: int, options: Options, terms: Terms) -> Recorder:
    """A match with a computer player in which a seat changes hands, and seats leave, late or of their own will."""
    recorder = Recorder(GAME, options, (*[""] * (seats - 1), "greedy"), b"eventful".ljust(32), terms)
    _move(recorder, 3)
    recorder.release(Seat(0))
    recorder.join(Seat(0), player("substitute"))
    _move(recorder, 2)
    if recorder.match.clocks is not None and any(clock.is_running for clock in recorder.match.clocks):
        recorder.wait(1_000 * SECOND)
        recorder.expire()
    if recorder.is_playing and Seat(seats - 1) not in recorder.match.out:
        recorder.resign(Seat(seats - 1))
    _move(recorder)
    return recorder


def _move(recorder: Recorder, most: int = 2_000) -> None:
    for _ in play_on(recorder, PICKS, most):
        recorder.wait(SECOND)


@pytest.mark.parametrize("seats", GAME.seat_counts)
@pytest.mark.parametrize(
    "options", [Options(), Options(hand_size=4), Options(target=30)], ids=["hands of 5", "hands of 4", "to a target"]
)
@pytest.mark.parametrize(
    "control",
    [None, TimeControl(move_micros=20 * SECOND), TimeControl(base_micros=90 * SECOND, increment_micros=SECOND)],
    ids=["no clock", "per move", "base and increment"],
)
def test_matches_of_every_size_and_kind_pass(seats: int, options: Options, control: TimeControl | None) -> None:
    """The file is good, and what comes out is the very match that was played."""
    recorder = eventful(seats, options, Terms("organiser", control=control, join_micros=100 * SECOND))
    assert audit(exported(recorder.envelopes), load, KEYS).match == recorder.match
