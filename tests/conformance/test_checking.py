"""What lets anybody check a log of any game: commands that can be read off their events, and links that all can see."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.envelope import redact, unpack
from shared.game import AnyGame
from shared.kernel import EVERYTHING, SPECTATOR, Chance, Refusal, Seat, Viewer
from shared.match.clocks import TimeControl
from shared.match.model import Status, Terms
from shared.proof import chain
from shared.verify import Wrong, check_chain, is_redacted, moves, verify
from tests.conformance.cases import SEED, Case, commands_seen, every_case
from tests.conformance.recording import SECOND, Recorder, finished, play_on, player

MOST_COMMANDS = 300
LONG = 1_000 * SECOND

seeds = st.binary(min_size=32, max_size=32)
picks = st.lists(st.integers(0, 40), max_size=12)
terms = st.sampled_from(
    (
        Terms(),
        Terms(control=TimeControl(move_micros=10 * SECOND)),
        Terms(control=TimeControl(base_micros=100 * SECOND, increment_micros=SECOND)),
    )
)
# After so many commands, something that is no move happens to the seat whose turn it is.
incidents = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(("release", "away", "late", "resign"))), min_size=3, max_size=6
)
matches = settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def folded(game: AnyGame, state: Any, events: Sequence[Any]) -> Any:
    """The state after events."""
    for event in events:
        state = game.evolve(state, event)
    return state


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_a_command_can_be_read_off_its_events(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """Of every move; and decided again, it has the same events.

    What is read may be another way of saying the same command, but never another one of the legal commands.
    """
    game = case.game
    recorder = Recorder(game, case.options, case.open_seats, seed)
    played = play_on(recorder, picks, MOST_COMMANDS)
    pending = next(played, None)
    while pending is not None:
        seat, command = pending
        before, legal = recorder.match, recorder.legal(seat)
        pending = next(played, None)
        written = recorder.envelopes[before.version :]
        of_game = takewhile(lambda one: one.type in recorder.wire.game_events, written)
        events = tuple(map(recorder.wire.event, of_game))
        read = game.cause(iter(events))
        assert read == command or read not in legal
        assert game.decide(before.state, seat, read, Chance(before.seed)) == events


@every_case
def test_what_sets_a_match_up_is_the_effect_of_no_command(case: Case) -> None:
    """Nobody can pass a deal off as somebody's move."""
    events = case.game.setup(case.game.initial(case.options, case.seats), Chance(SEED))
    assert case.game.cause(iter(events)) is None


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_to_advance_is_to_decide_and_to_fold(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """In every position, for whatever anybody tries: the same events and the same state, or the same refusal."""
    game = case.game
    if game.advance is None:
        pytest.skip(f"{game.name} only decides")
    recorder = Recorder(game, case.options, case.open_seats, seed)
    chance = Chance(recorder.match.seed)
    for seat, command in play_on(recorder, picks, MOST_COMMANDS):
        state = recorder.match.state
        for tried in (command, *commands_seen(case)):
            decided = game.decide(state, seat, tried, chance)
            whole = decided if isinstance(decided, Refusal) else (folded(game, state, decided), decided)
            assert game.advance(state, seat, tried, chance) == whole


def played(
    case: Case, seed: bytes, picks: Sequence[int], laid_down: Terms, happened: Sequence[tuple[int, str]]
) -> Recorder:
    """A match to its end, with a computer at its last seat and with incidents."""
    seats = (*case.open_seats[1:], next(iter(case.game.agents)))
    recorder = Recorder(case.game, case.options, seats, seed, laid_down)
    for commands, incident in happened:
        for _ in play_on(recorder, picks, commands):
            pass
        if recorder.is_playing:
            happen(recorder, recorder.acting()[0], incident)
    for _ in play_on(recorder, picks):
        pass
    return recorder


def happen(recorder: Recorder, seat: Seat, incident: str) -> None:
    """Something happens to a seat, if it can happen to it."""
    has_player = not recorder.match.seats[seat].ai_level
    is_timed = recorder.match.clocks is not None and recorder.match.clocks[seat].is_running
    match incident:
        case "resign":
            recorder.resign(seat)
        case "release" if has_player:
            recorder.release(seat)
            recorder.join(seat, player(f"substitute-{len(recorder.envelopes)}"))
        case "late" if is_timed:
            recorder.wait(LONG)
            recorder.expire()
        case "away" if is_timed:
            recorder.wait(LONG, away=LONG)
            recorder.expire()
        case _:
            pass


@every_case
@matches
@given(seed=seeds, picks=picks, laid_down=terms, happened=incidents)
def test_every_log_passes_the_check(
    case: Case, seed: bytes, picks: Sequence[int], laid_down: Terms, happened: Sequence[tuple[int, str]]
) -> None:
    """Whatever happened in its match; decided again from its stored bytes, it is the very match that was played."""
    recorder = played(case, seed, picks, laid_down, happened)
    envelopes = list(map(unpack, recorder.records))
    assert verify(case.game, recorder.wire, envelopes) == recorder.match
    assert recorder.match.status is Status.FINISHED
    checked = list(moves(case.game, recorder.wire, envelopes))
    assert [one for move in checked for one in move.envelopes] == envelopes


@every_case
def test_a_log_without_its_end_does_not_pass(case: Case) -> None:
    """Wherever it is cut: what is left may be true, but it is not all."""
    recorder = finished(case.game, case.options, case.open_seats, SEED)
    for length in range(0, len(recorder.envelopes), 7):
        with pytest.raises(Wrong):
            verify(case.game, recorder.wire, recorder.envelopes[:length])


@every_case
@matches
@given(seed=seeds, picks=picks, laid_down=terms, happened=incidents)
def test_every_viewer_can_check_the_links(
    case: Case, seed: bytes, picks: Sequence[int], laid_down: Terms, happened: Sequence[tuple[int, str]]
) -> None:
    """Redacted as it is for anybody, the log has the same hashes, and opens what it shows and nothing else."""
    recorder = played(case, seed, picks, laid_down, happened)
    for viewer in (*map(Viewer, case.numbers), SPECTATOR, EVERYTHING):
        seen = [redact(envelope, viewer) for envelope in recorder.envelopes]
        check_chain(seen)
        assert is_redacted(seen) == (viewer is not EVERYTHING)
        for whole, shown in zip(recorder.envelopes, seen, strict=True):
            for kept, part in zip(whole.sealed, shown.sealed, strict=True):
                assert part == (kept if viewer.may_see(kept.seats) else kept._replace(content=None, salt=b""))


@every_case
def test_a_log_that_was_changed_has_a_broken_link(case: Case) -> None:
    """A viewer who sees hardly anything finds out, at the next envelope at the latest."""
    recorder = finished(case.game, case.options, case.open_seats, SEED)
    seen = [redact(envelope, SPECTATOR) for envelope in recorder.envelopes]
    for place in range(0, len(seen) - 1, 5):
        changed = seen[place]._replace(time_micros=seen[place].time_micros + 1)
        with pytest.raises(Wrong) as error:
            check_chain([*seen[:place], changed, *seen[place + 1 :]])
        assert error.value.version == place + 2


@every_case
def test_every_secret_is_bound_with_a_salt_of_its_own(case: Case) -> None:
    """Equal secrets have commitments that differ, so that nobody can tell by trying what was sealed."""
    recorder = finished(case.game, case.options, case.open_seats, SEED)
    parts = [part for envelope in recorder.envelopes for part in envelope.sealed]
    assert len({part.salt for part in parts}) == len({part.commitment for part in parts}) == len(parts) > 0
    assert all(part.commitment == chain.sha256(part.salt + (part.content or b"")) for part in parts)
