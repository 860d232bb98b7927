"""Direct encounter on examples worked by hand (C.07, article 6). Byes and absences make the scores equal."""

from dataclasses import replace

import pytest

from services.tournament.model import Number, Plan, Player, Scoring, System, TieBreak
from services.tournament.standings import rank
from tests.tournament.standings.fields import drawn, game

SWISS = Plan("Event", System.SWISS, "domino", rounds=4, tie_breaks=(TieBreak.DIRECT_ENCOUNTER,))
ROUND_ROBIN = replace(SWISS, system=System.ROUND_ROBIN)


def order(players: list[Player], plan: Plan = SWISS) -> str:
    """Names by place: `Ann Bob=Cid` where Bob and Cid share the second."""
    rows = rank(plan, players)
    parts = [
        ("=" if row.place == before else " ") + players[row.number].name
        for row, before in zip(rows, [0, *[row.place for row in rows]], strict=False)
    ]
    return "".join(parts).strip()


EXAMPLES = {
    # Both have 1; Bob beat Ann.
    "the winner of their game is ahead (6.2)": ("Ann w2- bye\n Bob b1+ out", "Bob Ann"),
    # All have 1.5; of the games between them Ann has 1.5, Cid 1, Bob 0.5.
    "three who have all met are in the order of their games (6.2)": (
        "Ann w2+ b3= out out\n Bob b1- out w3= bye\n Cid out w1= b2= half",
        "Ann Cid Bob",
    ),
    # Ann beat Bob, Bob Cid, Cid Ann.
    "three who beat each other in a ring stay equal (6.2)": (
        "Ann w2+ b3- out\n Bob b1- out w3+\n Cid out w1+ b2-",
        "Ann=Bob=Cid",
    ),
    # All have 2.5. Between them Cid has 2.5, Ann and Bob 1.5, Dan 0.5; Ann beat Bob.
    "those who are equal in the table of their own are ranked again (6.2)": (
        """
        Ann w2+ w3- w4= bye out
        Bob b1- w4+ w3= bye out
        Cid w4+ b1+ b2= out out
        Dan b3- b2- b1= bye bye
        """,
        "Cid Ann Bob Dan",
    ),
    # All have 2. Ann beat both; Bob and Cid never met, so that either can come to 1.
    "who is alone at the top whatever the missing game brings is first (6.3)": (
        "Ann w2+ w3+ out out\n Bob b1- bye bye out\n Cid bye b1- out bye",
        "Ann Bob=Cid",
    ),
    # Ann beat Bob, but Cid could still come to 2.
    "nobody is first whom a missing game could pass (6.3)": (
        "Ann w2+ out\n Bob b1- bye\n Cid bye out",
        "Ann=Bob=Cid",
    ),
    # Ann has 3 of 3, Bob 2 of 3; Cid and Dan never met, and can come to 1 at most.
    "the second follows the first in the same way (6.3)": (
        """
        Ann w2+ w3+ w4+ out out
        Bob b1- w4+ w3+ bye out
        Cid bye b1- b2- bye bye
        Dan bye b2- b1- bye bye
        """,
        "Ann Bob Cid=Dan",
    ),
    # All have 3. Ann beat Bob, Cid and Dan; Bob beat Cid; Dan met neither, so that he can still pass Bob.
    "the second is not assigned where a missing game could change it (6.3)": (
        """
        Ann w2+ w3+ w4+ out out
        Bob b1- w3+ bye bye out
        Cid bye b1- bye b2- bye
        Dan bye bye b1- bye out
        """,
        "Ann Bob=Cid=Dan",
    ),
    # The mean of a win and a draw is more than that of a loss and a draw; and nothing is added up with it.
    "who met twice has the mean of both (6.1.2)": ("Ann w2+ b2= out\n Bob b1- w1= bye", "Ann Bob"),
}


@pytest.mark.parametrize(("text", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_direct_encounter(text: str, expected: str) -> None:
    players = drawn(text)
    # Rows of the same place are in the order at the start, which must not help.
    assert order(players) == expected


def test_in_all_examples_the_scores_are_equal() -> None:
    """So that nothing but direct encounter decides."""
    uneven = [name for name, (text, _) in EXAMPLES.items() if len({player.points for player in drawn(text)}) > 1]
    assert uneven == []


def test_a_forfeit_is_no_meeting_in_a_swiss_but_one_in_a_round_robin() -> None:
    """6.1.1 and 15.2: Bob had his point against Ann for nothing."""
    players = drawn("Ann 2f- bye\n Bob 1f+ out")
    assert order(players) == "Ann=Bob"
    assert order(players, ROUND_ROBIN) == "Bob Ann"


def test_a_mean_is_not_rounded() -> None:
    """6.1.2: of three meetings Ann has 2/3 each; against Cid, who drew both, she has 7/6, Bob 5/6, Cid 1."""
    players = drawn(
        """
        Ann w2+ b2+ w2- b3= out  out out
        Bob b1- w1- b1+ out w3=  bye out
        Cid out out out w1= b2=  bye half
        """
    )
    assert order(players) == "Ann Cid Bob"


def test_at_a_table_of_three_each_is_met_and_the_better_place_has_won() -> None:
    """All points are shared alike by the scoring: only the places tell. Cid was before Bob, and both behind Ann."""
    ann, bob, cid = map(Number, range(3))
    scoring = Scoring((0, 0, 0))
    entries = game(scoring, 1, (ann, bob, cid), ((ann,), (cid,), (bob,)))
    players = [
        Player(one, name, 0, one + 1, (entry,))
        for one, name, entry in zip((ann, bob, cid), ("Ann", "Bob", "Cid"), entries, strict=True)
    ]
    assert order(players, replace(SWISS, seats=3, scoring=scoring)) == "Ann Cid Bob"


def test_a_large_group_is_left_together_when_too_many_games_are_missing() -> None:
    """Ann beat two of five who are equal; each of the others could still come to more."""
    players = drawn("Ann w2+ w3+ out\n Bob b1- bye bye\n Cid bye b1- bye\n Dan bye bye out\n Eve bye out bye")
    assert order(players) == "Ann=Bob=Cid=Dan=Eve"
