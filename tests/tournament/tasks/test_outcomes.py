"""How tasks of tournaments end: each end is counted, what is not done is said and still waits, nothing is swallowed."""

import asyncio
import base64
from typing import Any

import grpc
import pytest
import redis
from prometheus_client import generate_latest
from structlog.testing import capture_logs

from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import results, rounds
from services.tournament.model import Draw
from services.tournament.state import Tournament
from services.workers import calls, tasks, tournaments
from services.workers.calls import CallFailed, NotAccepted, ServiceUnavailable
from shared.match.model import Status
from shared.metrics import REGISTRY
from tests.host.counting import Counted
from tests.host.service import refusal
from tests.tournament.tasks.platform import Away, Broken, Platform


async def test_a_tournament_goes_to_its_end_by_its_tasks_and_each_is_counted(here: Platform) -> None:
    """Two rounds that are looked for, of which the second is the end; one match, one result."""
    done, work = Counted("meydan_tasks_total"), Counted("meydan_work_total")
    cup = await here.cup()
    assert (await here.play_all(cup)).status is Status.FINISHED
    turns = done.changes().pop("play_turn done")
    assert turns > 0
    assert done.changes() == {
        "pair_round done": 2.0,
        "start_matches done": 1.0,
        "play_turn done": turns,
        "match_ended done": 1.0,
        "record_result done": 1.0,
    }
    assert work.changes() == {
        "pair_round sent": 2.0,
        "start_matches sent": 1.0,
        "agent_turn sent": turns,
        "match_ended sent": 1.0,
    }


async def test_a_task_that_comes_twice_is_counted_as_repeated_and_changes_nothing(here: Platform) -> None:
    """The round is paired and its match is there: whoever comes again finds nothing to do."""
    cup = await here.cup()
    await here.start(cup)
    records = await cup.records()
    again = Counted("meydan_tasks_total")
    for name, arguments in tuple(here.sent):
        here.sent.append((name, arguments))
        await here.work()
    assert again.changes() == {"pair_round repeated": 1.0, "start_matches repeated": 1.0}
    assert await cup.records() == records


async def test_rounds_and_standings_are_timed(here: Platform) -> None:
    """By the system of the tournament: once by the worker, once by the service; the end needs no check."""
    timed = Counted("meydan_pairing_seconds_count", "meydan_checking_seconds_count", "meydan_standings_seconds_count")
    cup = await here.cup()
    await here.play_all(cup)
    assert timed.changes() == {"meydan_pairing_seconds_count swiss": 2.0, "meydan_checking_seconds_count swiss": 1.0}
    for _ in range(2):
        await cup.standings()
    assert timed.changes()["meydan_standings_seconds_count"] == 1.0


def break_call(monkeypatch: pytest.MonkeyPatch, method: str, error: grpc.RpcError) -> None:
    """Until the monkeypatch is undone, one call of the services fails."""
    matches, cups = calls.service("domino"), calls.tournaments()
    monkeypatch.setattr(calls, "service", lambda _: Broken(matches, method, error))
    monkeypatch.setattr(calls, "tournaments", lambda: Broken(cups, method, error))


CODES = {
    grpc.StatusCode.UNAVAILABLE: (ServiceUnavailable, "task_put_off", "put_off"),
    grpc.StatusCode.PERMISSION_DENIED: (CallFailed, "task_failed", "failed"),
}


@pytest.mark.parametrize("code", CODES, ids=lambda code: str(code.name))
@pytest.mark.parametrize(
    ("method", "counted"),
    [
        ("GetHistory", ("pair_round",)),
        ("SubmitRound", ("pair_round",)),
        ("CreateMatch", ("start_matches",)),
        ("ReportMatches", ("start_matches",)),
        ("GetAgentTurn", ("play_turn",)),
        ("SubmitCommand", ("play_turn",)),
        ("RecordResult", ("record_result", "match_ended")),
    ],
)
async def test_a_call_that_fails_is_counted_said_and_tried_again(
    here: Platform, method: str, counted: tuple[str, ...], code: grpc.StatusCode
) -> None:
    """Whatever the call: the work waits where it was, and once the service is well it goes on to the end."""
    raised, event, result = CODES[code]
    cup = await here.cup()
    with pytest.MonkeyPatch.context() as monkeypatch:
        break_call(monkeypatch, method, Away(code))
        ends = Counted("meydan_tasks_total")
        with capture_logs() as said, pytest.raises(raised):
            await here.play_all(cup)
    assert {name: count for name, count in ends.changes().items() if not name.endswith("done")} == dict.fromkeys(
        [f"{task} {result}" for task in counted], 1.0
    )
    assert [line["task"] for line in said if line["event"] == event] == list(counted)
    assert here.done == []
    await here.work()
    assert {name.rpartition(" ")[2] for name in await to_the_end(here, cup)} <= {"done", "repeated"}


async def to_the_end(here: Platform, cup: Any) -> dict[str, float]:
    """Goes on from wherever it is; answers how tasks ended meanwhile."""
    ends = Counted("meydan_tasks_total")
    while (state := await cup.state()).status is not Status.FINISHED:
        for board in state.rounds[-1].boards.values() if state.rounds else ():
            if board.match_id and board.outcome is None:
                await here.play(board.match_id)
                await here.go(board.match_id)
        await here.go(cup.id)
    return ends.changes()


async def test_an_unsound_round_is_refused_counted_and_said(here: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not in the log; the work still waits, and the right round is taken."""

    def unsound(tournament: Tournament) -> Draw:
        draw = propose(tournament)
        assert draw is not None
        return draw._replace(tables=draw.tables[1:])

    propose = rounds.propose
    cup = await here.cup(computers=4)
    await cup.start()
    monkeypatch.setattr(rounds, "propose", unsound)
    ends = Counted("meydan_tasks_total")
    with capture_logs() as said, pytest.raises(NotAccepted, match="UNSOUND_ROUND"):
        await here.go(cup.id)
    assert ends.changes() == {"pair_round refused": 1.0}
    assert [line["task"] for line in said if line["event"] == "task_refused"] == ["pair_round"]
    assert (await cup.state()).rounds == ()
    monkeypatch.setattr(rounds, "propose", propose)
    await here.work()
    assert len((await cup.state()).rounds) == 1


async def test_a_round_that_was_paired_while_somebody_left_is_paired_again(
    here: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is nobody's mistake: it is put off, and not refused."""
    loop = asyncio.get_running_loop()

    async def leave() -> None:
        await here.cups.organiser.Withdraw(api.WithdrawRequest(**cup.ids, number=3))

    def too_early(tournament: Tournament) -> Draw | None:
        draw = propose(tournament)
        asyncio.run_coroutine_threadsafe(leave(), loop).result()
        return draw

    propose = rounds.propose
    cup = await here.cup(computers=4)
    await cup.start()
    monkeypatch.setattr(rounds, "propose", too_early)
    ends = Counted("meydan_tasks_total")
    with pytest.raises(ServiceUnavailable, match="moved on"):
        await here.go(cup.id)
    monkeypatch.setattr(rounds, "propose", propose)
    await here.work()
    assert ends.changes() == {"pair_round put_off": 1.0, "pair_round done": 1.0}
    [pairing] = (await cup.state()).rounds
    assert sorted([*pairing.byes, *pairing.boards[0].seats]) == [0, 1, 2]


async def test_a_result_that_cannot_be_is_refused_and_stays_in_the_outbox(
    here: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the round would never end, and nobody would know why."""

    def impossible(*given: Any) -> Any:
        result = result_of(*given)
        result.no_shows.append(7)
        return result

    result_of = results.result_of
    cup = await here.cup()
    [match_id] = await here.start(cup)
    await here.play(match_id)
    monkeypatch.setattr(results, "result_of", impossible)
    ends = Counted("meydan_tasks_total")
    with capture_logs() as said, pytest.raises(NotAccepted, match="BAD_SEATS"):
        await here.go(match_id)
    assert ends.changes() == {"record_result refused": 1.0, "match_ended refused": 1.0}
    assert [line["task"] for line in said if line["event"] == "task_refused"] == ["record_result", "match_ended"]
    assert here.done == []
    monkeypatch.setattr(results, "result_of", result_of)
    await here.work()
    assert here.done == [match_id]


async def test_another_result_of_the_same_match_is_refused_and_not_taken_for_a_repetition(
    here: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same one is a repetition."""

    def another(*given: Any) -> Any:
        result = result_of(*given)
        result.version += 1
        return result

    result_of = results.result_of
    cup = await here.cup(rounds=2)
    [match_id] = await here.start(cup)
    await here.play(match_id)
    await here.go(match_id)
    records = await cup.records()
    await here.work()
    assert here.done == [match_id] * 2
    monkeypatch.setattr(results, "result_of", another)
    with pytest.raises(NotAccepted, match="COMMAND_ID_REUSED"):
        await here.work()
    assert (here.done, await cup.records()) == ([match_id] * 2, records)


async def test_a_result_that_an_arbiter_has_made_superfluous_is_no_failure(here: Platform) -> None:
    """The tournament was over before the match was; its work is done."""
    cup = await here.cup()
    [match_id] = await here.start(cup)
    await cup.rule(double_loss={"round": 1, "table": 0})
    await here.go(cup.id)
    assert (await cup.state()).status is Status.FINISHED
    await here.play(match_id)
    ends = Counted("meydan_tasks_total")
    await here.go(match_id)
    assert ends.changes() == {"record_result repeated": 1.0, "match_ended done": 1.0}
    assert here.done == [match_id]


async def test_a_task_that_breaks_is_counted_and_said_without_its_words(
    here: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error goes on to Celery, and the work waits."""

    def broken(_: Tournament) -> None:
        raise RuntimeError("a telling word")

    cup = await here.cup()
    await cup.start()
    monkeypatch.setattr(rounds, "propose", broken)
    ends = Counted("meydan_tasks_total")
    with capture_logs() as said, pytest.raises(RuntimeError):
        await here.go(cup.id)
    assert ends.changes() == {"pair_round failed": 1.0}
    [line] = [line for line in said if line["event"] == "task_failed"]
    assert (line["task"], line["error"]) == ("pair_round", "RuntimeError")
    assert "telling" not in str(said)
    assert [entry.kind for entry in here.waiting(cup.id)] == ["pair_round"]


@pytest.mark.parametrize(
    ("task", "arguments"),
    [
        (tournaments.pair_round, ()),
        (tournaments.start_matches, ()),
        (tasks.play_turn, ("domino",)),
        (tasks.match_ended, ("domino", "outbox", "1-0")),
    ],
)
def test_a_task_whose_work_cannot_be_read_is_counted_as_failed(task: Any, arguments: tuple[str, ...]) -> None:
    """Also that happens in the background, where nobody looks."""
    ends = Counted("meydan_tasks_total")
    with pytest.raises(Exception, match="parsing"):
        task(*arguments, base64.b64encode(b"\xff").decode())
    assert ends.changes() == {f"{task.__name__} failed": 1.0}


async def test_a_log_that_is_away_when_a_match_is_done_puts_its_end_off(here: Platform) -> None:
    """The result is in the tournament; the second time it is known."""

    def away(*_: Any) -> None:
        raise redis.ConnectionError

    cup = await here.cup()
    [match_id] = await here.start(cup)
    await here.play(match_id)
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(tasks, "mark_done", away)
        ends = Counted("meydan_tasks_total")
        with pytest.raises(redis.ConnectionError):
            await here.go(match_id)
    assert ends.changes() == {"record_result done": 1.0, "match_ended put_off": 1.0}
    await here.work()
    assert here.done == [match_id]


async def test_commands_to_a_tournament_count_like_those_to_a_match(here: Platform) -> None:
    """Accepted, repeated, or refused by the code; what only looks is no command."""
    commands, refused = Counted("meydan_commands_total"), Counted("meydan_calls_refused_total")
    cup = await here.cup()
    request = api.StartTournamentRequest(**cup.ids)
    for _ in range(2):
        await here.cups.organiser.StartTournament(request)
    await refusal(here.cups.organiser.StartTournament(api.StartTournamentRequest(**cup.ids)))
    await refusal(here.cups.public.GetRound(api.GetRoundRequest(tournament_id=cup.id, round=9)))
    assert commands.changes() == {
        "tournament accepted": 3.0,
        "tournament repeated": 1.0,
        "tournament failed_precondition": 1.0,
    }
    assert refused.changes() == {
        "tournament StartTournament failed_precondition": 1.0,
        "tournament GetRound invalid_argument": 1.0,
    }


async def test_no_page_of_metrics_tells_of_a_tournament_or_an_entrant(here: Platform) -> None:
    """Labels are words of the code."""
    cup = await here.cup()
    await here.play_all(cup)
    await cup.standings()
    matches = await here.matches_of(cup)
    page = generate_latest(REGISTRY).decode()
    assert "meydan_pairing_seconds" in page
    assert [one for one in (cup.id, *matches, "Telling", "cup", "organiser") if one in page] == []
