"""Who stands where, and why. Pure.

Ranking follows C.07 of FIDE's handbook as it stands since March 2026, for tables of two; what it says for tables of
three and four is our reading. Article by article, in our words:

- 4.2: points first, then each tie-break among those who are still equal. Who is equal to the end shares the place.
- 4.4: who was met twice counts twice (but 6.1: in the direct encounter, the mean of the meetings counts).
- 6, 7, 8, 9, 10, 14: encounter.py and tie_breaks.py, beside each tie-break.
- 15.2: where the pairings are laid down beforehand (round robin, brackets), a forfeit counts as a game, except for
  ratings and for games in later seats; a round without an opponent counts for nothing, and nobody has a dummy.
- 15.3, 16: everywhere else, unplayed rounds count as said in ledger.py.

At a table of three or four a round counts once, as a game does: by the mean of the others at the table. The result
against one of them is a win for the better place, and a draw for the same.
"""

from services.tournament.standings.points import check_scoring, draw_of, points_of
from services.tournament.standings.ranking import Row, rank
from services.tournament.standings.reasons import TITLES, points_shown, reason, shown
from services.tournament.standings.tie_breaks import Value

__all__ = ["TITLES", "Row", "Value", "check_scoring", "draw_of", "points_of", "points_shown", "rank", "reason", "shown"]
