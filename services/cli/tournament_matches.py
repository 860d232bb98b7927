"""The matches of a tournament as files: written out, and held against what the tournament's log says of them."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from meydan.tournament.v1 import tournament_pb2 as pb
from services.cli import proofs
from services.cli.client import EVERYTHING, Client
from services.cli.failures import Wrong
from services.cli.proofs import Trusted, Unproved
from services.tournament import results
from services.tournament.state import Entrant, Tournament
from services.tournament.wire import WIRE
from shared.access.tokens import TOURNAMENT
from shared.audit import Audited
from shared.envelope import Envelope
from shared.match.model import Match, SeatState

_AT_ONCE = 4
_SUFFIX = ".jsonl"


class Recorded(NamedTuple):
    """What a tournament's log says of a match: its result and hash, and who sat there."""

    result: pb.MatchResult
    entrants: tuple[Entrant, ...]


def recorded(tournament: Tournament, envelopes: Iterable[Envelope]) -> dict[str, Recorded]:
    """The matches that have a result, by id."""
    events = map(WIRE.public, envelopes)
    return {
        event.result.match_id: Recorded(event.result, _seated(tournament, event))
        for event in events
        if isinstance(event, pb.ResultRecorded)
    }


def _seated(tournament: Tournament, event: pb.ResultRecorded) -> tuple[Entrant, ...]:
    board = tournament.rounds[event.round - 1].boards[event.table]
    return tuple([tournament.entrants[number] for number in board.seats])


def write(client: Client, ids: Iterable[str], folder: Path) -> Iterator[Path]:
    """Each match into a file of its own, several at a time; comes by with each."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Wrong(f"{folder} can't be written: {error.strerror}.") from None
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        exports = pool.map(lambda one: (one, client.export(one, EVERYTHING)), ids)
        for match_id, content in exports:
            file = folder / f"{match_id}{_SUFFIX}"
            file.write_bytes(content)
            yield file


def files_in(folder: Path, but: Path) -> list[Path]:
    """The files of matches in a folder; the tournament's own may be there too."""
    if not folder.is_dir():
        raise Wrong(f"{folder} is not a folder.")
    found = [file for file in sorted(folder.glob(f"*{_SUFFIX}")) if file.resolve() != but.resolve()]
    if not found:
        raise Wrong(f"{folder} has no exported matches in it, whose names end in {_SUFFIX}.")
    return found


def check(file: Path, tournament: Tournament, known: dict[str, Recorded], by: Trusted) -> str:
    """The id of the match in a file that is good, and the one that the tournament's log vouches for."""
    audited = proofs.checked(file, by).audited
    found = known.get(audited.head.match_id)
    if found is None:
        raise Unproved(
            f"{file} is a match of another event: the tournament's log does not know {audited.head.match_id}."
        )
    fault = _fault(audited, tournament, found)
    if fault is not None:
        raise Unproved(f"{file} {fault}.")
    return audited.head.match_id


def _fault(audited: Audited, tournament: Tournament, found: Recorded) -> str | None:
    head, match = audited.head, audited.match
    if (head.version, head.hash) != (found.result.version, found.result.head):
        return "has another hash than the one in the tournament's log"
    if match is None:
        return "lacks what was hidden when it was written: export it again"
    if match.terms.organiser_id != f"{TOURNAMENT}{tournament.id}":
        return "was made for another event"
    if not _are_seated(match, found.entrants):
        return "was played by others than those whom the tournament names"
    if results.result_of(audited.game, match) != found.result:
        return "has ended otherwise than the tournament's log says"
    return None


def _are_seated(match: Match, entrants: tuple[Entrant, ...]) -> bool:
    return len(match.seats) == len(entrants) and all(map(_is_seat_of, match.seats, entrants))


def _is_seat_of(seat: SeatState, entrant: Entrant) -> bool:
    return (seat.ai_level, seat.player_id) == (entrant.ai_level, entrant.player_id)
