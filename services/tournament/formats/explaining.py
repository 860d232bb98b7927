"""Why somebody has the place that it has in a round: sentences in plain English, for every system of this package."""

from collections.abc import Sequence

from services.tournament.formats import brackets, everybody, explain_arena, explain_bracket, explain_league, groups
from services.tournament.formats.entrants import field, present
from services.tournament.formats.words import Naming, Sentences, ordinal, table_of
from services.tournament.model import Draw, Number, Plan, Player, Round, System


def explain(
    plan: Plan, players: Sequence[Player], rounds: Sequence[Round], draw: Draw, who: Number, name: Naming
) -> Sentences:
    """Players and rounds are as they were before the draw."""
    if who not in {one.number for one in players if one.is_active}:
        # Of an arena, these are the free ones.
        why = "was playing, or was not there" if plan.system is System.ARENA else "was not there to be paired"
        return (f"{name(who)} {why}.",)
    if plan.system is System.ARENA:
        return explain_arena.explain(players, draw, who, name)
    if rounds and who not in {one.number for one in field(players, rounds)}:
        return (f"{name(who)} was not there for the first round, and nobody can come later in this system.",)
    if plan.system is System.GROUPS:
        return _groups(plan, players, rounds, draw, who, name)
    if plan.system is System.ROUND_ROBIN:
        league = everybody.league(plan, players, rounds)
        return explain_league.explain(plan, league, players, rounds, draw, who, name)
    told = explain_bracket.story(plan, brackets.start(players, rounds), players, rounds, name)
    return explain_bracket.explain(told, draw, who) if _is_in(draw, who) else explain_bracket.out(told, who)


def _is_in(draw: Draw, who: Number) -> bool:
    return who in draw.byes or table_of(draw, who) is not None


def _groups(
    plan: Plan, players: Sequence[Player], rounds: Sequence[Round], draw: Draw, who: Number, name: Naming
) -> Sentences:
    if groups.are_groups_on(plan, players, rounds):
        schedule = groups.schedule(plan, players, rounds)
        return explain_league.explain(plan, schedule, players, rounds, draw, who, name)
    played = groups.parts(rounds).bracket
    told = explain_bracket.story(plan, groups.start(plan, players, rounds), players, played, name)
    if not _is_in(draw, who):
        was_in = bool(played) and who in present(played[0])
        return explain_bracket.out(told, who) if was_in else _left(plan, players, rounds, who, name)
    return (*_came(plan, players, rounds, draw, who, name), *explain_bracket.explain(told, draw, who))


def _left(plan: Plan, players: Sequence[Player], rounds: Sequence[Round], who: Number, name: Naming) -> Sentences:
    return (
        _place(plan, players, rounds, who, name),
        f"The {plan.advancing} best of each group went on who were there.",
    )


def _came(
    plan: Plan, players: Sequence[Player], rounds: Sequence[Round], draw: Draw, who: Number, name: Naming
) -> list[str]:
    """In the first round of the bracket: how those at the table came there."""
    if groups.parts(rounds).bracket:
        return []
    table = table_of(draw, who)
    return [_place(plan, players, rounds, number, name) for number in (table.seats if table else (who,))]


def _place(plan: Plan, players: Sequence[Player], rounds: Sequence[Round], who: Number, name: Naming) -> str:
    tables = groups.standings(plan, players, rounds)
    index, table = next((index, table) for index, table in enumerate(tables) if who in table)
    return f"{name(who)} came {ordinal(table.index(who) + 1)} in {groups.label(index)}."
