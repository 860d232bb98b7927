"""Where things stand in a line of the report, and codes. Columns count from 0 here, and from 1 in errors."""

from services.tournament.model import POINT, System, TieBreak, Units
from shared.kernel import Malformed

START, NAME, RATING, POINTS, RANK = (slice(4, 8), slice(14, 47), slice(48, 52), slice(80, 84), slice(85, 89))
ROUNDS, ROUND_WIDTH = 91, 10
# Of a round's eight columns.
OPPONENT, COLOUR, RESULT = slice(0, 4), 5, 7
MOST_ENTRANTS = 9999
MOST_RATING = 9999
_TENTHS = 10
_MOST_DIGITS = 10

SYSTEMS = {System.DUTCH: "FIDE_DUTCH", System.SWISS: "CUSTOM_SWISS"}
TIE_BREAKS = {
    TieBreak.DIRECT_ENCOUNTER: "DE",
    TieBreak.BUCHHOLZ: "BH",
    TieBreak.BUCHHOLZ_CUT_1: "BH/C1",
    TieBreak.BUCHHOLZ_CUT_2: "BH/C2",
    TieBreak.BUCHHOLZ_MEDIAN: "BH/M1",
    TieBreak.SONNEBORN_BERGER: "SB",
    TieBreak.PROGRESSIVE: "PS",
    TieBreak.WINS: "WIN",
    TieBreak.SECOND_SEAT: "BPG",
    TieBreak.OPPONENTS_RATING: "ARO",
    TieBreak.GAME_POINTS: "OTHER_GAME_POINTS",
    TieBreak.MARGIN: "OTHER_MARGIN",
}
# A table without a result: the round, and who was to begin, and the other.
VOID = "### VOID"


class Unreadable(Malformed):
    """What is wrong with a report, and in which line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__("trf", f"line {line}: {message}")
        self.line = line


def decimal(units: Units) -> str:
    """Points with one digit behind the dot, which is all that a report can hold."""
    tenths, rest = divmod(units * _TENTHS, POINT)
    if rest or not 0 <= tenths < 1000:
        raise Malformed("trf", f"a report holds 0.0 to 99.9 points, in tenths, and not {units}/{POINT}")
    return f"{tenths // _TENTHS}.{tenths % _TENTHS}"


def units(text: str, line: int) -> Units:
    """The other way round."""
    whole, dot, tenth = text.strip().partition(".")
    if not (
        _is_number(whole or "0") and _is_number(tenth or "0") and len(whole) < 3 and len(tenth) < 2 and (whole or dot)
    ):
        raise Unreadable(line, f"{text.strip()!r} is no number of points like 11.5")
    found, rest = divmod((int(whole or "0") * _TENTHS + int(tenth or "0")) * POINT, _TENTHS)
    if rest:
        raise Unreadable(line, f"{text.strip()} points are neither whole nor a half")
    return found


def number(text: str, line: int, what: str) -> int:
    """A whole number; blank is 0."""
    stripped = text.strip()
    if not _is_number(stripped or "0"):
        raise Unreadable(line, f"{stripped!r} is no {what}")
    return int(stripped or "0")


def _is_number(text: str) -> bool:
    """Not what Python takes for digits too, such as superscripts, and not without end."""
    return text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS


def one_line(text: str) -> str:
    """What can stand in a line, whatever somebody is called."""
    return "".join([sign if sign.isprintable() else "?" for sign in text]).strip()
