"""Between protobuf messages and drafts or envelopes, for platform events and any game's."""

from google.protobuf.message import Message

from meydan.match.v1 import envelope_pb2 as pb
from shared.envelope import Envelope, SealedPart
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
        self._names = {kind: full_name(kind) for kind in known}
        self._parse = {name: kind.FromString for kind, name in self._names.items()}
        # The types of the game's events; all others are the platform's.
        self.game_events = frozenset(map(full_name, codec.event_types))

    def schema_version(self, kind: str) -> int:
        """The version of the shape in which events of this type are written today."""
        version = 1
        while (kind, version) in self._upcasters:
            version += 1
        return version

    def encode(self, event: object) -> Encoded:
        """A game's event as messages."""
        return self._codec.encode_event(event)

    def envelope(self, version: int, time_micros: int, command_id: str, seat: Seat | None, event: Encoded) -> Envelope:
        """An event in its place in a log."""
        public, secrets = event
        kind = self._names[type(public)]
        return Envelope(
            version,
            self.schema_version(kind) if self._upcasters else 1,
            kind,
            time_micros,
            command_id,
            seat,
            public.SerializeToString(),
            tuple(map(self._seal, secrets)) if secrets else (),
        )

    def public(self, envelope: Envelope) -> Message:
        """The public part as a message, in today's shape."""
        return self._parse[envelope.type](envelope.public)

    def event(self, envelope: Envelope) -> object:
        """A game's event, as far as the envelope shows it."""
        parse = self._parse
        _, _, kind, _, _, _, data, sealed, _ = envelope
        public = parse[kind](data)
        if not sealed:
            return self._codec.decode_event(public, ())
        secrets = [
            None if content is None else parse[secret](content)
            for _, secret, content, _ in sealed
            if secret != NOTE_TYPE
        ]
        return self._codec.decode_event(public, secrets)

    def content(self, part: SealedPart) -> Message | None:
        """A sealed part as a message, or None where it is hidden."""
        return None if part.content is None else self._parse[part.type](part.content)

    def upcast(self, envelope: Envelope) -> Envelope:
        """The envelope in today's shape."""
        while (raise_one := self._upcasters.get((envelope.type, envelope.schema_version))) is not None:
            envelope = raise_one(envelope)
        return envelope

    def _seal(self, secret: Secret) -> SealedPart:
        return SealedPart(secret.seats, self._names[type(secret.content)], secret.content.SerializeToString())
