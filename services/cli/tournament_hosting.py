"""`meydan tournament create`, `register`, `start` and what else an organiser does."""

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import typer
from rich.text import Text

from meydan.tournament.v1 import tournament_pb2 as pb
from services.cli import lookup, show, tournament_lookup, tournament_plan
from services.cli.failures import Wrong
from services.cli.tournament_client import TournamentClient
from services.cli.tournament_plan import PlanWish

_MOST_BOTS = 131_072
_ENTROPY_BYTES = 16


@dataclass(frozen=True, slots=True)
class CreateWish:
    """A plan, how many computer players join at once, and whether it starts with them."""

    plan: PlanWish
    bots: int = 0
    starts: bool = False
    address: str | None = None


def create(wish: CreateWish, *, is_json: bool) -> None:
    """Makes a tournament, and says what to do with it."""
    plan = tournament_plan.plan(wish.plan)
    levels = tournament_plan.levels(lookup.game_named(plan.game), wish.plan.levels)
    with tournament_lookup.client_of(wish.address) as client:
        made = client.create(plan)
        if wish.bots:
            client.register(made, list(tournament_plan.computer_players(levels, 1, wish.bots)))
        if wish.starts:
            client.start(made)
    if is_json:
        typer.echo(json.dumps({"tournament_id": made, "bots": wish.bots, "is_started": wish.starts}))
        return
    joined = f" {wish.bots} computer players take part." if wish.bots else ""
    out = show.console()
    show.say(out, Text(f"Tournament {made}, {plan.name!r}, is {'started' if wish.starts else 'made'}.{joined}"))
    show.commands(out, *_next(made, wish))


def _next(made: str, wish: CreateWish) -> list[tuple[str, str]]:
    program, at = f"{show.program()} tournament", f" --address {wish.address}" if wish.address else ""
    watch = (f"{program} watch {made}{at}", "shows the standings live")
    if wish.starts:
        return [watch]
    return [
        (f"{program} register {made} --name NAME{at}", "takes part"),
        (f"{program} register {made} --bot LEVEL --count N{at}", "adds computer players"),
        (f"{program} start {made}{at}", "ends registration"),
        watch,
    ]


@dataclass(frozen=True, slots=True)
class Newcomers:
    """Who is to be registered: somebody by name, or computer players of a level."""

    tournament: str
    name: str | None = None
    player: str | None = None
    bot: str | None = None
    count: int = 1
    rating: int = 0


def register(newcomers: Newcomers, address: str | None) -> None:
    """Registers one player, or some computer players."""
    tournament = tournament_lookup.tournament_id(newcomers.tournament)
    with tournament_lookup.client_of(address) as client:
        entrants = _entrants(newcomers, client, tournament)
        first = client.register(tournament, entrants)
    numbers = f"{first}" if len(entrants) == 1 else f"{first} to {first + len(entrants) - 1}"
    _say(f"Registered: {_who(entrants)}, number{'s' * (len(entrants) > 1)} {numbers}.")


def _entrants(newcomers: Newcomers, client: TournamentClient, tournament: str) -> list[pb.Entrant]:
    if newcomers.bot is None:
        return [_player(newcomers)]
    if newcomers.name is not None or newcomers.player is not None:
        raise Wrong("Either --bot adds computer players, or --name a player.")
    if not 1 <= newcomers.count <= _MOST_BOTS:
        raise Wrong(f"--count is 1 to {_MOST_BOTS:,}.")
    first = client.look(tournament).entrants + 1
    added = tournament_plan.computer_players((newcomers.bot,), first, newcomers.count)
    return [pb.Entrant(name=one.name, ai_level=one.ai_level, rating=newcomers.rating) for one in added]


def _player(newcomers: Newcomers) -> pb.Entrant:
    if newcomers.name is None:
        raise Wrong("Who takes part? --name NAME, or --bot LEVEL for computer players.")
    if newcomers.count != 1:
        raise Wrong("--count is for computer players.")
    own = tournament_lookup.own_subject()
    player = newcomers.player or own
    # Who takes part adds to the lots, so that nobody has to trust anybody.
    added = secrets.token_bytes(_ENTROPY_BYTES) if player == own else b""
    return pb.Entrant(name=newcomers.name, player_id=player, rating=newcomers.rating, entropy=added)


def _who(entrants: Sequence[pb.Entrant]) -> str:
    return entrants[0].name if len(entrants) == 1 else f"{len(entrants)} of {entrants[0].ai_level}"


Act: TypeAlias = Callable[[TournamentClient, str], None]


def act(word: str, done: str, act: Act, address: str | None) -> None:
    """Does something with a tournament, and says so."""
    tournament = tournament_lookup.tournament_id(word)
    with tournament_lookup.client_of(address) as client:
        act(client, tournament)
    _say(done)


def act_for(word: str, who: str, done: str, act: Callable[[TournamentClient, str, int], None], at: str | None) -> None:
    """Does something with one entrant, and says so."""
    tournament = tournament_lookup.tournament_id(word)
    with tournament_lookup.client_of(at) as client:
        number = tournament_lookup.entrant(client, tournament, who)
        act(client, tournament, number)
    _say(f"Entrant {number} {done}.")


def arbiter(word: str, name: str, address: str | None) -> None:
    """Prints a token, and nothing else on standard output; what it is, is said on standard error."""
    tournament = tournament_lookup.tournament_id(word)
    with tournament_lookup.client_of(address) as client:
        typer.echo(client.arbiter_token(tournament, name))
    told = f"A token that rules in tournament {tournament} as {name}, and does nothing else: keep it secret."
    notes = show.console(is_error=True)
    show.say(notes, Text(told))
    show.say(notes, Text("The command line reads it from MEYDAN_TOKEN."))


def _say(text: str) -> None:
    show.say(show.console(), Text(text))
