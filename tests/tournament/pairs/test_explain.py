"""Why two meet, in plain English."""

from services.tournament.model import Number
from services.tournament.pairing import fast
from services.tournament.pairing.explain import explain
from services.tournament.pairing.pool import Pool
from tests.tournament.pairs.events import Setting, rounds
from tests.tournament.pairs.pools import pool_of

_NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay")
_PROVED = "It is proved that no pairing of this round is better by the criteria of the system."


def _name(number: Number) -> str:
    return _NAMES[number]


def _told(pool: Pool, who: int) -> tuple[str, ...]:
    return explain(pool, fast.pair(pool), Number(who), _name)


def test_two_of_the_same_score() -> None:
    assert _told(pool_of([24, 24, 0, 0], surplus=[1, -1, 0, 0]), 0) == (
        "Ann (1 point) meets Bob (1 point) in round 1.",
        "Those with equal points are to meet, and these two have as many.",
        "They have not met before.",
        "Bob starts: first seats minus second ones, it has -1, the other 1.",
        _PROVED,
    )


def test_who_was_nearer_had_been_met() -> None:
    told = _told(pool_of([48, 48, 24, 24], [(0, 1)]), 0)
    assert "Those with equal or near points are to meet; these are 1 point apart." in told
    assert "Bob is nearer in points, but the two have met before." in told


def test_what_the_exchange_with_somebody_nearer_would_have_cost() -> None:
    told = _told(pool_of([48, 36, 36, 0], [(1, 2), (0, 1), (2, 3)]), 0)
    assert told[0] == "Ann (2 points) meets Cat (1.5 points) in round 1."
    pool = pool_of([48, 36, 24, 24], [(1, 2), (1, 3)], forced=[(0, 3)])
    expected = "If Ann and Bob, and Cat and Dan met, the round would have 1 more broken rule (a forced pair,"
    assert f"Bob is nearer in points. {expected}" in " ".join(_told(pool, 0))


def test_a_rematch_that_can_not_be_avoided() -> None:
    assert "They have met before, once; no pairing of this round has fewer than 1 rematch." in _told(
        pool_of([24, 0], [(0, 1)]), 1
    )


def test_a_bye_and_who_is_lower_but_had_one() -> None:
    told = _told(pool_of([24, 0, 0], had_bye=[2]), 1)
    assert told[:3] == (
        "Bob (0 points) has the bye in round 1.",
        "3 can't all meet somebody: the bye goes to the lowest who had none.",
        "Cat, who is lower, had one before, or points without a game.",
    )


def test_wishes_that_were_kept_and_one_that_could_not_be() -> None:
    told = _told(pool_of([0, 0], forbidden=[(0, 1)]), 0)
    assert "Ann and Bob must not meet; it could not be kept." in told
    assert "Ann and Dan must meet." in _told(pool_of([48, 24, 24, 0], forced=[(0, 3)]), 0)


def test_who_is_not_there() -> None:
    assert _told(pool_of([0, 0]), 5) == ("Fay is not among those who are paired in round 1.",)


def test_everybody_of_a_seeded_event_is_told_whom_it_meets() -> None:
    for paired in rounds(Setting(21, 5, wishes=1)):
        for one in paired.pool.contenders:
            told = explain(paired.pool, paired.draw, one.number, str)
            assert told[0].startswith(f"{one.number} (")
            assert told[-1] == _PROVED
            assert all(sentence.endswith(".") for sentence in told)
