"""Domino Double 6, as the platform sees it."""

from services.domino import codec, picture
from services.domino.rules import heuristic, model, notation, rules, scoring, setup
from services.domino.rules.commands import Command
from services.domino.rules.events import Event
from services.domino.rules.model import Options, State
from services.domino.rules.search import search
from services.domino.rules.view import View, view
from shared.game import Agent, Game
from shared.kernel import OptionSpec

GAME: Game[Options, State, Command, Event, View] = Game(
    name="domino",
    title="Domino Double 6",
    rules_version=1,
    # D-3: five hands of five leave three tiles; six would need thirty.
    seat_counts=range(2, 6),
    option_specs=(
        OptionSpec(
            "hand_size",
            "Tiles dealt to each seat; all hands together have at most 28.",
            default=str(model.DEFAULT_HAND_SIZE),
            minimum=model.MIN_HAND_SIZE,
            maximum=len(model.TILES) // 2,
        ),
        OptionSpec(
            "target",
            "Rounds repeat until a seat has this many points; without it, one round is played.",
            default="none",
            minimum=1,
            maximum=model.MAX_TARGET,
        ),
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
    points=scoring.points,
    view=view,
    legal=heuristic.legal,
    default=heuristic.heaviest,
    codec=codec,
    notation=notation,
    picture=picture.draw,
    agents={
        "random": Agent(version=1, choose=heuristic.random_choice),
        "greedy": Agent(version=1, choose=heuristic.greedy),
        "search": Agent(version=1, choose=search, iterations=300),
    },
)
