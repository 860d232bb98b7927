"""Between Kingdomino's own types and its messages; what is sealed in an event, and who sees it."""

from collections.abc import Callable
from itertools import product

import pytest
from google.protobuf.message import Message

from meydan.kingdomino.v1 import kingdomino_pb2 as pb
from services.kingdomino import codec
from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import DOMINOES, NUMBERS
from services.kingdomino.rules.events import (
    DominoChosen,
    DominoDiscarded,
    DominoPlaced,
    Event,
    GameDealt,
    GameEnded,
    LineDrawn,
)
from services.kingdomino.rules.model import (
    Direction,
    Options,
    State,
    Tally,
    cell_at,
    initial,
    is_within_reach,
    placement,
)
from services.kingdomino.rules.rules import straight
from services.kingdomino.rules.view import view
from shared.kernel import EVERYTHING, SPECTATOR, Malformed, Seat, Viewer
from tests.games.kingdomino.positions import (
    WITHOUT_LAKE,
    Stacked,
    kingdom,
    match_steps,
    numbers,
    position,
    seats,
    started,
)

REACH = range(-6, 7)
ANYWHERE = [placement(cell_at(x, y), direction) for x in REACH for y in REACH for direction in Direction]
WHERE = [where for where in ANYWHERE if is_within_reach(where)]
EAST = placement(cell_at(1, 0), Direction.EAST)
DEAL = GameDealt(2, seats("1 0 0 1"), 4, numbers("31 9 30 5"), 2, numbers("40 41"))
OTHER_DEAL = GameDealt(2, seats("1 0 0 1"), 4, numbers("1 48 41 6"), 2, numbers("31 9"))
TALLIES = (Tally(52, 9, 11), Tally(0, 0, 0))


def through_bytes(message: Message) -> Message:
    """The message as it is read from the wire."""
    return type(message).FromString(message.SerializeToString())


def redacted(event: Event, viewer: Viewer) -> Event:
    """The event as it comes to a viewer."""
    encoded = codec.encode_event(event)
    opened = [secret.content if viewer.may_see(secret.seats) else None for secret in encoded.secrets]
    return codec.decode_event(encoded.public, opened)


def check_round_trip(command: Command) -> None:
    """The command comes back from its message."""
    assert codec.decode_command(through_bytes(codec.encode_command(command))) == command


@pytest.mark.parametrize("number", NUMBERS)
def test_every_placement_of_a_domino_round_trips(number: int) -> None:
    """K-12: each cell that a kingdom can reach, in each direction; the order of two equal squares is settled."""
    for where in WHERE:
        check_round_trip(PlaceDomino(number, straight(number, where)))


@pytest.mark.parametrize("number", NUMBERS)
def test_every_other_command_round_trips(number: int) -> None:
    """K-8, K-15: choices, discards, and whole turns in one."""
    check_round_trip(ChooseDomino(number))
    check_round_trip(DiscardDomino(number))
    check_round_trip(DiscardDomino(13, number))
    check_round_trip(PlaceDomino(13, EAST, number))


@pytest.mark.parametrize("number", [number for number in NUMBERS if DOMINOES[number].is_double])
def test_two_equal_squares_are_read_with_the_lower_cell_first(number: int) -> None:
    """Order: a client may send it the other way round, and means the same."""
    messages = [
        pb.PlaceDomino(number=number, placement=pb.Placement(x=x, y=y, direction=direction))
        for x, y, direction in (
            (1, 0, pb.DIRECTION_EAST),
            (2, 0, pb.DIRECTION_WEST),
            (0, 1, pb.DIRECTION_SOUTH),
            (0, 2, pb.DIRECTION_NORTH),
        )
    ]
    read = list(map(codec.decode_command, messages))
    assert read[0] == read[1] != read[2] == read[3]


def test_a_command_is_written_with_cell_and_direction() -> None:
    """K-12: the castle is at (0, 0), and what lies west or north of it has numbers below."""
    where = placement(cell_at(-2, -1), Direction.SOUTH)
    assert codec.encode_command(PlaceDomino(25, where, 30)) == pb.PlaceDomino(
        number=25, placement=pb.Placement(x=-2, y=-1, direction=pb.DIRECTION_SOUTH), choose=30
    )


def placing(**placed: int) -> pb.PlaceDomino:
    """A placement of domino 12 at 1, 0 to the east, but for what is named."""
    where = {"x": 1, "y": 0, "direction": pb.DIRECTION_EAST} | placed
    return pb.PlaceDomino(number=12, placement=pb.Placement(**where))  # type: ignore[arg-type]


def naming(choose: int) -> pb.PlaceDomino:
    """A good placement, and a domino to choose."""
    message = placing()
    message.choose = choose
    return message


@pytest.mark.parametrize(
    ("message", "field"),
    [
        pytest.param(pb.PlaceDomino(), "command.number", id="nothing at all"),
        pytest.param(pb.PlaceDomino(number=12), "command.placement.direction", id="K-12: no placement"),
        pytest.param(pb.PlaceDomino(number=49), "command.number", id="K-1: a number above the last"),
        pytest.param(placing(direction=0), "command.placement.direction", id="K-12: no direction"),
        pytest.param(placing(direction=5), "command.placement.direction", id="K-12: a direction that is not known"),
        pytest.param(placing(x=7), "command.placement.x", id="K-14: farther east than any kingdom"),
        pytest.param(placing(x=-7), "command.placement.x", id="K-14: farther west than any kingdom"),
        pytest.param(placing(y=7), "command.placement.y", id="K-14: farther south than any kingdom"),
        pytest.param(placing(y=-(2**31)), "command.placement.y", id="K-14: as far north as numbers go"),
        pytest.param(placing(x=6), "command.placement.direction", id="K-14: its second square farther east"),
        pytest.param(
            pb.PlaceDomino(number=1, placement=pb.Placement(x=-6, direction=pb.DIRECTION_WEST)),
            "command.placement.direction",
            id="K-14: two equal squares, the second farther west, where the first one's place would be",
        ),
        pytest.param(naming(0), "command.choose", id="K-8: 0 is no domino, and not nothing either"),
        pytest.param(naming(49), "command.choose", id="K-1: choosing one above the last"),
        pytest.param(pb.DiscardDomino(), "command.number", id="K-15: a discard of nothing"),
        pytest.param(pb.DiscardDomino(number=1, choose=0), "command.choose", id="K-15: a discard, then none"),
        pytest.param(pb.ChooseDomino(), "command.number", id="K-6: a choice of nothing"),
        pytest.param(pb.ChooseDomino(number=2**32 - 1), "command.number", id="K-1: as high as numbers go"),
    ],
)
def test_a_message_that_is_no_command_is_malformed(message: Message, field: str) -> None:
    """The answer names the part that is wrong."""
    with pytest.raises(Malformed) as caught:
        codec.decode_command(through_bytes(message))
    assert caught.value.field == field
    assert caught.value.message


@pytest.mark.parametrize("chosen", list(product((False, True), repeat=4)))
def test_options_round_trip(chosen: tuple[bool, bool, bool, bool]) -> None:
    """K-18 to K-21: every combination comes back from its message."""
    options = Options(*chosen)
    assert codec.decode_options(through_bytes(codec.encode_options(options))) == options


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(pb.Options(), Options(), id="left out: no variant"),
        pytest.param(pb.Options(dynasty=True), Options(dynasty=True), id="K-18"),
        pytest.param(pb.Options(middle_kingdom=True), Options(middle_kingdom=True), id="K-19"),
        pytest.param(pb.Options(harmony=True), Options(harmony=True), id="K-20"),
        pytest.param(pb.Options(mighty_duel=True), Options(mighty_duel=True), id="K-21"),
    ],
)
def test_each_option_has_its_field(message: pb.Options, expected: Options) -> None:
    """K-18 to K-21: none is taken for another."""
    assert codec.decode_options(message) == expected


EVENTS = [
    pytest.param(DEAL, id="K-3: a deal"),
    pytest.param(GameDealt(1, seats("0 1 1 0"), 48, NUMBERS, 0, ()), id="K-21: a deal with nothing put aside"),
    pytest.param(LineDrawn(numbers("3 17 25")), id="K-5: a line"),
    pytest.param(DominoChosen(Seat(0), 1), id="K-6: a choice"),
    pytest.param(DominoPlaced(Seat(2), 48, EAST), id="K-8: a placement"),
    pytest.param(DominoPlaced(Seat(0), 13, placement(cell_at(-4, -3), Direction.NORTH)), id="K-12: far away"),
    pytest.param(DominoDiscarded(Seat(1), 46), id="K-15: a discard"),
    pytest.param(GameEnded(TALLIES), id="K-16: the tallies"),
]


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_round_trips(event: Event) -> None:
    """Every kind of event comes back from its messages when all of it is open, as what it was."""
    encoded = codec.encode_event(event)
    secrets = [through_bytes(secret.content) for secret in encoded.secrets]
    read = codec.decode_event(through_bytes(encoded.public), secrets)
    assert (type(read), read) == (type(event), event)


@pytest.mark.parametrize(
    "viewer",
    [
        pytest.param(Viewer(Seat(0)), id="Hidden: from a seat"),
        pytest.param(Viewer(Seat(1)), id="Hidden: from another seat"),
        pytest.param(SPECTATOR, id="Hidden: from a spectator"),
    ],
)
def test_nobody_sees_the_dominoes_of_a_deal(viewer: Viewer) -> None:
    """Hidden: how many there are, and the order of the kings, is all that is seen."""
    assert redacted(DEAL, viewer) == GameDealt(2, seats("1 0 0 1"), 4, None, 2, None)


def test_a_deal_is_seen_once_all_is_revealed() -> None:
    """Hidden: only until the end."""
    assert redacted(DEAL, EVERYTHING) == DEAL


@pytest.mark.parametrize("event", EVENTS[2:])
def test_what_happens_on_the_table_is_seen_by_all(event: Event) -> None:
    """Hidden: the deck and what was put aside, and nothing else."""
    assert codec.encode_event(event).secrets == ()
    assert redacted(event, SPECTATOR) == event


def test_the_public_part_tells_nothing_of_what_is_sealed() -> None:
    """Hidden: two deals that differ only in their dominoes are byte for byte the same in public."""
    public = [codec.encode_event(deal).public.SerializeToString(deterministic=True) for deal in (DEAL, OTHER_DEAL)]
    assert public[0] == public[1]


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(DEAL._replace(deck=None), id="a deal without its deck"),
        pytest.param(DEAL._replace(aside=None), id="a deal without what was put aside"),
    ],
)
def test_a_redacted_event_is_never_written(event: Event) -> None:
    """The log holds full events: one with something missing can't be encoded."""
    with pytest.raises(ValueError, match="redacted"):
        codec.encode_event(event)


def test_a_message_that_is_no_event_is_an_error() -> None:
    """A message of another kind is not taken for an event."""
    with pytest.raises(TypeError, match="ChooseDomino is not an event of Kingdomino"):
        codec.decode_event(pb.ChooseDomino(number=1), ())


def test_the_messages_of_each_kind_are_listed() -> None:
    """What the codec writes is of the types that it lists."""
    events: tuple[Event, ...] = (
        DEAL,
        LineDrawn((1,)),
        DominoChosen(Seat(0), 1),
        DominoPlaced(Seat(0), 1, EAST),
        DominoDiscarded(Seat(0), 1),
        GameEnded(TALLIES),
    )
    written = list(map(codec.encode_event, events))
    assert [type(encoded.public) for encoded in written] == list(codec.event_types)
    assert {type(secret.content) for encoded in written for secret in encoded.secrets} == set(codec.secret_types)
    commands = (PlaceDomino(1, EAST), DiscardDomino(1), ChooseDomino(1))
    assert [type(codec.encode_command(command)) for command in commands] == list(codec.command_types)


STATES: dict[str, Callable[[], State]] = {
    "K-3: before the first deal": lambda: initial(Options(), 3),
    "K-6: the first line": lambda: started(Stacked("48 3 17 25", kings="1 0 0 1"), 2)[1],
    "K-8: a placement, with a king on the next line": lambda: position(
        "7=1 >12=0 26=0 43=1",
        "3 20 36=1 47",
        kingdoms=[kingdom(WITHOUT_LAKE, discarded="6 8"), ""],
        deck="31 9 30 5",
    ),
    "K-8: a choice": lambda: position("7=1 >12=0 26=0 43=1", "3 20 36=1 47", is_choosing=True),
    "K-11: the last round": lambda: position(">7=1 12=0 26=0 43=1"),
    "K-18: a later game": lambda: position(
        ">7=1 12=0 26=0 43=1", options=Options(dynasty=True, harmony=True), before=(TALLIES, TALLIES)
    ),
    "K-10: after the end": lambda: [*match_steps(2, Options(), b"codec")][-1].state,
    "K-21: the end of a duel": lambda: [*match_steps(2, Options(mighty_duel=True), b"codec")][-1].state,
}


@pytest.mark.parametrize("viewer", [Viewer(Seat(0)), Viewer(Seat(1)), SPECTATOR, EVERYTHING])
@pytest.mark.parametrize("state", STATES.values(), ids=STATES.keys())
def test_a_view_round_trips(state: Callable[[], State], viewer: Viewer) -> None:
    """What a viewer sees comes back from its message, hidden things as hidden."""
    seen = view(state(), viewer)
    assert codec.decode_view(through_bytes(codec.encode_view(seen))) == seen


def test_a_view_is_written_with_what_a_client_needs() -> None:
    """K-1, K-16, K-17: squares of each domino, the score of each kingdom with its reasons, and nothing of the deck."""
    first = """
             0      1      2
      0 castle    48w 48m***
"""
    state = position("7=1 >12=0 26=0 43=1", "3 20 36=1 47", kingdoms=["", first], deck="31 9 30 5")
    message = codec.encode_view(view(state, Viewer(Seat(0))))
    assert (message.seat, message.turn, message.phase, message.at) == (0, 0, pb.PHASE_PLACE, 1)
    assert [(one.domino.number, one.king) for one in message.line] == [(7, 1), (12, 0), (26, 0), (43, 1)]
    assert [one.king if one.HasField("king") else None for one in message.next_line] == [None, None, 1, None]
    assert message.seats[1].dominoes[0] == pb.LaidDomino(
        domino=pb.Domino(
            number=48,
            first=pb.Square(terrain=pb.TERRAIN_WHEAT, crowns=0),
            second=pb.Square(terrain=pb.TERRAIN_MINE, crowns=3),
        ),
        placement=pb.Placement(x=1, y=0, direction=pb.DIRECTION_EAST),
    )
    assert message.seats[1].score.tally == pb.Tally(points=3, largest_property=1, crowns=3)
    assert (message.deck_size, list(message.deck), list(message.aside)) == (4, [], [])


def test_a_choice_that_is_left_out_is_not_the_choice_of_nothing() -> None:
    """K-8: the first half of a turn has no number for the second."""
    assert not codec.encode_command(PlaceDomino(12, EAST)).HasField("choose")
    assert codec.decode_command(placing()) == PlaceDomino(12, EAST, None)
