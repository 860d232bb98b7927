"""Between protobuf messages and drafts or envelopes, for platform events and any game's."""

from collections.abc import Iterable

from google.protobuf.message import Message

from meydan.match.v1 import envelope_pb2 as pb
from shared.envelope import Draft, Envelope, SealedPart
from shared.game import AnyGame, Encoded, Secret
from shared.kernel import Seat

PLATFORM_TYPES: tuple[type[Message], ...] = (
    pb.MatchCreated,
    pb.SeatTaken,
    pb.MatchStarted,
    pb.SeatWentOut,
    pb.MatchFinished,
)
PLATFORM_SECRETS: tuple[type[Message], ...] = (pb.ServerSeed, pb.AgentNote)


def full_name(message_type: type[Message]) -> str:
    """Such as `meydan.domino.v1.TileLaid`."""
    return str(message_type.DESCRIPTOR.full_name)


NOTE_TYPE = full_name(pb.AgentNote)


class Wire:
    """The message types of one game and the platform, by name, and the shapes that its logs may hold."""

    def __init__(self, game: AnyGame) -> None:
        self._codec = game.codec
        self._upcasters = game.upcasters
        codec = game.codec
        known = (*PLATFORM_TYPES, *PLATFORM_SECRETS, *codec.event_types, *codec.secret_types)
        self._types = {full_name(kind): kind for kind in known}
        self._game_types = {full_name(kind) for kind in codec.event_types}

    def is_game_event(self, kind: str) -> bool:
        """Whether events of this type are the game's, not the platform's."""
        return kind in self._game_types

    def schema_version(self, kind: str) -> int:
        """The version of the shape in which events of this type are written today."""
        version = 1
        while (kind, version) in self._upcasters:
            version += 1
        return version

    def draft(self, seat: Seat | None, encoded: Encoded) -> Draft:
        """An event that is ready to be put into an envelope."""
        kind = full_name(type(encoded.public))
        return Draft(
            kind,
            self.schema_version(kind) if self._upcasters else 1,
            seat,
            encoded.public.SerializeToString(),
            tuple(map(_seal, encoded.secrets)) if encoded.secrets else (),
        )

    def draft_all(self, seat: Seat | None, events: Iterable[object]) -> list[Draft]:
        """Drafts of game events."""
        return [self.draft(seat, self._codec.encode_event(event)) for event in events]

    def public(self, envelope: Envelope) -> Message:
        """The public part as a message, in today's shape."""
        return self._types[envelope.type].FromString(envelope.public)

    def event(self, envelope: Envelope) -> object:
        """A game's event, as far as the envelope shows it."""
        if not envelope.sealed:
            return self._codec.decode_event(self._types[envelope.type].FromString(envelope.public), ())
        secrets = [self.content(part) for part in envelope.sealed if part.type != NOTE_TYPE]
        return self._codec.decode_event(self.public(envelope), secrets)

    def content(self, part: SealedPart) -> Message | None:
        """A sealed part as a message, or None where it is hidden."""
        return None if part.content is None else self._types[part.type].FromString(part.content)

    def upcast(self, envelope: Envelope) -> Envelope:
        """The envelope in today's shape."""
        while (raise_one := self._upcasters.get((envelope.type, envelope.schema_version))) is not None:
            envelope = raise_one(envelope)
        return envelope


def _seal(secret: Secret) -> SealedPart:
    return SealedPart(secret.seats, full_name(type(secret.content)), secret.content.SerializeToString())
