"""Why somebody sits there: whole answers for small rounds, and for every round that everybody gets one."""

from services.tournament.model import POINT, Number
from services.tournament.pairing import tables
from services.tournament.pairing.pool import Contender, Pair, Pool
from services.tournament.pairing.table_explain import explain
from tests.tournament.tables.events import Setting, rounds

_NAMES = ("Ann", "Ben", "Cem", "Dan", "Eli", "Fay", "Gus", "Hal", "Ida", "Jon")


def _name(number: Number) -> str:
    return _NAMES[number]


def _one(number: int, points: int, met: tuple[int, ...] = (), had_bye: bool = False) -> Contender:
    sat = (1, 0, 0, 0) if met else ()
    return Contender(Number(number), points * POINT, number + 1, tuple(map(Number, met)), sat, -1, had_bye)


def _told(pool: Pool, who: int, fewest: int = 2) -> tuple[str, ...]:
    return explain(pool, tables.pair(pool, fewest), Number(who), _name)


def _pair(one: int, other: int) -> frozenset[Pair]:
    return frozenset([(Number(one), Number(other))])


def test_neighbours_who_have_not_met_sit_together() -> None:
    pool = Pool(2, 4, tuple([_one(number, 9 - number) for number in range(4)]))
    assert _told(pool, 1) == (
        "Ben (8 points) sits with Ann (9 points), Cem (7 points) and Dan (6 points) in round 2.",
        "Those with equal or near points are to meet: from the highest of these to the lowest are 3 points.",
        "No two of them have met before.",
        "Ben has the second seat, for the first time; no other order of this table is more even.",
    )


def test_who_is_nearer_but_was_met_is_named() -> None:
    met = {0: (1,), 1: (0,)}
    pool = Pool(2, 3, tuple([_one(number, 9 - number, met.get(number, ())) for number in range(6)]))
    assert "Nearer in points is Ben, whom Ann has met before." in _told(pool, 0)


def test_a_repeat_that_can_not_be_avoided_is_said_to_be_so() -> None:
    everybody = range(4)
    met = [tuple([other for other in everybody if other != one]) for one in everybody]
    pool = Pool(2, 4, tuple([_one(number, 3, met[number]) for number in everybody]))
    told = _told(pool, 0)
    assert "Those with equal points are to meet, and all of these have the same." in told
    assert "Ann and Ben have met before." in told
    assert "All tables of this round together come to 6 repeats; there can't be fewer." in told


def test_repeats_above_the_bound_are_not_called_the_fewest() -> None:
    found = {
        sentence
        for paired in rounds(Setting(16, 4, 0, unrest=0))
        if paired.draw.certificate.value[2] > paired.draw.certificate.bound[2]
        for sentence in explain(paired.pool, paired.draw, paired.draw.tables[0].seats[0], str)
        if sentence.startswith("All tables")
    }
    assert found
    assert not [sentence for sentence in found if "there can't be fewer" in sentence]


def test_a_smaller_table_is_explained_by_the_number_of_entrants() -> None:
    pool = Pool(1, 4, tuple([_one(number, 0) for number in range(7)]))
    (smaller,) = [table.seats for table in tables.pair(pool).tables if len(table.seats) == 3]
    assert _told(pool, smaller[0])[-1] == "7 entrants do not fill tables of 4: 1 table has 3, as few as can be."


def test_a_bye_is_explained_by_those_below() -> None:
    pool = Pool(3, 4, tuple([_one(number, 9 - number, had_bye=number == 4) for number in range(5)]))
    assert _told(pool, 3) == (
        "Dan (6 points) has a bye in round 3.",
        "5 can't all sit at tables as this game needs them; 1 has none.",
        "A bye goes to the lowest who had none and whom nobody must meet.",
        "Eli, who is lower, had one before.",
    )


def test_a_second_bye_is_called_one() -> None:
    pool = Pool(3, 4, tuple([_one(number, 9 - number, had_bye=True) for number in range(5)]))
    assert "Eli had one before, or points without a game; there was nobody better." in _told(pool, 4)


def test_pairs_that_must_or_must_not_meet_are_named_and_whether_it_was_kept() -> None:
    contenders = tuple([_one(number, 9 - number) for number in range(8)])
    assert "Ann and Hal must meet." in _told(Pool(1, 4, contenders, forced=_pair(0, 7)), 0)
    assert "Ben and Ann must not meet." in _told(Pool(1, 4, contenders, _pair(0, 1)), 1)
    assert "Ann and Ben must not meet; it could not be kept." in _told(Pool(1, 4, contenders[:2], _pair(0, 1)), 0)


def test_who_is_not_there_is_told_so() -> None:
    pool = Pool(5, 4, tuple([_one(number, 0) for number in range(4)]))
    assert _told(pool, 9) == ("Jon is not among those who are paired in round 5.",)


def test_in_every_round_everybody_is_told_with_whom_it_sits_or_that_it_has_a_bye() -> None:
    for setting in (Setting(17, 4, 0, fewest=4, pairs=1), Setting(23, 3, 1, unrest=0.2)):
        for paired in rounds(setting):
            for table in paired.draw.tables:
                for one in table.seats:
                    told = explain(paired.pool, paired.draw, one, _numbered)
                    assert all(_numbered(other) in told[0] for other in table.seats)
            for one in paired.draw.byes:
                assert "has a bye" in explain(paired.pool, paired.draw, one, _numbered)[0]


def _numbered(number: Number) -> str:
    return f"<{number}>"
