"""Between the API's messages and the host's types: requests checked field by field, answers built."""

import re
from functools import lru_cache

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError, Message

from meydan.match.v1 import envelope_pb2, match_service_pb2
from shared.envelope import Envelope, SealedPart, redact
from shared.game import AnyGame
from shared.host import errors
from shared.kernel import Malformed, OptionSpec, Seat, Viewer
from shared.match.model import Match, SeatState, Status
from shared.match.wire import full_name

_TYPE_PREFIX = "type.googleapis.com/"
_COMMAND_ID = re.compile(r"[\x21-\x7e]{1,64}", re.ASCII)
_JOIN_REQUEST_ID = re.compile(r"[\x21-\x7e]{16,64}", re.ASCII)
_LONGEST_NAME = 40
_AT_HAND = 2048

STATUSES = {
    Status.WAITING: match_service_pb2.MATCH_STATUS_WAITING,
    Status.PLAYING: match_service_pb2.MATCH_STATUS_PLAYING,
    Status.FINISHED: match_service_pb2.MATCH_STATUS_FINISHED,
}


def unpack_any(packed: AnyMessage, kinds: tuple[type[Message], ...], field: str) -> Message:
    """The message inside, if it is of one of these types."""
    name = packed.type_url.rpartition("/")[2]
    kind = next((kind for kind in kinds if full_name(kind) == name), None)
    if kind is None:
        wanted = " or ".join(map(full_name, kinds))
        raise errors.malformed(field, f"This field holds a {wanted}.")
    try:
        return kind.FromString(packed.value)
    except DecodeError:
        raise errors.malformed(field, f"These bytes are not a {name}.") from None


def command_of(game: AnyGame, request: match_service_pb2.SubmitCommandRequest) -> object:
    """The game's command, from a message or from text."""
    match request.WhichOneof("form"):
        case "command":
            return game.codec.decode_command(unpack_any(request.command, game.codec.command_types, "command"))
        case "text":
            return game.notation.parse_command(request.text)
        case _:
            raise Malformed("command", "A command is needed, as a message or as text.")


def command_id_of(text: str) -> str:
    """A command id of the caller's."""
    if _COMMAND_ID.fullmatch(text) is None:
        raise Malformed("command_id", "A command id has 1 to 64 visible ASCII characters.")
    return text


def join_request_id_of(text: str) -> str:
    """The secret by which a join can be repeated."""
    if _JOIN_REQUEST_ID.fullmatch(text) is None:
        raise Malformed("request_id", "A request id has 16 to 64 visible ASCII characters.")
    return text


def player_name_of(text: str) -> str:
    """A name that can be shown anywhere."""
    if not 1 <= len(text) <= _LONGEST_NAME or not text.isprintable() or text != text.strip():
        raise Malformed(
            "player_name", f"A name has 1 to {_LONGEST_NAME} printable characters, with no space around it."
        )
    return text


def options_of(game: AnyGame, request: match_service_pb2.CreateMatchRequest) -> object:
    """The options, checked against the number of seats."""
    options = game.default_options
    if request.HasField("options"):
        options = game.codec.decode_options(unpack_any(request.options, (game.codec.options_type,), "options"))
    refusal = game.check_options(options, len(request.seats))
    if refusal is not None:
        raise errors.malformed("options", refusal.message, refusal.rule)
    return options


def seats_of(game: AnyGame, request: match_service_pb2.CreateMatchRequest) -> tuple[SeatState, ...]:
    """Who the seats are for."""
    counts = game.seat_counts
    if len(request.seats) not in counts:
        raise Malformed("seats", f"{game.title} has {counts[0]} to {counts[-1]} seats, not {len(request.seats)}.")
    return tuple(_seat_of(game, number, seat) for number, seat in enumerate(request.seats))


def _seat_of(game: AnyGame, number: int, seat: envelope_pb2.SeatSetup) -> SeatState:
    match seat.WhichOneof("occupant"):
        case "open":
            return SeatState()
        case "ai" if seat.ai.level in game.agents:
            return SeatState(ai_level=seat.ai.level)
        case "ai":
            raise Malformed(f"seats[{number}].ai.level", f"The levels are {', '.join(game.agents)}.")
        case _:
            raise Malformed(f"seats[{number}]", "A seat is open or a computer player's.")


def status_of(number: int) -> Status | None:
    """The status asked for; None for all."""
    if number == match_service_pb2.MATCH_STATUS_UNSPECIFIED:
        return None
    status = next((status for status, known in STATUSES.items() if known == number), None)
    if status is None:
        raise Malformed("status", "This is no status of a match.")
    return status


def envelope_message(envelope: Envelope, viewer: Viewer) -> envelope_pb2.Envelope:
    """The envelope as the viewer may see it."""
    return _message(redact(envelope, viewer)) if envelope.sealed else _open_message(envelope)


def _message(shown: Envelope) -> envelope_pb2.Envelope:
    message = envelope_pb2.Envelope(
        version=shown.version,
        schema_version=shown.schema_version,
        time_micros=shown.time_micros,
        command_id=shown.command_id,
        seat=shown.seat,
        event=AnyMessage(type_url=_TYPE_PREFIX + shown.type, value=shown.public),
        previous_hash=shown.previous_hash,
    )
    if shown.sealed:
        message.sealed.extend(map(_sealed_message, shown.sealed))
    return message


# What has no secret is the same for everybody who follows.
_open_message = lru_cache(maxsize=_AT_HAND)(_message)


def _sealed_message(part: SealedPart) -> envelope_pb2.SealedPart:
    content = None if part.content is None else AnyMessage(type_url=_TYPE_PREFIX + part.type, value=part.content)
    return envelope_pb2.SealedPart(seats=part.seats, type=part.type, content=content, commitment=part.commitment)


def envelope_of(message: envelope_pb2.Envelope) -> Envelope:
    """What a client received, as an envelope again."""
    return Envelope(
        message.version,
        message.schema_version,
        message.event.type_url.rpartition("/")[2],
        message.time_micros,
        message.command_id,
        Seat(message.seat) if message.HasField("seat") else None,
        message.event.value,
        tuple(
            SealedPart(
                tuple(map(Seat, part.seats)),
                part.type,
                part.content.value if part.HasField("content") else None,
                part.commitment,
            )
            for part in message.sealed
        ),
        message.previous_hash,
    )


def summary_message(game: AnyGame, match: Match) -> match_service_pb2.MatchSummary:
    """What everybody may know of a match."""
    options = AnyMessage()
    options.Pack(game.codec.encode_options(match.options))
    acting = game.to_act(match.state) if match.status is Status.PLAYING else ()
    return match_service_pb2.MatchSummary(
        match_id=match.id,
        game=match.game,
        rules_version=match.rules_version,
        status=STATUSES[match.status],
        version=match.version,
        seats=[
            match_service_pb2.SeatSummary(
                player_name=seat.player_name,
                ai_level=seat.ai_level,
                is_taken=seat.is_taken,
                is_out=number in match.out,
            )
            for number, seat in enumerate(match.seats)
        ],
        to_act=acting,
        places=[envelope_pb2.Place(seats=tied) for tied in match.places or ()],
        options=options,
        created_micros=match.created_micros,
    )


def description_message(game: AnyGame) -> match_service_pb2.DescribeGameResponse:
    """Everything a client must know of a game."""
    codec = game.codec
    return match_service_pb2.DescribeGameResponse(
        game=game.name,
        title=game.title,
        rules_version=game.rules_version,
        min_seats=game.seat_counts[0],
        max_seats=game.seat_counts[-1],
        options_type=full_name(codec.options_type),
        options=map(_option_message, game.option_specs),
        command_types=map(full_name, codec.command_types),
        event_types=map(full_name, codec.event_types),
        view_type=full_name(codec.view_type),
        ai_levels=game.agents,
        notation_help=game.notation.usage,
    )


def _option_message(spec: OptionSpec) -> match_service_pb2.OptionDescription:
    return match_service_pb2.OptionDescription(
        name=spec.name,
        description=spec.description,
        default_value=spec.default,
        minimum=spec.minimum,
        maximum=spec.maximum,
        choices=spec.choices,
    )


def refusal_message(refused: errors.Refused) -> match_service_pb2.Refusal:
    """A refusal inside a Play stream."""
    return match_service_pb2.Refusal(
        code=errors.status_number(refused),
        reason=refused.reason,
        message=refused.message,
        current_version=refused.current_version,
    )
