"""Ratings are a fold of matches by openskill's Plackett-Luce."""

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
from openskill.models import PlackettLuce

from services.tournament.ratings import MILLION, NEW, Match, Rating, Ratings, diff, rated, standings
from shared.kernel import Malformed

GAME = "domino"


def _match(number: int, *places: str, game: str = GAME, is_voided: bool = False) -> Match:
    """`ab` share a place."""
    return Match(f"m{number}", game, tuple([tuple(shared) for shared in places]), is_voided)


def _matches(seed: int, count: int = 60) -> list[Match]:
    """Matches of two games, with two to six seats and ties, of which some are annulled."""
    chance = random.Random(seed)
    return [_drawn(chance, number) for number in range(count)]


def _drawn(chance: random.Random, number: int) -> Match:
    places: list[str] = []
    for player in chance.sample("abcdefghij", chance.randint(2, 6)):
        if places and chance.random() < 0.25:
            places[-1] += player
        else:
            places.append(player)
    return _match(number, *places, game=chance.choice(("domino", "kingdomino")), is_voided=chance.random() < 0.1)


def _bare(matches: list[Match], game: str) -> Iterator[tuple[str, float, float]]:
    """The same by the package alone, without rounding."""
    model = PlackettLuce()
    table = {player: model.rating() for player in "abcdefghij"}
    for match in matches:
        if match.game != game or match.is_voided:
            continue
        who = [player for shared in match.places for player in shared]
        ranks = [float(place) for place, shared in enumerate(match.places) for _ in shared]
        for player, team in zip(who, model.rate([[table[player]] for player in who], ranks=ranks), strict=True):
            table[player] = team[0]
    yield from ((player, rating.mu, rating.sigma) for player, rating in table.items())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("game", ["domino", "kingdomino"])
def test_ratings_are_those_of_the_package_for_any_number_of_seats_and_ties(seed: int, game: str) -> None:
    matches = _matches(seed)
    ratings = rated(matches)
    for player, mu, sigma in _bare(matches, game):
        rating = ratings.of(game, player)
        assert rating.mu / MILLION == pytest.approx(mu, abs=1e-4)
        assert rating.sigma / MILLION == pytest.approx(sigma, abs=1e-4)


def test_a_win_lifts_the_winner_and_lowers_the_loser() -> None:
    ratings = rated([_match(1, "a", "b")])
    a, b = ratings.of(GAME, "a"), ratings.of(GAME, "b")
    assert a.mu > NEW.mu > b.mu
    assert a.sigma < NEW.sigma
    assert (a.matches, b.matches) == (1, 1)


def test_the_first_match_of_two_gives_what_the_paper_of_the_model_does() -> None:
    """By hand: c = sqrt(2 * (25/3)^2 + 2 * (25/6)^2 + ...) with tau; the known values of openskill for a first win."""
    winner = rated([_match(1, "a", "b")]).of(GAME, "a")
    assert (round(winner.mu / MILLION, 3), round(winner.sigma / MILLION, 3)) == (27.635, 8.066)


def test_those_who_share_a_place_stay_level_and_may_be_named_in_any_order() -> None:
    one, other = rated([_match(1, "ab", "c")]), rated([_match(1, "ba", "c")])
    assert one == other
    assert one.of(GAME, "a") == one.of(GAME, "b")
    assert one.of(GAME, "a").mu > one.of(GAME, "c").mu


def test_the_order_of_matches_matters() -> None:
    matches = [_match(1, "a", "b"), _match(2, "b", "c")]
    assert rated(matches).by_player != rated(reversed(matches)).by_player


@pytest.mark.parametrize("seed", range(3))
def test_rating_goes_on_from_any_moment_as_if_it_had_not_stopped(seed: int) -> None:
    matches = _matches(seed)
    cut = random.Random(seed).randrange(len(matches))
    assert rated(matches[cut:], rated(matches[:cut])) == rated(matches)


def test_going_on_leaves_the_ratings_before_as_they_were() -> None:
    before = rated([_match(1, "a", "b")])
    kept = dict(before.by_player)
    rated([_match(2, "b", "a")], before)
    assert dict(before.by_player) == kept


@pytest.mark.parametrize("seed", range(3))
def test_rating_again_without_an_annulled_match_is_a_replay_without_it(seed: int) -> None:
    matches = _matches(seed)
    index = random.Random(seed).randrange(len(matches))
    voided = [match._replace(is_voided=match.is_voided or number == index) for number, match in enumerate(matches)]
    assert rated(voided) == rated([match for match in voided if not match.is_voided])


@pytest.mark.parametrize("seed", range(3))
def test_a_match_that_is_told_twice_counts_once(seed: int) -> None:
    matches = _matches(seed)
    chance = random.Random(seed)
    twice = [match for match in matches for _ in range(chance.choice((1, 1, 3)))]
    assert rated(twice) == rated(matches)
    assert rated(matches, rated(matches)) == rated(matches)


def test_every_game_has_ratings_of_its_own() -> None:
    ratings = rated([_match(1, "a", "b"), _match(2, "b", "a", game="kingdomino")])
    assert ratings.of(GAME, "a") == ratings.of("kingdomino", "b") != ratings.of("kingdomino", "a")


def test_a_match_of_one_alone_rates_nobody() -> None:
    assert rated([_match(1, "a")]).by_player == Ratings().by_player


def test_nobody_sits_at_a_table_twice() -> None:
    with pytest.raises(Malformed, match="match m1: places name everybody once"):
        rated([_match(1, "a", "ba")])


def test_who_has_played_nothing_is_as_good_as_anybody_new() -> None:
    assert Ratings().of(GAME, "nobody") == NEW
    assert NEW.level == pytest.approx(0, abs=1)


def test_diff_shows_who_changed_and_the_greatest_change_first() -> None:
    """Without the match of a and b, c stays what it was; d and e too."""
    matches = [_match(1, "d", "e"), _match(2, "a", "b"), _match(3, "a", "f")]
    before = rated(matches)
    after = rated([match._replace(is_voided=match.id == "m2") for match in matches])
    changes = diff(before, after)
    assert {change.player for change in changes} == {"a", "b", "f"}
    assert all(change.before == before.of(GAME, change.player) != change.after for change in changes)
    sizes = [abs(change.after.level - change.before.level) for change in changes]
    assert sizes == sorted(sizes, reverse=True)
    assert next(change for change in changes if change.player == "b").after == NEW


def test_diff_of_the_same_ratings_is_empty_and_that_back_is_turned_round() -> None:
    before, after = rated(_matches(1, 10)), rated(_matches(2, 10))
    assert diff(before, before) == ()
    back = {(change.game, change.player, change.after, change.before) for change in diff(after, before)}
    assert back == {tuple(change) for change in diff(before, after)}


def test_standings_of_a_game_have_the_surest_first() -> None:
    ratings = rated(_matches(3))
    rows = standings(ratings, GAME)
    assert {player for player, _ in rows} == {player for game, player in ratings.by_player if game == GAME}
    assert all(above.level >= below.level for (_, above), (_, below) in pairwise(rows))


def test_level_is_three_deviations_below_the_mean() -> None:
    assert Rating(30 * MILLION, 2 * MILLION).level == 24 * MILLION
