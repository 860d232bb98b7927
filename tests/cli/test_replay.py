"""`meydan replay`: a match from its log, from a service or from a file."""

import json
from pathlib import Path
from typing import Any

import pytest

from services import registry
from services.cli.client import EVERYTHING, Client
from tests.cli.programs import Meydan


@pytest.fixture(scope="module")
def exported(meydan: Meydan, finished: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished match as a file."""
    file = tmp_path_factory.mktemp("exported") / "match.jsonl"
    assert meydan("replay", finished, "--export", str(file)).exit_code == 0
    return file


def board_at(client: Client, match_id: str, version: int) -> str:
    """The position as the service shows it with everything revealed."""
    view = client.view_in(client.look(match_id, EVERYTHING, version))
    return registry.load("domino").notation.format_view(view)


def as_json(meydan: Meydan, *words: str) -> Any:
    """What `replay --json` prints."""
    return json.loads(meydan("replay", *words, "--json").stdout)


def test_replay_tells_all_events_and_shows_the_end(meydan: Meydan, finished: str, client: Client) -> None:
    """Without a version: each event in a sentence, the last board, the places."""
    printed = meydan("replay", finished)
    newest = client.look(finished).match.version
    assert printed.exit_code == 0
    assert f"{newest}  The match is over" in printed.stdout
    assert f"version {newest} of {newest}" in printed.stdout
    assert "place" in printed.stdout


@pytest.mark.parametrize("version", [3, 5, 8, 12])
def test_replay_at_a_version_equals_what_the_service_shows(
    meydan: Meydan, finished: str, client: Client, version: int
) -> None:
    """The log folded here gives the position that the service has of that version."""
    assert as_json(meydan, finished, "--at", str(version))["board"] == board_at(client, finished, version)


def test_replay_at_a_version_shows_its_event_and_board(meydan: Meydan, finished: str, client: Client) -> None:
    """Only the event of that version is told."""
    printed = meydan("replay", finished, "--at", "3")
    assert printed.exit_code == 0
    assert "3  Round 1" in printed.stdout
    assert "The match is over" not in printed.stdout
    assert all(line in printed.stdout for line in board_at(client, finished, 3).splitlines())


def test_replay_before_the_start_has_no_board(meydan: Meydan, finished: str) -> None:
    """At its first version a match has no position yet."""
    printed = meydan("replay", finished, "--at", "1")
    assert printed.exit_code == 0
    assert "(not started yet)" in printed.stdout


def test_replay_as_json(meydan: Meydan, finished: str, client: Client) -> None:
    """A program gets the events, the places and the view."""
    match = client.look(finished).match
    row = as_json(meydan, finished)
    assert (row["match_id"], row["game"], row["status"]) == (finished, "domino", "finished")
    assert row["places"] == [list(place.seats) for place in match.places]
    assert row["seats"] == ["greedy", "random", "greedy"]
    assert [event["version"] for event in row["events"]] == list(range(1, match.version + 1))
    assert row["events"][0]["event"]["match_id"] == finished
    assert row["view"]["round"] == 1


def test_an_exported_match_replays_without_a_service(
    meydan: Meydan, finished: str, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file alone gives the same, to the last field."""
    online = as_json(meydan, finished)
    monkeypatch.setattr(registry, "address", lambda *_: "127.0.0.1:1")
    assert as_json(meydan, str(exported)) == online
    assert "The match is over" in meydan("replay", str(exported)).stdout


def test_svg_draws_the_position(meydan: Meydan, exported: Path, tmp_path: Path) -> None:
    """The picture is the game's own of that position, and JSON on standard output stays JSON."""
    file = tmp_path / "board.svg"
    printed = meydan("replay", str(exported), "--at", "6", "--svg", str(file), "--json")
    game = registry.load("domino")
    view = game.codec.view_type(**json.loads(printed.stdout)["view"])
    assert file.read_text() == game.picture(game.codec.decode_view(view))
    assert f"Wrote {file}." in printed.stderr


def test_a_running_match_is_replayed_as_a_spectator_sees_it(meydan: Meydan, client: Client) -> None:
    """What is hidden stays hidden: the hands on the board, and what the seed and the deal would tell."""
    match_id = client.create(("open", "greedy")).match_id
    client.join(match_id, 0, "Ada")
    printed = meydan("replay", match_id)
    assert printed.exit_code == 0
    assert "as a spectator sees it" in printed.stdout
    assert "[?]" in printed.stdout
    assert as_json(meydan, match_id, "--at", "4")["status"] == "playing"


def test_a_file_of_a_running_match_can_be_told_but_not_shown(meydan: Meydan, client: Client, tmp_path: Path) -> None:
    """The export of a running match lacks what was hidden: sentences yes, a board no."""
    file = tmp_path / "running.jsonl"
    match_id = client.create(("open", "greedy")).match_id
    client.join(match_id, 0, "Ada")
    assert meydan("replay", match_id, "--export", str(file)).exit_code == 0
    printed = meydan("replay", str(file))
    assert printed.exit_code == 0
    assert "Ada takes seat 0." in printed.stdout
    row = as_json(meydan, str(file))
    assert (row["status"], row["seats"], row["view"]) == ("playing", ["Ada", "greedy"], None)
    refused = meydan("replay", str(file), "--at", "4")
    assert refused.exit_code == 2
    assert "no board to show" in refused.stderr


def test_a_file_that_was_changed_does_not_replay(meydan: Meydan, exported: Path, tmp_path: Path) -> None:
    """A log with a line missing is refused in a sentence that says where."""
    lines = exported.read_text().splitlines(keepends=True)
    broken = tmp_path / "broken.jsonl"
    broken.write_text("".join(lines[:4] + lines[5:]))
    refused = meydan("replay", str(broken))
    assert refused.exit_code == 2
    assert "does not replay as a match of Domino Double 6 (BrokenLog: version 4" in refused.stderr
