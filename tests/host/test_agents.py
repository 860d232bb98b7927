"""Computer players: the work that waits for them, what their workers are told, and the notes of their moves."""

from typing import Any

import grpc

from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from meydan.work.v1 import work_pb2
from shared.access.tokens import Scope
from shared.envelope import unpack
from shared.eventlog.memory import MemoryLog
from shared.eventlog.store import AGENT_TURN, MATCH_ENDED, Work
from shared.kernel import Chance, Viewer
from shared.match.agents import agent_seed
from shared.match.model import Status
from shared.match.wire import Wire
from shared.rerun import rerun
from tests.host.service import (
    DOMINO,
    PATIENCE,
    Service,
    Table,
    bearer,
    computer,
    new_agents_table,
    new_table,
    packed,
    refusal,
)


def waiting(service: Service, match_id: str) -> tuple[Work, ...]:
    """What is still to be done for a match."""
    assert isinstance(service.log, MemoryLog)
    return service.log.waiting_work(match_id)


async def test_work_for_a_computers_turn_has_nothing_secret(memory_service: Service) -> None:
    """It says whose turn it is and at which version: neither view nor chance pass through the broker."""
    created = await memory_service.stub.CreateMatch(
        pb.CreateMatchRequest(seats=[computer(), computer()]), timeout=PATIENCE
    )
    match = (await memory_service.host.fresh(created.match_id)).folded
    (work,) = waiting(memory_service, created.match_id)
    turn = work_pb2.AgentTurn.FromString(work.payload)
    seat = DOMINO.to_act(match.state)[0]
    assert work.kind == AGENT_TURN
    assert (turn.match_id, turn.version, turn.seat, turn.level) == (match.id, match.version, seat, "greedy")
    for secret in (match.seed, match.server_seed, agent_seed(match, seat)):
        assert secret not in work.payload
    sealed = [part.content for record in await memory_service.log.read(match.id, 0) for part in unpack(record).sealed]
    # Shorter ones could be found by accident.
    long_enough = [content for content in sealed if content is not None and len(content) >= 6]
    assert len(long_enough) > 2
    assert not any(content in work.payload for content in long_enough)


def turn_of(table: Table, seat: int, version: int, token_of: int | None = None) -> Any:
    """A worker asks for what it needs."""
    request = pb.GetAgentTurnRequest(match_id=table.id, seat=seat, version=version)
    token = table.tokens[seat if token_of is None else token_of]
    return table.service.stub.GetAgentTurn(request, timeout=PATIENCE, metadata=bearer(token))


async def test_a_worker_is_told_what_its_seat_sees_and_its_own_chance(service: Service) -> None:
    """Enough to choose, and nothing more: the match's seed is not to be found in it."""
    table = await new_agents_table(service, "greedy", "random")
    match = (await service.host.fresh(table.id)).folded
    (seat,) = DOMINO.to_act(match.state)
    answer = await turn_of(table, seat, match.version)
    assert answer.seed == agent_seed(match, seat)
    assert answer.view == packed(DOMINO.codec.encode_view(DOMINO.view(match.state, Viewer(seat))))
    assert match.seed not in answer.SerializeToString()


async def test_a_worker_that_is_late_is_told_so(service: Service) -> None:
    """At another version there is nothing to think about, nor after the end."""
    table = await new_agents_table(service, "greedy", "random")
    summary = (await table.view()).match
    seat = summary.to_act[0]
    for version in (0, summary.version - 1, summary.version + 1):
        answer = await refusal(turn_of(table, seat, version))
        assert (answer.code, answer.reason) == (grpc.StatusCode.ABORTED, "STALE_VERSION")
        assert answer.metadata == {"current_version": str(summary.version)}
    await table.play()
    assert (await refusal(turn_of(table, seat, len(await table.records())))).reason == "STALE_VERSION"


async def test_the_turn_of_a_computer_is_for_its_own_worker(service: Service) -> None:
    """Neither with the token of another seat, nor for a seat that a player has."""
    table = await new_agents_table(service, "greedy", "random")
    version = (await table.view()).match.version
    assert (await refusal(turn_of(table, 0, version, token_of=1))).reason == "NOT_YOUR_SEAT"
    people = await new_table(service)
    version = (await people.view()).match.version
    assert (await refusal(turn_of(people, 0, version))).reason == "NOT_YOUR_SEAT"


async def test_a_computers_match_is_played_with_its_notes(service: Service) -> None:
    """To the end; each move's note is sealed for nobody, and the move can be computed again from it."""
    levels = ("random", "greedy")
    table = await new_agents_table(service, *levels)
    while (match := (await service.host.fresh(table.id)).folded).status is Status.PLAYING:
        (seat,) = DOMINO.to_act(match.state)
        seed = agent_seed(match, seat)
        choice = DOMINO.agents[levels[seat]].choose(DOMINO.view(match.state, Viewer(seat)), Chance(seed), iter(()))
        note = events_pb.AgentNote(name=f"domino/{levels[seat]}", version=1, seed=seed)
        text = DOMINO.notation.format_command(choice)
        await table.submit(table.submission(seat, text, expected_version=match.version, agent=note))
    notes = [
        (part.seats, events_pb.AgentNote.FromString(part.content or b""))
        for record in await table.records()
        for part in unpack(record).sealed
        if part.type == "meydan.match.v1.AgentNote"
    ]
    assert {seats for seats, _ in notes} == {()}
    assert {note.name for _, note in notes} == {"domino/random", "domino/greedy"}
    envelopes = [unpack(record) for record in await table.records()]
    again = list(rerun(DOMINO, Wire(DOMINO), envelopes))
    assert len(again) == len(notes)
    assert all(move.is_computed for move in again)


async def test_a_match_without_computers_has_no_work_until_it_ends(memory_service: Service) -> None:
    """Then there is the end to be handled."""
    table = await new_table(memory_service)
    assert waiting(memory_service, table.id) == ()
    await table.play()
    (work,) = waiting(memory_service, table.id)
    assert work.kind == MATCH_ENDED
    assert work_pb2.MatchEnded.FromString(work.payload).version == len(await table.records())


async def test_a_request_id_of_the_callers_goes_with_the_work(memory_service: Service) -> None:
    """So that one search finds a call in all logs."""
    created = await memory_service.stub.CreateMatch(
        pb.CreateMatchRequest(seats=[computer(), computer()]),
        metadata=(("x-request-id", "request-of-mine"), *bearer(memory_service.token(Scope.ORGANISER))),
        timeout=PATIENCE,
    )
    (work,) = waiting(memory_service, created.match_id)
    assert work_pb2.AgentTurn.FromString(work.payload).request_id == "request-of-mine"
