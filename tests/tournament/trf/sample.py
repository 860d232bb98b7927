"""A small event, and its report."""

from services.tournament.model import Number, Plan, Round, System, Table, TieBreak
from tests.tournament.standings.fields import drawn

PLAN = Plan("Autumn Cup", System.DUTCH, "domino", rounds=5, tie_breaks=(TieBreak.BUCHHOLZ_CUT_1, TieBreak.WINS))
THREE = drawn(
    """
    Ann  b2+ bye 3f+
    Bob  w1- w3= half
    Cid  out b2= 1f-
    """,
    ratings=(2000, 0, 1432),
)
# Who began where entries do not tell.
ROUNDS = (Round(3, (Table((Number(2), Number(0))),)),)

WRITTEN = """\
012 Autumn Cup
062 3
072 2
092 Individual: Swiss-System
142 5
152 B
192 FIDE_DUTCH
202 BH/C1,WIN
212 PTS,BH/C1,WIN
001    1      Ann                               2000                             3.0    1     2 b 1  0000 - U     3 b +
001    2      Bob                                                                1.0    2     1 w 0     3 w =  0000 - H
001    3      Cid                               1432                             0.5    3  0000 - Z     2 b =     1 w -
XXR 5
XXC black1
"""
