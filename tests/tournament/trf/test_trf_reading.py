"""Reports are read back; bad ones are refused with the line that is wrong."""

import random
from dataclasses import replace

import pytest

from services.tournament import trf
from services.tournament.model import POINT, Entry, Kind, Number, Plan, Player, Scoring, System, Table, TieBreak
from services.tournament.standings import rank
from tests.tournament.standings.fields import PLAIN, Setting, drawn, played
from tests.tournament.trf.sample import PLAN, ROUNDS, THREE, WRITTEN

FOOTBALL = Scoring((3 * POINT, 0), draw=POINT, bye=3 * POINT)
SHARED = tuple([one for one in TieBreak if one not in (TieBreak.GAME_POINTS, TieBreak.MARGIN)])


def _event(seed: int) -> tuple[Plan, list[Player]]:
    """Byes, absences, forfeits, annulled tables; some are not there for the next round."""
    chance = random.Random(seed)
    scoring = chance.choice((PLAIN, FOOTBALL))
    setting = Setting(chance.randint(1, 14), 2, seed, chance.randint(0, 6), scoring=scoring, unrest=0.15)
    plan = Plan(f"Event {seed}", chance.choice((System.SWISS, System.DUTCH)), "", rounds=7, scoring=scoring)
    players = [_sayable(player, scoring) for player in played(setting)]
    return plan, [player._replace(is_active=chance.random() < 0.9) for player in players]


def _sayable(player: Player, scoring: Scoring) -> Player:
    """Half a point for being away is a draw, and there is no code for it where a draw is something else."""
    entries = [
        entry._replace(points=0) if entry.kind is Kind.ABSENT and scoring != PLAIN else entry
        for entry in player.entries
    ]
    return player._replace(entries=tuple(entries))


def _told(entry: Entry) -> Entry:
    """What of an entry is in a report."""
    places = (entry.opponent_places, entry.place) if entry.kind is Kind.PLAYED else ((), -1)
    return entry._replace(game_points=0, margin=0, opponent_places=places[0], place=places[1])


@pytest.mark.parametrize("seed", range(100))
def test_what_was_written_is_read_and_written_again_the_same(seed: int) -> None:
    plan, players = _event(seed)
    text = trf.write(replace(plan, tie_breaks=SHARED), players, ())
    report = trf.read(text)
    assert trf.write(report.plan, report.players, report.rounds) == text
    assert report.plan == replace(plan, tie_breaks=SHARED)
    for mine, theirs in zip(players, report.players, strict=True):
        assert theirs._replace(entries=()) == mine._replace(entries=())
        assert list(map(_told, theirs.entries)) == list(map(_told, mine.entries))


@pytest.mark.parametrize("seed", range(40))
def test_standings_of_what_was_read_are_those_of_what_was_written(seed: int) -> None:
    plan, players = _event(seed)
    report = trf.read(trf.write(replace(plan, tie_breaks=SHARED), players, ()))
    assert rank(report.plan, report.players) == rank(replace(plan, tie_breaks=SHARED), players)


def test_rounds_have_their_tables_and_byes() -> None:
    rounds = trf.read(WRITTEN).rounds
    ann, bob, cid = map(Number, range(3))
    assert [each.tables for each in rounds] == [
        (Table((bob, ann), ((ann,), (bob,))),),
        (Table((bob, cid), ((bob, cid),)),),
        (Table((cid, ann), ((ann,), (cid,))),),
    ]
    assert [each.byes for each in rounds] == [(), (ann,), ()]


def test_nobody_has_won_a_table_that_both_forfeited_or_that_was_annulled() -> None:
    players = drawn("Ann 2f- w2+\n Bob 1f- b1-")
    annulled = [
        player._replace(entries=(player.entries[0], player.entries[1]._replace(kind=Kind.VOID, points=0)))
        for player in players
    ]
    rounds = (ROUNDS[0]._replace(number=1, tables=(Table((Number(1), Number(0))),)),)
    report = trf.read(trf.write(PLAN, annulled, rounds))
    assert report.rounds[0].tables == (Table((Number(1), Number(0))),)
    assert report.rounds[1].tables == (Table((Number(0), Number(1))),)
    assert [player.entries[1].kind for player in report.players] == [Kind.VOID, Kind.VOID]


def test_the_game_is_what_the_caller_says() -> None:
    assert trf.read(WRITTEN, "kingdomino").plan.game == "kingdomino"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_ends_of_lines_are_read(end: str) -> None:
    assert trf.read(WRITTEN.replace("\n", end)) == trf.read(WRITTEN)


def _old(start: int, name: str, points: str, rounds: str) -> str:
    """With a sex, a title, a federation, an identity and a day of birth."""
    return f"001 {start:>4} mWGM {name:<33} {2000:>4} SUI {1234567:>11} 1990/01/01 {points:>4}    1{rounds}"


def test_a_report_of_old_is_read() -> None:
    """TRF16 with the extensions of JaVaFo: blanks are absences, small letters, games of less than a move, 3-1-0."""
    lines = [
        "012 Old Event",
        _old(1, "Ann", "4.0", "     2 w W     3 b d"),
        _old(2, "Bob", "0.0", "     1 b l"),
        _old(3, "Cid", "4.0", "  0000 - u     1 w D"),
        "XXR 9",
        "XXS W=3 D=1 PAB=3",
        "XXZ 2",
    ]
    report = trf.read("\n".join(lines))
    assert report.plan.scoring == FOOTBALL
    assert (report.plan.rounds, report.plan.system) == (9, System.SWISS)
    assert [player.points for player in report.players] == [96, 0, 96]
    assert [player.is_active for player in report.players] == [True, False, True]
    assert report.players[1].entries[1] == Entry(2, Kind.ABSENT, 0)


def test_a_bye_of_the_pairing_is_a_point_to_engines_of_old_and_a_win_in_the_report_of_26() -> None:
    """What is not told is so: XXS has PAB=1.0, 162 has P as W."""
    line = _old(1, "Ann", "{}", "  0000 - U")
    assert trf.read("XXS W=3 D=1\n" + line.replace("  {}", " 1.0")).players[0].points == POINT
    assert trf.read("162  W 3.0    D 1.0\n" + line.replace("  {}", " 3.0")).players[0].points == 3 * POINT


def test_who_stays_away_from_the_round_to_come_may_be_told_in_its_column() -> None:
    """Only Bob has a second round, and it is an absence: this round is not over, it was not even paired."""
    report = trf.read(
        """\
001    1      Ann                                                                1.0    1     2 w 1
001    2      Bob                                                                0.0    2     1 b 0  0000 - Z
"""
    )
    assert len(report.rounds) == 1
    assert [player.is_active for player in report.players] == [True, False]


LINES = WRITTEN.splitlines()
ANN, BOB, CID = 9, 10, 11


def _changed(line: int, old: str, new: str) -> str:
    """The report with one change; lines count from 0 here."""
    assert old in LINES[line]
    return "\n".join([*LINES[:line], LINES[line].replace(old, new), *LINES[line + 1 :]])


BAD = {
    "nothing at all": ("", 1, "there is no entrant"),
    "no entrant": ("012 Event\nXXR 3", 1, "there is no entrant"),
    "a start number twice": (_changed(BOB, "001    2", "001    1"), BOB + 1, "start number 1 where 2"),
    "a start number missing": (_changed(CID, "001    3", "001    4"), CID + 1, "start number 4 where 3"),
    "a start number that is none": (_changed(BOB, "001    2", "001    x"), BOB + 1, "'x' is no start number"),
    "a rating that is none": (_changed(ANN, "2000", "2k00"), ANN + 1, "'2k00' is no rating"),
    "digits of another script": (_changed(ANN, "2000", "20\u00b20"), ANN + 1, "is no rating"),
    "points that are none": (_changed(ANN, " 3.0 ", " 3,0 "), ANN + 1, "'3,0' is no number of points"),
    "points that do not add up": (_changed(ANN, " 3.0 ", " 2.5 "), ANN + 1, "are not those of its rounds"),
    "points in tenths": (_changed(ANN, " 3.0 ", " 3.1 "), ANN + 1, "neither whole nor a half"),
    "an unknown result": (_changed(ANN, "b 1", "b ?"), ANN + 1, r"'\?' is no result \(column 99\)"),
    "an unknown colour": (_changed(ANN, "b 1", "g 1"), ANN + 1, r"'g' is no colour \(column 97\)"),
    "columns that are shifted": (_changed(ANN, "2 b 1", "2b 1"), ANN + 1, "column"),
    "an opponent who is not there": (_changed(ANN, "2 b 1", "7 b 1"), ANN + 1, "round 1: there is no opponent 7"),
    "oneself as opponent": (_changed(ANN, "2 b 1", "1 b 1"), ANN + 1, "there is no opponent 1"),
    "an opponent who met another": (_changed(BOB, "1 w 0", "3 w 0"), ANN + 1, "entrant 2 says nothing of this game"),
    "two with the same colour": (_changed(BOB, "1 w 0", "1 b 0"), ANN + 1, "one of the two has white"),
    "two winners": (_changed(BOB, "1 w 0", "1 w 1"), ANN + 1, "1 for one is not 1 for the other"),
    "a bye with an opponent": (_changed(CID, "0000 - Z", "   1 - Z"), CID + 1, "a bye has no opponent"),
    "a bye with a colour": (_changed(CID, "0000 - Z", "0000 w Z"), CID + 1, "a bye has no opponent and no colour"),
    "a tie-break that is not known": (_changed(7, "BH/C1", "KOYA"), 8, "'KOYA' is not known here"),
    "a team event": ("\n".join([*LINES, "013 Team                               1    2"]), 15, "a team event"),
    "rounds without end": (_changed(4, "5", "5000"), 5, "at most 999 rounds"),
    "a number of rounds that is none": (_changed(4, "5", "5" * 5000), 5, "is no number of rounds"),
    "an absentee who is not there": ("\n".join([*LINES, "XXZ 4"]), 15, "there is no entrant 4"),
    "points for an unknown result": ("\n".join(["162  Y 1.0", *LINES]), 1, "'Y' is no result that has points"),
    "points by no code": ("\n".join(["XXS W3", *LINES]), 1, "'W3' is no code with its points"),
    "a loss worth more than a win": ("\n".join(["162  W 1.0    L 2.0", *LINES]), 1, "a worse place does not give more"),
    "points for being absent": ("\n".join(["162  W 1.0    A 0.5", *LINES]), 1, "absent are not known here"),
    "an annulled table that was played": (
        "\n".join([*LINES, "### VOID 002 2 3"]),
        15,
        "entrant 2 was not at an annulled",
    ),
    "an annulled table of one": ("\n".join([*LINES, "### VOID 001 3 3"]), 15, "there is no such table"),
    "an annulled table of no round": ("\n".join([*LINES, "### VOID 009 1 3"]), 15, "there is no such table"),
    "an annulled table without players": ("\n".join([*LINES, "### VOID 001"]), 15, "a round and two start numbers"),
}


@pytest.mark.parametrize(("text", "line", "message"), BAD.values(), ids=BAD)
def test_a_bad_report_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(trf.Unreadable, match=message) as refused:
        trf.read(text)
    assert refused.value.line == line
    assert f"line {line}: " in refused.value.message


def _broken(chance: random.Random, text: str) -> str:
    """A few characters or lines that were changed, lost, doubled, or moved."""
    for _ in range(chance.randint(1, 4)):
        at, to = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
        to = min(to, at + chance.choice((0, 1, 1, 10, 200)))
        what = chance.choice((text[at:to] * 2, "", chance.choice("0123456789 wb-+=HUZ.\r\nX#\u00b2\u2028\x00")))
        text = text[:at] + what + text[to:]
    return text


def _read(text: str) -> trf.Report | trf.Unreadable:
    try:
        return trf.read(text)
    except trf.Unreadable as error:
        return error


@pytest.mark.parametrize("seed", range(10))
def test_whatever_is_broken_in_a_report_it_is_read_or_refused(seed: int) -> None:
    """And what was read can be written and read again."""
    chance = random.Random(seed)
    plan, players = _event(seed + 20)
    good = trf.write(replace(plan, tie_breaks=SHARED), players, ())
    refused = 0
    for _ in range(150):
        text = _broken(chance, good)
        found = _read(text)
        if isinstance(found, trf.Unreadable):
            refused += 1
            assert 1 <= found.line <= len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
        else:
            assert trf.read(trf.write(found.plan, found.players, found.rounds)) == found
    assert refused


def test_three_entrants_are_what_they_were() -> None:
    """So that a mistake in both directions does not cancel out."""
    report = trf.read(WRITTEN)
    assert [player.name for player in report.players] == ["Ann", "Bob", "Cid"]
    assert [player.rating for player in report.players] == [2000, 0, 1432]
    assert [list(map(_told, player.entries))[:2] for player in report.players] == [
        list(map(_told, player.entries))[:2] for player in THREE
    ]
    assert report.plan == replace(PLAN, game="")
