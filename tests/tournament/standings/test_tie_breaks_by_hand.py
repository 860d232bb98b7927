"""Every tie-break on examples worked by hand, with the articles of C.07 that they follow. Docstrings work them."""

from dataclasses import replace

import pytest

from services.tournament.model import POINT, Kind, Number, Plan, Player, Scoring, System, TieBreak
from services.tournament.standings import rank, shown
from tests.tournament.standings.fields import drawn, game

SWISS = Plan("Event", System.SWISS, "domino", rounds=4)
ROUND_ROBIN = replace(SWISS, system=System.ROUND_ROBIN)

# Scores: Ann 3, Bob 2.5, Cid 2.5, Dan 2, Eve 1, Fay 1.
SIX = drawn(
    """
    Ann  w4+ b2= w3+ b6=
    Bob  b5+ w1= w4+ b3-
    Cid  w6= b5+ b1- w2+
    Dan  b1- b6+ b2- w5+
    Eve  w2- w3- b6+ b4-
    Fay  b3= w4- w5- w1=
    """,
    ratings=(2000, 1901, 1800, 1702, 0, 1500),
)

# Bob stays away at the end, Cid comes late and then not to the game with Ann. Scores: Ann 3, Bob 1, Cid 0.
UNPLAYED = drawn(
    """
    Ann  w2+ bye 3f+
    Bob  b1- w3+ out
    Cid  out b2- 1f-
    """
)


def values(players: list[Player], tie_break: TieBreak, plan: Plan = SWISS) -> dict[str, str]:
    """The value of each by name."""
    rows = rank(replace(plan, tie_breaks=(tie_break,)), players)
    return {players[row.number].name: shown(row.values[0], 3) for row in rows}


@pytest.mark.parametrize(
    ("tie_break", "ann", "bob", "cid"),
    [
        (TieBreak.BUCHHOLZ, "8", "8.5", "7.5"),
        (TieBreak.BUCHHOLZ_CUT_1, "7", "7.5", "6.5"),
        (TieBreak.BUCHHOLZ_CUT_2, "5", "5.5", "5.5"),
        (TieBreak.BUCHHOLZ_MEDIAN, "4.5", "4.5", "3.5"),
        (TieBreak.SONNEBORN_BERGER, "6.25", "4.5", "4"),
        (TieBreak.PROGRESSIVE, "8", "7.5", "6"),
        (TieBreak.WINS, "2", "2", "2"),
        (TieBreak.SECOND_SEAT, "2", "2", "2"),
        (TieBreak.OPPONENTS_RATING, "1726", "1834", "1800"),
    ],
)
def test_all_games_played(tie_break: TieBreak, ann: str, bob: str, cid: str) -> None:
    """8.1: Ann met Dan 2, Bob 2.5, Cid 2.5, Fay 1: 8. Bob met Eve 1, Ann 3, Dan 2, Cid 2.5: 8.5. Cid met Fay 1, Eve 1,
    Ann 3, Bob 2.5: 7.5. 14.1: without the 1 each. 14.2: Ann without 1 and 2, Bob too, Cid without both 1. 14.3: without
    1 and 2.5 (Ann), 1 and 3 (Bob, Cid).
    9.1: Ann 1*2 + 1/2*2.5 + 1*2.5 + 1/2*1 = 6.25. Bob 1*1 + 1/2*3 + 1*2 + 0 = 4.5. Cid 1/2*1 + 1*1 + 0 + 1*2.5 = 4.
    7.5: Ann 1 + 1.5 + 2.5 + 3 = 8. Bob 1 + 1.5 + 2.5 + 2.5 = 7.5. Cid 0.5 + 1.5 + 1.5 + 2.5 = 6.
    10.1: Ann (1702 + 1901 + 1800 + 1500) / 4 = 1725.75. Bob (2000 + 1702 + 1800) / 3, Eve having none. Cid 5401 / 3.
    """
    found = values(SIX, tie_break)
    assert (found["Ann"], found["Bob"], found["Cid"]) == (ann, bob, cid)


def test_second_seat_counts_games_that_were_begun_by_another_7_3() -> None:
    """Dan sat second three times, Eve twice, Fay once."""
    found = values(SIX, TieBreak.SECOND_SEAT)
    assert (found["Dan"], found["Eve"], found["Fay"]) == ("3", "2", "1")


def test_half_a_rating_is_rounded_up_10_1() -> None:
    """Ann met 1500 and 1501."""
    players = drawn("Ann w2+ b3+\n Bob b1- w3+\n Cid b2- w1-", ratings=(1600, 1500, 1501))
    assert values(players, TieBreak.OPPONENTS_RATING)["Ann"] == "1501"


def test_who_met_nobody_with_a_rating_has_an_average_of_none() -> None:
    """10: as this platform lays down, who has no rating does not count; forfeits were not played."""
    found = values(drawn("Ann w2+ 3f+\n Bob b1- out\n Cid out 1f-", ratings=(1600, 0, 1500)), TieBreak.OPPONENTS_RATING)
    assert (found["Ann"], found["Bob"], found["Cid"]) == ("0", "1600", "0")


def test_wins_are_rounds_with_the_points_of_a_win_7_1() -> None:
    """Ann: a game, a bye worth a win, a forfeit. Cid: a bye that is worth half a win."""
    assert values(UNPLAYED, TieBreak.WINS) == {"Ann": "3", "Bob": "1", "Cid": "0"}
    scoring = Scoring((2 * POINT, 0), bye=POINT)
    players = drawn("Ann w2+ bye\n Bob b1- bye", scoring)
    assert values(players, TieBreak.WINS, replace(SWISS, scoring=scoring)) == {"Ann": "1", "Bob": "0"}


@pytest.mark.parametrize(
    ("tie_break", "ann", "bob", "cid"),
    [
        (TieBreak.BUCHHOLZ, "3", "4", "1.5"),
        (TieBreak.BUCHHOLZ_CUT_1, "3", "3", "1.5"),
        (TieBreak.BUCHHOLZ_CUT_2, "1.5", "3", "1.5"),
        (TieBreak.BUCHHOLZ_MEDIAN, "1.5", "0", "0"),
        (TieBreak.SONNEBORN_BERGER, "3", "0", "0"),
        (TieBreak.PROGRESSIVE, "6", "2", "0"),
        (TieBreak.SECOND_SEAT, "0", "1", "1"),
    ],
)
def test_unplayed_rounds_of_a_swiss(tie_break: TieBreak, ann: str, bob: str, cid: str) -> None:
    """16.3: to his opponents Bob, who stayed away at the end, has 1.5; Cid has 0, for coming late was not at the end,
    and a forfeit is lost. 16.4: draws in all rounds make 1.5. Ann faced Bob 1.5, in the bye a dummy of min(3, 1.5),
    1.5 (16.4.2), in the forfeit one of min(3, 0) = 0 (16.4.1): 3. Bob faced Ann 3, Cid 0, a dummy of min(1, 1.5): 4.
    Cid faced a dummy of 0, Bob 1.5, a dummy of min(0, 3) = 0: 1.5.
    16.5: what is cut is Bob's dummy of 1, not Cid's 0, and then Cid's 0; of Cid's, both dummies.
    14.3: Ann without 0 and 1.5. Bob without his dummy and 3. Cid without a dummy and 1.5.
    9.1: Ann 1*1.5 + 1*1.5 + 1*0 = 3. Bob 0*3 + 1*0 + 0*1. Cid 0.
    """
    found = values(UNPLAYED, tie_break)
    assert (found["Ann"], found["Bob"], found["Cid"]) == (ann, bob, cid)


@pytest.mark.parametrize(
    ("tie_break", "ann", "bob", "cid"),
    [
        (TieBreak.BUCHHOLZ, "1", "3", "4"),
        (TieBreak.BUCHHOLZ_CUT_1, "1", "3", "3"),
        (TieBreak.SONNEBORN_BERGER, "1", "0", "0"),
        (TieBreak.SECOND_SEAT, "0", "1", "1"),
    ],
)
def test_unplayed_rounds_where_pairings_are_laid_down_15_2(tie_break: TieBreak, ann: str, bob: str, cid: str) -> None:
    """The same event as a round robin: forfeits are games, there are no dummies, nothing is adjusted. Ann faced Bob 1
    and Cid 0, Bob Ann 3 and Cid 0, Cid Bob 1 and Ann 3. Cut: 0, 0, 1. A forfeit is no game in the second seat.
    """
    found = values(UNPLAYED, tie_break, ROUND_ROBIN)
    assert (found["Ann"], found["Bob"], found["Cid"]) == (ann, bob, cid)


def test_half_a_point_for_being_away_at_the_end_is_what_it_would_count_as_16_3_2() -> None:
    """Bob has 0.5 of his own, and nothing more to Ann: her Buchholz is 0.5 + a dummy of min(2, 2 * 0.5)."""
    assert values(drawn("Ann w2+ bye\n Bob b1- half"), TieBreak.BUCHHOLZ)["Ann"] == "1.5"


def test_who_came_back_counts_with_what_it_has_16_3_1() -> None:
    """Bob was away in the second round and played in the third: 1 to Cid, whose own bye is min(1, 1.5) = 1."""
    players = drawn("Ann w2+ bye w3=\n Bob b1- out w4+\n Cid bye w4- b1=\n Dan bye b3+ b2-")
    assert values(players, TieBreak.BUCHHOLZ)["Dan"] == "4"


def test_an_annulled_table_is_a_dummy_and_is_not_cut_first() -> None:
    """Ann: Bob 0 and a dummy of min(1, 1) = 1 for the annulled one; the 0 is cut."""
    players = drawn("Ann w2+ void\n Bob b1- void")
    assert values(players, TieBreak.BUCHHOLZ)["Ann"] == "1"
    assert values(players, TieBreak.BUCHHOLZ_CUT_1)["Ann"] == "1"


def test_who_was_met_twice_counts_twice_4_4() -> None:
    """Bob has 0.5."""
    assert values(drawn("Ann w2+ b2=\n Bob b1- w1="), TieBreak.BUCHHOLZ)["Ann"] == "1"


def _table_of_three() -> list[Player]:
    """Ann before Bob and Cid who share, then Bob before Ann before Cid; points 3, 1, 0: Ann 4, Bob 3.5, Cid 0.5."""
    ann, bob, cid = map(Number, range(3))
    scoring = Scoring((3 * POINT, POINT, 0))
    first = game(scoring, 1, (ann, bob, cid), ((ann,), (bob, cid)))
    second = game(scoring, 2, (bob, cid, ann), ((bob,), (ann,), (cid,)))
    entries = {ann: (first[0], second[2]), bob: (first[1], second[0]), cid: (first[2], second[1])}
    return [
        Player(one, name, 0, one + 1, entries[one]) for one, name in zip(entries, ("Ann", "Bob", "Cid"), strict=True)
    ]


@pytest.mark.parametrize(
    ("tie_break", "ann", "bob", "cid"),
    [
        (TieBreak.BUCHHOLZ, "4", "4.5", "7.5"),
        (TieBreak.SONNEBORN_BERGER, "2.25", "2.375", "0.875"),
        (TieBreak.WINS, "1", "1", "0"),
        (TieBreak.SECOND_SEAT, "2", "1", "3"),
    ],
)
def test_tables_of_three(tie_break: TieBreak, ann: str, bob: str, cid: str) -> None:
    """The mean of the others counts: Ann (3.5 + 0.5) / 2 twice, Bob (4 + 0.5) / 2 twice, Cid (4 + 3.5) / 2 twice.
    Sonneborn-Berger: Ann (3.5 + 0.5) / 2 for being ahead of both, and 0.5 / 2 for Cid alone. Bob 1/2 * 0.5 / 2 for the
    place shared with Cid, and (4 + 0.5) / 2. Cid 1/2 * 3.5 / 2 = 0.875, and nothing.
    Seats before one's own: Ann 0 and 2, Bob 1 and 0, Cid 2 and 1.
    """
    plan = replace(SWISS, seats=3, scoring=Scoring((3 * POINT, POINT, 0)))
    found = values(_table_of_three(), tie_break, plan)
    assert (found["Ann"], found["Bob"], found["Cid"]) == (ann, bob, cid)


def test_what_the_games_count_is_added_up_where_they_were_played() -> None:
    """Ann made 40 and 7, ahead by 5 and behind by 3; what a forfeit says does not count."""
    ann, bob = drawn("Ann w2+ b2- 2f+\n Bob b1- w1+ 1f-")
    counted = [
        entry._replace(game_points=points, margin=margin)
        for entry, points, margin in zip(ann.entries, (40, 7, 99), (5, -3, 99), strict=True)
    ]
    players = [ann._replace(entries=tuple(counted)), bob]
    assert counted[2].kind is Kind.FORFEIT_WIN
    assert values(players, TieBreak.GAME_POINTS)["Ann"] == "47"
    assert values(players, TieBreak.MARGIN)["Ann"] == "2"
