"""Between the rules' types and meydan.domino.v1. What is sealed, and for whom, is decided here and nowhere else."""

from collections.abc import Sequence
from typing import TypeVar, assert_never

from google.protobuf.message import Message

from meydan.domino.v1 import domino_pb2 as pb
from services.domino.rules.commands import Command, LayTile
from services.domino.rules.events import Event, RoundDealt, RoundEnded, TileDrawn, TileLaid, TurnPassed
from services.domino.rules.model import HALVES, TILES, End, Hand, Options, Tile, Turn, hand_of, tiles_in
from services.domino.rules.view import View
from shared.game import Encoded, Secret
from shared.kernel import Malformed, Seat

options_type = pb.Options
view_type = pb.View
command_types = (pb.LayTile,)
event_types = (pb.RoundDealt, pb.TileLaid, pb.TileDrawn, pb.TurnPassed, pb.RoundEnded)
secret_types = (pb.Hand, pb.Boneyard, pb.DrawnTile)

# A tile's number in the proto is one more than in the rules, where 0 is a tile.
_TO_TILE: dict[Tile, pb.Tile.ValueType] = {tile: pb.Tile.Value("TILE_{}_{}".format(*HALVES[tile])) for tile in TILES}
_FROM_TILE = {number: tile for tile, number in _TO_TILE.items()}
_TO_END = {End.LEFT: pb.END_LEFT, End.RIGHT: pb.END_RIGHT}
_FROM_END = {number: end for end, number in _TO_END.items()}
_NOBODY: tuple[Seat, ...] = ()

T = TypeVar("T")


def encode_options(options: Options) -> pb.Options:
    return pb.Options(hand_size=options.hand_size, target=options.target)


def decode_options(message: Message) -> Options:
    assert isinstance(message, pb.Options)
    hand_size = message.hand_size if message.HasField("hand_size") else Options().hand_size
    return Options(hand_size, message.target if message.HasField("target") else None)


def encode_command(command: Command) -> pb.LayTile:
    return pb.LayTile(tile=_TO_TILE[command.tile], end=_TO_END[command.end])


def decode_command(message: Message) -> Command:
    assert isinstance(message, pb.LayTile)
    tile = _FROM_TILE.get(message.tile)
    if tile is None:
        raise Malformed("command.tile", "The tile is one from TILE_0_0 to TILE_6_6.")
    end = _FROM_END.get(message.end)
    if end is None:
        raise Malformed("command.end", "The end is END_LEFT or END_RIGHT.")
    return LayTile(tile, end)


def encode_event(event: Event) -> Encoded:
    match event:
        case TileLaid():
            return Encoded(pb.TileLaid(seat=event.seat, tile=_TO_TILE[event.tile], end=_TO_END[event.end]))
        case TileDrawn():
            return Encoded(
                pb.TileDrawn(seat=event.seat),
                (Secret((event.seat,), pb.DrawnTile(tile=_TO_TILE[_known(event.tile)])),),
            )
        case TurnPassed():
            return Encoded(pb.TurnPassed(seat=event.seat))
        case RoundDealt():
            return _encode_deal(event)
        case RoundEnded():
            return Encoded(
                pb.RoundEnded(
                    winners=event.winners,
                    is_blocked=event.is_blocked,
                    hands=[_hand(seat, hand) for seat, hand in enumerate(event.hands)],
                    points=event.points,
                )
            )
        case _:
            assert_never(event)


def _encode_deal(event: RoundDealt) -> Encoded:
    public = pb.RoundDealt(
        round=event.round,
        starter=event.starter,
        hand_sizes=[event.hand_size] * len(event.hands),
        boneyard_size=event.boneyard_size,
    )
    hands = [Secret((Seat(seat),), _hand(seat, _known(hand))) for seat, hand in enumerate(event.hands)]
    boneyard = Secret(_NOBODY, pb.Boneyard(tiles=map(_TO_TILE.__getitem__, _known(event.boneyard))))
    return Encoded(public, (*hands, boneyard))


def decode_event(public: Message, secrets: Sequence[Message | None]) -> Event:
    # The two most frequent first.
    match public:
        case pb.TileLaid():
            return TileLaid(Seat(public.seat), _FROM_TILE[public.tile], _FROM_END[public.end])
        case pb.TileDrawn():
            drawn = secrets[0]
            return TileDrawn(Seat(public.seat), _FROM_TILE[drawn.tile] if isinstance(drawn, pb.DrawnTile) else None)
        case pb.TurnPassed():
            return TurnPassed(Seat(public.seat))
        case pb.RoundDealt():
            return _decode_deal(public, secrets)
        case pb.RoundEnded():
            return RoundEnded(
                tuple(map(Seat, public.winners)),
                public.is_blocked,
                tuple(map(_from_hand, public.hands)),
                tuple(public.points),
            )
        case _:
            raise TypeError(f"{type(public).__name__} is not an event of Domino")


def _decode_deal(public: pb.RoundDealt, secrets: Sequence[Message | None]) -> RoundDealt:
    *hands, boneyard = secrets
    return RoundDealt(
        public.round,
        Seat(public.starter),
        public.hand_sizes[0],
        tuple(_from_hand(hand) if isinstance(hand, pb.Hand) else None for hand in hands),
        public.boneyard_size,
        tuple(map(_FROM_TILE.__getitem__, boneyard.tiles)) if isinstance(boneyard, pb.Boneyard) else None,
    )


def encode_view(view: View) -> pb.View:
    return pb.View(
        seat=view.seat,
        options=encode_options(view.options),
        round=view.round,
        turn=view.turn,
        line=[pb.LineTile(left=left, right=right) for left, right in view.line],
        seats=[
            pb.SeatView(
                hand_size=size, hand=None if hand is None else map(_TO_TILE.__getitem__, tiles_in(hand)), score=score
            )
            for size, hand, score in zip(view.hand_sizes, view.hands, view.scores, strict=True)
        ],
        boneyard_size=view.boneyard_size,
        boneyard=None if view.boneyard is None else map(_TO_TILE.__getitem__, view.boneyard),
        turns=map(_encode_turn, view.turns),
        drawn=view.drawn,
    )


def decode_view(message: Message) -> View:
    assert isinstance(message, pb.View)
    return View(
        seat=Seat(message.seat) if message.HasField("seat") else None,
        options=decode_options(message.options),
        round=message.round,
        turn=Seat(message.turn) if message.HasField("turn") else None,
        line=tuple((tile.left, tile.right) for tile in message.line),
        hand_sizes=tuple(seat.hand_size for seat in message.seats),
        hands=tuple(_seen_hand(seat) for seat in message.seats),
        scores=tuple(seat.score for seat in message.seats),
        boneyard_size=message.boneyard_size,
        boneyard=_seen_boneyard(message),
        turns=tuple(map(_decode_turn, message.turns)),
        drawn=message.drawn,
    )


def _seen_hand(seat: pb.SeatView) -> Hand | None:
    return hand_of(tuple(map(_FROM_TILE.__getitem__, seat.hand))) if len(seat.hand) == seat.hand_size else None


def _seen_boneyard(message: pb.View) -> tuple[Tile, ...] | None:
    return (
        tuple(map(_FROM_TILE.__getitem__, message.boneyard)) if len(message.boneyard) == message.boneyard_size else None
    )


def _encode_turn(turn: Turn) -> pb.Turn:
    if turn.tile is None or turn.end is None:
        return pb.Turn(seat=turn.seat, drawn=turn.drawn)
    return pb.Turn(seat=turn.seat, drawn=turn.drawn, tile=_TO_TILE[turn.tile], end=_TO_END[turn.end])


def _decode_turn(turn: pb.Turn) -> Turn:
    if turn.tile == pb.TILE_UNSPECIFIED:
        return Turn(Seat(turn.seat), turn.drawn, None, None)
    return Turn(Seat(turn.seat), turn.drawn, _FROM_TILE[turn.tile], _FROM_END[turn.end])


def _hand(seat: int, hand: Hand) -> pb.Hand:
    return pb.Hand(seat=seat, tiles=map(_TO_TILE.__getitem__, tiles_in(hand)))


def _from_hand(hand: pb.Hand) -> Hand:
    return hand_of(tuple(map(_FROM_TILE.__getitem__, hand.tiles)))


def _known(secret: T | None) -> T:
    if secret is None:
        raise ValueError("a redacted event can't be encoded")
    return secret
