"""What a match does whatever its game: seats, start, who is out, the end, and the fold of all that."""

import hashlib
import hmac
from dataclasses import replace
from typing import Any

import pytest

from meydan.match.v1 import envelope_pb2 as pb
from shared.envelope import Envelope, core, redact
from shared.kernel import SPECTATOR, Chance, Seat, Viewer
from shared.match.agents import agent_seed, agents_to_act
from shared.match.model import Match, SeatState, Stamp, Status, Terms
from shared.replay import BrokenLog, Replay
from tests.conformance.recording import MATCH_ID, Recorder, finished, play_on, player
from tests.kernel.matches import DOMINO, LIFECYCLE, WIRE, accepted, created, events, joined, names, refused, started


def test_the_creation_says_what_was_laid_down() -> None:
    """Organiser, who may watch, how long seats wait; and the fold reads it as it was written."""
    terms = Terms("somebody", is_public=False, join_micros=5_000_000)
    stamp = Stamp("create", 7)
    decided = LIFECYCLE.create(MATCH_ID, DOMINO.default_options, (SeatState(),) * 2, terms, b"seed", stamp)
    (event,) = events(decided, pb.MatchCreated)
    assert (event.organiser_id, event.watching, event.join_seconds) == ("somebody", pb.WATCHING_INVITED, 5)
    assert (decided.after.terms, decided.after.join_deadline) == (terms, 5_000_007)
    assert Replay(DOMINO, WIRE).fold(None, decided.envelopes) == decided.after


def test_a_match_is_committed_to_its_seed_before_anybody_joins() -> None:
    """Its hash is for everybody, the seed itself for nobody until the end; and no chance comes from it alone."""
    stamp = Stamp("create", 1)
    decided = LIFECYCLE.create(MATCH_ID, DOMINO.default_options, (SeatState(),) * 2, Terms(), b"the seed", stamp)
    (event,) = events(decided, pb.MatchCreated)
    assert event.server_seed_hash == hashlib.sha256(b"the seed").digest()
    (part,) = decided.envelopes[0].sealed
    assert (part.seats, part.content) == ((), pb.ServerSeed(seed=b"the seed").SerializeToString())
    assert (decided.after.server_seed, decided.after.seed) == (b"the seed", b"")


def seed_by_hand(server_seed: bytes, entropies: list[bytes]) -> bytes:
    """The seed of a match as it is specified: an HMAC over the match's id and what each seat added."""
    added = b"".join(len(entropy).to_bytes(1, "big") + entropy for entropy in entropies)
    message = b"meydan-seed-1\x00" + MATCH_ID.encode() + len(entropies).to_bytes(1, "big") + added
    return hmac.new(server_seed, message, hashlib.sha256).digest()


def test_the_seed_of_a_match_is_of_the_server_and_of_every_player() -> None:
    """It is known when the last of them has spoken; a computer adds nothing."""
    match = created("", "greedy", "")
    match = joined(match, "A").after
    assert match.seed == b""
    match = joined(match, "B").after
    assert match.seed == seed_by_hand(b"seed", [player("A").entropy, b"", player("B").entropy])


def with_entropies(*entropies: bytes) -> Match:
    """A match whose players have added these."""
    match = created(*[""] * len(entropies))
    for number, entropy in enumerate(entropies):
        who = SeatState("", "P", f"join-{number}", "id", entropy)
        match = accepted(LIFECYCLE.join(match, None, who, Stamp(who.join_id, 1))).after
    return match


def test_whatever_a_player_adds_changes_all_chance() -> None:
    """Also nothing at all, and also where the same bytes are cut in another way."""
    added = [(b"", b""), (b"a", b""), (b"", b"a"), (b"ab", b"c"), (b"a", b"bc"), (b"x" * 32, b"")]
    seeds = {with_entropies(*entropies).seed for entropies in added}
    assert len(seeds) == len(added)
    deals = [with_entropies(*entropies).state for entropies in added]
    assert all(deals.count(deal) == 1 for deal in deals)


def test_the_end_shows_the_seed_that_the_beginning_has_the_hash_of() -> None:
    """From there on everybody can compute every draw again."""
    recorder = finished(DOMINO, DOMINO.default_options, ("", ""), b"shown in the end")
    begun = pb.MatchCreated.FromString(recorder.envelopes[0].public)
    ended = pb.MatchFinished.FromString(recorder.envelopes[-1].public)
    assert ended.server_seed == b"shown in the end"
    assert begun.server_seed_hash == hashlib.sha256(ended.server_seed).digest()


def test_nothing_shows_the_seed_before_the_end() -> None:
    """Neither the server's nor the match's: not in what everybody sees, and not in what is sealed for a seat."""
    recorder = finished(DOMINO, DOMINO.default_options, ("", ""), b"shown in the end")
    *before, end = (seen_by(Viewer(Seat(0)), envelope) for envelope in recorder.envelopes)
    for secret in (recorder.match.server_seed, recorder.match.seed):
        assert not any(secret in seen for seen in before)
    assert recorder.match.server_seed in end


def seen_by(viewer: Viewer, envelope: Envelope) -> bytes:
    """All bytes of an envelope that a viewer gets."""
    seen = redact(envelope, viewer)
    return b"".join((core(seen), *((part.content or b"") + part.salt for part in seen.sealed)))


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
        match = decided.after
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
        "out": accepted(LIFECYCLE.resign(started(), Seat(0), Stamp("leave", 2))).after,
    }
    match = matches[state]
    for answer in (
        LIFECYCLE.resign(match, Seat(0), Stamp("leave", 3)),
        LIFECYCLE.submit(match, Seat(0), DOMINO.notation.parse_command("0-0 left"), None, Stamp("move", 3)),
    ):
        assert refused(answer) == rules[state]


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
    note = pb.AgentNote(name="domino/greedy", version=1, seed=b"s", iterations=7)
    with_note = accepted(LIFECYCLE.submit(match, acting, command, note, Stamp("move", 2)))
    without = accepted(LIFECYCLE.submit(match, acting, command, None, Stamp("move", 2)))
    # Only the links differ: the hash of an event is of its commitments too.
    assert with_note.after._replace(head=b"") == without.after._replace(head=b"")
    assert [one.public for one in with_note.envelopes] == [one.public for one in without.envelopes]
    part = with_note.envelopes[0].sealed[-1]
    assert (part.seats, part.type, part.content) == ((), "meydan.match.v1.AgentNote", note.SerializeToString())
    assert with_note.envelopes[0].sealed[:-1] == without.envelopes[0].sealed


def test_time_goes_on_with_the_clock_and_never_back() -> None:
    """Whatever the clocks of several processes say."""
    match = created("", "")
    times = []
    for number, now in enumerate((50, 20)):
        match = joined(match, f"P{number}", now=now).after
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
