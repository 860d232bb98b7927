"""What is played for a seat that is out, and the computer players `random` and `greedy`, in positions made by hand."""

from collections import Counter

from services.kingdomino.rules.heuristic import best_domino, best_step, greedy, legal, most_points, random_choice
from services.kingdomino.rules.model import Options, State
from services.kingdomino.rules.notation import format_command
from services.kingdomino.rules.rules import to_act
from services.kingdomino.rules.view import View, view
from shared.kernel import Chance, Viewer
from tests.games.kingdomino.positions import NO_CHANCE, STANDARD, WITHOUT_LAKE, kingdom, position

CROWNED_WHEAT = """
             0      1      2
      0 castle    19w*    19f
"""


def seen_by_mover(state: State) -> View:
    return view(state, Viewer(to_act(state)[0]))


def greedy_choice(state: State) -> str:
    return format_command(greedy(seen_by_mover(state), NO_CHANCE, iter(())))


def default(state: State) -> str:
    return format_command(most_points(seen_by_mover(state)))


def to_place(built: str, number: int = 1, following: str = "20 30 36=1 47", options: Options = STANDARD) -> State:
    """Seat 0 is to place a domino; seat 1 has moved once."""
    return position(
        f"{number}=1 >13=0 26=0 43=1" if number == 1 else "1=1 >7=0 26=0 43=1",
        following,
        kingdoms=[kingdom(built), ""],
        options=options,
    )


def test_the_default_places_where_properties_score_most() -> None:
    """K-16: wheat without crowns joins the wheat with one, by the first placement in order; no domino is chosen yet."""
    assert default(to_place(CROWNED_WHEAT)) == "13 at 1,-1 west"


def test_the_default_discards_what_fits_nowhere() -> None:
    """K-15: there is no water beside the castle."""
    assert default(to_place(WITHOUT_LAKE, number=7)) == "discard 7"


def test_the_default_chooses_the_lowest_free_domino() -> None:
    """K-8: also where another would score more."""
    state = position("1=1 >13=0 26=0 43=1", "20=1 30 36 47", kingdoms=[kingdom(CROWNED_WHEAT), ""], is_choosing=True)
    assert default(state) == "choose 30"


def test_greedy_places_where_properties_score_most_and_chooses_what_would() -> None:
    """K-16: of the free dominoes, 30 and 36 would add two points each, 3 nothing; the lower number moves first."""
    assert greedy_choice(to_place(CROWNED_WHEAT, following="3 20=1 30 36")) == "13 at 1,-1 west then 30"


def test_greedy_plays_for_the_middle_only_where_it_counts() -> None:
    """K-19: two columns on either side of the castle are worth more than one point of wheat; the default ignores it."""
    state = to_place(CROWNED_WHEAT, options=Options(middle_kingdom=True))
    assert greedy_choice(state).startswith("13 at -2,0 east")
    assert default(state) == default(to_place(CROWNED_WHEAT)) == "13 at 1,-1 west"


def choosing_beside_what_fits_nowhere(options: Options) -> State:
    """Neither 7 nor 18 would score, and 7 would have to be discarded."""
    line, following = "3=1 >21=0 26=0 43=1", "7 18 36=1 47"
    return position(line, following, kingdoms=[kingdom(WITHOUT_LAKE), ""], is_choosing=True, options=options)


def test_greedy_does_not_choose_what_would_cost_harmony() -> None:
    """K-20: where a discard costs nothing it is a matter of the number, or of points."""
    state = choosing_beside_what_fits_nowhere(Options(harmony=True))
    gains = {number: best_step(state.kingdoms[0], number, state.options).gain for number in (7, 18)}
    assert gains == {7: -5, 18: 0}
    assert best_domino(state.kingdoms[0], [7, 18], state.options) == 18
    assert best_domino(state.kingdoms[0], [7, 18], STANDARD) == 7


def test_greedy_discards_and_chooses_in_one_turn() -> None:
    """K-15."""
    assert greedy_choice(to_place(WITHOUT_LAKE, number=7)) == "discard 7 then 20"


def test_random_play_takes_every_placement_and_every_free_domino() -> None:
    """K-8: each about equally often, in 4,000 seeded turns; 36 is taken."""
    seen = seen_by_mover(to_place(CROWNED_WHEAT))
    turns = [random_choice(seen, Chance(number.to_bytes(2, "big")), iter(())) for number in range(4_000)]
    assert set(turns) == {command for command in legal(seen) if " then " in format_command(command)}
    chosen = Counter(format_command(turn).rpartition(" then ")[2] for turn in turns)
    assert sorted(chosen) == ["20", "30", "47"]
    assert all(abs(times - 4_000 / 3) < 120 for times in chosen.values())
