"""Computes the moves of computer players again, from a revealed log alone.

What a computer player does follows from its seat's view, from chance that comes from the match's seed, and from how
often it has searched, which its note says: whoever has the log can do it again.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from meydan.match.v1.envelope_pb2 import AgentNote
from shared.envelope import Envelope
from shared.game import AnyGame
from shared.kernel import Chance, Refusal, Seat, Viewer
from shared.match.model import Match
from shared.match.wire import NOTE_TYPE, Wire
from shared.verify import Wrong, moves


class Rerun(NamedTuple):
    """A computer player's move. That of a player who is not there any more in this version can't be computed."""

    version: int
    seat: Seat
    level: str
    agent_version: int
    is_computed: bool


def count(envelopes: Sequence[Envelope]) -> int:
    """How many moves of computer players a log has."""
    return sum(part.type == NOTE_TYPE for envelope in envelopes for part in envelope.sealed)


def rerun(game: AnyGame, wire: Wire, envelopes: Sequence[Envelope]) -> Iterator[Rerun]:
    """Every move of a computer player, computed again; raises Wrong at the first that comes out otherwise.

    That each has a note, with the seed that its turn leaves no choice of, is checked on the way, as all of the log is.
    """
    for before, written, _ in moves(game, wire, envelopes):
        seat, note = written[0].seat, _note(written[0])
        if before is not None and seat is not None and note is not None:
            is_computed = _is_computed(game, before, seat, note, _command(game, wire, written))
            yield Rerun(written[0].version, seat, before.seats[seat].ai_level, note.version, is_computed)


def _is_computed(game: AnyGame, before: Match, seat: Seat, note: AgentNote, command: Any) -> bool:
    level = before.seats[seat].ai_level
    agent = game.agents.get(level)
    if agent is None or agent.version != note.version:
        return False
    if note.iterations > agent.iterations:
        raise Wrong(before.version + 1, f"the computer player {level} never searches {note.iterations} times")
    chosen = agent.choose(game.view(before.state, Viewer(seat)), Chance(note.seed), iter(range(note.iterations)))
    if _as_read(game, before, seat, chosen) != command:
        move = game.notation.format_command(chosen)
        raise Wrong(before.version + 1, f"the computer player {level} chooses another move here: {move}")
    return True


def _as_read(game: AnyGame, before: Match, seat: Seat, command: Any) -> Any:
    """The command as it is read off its events: a game may have several ways to say the same."""
    decided = game.decide(before.state, seat, command, Chance(before.seed))
    return None if isinstance(decided, Refusal) else game.cause(iter(decided))


def _note(envelope: Envelope) -> AgentNote | None:
    contents = (part.content for part in envelope.sealed if part.type == NOTE_TYPE)
    return next((AgentNote.FromString(content) for content in contents if content is not None), None)


def _command(game: AnyGame, wire: Wire, written: Sequence[Envelope]) -> Any:
    """What was played: it shows in the events of the game with which the move begins."""
    own = takewhile(lambda one: one.seat == written[0].seat and one.type in wire.game_events, written)
    return game.cause(wire.event(wire.upcast(envelope)) for envelope in own)
