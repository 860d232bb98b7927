"""Whole matches of random legal commands, worked out beforehand from the complete state."""

import random
from collections.abc import Iterator

from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.match.v1 import match_service_pb2 as pb
from services.domino import codec
from services.domino.rules import rules
from services.domino.rules.commands import Command
from services.domino.rules.model import State
from shared.kernel import Chance, Refusal, Seat
from shared.match.model import Match


def random_commands(match: Match, chance: random.Random) -> Iterator[tuple[Seat, Command]]:
    """From where a started match of Domino stands to its end. Its deals are known: they follow from its seed."""
    state: State = match.state
    of_match = Chance(match.seed)
    while not state.is_over:
        seat = state.turn
        command = chance.choice(rules.playable(state.hands[seat], state.left, state.right))
        yield seat, command
        decided = rules.decide(state, seat, command, of_match)
        if isinstance(decided, Refusal):
            raise RuntimeError(f"a legal command was refused: {decided.message}")
        for event in decided:
            state = rules.evolve(state, event)


def submit_request(match_id: str, seat: Seat, token: str, number: int, command: Command) -> pb.SubmitCommandRequest:
    """One of these commands as a request."""
    packed = AnyMessage()
    packed.Pack(codec.encode_command(command))
    credential = pb.SeatCredential(seat=seat, token=token)
    return pb.SubmitCommandRequest(match_id=match_id, seat=credential, command_id=f"move-{number:06}", command=packed)
