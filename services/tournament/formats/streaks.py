"""Points of an arena in which wins in a row count more."""

from collections.abc import Sequence

from services.tournament.model import Entry, Kind, Units

# From the third win in a row on.
_WINS_BEFORE = 2
_TIMES = 2


def streak_points(entries: Sequence[Entry], entry: Entry) -> Units:
    """What an entrant gets for a new entry after these: twice its points for a win after two wins in a row.

    To be used where an entry is made, if the plan `has_streaks`: `entry` has the points that its place gives, and is
    kept as `entry._replace(points=streak_points(player.entries, entry))`. The entries before it are in the order of
    their rounds. A result that is changed or annulled later changes the entries behind it too: an entrant's entries
    are all made again, from that one on.

    A win is a first place that is not shared, at a table that was played. Anything else that was played ends the row,
    and so does a forfeit loss. A forfeit win, a bye, a round away and an annulled table neither count nor end it.
    """
    return _TIMES * entry.points if is_win(entry) and is_on_streak(entries) else entry.points


def is_on_streak(entries: Sequence[Entry]) -> bool:
    """Whether the last two that count were won."""
    counting = [entry for entry in entries if entry.kind in (Kind.PLAYED, Kind.FORFEIT_LOSS)]
    return len(counting) >= _WINS_BEFORE and all(map(is_win, counting[-_WINS_BEFORE:]))


def is_win(entry: Entry) -> bool:
    """First alone, over a board."""
    return entry.kind is Kind.PLAYED and entry.place == 0 and 0 not in entry.opponent_places
