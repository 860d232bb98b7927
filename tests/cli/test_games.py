"""`meydan games` and `meydan create`: what can be played, and making a match."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf.message import Message
from typer.testing import CliRunner

from meydan.match.v1 import match_service_pb2 as pb
from meydan.match.v1.envelope_pb2 import WATCHING_PUBLIC, BaseAndIncrement
from services import registry
from services.cli import wishes
from services.cli.app import app
from services.cli.client import Client
from services.cli.failures import Refused, Wrong
from services.launcher import Launcher
from tests.cli.programs import Meydan


def test_games_lists_every_game_of_the_registry(meydan: Meydan, platform: Launcher) -> None:
    """The table has each game's title, options and computer players, and says that its service answers."""
    printed = meydan("games")
    assert printed.exit_code == 0
    for name in registry.NAMES:
        game = registry.load(name)
        assert game.title in printed.stdout
        assert f"answers at {platform.addresses[name]}" in printed.stdout
        for word in (*game.agents, *(spec.name for spec in game.option_specs)):
            assert word in printed.stdout


def test_games_as_json(meydan: Meydan, platform: Launcher) -> None:
    """A program can read the same."""
    (domino,) = [row for row in json.loads(meydan("games", "--json").stdout) if row["name"] == "domino"]
    assert (domino["min_seats"], domino["max_seats"]) == (2, 5)
    assert domino["ai_levels"] == list(registry.load("domino").agents)
    assert domino["options"][0]["name"] == "hand_size"
    assert (domino["address"], domino["is_answering"]) == (platform.addresses["domino"], True)


def test_games_says_which_service_does_not_answer(monkeypatch: pytest.MonkeyPatch, meydan: Meydan) -> None:
    """A service that is down is no failure of the listing."""
    monkeypatch.setattr(registry, "address", lambda *_: "127.0.0.1:1")
    printed = meydan("games")
    assert printed.exit_code == 0
    assert "no answer at 127.0.0.1:1" in printed.stdout
    assert "make up" in printed.stdout


def test_create_says_how_to_join(meydan: Meydan, client: Client) -> None:
    """The match is there, with its seats and options, and the printed command names it."""
    words = ("--seat", "open", "--seat", "greedy", "--option", "hand_size=7", "--option", "target=50")
    made = json.loads(meydan("create", "domino", *words, "--json").stdout)
    match = client.look(made["match_id"]).match
    options = registry.load("domino").codec.options_type.FromString(match.options.value)
    assert [seat.ai_level for seat in match.seats] == ["", "greedy"]
    assert str(options).split() == ["hand_size:", "7", "target:", "50"]
    assert f"play domino {made['match_id']}" in made["join"]


def test_create_prints_commands_to_copy(meydan: Meydan, platform: Launcher) -> None:
    """Without seats every one is open; an address that was given is in the commands too."""
    address = platform.addresses["domino"]
    printed = meydan("create", "domino", "--address", address)
    assert printed.exit_code == 0
    assert "seat 0 open, seat 1 open" in printed.stdout
    assert f"--address {address}" in printed.stdout


def test_an_all_computer_match_can_only_be_watched(meydan: Meydan) -> None:
    """There is no seat to join."""
    made = json.loads(meydan("create", "domino", "--seat", "greedy", "--seat", "random", "--json").stdout)
    assert made["join"] is None
    assert made["match_id"] in made["watch"]


def test_terms_are_laid_down(meydan: Meydan, client: Client) -> None:
    """Clock, deadline and who may watch are in the match."""
    words = ("--clock", "300+5", "--join-within", "60", "--seat", "open", "--seat", "greedy")
    made = json.loads(meydan("create", "domino", *words, "--json").stdout)
    match = client.look(made["match_id"]).match
    assert match.clock.base_and_increment == BaseAndIncrement(base_seconds=300, increment_seconds=5)
    assert match.join_deadline_micros == match.created_micros + 60_000_000
    assert match.watching == WATCHING_PUBLIC
    assert made["spectator_token"] is None


def test_seconds_a_move(meydan: Meydan, client: Client) -> None:
    """A single number is the time of each move."""
    made = json.loads(meydan("create", "domino", "--clock", "30", "--json").stdout)
    assert client.look(made["match_id"]).match.clock.per_move.seconds == 30


def test_a_match_for_invited_spectators(meydan: Meydan, client: Client, environment: dict[str, str]) -> None:
    """Others can't look; the printed command, with its token, can."""
    levels = ("--seat", "greedy", "--seat", "random")
    made = json.loads(meydan("create", "domino", "--invited", *levels, "--json").stdout)
    with pytest.raises(Refused, match="This token does not open this match"):
        client.look(made["match_id"])
    invited = CliRunner(env=environment | {"MEYDAN_TOKEN": made["spectator_token"]})
    assert "The match is over" in invited.invoke(app, ["watch", made["match_id"]]).stdout
    printed = meydan("create", "domino", "--invited", *levels).stdout
    assert re.search(r"MEYDAN_TOKEN=\S+ \S+ watch \w{26}\n", printed)


def game_with(options: type[Message]) -> Any:
    """A game whose options are this message."""
    return replace(registry.load("domino"), codec=SimpleNamespace(options_type=options), option_specs=())


@pytest.mark.parametrize(
    ("kind", "word", "expected"),
    [
        pytest.param(pb.ListMatchesRequest, "page_size=12", pb.ListMatchesRequest(page_size=12), id="a number"),
        pytest.param(pb.ListMatchesRequest, "page_token= ab ", pb.ListMatchesRequest(page_token="ab"), id="a text"),
        pytest.param(
            pb.ListMatchesRequest,
            "status=Playing",
            pb.ListMatchesRequest(status=pb.MATCH_STATUS_PLAYING),
            id="a choice",
        ),
        pytest.param(pb.SeatSummary, "is_out=yes", pb.SeatSummary(is_out=True), id="a truth"),
        pytest.param(pb.GetViewRequest, "version=none", pb.GetViewRequest(), id="none of something optional"),
    ],
)
def test_an_option_is_set_by_its_field(kind: type[Message], word: str, expected: Message) -> None:
    """Any game's options message can be filled in, whatever its fields are."""
    assert wishes.options(game_with(kind), (word,)) == expected


@pytest.mark.parametrize(
    ("kind", "word", "sentence"),
    [
        (pb.ListMatchesRequest, "status=asleep", "status is waiting, playing or finished, not 'asleep'."),
        (pb.SeatSummary, "is_out=perhaps", "is_out is true or false, not 'perhaps'."),
        (pb.ListMatchesRequest, "page_size=-1", "page_size is a number, not '-1'."),
        (pb.MatchSummary, "seats=2", "Domino Double 6 has no option 'seats'; its options are none."),
    ],
)
def test_a_wrong_value_is_named_with_what_is_right(kind: type[Message], word: str, sentence: str) -> None:
    """The sentence says what the option may be."""
    with pytest.raises(Wrong) as wrong:
        wishes.options(game_with(kind), (word,))
    assert wrong.value.message == sentence
