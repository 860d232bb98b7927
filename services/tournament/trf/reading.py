"""Out of a report into an event."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from services.tournament.model import POINT, Number, Plan, Player, Round, Scoring, System, TieBreak
from services.tournament.standings import check_scoring
from services.tournament.trf import games
from services.tournament.trf.columns import SYSTEMS, TIE_BREAKS, VOID, Unreadable, number, units
from services.tournament.trf.lines import BLANK, Cell, Line, Row, records, rows
from shared.kernel import Malformed

_BY_CODE = {code: tie_break for tie_break, code in TIE_BREAKS.items()}
_MOST_ROUNDS = 999
# 162: a letter and four columns, from the sixth column on, every nine.
_SCORE_FIRST, _SCORE_WIDTH = 5, 9


class Report(NamedTuple):
    """What a report says of an event."""

    plan: Plan
    players: tuple[Player, ...]
    rounds: tuple[Round, ...]


def read(text: str, game: str = "") -> Report:
    """The event of a report, which does not name its game. Unreadable tells what is wrong, and in which line."""
    lines = records(text)
    table = rows(lines)
    plan = _plan(lines, game)
    cells, named_away = _finished([[*row.cells] for row in table])
    for round_number in range(1, len(cells[0]) + 1):
        games.check(table, cells, round_number)
    away = {*named_away, *_away(lines, table, len(cells[0]) + 1)}
    players = tuple(_players(plan, table, cells, _voids(lines, table, cells), away))
    rounds = [
        games.round_of(at, entries) for at, entries in enumerate(zip(*[one.entries for one in players], strict=True), 1)
    ]
    return Report(_with_rounds(plan, lines, len(rounds)), players, tuple(rounds))


def _finished(cells: list[list[Cell | None]]) -> tuple[list[list[Cell]], list[int]]:
    """All rounds but one to come, of which the report says only who stays away; and these, by start number."""
    most = max(map(len, cells))
    last = [of_one[most - 1] for of_one in cells if len(of_one) == most] if most else []
    is_to_come = (
        bool(last)
        and None not in last
        and len(last) < len(cells)
        and all(cell is not None and not cell.is_game and cell.result != "U" for cell in last)
    )
    away = [start for start, of_one in enumerate(cells, 1) if is_to_come and len(of_one) == most]
    count = most - is_to_come
    return [[cell or BLANK for cell in [*of_one, *[None] * count][:count]] for of_one in cells], away


def _players(
    plan: Plan, table: Sequence[Row], cells: Sequence[Sequence[Cell]], voids: games.Voids, away: set[int]
) -> Iterator[Player]:
    for row, of_row in zip(table, cells, strict=True):
        entries = [games.entry(plan.scoring, at, row.start, cell, voids) for at, cell in enumerate(of_row, 1)]
        is_active = row.start not in away
        player = Player(Number(row.start - 1), row.name, row.rating, row.start, tuple(entries), is_active)
        if player.points != row.points:
            raise Unreadable(row.line, f"the points of entrant {row.start} are not those of its rounds together")
        yield player


def _plan(lines: Sequence[Line], game: str) -> Plan:
    return Plan(_value(lines, "012"), _system(lines), game, scoring=_scoring(lines), tie_breaks=_tie_breaks(lines))


def _value(lines: Iterable[Line], code: str) -> str:
    return next((line.value for line in lines if line.code == code), "")


def _with_rounds(plan: Plan, lines: Sequence[Line], played: int) -> Plan:
    return Plan(
        plan.name,
        plan.system,
        plan.game,
        rounds=max(played, *[_rounds(line) for line in lines if line.code in ("142", "XXR")], 0),
        scoring=plan.scoring,
        tie_breaks=plan.tie_breaks,
    )


def _rounds(line: Line) -> int:
    found = number(line.value, line.number, "number of rounds")
    if found > _MOST_ROUNDS:
        raise Unreadable(line.number, f"there are at most {_MOST_ROUNDS} rounds")
    return found


def _system(lines: Iterable[Line]) -> System:
    """What it does not say, or says by a code that is not ours, is a Swiss of its own."""
    return System.DUTCH if _value(lines, "192").startswith(SYSTEMS[System.DUTCH]) else System.SWISS


def _tie_breaks(lines: Sequence[Line]) -> tuple[TieBreak, ...]:
    for line in lines:
        if line.code == "202" and line.value:
            return tuple([_tie_break(line, code.strip().upper()) for code in line.value.split(",")])
    return ()


def _tie_break(line: Line, code: str) -> TieBreak:
    if code not in _BY_CODE:
        raise Unreadable(line.number, f"the tie-break {code!r} is not known here")
    return _BY_CODE[code]


def _scoring(lines: Sequence[Line]) -> Scoring:
    """By 162, or by `XXS` where there is none."""
    by_code = {code: [line for line in lines if line.code == code] for code in ("162", "XXS")}
    if by_code["162"]:
        return _as_scoring(dict([pair for line in by_code["162"] for pair in _scores(line)]), by_code["162"][0].number)
    if by_code["XXS"]:
        codes = dict([pair for line in by_code["XXS"] for pair in _codes(line)])
        return _as_scoring({"P": POINT} | codes, by_code["XXS"][0].number)
    return Scoring()


def _scores(line: Line) -> Iterator[tuple[str, int]]:
    text = line.text.rstrip()
    for start in range(_SCORE_FIRST, len(text), _SCORE_WIDTH):
        part = text[start : start + _SCORE_WIDTH]
        if part[0].upper() not in "WDLAPX":
            raise Unreadable(line.number, f"{part[0]!r} is no result that has points (column {start + 1})")
        yield part[0].upper(), units(part[1:], line.number)


def _codes(line: Line) -> Iterator[tuple[str, int]]:
    names = {"W": "W", "WW": "W", "D": "D", "WD": "D", "WL": "L", "L": "L", "PAB": "P"}
    for part in line.value.split():
        code, equal, points = part.partition("=")
        if not equal:
            raise Unreadable(line.number, f"{part!r} is no code with its points")
        if code in names:
            yield names[code], units(points, line.number)


def _as_scoring(found: dict[str, int], line: int) -> Scoring:
    plain = Scoring()
    win, loss = found.get("W", plain.places[0]), found.get("L", plain.places[1])
    draw = found.get("D", plain.places[0] // 2)
    scoring = Scoring((win, loss), None if 2 * draw == win + loss else draw, found.get("P", win))
    try:
        check_scoring(scoring, 2)
    except Malformed as error:
        raise Unreadable(line, error.message) from error
    if found.get("A"):
        raise Unreadable(line, "points for being absent are not known here")
    return scoring


def _away(lines: Iterable[Line], table: Sequence[Row], next_round: int) -> Iterator[int]:
    """Who stays away from the next round."""
    for line in lines:
        if line.code == "XXZ":
            yield from _starts(line, line.value.split(), table)
        if line.code == "240":
            kind, round_number, *starts = [*line.value.split(), "", ""]
            if kind == "Z" and number(round_number, line.number, "round") == next_round:
                yield from _starts(line, [start for start in starts if start], table)


def _starts(line: Line, texts: Iterable[str], table: Sequence[Row]) -> list[int]:
    found = [number(text, line.number, "start number") for text in texts]
    for start in found:
        if not 1 <= start <= len(table):
            raise Unreadable(line.number, f"there is no entrant {start}")
    return found


def _voids(
    lines: Iterable[Line], table: Sequence[Row], cells: Sequence[Sequence[Cell]]
) -> dict[tuple[int, int], games.Annulled]:
    found: dict[tuple[int, int], games.Annulled] = {}
    for line in lines:
        if line.text.startswith(VOID):
            at, *pair = _void(line, table)
            _check_void(line, at, pair, cells, found)
            white, black = pair
            found[at, white] = games.Annulled(Number(black - 1), 0)
            found[at, black] = games.Annulled(Number(white - 1), 1)
    return found


def _void(line: Line, table: Sequence[Row]) -> tuple[int, int, int]:
    texts = line.text[len(VOID) :].split()
    if len(texts) != 3:
        raise Unreadable(line.number, "an annulled table is a round and two start numbers")
    white, black = _starts(line, texts[1:], table)
    return number(texts[0], line.number, "round"), white, black


def _check_void(
    line: Line,
    at: int,
    pair: Sequence[int],
    cells: Sequence[Sequence[Cell]],
    found: dict[tuple[int, int], games.Annulled],
) -> None:
    if not 1 <= at <= len(cells[0]) or len(set(pair)) != 2:
        raise Unreadable(line.number, "there is no such table")
    for start in pair:
        if cells[start - 1][at - 1].result != "Z" or (at, start) in found:
            raise Unreadable(line.number, f"entrant {start} was not at an annulled table in round {at}")
