"""Non-interference: what a viewer is given does not depend on anything that the viewer has not been shown.

Two worlds that look the same to a viewer must give that viewer the same bytes: events, views, legal commands, pictures,
texts, summaries, exports, and the same answer to every command that it could send. The one thing that may differ is
what follows its own command: other seats' forced moves depend on what they hold. So of the events after a command, only
as many are compared as the game says can't depend on anything hidden (`independent_events`).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meydan.match.v1 import envelope_pb2
from services.registry import load
from shared.envelope import Envelope, SealedPart, core, pack, redact
from shared.export import envelope_line
from shared.game import AnyGame, Encoded
from shared.host.messages import envelope_message, summary_message
from shared.kernel import SPECTATOR, Chance, Refusal, Seat, Viewer
from shared.match.model import Match
from shared.match.wire import Wire
from shared.proof.chain import match_seed
from shared.replay import Replay
from tests.conformance.cases import CASES, Case, commands_seen, every, every_case, every_game
from tests.conformance.recording import MATCH_ID, Recorder, play_on, player
from tests.conformance.worlds import HIDDEN

HIDDEN_CASES = [case for case in CASES if case.game.name in HIDDEN]
every_hidden_case = every(HIDDEN_CASES)
every_smallest_case = every(case for case in HIDDEN_CASES if case.options == HIDDEN[case.game.name].smallest_options)
OTHER_SEED = b"another world".ljust(32, b".")

seeds = st.binary(min_size=32, max_size=32)
picks = st.lists(st.integers(0, 40), max_size=12)
worlds = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def other_log(case: Case, envelopes: Sequence[Envelope], viewer: Viewer, random: Random) -> list[Envelope]:
    """A log of another world: other secrets in the game's events, another seed in the first envelope.

    Commitments are those of this world: whoever can't open them can't tell them from others.
    """
    wire = Wire(case.game)
    places = [place for place, envelope in enumerate(envelopes) if envelope.type in wire.game_events]
    events = [wire.event(envelopes[place]) for place in places]
    changed = list(envelopes)
    seed = envelope_pb2.ServerSeed(seed=OTHER_SEED).SerializeToString()
    changed[0] = envelopes[0]._replace(sealed=(envelopes[0].sealed[0]._replace(content=seed),))
    for place, event in zip(places, HIDDEN[case.game.name].other_world(events, viewer, random), strict=True):
        changed[place] = _with_event(wire, envelopes[place], case.game.codec.encode_event(event))
    return changed


def _with_event(wire: Wire, envelope: Envelope, encoded: Encoded) -> Envelope:
    changed = wire.form(encoded)
    assert changed.type == envelope.type
    parts = zip(envelope.sealed, changed.sealed, strict=True)
    sealed = tuple(part._replace(content=other.content) for part, other in parts)
    return envelope._replace(public=changed.public, sealed=sealed)


def shown(game: AnyGame, match: Match, envelopes: Sequence[Envelope], viewer: Viewer) -> dict[str, object]:
    """Everything that a viewer is ever given of a match."""
    wire = Wire(game)
    view = game.view(match.state, viewer)
    legal = game.legal(view)
    return {
        "cores": [core(envelope) for envelope in envelopes],
        "envelopes": [envelope_message(envelope, viewer).SerializeToString() for envelope in envelopes],
        "export": [envelope_line(wire, redact(envelope, viewer)) for envelope in envelopes],
        "narration": [
            game.notation.describe_event(game.redact(wire.event(envelope), viewer))
            for envelope in envelopes
            if envelope.type in wire.game_events
        ],
        "summary": summary_message(game, match, match.time_micros).SerializeToString(),
        "view": game.codec.encode_view(view).SerializeToString(),
        "text": game.notation.format_view(view),
        "picture": game.picture(view),
        "legal": [game.notation.format_command(command) for command in legal],
        "default": game.notation.format_command(game.default(view)) if legal else None,
    }


def answer(case: Case, match: Match, seat: Seat, command: Any) -> object:
    """What a seat learns from a command: the refusal, or what can't depend on what it has not seen."""
    decided = case.game.decide(match.state, seat, command, Chance(match.seed))
    if isinstance(decided, Refusal):
        return decided
    told = decided[: HIDDEN[case.game.name].independent_events]
    return [case.game.redact(event, Viewer(seat)) for event in told]


def check_worlds_look_the_same(case: Case, one: Sequence[Envelope], other: Sequence[Envelope], viewer: Viewer) -> None:
    """Everything shown, and every answer to every command, is equal."""
    replay = Replay(case.game, Wire(case.game))
    here, there = replay.fold(None, one), replay.fold(None, other)
    assert shown(case.game, here, one, viewer) == shown(case.game, there, other, viewer)
    if viewer.seat is not None:
        for command in commands_seen(case):
            assert answer(case, here, viewer.seat, command) == answer(case, there, viewer.seat, command)


@every_game
def test_every_game_with_secrets_can_be_moved_to_another_world(game: AnyGame) -> None:
    """A new game with anything hidden must say how to change it, or these tests would say nothing of it."""
    assert not game.codec.secret_types or game.name in HIDDEN


@every_hidden_case
@worlds
@given(seed=seeds, picks=picks, moves=st.integers(0, 30), data=st.data())
def test_worlds_that_differ_in_what_a_viewer_cannot_see_look_the_same(
    case: Case, seed: bytes, picks: Sequence[int], moves: int, data: st.DataObject
) -> None:
    """To any seat or spectator, at any version: also between two events of one command, also after the end."""
    recorder = Recorder(case.game, case.options, case.open_seats, seed)
    for _ in play_on(recorder, picks, moves):
        pass
    viewer = data.draw(st.sampled_from((*map(Viewer, case.numbers), SPECTATOR)))
    # The first events take the seats; a version after the start is wanted.
    version = data.draw(st.integers(case.seats + 3, len(recorder.envelopes)))
    envelopes = recorder.envelopes[:version]
    other = other_log(case, envelopes, viewer, Random(data.draw(st.integers(0, 99))))
    check_worlds_look_the_same(case, envelopes, other, viewer)


@every_hidden_case
def test_other_worlds_are_other_worlds(case: Case) -> None:
    """The worlds that are compared do differ, in state and stored bytes, for nearly every viewer and time."""
    recorder = Recorder(case.game, case.options, case.open_seats, b"differ")
    replay = Replay(case.game, recorder.wire)
    compared = different = 0
    for number, _ in enumerate(play_on(recorder, (1, 0, 2), 12)):
        for viewer in (*map(Viewer, case.numbers), SPECTATOR):
            other = other_log(case, recorder.envelopes, viewer, Random(number))
            compared += 1
            different += replay.fold(None, other).state != recorder.match.state
            assert list(map(pack, other)) != recorder.records
    assert different > 0.8 * compared > 0


@every_smallest_case
def test_matches_that_a_seat_cannot_tell_apart_go_on_alike(case: Case) -> None:
    """Real worlds: of many deals, those that happen to look the same to seat 0 are compared with each other."""
    viewer = Viewer(Seat(0))
    alike: defaultdict[tuple[bytes, ...], list[bytes]] = defaultdict(list)
    for number in range(HIDDEN[case.game.name].deals):
        seed = number.to_bytes(32, "big")
        alike[looks(case, seed, viewer)].append(seed)
    pairs = [group[:2] for group in alike.values() if len(group) > 1]
    assert len(pairs) >= 10
    for pair in pairs[:25]:
        one, other = (Recorder(case.game, case.options, case.open_seats, seed) for seed in pair)
        assert one.match.state != other.match.state
        check_worlds_look_the_same(case, bleached(one.envelopes), bleached(other.envelopes), viewer)


def bleached(envelopes: Sequence[Envelope]) -> list[Envelope]:
    """A log without what is as good as chance to whoever can't open it: hashes, commitments and salts."""
    created = envelope_pb2.MatchCreated.FromString(envelopes[0].public)
    created.server_seed_hash = b"any"
    first = envelopes[0]._replace(public=created.SerializeToString())
    return [
        one._replace(previous_hash=b"", sealed=tuple(part._replace(commitment=b"", salt=b"") for part in one.sealed))
        for one in (first, *envelopes[1:])
    ]


def looks(case: Case, seed: bytes, viewer: Viewer) -> tuple[bytes, ...]:
    """What a viewer sees of the setup of a recorded match."""
    game = case.game
    entropies = [player(f"player-{seat}").entropy for seat in case.numbers]
    events = game.setup(game.initial(case.options, case.seats), Chance(match_seed(seed, MATCH_ID, entropies)))
    seen: list[bytes] = []
    for event in events:
        encoded = game.codec.encode_event(event)
        open_to_viewer = (secret.content for secret in encoded.secrets if viewer.may_see(secret.seats))
        seen.extend(message.SerializeToString() for message in (encoded.public, *open_to_viewer))
    return tuple(seen)


@every_case
def test_sealed_parts_are_hidden_from_all_but_their_seats(case: Case) -> None:
    """The seats of a part are fixed when it is written, and whoever is not among them gets no content."""
    recorder = Recorder(case.game, case.options, case.open_seats, b"sealed")
    for _ in play_on(recorder, (2, 1), 60):
        pass
    for envelope in recorder.envelopes:
        for viewer in (*map(Viewer, case.numbers), SPECTATOR):
            for whole, part in zip(envelope.sealed, envelope_message(envelope, viewer).sealed, strict=True):
                assert part.HasField("content") == bool(part.salt) == (viewer.seat in whole.seats)
                assert list(part.seats) == list(whole.seats)
                assert part.type == whole.type


@every_case
def test_the_seed_of_a_match_is_sealed_for_nobody(case: Case) -> None:
    """Who knew it could compute every draw to come."""
    first = Recorder(case.game, case.options, case.open_seats, b"the seed of the match").envelopes[0]
    assert [(part.seats, part.type) for part in first.sealed] == [((), "meydan.match.v1.ServerSeed")]
    assert b"the seed of the match" in pack(first)
    for viewer in (*map(Viewer, case.numbers), SPECTATOR):
        seen = redact(first, viewer)
        assert [part.content for part in seen.sealed] == [None]
        assert b"the seed of the match" not in envelope_message(first, viewer).SerializeToString()


def test_a_leak_would_be_found() -> None:
    """The comparison itself: a game whose view shows the boneyard to a spectator does not pass."""
    game = load("domino")
    leaking = replace(game, view=lambda state, viewer: replace(game.view(state, viewer), boneyard=state.boneyard))
    case = Case(leaking, game.default_options, 3)
    recorder = Recorder(leaking, case.options, case.open_seats, b"leak")
    other = other_log(case, recorder.envelopes, SPECTATOR, Random(1))
    with pytest.raises(AssertionError):
        check_worlds_look_the_same(case, recorder.envelopes, other, SPECTATOR)


def test_a_sealed_part_without_seats_is_seen_by_no_seat() -> None:
    """Hidden is the default."""
    part = SealedPart((), "anything", b"content")
    envelope = Envelope(1, 1, "type", 0, "id", None, b"", (part,))
    assert redact(envelope, Viewer(Seat(0))).sealed[0].content is None
