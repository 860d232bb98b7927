"""Between the rules' types and meydan.kingdomino.v1. What is sealed, and for whom, is decided here and nowhere else."""

from collections.abc import Sequence
from typing import assert_never

from google.protobuf.message import Message

from meydan.kingdomino.v1 import kingdomino_pb2 as pb
from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import DOMINOES, Square, Terrain
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
    FARTHEST,
    Cell,
    Direction,
    Kingdom,
    Options,
    Phase,
    Placement,
    Property,
    Tally,
    castle_alone,
    cell_at,
    cells_in,
    direction_of,
    first_cell,
    is_within_reach,
    placement,
    position,
    with_domino,
    without_domino,
)
from services.kingdomino.rules.rules import straight
from services.kingdomino.rules.scoring import Score, match_tallies, score
from services.kingdomino.rules.view import View
from shared.game import Encoded, Secret
from shared.kernel import Malformed, Seat

options_type = pb.Options
view_type = pb.View
command_types = (pb.PlaceDomino, pb.DiscardDomino, pb.ChooseDomino)
event_types = (pb.GameDealt, pb.LineDrawn, pb.DominoChosen, pb.DominoPlaced, pb.DominoDiscarded, pb.GameEnded)
secret_types = (pb.Deck,)

# Numbers in the proto are one more than in the rules, where 0 means something.
_TO_TERRAIN = {terrain: pb.Terrain.Value(f"TERRAIN_{terrain.name}") for terrain in Terrain}
_TO_DIRECTION = {direction: pb.Direction.Value(f"DIRECTION_{direction.name}") for direction in Direction}
_FROM_DIRECTION = {number: direction for direction, number in _TO_DIRECTION.items()}
_TO_PHASE = {phase: pb.Phase.Value(f"PHASE_{phase.name}") for phase in Phase}
_FROM_PHASE = {number: phase for phase, number in _TO_PHASE.items()}
_NOBODY: tuple[Seat, ...] = ()


def encode_options(options: Options) -> pb.Options:
    return pb.Options(
        dynasty=options.dynasty,
        middle_kingdom=options.middle_kingdom,
        harmony=options.harmony,
        mighty_duel=options.mighty_duel,
    )


def decode_options(message: Message) -> Options:
    assert isinstance(message, pb.Options)
    return Options(message.dynasty, message.middle_kingdom, message.harmony, message.mighty_duel)


def encode_command(command: Command) -> Message:
    match command:
        case PlaceDomino():
            where = _encode_placement(command.where)
            return pb.PlaceDomino(number=command.number, placement=where, choose=command.choose)
        case DiscardDomino():
            return pb.DiscardDomino(number=command.number, choose=command.choose)
        case ChooseDomino():
            return pb.ChooseDomino(number=command.number)
        case _:
            assert_never(command)


def decode_command(message: Message) -> Command:
    assert isinstance(message, pb.PlaceDomino | pb.DiscardDomino | pb.ChooseDomino)
    number = _number("command.number", message.number)
    if isinstance(message, pb.ChooseDomino):
        return ChooseDomino(number)
    choose = _number("command.choose", message.choose) if message.HasField("choose") else None
    if isinstance(message, pb.DiscardDomino):
        return DiscardDomino(number, choose)
    return PlaceDomino(number, straight(number, _checked_placement(message.placement)), choose)


def _number(field: str, number: int) -> int:
    if number not in DOMINOES:
        raise Malformed(field, f"Dominoes have numbers from 1 to {len(DOMINOES)}.")
    return number


def _checked_placement(message: pb.Placement) -> Placement:
    for name, value in (("x", message.x), ("y", message.y)):
        if abs(value) > FARTHEST:
            raise Malformed(f"command.placement.{name}", f"{name} is from -{FARTHEST} to {FARTHEST}.")
    if message.direction not in _FROM_DIRECTION:
        raise Malformed("command.placement.direction", "The direction is DIRECTION_WEST, _NORTH, _SOUTH or _EAST.")
    where = _decode_placement(message)
    if not is_within_reach(where):
        raise Malformed("command.placement.direction", f"The second square is farther than {FARTHEST} cells away.")
    return where


def _encode_placement(where: Placement) -> pb.Placement:
    x, y = position(first_cell(where))
    return pb.Placement(x=x, y=y, direction=_TO_DIRECTION[direction_of(where)])


def _decode_placement(message: pb.Placement) -> Placement:
    return placement(cell_at(message.x, message.y), _FROM_DIRECTION[message.direction])


def encode_event(event: Event) -> Encoded:
    match event:
        case DominoPlaced():
            where = _encode_placement(event.where)
            return Encoded(pb.DominoPlaced(seat=event.seat, number=event.number, placement=where))
        case DominoChosen():
            return Encoded(pb.DominoChosen(seat=event.seat, number=event.number))
        case LineDrawn():
            return Encoded(pb.LineDrawn(numbers=event.numbers))
        case DominoDiscarded():
            return Encoded(pb.DominoDiscarded(seat=event.seat, number=event.number))
        case GameDealt():
            return _encode_deal(event)
        case GameEnded():
            return Encoded(_encode_tallies(event.tallies))
        case _:
            assert_never(event)


def _encode_deal(event: GameDealt) -> Encoded:
    if event.deck is None or event.aside is None:
        raise ValueError("a redacted event can't be encoded")
    public = pb.GameDealt(game=event.game, kings=event.kings, deck_size=event.deck_size, aside_size=event.aside_size)
    return Encoded(public, (Secret(_NOBODY, pb.Deck(numbers=event.deck, aside=event.aside)),))


def decode_event(public: Message, secrets: Sequence[Message | None]) -> Event:
    # The most frequent first.
    match public:
        case pb.DominoPlaced():
            return DominoPlaced(Seat(public.seat), public.number, _decode_placement(public.placement))
        case pb.DominoChosen():
            return DominoChosen(Seat(public.seat), public.number)
        case pb.LineDrawn():
            return LineDrawn(tuple(public.numbers))
        case pb.DominoDiscarded():
            return DominoDiscarded(Seat(public.seat), public.number)
        case pb.GameDealt():
            return _decode_deal(public, secrets[0])
        case pb.GameEnded():
            return GameEnded(_decode_tallies(public))
        case _:
            raise TypeError(f"{type(public).__name__} is not an event of Kingdomino")


def _decode_deal(public: pb.GameDealt, secret: Message | None) -> GameDealt:
    deck, aside = (tuple(secret.numbers), tuple(secret.aside)) if isinstance(secret, pb.Deck) else (None, None)
    kings = tuple(map(Seat, public.kings))
    return GameDealt(public.game, kings, public.deck_size, deck, public.aside_size, aside)


def _encode_tallies(tallies: Sequence[Tally]) -> pb.GameEnded:
    return pb.GameEnded(tallies=map(_encode_tally, tallies))


def _encode_tally(tally: Tally) -> pb.Tally:
    return pb.Tally(points=tally.points, largest_property=tally.largest, crowns=tally.crowns)


def _decode_tallies(message: pb.GameEnded) -> tuple[Tally, ...]:
    return tuple(Tally(tally.points, tally.largest_property, tally.crowns) for tally in message.tallies)


def encode_view(view: View) -> pb.View:
    totals = match_tallies(view.tallies, len(view.kingdoms))
    return pb.View(
        seat=view.seat,
        options=encode_options(view.options),
        game=view.game,
        phase=_TO_PHASE[view.phase],
        turn=view.turn,
        line=map(_encode_in_line, view.line, view.kings),
        next_line=map(_encode_in_line, view.next_line, view.next_kings),
        kings=() if view.line else view.kings,
        at=view.at,
        seats=[_encode_seat(view, *both) for both in zip(view.kingdoms, totals, strict=True)],
        games=map(_encode_tallies, view.tallies),
        deck_size=view.deck_size,
        aside_size=view.aside_size,
        deck=view.deck,
        aside=view.aside,
    )


def _encode_in_line(number: int, king: Seat | None) -> pb.LineDomino:
    return pb.LineDomino(domino=_FACES[number], king=king)


def _encode_square(square: Square) -> pb.Square:
    return pb.Square(terrain=_TO_TERRAIN[square.terrain], crowns=square.crowns)


_FACES = {
    number: pb.Domino(number=number, first=_encode_square(domino.first), second=_encode_square(domino.second))
    for number, domino in DOMINOES.items()
}


def _encode_seat(view: View, kingdom: Kingdom, total: Tally) -> pb.SeatView:
    return pb.SeatView(
        dominoes=[
            pb.LaidDomino(domino=_FACES[number], placement=_encode_placement(where)) for number, where in kingdom.laid
        ],
        discarded=kingdom.discarded,
        score=_encode_score(score(kingdom, view.options)),
        match=_encode_tally(total),
    )


def _encode_score(counted: Score) -> pb.Score:
    return pb.Score(
        properties=map(_encode_property, counted.properties),
        middle_kingdom=counted.middle_kingdom,
        harmony=counted.harmony,
        tally=_encode_tally(counted.tally),
    )


def _encode_property(one: Property) -> pb.Property:
    return pb.Property(
        terrain=_TO_TERRAIN[one.terrain],
        squares=one.squares,
        crowns=one.crowns,
        points=one.points,
        cells=map(_encode_cell, cells_in(one.cells)),
    )


def _encode_cell(cell: Cell) -> pb.Cell:
    x, y = position(cell)
    return pb.Cell(x=x, y=y)


def decode_view(message: Message) -> View:
    """What follows from other parts of the view, such as scores, is not read."""
    assert isinstance(message, pb.View)
    options = decode_options(message.options)
    kings = [king for king in map(_king, message.line) if king is not None]
    return View(
        seat=Seat(message.seat) if message.HasField("seat") else None,
        options=options,
        game=message.game,
        tallies=tuple(map(_decode_tallies, message.games)),
        kingdoms=tuple(_decode_kingdom(seat, options.side) for seat in message.seats),
        phase=_FROM_PHASE[message.phase],
        line=tuple(one.domino.number for one in message.line),
        kings=tuple(kings or map(Seat, message.kings)),
        at=message.at,
        next_line=tuple(one.domino.number for one in message.next_line),
        next_kings=tuple(map(_king, message.next_line)),
        deck_size=message.deck_size,
        deck=_seen(message.deck, message.deck_size),
        aside_size=message.aside_size,
        aside=_seen(message.aside, message.aside_size),
    )


def _king(one: pb.LineDomino) -> Seat | None:
    return Seat(one.king) if one.HasField("king") else None


def _decode_kingdom(seat: pb.SeatView, side: int) -> Kingdom:
    kingdom = castle_alone(side)
    for laid in seat.dominoes:
        kingdom = with_domino(kingdom, laid.domino.number, _decode_placement(laid.placement), side)
    for number in seat.discarded:
        kingdom = without_domino(kingdom, number)
    return kingdom


def _seen(numbers: Sequence[int], size: int) -> tuple[int, ...] | None:
    return tuple(numbers) if len(numbers) == size else None
