"""The record that a game fills in. Everything the platform knows of a game, it knows from here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from google.protobuf.message import Message

from shared.envelope import Envelope
from shared.kernel import EVERYTHING, Chance, OptionSpec, Places, Refusal, Seat, Viewer

Upcaster: TypeAlias = Callable[[Envelope], Envelope]

# Options, state, command, event and view of a game.
O = TypeVar("O")  # noqa: E741 - the letter that everybody expects here
S = TypeVar("S")
C = TypeVar("C")
E = TypeVar("E")
V = TypeVar("V")
EventIn = TypeVar("EventIn", contravariant=True)
ViewIn = TypeVar("ViewIn", contravariant=True)


class Secret(NamedTuple):
    """A part of an event that only some seats may see; none of them means nobody until the end."""

    seats: tuple[Seat, ...]
    content: Message


class Encoded(NamedTuple):
    """An event as messages: what everybody sees, and what is sealed."""

    public: Message
    secrets: tuple[Secret, ...] = ()


class Codec(Protocol[O, C, E, V]):
    """Between the game's own types and its protobuf messages. Decoding foreign input raises Malformed, nothing else."""

    @property
    def options_type(self) -> type[Message]: ...
    @property
    def view_type(self) -> type[Message]: ...
    @property
    def command_types(self) -> tuple[type[Message], ...]: ...
    @property
    def event_types(self) -> tuple[type[Message], ...]: ...
    @property
    def secret_types(self) -> tuple[type[Message], ...]: ...

    def encode_options(self, options: O) -> Message: ...
    def decode_options(self, message: Message) -> O: ...
    def encode_command(self, command: C) -> Message: ...
    def decode_command(self, message: Message) -> C: ...
    def encode_event(self, event: E) -> Encoded: ...
    def decode_event(self, public: Message, secrets: Sequence[Message | None]) -> E:
        """`secrets` has one entry for each that encode_event gave, None where it is hidden."""
        ...

    def encode_view(self, view: V) -> Message: ...
    def decode_view(self, message: Message) -> V: ...


class Notation(Protocol[C, EventIn, ViewIn]):
    """Text for shells, logs and tests. Parsing raises Malformed, nothing else."""

    @property
    def usage(self) -> str: ...
    def format_command(self, command: C) -> str: ...
    def parse_command(self, text: str) -> C: ...
    def describe_event(self, event: EventIn) -> str: ...
    def format_view(self, view: ViewIn) -> str: ...


@dataclass(frozen=True, slots=True)
class Agent(Generic[C, V]):
    """A computer player: a pure function of what its seat sees, of chance of its own, and of how long it searches.

    It searches once for each number that the iterator gives, so that the caller may end the search at any time, and
    anybody can repeat it who knows after how many iterations that was.
    """

    version: int
    choose: Callable[[V, Chance, Iterator[int]], C]
    # How often it searches for a move; none for a player that does not search.
    iterations: int = 0


@dataclass(frozen=True, slots=True)
class Game(Generic[O, S, C, E, V]):
    """One game. The functions are pure; `decide` answers a Refusal where a rule forbids, `evolve` never refuses."""

    name: str
    title: str
    rules_version: int
    seat_counts: range
    option_specs: tuple[OptionSpec, ...]
    default_options: O
    # Whether these options suit this number of seats.
    check_options: Callable[[O, int], Refusal | None]
    # The state before anything has happened, and the events that set the match up.
    initial: Callable[[O, int], S]
    setup: Callable[[S, Chance], tuple[E, ...]]
    decide: Callable[[S, Seat, C, Chance], tuple[E, ...] | Refusal]
    evolve: Callable[[S, E], S]
    # The command that these events, the first of a move, are the effect of; None if they are of none. It lets a log be
    # decided again.
    cause: Callable[[Iterator[E]], C | None]
    # The seats that may act now: several in a simultaneous phase, none after the end.
    to_act: Callable[[S], tuple[Seat, ...]]
    outcome: Callable[[S], Places | None]
    view: Callable[[S, Viewer], V]
    # What the viewing seat may do, and what is played for it once it is out: from its view, so that neither can tell
    # a secret.
    legal: Callable[[V], tuple[C, ...]]
    default: Callable[[V], C]
    codec: Codec[O, C, E, V]
    notation: Notation[C, E, V]
    picture: Callable[[V], str]
    agents: Mapping[str, Agent[C, V]]
    # What the game counts for each seat once the match is over, more being better; None where it counts nothing.
    points: Callable[[S], tuple[int, ...]] | None = None
    # `decide`, with the state that its events lead to, where a game knows it at once; it saves folding them again.
    advance: Callable[[S, Seat, C, Chance], tuple[S, tuple[E, ...]] | Refusal] | None = None
    # By (event type, schema version): what turns an envelope of that shape into one of the next version.
    upcasters: Mapping[tuple[str, int], Upcaster] = field(default_factory=dict)

    def redact(self, event: E, viewer: Viewer = EVERYTHING) -> E:
        """The event as the viewer may see it: what its sealed parts hold is gone unless they are open to the viewer."""
        encoded = self.codec.encode_event(event)
        visible = [secret.content if viewer.may_see(secret.seats) else None for secret in encoded.secrets]
        return self.codec.decode_event(encoded.public, visible)


# A game whose own types do not matter to the code that handles it.
AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any]
