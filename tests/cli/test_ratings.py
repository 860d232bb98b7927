"""`meydan ratings`: what exported tournaments say about who plays how well."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from services.tournament import rated, ratings, verify
from services.tournament.ratings import Match
from tests.cli.programs import Meydan
from tests.cli.test_wrong_arguments import check
from tests.histories.make_tournaments import WHERE

SWISS = WHERE / "swiss_of_two.jsonl"
TABLES = WHERE / "tables_of_three.jsonl"


def matches_of(file: Path) -> list[Match]:
    """What ratings see of a file."""
    audited = verify.audited(file.read_text().splitlines(keepends=True))
    return [one.match for one in rated.rated(audited.tournament, audited.envelopes)]


def rows_of(elsewhere: Meydan, *words: object) -> list[dict[str, Any]]:
    """The ratings of Domino as a program reads them."""
    found: list[dict[str, Any]] = json.loads(elsewhere("ratings", *words, "--json").stdout)["domino"]
    return found


@pytest.mark.parametrize("file", [pytest.param(path, id=path.stem) for path in sorted(WHERE.glob("*.jsonl"))])
def test_ratings_are_the_fold_of_the_results(elsewhere: Meydan, file: Path) -> None:
    """The best first; everybody has as many matches as they have played."""
    rows = rows_of(elsewhere, file)
    counted = [match for match in matches_of(file) if not match.is_voided]
    seated = [player for match in counted for tied in match.places for player in tied if _size(match) > 1]
    assert {row["player"]: row["matches"] for row in rows} == {player: seated.count(player) for player in seated}
    assert [row["level"] for row in rows] == sorted((row["level"] for row in rows), reverse=True)
    printed = elsewhere("ratings", file)
    assert printed.exit_code == 0
    assert all(f"│ {row['name']} " in printed.stdout for row in rows)


def _size(match: Match) -> int:
    return sum(map(len, match.places))


@pytest.mark.parametrize(("file", "told"), [(SWISS, "20 results rated, 1"), (TABLES, "12 results rated, 1")])
def test_what_was_not_played_is_not_rated(elsewhere: Meydan, file: Path, told: str) -> None:
    """Of a table of two somebody never came; of one of three an arbiter has decided: left out, and said to be."""
    (left_out,) = [match for match in matches_of(file) if match.is_voided]
    assert left_out.places == ()
    assert f"{told} left out: forfeited or annulled." in elsewhere("ratings", file).stdout


def test_of_a_larger_table_those_who_came_are_rated() -> None:
    """Who did not come is in no place."""
    sizes = Counter(map(_size, matches_of(TABLES)))
    assert sizes[3] > 0
    assert sizes[2] > sizes[0] == 1


def test_a_tournament_counts_once(elsewhere: Meydan) -> None:
    """However often its file is named."""
    assert rows_of(elsewhere, SWISS, SWISS) == rows_of(elsewhere, SWISS)


def test_diff_is_everything_rated_again_without_the_match(elsewhere: Meydan) -> None:
    """Who played in it has changed most; what is printed is what a replay without it gives."""
    matches = matches_of(SWISS)
    left_out = matches[4]
    words = ("ratings", "diff", SWISS, "--without", left_out.id)
    changes = json.loads(elsewhere(*words, "--json").stdout)
    again = ratings.rated([match for match in matches if match is not left_out])
    for change in changes:
        after = again.of("domino", change["after"]["player"])
        assert (change["after"]["mu"], change["after"]["matches"]) == (after.mu, after.matches)
    lost = {one["after"]["player"] for one in changes if one["after"]["matches"] < one["before"]["matches"]}
    assert lost == {player for tied in left_out.places for player in tied}
    printed = elsewhere(*words)
    assert f"Without {left_out.id}" in printed.stdout
    assert elsewhere("ratings", "diff", SWISS, "--void", left_out.id).stdout == printed.stdout


def test_what_changes_nothing_is_said(elsewhere: Meydan) -> None:
    """A match that does not count anyway."""
    file, void = next(
        (file, match) for file in sorted(WHERE.glob("*.jsonl")) for match in matches_of(file) if match.is_voided
    )
    assert elsewhere("ratings", "diff", file, "--without", void.id).stdout == "No rating changes.\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("ratings show", "Missing argument 'FILE...'."),
        ("ratings missing.jsonl", "missing.jsonl can't be read: No such file or directory."),
        ("ratings README.md", "README.md is not an exported tournament."),
        ("ratings --loud", "No such option: --loud"),
        ("ratings diff README.md", "Missing option '--without'"),
        (f"ratings diff {SWISS} --without nonsense", "There is no match 'nonsense' in these tournaments."),
        (f"ratings {SWISS} --keys README.md", "README.md does not hold public keys as `meydan keys --json` prints"),
    ],
)
def test_a_wrong_argument_is_told_in_one_sentence(elsewhere: Meydan, words: str, sentence: str) -> None:
    """Exit code 2."""
    check(elsewhere(*words.split()), 2, sentence)


def test_a_changed_file_is_not_rated(elsewhere: Meydan, tmp_path: Path) -> None:
    """Ratings are worth as much as the results that they come from."""
    file = tmp_path / "changed.jsonl"
    file.write_text(SWISS.read_text().replace('"p1"', '"p9"'))
    check(elsewhere("ratings", file), 1, "the line was changed.")
