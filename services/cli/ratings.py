"""`meydan ratings`: how well everybody plays by exported tournaments, and what single matches have changed."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import typer
from rich.text import Text

from services import registry
from services.cli import lookup, proofs, show, tournament_proof
from services.cli.failures import Wrong
from services.cli.sentences import counted
from services.tournament import rated, ratings
from services.tournament.ratings import MILLION, Change, Match, Rating, Ratings
from services.tournament.state import Tournament


class Played(NamedTuple):
    """The matches of some tournaments in the order in which they ended, and what their players are called."""

    matches: tuple[Match, ...]
    names: dict[str, str]


def show_ratings(files: Sequence[Path], keys: Path | None, *, is_json: bool) -> None:
    """A table for each game."""
    played = _played(files, keys)
    found = ratings.rated(played.matches)
    games = sorted({game for game, _ in found.by_player})
    if is_json:
        rows = {game: [_as_json(played, *row) for row in ratings.standings(found, game)] for game in games}
        typer.echo(json.dumps(rows, indent=2))
        return
    for game in games:
        _print_game(played, found, game)
    _print_count(played)


def show_diff(files: Sequence[Path], without: Sequence[str], keys: Path | None, *, is_json: bool) -> None:
    """Whose ratings are others if some matches are left out: everything is rated again without them."""
    played = _played(files, keys)
    known = {match.id for match in played.matches}
    for match_id in without:
        if match_id not in known:
            raise Wrong(f"There is no match {match_id!r} in these tournaments.")
    kept = [match for match in played.matches if match.id not in without]
    changes = ratings.diff(ratings.rated(played.matches), ratings.rated(kept))
    if is_json:
        typer.echo(json.dumps([_change_as_json(played, change) for change in changes], indent=2))
        return
    _print_changes(played, changes, without)


def _played(files: Sequence[Path], keys: Path | None) -> Played:
    """Every file is verified: ratings are worth as much as the results that they come from."""
    by = proofs.trusted(keys, lookup.settings())
    logs = sorted([tournament_proof.checked(file, by) for file in files], key=lambda log: log.tournament.version)
    # Of a tournament that was exported twice, the longer log counts: an arbiter may have decided since.
    events = {log.tournament.id: log for log in logs}.values()
    found = [one for log in events for one in rated.rated(log.tournament, log.envelopes)]
    matches = [one.match for one in sorted(found, key=lambda one: (one.time_micros, one.match.id))]
    return Played(tuple(matches), _names(log.tournament for log in events))


def _names(tournaments: Iterable[Tournament]) -> dict[str, str]:
    """The newest name of each."""
    return {
        player: tournament.entrants[number].name
        for tournament in sorted(tournaments, key=lambda one: one.time_micros)
        for number, player in rated.players(tournament).items()
    }


def _print_game(played: Played, found: Ratings, game: str) -> None:
    title = registry.load(game).title if game in registry.NAMES else game
    made = show.table("place", "player", "rating", "mean", "deviation", "matches", title=title)
    for column in (0, 2, 3, 4, 5):
        made.columns[column].justify = "right"
    for place, (player, rating) in enumerate(ratings.standings(found, game), 1):
        amounts = map(_shown, (rating.level, rating.mu, rating.sigma))
        made.add_row(str(place), played.names[player], *amounts, str(rating.matches))
    show.console().print(made)


def _shown(millionths: int) -> str:
    return f"{millionths / MILLION:.2f}"


def _print_count(played: Played) -> None:
    out, left_out = show.console(), sum(match.is_voided for match in played.matches)
    told = f"{counted(len(played.matches) - left_out, 'result')} rated"
    why = f", {left_out} left out: forfeited or annulled" if left_out else ""
    show.say(out, Text(f"{told}{why}."))
    show.say(out, Text("A rating is the mean less three deviations: nearly everybody plays at least so well.", "dim"))


def _print_changes(played: Played, changes: Sequence[Change], without: Sequence[str]) -> None:
    out = show.console()
    if not changes:
        show.say(out, Text("No rating changes."))
        return
    made = show.table("game", "player", "with", "without", "change", title=f"Without {', '.join(without)}")
    for column in (2, 3, 4):
        made.columns[column].justify = "right"
    for change in changes:
        by = change.after.level - change.before.level
        amount = Text(f"{by / MILLION:+.2f}", style="green" if by > 0 else "red")
        levels = map(_shown, (change.before.level, change.after.level))
        made.add_row(change.game, played.names[change.player], *levels, amount)
    out.print(made)


def _as_json(played: Played, player: str, rating: Rating) -> dict[str, object]:
    return {"player": player, "name": played.names[player], "level": rating.level, **rating._asdict()}


def _change_as_json(played: Played, change: Change) -> dict[str, object]:
    before, after = (_as_json(played, change.player, rating) for rating in (change.before, change.after))
    return {"game": change.game, "before": before, "after": after}
