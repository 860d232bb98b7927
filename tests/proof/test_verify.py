"""A cheat with the platform's own key, who makes all hashes, commitments and signatures fit, is caught by the rules."""

from collections.abc import Callable
from typing import Any

import pytest

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2 as pb
from services.registry import load
from shared.audit import audit
from shared.envelope import Envelope
from shared.kernel import Seat
from shared.match.wire import Wire
from shared.verify import Wrong
from tests.proof.files import KEYS, SIGNED, envelopes_of, exported, forged

GAME = load("domino")
WIRE = Wire(GAME)
HOUR = 3_600_000_000


def first(log: list[Envelope], kind: str, after: int = 0) -> int:
    """The index of the first event of a type."""
    return next(index for index, envelope in enumerate(log) if index >= after and envelope.type.endswith(f".{kind}"))


def changed(log: list[Envelope], at: int, message: Any) -> int:
    """Another public part for an event; answers its version."""
    log[at] = log[at]._replace(public=message.SerializeToString())
    return at + 1


def another_deal(log: list[Envelope]) -> int:
    """Two hands are swapped."""
    at = first(log, "RoundDealt")
    one, two, *others = log[at].sealed
    log[at] = log[at]._replace(sealed=(one._replace(content=two.content), two._replace(content=one.content), *others))
    return at + 1


def a_tile_from_nowhere(log: list[Envelope]) -> int:
    """A player lays a tile that somebody else has laid before."""
    before = first(log, "TileLaid")
    at = first(log, "TileLaid", after=before + 1)
    laid = domino_pb2.TileLaid.FromString(log[at].public)
    laid.tile = domino_pb2.TileLaid.FromString(log[before].public).tile
    return changed(log, at, laid)


def a_skipped_draw(log: list[Envelope]) -> int:
    """A forced draw is left out."""
    at = first(log, "TileDrawn")
    log[at:] = [envelope._replace(version=envelope.version - 1) for envelope in log[at + 1 :]]
    return at + 1


def another_winner(log: list[Envelope]) -> int:
    """The places are turned round."""
    finished = pb.MatchFinished.FromString(log[-1].public)
    places = list(finished.places)[::-1]
    del finished.places[:]
    finished.places.extend(places)
    return changed(log, len(log) - 1, finished)


def another_seed_at_the_end(log: list[Envelope]) -> int:
    """What is shown is not what was committed to."""
    finished = pb.MatchFinished.FromString(log[-1].public)
    finished.server_seed = bytes(32)
    return changed(log, len(log) - 1, finished)


def another_commitment(log: list[Envelope]) -> int:
    """The hash in the first event is of another seed."""
    created = pb.MatchCreated.FromString(log[0].public)
    created.server_seed_hash = bytes(32)
    return changed(log, 0, created)


def ignored_entropy(log: list[Envelope]) -> int:
    """A player is said to have added something else, which would have led to another deal."""
    at = first(log, "SeatTaken")
    taken = pb.SeatTaken.FromString(log[at].public)
    taken.entropy = b"something else"
    changed(log, at, taken)
    return first(log, "RoundDealt") + 1


def out_of_turn(log: list[Envelope]) -> int:
    """Somebody else lays the tile."""
    at = first(log, "TileLaid", after=first(log, "TileLaid") + 1)
    laid = domino_pb2.TileLaid.FromString(log[at].public)
    laid.seat = 1 - laid.seat
    log[at] = log[at]._replace(seat=Seat(laid.seat))
    return changed(log, at, laid)


def an_event_too_many(log: list[Envelope]) -> int:
    """The match goes on after its end."""
    log.append(log[-2]._replace(version=len(log) + 1))
    return len(log)


CHEATS: list[Callable[[list[Envelope]], int]] = [
    another_deal,
    a_tile_from_nowhere,
    a_skipped_draw,
    another_winner,
    another_seed_at_the_end,
    another_commitment,
    ignored_entropy,
    out_of_turn,
    an_event_too_many,
]


def a_chosen_seed(log: list[Envelope]) -> int:
    """A computer player moves by chance that somebody has chosen for it."""
    at = next(i for i, envelope in enumerate(log) if any(part.type.endswith("AgentNote") for part in envelope.sealed))
    *others, note = log[at].sealed
    message = pb.AgentNote.FromString(note.content or b"")
    message.seed = bytes(32)
    log[at] = log[at]._replace(sealed=(*others, note._replace(content=message.SerializeToString())))
    return at + 1


def a_missing_note(log: list[Envelope]) -> int:
    """Nobody could compute the move again."""
    at = next(i for i, envelope in enumerate(log) if any(part.type.endswith("AgentNote") for part in envelope.sealed))
    log[at] = log[at]._replace(sealed=log[at].sealed[:-1])
    return at + 1


def a_clock_put_back(log: list[Envelope]) -> int:
    """A seat has more time than it should."""
    at = first(log, "ClocksSet", after=first(log, "TileLaid") + 5)
    shown = pb.ClocksSet.FromString(log[at].public)
    shown.clocks[0].remaining_micros += 1
    return changed(log, at, shown)


def a_move_after_the_time(log: list[Envelope]) -> int:
    """A player moves long after the clock was at 0."""
    at = first(log, "TileLaid", after=first(log, "ClocksSet") + 1)
    log[at:] = [envelope._replace(time_micros=envelope.time_micros + HOUR) for envelope in log[at:]]
    return at + 1


def time_given_to_one(log: list[Envelope]) -> int:
    """Time is given back after it had been charged."""
    at = first(log, "ClocksSet", after=first(log, "ClocksSet") + 1)
    given = pb.TimeGivenBack(micros=500_000)
    kind = str(pb.TimeGivenBack.DESCRIPTOR.full_name)
    extra = log[at]._replace(type=kind, public=given.SerializeToString())
    log[at:] = [extra, *(envelope._replace(version=envelope.version + 1) for envelope in log[at:])]
    return at + 2


def refusal(log: list[Envelope]) -> Wrong:
    """What is wrong with a log of which everything that is hashed or signed was made to fit."""
    with pytest.raises(Wrong) as wrong:
        audit(exported(WIRE, forged(log)), load, KEYS)
    return wrong.value


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
def test_a_consistent_forgery_is_found_where_it_is(cheat: Callable[[list[Envelope]], int]) -> None:
    """The rules and the seed lead to something else, and the first such place is named."""
    log = envelopes_of("signed_to_a_target")
    version = cheat(log)
    assert refusal(log).version == version


@pytest.mark.parametrize("cheat", [a_chosen_seed, a_missing_note], ids=lambda cheat: cheat.__name__)
def test_a_computer_player_has_the_chance_of_its_turn(cheat: Callable[[list[Envelope]], int]) -> None:
    """No worker and no operator can try seeds until a move comes out that they like."""
    log = envelopes_of("computers")
    version = cheat(log)
    assert refusal(log).version == version


@pytest.mark.parametrize(
    ("name", "cheat"),
    [
        ("time_per_move", a_clock_put_back),
        ("time_per_move", a_move_after_the_time),
        ("time_base_and_increment", a_clock_put_back),
        ("time_base_and_increment", a_move_after_the_time),
        ("time_base_and_increment", time_given_to_one),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_clocks_are_checked_like_any_rule(name: str, cheat: Callable[[list[Envelope]], int]) -> None:
    """Time is data: what the clocks must show follows from the times in the log."""
    log = envelopes_of(name)
    version = cheat(log)
    assert refusal(log).version == version


@pytest.mark.parametrize("name", SIGNED)
def test_an_honest_log_passes_the_same_way(name: str) -> None:
    """Hashed, committed and signed again, nothing has changed."""
    log = envelopes_of(name)
    assert forged(log) == log
    assert audit(exported(WIRE, forged(log)), load, KEYS).match is not None
