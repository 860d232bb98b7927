"""`meydan games` and `meydan create`."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import typer
from rich.text import Text

from services import registry
from services.cli import lookup, show, wishes
from services.cli.client import OPEN, Client
from services.cli.failures import Failure
from shared.game import AnyGame
from shared.kernel import OptionSpec
from shared.match.model import Terms
from shared.settings import Settings

_ANSWER_SECONDS = 2.0


def games(*, is_json: bool) -> None:
    """What can be played, and whether its services answer."""
    settings = lookup.settings()
    with ThreadPoolExecutor() as pool:
        rows = list(pool.map(lambda name: _row(registry.load(name), settings), registry.NAMES))
    if is_json:
        typer.echo(json.dumps(rows, indent=2))
    else:
        _print_table(rows)


def _row(game: AnyGame, settings: Settings) -> dict[str, Any]:
    address = registry.address(game.name, settings)
    return {
        "name": game.name,
        "title": game.title,
        "rules_version": game.rules_version,
        "min_seats": game.seat_counts[0],
        "max_seats": game.seat_counts[-1],
        "options": [_option(spec) for spec in game.option_specs],
        "ai_levels": list(game.agents),
        "notation": game.notation.usage,
        "address": address,
        "is_answering": _is_answering(game, address, settings),
    }


def _option(spec: OptionSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "description": spec.description,
        "default": spec.default,
        "minimum": spec.minimum,
        "maximum": spec.maximum,
        "choices": list(spec.choices),
    }


def _is_answering(game: AnyGame, address: str, settings: Settings) -> bool:
    with Client(game, address, settings) as client:
        try:
            return client.describe(_ANSWER_SECONDS).game == game.name
        except Failure:
            return False


def _print_table(rows: list[dict[str, Any]]) -> None:
    out = show.console()
    made = show.table("game", "title", "seats", "options", "computer players", "service")
    for row in rows:
        made.add_row(
            Text(row["name"], style="bold green"),
            row["title"],
            f"{row['min_seats']} to {row['max_seats']}",
            "\n".join(map(_in_short, row["options"])),
            "\n".join(row["ai_levels"]),
            _service(row),
        )
    out.print(made)
    for row in rows:
        for option in row["options"]:
            show.say(out, Text.assemble((f"{option['name']}: ", "bold"), option["description"]))
    if not all(row["is_answering"] for row in rows):
        out.print("Services that do not answer are started by `make up`.", style="dim")


def _in_short(option: dict[str, Any]) -> str:
    limits = (option["minimum"], option["maximum"])
    allowed = ", ".join(option["choices"]) or " to ".join(str(limit) for limit in limits if limit is not None)
    return f"{option['name']}: {allowed} ({option['default']})"


def _service(row: dict[str, Any]) -> Text:
    if row["is_answering"]:
        return Text.assemble(("answers", "green"), f" at {row['address']}")
    return Text.assemble(("no answer", "red"), f" at {row['address']}")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for."""

    game: AnyGame
    seats: Sequence[str]
    options: Sequence[str]
    terms: Terms
    address: str | None

    @property
    def wanted_seats(self) -> tuple[str, ...]:
        """Those that were named, or as many open ones as the game needs."""
        return wishes.seats(self.game, self.seats) or (OPEN,) * self.game.seat_counts[0]


def create(wish: Wish, *, is_json: bool) -> None:
    """Makes a match, and says how to join it."""
    game, wanted = wish.game, wish.wanted_seats
    with lookup.client_of(game, wish.address) as client:
        made = client.create(wanted, wishes.options(game, wish.options), wish.terms)
        token = "" if wish.terms.is_public else client.spectator_token(made.match_id)
    at = f" --address {wish.address}" if wish.address else ""
    join = f"{show.program()} play {game.name} {made.match_id}{at}" if OPEN in wanted else None
    watch = f"{show.program()} watch {made.match_id}{at}"
    if is_json:
        row = {"match_id": made.match_id, "game": game.name, "version": made.version, "seats": wanted}
        places = {"address": client.address, "join": join, "watch": watch}
        typer.echo(json.dumps({**row, **places, "spectator_token": token or None}))
        return
    out = show.console()
    listed = ", ".join(f"seat {number} {seat}" for number, seat in enumerate(wanted))
    show.say(out, show.sentence(f"Match {made.match_id} of {game.title} is made: {listed}."))
    show.commands(out, *([(join, "takes an open seat")] if join else []), (watch, "shows it live"))
    if token:
        out.print("It is for invited spectators only. Each of them watches with:")
        show.commands(out, (f"MEYDAN_TOKEN={token} {watch}", ""))
