"""Domino as messages: what round-trips, what is sealed and for whom, and what is malformed."""

from collections.abc import Callable

import pytest
from google.protobuf.message import Message

from meydan.domino.v1 import domino_pb2 as pb
from services.domino import codec
from services.domino.rules.commands import LayTile
from services.domino.rules.events import Event, RoundDealt, TileDrawn, TileLaid, TurnPassed
from services.domino.rules.model import TILES, End, Options, State, Tile
from services.domino.rules.view import view
from shared.kernel import EVERYTHING, SPECTATOR, Malformed, Seat, Viewer
from tests.games.domino.positions import after, finished, hand, position, tile, tiles

DEAL = RoundDealt(2, Seat(1), 2, (hand("6-6 0-1"), hand("0-0 2-3"), hand("1-1 1-2")), 2, tiles("5-5 3-4"))
OTHER_DEAL = RoundDealt(2, Seat(1), 2, (hand("5-5 0-3"), hand("0-4 2-4"), hand("2-2 0-2")), 2, tiles("3-3 0-5"))


def redacted(event: Event, viewer: Viewer) -> Event:
    """The event as it comes to a viewer."""
    encoded = codec.encode_event(event)
    opened = [secret.content if viewer.may_see(secret.seats) else None for secret in encoded.secrets]
    return codec.decode_event(encoded.public, opened)


def through_bytes(message: Message) -> Message:
    """The message as it is read from the wire."""
    return type(message).FromString(message.SerializeToString())


@pytest.mark.parametrize("end", list(End))
@pytest.mark.parametrize("number", TILES)
def test_a_command_round_trips(number: Tile, end: End) -> None:
    """Each of the 56 commands comes back from its message."""
    command = LayTile(number, end)
    assert codec.decode_command(through_bytes(codec.encode_command(command))) == command


def test_a_command_is_written_with_the_lower_half_first() -> None:
    """D-1: a tile is an unordered pair, and its name has the lower half first."""
    assert codec.encode_command(LayTile(tile("6-4"), End.RIGHT)) == pb.LayTile(tile=pb.TILE_4_6, end=pb.END_RIGHT)


def unnamed(number: int) -> pb.LayTile:
    """A tile that this version of the proto does not know."""
    return pb.LayTile(tile=number, end=pb.END_LEFT)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "field"),
    [
        pytest.param(pb.LayTile(), "command.tile", id="nothing at all"),
        pytest.param(pb.LayTile(end=pb.END_LEFT), "command.tile", id="no tile, which is not 0-0"),
        pytest.param(unnamed(29), "command.tile", id="a number above the last"),
        pytest.param(unnamed(-1), "command.tile", id="a number below the first"),
        pytest.param(pb.LayTile(tile=pb.TILE_0_0), "command.end", id="no end"),
    ],
)
def test_a_message_that_is_no_command_is_malformed(message: pb.LayTile, field: str) -> None:
    """The answer names the part that is wrong."""
    with pytest.raises(Malformed) as caught:
        codec.decode_command(message)
    assert caught.value.field == field


def test_an_end_that_is_not_known_is_malformed() -> None:
    """An end of a newer client is refused, not taken for another."""
    message = pb.LayTile.FromString(pb.LayTile(tile=pb.TILE_1_2).SerializeToString() + b"\x10\x07")
    with pytest.raises(Malformed) as caught:
        codec.decode_command(message)
    assert caught.value.field == "command.end"


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(Options(), id="D-14: the defaults"),
        pytest.param(Options(7, 100), id="D-14: both"),
        pytest.param(Options(2), id="D-14: no target"),
        pytest.param(Options(0, 0), id="D-14: zeros are not taken for nothing, so that the limits can refuse them"),
    ],
)
def test_options_round_trip(options: Options) -> None:
    """D-14: options come back from their message."""
    assert codec.decode_options(through_bytes(codec.encode_options(options))) == options


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(pb.Options(), Options(5, None), id="D-14: left out, hands of 5 and no target"),
        pytest.param(pb.Options(target=30), Options(5, 30), id="D-14: only a target"),
        pytest.param(pb.Options(hand_size=7), Options(7, None), id="D-14: only a hand size"),
    ],
)
def test_options_that_are_left_out_have_their_defaults(message: pb.Options, expected: Options) -> None:
    """D-14: `hand_size` is 5 and there is no target unless said otherwise."""
    assert codec.decode_options(message) == expected


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(DEAL, id="D-2: a deal"),
        pytest.param(
            RoundDealt(1, Seat(0), 14, (2**14 - 1, 2**28 - 2**14), 0, ()), id="D-2: a deal without a boneyard"
        ),
        pytest.param(TileLaid(Seat(2), tile("0-0"), End.LEFT), id="D-7: a tile at the left"),
        pytest.param(TileLaid(Seat(0), tile("5-6"), End.RIGHT), id="D-7: a tile at the right"),
        pytest.param(TileDrawn(Seat(1), tile("0-0")), id="D-9: a draw of 0-0"),
        pytest.param(TileDrawn(Seat(1), tile("3-6")), id="D-9: a draw"),
        pytest.param(TurnPassed(Seat(1)), id="D-10: a pass"),
        pytest.param(finished([1], ["6-6", ""]), id="D-12: an end without points"),
        pytest.param(finished([0, 1], ["2-3", "5-5"], [0, 0]), id="D-14: a shared win"),
        pytest.param(finished([1], ["6-6", ""], [0, 6]), id="D-14: an end with points"),
    ],
)
def test_an_event_round_trips(event: Event) -> None:
    """Every kind of event comes back from its messages when all of it is open."""
    encoded = codec.encode_event(event)
    secrets = [through_bytes(secret.content) for secret in encoded.secrets]
    assert codec.decode_event(through_bytes(encoded.public), secrets) == event


@pytest.mark.parametrize(
    ("viewer", "hands", "boneyard"),
    [
        pytest.param(
            Viewer(Seat(0)), (DEAL.hands[0], None, None), None, id="Hidden: seat 0 sees its own hand of a deal"
        ),
        pytest.param(
            Viewer(Seat(2)), (None, None, DEAL.hands[2]), None, id="Hidden: seat 2 sees its own hand of a deal"
        ),
        pytest.param(SPECTATOR, (None, None, None), None, id="Hidden: a spectator sees no hand of a deal"),
        pytest.param(EVERYTHING, DEAL.hands, DEAL.boneyard, id="Hidden: all of a deal once it is revealed"),
    ],
)
def test_what_is_seen_of_a_deal(
    viewer: Viewer, hands: tuple[int | None, ...], boneyard: tuple[Tile, ...] | None
) -> None:
    """Hidden: each hand for its owner only, the boneyard for nobody, the numbers for everybody."""
    assert redacted(DEAL, viewer) == RoundDealt(2, Seat(1), 2, hands, 2, boneyard)


@pytest.mark.parametrize(
    ("viewer", "expected"),
    [
        pytest.param(Viewer(Seat(1)), "3-6", id="Hidden: who draws sees the tile"),
        pytest.param(Viewer(Seat(0)), None, id="Hidden: another seat sees that a tile is drawn"),
        pytest.param(SPECTATOR, None, id="Hidden: a spectator sees that a tile is drawn"),
        pytest.param(EVERYTHING, "3-6", id="Hidden: the tile once all is revealed"),
    ],
)
def test_what_is_seen_of_a_draw(viewer: Viewer, expected: str | None) -> None:
    """Hidden: a drawn tile is seen by its owner only."""
    drawn = None if expected is None else tile(expected)
    assert redacted(TileDrawn(Seat(1), tile("3-6")), viewer) == TileDrawn(Seat(1), drawn)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(TileLaid(Seat(1), tile("3-6"), End.RIGHT), id="D-7: a tile laid"),
        pytest.param(TurnPassed(Seat(1)), id="D-10: a pass"),
        pytest.param(finished([0], ["0-0", "5-5"], [5, 0]), id="D-11: the end of a round"),
    ],
)
def test_what_happens_on_the_table_is_seen_by_all(event: Event) -> None:
    """Hidden: a tile laid, a pass and the hands at the end are open to a spectator."""
    assert redacted(event, SPECTATOR) == event


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(DEAL, OTHER_DEAL, id="Hidden: two deals"),
        pytest.param(TileDrawn(Seat(1), tile("3-6")), TileDrawn(Seat(1), tile("0-0")), id="Hidden: two draws"),
    ],
)
def test_the_public_part_tells_nothing_of_what_is_sealed(one: Event, other: Event) -> None:
    """Hidden: events that differ only in what is sealed are byte for byte the same in public."""
    public = [codec.encode_event(event).public.SerializeToString(deterministic=True) for event in (one, other)]
    assert public[0] == public[1]


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(TileDrawn(Seat(1), None), id="a draw"),
        pytest.param(RoundDealt(2, Seat(1), 2, (None, hand("0-0 2-3")), 24, tiles("5-5")), id="a deal, its hands"),
        pytest.param(RoundDealt(2, Seat(1), 2, (hand("6-6 0-1"), 3), 24, None), id="a deal, its boneyard"),
    ],
)
def test_a_redacted_event_is_never_written(event: Event) -> None:
    """The log holds full events: one with something missing can't be encoded."""
    with pytest.raises(ValueError, match="redacted"):
        codec.encode_event(event)


def test_a_message_that_is_no_event_is_an_error() -> None:
    """A message of another kind is not taken for an event."""
    with pytest.raises(TypeError, match="LayTile is not an event of Domino"):
        codec.decode_event(pb.LayTile(), ())


def test_the_messages_of_each_kind_are_listed() -> None:
    """What the codec writes is of the types that it lists."""
    events = (DEAL, TileLaid(Seat(0), tile("0-0"), End.LEFT), TileDrawn(Seat(0), tile("0-0")), TurnPassed(Seat(0)))
    written = [codec.encode_event(event) for event in (*events, finished([0], ["", "0-0"]))]
    assert [type(encoded.public) for encoded in written] == list(codec.event_types)
    assert {type(secret.content) for encoded in written for secret in encoded.secrets} == set(codec.secret_types)


STATES: dict[str, Callable[[], State]] = {
    "an empty line": lambda: position("", ["4-1 2-2", "0-3 4-4"], boneyard="0-0 1-5", target=50),
    "three seats and a target": lambda: position(
        "[6|6][6|4]", ["4-1 2-2", "0-3 4-4", "5-5"], boneyard="0-0 1-5", turn=2, target=99, scores=(3, 0, 40)
    ),
    "a pass after draws": lambda: after(position("[6|6][6|4]", ["4-1 1-2", "2-3 5-5"], "0-2 3-3"), "4-1 right"),
    "a turn with draws": lambda: after(position("[6|6][6|4]", ["4-1 1-2", "2-3 5-5"], "0-2 1-1"), "4-1 right"),
    "a match that is over": lambda: after(position("[6|6][6|4]", ["4-1", "2-3"]), "4-1 right"),
}


@pytest.mark.parametrize("viewer", [Viewer(Seat(0)), Viewer(Seat(1)), SPECTATOR, EVERYTHING])
@pytest.mark.parametrize("state", STATES.values(), ids=STATES.keys())
def test_a_view_round_trips(state: Callable[[], State], viewer: Viewer) -> None:
    """What a viewer sees comes back from its message, hidden things as hidden."""
    seen = view(state(), viewer)
    assert codec.decode_view(through_bytes(codec.encode_view(seen))) == seen


def test_a_view_is_written_with_what_the_viewer_sees() -> None:
    """Hidden: the message for seat 0 has its hand, and of the others only numbers."""
    state = position("[6|6][6|4]", ["4-1", "0-3 4-4"], boneyard="0-0 1-5", turn=1)
    message = codec.encode_view(view(state, Viewer(Seat(0))))
    assert list(message.seats) == [
        pb.SeatView(hand_size=1, hand=[pb.TILE_1_4], score=0),
        pb.SeatView(hand_size=2, hand=[], score=0),
    ]
    assert (message.boneyard_size, list(message.boneyard)) == (2, [])
