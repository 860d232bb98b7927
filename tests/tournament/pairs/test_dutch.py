"""The Dutch system: the engine is asked rightly, what it says is legal, and what is not is rejected."""

import sys

import pytest

from services.tournament.model import POINT, Draw, Entry, Kind, Number, Plan, Player, System, Table
from services.tournament.pairing import dutch
from services.tournament.pairing.check_dutch import check
from services.tournament.pairing.pool import Pair, pool
from services.tournament.pairing.unsound import Unsound
from tests.tournament.pairs.events import Paired, Setting, rounds

_PLAN = Plan("Open", System.DUTCH, "domino", rounds=9)


def _players(count: int) -> list[Player]:
    return [Player(Number(number), f"p{number}", 0, number + 1) for number in range(count)]


def _pair(players: list[Player], forced: tuple[Pair, ...] = (), forbidden: tuple[Pair, ...] = ()) -> Draw:
    number = len(players[0].entries) + 1
    found = pool(players, number, 2, forbidden, forced)
    draw = dutch.pair(_PLAN, players, number, found)
    check(found, draw)
    return draw


def _seats(draw: Draw) -> list[tuple[Number, ...]]:
    return [table.seats for table in draw.tables]


def test_the_first_round_is_that_of_the_handbook() -> None:
    assert _seats(_pair(_players(8))) == [(0, 4), (5, 1), (2, 6), (7, 3)]


def test_the_order_at_the_start_counts_and_not_that_of_registration() -> None:
    players = [player._replace(seed=8 - player.number) for player in _players(8)]
    assert _seats(_pair(players)) == [(7, 3), (2, 6), (5, 1), (0, 4)]


def test_in_the_second_round_winners_meet_and_colours_change() -> None:
    players = _after_first(_players(8))
    draw = _pair(players)
    points = {player.number: player.points for player in players}
    assert all(points[first] == points[second] for first, second in _seats(draw))
    assert all({players[one].entries[0].seat for one in table} == {0, 1} for table in _seats(draw))
    assert all(players[first].entries[0].seat == 1 for first, _ in _seats(draw))


def _after_first(players: list[Player]) -> list[Player]:
    """All better seeds have won."""
    entries = {}
    for first, second in _seats(_pair(players)):
        for one, other, seat in ((first, second, 0), (second, first, 1)):
            has_lost = int(one > other)
            entries[one] = Entry(1, Kind.PLAYED, 0 if has_lost else POINT, (other,), (1 - has_lost,), seat, has_lost)
    return [player._replace(entries=(entries[player.number],)) for player in players]


def test_points_of_a_ruling_count_as_they_are() -> None:
    """A third of a point and other points than those of the game put two alone into the middle."""
    players = _after_first(_players(8))
    for number in (0, 1):
        entry = players[number].entries[0]
        players[number] = players[number]._replace(entries=(entry._replace(points=POINT // 3),))
    assert {0, 1} in [set(seats) for seats in _seats(_pair(players))]


def test_in_an_odd_field_the_last_has_the_bye_and_nobody_twice() -> None:
    assert _pair(_players(7)).byes == (6,)


def test_forbidden_pairs_do_not_meet_and_forced_ones_do() -> None:
    forbidden, forced = (Number(0), Number(4)), (Number(1), Number(2))
    seats = [set(one) for one in _seats(_pair(_players(8), (forced,), (forbidden,)))]
    assert set(forced) in seats
    assert set(forbidden) not in seats


def test_wishes_that_contradict_each_other_are_left_to_the_other_system() -> None:
    forced = ((Number(0), Number(1)), (Number(1), Number(2)))
    assert _pair(_players(6), forced).certificate.method == "fast"


def test_seeded_events_are_paired_legally_and_a_changed_round_is_rejected() -> None:
    methods = []
    for seed in range(12):
        for paired in rounds(Setting(5 + 3 * seed, seed, rounds=6)):
            draw = dutch.pair(_PLAN, paired.players, paired.pool.round, paired.pool)
            check(paired.pool, draw)
            methods.append(draw.certificate.method)
            assert _is_rejected(paired, draw._replace(tables=draw.tables[1:]))
            assert _is_rejected(paired, _valued(draw, 1))
    assert methods.count("dutch") > 60
    assert "fast" in methods


def test_a_rematch_is_rejected_though_its_certificate_counts_it() -> None:
    players = _after_first(_players(4))
    found = pool(players, 2, 2)
    draw = dutch.pair(_PLAN, players, 2, found)
    again = draw._replace(tables=tuple([Table(seats) for seats in _seats(_pair(_players(4)))]))
    again = again._replace(certificate=draw.certificate._replace(value=(0, 2, 0)))
    with pytest.raises(Unsound, match="rematch"):
        check(found, again)


def test_a_field_of_more_than_a_thousand_is_refused() -> None:
    players = _players(1001)
    with pytest.raises(dutch.CannotPair, match="1,000"):
        dutch.pair(_PLAN, players, 1, pool(players, 1, 2))


def test_where_the_package_is_not_installed_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py4swiss.engines", None)
    with pytest.raises(dutch.CannotPair, match="py4swiss"):
        dutch.pair(_PLAN, _players(4), 1, pool(_players(4), 1, 2))


def _valued(draw: Draw, more: int) -> Draw:
    *first, last = draw.certificate.value
    return draw._replace(certificate=draw.certificate._replace(value=(*first, last + more)))


def _is_rejected(paired: Paired, draw: Draw) -> bool:
    try:
        check(paired.pool, draw)
    except Unsound:
        return True
    return False
