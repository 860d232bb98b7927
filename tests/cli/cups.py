"""Tournaments for the tests of the command line."""

import json
from typing import NamedTuple

from services.cli.tournament_client import TournamentClient
from tests.cli.programs import MOST_SECONDS, Meydan

TIE_BREAKS = ("--tie-break", "buchholz-cut-1", "--tie-break", "buchholz", "--tie-break", "wins")


class Cup(NamedTuple):
    """A tournament, and what `watch` has printed of it."""

    id: str
    watched: str


def made(meydan: Meydan, *words: str) -> str:
    """The id of a new tournament of Domino."""
    called = meydan("tournament", "create", "Cup", "--game", "domino", "--json", *words)
    assert called.exit_code == 0, called.output
    found: str = json.loads(called.stdout)["tournament_id"]
    return found


def play_cup(meydan: Meydan, name: str) -> Cup:
    """Nine computer players and two rounds, so that there are byes; watched to the end."""
    words = ("--rounds", "2", "--bots", "9", "--level", "random", "--level", "greedy", "--start", *TIE_BREAKS)
    called = meydan("tournament", "create", name, "--game", "domino", "--json", *words)
    tournament = json.loads(called.stdout)["tournament_id"]
    watched = meydan("tournament", "watch", tournament)
    assert watched.exit_code == 0, watched.output
    return Cup(tournament, watched.stdout)


def of_people(meydan: Meydan, tournaments: TournamentClient, names: str, *words: str) -> str:
    """A Swiss that has begun, whose matches wait for people who never come."""
    tournament = made(meydan, "--rounds", "2", *TIE_BREAKS, *words)
    for name in names.split():
        registered = meydan("tournament", "register", tournament, "--name", name, "--player", f"id-of-{name}")
        assert registered.exit_code == 0, registered.output
    assert meydan("tournament", "start", tournament).exit_code == 0
    await_round(tournaments, tournament, 1)
    return tournament


def await_round(tournaments: TournamentClient, tournament: str, number: int) -> None:
    """Until a round is paired, and its matches wait for players."""
    for _ in tournaments.follow(tournament, MOST_SECONDS):
        if tournaments.look(tournament).round == number:
            found = tournaments.round(tournament, number)
            if all(table.match_id for table in found.tables):
                return
    raise AssertionError(f"Round {number} was not paired.")
