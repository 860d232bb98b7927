"""How things look: colours and frames on a terminal, plain text anywhere else."""

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from services.cli.clocks import Ticking
from services.cli.sentences import SeatHolder, holder, ranked
from shared.game import AnyGame

_PLAIN_WIDTH = 120
_SEAT = re.compile(r"\bseats? \d+(?: and \d+)*", re.IGNORECASE)
_SEAT_STYLES = ("bold cyan", "bold magenta", "bold yellow", "bold green", "bold blue", "bold red")


def console(*, is_error: bool = False) -> Console:
    """Standard output or standard error. Text means what it says, and a file is not folded at 80 columns."""
    stream = sys.stderr if is_error else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else _PLAIN_WIDTH
    return Console(stderr=is_error, markup=False, emoji=False, highlight=False, width=width)


def failure(message: str) -> None:
    """One sentence on standard error."""
    text = " ".join(message.split())
    console(is_error=True).print(Text(text if text.endswith(".") else f"{text}.", style="red"), soft_wrap=True)


def say(out: Console, text: Text) -> None:
    """A paragraph: folded between words on a terminal, one line in a file."""
    out.print(text, soft_wrap=not out.is_terminal)


@contextmanager
def working(out: Console, what: str) -> Iterator[None]:
    """Says that something goes on: with a spinner on a terminal, in a line elsewhere."""
    if not out.is_terminal:
        out.print(f"{what} ...")
        yield
        return
    with out.status(Text(f"{what} ...")):
        yield


def seat_style(seat: int) -> str:
    """The colour of a seat, the same everywhere."""
    return _SEAT_STYLES[seat % len(_SEAT_STYLES)]


def sentence(text: str, version: int | None = None) -> Text:
    """A sentence with its seats in their colours, after its version where there is one."""
    line = Text(text)
    for found in _SEAT.finditer(text):
        first = int(re.findall(r"\d+", found[0])[0])
        line.stylize(seat_style(first), *found.span())
    return line if version is None else numbered(line, version)


def numbered(line: Text | str, version: int) -> Text:
    """A sentence after its version."""
    return Text.assemble((f"{version:>5}  ", "dim"), line)


def commands(out: Console, *rows: tuple[str, str]) -> None:
    """What to type, and what it does. Never folded, so that it can be copied."""
    width = max(len(command) for command, _ in rows)
    for command, meaning in rows:
        line = Text.assemble("  ", (command, "bold green"))
        line.append(f"{' ' * (width - len(command))}   {meaning}" if meaning else "")
        out.print(line, soft_wrap=True)


def program() -> str:
    """How this program is called from where the user is."""
    if shutil.which("meydan"):
        return "meydan"
    beside, here = Path(sys.executable).with_name("meydan"), Path.cwd()
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)


class Board:
    """A position as text in a frame."""

    def __init__(
        self, game: AnyGame, view: Any | None, title: str, subtitle: str = "", clocks: Ticking | None = None
    ) -> None:
        self._text = "(not started yet)" if view is None else game.notation.format_view(view)
        self._title = title
        self._subtitle = subtitle
        self._clocks = clocks

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = f"{self._text}\ntime left: {self._clocks}" if self._clocks else self._text
        text = sentence(fold(shown, options.max_width - 4))
        text.no_wrap = True
        yield Panel.fit(
            text,
            title=Text(self._title, style="bold"),
            title_align="left",
            subtitle=Text(self._subtitle, style="dim") if self._subtitle else None,
            subtitle_align="left",
            border_style="blue",
        )


def fold(text: str, width: int) -> str:
    """Lines that fit, broken after a space or a closing bracket where there is one: what is in brackets stays whole."""
    return "\n".join(piece for line in text.splitlines() for piece in _pieces(line, width))


def _pieces(line: str, width: int) -> Iterator[str]:
    while len(line) > width > 0:
        cut = max(line.rfind(" ", 0, width), line.rfind("]", 0, width)) + 1 or width
        yield line[:cut].rstrip()
        line = line[cut:]
    yield line


def table(*columns: str, title: str | None = None) -> Table:
    """An empty table in the house's looks."""
    made = Table(*columns, title=title, title_justify="left", title_style="bold", box=box.ROUNDED, header_style="bold")
    made.border_style = "blue"
    return made


def results(places: Iterable[Sequence[int]], seats: Sequence[SeatHolder]) -> Table:
    """The final places."""
    made = table("place", "seat", "player")
    for rank, tied in ranked(places):
        for seat in tied:
            style = seat_style(seat)
            made.add_row(str(rank), Text(str(seat), style=style), Text(holder(seats[seat]), style=style))
    return made


def seats_line(seats: Sequence[SeatHolder], mine: int | None = None) -> Text:
    """`seat 0 Ada (you), seat 1 greedy`."""
    parts = [
        Text(f"seat {number} {holder(seat)}{' (you)' if number == mine else ''}", style=seat_style(number))
        for number, seat in enumerate(seats)
    ]
    return Text(", ").join(parts)


def fields(message: Message) -> dict[str, Any]:
    """A message for programs, with everything said that is zero or empty in it."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
