"""From a request to a plan that can be played, or to a sentence that says why not."""

from importlib.util import find_spec

from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.tournament.v1 import tournament_pb2 as pb
from services import registry
from services.tournament import formats, messages
from services.tournament.model import Plan, System
from shared.access.tokens import is_subject
from shared.game import AnyGame
from shared.host import errors
from shared.host.limits import MOST_OPTION_BYTES
from shared.host.messages import control_of, name_of, seconds_of, unpack_any
from shared.kernel import Malformed

_HIGHEST_RATING = 1_000_000
_LONGEST_ENTROPY = 32


def checked(message: pb.Plan) -> Plan:
    """The plan, if it can be played; raises Malformed or Refused."""
    name_of(message.name)
    game = game_of(message.game)
    if message.HasField("clock"):
        control_of(message.clock)
    seconds_of("plan.no_show_seconds", message.no_show_seconds)
    seconds_of("plan.arena_seconds", message.arena_seconds)
    plan = messages.plan_of(message)
    _check_options(game, message)
    _check_levels(game, plan)
    if plan.system is System.DUTCH and find_spec("py4swiss") is None:
        raise Malformed("plan.system", "The Dutch system is not installed here; the system Swiss is.")
    sentence = formats.check_plan(plan, game.seat_counts)
    if sentence is not None:
        raise Malformed("plan", sentence)
    return plan


def game_of(name: str) -> AnyGame:
    """A game of the platform."""
    if name not in registry.NAMES:
        raise Malformed("plan.game", f"The games are {', '.join(registry.NAMES)}.")
    return registry.load(name)


def _check_options(game: AnyGame, message: pb.Plan) -> None:
    options = game.default_options
    if message.HasField("options"):
        options = _options_of(game, message.options)
    # Where a field does not divide, or somebody withdraws, tables are smaller.
    for seats in game.seat_counts:
        refusal = game.check_options(options, seats) if seats <= message.seats else None
        if refusal is not None:
            raise errors.malformed("plan.options", refusal.message, refusal.rule)


def _options_of(game: AnyGame, packed: AnyMessage) -> object:
    if len(packed.value) > MOST_OPTION_BYTES:
        raise errors.too_much("options", f"Options have at most {MOST_OPTION_BYTES} bytes.")
    return game.codec.decode_options(unpack_any(packed, (game.codec.options_type,), "plan.options"))


def _check_levels(game: AnyGame, plan: Plan) -> None:
    if plan.fill_level and plan.fill_level not in game.agents:
        raise Malformed("plan.fill_level", f"The levels are {', '.join(game.agents)}.")


def entrants_of(entrants: "list[pb.Entrant]", game: AnyGame) -> list[pb.Entrant]:
    """Entrants as an organiser registers them, made anew so that nothing else comes into the log."""
    return [_entrant_of(f"entrants[{at}]", one, game) for at, one in enumerate(entrants)]


def _entrant_of(field: str, one: pb.Entrant, game: AnyGame) -> pb.Entrant:
    if bool(one.player_id) == bool(one.ai_level):
        raise Malformed(field, "An entrant is a player, with an id, or a computer player, with a level.")
    if one.player_id and not is_subject(one.player_id):
        raise Malformed(f"{field}.player_id", "A player's id has 1 to 64 printable ASCII characters.")
    if one.ai_level and one.ai_level not in game.agents:
        raise Malformed(f"{field}.ai_level", f"The levels are {', '.join(game.agents)}.")
    if one.rating > _HIGHEST_RATING:
        raise Malformed(f"{field}.rating", f"A rating is at most {_HIGHEST_RATING:,}.")
    return _made_anew(one)


def _made_anew(one: pb.Entrant) -> pb.Entrant:
    if len(one.entropy) > _LONGEST_ENTROPY:
        raise errors.too_much("entropy", f"A player adds at most {_LONGEST_ENTROPY} bytes of entropy.")
    return pb.Entrant(
        name=name_of(one.name),
        player_id=one.player_id,
        ai_level=one.ai_level,
        rating=one.rating,
        entropy=one.entropy,
    )


def own_entry(one: pb.Entrant, player_id: str) -> pb.Entrant:
    """A player's own entry: as nobody else, and with no rating of their own making."""
    if one.player_id not in ("", player_id) or one.ai_level or one.rating:
        raise Malformed("entrants[0]", "A player registers themselves, without a rating.")
    return _made_anew(pb.Entrant(name=one.name, player_id=player_id, entropy=one.entropy))
