"""What several commands of `meydan tournament` ask for."""

from typing import Annotated

import typer

Tournament = Annotated[str, typer.Argument(metavar="TOURNAMENT", help="The id of a tournament.")]
Entrant = Annotated[str, typer.Argument(metavar="WHO", help="An entrant, by number or by name.")]
Address = Annotated[str | None, typer.Option(help="Where the tournament service is, such as 127.0.0.1:50550.")]
Json = Annotated[bool, typer.Option("--json", help="JSON, for programs.")]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; it stands in the log.")]
