"""The standings agree with a slow and plain computation that shares no code with them."""

import random
from fractions import Fraction

import pytest

from services.tournament.model import POINT, Number, TieBreak
from services.tournament.standings import Row, Value, rank
from tests.tournament.standings.fields import Setting, plan_of, played, settings
from tests.tournament.standings.slow import Place, Slow

_AT_ONCE = 50


def _place(row: Row) -> Place:
    return Place(row.number, row.place, Fraction(row.points, POINT), tuple(map(_fraction, row.values)))


def _fraction(value: Value) -> Fraction:
    return Fraction(value.amount, value.scale)


def _tie_breaks(setting: Setting) -> list[TieBreak]:
    """All of them in an order by lot: what stands behind others decides among fewer."""
    return random.Random(setting.seed).sample(list(TieBreak), len(TieBreak))


@pytest.mark.parametrize("seed", range(8))
def test_all_tie_breaks_of_seeded_events_are_those_of_the_slow_computation(seed: int) -> None:
    for setting in settings(_AT_ONCE, seed):
        plan, players = plan_of(setting, *_tie_breaks(setting)), played(setting)
        assert [_place(row) for row in rank(plan, players)] == Slow(plan, players).table(), setting


@pytest.mark.parametrize("seed", range(2))
def test_direct_encounter_alone_agrees_where_many_are_equal(seed: int) -> None:
    """Few points and many meetings: groups of all sizes, in which some have met and some have not."""
    parted = 0
    for setting in settings(6 * _AT_ONCE, 100 + seed):
        plan, players = plan_of(setting, TieBreak.DIRECT_ENCOUNTER), played(setting)
        rows = rank(plan, players)
        assert [_place(row) for row in rows] == Slow(plan, players).table(), setting
        parted += any(row.values[0].amount for row in rows)
    assert parted > _AT_ONCE // 2


def test_how_far_one_came_goes_before_points() -> None:
    for setting in settings(_AT_ONCE, 200):
        plan, players = plan_of(setting, TieBreak.WINS), played(setting)
        chance = random.Random(setting.seed)
        reached = {player.number: chance.randrange(3) for player in players if chance.random() < 0.8}
        assert [_place(row) for row in rank(plan, players, reached)] == Slow(plan, players).table(reached), setting


def test_the_order_of_the_players_given_does_not_change_the_standings() -> None:
    for setting in settings(_AT_ONCE, 300):
        plan, players = plan_of(setting, *_tie_breaks(setting)), played(setting)
        shuffled = random.Random(setting.seed).sample(players, len(players))
        assert rank(plan, shuffled) == rank(plan, players), setting


def test_an_event_without_players_has_empty_standings() -> None:
    assert rank(plan_of(Setting(0, 2, 0), *TieBreak), []) == ()


def test_a_player_of_whom_it_is_not_said_how_far_it_came_is_behind_who_came_nowhere() -> None:
    players = played(Setting(2, 2, 1, rounds=0))
    assert [row.number for row in rank(plan_of(Setting(2, 2, 1)), players, {Number(1): 0})] == [1, 0]
