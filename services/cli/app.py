"""`meydan`: what can be typed. Each command is in a module of its own, imported when it is called."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from services.cli import ratings_app, show, tournament_app


class _OneSentence(TyperGroup):
    """Every failure is one sentence on standard error and an exit code, typer's own included."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except typer.TyperException as failure:
            if failure.format_message():
                show.failure(failure.format_message())
            code = failure.exit_code
        except typer.Abort:
            code = 1
        sys.exit(code)


app = typer.Typer(
    cls=_OneSentence,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Meydan hosts matches of board games. `make up` starts its services; these commands use them.",
)

app.add_typer(tournament_app.app, name="tournament")
app.add_typer(ratings_app.app, name="ratings")

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game, such as domino; `meydan games` lists them.")]
MatchId = Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match.")]
SomeGame = Annotated[str | None, typer.Option("--game", help="The match's game; else every game's service is asked.")]
Address = Annotated[str | None, typer.Option(help="Where the game's service is, such as 127.0.0.1:50551.")]
Json = Annotated[bool, typer.Option("--json", help="JSON, for programs.")]
Exported = Annotated[Path, typer.Argument(metavar="FILE", help="A match that was exported.")]
Keys = Annotated[
    Path | None,
    typer.Option("--keys", metavar="FILE", help="The published keys, as `meydan keys --json` prints them."),
]
Options = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of the game; may be repeated.")
]


@app.command()
def games(*, is_json: Json = False) -> None:
    """The games: seats, options, computer players, and whether their services answer."""
    from services.cli import games

    games.games(is_json=is_json)


@app.command()
def create(
    game: GameName,
    *,
    seat: Annotated[
        list[str] | None, typer.Option(metavar="open|LEVEL", help="Once a seat: open, or a computer player's level.")
    ] = None,
    option: Options = None,
    clock: Annotated[
        str | None, typer.Option(metavar="SECONDS", help="Time for each move (30), or base and increment (300+5).")
    ] = None,
    join_within: Annotated[
        int, typer.Option(min=0, metavar="SECONDS", help="Seats that nobody takes in this time are out; 0: they wait.")
    ] = 0,
    invited: Annotated[bool, typer.Option("--invited", help="Only players and invited spectators see it.")] = False,
    address: Address = None,
    is_json: Json = False,
) -> None:
    """Makes a match, and says how to join it."""
    from services.cli import games, lookup, wishes

    terms = wishes.terms(clock, join_within, is_invited=invited)
    wish = games.Wish(lookup.game_named(game), seat or (), option or (), terms, address)
    games.create(wish, is_json=is_json)


@app.command()
def play(
    game: GameName,
    match: Annotated[str | None, typer.Argument(metavar="MATCH", help="The match to join; else one is made.")] = None,
    *,
    seat: Annotated[int | None, typer.Option(min=0, help="The seat to take; else the first open one.")] = None,
    name: Annotated[str | None, typer.Option(help="Your name; else your login name.")] = None,
    against: Annotated[
        list[str] | None, typer.Option(metavar="LEVEL", help="An opponent in a new match; may be repeated.")
    ] = None,
    option: Options = None,
    token: Annotated[str | None, typer.Option(help="The token of your seat, to come back to a match.")] = None,
    entropy: Annotated[
        str | None, typer.Option(metavar="HEX", help="What you add to the seed; else 16 bytes are made up.")
    ] = None,
    receipts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Add the receipts of all that you do to this file.")
    ] = None,
    address: Address = None,
) -> None:
    """Play in the terminal, against computer players or in a match that waits for you."""
    from services.cli import lookup, play, wishes
    from services.cli.receipts import ReceiptBook
    from services.cli.seating import Wish

    added = None if entropy is None else wishes.entropy(entropy)
    wish = Wish(match, seat, token, name, against or (), option or (), added)
    with lookup.client_of(lookup.game_named(game), address, token) as client:
        play.play(client, wish, address, ReceiptBook(receipts))


@app.command()
def watch(match: MatchId, *, game: SomeGame = None, address: Address = None) -> None:
    """A match as it happens, to its end."""
    from services.cli import lookup, watch

    client, summary = lookup.match_named(match, game, address)
    with client:
        watch.watch(client, summary)


@app.command()
def replay(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match, or a file that was exported.")],
    *,
    game: SomeGame = None,
    address: Address = None,
    at: Annotated[int | None, typer.Option(min=1, help="The version to show; else all events and the newest.")] = None,
    export: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the log to this file.")] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the position into this file.")] = None,
    is_json: Json = False,
) -> None:
    """A match from its log, at any version; of a file without any service."""
    from services.cli import replay

    replay.replay(replay.Wish(match, game, address, at, export, svg), is_json=is_json)


@app.command()
def verify(file: Exported, *, keys: Keys = None, is_json: Json = False) -> None:
    """Whether an exported match (or tournament) is what happened: signature, hashes, secrets, draws, rules, outcome."""
    from services.cli import verify

    verify.verify(file, keys, is_json=is_json)


@app.command()
def receipt(
    file: Exported,
    receipts: Annotated[
        Path, typer.Argument(metavar="RECEIPTS", help="One receipt or several, as `play --receipts` keeps them.")
    ],
    *,
    keys: Keys = None,
) -> None:
    """Whether moves that were acknowledged are in an exported match, and what they were."""
    from services.cli.receipts import receipt

    receipt(file, receipts, keys)


@app.command()
def rerun_ai(file: Exported, *, keys: Keys = None) -> None:
    """Computes every move of the computer players in an exported match again."""
    from services.cli import rerun

    rerun.rerun(file, keys)


@app.command()
def keys(*, address: Address = None, is_json: Json = False) -> None:
    """The keys that the services publish, to check by them what they have signed."""
    from services.cli import keys

    keys.keys(address, is_json=is_json)


@app.command()
def token(
    scopes: Annotated[list[str], typer.Argument(metavar="SCOPE...", help="organiser, player, public; any of them.")],
    *,
    subject: Annotated[str | None, typer.Option(metavar="NAME", help="Whose token; else your login name's.")] = None,
    hours: Annotated[int, typer.Option(min=1, max=24 * 366, help="How long it is good.")] = 24,
) -> None:
    """Makes a token with the platform's key; only who has the key can."""
    from services.cli import identity, lookup

    identity.token(lookup.settings(), scopes, subject, hours)


@app.command()
def up() -> None:
    """The whole platform, until Ctrl-C."""
    from services.cli import lookup

    settings = lookup.settings()
    from services.cli import up

    up.up(settings)


@app.command()
def demo() -> None:
    """Bots and a client play every game over gRPC, tournaments too; logs are replayed, and proved."""
    from services.cli import demo

    demo.demo()


def main() -> None:
    """The entry point."""
    app()
