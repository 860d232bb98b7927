"""What can't be is refused: with a code, a reason, a sentence that says what would be right, and nothing is written."""

from collections.abc import Callable
from typing import Any, NamedTuple

import grpc
import pytest

from meydan.domino.v1 import domino_pb2
from meydan.kingdomino.v1 import kingdomino_pb2
from meydan.match.v1 import envelope_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from shared.eventlog.memory import MemoryLog
from tests.host.service import UNKNOWN_MATCH, packed, refusal
from tests.tournament.core.recording import ahead
from tests.tournament.service.serving import METHODS, Cup, Service, new_cup, people, playing, serving

INVALID, BROKEN = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION
TOO_MUCH, UNKNOWN = grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.NOT_FOUND
SWISS: dict[str, Any] = {"name": "cup", "system": pb.SYSTEM_SWISS, "game": "domino", "seats": 2, "rounds": 3}
BRACKET: dict[str, Any] = {"name": "cup", "system": pb.SYSTEM_SINGLE_ELIMINATION, "game": "domino", "seats": 2}
ARENA: dict[str, Any] = {"name": "cup", "system": pb.SYSTEM_ARENA, "game": "domino", "seats": 2, "arena_seconds": 60}
HUGE = 2**32 - 1


class Bad(NamedTuple):
    """A plan, and what is said of it: a code, and words of the sentence."""

    plan: dict[str, Any]
    words: str
    code: grpc.StatusCode = INVALID


def duel() -> Any:
    """The variant of Kingdomino for two."""
    return packed(kingdomino_pb2.Options(mighty_duel=True))


PLANS = [
    Bad({}, "A name has 1 to 40"),
    Bad(SWISS | {"name": "n" * 41}, "A name has at most 40", TOO_MUCH),
    Bad(SWISS | {"name": "two\nlines"}, "printable"),
    Bad(SWISS | {"name": " cup"}, "no space around"),
    Bad(SWISS | {"game": "chess"}, "The games are domino, kingdomino"),
    Bad(SWISS | {"game": ""}, "The games are"),
    Bad(SWISS | {"system": pb.SYSTEM_UNSPECIFIED}, "one of the systems"),
    Bad(SWISS | {"system": 77}, "one of the systems"),
    Bad(SWISS | {"seats": 0}, "2 to 4 seats"),
    Bad(SWISS | {"seats": 1}, "2 to 4 seats"),
    Bad(SWISS | {"seats": 5}, "2 to 4 seats"),
    Bad(SWISS | {"seats": HUGE}, "2 to 4 seats"),
    Bad(SWISS | {"game": "kingdomino", "seats": 5}, "2 to 4 seats"),
    Bad(SWISS | {"game": "kingdomino", "seats": 4, "options": duel()}, "Mighty Duel"),
    Bad(SWISS | {"rounds": 0}, "1 to 1000 rounds"),
    Bad(SWISS | {"rounds": 10**6}, "1 to 1000 rounds"),
    Bad(BRACKET | {"rounds": 3}, "leave the rounds at 0"),
    Bad(SWISS | {"system": pb.SYSTEM_DUTCH, "seats": 3}, "for two at a table"),
    Bad(SWISS | {"system": pb.SYSTEM_DOUBLE_ELIMINATION, "seats": 4, "rounds": 0}, "for two at a table"),
    Bad(BRACKET | {"system": pb.SYSTEM_GROUPS, "groups": 1}, "2 to"),
    Bad(BRACKET | {"groups": 2}, "no groups"),
    Bad(BRACKET | {"system": pb.SYSTEM_ROUND_ROBIN, "legs": 10**6}, "1 to 100 times"),
    Bad(SWISS | {"legs": 2}, "Legs are for"),
    Bad(BRACKET | {"seats": 4, "advancing": 4}, "somebody must be out"),
    Bad(SWISS | {"has_third_place": True}, "third place"),
    Bad(ARENA | {"arena_seconds": 0}, "An arena needs a time"),
    Bad(ARENA | {"arena_seconds": HUGE}, "seconds"),
    Bad(SWISS | {"arena_seconds": 60}, "for an arena"),
    Bad(SWISS | {"has_streaks": True}, "for an arena"),
    Bad(SWISS | {"no_show_seconds": HUGE}, "seconds"),
    Bad(SWISS | {"late_until": 4}, "Nobody can come before round 4 of 3"),
    Bad(BRACKET | {"late_until": 1}, "after the start"),
    Bad(SWISS | {"fill_level": "divine", "fill_to": 8}, "The levels are"),
    Bad(SWISS | {"fill_level": "greedy"}, "how many entrants"),
    Bad(SWISS | {"fill_to": 8}, "need both"),
    Bad(SWISS | {"fill_level": "greedy", "fill_to": 10**6}, "entrants"),
    Bad(SWISS | {"fill_level": "greedy", "fill_to": 1}, "2 entrants at least"),
    Bad(SWISS | {"tie_breaks": [pb.TIE_BREAK_UNSPECIFIED]}, "no tie-break"),
    Bad(SWISS | {"tie_breaks": [pb.TIE_BREAK_WINS, pb.TIE_BREAK_WINS]}, "there twice"),
    Bad(SWISS | {"scoring": pb.Scoring()}, "points for 1 to 2 places"),
    Bad(SWISS | {"scoring": pb.Scoring(places=[0, 24])}, "Nobody gets more for a worse place"),
    Bad(SWISS | {"scoring": pb.Scoring(places=[3, 2, 1])}, "points for 1 to 2 places"),
    Bad(SWISS | {"scoring": pb.Scoring(places=[25])}, "can't be shared by 2"),
    Bad(SWISS | {"seats": 3, "scoring": pb.Scoring(places=[24, 24, 1])}, "can't be shared"),
    Bad(SWISS | {"scoring": pb.Scoring(places=[24], bye=25)}, "more for a bye"),
    Bad(SWISS | {"seats": 4, "scoring": pb.Scoring(places=[24], draw=12)}, "two at a table"),
    Bad(SWISS | {"clock": envelope_pb2.Clock()}, "A clock counts"),
    Bad(SWISS | {"options": packed(domino_pb2.Options(hand_size=30))}, "hand"),
    Bad(SWISS | {"options": duel()}, "meydan.domino.v1.Options"),
]


@pytest.mark.parametrize("bad", PLANS, ids=lambda bad: bad.words)
async def test_a_plan_that_can_not_be_played_is_refused(memory_service: Service, bad: Bad) -> None:
    """And nothing is made."""
    request = api.CreateTournamentRequest(plan=pb.Plan(**bad.plan))
    refused = await refusal(memory_service.organiser.CreateTournament(request))
    assert refused.code is bad.code, refused
    assert bad.words in refused.message, refused
    assert refused.reason
    assert not await memory_service.log.list_ids(None, "", 10)


@pytest.mark.parametrize("good", [SWISS, BRACKET, ARENA], ids=lambda good: str(good["system"]))
async def test_what_those_plans_are_made_of_can_be_played(memory_service: Service, good: dict[str, Any]) -> None:
    """So that it is the one thing that is wrong."""
    await memory_service.organiser.CreateTournament(api.CreateTournamentRequest(plan=pb.Plan(**good)))


@pytest.mark.parametrize(
    "tournament_id", ["x", "0" * 25, "0" * 27, "8" + "0" * 25, "I" * 26, "Ω" * 26, "0" * 25 + "\0"]
)
async def test_an_id_that_is_none_is_refused(memory_service: Service, tournament_id: str) -> None:
    """At the creation; everywhere else there is no such tournament."""
    request = api.CreateTournamentRequest(plan=pb.Plan(**SWISS), tournament_id=tournament_id)
    refused = await refusal(memory_service.organiser.CreateTournament(request))
    assert (refused.code, refused.fields) == (INVALID, ("tournament_id",))
    ask = memory_service.public.GetTournament(api.GetTournamentRequest(tournament_id=tournament_id))
    refused = await refusal(ask)
    assert (refused.code, refused.reason) == (UNKNOWN, "UNKNOWN_TOURNAMENT")


@pytest.mark.parametrize("tournament_id", ["", UNKNOWN_MATCH])
async def test_no_call_knows_a_tournament_that_is_not_there(memory_service: Service, tournament_id: str) -> None:
    """Each of them says so, streams too."""
    for method in METHODS:
        kind: Any = getattr(api, f"{method}Request")
        if "tournament_id" not in kind.DESCRIPTOR.fields_by_name or method == "CreateTournament":
            continue
        request = kind(tournament_id=tournament_id)
        if method == "RegisterEntrants":
            request.entrants.add(name="x")
        if not tournament_id and method in ("SubmitRound", "ReportMatches", "RecordResult"):
            # There are no tokens for the work of none.
            continue
        call = getattr(_caller(memory_service, method, tournament_id), method)(request)
        refused = await refusal(call.read() if hasattr(call, "read") else call)
        assert (refused.code, refused.reason) == (UNKNOWN, "UNKNOWN_TOURNAMENT"), method


def _caller(service: Service, method: str, tournament_id: str) -> Any:
    is_work = method in ("SubmitRound", "ReportMatches", "RecordResult")
    return service.worker(tournament_id) if is_work else service.organiser


class Call(NamedTuple):
    """A call, what is wrong with it, and how it is refused."""

    method: str
    content: Callable[[Cup], dict[str, Any]]
    code: grpc.StatusCode
    reason: str


def given(**content: Any) -> Callable[[Cup], dict[str, Any]]:
    return lambda _: content


def ruling(**kind: Any) -> Callable[[Cup], dict[str, Any]]:
    """By a number where it has to be one."""
    return given(ruling=pb.Ruling(**kind), reason="It was seen.")


LOSS = pb.Ruling(double_loss=pb.DoubleLoss(round=1, table=0))
CALLS = [
    Call("RegisterEntrants", given(entrants=[]), INVALID, "MALFORMED"),
    Call("RegisterEntrants", given(entrants=people(2_001, 10)), TOO_MUCH, "TOO_MUCH"),
    Call("RegisterEntrants", given(entrants=[pb.Entrant(player_id="x")] * 10**6), TOO_MUCH, "TOO_MUCH"),
    Call("RegisterEntrants", given(entrants=[pb.Entrant(name="n" * 41, player_id="x")]), TOO_MUCH, "TOO_MUCH"),
    Call("RegisterEntrants", given(entrants=[pb.Entrant(name="", player_id="x")]), INVALID, "MALFORMED"),
    Call("RegisterEntrants", given(entrants=[pb.Entrant(name="n")]), INVALID, "MALFORMED"),
    Call("RegisterEntrants", given(entrants=[pb.Entrant(name="n", player_id="x" * 65)]), INVALID, "MALFORMED"),
    Call("RegisterEntrants", given(entrants=[pb.Entrant(name="n", player_id="Ω")]), INVALID, "MALFORMED"),
    Call("RegisterEntrants", given(entrants=[pb.Entrant(name="n", ai_level="divine")]), INVALID, "MALFORMED"),
    Call(
        "RegisterEntrants",
        given(entrants=[pb.Entrant(name="n", player_id="x", ai_level="greedy")]),
        INVALID,
        "MALFORMED",
    ),
    Call("RegisterEntrants", given(entrants=[pb.Entrant(name="n", player_id="x", rating=HUGE)]), INVALID, "MALFORMED"),
    Call(
        "RegisterEntrants",
        given(entrants=[pb.Entrant(name="n", player_id="x", entropy=bytes(33))]),
        TOO_MUCH,
        "TOO_MUCH",
    ),
    Call("RegisterEntrants", given(entrants=people(1, 50)), BROKEN, "REGISTRATION_CLOSED"),
    Call("CheckIn", given(number=HUGE), BROKEN, "NO_ENTRANT"),
    Call("CheckIn", given(number=0), BROKEN, "ALREADY_STARTED"),
    Call("Withdraw", given(number=HUGE), BROKEN, "NO_ENTRANT"),
    Call("Return", given(number=0), BROKEN, "NOT_WITHDRAWN"),
    Call("StartTournament", given(), BROKEN, "ALREADY_STARTED"),
    Call("StartTournament", given(command_id=""), INVALID, "MALFORMED"),
    Call("StartTournament", given(command_id="two words"), INVALID, "MALFORMED"),
    Call("StartTournament", given(command_id="x" * 65), INVALID, "MALFORMED"),
    Call("LayDownPairs", given(pairs=pb.PairsLaidDown(forbidden=[pb.Pair(one=1, other=HUGE)])), BROKEN, "BAD_PAIR"),
    Call("LayDownPairs", given(pairs=pb.PairsLaidDown(forced=[pb.Pair(one=1, other=1)])), BROKEN, "BAD_PAIR"),
    Call("LayDownPairs", given(pairs=pb.PairsLaidDown(forced=[pb.Pair()] * 2_001)), TOO_MUCH, "TOO_MUCH"),
    Call("MakeRuling", given(ruling=LOSS), INVALID, "MALFORMED"),
    Call("MakeRuling", given(ruling=LOSS, reason="x" * 501), INVALID, "MALFORMED"),
    Call("MakeRuling", given(ruling=LOSS, reason="a\nb"), INVALID, "MALFORMED"),
    Call("MakeRuling", given(reason="None."), BROKEN, "NO_RULING"),
    Call("MakeRuling", ruling(annulment=pb.Annulment(round=HUGE)), BROKEN, "NO_ROUND"),
    Call("MakeRuling", ruling(annulment=pb.Annulment(round=1, table=HUGE)), BROKEN, "NO_TABLE"),
    Call("MakeRuling", ruling(forfeit=pb.Forfeit(round=1, seats=[HUGE])), BROKEN, "BAD_SEATS"),
    Call("MakeRuling", ruling(override=pb.Override(round=1, places=ahead([HUGE]))), BROKEN, "BAD_PLACES"),
    Call("MakeRuling", ruling(swap=pb.Swap(one=0, other=HUGE)), BROKEN, "BAD_SWAP"),
    Call("UndoRuling", given(number=1), INVALID, "MALFORMED"),
    Call("UndoRuling", given(number=HUGE, reason="None."), BROKEN, "NO_RULING"),
    Call("ResumeTournament", given(), BROKEN, "NOT_PAUSED"),
    Call("FinishTournament", given(), BROKEN, "TABLES_ARE_OPEN"),
    Call("IssueArbiterToken", given(arbiter_id=""), INVALID, "MALFORMED"),
    Call("IssueArbiterToken", given(arbiter_id="x" * 65), INVALID, "MALFORMED"),
    Call("IssueArbiterToken", given(arbiter_id="Ω"), INVALID, "MALFORMED"),
    Call("ListTournaments", given(page_token="x"), INVALID, "MALFORMED"),
    Call("ListTournaments", given(status=99), INVALID, "MALFORMED"),
    Call("GetRound", given(round=0), INVALID, "MALFORMED"),
    Call("GetRound", given(round=2), INVALID, "MALFORMED"),
    Call("GetStandings", given(version=0), INVALID, "MALFORMED"),
    Call("GetStandings", given(version=2**64 - 1), INVALID, "MALFORMED"),
    Call("ExplainPairing", given(round=2), INVALID, "MALFORMED"),
    Call("ExplainPairing", given(round=1, number=HUGE), INVALID, "MALFORMED"),
    Call("SubmitRound", given(round=1), BROKEN, "NOT_OVER"),
    Call("SubmitRound", given(round=2, draw=pb.Draw()), BROKEN, "ROUND_IS_OPEN"),
    Call("SubmitRound", given(round=1, draw=pb.Draw()), grpc.StatusCode.ALREADY_EXISTS, "COMMAND_ID_REUSED"),
    Call("ReportMatches", given(started=pb.MatchesStarted(round=2)), BROKEN, "NO_ROUND"),
    Call("ReportMatches", given(started=pb.MatchesStarted(round=1)), BROKEN, "NOTHING_TO_START"),
    Call(
        "ReportMatches",
        given(started=pb.MatchesStarted(round=1, matches=[pb.StartedMatch(match_id="x" * 300)])),
        INVALID,
        "MALFORMED",
    ),
    Call("RecordResult", given(result=pb.MatchResult(match_id="x")), INVALID, "MALFORMED"),
    Call("RecordResult", given(result=pb.MatchResult(match_id=UNKNOWN_MATCH)), BROKEN, "NOT_OF_THIS_TOURNAMENT"),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.method} is {call.reason}")
async def test_a_bad_call_is_refused(call: Call) -> None:
    """While a round is played; the log stays as it is."""
    async with serving(MemoryLog()) as service:
        cup = await playing(service)
        before = await cup.records()
        refused = await refusal(_made(cup, call))
        assert (refused.code, refused.reason) == (call.code, call.reason), refused
        assert refused.message[:1].isupper()
        assert refused.message.endswith(".")
        assert refused.rules == ((call.reason,) if call.code is BROKEN else ())
        assert await cup.records() == before


def _made(cup: Cup, call: Call) -> Any:
    kind: Any = getattr(api, f"{call.method}Request")
    known = {name: value for name, value in cup.ids.items() if name in kind.DESCRIPTOR.fields_by_name}
    request = kind(**known | call.content(cup))
    is_work = call.method in ("SubmitRound", "ReportMatches", "RecordResult")
    caller: Any = cup.worker if is_work else cup.service.organiser
    return getattr(caller, call.method)(request)


async def test_a_result_of_a_match_of_another_tournament_is_refused(memory_service: Service) -> None:
    """Though that tournament has the same tables."""
    here, there = await playing(memory_service), await playing(memory_service)
    result = (await there.result_request(0)).result
    request = api.RecordResultRequest(tournament_id=here.id, result=result)
    refused = await refusal(here.worker.RecordResult(request))
    assert (refused.code, refused.reason) == (BROKEN, "NOT_OF_THIS_TOURNAMENT")
    assert (await here.state()).results == 0


DAMAGES: list[Callable[[pb.Draw], object]] = [
    lambda draw: draw.ClearField("tables"),
    lambda draw: draw.ClearField("certificate"),
    lambda draw: draw.tables[0].seats.append(3),
    lambda draw: draw.tables[0].seats.pop(),
    lambda draw: draw.tables[0].ClearField("seats"),
    lambda draw: draw.tables[0].seats.__setitem__(0, HUGE),
    lambda draw: draw.byes.append(HUGE),
    lambda draw: draw.byes.append(0),
    lambda draw: setattr(draw.tables[0], "label", "final"),
    lambda draw: draw.certificate.value.insert(0, 2**63 - 1),
    lambda draw: draw.certificate.value.append(0),
    lambda draw: draw.certificate.bound.insert(0, -(2**63)),
    lambda draw: setattr(draw.certificate, "method", "x" * 100_000),
    lambda draw: draw.certificate.proof.numbers.append(HUGE // 2),
    lambda draw: draw.certificate.proof.potentials.append(7),
    lambda draw: draw.certificate.proof.MergeFrom(pb.Proof(numbers=[77], potentials=[2**62])),
    lambda draw: draw.certificate.proof.odd_sets.add(members=[99], weight=-(2**62)),
    lambda draw: draw.certificate.proof.lines.add(score=2**62, weight=-5),
]
PLANS_OF_ALL_SYSTEMS: list[dict[str, Any]] = [
    SWISS,
    SWISS | {"seats": 3},
    SWISS | {"system": pb.SYSTEM_DUTCH},
    {**BRACKET, "system": pb.SYSTEM_ROUND_ROBIN},
    BRACKET,
    {**BRACKET, "system": pb.SYSTEM_DOUBLE_ELIMINATION},
    {**BRACKET, "system": pb.SYSTEM_GROUPS, "groups": 2},
    ARENA,
]


@pytest.mark.parametrize("wanted", PLANS_OF_ALL_SYSTEMS, ids=lambda wanted: f"{wanted['system']} {wanted['seats']}")
async def test_a_round_that_is_not_sound_is_refused(memory_service: Service, wanted: dict[str, Any]) -> None:
    """Whoever made it: of any system, damaged in any way, with a sentence, and never with an error of ours."""
    request = api.CreateTournamentRequest(plan=pb.Plan(**wanted))
    made = await memory_service.organiser.CreateTournament(request)
    cup = Cup(memory_service, made.tournament_id)
    await cup.register(8)
    await cup.start()
    good = await cup.round_request()
    before = await cup.records()
    for damage in DAMAGES:
        bad = api.SubmitRoundRequest.FromString(good.SerializeToString())
        damage(bad.draw)
        if bad == good:
            continue
        refused = await refusal(cup.worker.SubmitRound(bad))
        wrong = (BROKEN, "UNSOUND_ROUND"), (INVALID, "MALFORMED")
        assert (refused.code, refused.reason) in wrong, (refused, bad.draw)
    assert await cup.records() == before
    await cup.worker.SubmitRound(good)


async def test_one_organiser_has_only_so_many_tournaments() -> None:
    """That are not over; asking again for one that is there is no more."""
    async with serving(MemoryLog(), open_matches=2) as service:
        first = api.CreateTournamentRequest(plan=pb.Plan(**SWISS), tournament_id=UNKNOWN_MATCH)
        answer = await service.organiser.CreateTournament(first)
        cup = await new_cup(service, entrants=2)
        refused = await refusal(new_cup(service))
        assert (refused.code, refused.reason) == (TOO_MUCH, "TOO_MUCH")
        assert await service.organiser.CreateTournament(first) == answer
        await cup.start()
        await cup.play_on()
        await new_cup(service)


async def test_one_connection_has_only_so_many_streams() -> None:
    """And has room again when one of them has ended, or was given up."""
    async with serving(MemoryLog(), connection_streams=2) as service:
        cup = await new_cup(service, entrants=2)
        watch = api.WatchTournamentRequest(tournament_id=cup.id)
        calls = [service.public.WatchTournament(watch) for _ in range(2)]
        for call in calls:
            await call.read()
        refused = await refusal(service.public.WatchTournament(watch).read())
        assert (refused.code, refused.reason) == (TOO_MUCH, "TOO_MUCH")
        await cup.start()
        await cup.play_on()
        for call in calls:
            while await call.read() is not grpc.aio.EOF:
                pass
        for _ in range(5):
            export = service.public.ExportTournament(api.ExportTournamentRequest(tournament_id=cup.id))
            assert [piece async for piece in export]
