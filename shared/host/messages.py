"""Between the API's messages and the host's types: requests checked field by field, answers built."""

import re
from functools import lru_cache

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError, Message

from meydan.match.v1 import envelope_pb2, match_service_pb2
from shared.access.tokens import is_subject
from shared.envelope import Envelope, SealedPart, redact
from shared.game import AnyGame
from shared.host import errors
from shared.host.limits import LONGEST_NAME, MOST_OPTION_BYTES
from shared.kernel import Malformed, OptionSpec, Seat, Viewer
from shared.match import clocks, terms
from shared.match.clocks import TimeControl
from shared.match.model import Match, SeatState, Status, Terms
from shared.match.wire import full_name
from shared.proof.chain import LONGEST_ENTROPY
from shared.proof.heads import SignedHead

_TYPE_PREFIX = "type.googleapis.com/"
_COMMAND_ID = re.compile(r"[\x21-\x7e]{1,64}", re.ASCII)
_LONGEST_CLOCK = 30 * 24 * 3600
_AT_HAND = 2048
_MICROS = 1_000_000
_WATCHING = (envelope_pb2.WATCHING_PUBLIC, envelope_pb2.WATCHING_INVITED)

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


def command_id_of(text: str, field: str = "command_id") -> str:
    """A command id of the caller's."""
    if _COMMAND_ID.fullmatch(text) is None:
        raise Malformed(field, "This id has 1 to 64 visible ASCII characters.")
    return text


def player_of(request: match_service_pb2.JoinMatchRequest, player_id: str, join_id: str) -> SeatState:
    """A player who wants a seat."""
    if len(request.entropy) > LONGEST_ENTROPY:
        raise errors.too_much("entropy", f"A player adds at most {LONGEST_ENTROPY} bytes of entropy.")
    return SeatState("", name_of(request.player_name), join_id, player_id, request.entropy)


def name_of(text: str) -> str:
    """A name that can be shown anywhere."""
    if len(text) > LONGEST_NAME:
        raise errors.too_much("name", f"A name has at most {LONGEST_NAME} characters.")
    if not text or not text.isprintable() or text != text.strip():
        raise Malformed("player_name", f"A name has 1 to {LONGEST_NAME} printable characters, with no space around it.")
    return text


def terms_of(request: match_service_pb2.CreateMatchRequest, organiser_id: str) -> Terms:
    """What the organiser lays down beside the game's options."""
    if request.watching not in (envelope_pb2.WATCHING_UNSPECIFIED, *_WATCHING):
        raise Malformed("watching", "This is no way to watch a match.")
    return Terms(
        organiser_id=organiser_id,
        is_public=request.watching != envelope_pb2.WATCHING_INVITED,
        control=control_of(request.clock) if request.HasField("clock") else None,
        join_micros=seconds_of("join_seconds", request.join_seconds) * _MICROS,
    )


def control_of(clock: envelope_pb2.Clock) -> TimeControl:
    """A time control as a client wants it."""
    control = terms.time_control(clock)
    match clock.WhichOneof("control"):
        case "per_move":
            seconds_of("clock.per_move.seconds", clock.per_move.seconds, least=1)
        case "base_and_increment":
            seconds_of("clock.base_and_increment.base_seconds", clock.base_and_increment.base_seconds, least=1)
            seconds_of("clock.base_and_increment.increment_seconds", clock.base_and_increment.increment_seconds)
        case _:
            raise Malformed("clock", "A clock counts per move, or has a base and an increment.")
    return control


def seconds_of(field: str, seconds: int, least: int = 0) -> int:
    """A time that somebody may wait."""
    if not least <= seconds <= _LONGEST_CLOCK:
        raise Malformed(field, f"A time is {least} to {_LONGEST_CLOCK:,} seconds.")
    return seconds


def seat_of(match: Match, seat: int) -> SeatState:
    """Who sits at a seat that the caller has named."""
    if seat >= len(match.seats):
        raise Malformed("seat", f"This match has the seats 0 to {len(match.seats) - 1}.")
    return match.seats[seat]


def options_of(game: AnyGame, request: match_service_pb2.CreateMatchRequest) -> object:
    """The options, checked against the number of seats."""
    options = game.default_options
    if request.HasField("options"):
        if len(request.options.value) > MOST_OPTION_BYTES:
            raise errors.too_much("options", f"Options have at most {MOST_OPTION_BYTES} bytes.")
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
            return SeatState(player_id=player_id_of(f"seats[{number}].open.player_id", seat.open.player_id))
        case "ai" if seat.ai.level in game.agents:
            return SeatState(ai_level=seat.ai.level)
        case "ai":
            raise Malformed(f"seats[{number}].ai.level", f"The levels are {', '.join(game.agents)}.")
        case _:
            raise Malformed(f"seats[{number}]", "A seat is open or a computer player's.")


def player_id_of(field: str, text: str) -> str:
    """Who a seat is kept for, if it is for anybody."""
    if text and not is_subject(text):
        raise Malformed(field, "A player id is the subject of a token: 1 to 64 printable ASCII characters.")
    return text


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
    return envelope_pb2.SealedPart(
        seats=part.seats, type=part.type, content=content, commitment=part.commitment, salt=part.salt
    )


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
                part.salt,
            )
            for part in message.sealed
        ),
        message.previous_hash,
    )


def receipt_message(head: SignedHead) -> match_service_pb2.Receipt:
    """A receipt as clients get it."""
    match_id, version, hash_, key_id, signature = head
    return match_service_pb2.Receipt(match_id=match_id, version=version, hash=hash_, key_id=key_id, signature=signature)


def summary_message(game: AnyGame, match: Match, now_micros: int) -> match_service_pb2.MatchSummary:
    """What all who watch may know of a match, with the clocks as they stand now."""
    shown = () if match.clocks is None else clocks.elapsed(match.clocks, max(0, now_micros - match.time_micros))
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
                player_id=seat.player_id,
            )
            for number, seat in enumerate(match.seats)
        ],
        to_act=acting,
        places=[envelope_pb2.Place(seats=tied) for tied in match.places or ()],
        options=options,
        created_micros=match.created_micros,
        watching=envelope_pb2.WATCHING_PUBLIC if match.terms.is_public else envelope_pb2.WATCHING_INVITED,
        clock=None if match.terms.control is None else terms.clock_message(match.terms.control),
        clocks=[
            envelope_pb2.SeatClock(remaining_micros=clock.remaining_micros, is_running=clock.is_running)
            for clock in shown
        ],
        join_deadline_micros=match.join_deadline,
        organiser_id=match.terms.organiser_id,
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
