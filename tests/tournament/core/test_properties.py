"""Whatever happens in a tournament, its log says it: in tournaments of every system in which anything is tried."""

from functools import cache

import pytest

from services.tournament import fold, verify
from services.tournament.book import standings_rows
from services.tournament.model import System, TieBreak
from services.tournament.rounds import final_places, is_over
from services.tournament.wire import EVENTS, WIRE
from shared.envelope import pack, redact, unpack
from shared.kernel import SPECTATOR
from tests.tournament.core.recording import Recorder, plan
from tests.tournament.core.wandering import SYSTEMS, wander

SEEDS = range(6)
every_system = pytest.mark.parametrize("name", SYSTEMS)


@cache
def wandered(name: str, seed: int) -> Recorder:
    """A tournament of a system, to its end."""
    system, changes, people = SYSTEMS[name]
    return wander(plan(system, **changes), people, seed)


@every_system
def test_the_fold_of_what_is_emitted_is_the_state(name: str) -> None:
    """At the end, and in pieces of any size; from stored bytes too, and twice the same."""
    for seed in SEEDS:
        recorder = wandered(name, seed)
        stored = [unpack(pack(envelope)) for envelope in recorder.envelopes]
        assert fold.TournamentFold().fold(None, stored) == recorder.tournament
        cut = len(stored) * (seed + 1) // 8 or 1
        folder = fold.TournamentFold()
        assert folder.fold(folder.fold(None, stored[:cut]), stored[cut:]) == recorder.tournament


@every_system
def test_the_fold_is_the_state_after_every_command(name: str) -> None:
    """And counts of open and waiting tables are what a look at each of them says."""
    system, changes, people = SYSTEMS[name]
    known = [fold.TournamentFold().fold(None, Recorder(plan(system, **changes)).envelopes)]

    def look(recorder: Recorder) -> None:
        fresh = recorder.envelopes[known[0].version :]
        known[0] = fold.TournamentFold().fold(known[0], fresh)
        assert known[0] == recorder.tournament
        for pairing in recorder.tournament.rounds:
            boards = pairing.boards.values()
            assert pairing.open_tables == sum(board.outcome is None for board in boards)
            assert pairing.waiting_tables == sum(board.is_waiting for board in boards)

    wander(plan(system, **changes), people, 77, look)


@every_system
def test_what_happened_is_verified(name: str) -> None:
    """Every command of it is decided again, to the letter; and the end is as the standings say."""
    for seed in SEEDS:
        recorder = wandered(name, seed)
        found = verify.verify(recorder.envelopes)
        assert found == recorder.tournament
        assert found.places == final_places(found)
        if name != "an arena":
            assert is_over(found) or system_ends_early(found.plan.system)


def system_ends_early(system: System) -> bool:
    """Whether a ruling about the past may lead to another round after the end was found."""
    return system not in (System.SWISS, System.DUTCH)


@every_system
def test_the_same_is_the_same(name: str) -> None:
    """Byte for byte, whoever runs it again."""
    assert wandered.__wrapped__(name, 3).envelopes == wandered(name, 3).envelopes


@every_system
def test_a_log_that_is_not_over_is_verified_without_its_seed(name: str) -> None:
    """At every command, as everybody sees it: and nothing of the seed is in any byte of it."""
    recorder = wandered(name, 1)
    seeds = (recorder.tournament.server_seed, recorder.tournament.seed)
    hidden = [redact(envelope, SPECTATOR) for envelope in recorder.envelopes[:-1]]
    found = verify.verify(hidden)
    assert found.version == len(hidden)
    assert found._replace(server_seed=b"", seed=b"") == recorder.folded(len(hidden))._replace(server_seed=b"", seed=b"")
    assert not any(seed in repr(envelope).encode() or seed in envelope.public for seed in seeds for envelope in hidden)
    assert not any(part.content or part.salt for envelope in hidden for part in envelope.sealed)


@pytest.mark.parametrize(("name", "seed"), [*[(name, 4) for name in SYSTEMS], ("groups", 20)])
def test_standings_can_be_asked_for_at_any_moment(name: str, seed: int) -> None:
    """By every tie-break, also while a table of a round long over is open again: everybody has a row."""
    system, changes, people = SYSTEMS[name]

    def look(recorder: Recorder) -> None:
        rows = standings_rows(recorder.tournament)
        assert {row.number for row in rows} == set(recorder.tournament.order)
        assert all(row.reason for row in rows[:-1])

    wander(plan(system, tie_breaks=tuple(TieBreak), **changes), people, seed, look)


@pytest.mark.parametrize("seed", [7, 114])
def test_no_bracket_is_stuck_by_rulings_about_its_past(seed: int) -> None:
    """Where more than two come to be in one place, two of them meet."""
    assert wandered("a double elimination", seed).is_over


def test_every_event_is_folded() -> None:
    """But for the first, which makes the tournament: whoever adds an event adds what it means."""
    assert set(fold._AFTER) == set(EVENTS[1:])


def test_every_event_happens_in_these_tournaments() -> None:
    """What is not tried is not shown."""
    logs = [wandered(name, seed).envelopes for name in SYSTEMS for seed in SEEDS]
    assert {type(WIRE.public(envelope)) for log in logs for envelope in log} == set(EVENTS)


def test_most_of_what_is_tried_makes_sense() -> None:
    """Otherwise the properties above would say little."""
    lengths = {name: min(len(wandered(name, seed).envelopes) for seed in SEEDS) for name in SYSTEMS}
    assert min(lengths.values()) > 15, lengths
