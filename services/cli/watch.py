"""`meydan watch`: a match as it happens."""

from collections.abc import Callable, Iterator

from rich.console import Console
from rich.live import Live
from rich.text import Text

from meydan.match.v1 import match_service_pb2 as pb
from services.cli import show
from services.cli.client import EVERYTHING, SPECTATOR, Client
from services.cli.clocks import Ticking
from services.cli.connection import Connection
from services.cli.sentences import Sentences, named

_PATIENCE_SECONDS = 30.0


def watch(client: Client, summary: pb.MatchSummary) -> None:
    """Sentences from the first event on, on a terminal with the board below; at the end everything is revealed."""
    out = show.console()
    be_patient(client, lambda text: show.say(out, text))
    show.say(out, Text.assemble(f"{client.game.title}: ", show.seats_line(summary.seats)))
    if out.is_terminal:
        _watch_live(client, summary, out)
    else:
        for _ in _telling(client, summary.match_id, out):
            pass
    print_end(client, summary.match_id, out)


def be_patient(client: Connection, say: Callable[[Text], None]) -> None:
    """From now on a service that goes away is waited for, and the user is told so."""
    client.patience = _PATIENCE_SECONDS
    client.on_pause = lambda message: say(Text(message, style="yellow"))


def _watch_live(client: Client, summary: pb.MatchSummary, out: Console) -> None:
    match_id, has_clock = summary.match_id, summary.HasField("clock")
    with Live(_board(client, match_id), console=out, transient=True, auto_refresh=has_clock) as live:
        for _ in _telling(client, match_id, out):
            live.update(_board(client, match_id), refresh=True)


def _telling(client: Client, match_id: str, out: Console) -> Iterator[None]:
    """Prints what happens; yields after each batch."""
    sentences = Sentences(client.game)
    for batch in client.follow(match_id):
        for envelope in batch:
            show.say(out, show.sentence(sentences.of(envelope), envelope.version))
        yield


def _board(client: Client, match_id: str) -> show.Board:
    answer = client.look(match_id, SPECTATOR)
    match = answer.match
    return show.Board(client.game, client.view_in(answer), title(client, match), state_of(match), Ticking(match.clocks))


def title(client: Client, summary: pb.MatchSummary) -> str:
    """What stands above a board."""
    return f"{client.game.title}, version {summary.version}"


def state_of(summary: pb.MatchSummary) -> str:
    """Where the match is in its life, in a few words."""
    match summary.status:
        case pb.MATCH_STATUS_WAITING:
            return "waits for players"
        case pb.MATCH_STATUS_FINISHED:
            return "over"
        case _:
            return f"{named(summary.to_act)} to act" if summary.to_act else "playing"


def print_end(client: Client, match_id: str, out: Console) -> None:
    """The final position with everything revealed, and the places."""
    answer = client.look(match_id, EVERYTHING)
    out.print(show.Board(client.game, client.view_in(answer), title(client, answer.match), "over, everything revealed"))
    out.print(show.results([place.seats for place in answer.match.places], answer.match.seats))
