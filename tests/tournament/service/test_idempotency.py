"""A repeated call gets its first answer: later, after the end, from another process. Its id is of nothing else."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

import grpc
import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import messages
from shared.access.tokens import Scope
from shared.eventlog.memory import MemoryLog
from shared.eventlog.redis_log import RedisLog
from shared.match.ids import new_match_id
from tests.host.service import refusal
from tests.tournament.core.recording import ahead, plan
from tests.tournament.service.serving import (
    ARBITER,
    METHODS,
    ORGANISER,
    STREAMS,
    Cup,
    Service,
    new_cup,
    people,
    serving,
)


class Sent(NamedTuple):
    """A call that was accepted: whose it was, what was asked and answered; and another content under its id."""

    method: str
    scope: Scope
    subject: str
    request: Any
    answer: Any
    other: Any = None

    def again(self, service: Service, request: Any = None) -> Any:
        """The same call, or another under its id."""
        token = service.token(self.scope, self.subject, "" if self.scope is Scope.ORGANISER else _id(self.request))
        return getattr(service.stub(token), self.method)(request or self.request)


def _id(request: Any) -> str:
    return str(request.tournament_id)


class Story:
    """A tournament in which every call that changes something is made, and kept."""

    def __init__(self, service: Service, cup: Cup) -> None:
        self.service, self.cup = service, cup
        self.sent: list[Sent] = []

    async def send(self, method: str, request: Any, other: Any = None, scope: Scope = Scope.ORGANISER) -> Any:
        """One call."""
        subject = {Scope.ORGANISER: ORGANISER, Scope.ARBITER: ARBITER, Scope.WORKER: "worker"}[scope]
        sent = Sent(method, scope, subject, request, None, other)
        answer = await sent.again(self.service)
        self.sent.append(sent._replace(answer=answer))
        return answer

    async def tell(self, method: str, **content: Any) -> Any:
        """A command of the organiser's, and what would be another under the same id."""
        ids = self.cup.ids
        kind = getattr(api, f"{method}Request")
        other = {name: value for name, value in content.items() if name.startswith("other_")}
        own = {name: value for name, value in content.items() if name not in other}
        changed = own | {name.removeprefix("other_"): value for name, value in other.items()}
        return await self.send(method, kind(**ids, **own), kind(**ids, **changed) if other else None)

    async def work(self, method: str, request: Any, other: Any = None) -> None:
        """A call of a worker's."""
        await self.send(method, request, other, Scope.WORKER)


async def told(service: Service) -> Story:
    """All of it, from the creation to the end."""
    wanted = plan(rounds=2, late_until=2)
    made = api.CreateTournamentRequest(
        plan=messages.plan_message(wanted), tournament_id=new_match_id(service.clock.now)
    )
    other = api.CreateTournamentRequest(plan=messages.plan_message(plan()), tournament_id=made.tournament_id)
    story = Story(service, Cup(service, made.tournament_id))
    await story.send("CreateTournament", made, other)
    await story.tell("RegisterEntrants", entrants=people(5), other_entrants=people(4))
    await story.tell("CheckIn", number=0, other_number=1)
    await story.tell("Withdraw", number=4, other_number=3)
    await story.tell("Return", number=4, other_number=3)
    some, none = pb.PairsLaidDown(forbidden=[pb.Pair(one=0, other=1)]), pb.PairsLaidDown()
    await story.tell("LayDownPairs", pairs=some, other_pairs=none)
    await story.tell("StartTournament")
    await _a_round(story)
    await story.tell("RegisterEntrants", entrants=people(1, 9), other_entrants=people(1, 8))
    await story.tell("PauseTournament")
    ruling = pb.Ruling(double_loss=pb.DoubleLoss(round=1, table=0))
    await story.tell("MakeRuling", ruling=ruling, reason="Both.", other_reason="Neither.")
    await story.tell("UndoRuling", number=1, reason="Neither.", other_reason="Both.")
    await story.tell("ResumeTournament")
    await _a_round(story)
    await story.work("SubmitRound", api.SubmitRoundRequest(tournament_id=story.cup.id, round=3))
    return story


async def _a_round(story: Story) -> None:
    cup = story.cup
    draw = await cup.round_request()
    other = api.SubmitRoundRequest.FromString(draw.SerializeToString())
    other.draw.certificate.method = "guessed"
    await story.work("SubmitRound", draw, other)
    await story.work("ReportMatches", await cup.matches_request())
    for table in range(len((await cup.state()).rounds[-1].boards)):
        result = await cup.result_request(table)
        changed = api.RecordResultRequest.FromString(result.SerializeToString())
        changed.result.places.reverse()
        await story.work("RecordResult", result, changed)


@pytest.fixture(params=["memory", "redis"])
async def services(
    request: pytest.FixtureRequest, open_redis_log: Callable[[], RedisLog]
) -> AsyncIterator[tuple[Service, Service]]:
    """One on which all is done, and another process on the same logs."""
    memory = MemoryLog()
    logs = [open_redis_log() if request.param == "redis" else memory for _ in range(2)]
    async with serving(logs[0]) as one, serving(logs[1], one.clock) as other:
        yield one, other


async def test_a_repeated_call_gets_its_first_answer(services: tuple[Service, Service]) -> None:
    """Each of them, after the end, here and on a process that has never seen the tournament; nothing is written."""
    story = await told(services[0])
    before = await story.cup.records()
    for sent in story.sent:
        for service in services:
            assert await sent.again(service) == sent.answer, sent.method
    assert await story.cup.records() == before


async def test_an_id_that_was_used_is_of_that_call_alone(services: tuple[Service, Service]) -> None:
    """Another content under the same id is refused, whatever else may be wrong with it."""
    story = await told(services[0])
    before = await story.cup.records()
    others = [sent for sent in story.sent if sent.other is not None]
    assert len({sent.method for sent in others}) == 10
    for sent in others:
        if sent.method not in ("CreateTournament", "SubmitRound", "RecordResult"):
            sent.other.command_id = sent.request.command_id
        for service in services:
            refused = await refusal(sent.again(service, sent.other))
            assert (refused.code, refused.reason) == (grpc.StatusCode.ALREADY_EXISTS, "COMMAND_ID_REUSED")
    assert await story.cup.records() == before


async def test_every_call_that_changes_something_is_repeated(memory_service: Service) -> None:
    """But for the organiser's early end, which has a test of its own, and imports, which have theirs."""
    story = await told(memory_service)
    looking = {method for method in METHODS if method.startswith(("Get", "List", "Explain", "Issue"))}
    rest = {"FinishTournament", "ImportTournament", *looking, *STREAMS}
    assert {sent.method for sent in story.sent} == set(METHODS) - rest


async def test_an_early_end_is_repeated_too(services: tuple[Service, Service]) -> None:
    """And is not another's."""
    cup = await new_cup(services[0], entrants=4)
    await cup.start()
    await cup.play()
    request = api.FinishTournamentRequest(**cup.ids)
    first = await services[0].organiser.FinishTournament(request)
    for service in services:
        assert await service.organiser.FinishTournament(request) == first
        other = api.FinishTournamentRequest(tournament_id=cup.id, command_id="another")
        assert (await refusal(service.organiser.FinishTournament(other))).reason == "TOURNAMENT_OVER"


async def test_an_id_is_of_one_person(memory_service: Service) -> None:
    """Nobody can use up another's, though all of them count from one; an arbiter may be called like a player."""
    cup = await new_cup(memory_service, entrants=3)
    withdraw = api.WithdrawRequest(tournament_id=cup.id, command_id="1", number=0)
    back = api.ReturnRequest(tournament_id=cup.id, command_id="1", number=0)
    await memory_service.player("player-0").Withdraw(withdraw)
    namesake = memory_service.stub(memory_service.token(Scope.ARBITER, "player-0", cup.id))
    await namesake.Return(back)
    withdraw.number = 1
    await memory_service.player("player-1").Withdraw(withdraw)
    assert (await cup.state()).version == 7


async def test_a_call_that_is_sent_many_times_at_once_is_done_once(services: tuple[Service, Service]) -> None:
    """All get the same answer, on whichever process."""
    cup = await new_cup(services[0], entrants=4)
    start = api.StartTournamentRequest(**cup.ids)
    await _all_the_same(services, lambda service: service.organiser.StartTournament(start))
    draw = await cup.round_request()
    await _all_the_same(services, lambda service: service.worker(cup.id).SubmitRound(draw))
    result = await cup.result_request(0)
    await _all_the_same(services, lambda service: service.worker(cup.id).RecordResult(result))
    state = await cup.state()
    assert (len(state.rounds), state.results, state.version) == (1, 1, 8)


async def _all_the_same(services: tuple[Service, Service], call: Callable[[Service], Awaitable[Any]]) -> None:
    answers = await asyncio.gather(*[call(service) for _ in range(8) for service in services])
    assert len({answer.SerializeToString() for answer in answers}) == 1


async def test_a_refusal_uses_nothing_up(memory_service: Service) -> None:
    """The same id is accepted when the command can be."""
    cup = await new_cup(memory_service, entrants=1)
    start = api.StartTournamentRequest(tournament_id=cup.id, command_id="start")
    assert (await refusal(memory_service.organiser.StartTournament(start))).reason == "TOO_FEW_ENTRANTS"
    await cup.register(1)
    await memory_service.organiser.StartTournament(start)
    assert (await cup.state()).order == (0, 1)


async def test_two_different_results_of_one_match_are_not_both_recorded(memory_service: Service) -> None:
    """The first one counts."""
    cup = await new_cup(memory_service, entrants=2)
    await cup.start()
    await cup.pair()
    await cup.record(0, ([1], [0]))
    request = await cup.result_request(0, ([0], [1]))
    assert (await refusal(cup.worker.RecordResult(request))).reason == "COMMAND_ID_REUSED"
    board = (await cup.state()).rounds[0].boards[0]
    assert board.recorded is not None
    assert messages.places_message(board.recorded.places) == ahead([1], [0])
