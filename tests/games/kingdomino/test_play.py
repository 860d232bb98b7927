"""K-6 to K-11: turns, kings, lines, rounds, whole turns in one command, and what is refused."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import pytest

from services.kingdomino.rules import notation, rules
from services.kingdomino.rules.events import DominoChosen, DominoDiscarded, DominoPlaced, GameEnded, LineDrawn
from services.kingdomino.rules.model import Options, Phase, State
from tests.games.kingdomino.positions import (
    WITHOUT_LAKE,
    Stacked,
    after,
    answer,
    decided,
    described,
    free,
    kingdom_text,
    match_steps,
    numbers,
    play,
    position,
    seats,
    started,
)


def opening() -> State:
    """Seat 1 has chosen 48 of the first line, and seat 0 is to choose."""
    _, state = started(Stacked("48 3 17 25 40 8 2 36", kings="1 0 0 1"), 2)
    return after(state, "choose 48")


def placing() -> State:
    """Seat 0 has to deal with 12, and after that with 26."""
    return position("7=1 >12=0 26=0 43=1", "3 20 36=1 47", deck="31 9 30 5")


def choosing() -> State:
    """Seat 0 has placed 12."""
    return after(placing(), "12 at 1,0 east")


def discarding() -> State:
    """Seat 1 has a domino that fits nowhere."""
    return position(">7=1 12=0 26=0 43=1", "3 20 36 47", kingdoms=["", WITHOUT_LAKE], deck="31 9 30 5")


def with_the_last_king() -> State:
    """Seat 1 has to deal with 43, and one domino of the next line is free."""
    return position("7=1 12=0 26=0 >43=1", "3=0 20=1 36 47=0", deck="31 9 30 5")


def last_round() -> State:
    """There is no next line."""
    return position("7=1 12=0 >26=0 43=1")


def over() -> State:
    """Nothing is left to do."""
    return after(last_round(), "26 at 1,0 east", "43 at 1,0 east")


def test_a_turn_is_a_domino_placed_and_the_next_one_chosen() -> None:
    """K-8: first the domino under the king, then the king moves on, and then it is the turn of the next king."""
    state = placing()
    assert answer(state, "12 at 1,0 east") == ["Seat 0 places 12 at 1,0 east."]
    state = after(state, "12 at 1,0 east")
    assert (rules.to_act(state), state.phase, kingdom_text(state.kingdoms[0])) == (
        (0,),
        Phase.CHOOSE,
        ["castle 12s 12s"],
    )
    assert answer(state, "choose 20") == ["Seat 0 chooses 20."]
    state = after(state, "choose 20")
    assert (state.phase, state.line[state.at], state.next_kings) == (Phase.PLACE, 26, (None, 0, 1, None))


def test_a_domino_is_added_to_the_kingdom_of_its_king_only() -> None:
    """K-8: the other kingdoms stay as they are."""
    state = after(placing(), "12 at 0,1 south")
    assert list(map(kingdom_text, state.kingdoms)) == [["castle", "12s", "12s"], ["castle"]]


def test_turns_follow_the_numbers_of_the_line_and_not_the_seats() -> None:
    """K-8: the king on the lowest number goes first, so that one seat may move twice in a row."""
    state = position(">7=1 12=0 26=0 43=1", "3 20 36 47", deck="31 9 30 5")
    asked = []
    for command in ("7 at 1,0 east then 47", "12 at 1,0 east then 36", "26 at 0,1 south then 3", "43 at 0,1 south"):
        asked.append((rules.to_act(state), state.line[state.at]))
        state = after(state, command)
    assert asked == [((1,), 7), ((0,), 12), ((0,), 26), ((1,), 43)]
    assert (state.line, state.kings, state.at) == (numbers("3 20 36 47"), seats("0 1 0 1"), 0)


def test_four_kings_go_in_the_order_of_their_dominoes_in_the_next_round() -> None:
    """K-8, K-9: who chose the lowest domino begins, though it moved last."""
    state = position(">7=2 12=0 26=3 43=1", "3 20 36 47", kingdoms=["", "", "", ""], deck="31 9 30 5")
    for command in ("7 at 1,0 east then 47", "12 at 1,0 east then 36", "26 at 1,0 east then 20", "43 at 1,0 east"):
        state = after(state, command)
    assert state.kings == seats("1 3 0 2")


def test_the_last_kings_domino_is_chosen_for_it() -> None:
    """K-6, K-9: it has one option, so no command is asked for; the round ends, and a new line is drawn in order."""
    events, state = play(with_the_last_king(), "43 at 1,0 east")
    assert described(events) == [
        "Seat 1 places 43 at 1,0 east.",
        "Seat 1 chooses 36.",
        "A line is drawn: 5, 9, 30, 31.",
    ]
    assert (state.line, state.kings) == (numbers("3 20 36 47"), seats("0 1 1 0"))
    assert (state.next_line, free(state)) == (numbers("5 9 30 31"), [5, 9, 30, 31])
    assert (state.deck, rules.to_act(state), state.phase) == ((), (0,), Phase.PLACE)


def test_no_line_is_drawn_while_a_king_has_not_moved() -> None:
    """K-9: the king before the last one moves, and nothing follows."""
    state = position("7=1 12=0 >26=0 43=1", "3=0 20=1 36 47", deck="31 9 30 5")
    assert answer(state, "26 at 1,0 east then 36") == ["Seat 0 places 26 at 1,0 east.", "Seat 0 chooses 36."]


def test_an_empty_deck_gives_no_line() -> None:
    """K-11: the last line has been drawn, so the round that begins is the last."""
    state = position("7=1 12=0 26=0 >43=1", "3=0 20=1 36 47=0")
    events, state = play(state, "43 at 1,0 east")
    assert described(events)[1:] == ["Seat 1 chooses 36."]
    assert (state.line, state.next_line, state.phase) == (numbers("3 20 36 47"), (), Phase.PLACE)


def test_in_the_last_round_a_turn_is_a_domino_placed() -> None:
    """K-11: nothing is chosen, and after the last domino the kingdoms are counted."""
    events, state = play(last_round(), "26 at 1,0 east")
    assert described(events) == ["Seat 0 places 26 at 1,0 east."]
    assert (rules.to_act(state), state.line[state.at]) == ((1,), 43)
    events, state = play(state, "43 at 1,0 east")
    assert described(events) == ["Seat 1 places 43 at 1,0 east.", "The game is over: seat 0 has 1, seat 1 has 2."]
    assert (rules.to_act(state), state.phase) == ((), Phase.OVER)


def test_a_discard_may_be_the_last_turn() -> None:
    """K-11, K-15: the game is over after it all the same."""
    state = position("3=1 5=0 6=0 >7=1", kingdoms=["", WITHOUT_LAKE])
    assert answer(state, "discard 7") == [
        "Seat 1 discards 7, which fits nowhere.",
        "The game is over: seat 0 has 0, seat 1 has 0.",
    ]


@pytest.mark.parametrize(
    ("players", "options", "rounds", "dominoes"),
    [
        pytest.param(2, Options(), 6, 12, id="K-10: 6 rounds with two players, who move twice in each"),
        pytest.param(3, Options(), 12, 12, id="K-10: 12 rounds with three players"),
        pytest.param(4, Options(), 12, 12, id="K-10: 12 rounds with four players"),
        pytest.param(2, Options(mighty_duel=True), 12, 24, id="K-21: 12 rounds in the duel, two moves in each"),
    ],
)
def test_how_many_rounds_a_game_has(players: int, options: Options, rounds: int, dominoes: int) -> None:
    """K-10: a line a round, and as many dominoes for everybody."""
    events = [event for step in match_steps(players, options, b"rounds") for event in step.events]
    own = Counter(event.seat for event in events if isinstance(event, DominoPlaced | DominoDiscarded))
    assert sum(isinstance(event, LineDrawn) for event in events) == rounds
    assert own == dict.fromkeys(range(players), dominoes)
    assert isinstance(events[-1], GameEnded)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_line_is_drawn_exactly_when_every_king_has_moved(players: int) -> None:
    """K-7, K-9: each line but the first follows the last choice of the line before; after the last one, none does."""
    events = [event for step in match_steps(players, Options(), b"lines") for event in step.events]
    drawn = [place for place, event in enumerate(events) if isinstance(event, LineDrawn)]
    chosen = [place for place, event in enumerate(events) if isinstance(event, DominoChosen)]
    kings = 3 if players == 3 else 4
    assert len(chosen) == kings * len(drawn)
    assert drawn[1:] == [last + 1 for last in chosen[kings - 1 : -1 : kings]]


@pytest.mark.parametrize(
    ("state", "combined", "apart"),
    [
        pytest.param(placing(), "12 at 1,0 east then 20", ["12 at 1,0 east", "choose 20"], id="K-8: place and choose"),
        pytest.param(placing(), "12 at 0,1 s then 3", ["12 at 0,1 s", "choose 3"], id="K-8: another of each"),
        pytest.param(discarding(), "discard 7 then 47", ["discard 7", "choose 47"], id="K-15: discard and choose"),
        pytest.param(
            position("7=1 12=0 >26=0 43=1", "3=0 20=1 36 47", deck="31 9 30 5"),
            "26 at 1,0 east then 36",
            ["26 at 1,0 east", "choose 36"],
            id="K-6: the choice that leaves one option",
        ),
    ],
)
def test_a_whole_turn_in_one_command_is_the_same_as_two(state: State, combined: str, apart: list[str]) -> None:
    """K-8: the same events in the same order, and the same state."""
    first, following = play(state, apart[0])
    second, following = play(following, apart[1])
    assert play(state, combined) == ((*first, *second), following)


@pytest.mark.parametrize(
    ("state", "named", "left_out"),
    [
        pytest.param(with_the_last_king(), "43 at 1,0 east then 36", "43 at 1,0 east", id="K-6: after a placement"),
        pytest.param(
            position("3=1 5=0 6=0 >7=1", "4=0 20=1 36 47=0", kingdoms=["", WITHOUT_LAKE]),
            "discard 7 then 36",
            "discard 7",
            id="K-6: after a discard",
        ),
    ],
)
def test_a_kings_only_option_may_be_named(state: State, named: str, left_out: str) -> None:
    """K-6: it is the same as leaving it out."""
    assert decided(state, notation.parse_command(named)) == decided(state, notation.parse_command(left_out))
    assert "Seat 1 chooses 36." in answer(state, named)


ANOTHER_TURN = "It is the turn of seat 0."
NOT_YET = "Nothing can be placed before the first line has its kings: choose a domino."
NOT_THIS = "The domino under your king is 12, not 26."
DONE = "Your domino has been dealt with: choose one of the next line."
NOWHERE = "Neither square would touch the castle or a square of its own terrain."
NO_LINE = "In the last round there is no line to choose from."
IS_OVER = "The match is over."


def has_king(seat: int, number: int) -> str:
    """The sentence on a domino that is no longer free."""
    return f"A king of seat {seat} is on domino {number} already."


def not_offered(number: int) -> str:
    """The sentence on a domino of any other place."""
    return f"Domino {number} is not in the line to choose from."


def first_place(number: int) -> str:
    """The sentence on a choice that comes too early."""
    return f"First place domino {number}, which is under your king."


class Case(NamedTuple):
    """A command that breaks a rule, and the answer."""

    given: Callable[[], State]
    seat: int
    command: str
    rule: str
    sentence: str
    name: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.name}"


@pytest.mark.parametrize(
    "case",
    [
        Case(opening, 1, "choose 3", "K-8", ANOTHER_TURN, "choosing from the first line out of turn"),
        Case(opening, 0, "choose 48", "K-6", has_king(1, 48), "choosing what another king is on"),
        Case(opening, 0, "choose 40", "K-8", not_offered(40), "choosing for the first line what is in the deck"),
        Case(opening, 0, "48 at 1,0 east", "K-6", NOT_YET, "placing before the first line has its kings"),
        Case(opening, 0, "17 at 1,0 east then 3", "K-6", NOT_YET, "a whole turn before the first line has its kings"),
        Case(opening, 0, "discard 48", "K-6", NOT_YET, "discarding before the first line has its kings"),
        Case(placing, 1, "12 at 1,0 east", "K-8", ANOTHER_TURN, "placing out of turn"),
        Case(placing, 1, "43 at 1,0 east", "K-8", ANOTHER_TURN, "placing one's own domino too early"),
        Case(placing, 0, "26 at 1,0 east", "K-8", NOT_THIS, "placing the domino under one's other king first"),
        Case(placing, 0, "discard 26", "K-8", NOT_THIS, "discarding the domino under one's other king"),
        Case(placing, 0, "choose 20", "K-8", first_place(12), "choosing before placing"),
        Case(placing, 0, "12 at 1,0 east then 36", "K-6", has_king(1, 36), "a whole turn that goes on to a king"),
        Case(placing, 0, "12 at 1,0 east then 43", "K-8", not_offered(43), "a whole turn that stays in the line"),
        Case(placing, 0, "12 at 2,0 east then 20", "K-13", NOWHERE, "a whole turn whose placement is wrong"),
        Case(choosing, 1, "choose 20", "K-8", ANOTHER_TURN, "choosing between the halves of another's turn"),
        Case(choosing, 0, "12 at 0,1 south", "K-8", DONE, "placing a domino twice"),
        Case(choosing, 0, "26 at 0,1 south then 20", "K-8", DONE, "placing the next domino before choosing"),
        Case(choosing, 0, "discard 12", "K-8", DONE, "discarding what has been placed"),
        Case(choosing, 0, "choose 36", "K-6", has_king(1, 36), "choosing what has a king in the next line"),
        Case(choosing, 0, "choose 31", "K-8", not_offered(31), "choosing what is still in the deck"),
        Case(discarding, 1, "discard 7 then 12", "K-8", not_offered(12), "a discard that stays in the line"),
        Case(with_the_last_king, 1, "43 at 1,0 east then 47", "K-6", has_king(0, 47), "the last king joins another"),
        Case(last_round, 0, "26 at 1,0 east then 43", "K-11", NO_LINE, "a whole turn that goes on in the last round"),
        Case(last_round, 0, "choose 43", "K-8", first_place(26), "choosing in the last round before placing"),
        Case(over, 0, "26 at 1,0 east", "K-10", IS_OVER, "placing after the end"),
        Case(over, 1, "discard 26", "K-10", IS_OVER, "discarding after the end"),
        Case(over, 0, "choose 26", "K-10", IS_OVER, "choosing after the end"),
    ],
    ids=str,
)
def test_what_is_refused_and_why(case: Case) -> None:
    """K-6 to K-11: the rule's id and a sentence, and nothing is changed."""
    state = case.given()
    assert answer(state, case.command, case.seat) == [f"refused: {case.rule}", case.sentence]
    assert state == case.given()


@pytest.mark.parametrize("command", ["12 at 1,0 east then 36", "12 at 1,0 east then 48"])
def test_half_a_turn_is_not_done(command: str) -> None:
    """K-8: if the second half of a whole turn is refused, the first half may still be done another way."""
    state = placing()
    assert answer(state, command)[0].startswith("refused")
    assert answer(state, "12 at 0,1 south then 20") == ["Seat 0 places 12 at 0,1 south.", "Seat 0 chooses 20."]
