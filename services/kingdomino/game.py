"""Kingdomino, as the platform sees it."""

from services.kingdomino import codec, picture
from services.kingdomino.rules import heuristic, model, notation, rules, scoring, setup
from services.kingdomino.rules.commands import Command
from services.kingdomino.rules.events import Event
from services.kingdomino.rules.model import Options, State
from services.kingdomino.rules.search import search
from services.kingdomino.rules.view import View, view
from shared.game import Agent, Game
from shared.kernel import OptionSpec


def _variant(name: str, description: str) -> OptionSpec:
    return OptionSpec(name, description, default="false", choices=("true", "false"))


GAME: Game[Options, State, Command, Event, View] = Game(
    name="kingdomino",
    title="Kingdomino",
    rules_version=1,
    seat_counts=range(2, 5),
    option_specs=(
        _variant("dynasty", "Three games in one match; the highest sum of points wins."),
        _variant("middle_kingdom", "10 points for a castle in the exact middle of its kingdom."),
        _variant("harmony", "5 points for a seat that has discarded no domino."),
        _variant("mighty_duel", "Kingdoms of 7 x 7 and all 48 dominoes, for two players."),
    ),
    default_options=Options(),
    check_options=setup.check_options,
    initial=model.initial,
    setup=rules.start,
    decide=rules.decide,
    evolve=rules.evolve,
    cause=rules.cause,
    advance=rules.advance,
    to_act=rules.to_act,
    outcome=scoring.outcome,
    points=scoring.match_points,
    view=view,
    legal=heuristic.legal,
    default=heuristic.most_points,
    codec=codec,
    notation=notation,
    picture=picture.draw,
    agents={
        "random": Agent(version=1, choose=heuristic.random_choice),
        "greedy": Agent(version=1, choose=heuristic.greedy),
        "search": Agent(version=1, choose=search, iterations=40),
    },
)
