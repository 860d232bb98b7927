"""`meydan tournament watch`: the standings as they change."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from meydan.tournament.v1 import tournament_service_pb2 as api
from services.cli import show, tournament_lookup, tournament_show
from services.cli.tournament_client import TournamentClient
from services.cli.watch import be_patient

# Lines of the terminal that are not of the table's rows.
_FRAME = 9
_BAR = 24
# In a line.
_MOST_NEWS = 16


class Board:
    """The standings of a tournament as far as they have been pushed, and how far its round is."""

    def __init__(self, client: TournamentClient, tournament: str) -> None:
        self.summary = client.look(tournament)
        # Who has just got points, and whether the round has gone on.
        self.fresh: frozenset[int] = frozenset()
        self.is_news = False
        self._client = client
        self._rows: dict[int, api.StandingsRow] = {}
        self._changed: set[int] = set()
        # What stood when the watching began is no change.
        self._is_first = True
        # Of each round, how many tables it has.
        self._tables: dict[int, int] = {}

    @property
    def rows(self) -> list[api.StandingsRow]:
        """All of them, the best first."""
        return sorted(self._rows.values(), key=lambda row: (row.place, row.number))

    @property
    def is_over(self) -> bool:
        return self.summary.status == api.TOURNAMENT_STATUS_FINISHED

    @property
    def tables(self) -> int:
        """Of the present round."""
        return self._tables.get(self.summary.round, 0)

    def follow(self, seconds: float | None = None) -> Iterator[None]:
        """Comes by whenever the standings are those of one version again, to the end."""
        for answer in self._client.follow(self.summary.tournament_id, seconds):
            self._changed |= {row.number for row in answer.rows if self._is_news(row)}
            self._rows |= {row.number: row for row in answer.rows}
            if answer.is_complete:
                self._look()
                yield
                self._is_first = False

    def _is_news(self, row: api.StandingsRow) -> bool:
        """Whether somebody has more points, or has some when the watching begins; tie-breaks change all the time."""
        return row.units != (self._rows[row.number].units if row.number in self._rows else 0)

    def _look(self) -> None:
        before = self.summary
        self.fresh, self._changed = frozenset(self._changed), set()
        self.summary = self._client.look(self.summary.tournament_id)
        number = self.summary.round
        if number and number not in self._tables:
            self._tables[number] = self._client.round(self.summary.tournament_id, number, limit=1).table_count
        self.is_news = (before.round, before.open_tables) != (number, self.summary.open_tables)

    def progress(self) -> str:
        """`round 2 of 4, 5 of 8 tables over`."""
        return tournament_show.progress(self.summary, self.tables)

    def shown(self, most: int) -> RenderableType:
        """The table, and the progress of the round."""
        title = f"{self.summary.plan.name} ({self.summary.plan.game})"
        marked = frozenset() if self.is_over or self._is_first else self.fresh
        table = tournament_show.standings(self.summary.plan, self.rows, title, most, marked)
        return Group(table, self._bar()) if self._rows else Text(f"{title}: {self.progress()}")

    def _bar(self) -> Text:
        if self.is_over:
            return Text("over", style="bold green")
        done = self.tables - self.summary.open_tables
        filled = _BAR * done // self.tables if self.tables else 0
        bar = Text.assemble(("━" * filled, "green"), ("━" * (_BAR - filled), "dim"))
        return bar.append(f" {self.progress()}", style="").append(", paused" * self.summary.is_paused, style="yellow")


def watch(word: str, address: str | None) -> None:
    """The standings to the end: on a terminal as a table that changes, elsewhere a line for what has changed."""
    tournament, out = tournament_lookup.tournament_id(word), show.console()
    with tournament_lookup.client_of(address) as client:
        board = Board(client, tournament)
        be_patient(client, lambda text: show.say(out, text))
        show.say(out, Text.assemble((f"{board.summary.plan.name}: ", "bold"), tournament_show.line(board.summary.plan)))
        if out.is_terminal:
            _watch_live(board, out)
        else:
            for _ in board.follow():
                tell(board, out)
    out.print(board.shown(0))


def _watch_live(board: Board, out: Console) -> None:
    with Live(console=out, transient=True, auto_refresh=False) as live:
        for _ in board.follow():
            live.update(board.shown(max(out.height - _FRAME, 3)), refresh=True)


def tell(board: Board, out: Console) -> None:
    """How far the round is, and who has more points than before."""
    fresh = [row for row in board.rows if row.number in board.fresh]
    news = [f"{row.name} has {row.points}, place {row.place}" for row in fresh[:_MOST_NEWS]]
    if len(fresh) > _MOST_NEWS:
        news.append(f"{len(fresh) - _MOST_NEWS:,} more have others than before")
    if board.is_news or news:
        told = f"{board.summary.plan.name}, {board.progress()}"
        show.say(out, Text(f"{told}: {'; '.join(news)}" if news else told))
