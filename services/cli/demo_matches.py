"""The matches of the demo: hosted all at once, followed to their ends."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from dataclasses import dataclass
from itertools import cycle, islice
from typing import TypeAlias

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from meydan.match.v1.envelope_pb2 import MatchFinished
from meydan.match.v1.match_service_pb2 import SeatCredential
from services.cli import sentences, show
from services.cli.client import FINISHED, OPEN, Client
from services.cli.failures import Failure, Unreachable
from services.cli.stream_player import StreamPlayer
from shared.envelope import Envelope
from shared.game import AnyGame

_MOST_SECONDS = 45.0
_REFRESH_SECONDS = 0.1
_AT_ONCE = 64
_CLIENT = "gRPC client"


@dataclass(slots=True)
class Row:
    """One match, and what has been seen of it."""

    client: Client
    seats: tuple[str, ...]
    match_id: str
    events: int = 0
    places: tuple[tuple[int, ...], ...] = ()

    @property
    def game(self) -> AnyGame:
        return self.client.game

    @property
    def has_client(self) -> bool:
        """Whether a client plays in it, not only computer players."""
        return _CLIENT in self.seats

    def saw(self, batch: Sequence[Envelope]) -> None:
        """More of its log."""
        self.events = batch[-1].version
        if batch[-1].type == FINISHED:
            finished = MatchFinished.FromString(batch[-1].public)
            self.places = tuple(tuple(place.seats) for place in finished.places)


Playing: TypeAlias = dict[Future[None], Row]


def host(clients: Iterable[Client], out: Console) -> list[Row]:
    """Plays for each game a match of computer players at every number of seats, and one with a client at a seat."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            playing = {pool.submit(task): row for client in clients for row, task in _matches(client)}
            show_progress = _show_live if out.is_terminal else _show_lines
            show_progress(playing, out)
        except BaseException:
            # Closed channels end the calls that the pool would wait for.
            for client in clients:
                client.close()
            raise
    return list(playing.values())


def _matches(client: Client) -> Iterator[tuple[Row, Callable[[], None]]]:
    levels, counts = client.game.agents, client.game.seat_counts
    for count in counts:
        seats = tuple(islice(cycle(levels), count))
        row = Row(client, seats, client.create(seats).match_id)
        yield row, _follower(row)
    others = tuple(islice(cycle(levels), counts[len(counts) // 2] - 1))
    row = Row(client, (_CLIENT, *others), client.create((OPEN, *others)).match_id)
    yield row, _player(row)


def _follower(row: Row) -> Callable[[], None]:
    def follow() -> None:
        for batch in row.client.follow(row.match_id, seconds=_MOST_SECONDS):
            row.saw(batch)

    return follow


def _player(row: Row) -> Callable[[], None]:
    def play() -> None:
        joined = row.client.join(row.match_id, 0, _CLIENT)
        credential = SeatCredential(seat=joined.seat, token=joined.token)
        StreamPlayer(row.client, row.match_id, credential).play(_MOST_SECONDS, row.saw)

    return play


def _show_live(playing: Playing, out: Console) -> None:
    with Live(_table(playing.values()), console=out, auto_refresh=False) as live:
        going_on = set(playing)
        while going_on:
            ended, going_on = wait(going_on, _REFRESH_SECONDS)
            live.update(_table(playing.values()), refresh=True)
            for one in ended:
                _check(one)


def _show_lines(playing: Playing, out: Console) -> None:
    for ended in as_completed(playing):
        _check(ended)
        row = playing[ended]
        seats, places = ", ".join(row.seats), sentences.places(row.places)
        told = f"{row.game.name} {row.match_id} ({seats}): over after {row.events} events, {places}"
        show.say(out, show.sentence(told))


def _check(ended: "Future[None]") -> None:
    try:
        ended.result()
    except Unreachable as failure:
        raise Failure(
            f"A match did not come to its end within {_MOST_SECONDS:.0f} seconds: {failure.message}"
        ) from None


def _table(rows: Iterable[Row]) -> Table:
    made = show.table("game", "seats", "events", "status", "seats by place")
    made.columns[2].justify = "right"
    for row in rows:
        status = (
            Text("over", style="green") if row.places else Text("playing" if row.events else "starting", style="yellow")
        )
        made.add_row(row.game.name, _seats(row), str(row.events), status, _places(row))
    return made


def _seats(row: Row) -> Text:
    return Text(", ").join(Text(seat, style=show.seat_style(number)) for number, seat in enumerate(row.seats))


def _places(row: Row) -> Text:
    """`4, 0, 2=3, 1`."""
    return Text(", ").join(
        Text("=").join(Text(str(seat), style=show.seat_style(seat)) for seat in tied) for tied in row.places
    )
