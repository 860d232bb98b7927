"""The tournaments of the demo: a Swiss in every game at once, watched to the end, then proved from files."""

import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from services.cli import show, tournament_plan, tournament_proof, tournament_watch
from services.cli.client import Client
from services.cli.failures import Failure, Unreachable
from services.cli.proofs import Trusted
from services.cli.tournament_client import TournamentClient
from services.cli.tournament_plan import PlanWish
from services.cli.tournament_watch import Board
from shared.game import AnyGame

_BUILD = Path("build")
_ENTRANTS = 16
_ROUNDS = 4
_TIE_BREAKS = ("buchholz_cut_1", "buchholz", "wins")
_LEVELS = ("random", "greedy")
_MOST_SECONDS = 120.0
_REFRESH_SECONDS = 0.1
# Lines of a terminal that are no rows of the table: two tables need them twice.
_FRAME = 8
_LEADERS = 5


@dataclass(frozen=True, slots=True)
class Event:
    """One tournament: its standings, and who answers for its matches."""

    board: Board
    matches: Client

    @property
    def id(self) -> str:
        return self.board.summary.tournament_id

    @property
    def game(self) -> AnyGame:
        return self.matches.game


def event_file(game: str) -> Path:
    """Where the log of a game's tournament is left."""
    return _BUILD / f"demo-{game}-tournament.jsonl"


def matches_folder(game: str) -> Path:
    """Where its matches are left."""
    return _BUILD / f"demo-{game}-matches"


def host(client: TournamentClient, games: Iterable[Client], out: Console) -> list[Event]:
    """Hosts them all at once, and shows the standings until all are over."""
    events = [Event(Board(client, _started(client, game.game)), game) for game in games]
    with ThreadPoolExecutor(len(events)) as pool:
        try:
            if out.is_terminal:
                _show_live([pool.submit(_follower(event, _nothing)) for event in events], events, out)
            else:
                _show_lines(pool, events, out)
        except BaseException:
            # A closed channel ends the calls that the pool would wait for.
            client.close()
            raise
    for event in events:
        out.print(event.board.shown(_LEADERS))
    return events


def _started(client: TournamentClient, game: AnyGame) -> str:
    """The id of a tournament of computer players that has begun."""
    wish = PlanWish(f"{game.title} Open", game.name, rounds=_ROUNDS, tie_breaks=_TIE_BREAKS)
    tournament = client.create(tournament_plan.plan(wish))
    levels = tournament_plan.levels(game, [level for level in _LEVELS if level in game.agents])
    client.register(tournament, list(tournament_plan.computer_players(levels, 1, _ENTRANTS)))
    client.start(tournament)
    return tournament


def _nothing(_board: Board) -> None:
    """On a terminal the table says it all."""


def _follower(event: Event, tell: Callable[[Board], None]) -> Callable[[], None]:
    def follow() -> None:
        for _ in event.board.follow(_MOST_SECONDS):
            tell(event.board)

    return follow


def _show_lines(pool: ThreadPoolExecutor, events: Sequence[Event], out: Console) -> None:
    one_at_a_time = Lock()

    def tell(board: Board) -> None:
        with one_at_a_time:
            tournament_watch.tell(board, out)

    following = [pool.submit(_follower(event, tell)) for event in events]
    wait(following)
    _check(following)


def _show_live(following: Sequence["Future[None]"], events: Sequence[Event], out: Console) -> None:
    with Live(console=out, transient=True, auto_refresh=False) as live:
        pending = True
        while pending:
            pending = bool(wait(following, timeout=_REFRESH_SECONDS).not_done)
            live.update(_side_by_side([event.board for event in events], out), refresh=True)
            _check(following)


def _side_by_side(boards: Sequence[Board], out: Console) -> RenderableType:
    """Or one below the other, where they are too wide."""
    tables = [board.shown(max(out.height - _FRAME, 1)) for board in boards]
    if sum(out.measure(table).maximum for table in tables) + len(tables) <= out.width:
        grid = Table.grid(padding=(0, 1))
        grid.add_row(*tables)
        return grid
    return Group(*[board.shown(max(out.height // len(boards) - _FRAME, 1)) for board in boards])


def _check(following: Sequence["Future[None]"]) -> None:
    try:
        for one in following:
            if one.done():
                one.result()
    except Unreachable as failure:
        told = f"A tournament did not come to its end within {_MOST_SECONDS:.0f} seconds"
        raise Failure(f"{told}: {failure.message}") from None


def prove(client: TournamentClient, event: Event, by: Trusted, out: Console) -> None:
    """Writes a tournament and its matches into files, and checks them as anybody can who has them."""
    file, folder = event_file(event.game.name), matches_folder(event.game.name)
    # What an earlier demo has left is of another event.
    shutil.rmtree(folder, ignore_errors=True)
    log = tournament_proof.write_log(client, event.id, file, out)
    tournament_proof.write_matches(event.matches, log, folder, out)
    tournament_proof.print_checks(file, tournament_proof.prove(file, by, folder, out), by, out)


def explain(client: TournamentClient, event: Event, out: Console) -> None:
    """Why the two at the first table of the last round have met, and what decides at the top."""
    found = client.round(event.id, None, limit=1)
    table = found.tables[0]
    show.say(out, Text(f"{event.board.summary.plan.name}, round {found.round}, table 0: {' and '.join(table.names)}."))
    for sentence in client.explain(event.id, found.round, table.seating.seats[0]):
        show.say(out, Text(sentence))
    show.say(out, Text(event.board.rows[0].reason, style="bold"))
