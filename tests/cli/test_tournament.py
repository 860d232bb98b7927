"""`meydan tournament`: tournaments are made, hosted, ruled and looked at."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from typer.testing import CliRunner

from services.cli.app import app
from services.cli.tournament_client import TournamentClient
from services.launcher import Launcher
from tests.cli import programs
from tests.cli.cups import Cup, await_round, made, of_people
from tests.cli.programs import Meydan
from tests.cli.test_wrong_arguments import check


def rows_of(meydan: Meydan, *words: str) -> list[dict[str, Any]]:
    """The standings as a program reads them."""
    found: list[dict[str, Any]] = json.loads(meydan("tournament", "standings", *words, "--json").stdout)["rows"]
    return found


def tables_of(meydan: Meydan, tournament: str, *words: str) -> list[dict[str, Any]]:
    """The tables of a round as a program reads them."""
    found: list[dict[str, Any]] = json.loads(meydan("tournament", "round", tournament, *words, "--json").stdout)[
        "tables"
    ]
    return found


def status_of(meydan: Meydan, tournament: str) -> dict[str, Any]:
    """What `show` says to a program."""
    found: dict[str, Any] = json.loads(meydan("tournament", "show", tournament, "--json").stdout)
    return found


def test_watch_tells_results_and_ends_with_the_standings(meydan: Meydan, cup: Cup) -> None:
    """What was told last of everybody's points is what they have; both rounds were told table by table."""
    rows = rows_of(meydan, cup.id)
    told = dict(re.findall(r"(\w+ \d) has ([\d.]+), place", cup.watched))
    assert {row["name"]: row["points"] for row in rows if row["points"] != "0"} == told
    assert cup.watched.startswith("Cup: Swiss of Domino Double 6 at tables of 2; 2 rounds; points 1, 0; bye 1; then")
    assert "Cup, round 2 of 2, 4 of 4 tables over" in cup.watched
    assert [line for line in cup.watched.splitlines() if line.startswith("│     1 │")]
    assert cup.watched.rstrip().endswith("over")


def test_watch_goes_on_when_the_service_comes_back(
    meydan: Meydan, platform: Launcher, tournaments: TournamentClient, program_environment: dict[str, str]
) -> None:
    """The service is killed in the middle and started again; the end is told."""
    tournament = of_people(meydan, tournaments, "Ada Ben Cem", "--rounds", "1")
    watching = programs.start("tournament", "watch", tournament, environment=program_environment)
    printed = programs.read_until(watching, "Cup: Swiss of")
    platform.processes["tournament"].kill()
    printed += programs.read_until(watching, "is away; trying again")
    platform.start_service("tournament")
    assert meydan("tournament", "rule", tournament, "1", "0", "--places", "0,1", "--reason", "seen").exit_code == 0
    printed += watching.communicate(timeout=programs.MOST_SECONDS)[0]
    assert watching.returncode == 0, printed
    assert "Cup, round 1 of 1, 1 of 1 table over" in printed
    assert len(re.findall(r"^│ +\d+ │", printed, re.MULTILINE)) == 3


def test_a_tournament_is_found_in_the_list(meydan: Meydan, cup: Cup) -> None:
    """By its status, the newest first, and no more than were asked for."""
    newest = made(meydan, "--rounds", "3")
    assert newest in meydan("tournament", "list", "--count", "1").stdout
    assert cup.id not in meydan("tournament", "list", "--status", "registering").stdout
    printed = meydan("tournament", "list", "--status", "finished").stdout
    (line,) = [line for line in printed.splitlines() if cup.id in line]
    assert [word.strip() for word in line.strip("│").split("│")] == [
        *(cup.id, "Cup", "swiss", "domino", "2", "9", "2 of 2", "over")
    ]
    assert cup.id in [row["tournament_id"] for row in json.loads(meydan("tournament", "list", "--json").stdout)]


def test_standings_say_why(meydan: Meydan, cup: Cup) -> None:
    """Each row but the last has a sentence; only so many rows are shown as were asked for."""
    printed = meydan("tournament", "standings", cup.id, "--why").stdout
    rows = rows_of(meydan, cup.id)
    for above, below in pairwise(rows):
        assert above["reason"] in printed
        assert above["name"] in above["reason"]
        assert below["name"] in above["reason"]
    few = meydan("tournament", "standings", cup.id, "--rows", "2").stdout
    assert "... and 7 more" in few
    assert rows[1]["name"] in few
    assert "place" in few


def test_standings_at_a_version_are_as_they_were(meydan: Meydan, cup: Cup) -> None:
    """Before the first result nobody has more than the bye."""
    newest = status_of(meydan, cup.id)["version"]
    first = rows_of(meydan, cup.id, "--at", "13")
    assert sum(row["points"] != "0" for row in first) <= 1
    assert rows_of(meydan, cup.id, "--at", newest) == rows_of(meydan, cup.id)
    check(
        meydan("tournament", "standings", cup.id, "--at", "999"), 2, f"The tournament has the versions 1 to {newest}."
    )


def test_a_round_shows_tables_results_byes_and_the_certificate(meydan: Meydan, cup: Cup) -> None:
    """Of the present round, or of the one that is named."""
    printed = meydan("tournament", "round", cup.id, "1").stdout
    for table in tables_of(meydan, cup.id, "1"):
        assert table["match_id"] in printed
        winners = [table["names"][seat] for seat in table["places"][0]["seats"]]
        assert f"1. {' = '.join(winners)}" in printed
    assert re.search(r"Without a table: \w+ \d \(\d\)\.", printed)
    assert "rematches" in printed
    assert "Nothing can be better" in printed
    assert "Cup, round 2" in meydan("tournament", "round", cup.id).stdout
    check(meydan("tournament", "round", cup.id, "3"), 2, "The tournament has the rounds 1 to 2 as yet.")


def test_a_pairing_is_explained_by_number_and_by_name(meydan: Meydan, cup: Cup) -> None:
    """The sentences name both who met; the same whoever of them is asked about by either word."""
    table = tables_of(meydan, cup.id, "2")[0]
    by_name = meydan("tournament", "explain", cup.id, "2", table["names"][0])
    assert by_name.exit_code == 0, by_name.output
    assert all(name in by_name.stdout for name in table["names"])
    assert by_name.stdout == meydan("tournament", "explain", cup.id, "2", str(table["seating"]["seats"][0])).stdout
    check(meydan("tournament", "explain", cup.id, "2", "Nobody"), 2, "Nobody is called 'Nobody' in this tournament")
    check(meydan("tournament", "explain", cup.id, "2", "77"), 2, "The tournament has the entrants 0 to 8.")


def test_entrants_come_go_and_come_back(meydan: Meydan) -> None:
    """Before the start, by name or number; `show` lists them with what they are."""
    tournament = made(meydan, "--rounds", "2", "--check-in", "--bots", "1", "--level", "greedy")
    called = [
        meydan("tournament", "register", tournament, "--name", "Ada", "--player", "ada", "--rating", "1800"),
        meydan("tournament", "register", tournament, "--name", "Me"),
        meydan("tournament", "register", tournament, "--bot", "random", "--count", "2"),
        meydan("tournament", "check-in", tournament, "Ada"),
        meydan("tournament", "withdraw", tournament, "2"),
        meydan("tournament", "return", tournament, "Me"),
    ]
    assert [one.exit_code for one in called] == [0] * 6, [one.output for one in called]
    assert [one.stdout.strip() for one in called] == [
        "Registered: Ada, number 1.",
        "Registered: Me, number 2.",
        "Registered: 2 of random, numbers 3 to 4.",
        "Entrant 1 has checked in.",
        "Entrant 2 has withdrawn.",
        "Entrant 2 is back.",
    ]
    printed = meydan("tournament", "show", tournament).stdout
    assert re.search(r"│ 1 +│ Ada +│ ada +│ 1800 +│", printed)
    assert re.search(r"│ 0 +│ greedy 1 +│ computer, greedy +│ +│", printed)
    assert "open for registration" in printed
    check(
        meydan("tournament", "register", tournament, "--name", "Ada", "--player", "ada"), 2, "Nobody takes part twice"
    )
    check(meydan("tournament", "return", tournament, "Ada"), 2, "Entrant 1 has not withdrawn.")


def test_a_name_that_two_have_is_asked_about(meydan: Meydan) -> None:
    """Their numbers are told."""
    tournament = made(meydan, "--rounds", "2")
    for player in ("one", "two"):
        meydan("tournament", "register", tournament, "--name", "Ada", "--player", player)
    check(
        meydan("tournament", "withdraw", tournament, "Ada"), 2, "2 entrants are called 'Ada': name one by number, 0, 1."
    )


def test_watch_begins_before_the_start(
    meydan: Meydan, tournaments: TournamentClient, program_environment: dict[str, str]
) -> None:
    """It waits for the start; what an arbiter decides is told like any result."""
    tournament = made(meydan, "--rounds", "1", "--fill-to", "4", "--level", "random")
    watching = programs.start("tournament", "watch", tournament, environment=program_environment)
    programs.read_until(watching, "Cup: Swiss of")
    assert meydan("tournament", "start", tournament).stdout == "The tournament has started.\n"
    printed = watching.communicate(timeout=programs.MOST_SECONDS)[0]
    assert watching.returncode == 0
    assert "round 1 of 1, 2 of 2 tables over" in printed
    assert {row.name for row in tournaments.standings(tournament).rows} == {
        f"random {number}" for number in range(1, 5)
    }


def test_an_arbiter_rules_and_takes_it_back(
    meydan: Meydan, tournaments: TournamentClient, environment: dict[str, str]
) -> None:
    """With a token of this tournament alone: a forfeit, its undoing, a result; the next round comes by itself."""
    tournament = of_people(meydan, tournaments, "Ada Ben Cem Dee")
    token = meydan("tournament", "arbiter", tournament, "Kim")
    assert "rules in tournament" in token.stderr
    arbiter = CliRunner(env=environment | {"MEYDAN_TOKEN": token.stdout.strip()})

    def rule(*words: str) -> Any:
        return arbiter.invoke(app, ["tournament", "rule", tournament, *words, "--reason", "nobody came"])

    assert rule("1", "0", "--forfeit", "1").stdout.startswith("Ruling 1 stands.\n")
    printed = meydan("tournament", "round", tournament).stdout
    assert "(forfeit)" in printed
    assert "over, by ruling 1" in printed
    undone = arbiter.invoke(app, ["tournament", "undo-ruling", tournament, "1", "--reason", "they came"])
    assert undone.stdout.startswith("Ruling 1 is undone")
    assert "by ruling" not in meydan("tournament", "round", tournament).stdout
    assert rule("1", "0", "--places", "1,0").exit_code == 0
    assert rule("1", "1", "--double-loss").exit_code == 0
    await_round(tournaments, tournament, 2)
    assert [row["points"] for row in rows_of(meydan, tournament)] == ["1", "0", "0", "0"]
    check(arbiter.invoke(app, ["tournament", "finish", tournament]), 2, "the token of the tournament's organiser")
    other = made(meydan, "--rounds", "2")
    refused = arbiter.invoke(app, ["tournament", "pause", other])
    check(refused, 2, "needs the token of an arbiter of this tournament")
    assert rule("2", "0", "--annul").stdout.startswith("Ruling 4 stands.")
    assert "annulled" in meydan("tournament", "round", tournament).stdout


def test_two_change_places(meydan: Meydan, tournaments: TournamentClient) -> None:
    """By name or number; their tables get new matches."""
    tournament = of_people(meydan, tournaments, "Ada Ben Cem Dee")
    first, second = tables_of(meydan, tournament)
    words = ("--swap", first["names"][0], str(second["seating"]["seats"][0]), "--reason", "cousins")
    assert meydan("tournament", "rule", tournament, *words).exit_code == 0
    await_round(tournaments, tournament, 1)
    swapped = tables_of(meydan, tournament)
    assert swapped[0]["names"] == [second["names"][0], first["names"][1]]
    assert swapped[1]["names"] == [first["names"][0], second["names"][1]]
    assert {first["match_id"], second["match_id"]}.isdisjoint({table["match_id"] for table in swapped})


def test_pairs_that_were_laid_down_are_honoured(meydan: Meydan, tournaments: TournamentClient) -> None:
    """Who must meet in the first round does."""
    tournament = made(meydan, "--rounds", "1")
    for name in ["Ada", "Ben", "Cem", "Dee"]:
        meydan("tournament", "register", tournament, "--name", name, "--player", name)
    laid_down = meydan("tournament", "pairs", tournament, "--force", "0,3", "--forbid", "1,0")
    assert laid_down.stdout == "1 forbidden and 1 forced pair are laid down from the next round on.\n"
    meydan("tournament", "start", tournament)
    await_round(tournaments, tournament, 1)
    assert {frozenset(table["names"]) for table in tables_of(meydan, tournament)} == {
        frozenset({"Ada", "Dee"}),
        frozenset({"Ben", "Cem"}),
    }


def test_a_tournament_pauses_goes_on_and_is_ended(meydan: Meydan, tournaments: TournamentClient) -> None:
    """While it is paused a round that is over is not followed by another; the organiser may end it there."""
    tournament = of_people(meydan, tournaments, "Ada Ben")
    assert meydan("tournament", "pause", tournament).stdout == "The tournament is paused.\n"
    assert status_of(meydan, tournament)["is_paused"]
    assert "running, paused" in meydan("tournament", "show", tournament).stdout
    assert meydan("tournament", "resume", tournament).stdout == "The tournament goes on.\n"
    check(meydan("tournament", "finish", tournament), 2, "Not all tables have a result.")
    meydan("tournament", "pause", tournament)
    meydan("tournament", "rule", tournament, "1", "0", "--places", "0=1", "--reason", "peace")
    assert meydan("tournament", "finish", tournament).stdout == "The tournament is over.\n"
    after = status_of(meydan, tournament)
    assert (after["status"], after["round"]) == ("TOURNAMENT_STATUS_FINISHED", 1)
    assert [row["points"] for row in rows_of(meydan, tournament)] == ["0.5", "0.5"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--system swiss --seats 3 --rounds 3", "Swiss of Domino Double 6 at tables of 3; 3 rounds"),
        ("--system round-robin --legs 2", "Round robin of Domino Double 6 at tables of 2"),
        ("--system single_elimination --third-place", "Single elimination of"),
        ("--system double-elimination", "Double elimination of"),
        ("--system groups --groups 2 --advancing 2", "Groups of"),
        ("--system arena --arena-seconds 60 --streaks", "Arena of"),
        ("--rounds 3 --points 3,1/2 --draw 1 --bye 1.5", "points 3, 1/2; bye 3/2."),
    ],
)
def test_every_system_can_be_made(meydan: Meydan, words: str, said: str) -> None:
    """The service has taken the plan, and `show` says it."""
    tournament = made(meydan, *words.split())
    assert said in meydan("tournament", "show", tournament).stdout


def test_create_prints_commands_to_copy(meydan: Meydan, platform: Launcher) -> None:
    """An address that was given is in them too; they work."""
    address = platform.addresses["tournament"]
    called = ("tournament", "create", "Open", "--game", "kingdomino", "--rounds", "1", "--bots", "2", "--start")
    printed = meydan(*called, "--address", address).stdout
    assert "'Open', is started. 2 computer players take part." in printed
    (words,) = re.findall(r"meydan (tournament watch \w{26} --address \S+)", printed)
    assert meydan(*words.split()).exit_code == 0
