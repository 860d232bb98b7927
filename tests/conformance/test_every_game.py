"""What every registered game must keep, with every number of seats: rules, folds, codec, notation, agents, pictures."""

import contextlib
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from itertools import chain, cycle
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import DecodeError, Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meydan.tournament.v1.tournament_pb2 import MatchResult
from shared.envelope import Envelope, pack, redact, unpack
from shared.game import AnyGame
from shared.kernel import EVERYTHING, SPECTATOR, Chance, Malformed, Refusal, Viewer
from shared.match.model import Status
from shared.match.wire import Wire
from shared.replay import Replay
from tests.conformance.cases import (
    SEED,
    Case,
    commands_seen,
    every_case,
    every_case_by_points,
    every_case_with_points,
    every_game,
)
from tests.conformance.recording import Recorder, finished, play_on, replayed

GAMES = Path(__file__).parents[1] / "games"
COUNTS = ("no", "one_seat", "two_seats", "three_seats", "four_seats", "five_seats", "six_seats", "seven_seats")
MOST_COMMANDS = 300
# Of a long match, so many versions at most are looked at by everybody, and so many positions by computer players.
MOST_VERSIONS = 60
MOST_POSITIONS = 12
SHORT_SEARCH = 3

seeds = st.binary(min_size=32, max_size=32)
picks = st.lists(st.integers(0, 40), max_size=12)
# Each example is a whole match. Failures are told by their seed, and the same examples are tried everywhere.
matches = settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def viewers(case: Case) -> tuple[Viewer, ...]:
    """Everybody who may look."""
    return (*map(Viewer, case.numbers), SPECTATOR, EVERYTHING)


def bytes_of(message: Message) -> bytes:
    """A message as bytes to be compared."""
    return message.SerializeToString(deterministic=True)


def game_envelopes(recorder: Recorder) -> list[Envelope]:
    """The envelopes of the game's own events."""
    return [envelope for envelope in recorder.envelopes if envelope.type in recorder.wire.game_events]


def some(items: Sequence[Any], most: int, seed: bytes) -> Sequence[Any]:
    """So many at most, from all parts of a match; which ones, differs from match to match."""
    step = 1 + len(items) // most
    return items[seed[0] % step :: step]


def answers(case: Case, state: Any, seat: Any, command: Any) -> tuple[Any, ...] | Refusal:
    """What the rules say to a command."""
    decided: tuple[Any, ...] | Refusal = case.game.decide(state, seat, command, Chance(SEED))
    return decided


def effect(answer: tuple[Any, ...] | Refusal) -> tuple[Any, ...]:
    """The events of an accepted command, each as what it is: events of two types may have equal values."""
    assert not isinstance(answer, Refusal), answer
    return tuple((type(event), event) for event in answer)


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_legal_commands_are_accepted_and_all_others_refused(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """For each seat in each position: the list of legal commands is exactly what the rules accept.

    Commands are the same if they have the very same events: each is in the list once, in one way of saying it.
    """
    recorder = Recorder(case.game, case.options, case.open_seats, seed)
    for _ in play_on(recorder, picks, MOST_COMMANDS):
        state = recorder.match.state
        for seat in case.numbers:
            legal = recorder.legal(seat)
            assert bool(legal) == (seat in recorder.acting())
            accepted = {effect(answers(case, state, seat, command)) for command in legal}
            assert len(accepted) == len(set(legal)) == len(legal)
            for command in commands_seen(case):
                refused = answers(case, state, seat, command)
                if isinstance(refused, Refusal):
                    assert command not in legal
                    assert refused.rule
                    assert refused.message
                else:
                    assert effect(refused) in accepted


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_the_fold_of_the_log_is_the_live_match(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """Events that are encoded, packed, unpacked and decoded lead to the very match that was played, at each command."""
    recorder = Recorder(case.game, case.options, case.open_seats, seed)
    replay = Replay(case.game, recorder.wire)
    folded = replay.fold(None, map(unpack, recorder.records))
    assert folded == recorder.match
    for _ in play_on(recorder, picks, MOST_COMMANDS):
        folded = replay.fold(folded, [unpack(pack(one)) for one in recorder.envelopes[folded.version :]])
        assert folded == recorder.match
    assert replayed(case.game, recorder.records) == recorder.match


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_the_same_seed_options_and_commands_give_the_same_log(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """Byte for byte; and replayed twice, a log gives twice the same."""
    once = finished(case.game, case.options, case.open_seats, seed, picks)
    again = finished(case.game, case.options, case.open_seats, seed, picks)
    assert once.records == again.records
    one, other = (replayed(case.game, once.records) for _ in range(2))
    assert one == other
    for viewer in viewers(case):
        shown = [bytes_of(case.game.codec.encode_view(case.game.view(match.state, viewer))) for match in (one, other)]
        assert shown[0] == shown[1]


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_a_match_ends_with_an_outcome_and_not_before(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """There is no outcome exactly while somebody may act; the places name each seat once."""
    game = case.game
    recorder = Recorder(game, case.options, case.open_seats, seed)
    for _ in play_on(recorder, picks):
        assert game.outcome(recorder.match.state) is None
        assert set(game.to_act(recorder.match.state)) <= set(case.numbers)
    places = game.outcome(recorder.match.state)
    assert places is not None
    assert sorted(chain(*places)) == list(case.numbers)
    assert all(places)
    assert game.to_act(recorder.match.state) == ()
    assert (recorder.match.status, recorder.match.places) == (Status.FINISHED, places)


@every_case_with_points
@matches
@given(seed=seeds, picks=picks)
def test_the_game_counts_points_for_each_seat(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """One whole number a seat once the match is over, which fits into the result that a tournament records."""
    count = case.game.points
    assert count is not None
    points = count(finished(case.game, case.options, case.open_seats, seed, picks).match.state)
    assert tuple(MatchResult(points=points).points) == points
    assert len(points) == case.seats


@every_case_by_points
@matches
@given(seed=seeds, picks=picks)
def test_a_better_place_never_has_fewer_points(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """D-12 to D-14, K-17, K-18: where the rules say so, points and places do not contradict each other."""
    count = case.game.points
    assert count is not None
    state = finished(case.game, case.options, case.open_seats, seed, picks).match.state
    points, places = count(state), case.game.outcome(state)
    assert places is not None
    standing = [points[seat] for seat in chain(*places)]
    assert standing == sorted(points, reverse=True)
    assert [len({points[seat] for seat in tied}) for tied in places] == [1] * len(places)


@every_case
def test_a_finished_match_has_no_legal_command_and_refuses_everything(case: Case) -> None:
    """For every seat, whatever it tries."""
    state = finished(case.game, case.options, case.open_seats, SEED).match.state
    for viewer in viewers(case):
        assert case.game.legal(case.game.view(state, viewer)) == ()
    for seat in case.numbers:
        assert all(isinstance(answers(case, state, seat, command), Refusal) for command in commands_seen(case))


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_who_only_looks_has_no_legal_command(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """Neither a spectator nor the view that shows everything may act."""
    recorder = Recorder(case.game, case.options, case.open_seats, seed)
    for _ in play_on(recorder, picks, MOST_COMMANDS):
        for viewer in (SPECTATOR, EVERYTHING):
            assert case.game.legal(case.game.view(recorder.match.state, viewer)) == ()


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_the_default_is_one_of_the_legal_commands(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """Whatever is played for a seat that is out is something that it might have done."""
    recorder = Recorder(case.game, case.options, case.open_seats, seed)
    for _ in play_on(recorder, picks, MOST_COMMANDS):
        for seat in recorder.acting():
            assert case.game.default(case.game.view(recorder.match.state, Viewer(seat))) in recorder.legal(seat)


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_agents_choose_a_legal_command_from_what_their_seat_sees(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """From a view that went over the wire, and the same one for the same seed and an equally long search."""
    game = case.game
    recorder = Recorder(game, case.options, case.open_seats, seed)
    seen = [game.view(recorder.match.state, Viewer(seat)) for seat, _ in play_on(recorder, picks, MOST_COMMANDS)]
    for view, agent in zip(some(seen, MOST_POSITIONS, seed), cycle(game.agents.values()), strict=False):
        message = game.codec.encode_view(view)
        views = (game.codec.decode_view(type(message).FromString(bytes_of(message))) for _ in range(2))
        length = min(agent.iterations, SHORT_SEARCH)
        first, second = (agent.choose(one, Chance(seed), iter(range(length))) for one in views)
        assert first == second
        assert first in game.legal(view)


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_commands_come_back_from_message_and_text(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """A command is the same after its message's bytes, and after its text."""
    game = case.game
    recorder = Recorder(game, case.options, case.open_seats, seed)
    for _ in play_on(recorder, picks, MOST_COMMANDS):
        for command in chain(*map(recorder.legal, recorder.acting())):
            message = game.codec.encode_command(command)
            assert type(message) in game.codec.command_types
            assert game.codec.decode_command(type(message).FromString(bytes_of(message))) == command
            assert game.notation.parse_command(game.notation.format_command(command)) == command


@every_case
def test_commands_that_differ_have_texts_that_differ(case: Case) -> None:
    """Command ids are told apart by the text of their commands."""
    texts = {case.game.notation.format_command(command) for command in commands_seen(case)}
    assert len(texts) == len(set(commands_seen(case)))
    assert case.game.notation.usage


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_events_come_back_from_their_messages(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """Complete events, with messages of the types that the codec lists."""
    game = case.game
    recorder = finished(game, case.options, case.open_seats, seed, picks)
    for envelope in game_envelopes(recorder):
        event = recorder.wire.event(envelope)
        encoded = game.codec.encode_event(event)
        assert type(encoded.public) in game.codec.event_types
        assert {type(secret.content) for secret in encoded.secrets} <= set(game.codec.secret_types)
        assert all(seat in case.numbers for secret in encoded.secrets for seat in secret.seats)
        assert encoded.public.SerializeToString() == envelope.public
        assert [secret.content.SerializeToString() for secret in encoded.secrets] == [
            part.content for part in envelope.sealed
        ]


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_a_redacted_event_is_what_a_redacted_envelope_holds(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """Both doors out show a viewer the same, and it can be told in words."""
    game = case.game
    recorder = finished(game, case.options, case.open_seats, seed, picks)
    for envelope in game_envelopes(recorder):
        event = recorder.wire.event(envelope)
        for viewer in viewers(case):
            seen = game.redact(event, viewer)
            assert seen == recorder.wire.event(redact(envelope, viewer))
            assert game.notation.describe_event(seen)
        assert game.redact(event, EVERYTHING) == event


@every_case
@matches
@given(seed=seeds, picks=picks)
def test_views_come_back_from_their_messages(case: Case, seed: bytes, picks: Sequence[int]) -> None:
    """For every viewer, at any version of a log: between the events of one command, too."""
    game = case.game
    recorder = finished(game, case.options, case.open_seats, seed, picks)
    replay = Replay(game, recorder.wire)
    match = replay.fold(None, recorder.envelopes[:1])
    looked_at = set(some(range(1, len(recorder.envelopes) + 1), MOST_VERSIONS, seed))
    for envelope in recorder.envelopes[1:]:
        match = replay.fold(match, [envelope])
        if match.state is None or match.version not in looked_at:
            continue
        for viewer in viewers(case):
            view = game.view(match.state, viewer)
            message = game.codec.encode_view(view)
            assert isinstance(message, game.codec.view_type)
            assert game.codec.decode_view(type(message).FromString(bytes_of(message))) == view
            assert game.notation.format_view(view)


@every_case
def test_a_picture_is_well_formed_and_stands_alone(case: Case) -> None:
    """For every viewer, in every position of a match: one SVG without scripts and without anything from elsewhere."""
    recorder = Recorder(case.game, case.options, case.open_seats, SEED)
    for _ in play_on(recorder, (3, 1, 2), 60):
        for viewer in viewers(case):
            check_picture(case.game.picture(case.game.view(recorder.match.state, viewer)))


def check_picture(drawn: str) -> None:
    """SVG that any page may embed."""
    root = ET.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for element in root.iter():
        assert element.tag.rpartition("}")[2] not in {"script", "foreignObject", "image", "a"}
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert not name.endswith("href") or value.startswith("#")


@every_case
def test_options_come_back_from_their_message(case: Case) -> None:
    """All of them, also those that are left at their defaults."""
    codec = case.game.codec
    message = codec.encode_options(case.options)
    assert isinstance(message, codec.options_type)
    assert codec.decode_options(type(message).FromString(bytes_of(message))) == case.options


@every_game
def test_an_empty_options_message_means_the_defaults(game: AnyGame) -> None:
    """Who leaves everything out gets what DescribeGame says."""
    assert game.codec.decode_options(game.codec.options_type()) == game.default_options
    assert all(game.check_options(game.default_options, seats) is None for seats in game.seat_counts)


@every_game
def test_options_are_described_by_their_names(game: AnyGame) -> None:
    """Each field of the options message has a description, in the message's order."""
    described = [spec.name for spec in game.option_specs]
    assert described == [field.name for field in game.codec.options_type.DESCRIPTOR.fields]
    assert all(spec.description and spec.default for spec in game.option_specs)


@every_game
def test_options_beyond_their_limits_are_refused(game: AnyGame) -> None:
    """One below the least and one above the most that are described, for any number of seats."""
    for spec in game.option_specs:
        for value in (spec.minimum and spec.minimum - 1, spec.maximum and spec.maximum + 1):
            if value is None:
                continue
            message = game.codec.encode_options(game.default_options)
            setattr(message, spec.name, value)
            for seats in game.seat_counts:
                options = attempt(game.codec.decode_options, message)
                refused = options if isinstance(options, Malformed) else game.check_options(options, seats)
                assert refused is not None, (spec.name, value)


@every_game
@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=st.one_of(st.text(max_size=30), st.from_regex(r"[ -~]{0,20}")))
def test_any_text_is_a_command_or_malformed(game: AnyGame, text: str) -> None:
    """Parsing raises nothing else; what it accepts can be written again."""
    read = attempt(game.notation.parse_command, text)
    if isinstance(read, Malformed):
        assert read.field
        assert read.message
    else:
        assert game.notation.parse_command(game.notation.format_command(read)) == read


def attempt(decode: Callable[[Any], Any], what: object) -> Any:
    """What came of it, or how it was malformed."""
    try:
        return decode(what)
    except Malformed as error:
        return error


@every_game
@settings(max_examples=300, deadline=None, derandomize=True)
@given(data=st.data())
def test_any_command_message_is_a_command_or_malformed(game: AnyGame, data: st.DataObject) -> None:
    """Whatever bytes parse as a message of the game: decoding raises Malformed and nothing else."""
    kind = data.draw(st.sampled_from(game.codec.command_types))
    message = kind()
    with contextlib.suppress(DecodeError):
        message.MergeFromString(data.draw(st.binary(max_size=24)))
    read = attempt(game.codec.decode_command, message)
    if isinstance(read, Malformed):
        assert read.field
    else:
        assert game.codec.decode_command(game.codec.encode_command(read)) == read


@every_game
def test_every_number_of_seats_has_a_golden_playthrough(game: AnyGame) -> None:
    """Files that pin whole matches event by event: a game without them is not done."""
    folder = GAMES / game.name / "golden"
    files = [path.stem for path in folder.glob("*")]
    missing = [COUNTS[seats] for seats in game.seat_counts if not any(COUNTS[seats] in name for name in files)]
    assert missing == []


@every_game
def test_message_types_are_named_once(game: AnyGame) -> None:
    """Types of options, commands, events, secrets and views are all different, and all of the game's own package."""
    codec = game.codec
    kinds = (codec.options_type, codec.view_type, *codec.command_types, *codec.event_types, *codec.secret_types)
    names = [kind.DESCRIPTOR.full_name for kind in kinds]
    assert len(set(names)) == len(names)
    assert all(name.startswith(f"meydan.{game.name}.v") for name in names)


@every_game
def test_every_event_type_is_written_in_the_newest_shape(game: AnyGame) -> None:
    """The schema version of each type is one more than the number of its upcasters."""
    wire = Wire(game)
    for kind in game.codec.event_types:
        name = kind.DESCRIPTOR.full_name
        steps = sorted(version for known, version in game.upcasters if known == name)
        assert steps == list(range(1, wire.schema_version(name)))


@pytest.mark.parametrize("viewer", [SPECTATOR, EVERYTHING])
@every_case
def test_a_viewer_without_a_seat_has_none_in_the_view(case: Case, viewer: Viewer) -> None:
    """A view that is nobody's own encodes without a seat and draws."""
    state = Recorder(case.game, case.options, case.open_seats, SEED).match.state
    view = case.game.view(state, viewer)
    check_picture(case.game.picture(view))
    assert case.game.codec.decode_view(case.game.codec.encode_view(view)) == view
