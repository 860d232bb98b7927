"""Writes the stored histories of tournaments that are not there yet: `python -m tests.histories.make_tournaments`.

Like those of matches (make.py): written once, by the code of their day, never again, and to be verified for ever.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.domino.v1 import domino_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament.model import Number, Scoring, System, TieBreak
from services.tournament.rounds import is_due
from services.tournament.state import Board
from services.tournament.wire import NAME, WIRE
from shared.envelope import hash_of
from shared.export import envelope_line, header_line
from shared.match.clocks import TimeControl
from shared.proof.heads import sign
from tests.histories.make import FOLDER, KEY
from tests.tournament.core.recording import SECOND, Places, Recorder, ahead, person, plan

WHERE = FOLDER / NAME


def by_number(board: Board) -> Places:
    """Who registered first is ahead, but at every third table the last one is."""
    seats = sorted(range(len(board.seats)), key=lambda seat: board.seats[seat])
    return [[seat] for seat in (seats if sum(board.seats) % 3 else reversed(seats))]


def shared(board: Board) -> Places:
    """The first two share the first place."""
    return [[0, 1], *[[seat] for seat in range(2, len(board.seats))]]


def options(target: int) -> bytes:
    """Those of Domino, as a plan has them."""
    packed = AnyMessage()
    packed.Pack(domino_pb2.Options(target=target))
    return packed.SerializeToString()


def registered(wanted: Any, people: int) -> Recorder:
    """Players of different strength, each with chance of their own."""
    recorder = Recorder(wanted)
    recorder.do("register", [person(f"p{at}", 1500 + 50 * (at % 4), b"%d" % at) for at in range(people)])
    return recorder


def swiss_of_two() -> Recorder:
    """With everything that may happen in one."""
    wanted = plan(
        rounds=5,
        options=options(50),
        scoring=Scoring((24, 0), 12, 24),
        tie_breaks=(TieBreak.DIRECT_ENCOUNTER, TieBreak.BUCHHOLZ_CUT_1, TieBreak.SONNEBORN_BERGER, TieBreak.WINS),
        control=TimeControl(move_micros=30 * SECOND),
        no_show_seconds=90,
        late_until=3,
        needs_check_in=True,
        fill_level="greedy",
        fill_to=9,
    )
    recorder = registered(wanted, 9)
    for number in range(8):
        recorder.do("check_in", number)
    recorder.do("withdraw", 3)
    recorder.do("come_back", 3)
    recorder.do("lay_down_pairs", _pairs((0, 1), (2, 5)), _pairs((3, 4)))
    recorder.do("start")
    recorder.play(by_number)
    recorder.do("withdraw", 2)
    recorder.do("register", [person("late", 1700)])
    _round_with_rulings(recorder)
    recorder.do("come_back", 2)
    _round_with_an_exchange(recorder)
    recorder.play(shared)
    recorder.do("pause")
    recorder.do("resume")
    recorder.play_on(by_number)
    return recorder


def _pairs(*found: tuple[int, int]) -> frozenset[tuple[Number, Number]]:
    return frozenset([(Number(one), Number(other)) for one, other in found])


def _round_with_rulings(recorder: Recorder) -> None:
    """One of each kind; two are taken back, after matches had been played."""
    recorder.pair()
    recorder.rule("Did not come.", forfeit=pb.Forfeit(round=2, table=0, seats=[1]))
    recorder.start_matches()
    recorder.record(1, [[1], [0]], points=[12, 50], no_shows=[])
    made = recorder.rule("The board was wrong.", override=pb.Override(round=2, table=1, places=ahead([0], [1])))
    recorder.rule("Both left.", double_loss=pb.DoubleLoss(round=2, table=2))
    other = recorder.rule("Not theirs to judge.", annulment=pb.Annulment(round=1, table=0))
    recorder.undo(made)
    recorder.record_all(by_number)
    recorder.undo(other)


def _round_with_an_exchange(recorder: Recorder) -> None:
    """Two exchanges, one of them for nothing."""
    recorder.pair()
    recorder.start_matches()
    swap = pb.Swap(one=recorder.board(0).seats[0], other=recorder.board(1).seats[0])
    recorder.undo(recorder.rule("They are brothers.", swap=swap))
    recorder.rule("They are sisters.", swap=pb.Swap(one=recorder.board(1).seats[1], other=recorder.board(2).seats[1]))
    recorder.record(0, [[0], [1]], no_shows=[1])
    recorder.start_matches()
    recorder.record_all(by_number)


def tables_of_three() -> Recorder:
    """Ten at tables that do not divide them, with points for each place, in a game that counts its own."""
    scoring = Scoring((72, 48, 24), bye=48)
    wanted = plan(seats=3, rounds=4, scoring=scoring, tie_breaks=(TieBreak.GAME_POINTS, TieBreak.MARGIN))
    recorder = registered(wanted, 10)
    recorder.do("start")
    for number in range(4):
        recorder.pair()
        recorder.start_matches()
        for table, board in sorted(recorder.last.boards.items()):
            count = len(board.seats)
            absent = [count - 1] if (number, table) == (1, 0) else []
            points = [10 * (seat + table) for seat in range(count)]
            there = [[seat] for seat in reversed(range(count)) if seat not in absent]
            recorder.record(table, [*there, *([absent] if absent else [])], points=points, no_shows=absent)
        if number == 0:
            recorder.do("withdraw", 7)
    recorder.rule("Late.", forfeit=pb.Forfeit(round=4, table=0, seats=[0, 2]))
    recorder.finish()
    return recorder


def tables_of_four() -> Recorder:
    """Thirteen, computer players among them."""
    recorder = registered(plan(seats=4, rounds=3, scoring=Scoring((72, 48, 24, 0), bye=36)), 11)
    recorder.do("register", [pb.Entrant(name=f"bot {at}", ai_level="random") for at in range(2)])
    recorder.do("start")
    recorder.play_on(by_number)
    return recorder


def dutch() -> Recorder:
    """By the rules of FIDE's Dutch system."""
    recorder = registered(plan(System.DUTCH, rounds=4, late_until=1, tie_breaks=(TieBreak.BUCHHOLZ,)), 9)
    recorder.do("start")
    recorder.play(by_number)
    recorder.do("withdraw", 5)
    recorder.play_on(by_number)
    return recorder


def league() -> Recorder:
    """Everybody twice against everybody."""
    recorder = registered(plan(System.ROUND_ROBIN, legs=2), 5)
    recorder.do("start")
    recorder.play(by_number)
    recorder.do("withdraw", 4)
    recorder.play_on(by_number)
    return recorder


def groups() -> Recorder:
    """Two groups, and a bracket of the best, with a ruling in each."""
    recorder = registered(plan(System.GROUPS, groups=2, has_third_place=True), 9)
    recorder.do("start")
    recorder.play(by_number)
    recorder.rule("Seen again.", override=pb.Override(round=1, table=0, places=ahead([1], [0])))
    recorder.do("withdraw", 8)
    recorder.play_on(by_number)
    return recorder


def single_elimination() -> Recorder:
    """With byes in the first round, and a game for the third place."""
    recorder = registered(plan(System.SINGLE_ELIMINATION, has_third_place=True), 6)
    recorder.do("start")
    recorder.play(by_number)
    recorder.rule("A tie is none.", override=pb.Override(round=1, table=0, places=ahead([1], [0])))
    recorder.play_on(by_number)
    return recorder


def double_elimination() -> Recorder:
    """One withdraws in the middle."""
    recorder = registered(plan(System.DOUBLE_ELIMINATION), 7)
    recorder.do("start")
    recorder.play(by_number)
    recorder.do("withdraw", 6)
    recorder.play_on(by_number)
    return recorder


def elimination_of_four() -> Recorder:
    """Two of each table go on."""
    recorder = registered(plan(System.SINGLE_ELIMINATION, seats=4, advancing=2), 14)
    recorder.do("start")
    recorder.play_on(by_number)
    return recorder


def arena() -> Recorder:
    """With streaks, somebody late, a pause, and tables that are played to their end after it has closed."""
    recorder = registered(plan(System.ARENA, arena_seconds=90, has_streaks=True, late_until=9), 7)
    recorder.do("start")
    while not recorder.tournament.is_closed:
        _some_of_an_arena(recorder)
    for pairing in recorder.tournament.rounds:
        for table, board in sorted(pairing.boards.items()):
            if board.outcome is None:
                recorder.record(table, by_number(board), pairing.number)
    recorder.finish()
    return recorder


def _some_of_an_arena(recorder: Recorder) -> None:
    """The next round of who is free, and one result."""
    state = recorder.tournament
    if len(state.rounds) == 3 and len(state.entrants) == 7:
        recorder.do("register", [person("late", 1650)])
        recorder.do("pause")
        recorder.do("resume")
    if is_due(recorder.tournament):
        recorder.pair()
        recorder.start_matches()
    going = [one for one in recorder.tournament.rounds if one.open_tables]
    if going:
        table = min(at for at, board in going[0].boards.items() if board.outcome is None)
        recorder.record(table, by_number(going[0].boards[table]), going[0].number)
    recorder.now += 3 * SECOND
    if recorder.now >= recorder.tournament.closes_micros:
        recorder.do("expire")


HISTORIES: dict[str, Callable[[], Recorder]] = {
    "swiss_of_two": swiss_of_two,
    "tables_of_three": tables_of_three,
    "tables_of_four": tables_of_four,
    "dutch": dutch,
    "league": league,
    "groups": groups,
    "single_elimination": single_elimination,
    "double_elimination": double_elimination,
    "elimination_of_four": elimination_of_four,
    "arena": arena,
}


def path_of(name: str, folder: Path = WHERE) -> Path:
    """Where a history is stored."""
    return folder / f"{name}.jsonl"


def lines(recorder: Recorder) -> list[str]:
    """A history as a file."""
    log = recorder.envelopes
    head = sign(KEY, recorder.tournament.id, len(log), hash_of(log[-1]))
    return [header_line(NAME, head, KEY.public), *[envelope_line(WIRE, envelope) for envelope in log]]


def main(folder: Path = WHERE) -> int:
    """Writes what is missing; says what it left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, build in HISTORIES.items():
        path = path_of(name, folder)
        if path.exists():
            sys.stdout.write(f"{path.name} is there and stays as it is\n")
        else:
            path.write_text("".join(lines(build())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
