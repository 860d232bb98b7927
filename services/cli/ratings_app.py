"""`meydan ratings`: what can be typed. Without the name of a command, files are rated."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

_USUAL = "show"


class _FilesAtOnce(TyperGroup):
    """`meydan ratings FILE` is `meydan ratings show FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [_USUAL, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_FilesAtOnce, no_args_is_help=True, help="Ratings of players, by tournaments that were exported.")

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Tournaments that were exported.")]
Keys = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The published keys, as `meydan keys --json` prints them.")
]
Json = Annotated[bool, typer.Option("--json", help="JSON, for programs.")]


@app.command()
def show(files: Files, *, keys: Keys = None, is_json: Json = False) -> None:
    """A table for each game, the best first."""
    from services.cli import ratings

    ratings.show_ratings(files, keys, is_json=is_json)


@app.command()
def diff(
    files: Files,
    *,
    without: Annotated[list[str], typer.Option("--without", "--void", metavar="MATCH", help="May be repeated.")],
    keys: Keys = None,
    is_json: Json = False,
) -> None:
    """What changes if matches are left out: everything is rated again without them."""
    from services.cli import ratings

    ratings.show_diff(files, without, keys, is_json=is_json)
