"""Our reports are read by an engine of others, which can be asked for the next round."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from py4swiss.engines import DutchEngine
from py4swiss.trf import ParsedTrf, TrfParser
from py4swiss.trf.results import ResultToken

from services.tournament import trf
from services.tournament.model import POINT, Kind, Number, Plan, Player, Scoring, System
from tests.tournament.standings.fields import PLAIN, Setting, game, played

PLAN = Plan("Event", System.DUTCH, "domino", rounds=9)
_BYES = {Kind.BYE: ResultToken.PAIRING_ALLOCATED_BYE, Kind.VOID: ResultToken.ZERO_POINT_BYE}


def _parsed(plan: Plan, players: list[Player], folder: Path) -> ParsedTrf:
    file = folder / "event.trf"
    file.write_text(trf.write(plan, players, ()), encoding="utf-8", newline="")
    return TrfParser.parse(file)


@pytest.mark.parametrize("seed", range(30))
def test_points_and_results_are_what_the_engine_reads(seed: int, tmp_path: Path) -> None:
    """The engine adds up the points itself, and refuses a report in which two do not say the same of their game."""
    chance = random.Random(seed)
    players = played(Setting(chance.randint(2, 20), 2, seed, chance.randint(1, 6), unrest=0.15))
    parsed = _parsed(PLAN, players, tmp_path)
    for player, section in zip(players, parsed.player_sections, strict=True):
        assert (section.name, section.fide_rating or 0) == (player.name, player.rating)
        assert section.points_times_ten * POINT == player.points * 10
        assert [result.id - 1 for result in section.results if result.id] == [
            entry.opponents[0] for entry in player.entries if entry.opponents and entry.kind is not Kind.VOID
        ]
        for entry, result in zip(player.entries, section.results, strict=True):
            assert result.result is _BYES.get(entry.kind, result.result)
            assert result.result.is_played() == (entry.kind is Kind.PLAYED)
    assert parsed.x_section.number_of_rounds == PLAN.rounds


def _without_rematches(count: int, rounds: int, scoring: Scoring) -> list[Player]:
    """Rounds of a Berger table, in which the lower number wins or draws."""
    players = [Player(Number(one), f"p{one}", 0, one + 1) for one in range(count)]
    circle = list(range(count))
    for number in range(1, rounds + 1):
        pairs = list(zip(circle[: count // 2], reversed(circle[count // 2 :]), strict=True))
        for index, pair in enumerate(pairs):
            seats = tuple(map(Number, pair if (number + index) % 2 else pair[::-1]))
            places = ((min(seats),), (max(seats),)) if index % 3 else (seats,)
            for one, entry in zip(seats, game(scoring, number, seats, places), strict=True):
                players[one] = players[one]._replace(entries=(*players[one].entries, entry))
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return players


@pytest.mark.parametrize("scoring", [PLAIN, Scoring((3 * POINT, 0), draw=POINT, bye=3 * POINT)], ids=["1-0", "3-1-0"])
@pytest.mark.parametrize("away", [(), (3,), (0, 7)])
def test_the_engine_can_be_asked_for_the_next_round(scoring: Scoring, away: tuple[int, ...], tmp_path: Path) -> None:
    players = [player._replace(is_active=player.number not in away) for player in _without_rematches(12, 3, scoring)]
    parsed = _parsed(replace(PLAN, scoring=scoring), players, tmp_path)
    pairs = [(pair.white - 1, pair.black - 1) for pair in DutchEngine.generate_pairings(parsed)]
    there = sorted(one for pair in pairs for one in pair if one >= 0)
    assert there == [player.number for player in players if player.is_active]
    met = {(player.number, entry.opponents[0]) for player in players for entry in player.entries}
    assert not met & set(pairs)
