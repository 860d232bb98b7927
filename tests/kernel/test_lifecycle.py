"""What a match does whatever its game: seats, start, who is out, the end, and the fold of all that."""

from dataclasses import replace
from typing import Any

import pytest

from meydan.match.v1 import envelope_pb2 as pb
from services.registry import load
from shared.envelope import Envelope, redact
from shared.kernel import SPECTATOR, Chance, Places, Refusal, Seat, Viewer
from shared.match.lifecycle import Lifecycle, agent_seed, agents_to_act, final_places
from shared.match.model import Decided, Match, SeatState, Stamp, Status
from shared.match.wire import Wire
from shared.replay import BrokenLog, Replay
from tests.conformance.recording import MATCH_ID, Recorder, finished, play_on

DOMINO = load("domino")
WIRE = Wire(DOMINO)
LIFECYCLE = Lifecycle(DOMINO, WIRE)


@pytest.mark.parametrize(
    ("places", "out", "expected"),
    [
        pytest.param(None, (), None, id="nobody is out, and the game goes on"),
        pytest.param(None, (1,), None, id="one is out, and the game goes on"),
        pytest.param(((0,), (1,), (2,)), (), ((0,), (1,), (2,)), id="nobody is out"),
        pytest.param(((0,), (1,), (2,)), (0,), ((1,), (2,), (0,)), id="the winner is out, and last"),
        pytest.param(((0,), (1,), (2,)), (2,), ((0,), (1,), (2,)), id="the last is out"),
        pytest.param(((0,), (1,), (2,)), (1, 0), ((2,), (0,), (1,)), id="the first to go out is last"),
        pytest.param(((0,), (1,), (2,)), (0, 1), ((2,), (1,), (0,)), id="the other way round"),
        pytest.param(((0, 1), (2,)), (1,), ((0,), (2,), (1,)), id="out of a tie"),
        pytest.param(((0, 1, 2),), (2,), ((0, 1), (2,)), id="a tie of the others stays"),
        pytest.param(None, (2, 0, 1), ((1,), (0,), (2,)), id="all are out: the last to leave is first"),
        pytest.param(((0,), (1, 2)), (2, 0, 1), ((1,), (0,), (2,)), id="all are out: the game's places do not count"),
    ],
)
def test_final_places_put_those_who_left_last(places: Any, out: Any, expected: Places | None) -> None:
    """The first seat that went out is last, the next one before it, and so on."""
    assert final_places(places, out, 3) == expected


def created(*levels: str, seed: bytes = b"seed") -> Match:
    """A new match."""
    seats = tuple(SeatState(ai_level=level) for level in levels)
    return LIFECYCLE.create(MATCH_ID, DOMINO.default_options, seats, seed, Stamp("create", 1)).match


def started(seats: int = 3) -> Match:
    """A match whose seats are all taken."""
    match = created(*[""] * seats)
    for number in range(seats):
        match = accepted(LIFECYCLE.join(match, None, f"P{number}", Stamp(f"join-{number}", 1))).match
    return match


def accepted(decided: Decided | Refusal) -> Decided:
    """What was decided, if it was not refused."""
    assert isinstance(decided, Decided), decided
    return decided


def names(decided: Decided) -> list[str]:
    """The types of events."""
    return [envelope.type.rpartition(".")[2] for envelope in decided.envelopes]


def test_a_match_waits_until_its_last_seat_is_taken() -> None:
    """Then the game's own events follow in the same command."""
    match = created("", "greedy", "")
    assert (match.status, match.version, match.state) == (Status.WAITING, 1, None)
    first = accepted(LIFECYCLE.join(match, None, "A", Stamp("a", 2)))
    assert names(first) == ["SeatTaken"]
    second = accepted(LIFECYCLE.join(first.match, None, "B", Stamp("b", 3)))
    assert names(second)[:4] == ["SeatTaken", "MatchStarted", "RoundDealt", "TileLaid"]
    assert [seat.player_name for seat in second.match.seats] == ["A", "", "B"]
    assert second.match.status is Status.PLAYING
    assert second.match.version == 2 + len(second.envelopes)


@pytest.mark.parametrize(
    ("wanted", "rule"),
    [pytest.param(0, "SEAT_TAKEN", id="taken"), pytest.param(1, "SEAT_TAKEN", id="a computer's")],
)
def test_a_seat_is_taken_once(wanted: int, rule: str) -> None:
    """Neither a player's nor a computer's seat is open."""
    match = accepted(LIFECYCLE.join(created("", "greedy", ""), Seat(0), "A", Stamp("a", 2))).match
    refused = LIFECYCLE.join(match, Seat(wanted), "B", Stamp("b", 3))
    assert isinstance(refused, Refusal)
    assert refused.rule == rule


def test_nobody_joins_a_full_match() -> None:
    """There is no seat left, whichever is asked for."""
    for wanted in (None, Seat(0)):
        refused = LIFECYCLE.join(started(), wanted, "D", Stamp("d", 2))
        assert isinstance(refused, Refusal)
        assert refused.rule == "NO_OPEN_SEAT"


def test_the_default_plays_for_a_seat_that_is_out() -> None:
    """At once whenever it is its turn, in the command of whoever came before, until the match is over."""
    recorder = Recorder(DOMINO, DOMINO.default_options, ("", "", ""), b"out")
    gone = recorder.acting()[0]
    recorder.resign(gone)
    assert gone not in recorder.acting()
    while recorder.is_playing:
        (seat,) = recorder.acting()
        assert seat != gone
        recorder.submit(seat, recorder.legal(seat)[0])
    assert recorder.match.places is not None
    assert recorder.match.places[-1] == (gone,)
    check_defaults(recorder, gone)


def check_defaults(recorder: Recorder, gone: Seat) -> None:
    """Every tile that the seat laid after it left is the one that its default chooses."""
    replay = Replay(DOMINO, recorder.wire)
    match = replay.fold(None, recorder.envelopes[:1])
    played = 0
    for envelope in recorder.envelopes[1:]:
        is_move = envelope.type.endswith("TileLaid") and envelope.seat == gone
        if is_move and gone in match.out:
            played += 1
            chosen = DOMINO.default(DOMINO.view(match.state, Viewer(gone)))
            assert recorder.wire.event(envelope).tile == chosen.tile  # type: ignore[attr-defined]
        match = replay.fold(match, [envelope])
    assert played > 0


def test_a_match_ends_at_once_when_nobody_is_left_in() -> None:
    """No default is played any more; the last to leave is first."""
    match = started()
    for number, seat in enumerate((2, 0, 1)):
        before = match
        decided = accepted(LIFECYCLE.resign(match, Seat(seat), Stamp("leave", 5)))
        match = decided.match
        assert (match.status is Status.FINISHED) == (number == 2)
    assert names(decided) == ["SeatWentOut", "MatchFinished"]
    assert match.state == before.state
    assert match.places == ((1,), (0,), (2,))


@pytest.mark.parametrize("state", ["waiting", "finished", "out"])
def test_who_can_not_play_can_not_leave_either(state: str) -> None:
    """Before the start, after the end, and after having left."""
    rules = {"waiting": "MATCH_NOT_STARTED", "finished": "MATCH_OVER", "out": "SEAT_IS_OUT"}
    matches = {
        "waiting": created("", ""),
        "finished": finished(DOMINO, DOMINO.default_options, ("", ""), b"end").match,
        "out": accepted(LIFECYCLE.resign(started(), Seat(0), Stamp("leave", 2))).match,
    }
    match = matches[state]
    for answer in (
        LIFECYCLE.resign(match, Seat(0), Stamp("leave", 3)),
        LIFECYCLE.submit(match, Seat(0), DOMINO.notation.parse_command("0-0 left"), None, Stamp("move", 3)),
    ):
        assert isinstance(answer, Refusal)
        assert answer.rule == rules[state]


def test_computers_to_act_are_those_whose_turn_it_is() -> None:
    """With their levels; none before the start, none after the end, none that is out."""
    match = created("greedy", "random")
    (acting,) = DOMINO.to_act(match.state)
    assert agents_to_act(DOMINO, match) == ((acting, ("greedy", "random")[acting]),)
    assert agents_to_act(DOMINO, created("greedy", "")) == ()
    assert agents_to_act(DOMINO, started()) == ()
    assert agents_to_act(DOMINO, match._replace(out=(acting,))) == ()
    assert agents_to_act(DOMINO, match._replace(status=Status.FINISHED)) == ()


def test_the_seed_of_an_agents_turn_is_its_own() -> None:
    """Another one for each seat and version; from the match's seed, which it does not tell."""
    match = created("greedy", "random")
    seeds = {agent_seed(match._replace(version=version), Seat(seat)) for version in range(5) for seat in range(2)}
    assert len(seeds) == 10
    assert agent_seed(match, Seat(1)) == Chance(match.seed).derive(f"ai/1/{match.version}")


def test_a_note_is_sealed_in_the_first_event_of_its_move() -> None:
    """For nobody; the event itself is folded as if it had none."""
    match = created("greedy", "random")
    (acting,) = DOMINO.to_act(match.state)
    command = DOMINO.legal(DOMINO.view(match.state, Viewer(acting)))[0]
    note = pb.AgentNote(name="domino/greedy", version=1, seed=b"s")
    with_note = accepted(LIFECYCLE.submit(match, acting, command, note, Stamp("move", 2)))
    without = accepted(LIFECYCLE.submit(match, acting, command, None, Stamp("move", 2)))
    assert with_note.match == without.match
    assert with_note.envelopes[1:] == without.envelopes[1:]
    part = with_note.envelopes[0].sealed[-1]
    assert (part.seats, part.type, part.content) == ((), "meydan.match.v1.AgentNote", note.SerializeToString())


def test_time_goes_on_with_the_clock_and_never_back() -> None:
    """Whatever the clocks of several processes say."""
    match = created("", "")
    times = []
    for number, now in enumerate((50, 20)):
        match = accepted(LIFECYCLE.join(match, None, "A", Stamp(f"{number}", now))).match
        times.append(match.time_micros)
    assert times == [50, 50]
    assert match.created_micros == 1


def log() -> list[Envelope]:
    """The log of a match that goes on."""
    recorder = Recorder(DOMINO, DOMINO.default_options, ("", ""), b"broken")
    for _ in play_on(recorder, (1,), 3):
        pass
    return recorder.envelopes


@pytest.mark.parametrize(
    ("broken", "version"),
    [
        pytest.param(lambda _: [], 1, id="no event at all"),
        pytest.param(lambda log: log[1:], 1, id="without its beginning"),
        pytest.param(lambda log: [*log[:3], *log[4:]], 4, id="with a gap"),
        pytest.param(lambda log: [*log[:3], log[2], *log[3:]], 4, id="with an event twice"),
        pytest.param(lambda log: log[::-1], 1, id="backwards"),
        pytest.param(lambda log: [log[1]._replace(version=1)], 1, id="beginning with a join"),
        pytest.param(lambda log: [redact(one, SPECTATOR) for one in log], 1, id="redacted"),
        pytest.param(lambda log: [log[0], log[0]._replace(version=2)], 2, id="created twice"),
        pytest.param(lambda log: [log[0], log[1]._replace(type="meydan.match.v1.Unheard")], 2, id="an unknown event"),
        pytest.param(lambda log: [log[0]._replace(sealed=())], 1, id="without its seed"),
        pytest.param(lambda log: [log[0], log[1]._replace(public=b"\xff")], 2, id="with bytes that are no message"),
    ],
)
def test_a_log_that_does_not_replay_says_where(broken: Any, version: int) -> None:
    """BrokenLog, with the version at which it stops to make sense."""
    with pytest.raises(BrokenLog) as error:
        Replay(DOMINO, WIRE).fold(None, broken(log()))
    assert error.value.version == version


def test_the_log_of_another_game_is_not_folded() -> None:
    """A match is folded by the rules of its own game only."""
    other = replace(DOMINO, name="other")
    recorder = Recorder(other, other.default_options, ("", ""), b"other")
    with pytest.raises(BrokenLog):
        Replay(DOMINO, WIRE).fold(None, recorder.envelopes)


def test_a_fold_goes_on_from_where_a_match_stands() -> None:
    """In pieces of any size it comes to the same."""
    envelopes = log()
    replay = Replay(DOMINO, WIRE)
    whole = replay.fold(None, envelopes)
    for cut in range(1, len(envelopes)):
        assert replay.fold(replay.fold(None, envelopes[:cut]), envelopes[cut:]) == whole
