"""`meydan tournament`: what can be typed to host one."""

from typing import Annotated

import typer

from services.cli.tournament_arguments import Address, Entrant, Json, Reason, Tournament

app = typer.Typer(no_args_is_help=True, help="Tournaments: hosting them, watching them, proving them.")

Levels = Annotated[
    list[str] | None, typer.Option("--level", metavar="LEVEL", help="Of computer players; several take turns.")
]


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")],
    *,
    game: Annotated[str, typer.Option(metavar="GAME", help="A game, such as domino; `meydan games` lists them.")],
    system: Annotated[
        str,
        typer.Option(
            help="swiss, dutch, round-robin, single-elimination, double-elimination, groups or arena.",
        ),
    ] = "swiss",
    seats: Annotated[int, typer.Option(min=0, help="At a full table.")] = 2,
    rounds: Annotated[int, typer.Option(min=0, help="Of a Swiss; the others know when they are over.")] = 0,
    legs: Annotated[int, typer.Option(min=0, help="Of a round robin: how often everybody meets everybody.")] = 0,
    groups: Annotated[int, typer.Option(min=0, help="How many groups there are before the bracket.")] = 0,
    advancing: Annotated[int, typer.Option(min=0, help="How many of a group, or of a table, go on.")] = 0,
    third_place: Annotated[bool, typer.Option("--third-place", help="The losers of the semi-finals play.")] = False,
    points: Annotated[str | None, typer.Option(metavar="3,1,0", help="For places, the first first; else 1.")] = None,
    draw: Annotated[str | None, typer.Option(metavar="POINTS", help="For a shared first place; else half.")] = None,
    bye: Annotated[str | None, typer.Option(metavar="POINTS", help="Without a table; else as for a win.")] = None,
    tie_break: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="What decides between equals; repeat, the first first.")
    ] = None,
    bots: Annotated[int, typer.Option(min=0, help="Computer players that join at once.")] = 0,
    level: Levels = None,
    fill_to: Annotated[int, typer.Option(min=0, help="At the start computer players fill up to so many.")] = 0,
    clock: Annotated[
        str | None, typer.Option(metavar="SECONDS", help="Time for each move (30), or base and increment (300+5).")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the game; may be repeated.")
    ] = None,
    no_show: Annotated[int, typer.Option(min=0, metavar="SECONDS", help="Then an empty seat is forfeited.")] = 0,
    late_until: Annotated[int, typer.Option(min=0, metavar="ROUND", help="Before it entrants may still come.")] = 0,
    check_in: Annotated[bool, typer.Option("--check-in", help="Who has not checked in does not start.")] = False,
    arena_seconds: Annotated[int, typer.Option(min=0, help="How long an arena goes on.")] = 0,
    streaks: Annotated[bool, typer.Option("--streaks", help="In an arena, wins in a row count more.")] = False,
    start: Annotated[bool, typer.Option("--start", help="Starts at once.")] = False,
    address: Address = None,
    is_json: Json = False,
) -> None:
    """Makes a tournament, and says how to take part."""
    from services.cli import tournament_hosting
    from services.cli.tournament_plan import PlanWish

    plan = PlanWish(
        name=name,
        game=game,
        system=system,
        seats=seats,
        rounds=rounds,
        legs=legs,
        groups=groups,
        advancing=advancing,
        has_third_place=third_place,
        points=points,
        draw=draw,
        bye=bye,
        tie_breaks=tie_break or (),
        clock=clock,
        options=option or (),
        no_show_seconds=no_show,
        late_until=late_until,
        needs_check_in=check_in,
        levels=level or (),
        fill_to=fill_to,
        arena_seconds=arena_seconds,
        has_streaks=streaks,
    )
    tournament_hosting.create(tournament_hosting.CreateWish(plan, bots, start, address), is_json=is_json)


@app.command()
def register(
    tournament: Tournament,
    *,
    name: Annotated[str | None, typer.Option(help="Of a player.")] = None,
    player: Annotated[str | None, typer.Option(metavar="ID", help="As their tokens say; else yourself.")] = None,
    bot: Annotated[str | None, typer.Option(metavar="LEVEL", help="Computer players of this level instead.")] = None,
    count: Annotated[int, typer.Option(help="How many of them.")] = 1,
    rating: Annotated[int, typer.Option(min=0, help="Known from before; the organiser's to say.")] = 0,
    address: Address = None,
) -> None:
    """Takes part, or lets others take part."""
    from services.cli import tournament_hosting
    from services.cli.tournament_hosting import Newcomers

    tournament_hosting.register(Newcomers(tournament, name, player, bot, count, rating), address)


@app.command()
def check_in(tournament: Tournament, entrant: Entrant, *, address: Address = None) -> None:
    """Says that an entrant has come."""
    from services.cli.tournament_hosting import act_for

    act_for(tournament, entrant, "has checked in", lambda client, *who: client.check_in(*who), address)


@app.command()
def withdraw(tournament: Tournament, entrant: Entrant, *, address: Address = None) -> None:
    """An entrant is not paired any more."""
    from services.cli.tournament_hosting import act_for

    act_for(tournament, entrant, "has withdrawn", lambda client, *who: client.withdraw(*who), address)


@app.command("return")
def come_back(tournament: Tournament, entrant: Entrant, *, address: Address = None) -> None:
    """An entrant who has withdrawn is paired again."""
    from services.cli.tournament_hosting import act_for

    act_for(tournament, entrant, "is back", lambda client, *who: client.come_back(*who), address)


@app.command()
def start(tournament: Tournament, *, address: Address = None) -> None:
    """Ends registration; the first round is paired."""
    from services.cli.tournament_hosting import act

    act(tournament, "The tournament has started.", lambda client, which: client.start(which), address)


@app.command()
def pause(tournament: Tournament, *, address: Address = None) -> None:
    """No new round or match, until it goes on."""
    from services.cli.tournament_hosting import act

    act(tournament, "The tournament is paused.", lambda client, which: client.pause(which), address)


@app.command()
def resume(tournament: Tournament, *, address: Address = None) -> None:
    """It goes on."""
    from services.cli.tournament_hosting import act

    act(tournament, "The tournament goes on.", lambda client, which: client.resume(which), address)


@app.command()
def finish(tournament: Tournament, *, address: Address = None) -> None:
    """Ends it where it stands, between rounds."""
    from services.cli.tournament_hosting import act

    act(tournament, "The tournament is over.", lambda client, which: client.finish(which), address)


@app.command()
def pairs(
    tournament: Tournament,
    *,
    forbid: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Numbers of two who must not meet.")] = None,
    force: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Of two who must meet next.")] = None,
    address: Address = None,
) -> None:
    """Who must not, or must, meet from the next round on; what was laid down before is replaced."""
    from services.cli import tournament_rulings

    tournament_rulings.pairs(tournament, forbid or (), force or (), address)


@app.command()
def rule(
    tournament: Tournament,
    number: Annotated[int | None, typer.Argument(metavar="[ROUND]", min=1, help="The round.")] = None,
    table: Annotated[int | None, typer.Argument(metavar="[TABLE]", min=0, help="Which of its tables.")] = None,
    *,
    reason: Reason,
    forfeit: Annotated[list[int] | None, typer.Option(min=0, metavar="SEAT", help="It has lost; repeat.")] = None,
    places: Annotated[str | None, typer.Option(metavar="1,0", help="Seats, the winner first; 1=0 for a tie.")] = None,
    double_loss: Annotated[bool, typer.Option("--double-loss", help="Everybody at the table has lost.")] = False,
    annul: Annotated[bool, typer.Option("--annul", help="As if the table had not been played.")] = False,
    swap: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="Two of the present round change places.")
    ] = None,
    address: Address = None,
) -> None:
    """Decides as an arbiter; every ruling can be undone."""
    from services.cli import tournament_rulings
    from services.cli.tournament_rulings import RulingWish

    wish = RulingWish(tournament, reason, number, table, forfeit or (), places, double_loss, annul, swap)
    tournament_rulings.rule(wish, address)


@app.command()
def undo_ruling(
    tournament: Tournament,
    ruling: Annotated[int, typer.Argument(metavar="RULING", min=1, help="Its number.")],
    *,
    reason: Reason,
    address: Address = None,
) -> None:
    """Takes a ruling back: what stood before counts again."""
    from services.cli import tournament_rulings

    tournament_rulings.undo(tournament, ruling, reason, address)


@app.command()
def arbiter(
    tournament: Tournament,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who rules; it stands beside each ruling.")],
    *,
    address: Address = None,
) -> None:
    """Prints a token for an arbiter of this tournament."""
    from services.cli import tournament_hosting

    tournament_hosting.arbiter(tournament, name, address)
