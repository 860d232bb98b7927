"""Between protobuf messages and drafts or envelopes, for platform events and any game's."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from google.protobuf.message import Message

from meydan.match.v1 import envelope_pb2 as pb
from shared.envelope import Envelope, SealedPart
from shared.game import AnyGame, Encoded, Secret, Upcaster

PLATFORM_TYPES: tuple[type[Message], ...] = (
    pb.MatchCreated,
    pb.SeatTaken,
    pb.SeatReleased,
    pb.MatchStarted,
    pb.SeatWentOut,
    pb.TimeGivenBack,
    pb.ClocksSet,
    pb.MatchFinished,
)
PLATFORM_SECRETS: tuple[type[Message], ...] = (pb.ServerSeed, pb.AgentNote)


def full_name(message_type: type[Message]) -> str:
    """Such as `meydan.domino.v1.TileLaid`."""
    return str(message_type.DESCRIPTOR.full_name)


NOTE_TYPE = full_name(pb.AgentNote)

_AT_HAND = 4096
# An event with so many secrets is a deal, which does not come twice.
_MANY = 3


class Form(NamedTuple):
    """An event as it is stored, wherever that may be in a log."""

    type: str
    schema_version: int
    public: bytes
    sealed: tuple[SealedPart, ...]


class Messages:
    """Message types by name, and the shapes that logs may hold them in."""

    def __init__(self, kinds: Iterable[type[Message]], upcasters: Mapping[tuple[str, int], Upcaster]) -> None:
        self._upcasters = upcasters
        self._names = {kind: full_name(kind) for kind in kinds}
        self._parse = {name: kind.FromString for kind, name in self._names.items()}

    def schema_version(self, kind: str) -> int:
        """The version of the shape in which events of this type are written today."""
        version = 1
        while (kind, version) in self._upcasters:
            version += 1
        return version

    def form(self, encoded: Encoded) -> Form:
        """An event's messages as they are stored."""
        kind = self._names[type(encoded.public)]
        sealed = tuple(map(self.seal, encoded.secrets)) if encoded.secrets else ()
        return Form(kind, self.schema_version(kind), encoded.public.SerializeToString(), sealed)

    def seal(self, secret: Secret) -> SealedPart:
        """A secret as it is stored."""
        return SealedPart(secret.seats, self._names[type(secret.content)], secret.content.SerializeToString())

    def public(self, envelope: Envelope) -> Message:
        """The public part as a message, in today's shape."""
        return self._parse[envelope.type](envelope.public)

    def content(self, part: SealedPart) -> Message | None:
        """A sealed part as a message, or None where it is hidden."""
        return None if part.content is None else self._parse[part.type](part.content)

    def upcast(self, envelope: Envelope) -> Envelope:
        """The envelope in today's shape."""
        while (raise_one := self._upcasters.get((envelope.type, envelope.schema_version))) is not None:
            envelope = raise_one(envelope)
        return envelope


class Wire(Messages):
    """The message types of one game and the platform."""

    def __init__(self, game: AnyGame) -> None:
        self._codec = codec = game.codec
        kinds = (*PLATFORM_TYPES, *PLATFORM_SECRETS, *codec.event_types, *codec.secret_types)
        super().__init__(kinds, game.upcasters)
        # The events of a turn are few, and come again and again: each is translated once. By type too, because named
        # tuples of different types are equal if their values are.
        self.encode: Callable[[Any], Form] = lru_cache(maxsize=_AT_HAND, typed=True)(self._encoded)
        self._decode = lru_cache(maxsize=_AT_HAND)(self._decoded)
        # The types of the game's events; all others are the platform's.
        self.game_events = frozenset(map(full_name, codec.event_types))

    def _encoded(self, event: object) -> Form:
        """A game's event as it is stored."""
        return self.form(self._codec.encode_event(event))

    def event(self, envelope: Envelope) -> object:
        """A game's event, as far as the envelope shows it."""
        _, _, kind, _, _, _, public, sealed, _ = envelope
        if not sealed:
            return self._decode(kind, public, ())
        secrets = tuple([(name, content) for _, name, content, _, _ in sealed if name != NOTE_TYPE])
        return self._decode(kind, public, secrets) if len(secrets) < _MANY else self._decoded(kind, public, secrets)

    def _decoded(self, kind: str, public: bytes, secrets: tuple[tuple[str, bytes | None], ...]) -> object:
        parse = self._parse
        found = [None if content is None else parse[name](content) for name, content in secrets]
        return self._codec.decode_event(parse[kind](public), found)
