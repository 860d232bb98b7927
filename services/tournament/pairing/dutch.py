"""The FIDE Dutch system, by the engine of the package py4swiss: for two at a table, up to 1,000 entrants.

Forced pairs, which the system does not know, are taken out before. The engine is given the points as they are, with all
rulings: each round's as what stands before it. Where it finds no legal round, `fast` makes the next best one.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.tournament.model import Certificate, Draw, Entry, Kind, Number, Plan, Player, Table
from services.tournament.pairing import check_dutch, fast
from services.tournament.pairing.pool import Pair, Pool, pair_of
from services.tournament.pairing.seating import seated

if TYPE_CHECKING:
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.results import RoundResult
    from py4swiss.trf.sections import PlayerSection, XSection

MOST = 1000


class CannotPair(Exception):
    """The Dutch system is not to be had here, or not for so many: a sentence."""


def pair(plan: Plan, players: Sequence[Player], number: int, pool: Pool) -> Draw:
    """Round `number` of a pool of these players."""
    if len(pool.contenders) > MOST:
        raise CannotPair(f"The Dutch system is for {MOST:,} entrants at most; the system `swiss` takes any number.")
    try:
        from py4swiss.engines import DutchEngine
        from py4swiss.engines.common import PairingError
    except ImportError as error:
        raise CannotPair(
            "The Dutch system needs the package py4swiss (the extra `dutch`), which is not here."
        ) from error
    forced = _forced(pool)
    trf = _trf(plan, players, number, pool, forced)
    try:
        found = DutchEngine.generate_pairings(trf) if len(trf.x_section.zeroed_ids) < len(players) else []
    except PairingError:
        return fast.pair(pool)
    by_id = {at: player.number for at, player in enumerate(_ordered(players), 1)}
    seats = [(by_id[one.white], by_id[one.black]) for one in found if one.white and one.black]
    byes = [by_id[one.white or one.black] for one in found if not (one.white and one.black)]
    return _drawn(pool, [*_seated(pool, forced), *seats], byes)


def _drawn(pool: Pool, seats: Sequence[tuple[Number, Number]], byes: Sequence[Number]) -> Draw:
    """What the checker would not take, because wishes contradict each other, is left to `fast`."""
    least = check_dutch.LEAST
    draw = Draw(
        tuple(map(Table, seats)), tuple(byes), Certificate(check_dutch.METHOD, check_dutch.CRITERIA, least, least)
    )
    value = check_dutch.value_of(pool, draw)
    if value[:2] != least[:2]:
        return fast.pair(pool)
    return draw._replace(certificate=draw.certificate._replace(value=value))


def _forced(pool: Pool) -> list[Pair]:
    """Forced pairs of whom both are there, nobody twice."""
    there = {one.number for one in pool.contenders}
    found: list[Pair] = []
    for one in sorted(pool.forced):
        if there.issuperset(one):
            found.append(pair_of(*one))
            there.difference_update(one)
    return found


def _seated(pool: Pool, forced: Sequence[Pair]) -> list[tuple[Number, Number]]:
    place = {one.number: at for at, one in enumerate(pool.contenders)}
    found = []
    for at, pair_ in enumerate(forced):
        higher, lower = sorted([place[one] for one in pair_])
        first, second = seated(pool.contenders[higher], pool.contenders[lower], at)
        found.append((first.number, second.number))
    return found


def _ordered(players: Sequence[Player]) -> list[Player]:
    """The engine knows them by their order at the start, from 1."""
    return sorted(players, key=lambda one: (one.seed, one.number))


def _trf(plan: Plan, players: Sequence[Player], number: int, pool: Pool, forced: Sequence[Pair]) -> "ParsedTrf":
    from py4swiss.trf import ParsedTrf

    ordered = _ordered(players)
    ids = {player.number: at for at, player in enumerate(ordered, 1)}
    playing = {one.number for one in pool.contenders} - {one for pair_ in forced for one in pair_}
    out = {ids[player.number] for player in players if player.number not in playing}
    section = _conditions(plan, out, {(ids[one], ids[other]) for one, other in pool.forbidden})
    for player in ordered:
        section.accelerations[ids[player.number]] = _standing(player, number)
    return ParsedTrf(
        player_sections=[_section(player, ids, number) for player in ordered],
        x_section=section,
    )


def _conditions(plan: Plan, out: set[int], forbidden: set[tuple[int, int]]) -> "XSection":
    """Points come as accelerations, so no result counts any; what is most of all is for telling who are the best."""
    from py4swiss.trf.results import ColorToken, ResultToken
    from py4swiss.trf.sections import XSection

    section = XSection(number_of_rounds=plan.rounds, zeroed_ids=out, forbidden_pairs=forbidden)
    points = section.scoring_point_system.score_dict
    points.update(dict.fromkeys(points, 0))
    points[ResultToken.FULL_POINT_BYE, ColorToken.BYE_OR_NOT_PAIRED] = plan.scoring.places[0]
    return section


def _standing(player: Player, number: int) -> list[int]:
    """Its points before each round, up to this one."""
    return [sum([entry.points for entry in player.entries[:done]]) for done in range(number)]


def _section(player: Player, ids: dict[Number, int], number: int) -> "PlayerSection":
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.sections import PlayerSection

    return PlayerSection(
        code=PlayerCode.PLAYER,
        starting_number=ids[player.number],
        points_times_ten=player.points,
        rank=ids[player.number],
        results=[_result(entry, ids) for entry in player.entries[: number - 1]],
    )


def _result(entry: Entry, ids: dict[Number, int]) -> "RoundResult":
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult

    if entry.kind in (Kind.BYE, Kind.ABSENT, Kind.VOID):
        token = ResultToken.PAIRING_ALLOCATED_BYE if entry.kind is Kind.BYE else ResultToken.ZERO_POINT_BYE
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=token)
    # The engine asks whether a game was played, and the points are given: of games, no more needs to be said.
    tokens = {Kind.FORFEIT_WIN: ResultToken.FORFEIT_WIN, Kind.FORFEIT_LOSS: ResultToken.FORFEIT_LOSS}
    token = tokens.get(entry.kind, ResultToken.DRAW)
    color = ColorToken.BLACK if entry.seat else ColorToken.WHITE
    return RoundResult(id=ids[entry.opponents[0]], color=color, result=token)
