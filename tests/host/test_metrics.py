"""What is counted, exactly: each number before and after."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import generate_latest

from meydan.match.v1 import match_service_pb2 as pb
from shared.eventlog.memory import MemoryLog
from shared.eventlog.redis_log import RedisLog
from shared.host.limits import Limits
from shared.host.sweep import Sweep
from shared.match.clocks import TimeControl
from shared.match.model import SeatState, Terms
from shared.metrics import REGISTRY
from tests.host.counting import Counted, samples
from tests.host.service import (
    PATIENCE,
    UNKNOWN_MATCH,
    Service,
    Table,
    join,
    new_match,
    new_table,
    refusal,
    seeded_match,
    serving,
    until,
)


async def test_accepted_and_repeated_commands_are_told_apart(service: Service) -> None:
    """Creating, joining, playing and resigning count once each, however often they are repeated."""
    commands = Counted("meydan_commands_total")
    table = await new_table(service)
    assert commands.changes() == {"domino accepted": 3.0}
    request = await table.next_submission()
    for _ in range(3):
        await table.submit(request)
    assert commands.changes() == {"domino accepted": 4.0, "domino repeated": 2.0}
    await table.resign(0)
    assert commands.changes() == {"domino accepted": 5.0, "domino repeated": 2.0}


async def test_commands_on_a_stream_count_like_calls(memory_service: Service) -> None:
    """Accepted and refused, each once; a follow that is refused is a refused call, but no command."""
    table = await new_table(memory_service)
    good = await table.next_submission()
    commands, refused = Counted("meydan_commands_total"), Counted("meydan_calls_refused_total")
    stream: Any = memory_service.stub.Play(timeout=PATIENCE)
    for action in (
        pb.PlayRequest(submit=good),
        pb.PlayRequest(submit=table.submission(good.seat.seat, good.text, expected_version=1)),
        pb.PlayRequest(follow=pb.FollowMatch(match_id=UNKNOWN_MATCH)),
        pb.PlayRequest(),
    ):
        await stream.write(action)
        await stream.read()
    await stream.done_writing()
    assert commands.changes() == {"domino accepted": 1.0, "domino aborted": 1.0}
    assert refused.changes() == {
        "domino SubmitCommand aborted": 1.0,
        "domino Follow not_found": 1.0,
        "domino Play invalid_argument": 1.0,
    }


def _nobody(request: pb.SubmitCommandRequest) -> None:
    request.seat.token = "nonsense"


def _elsewhere(request: pb.SubmitCommandRequest) -> None:
    request.match_id = UNKNOWN_MATCH


def _another_seat(request: pb.SubmitCommandRequest) -> None:
    request.seat.seat = 1 - request.seat.seat


def _no_sense(request: pb.SubmitCommandRequest) -> None:
    request.text = "nonsense"


def _too_late(request: pb.SubmitCommandRequest) -> None:
    request.expected_version = 1


@pytest.mark.parametrize(
    ("spoil", "result"),
    [
        pytest.param(_nobody, "unauthenticated", id="no token"),
        pytest.param(_elsewhere, "not_found", id="no match"),
        pytest.param(_another_seat, "permission_denied", id="another seat"),
        pytest.param(_no_sense, "invalid_argument", id="no command"),
        pytest.param(_too_late, "aborted", id="stale"),
    ],
)
async def test_a_refused_command_counts_by_its_class(
    memory_service: Service, spoil: Callable[[pb.SubmitCommandRequest], None], result: str
) -> None:
    """Once as a command and once as a call, with the name of its status code."""
    table = await new_table(memory_service)
    request = await table.next_submission()
    spoil(request)
    commands, refused = Counted("meydan_commands_total"), Counted("meydan_calls_refused_total")
    await refusal(memory_service.stub.SubmitCommand(request, timeout=PATIENCE))
    assert commands.changes() == {f"domino {result}": 1.0}
    assert refused.changes() == {f"domino SubmitCommand {result}": 1.0}


async def test_a_broken_rule_counts_without_its_name(table: Table) -> None:
    """Rules are many, and which one it was is nobody's business but the player's."""
    request = await table.next_submission()
    out_of_turn = table.submission(1 - request.seat.seat, request.text)
    commands = Counted("meydan_commands_total")
    await refusal(table.submit(out_of_turn))
    assert commands.changes() == {"domino failed_precondition": 1.0}


async def test_a_command_id_that_is_used_again_counts_as_such(table: Table) -> None:
    """It is neither a repetition nor a broken rule."""
    request = await table.next_submission(lambda texts: texts[0])
    await table.submit(request)
    other = await table.next_submission(lambda texts: texts[-1])
    other.command_id = request.command_id
    other.seat.CopyFrom(request.seat)
    commands = Counted("meydan_commands_total")
    await refusal(table.submit(other))
    assert commands.changes() == {"domino already_exists": 1.0}


async def test_what_only_reads_is_no_command(memory_service: Service) -> None:
    """Refused or not."""
    table = await new_table(memory_service)
    commands, refused = Counted("meydan_commands_total"), Counted("meydan_calls_refused_total")
    await table.view()
    await refusal(Table(memory_service, UNKNOWN_MATCH, ()).view())
    assert commands.changes() == {}
    assert refused.changes() == {"domino GetView not_found": 1.0}


async def test_an_error_that_nobody_foresaw_counts_as_internal(
    memory_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The alert for defects hangs on it."""

    async def broken(*_: object) -> None:
        raise RuntimeError("a defect")

    table = await new_table(memory_service)
    request = await table.next_submission()
    monkeypatch.setattr(memory_service.log, "append", broken)
    refused = Counted("meydan_calls_refused_total")
    await refusal(table.submit(request))
    assert refused.changes() == {"domino SubmitCommand internal": 1.0}


async def test_tokens_count_by_why_they_were_refused(memory_service: Service) -> None:
    """Missing, not valid, and of another match."""
    table, other = await new_table(memory_service), await new_table(memory_service, seed=b"another")
    tokens = Counted("meydan_tokens_refused_total")
    request = await table.next_submission()
    for token in ("nonsense", other.tokens[request.seat.seat]):
        request.seat.token = token
        await refusal(table.submit(request))
    await refusal(memory_service.stub.ListMatches(pb.ListMatchesRequest(), timeout=PATIENCE, metadata=()))
    assert tokens.changes() == {"bad_token": 1.0, "not_your_seat": 1.0, "no_token": 1.0}


async def test_limits_count_by_which_was_hit() -> None:
    """The stream that is one too many, and the watcher."""
    limits = Counted("meydan_limits_hit_total")
    async with serving(MemoryLog(), limits=Limits(streams=1), most_watchers=0) as service:
        table = await new_table(service)
        play: Any = service.stub.Play(timeout=PATIENCE)
        await play.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=table.id)))
        await play.read()
        assert limits.changes() == {"watchers": 1.0}
        await refusal(service.stub.WatchMatch(pb.WatchMatchRequest(match_id=table.id), timeout=PATIENCE).read())
        assert limits.changes() == {"watchers": 1.0, "streams": 1.0}
        await play.done_writing()


async def test_a_match_in_memory_is_a_hit_and_one_that_is_loaded_a_miss(memory_service: Service) -> None:
    """And the number of those in memory is known."""

    def in_memory() -> float:
        return samples("meydan_live_matches")["meydan_live_matches domino"]

    tables = [await new_table(memory_service, seed=bytes([number])) for number in range(3)]
    async with serving(memory_service.log, most_live=2) as other:
        looked = Counted("meydan_live_match_lookups_total")
        await tables[0].on(other).view()
        assert looked.changes() == {"domino miss": 1.0}
        assert in_memory() == 1.0
        await tables[0].on(other).view()
        await tables[0].on(other).view()
        assert looked.changes() == {"domino miss": 1.0, "domino hit": 2.0}
        for table in tables:
            await table.on(other).view()
        assert looked.changes() == {"domino miss": 3.0, "domino hit": 3.0}
        assert in_memory() == 2.0
        other.host.live.forget(tables[2].id)
        assert in_memory() == 1.0


async def test_watchers_and_streams_come_and_go(service: Service) -> None:
    """One watcher for each match that a stream follows; when the streams have ended, all are gone."""
    tables = [await new_table(service, seed=bytes([number])) for number in range(3)]
    watching = Counted("meydan_watchers", "meydan_open_streams")
    watch: Any = service.stub.WatchMatch(pb.WatchMatchRequest(match_id=tables[0].id), timeout=PATIENCE)
    await watch.read()
    play: Any = service.stub.Play(timeout=PATIENCE)
    for table in tables:
        await play.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=table.id)))
        await play.read()
    streams = {"meydan_open_streams domino WatchMatch": 1.0, "meydan_open_streams domino Play": 1.0}
    assert watching.changes() == {"meydan_watchers domino": 4.0, **streams}
    await play.write(pb.PlayRequest(unfollow=pb.UnfollowMatch(match_id=tables[1].id)))
    await until(lambda: watching.changes() == {"meydan_watchers domino": 3.0, **streams})
    watch.cancel()
    play.cancel()
    await until(lambda: watching.changes() == {})


async def test_a_follow_that_is_refused_leaves_no_watcher(memory_service: Service) -> None:
    """Whether the match is not there, or must not be seen."""
    table = await new_table(memory_service)
    watching = Counted("meydan_watchers")
    everything = pb.Viewer(everything=pb.Everything())
    for match_id in (UNKNOWN_MATCH, table.id):
        request = pb.WatchMatchRequest(match_id=match_id, viewer=everything)
        await refusal(memory_service.stub.WatchMatch(request, timeout=PATIENCE).read())
    assert watching.changes() == {}


async def test_every_append_is_in_a_group_and_every_group_is_timed(open_redis_log: Callable[[], RedisLog]) -> None:
    """The sizes of the groups add up to the appends; there are as many times as groups; reads and beats are neither."""
    async with serving(open_redis_log()) as service:
        names = ("meydan_append_group_size_sum", "meydan_append_group_size_count", "meydan_append_seconds_count")
        tables = [await new_table(service, seed=bytes([number])) for number in range(8)]
        requests = [await table.next_submission() for table in tables]
        counted = Counted(*names)
        await asyncio.gather(
            service.log.beat(service.host.now(), 1),
            *(table.submit(one) for table, one in zip(tables, requests, strict=True)),
            service.log.beat(service.host.now(), 1),
        )
        await tables[0].history()
        appends, groups, timed = (counted.changes()[name] for name in names)
        assert appends == 8.0
        assert 1.0 <= groups == timed <= 8.0


async def test_no_page_of_metrics_tells_of_a_match_or_a_player(memory_service: Service) -> None:
    """Labels are a few words of our own: no id, no name, no token, whatever clients send."""
    table = await new_table(memory_service)
    odd = await join(memory_service, await new_match(memory_service), 0)
    await refusal(Table(memory_service, "A" * 26, ()).view())
    request = await table.next_submission()
    request.command_id = "a-telling-id"
    request.seat.token = "a-telling-token"
    await refusal(table.submit(request))
    await table.play()
    page = generate_latest(REGISTRY).decode()
    telling = (table.id, *table.tokens, odd.token, "Player", "a-telling", "A" * 26)
    assert [one for one in telling if one in page] == []


async def test_seats_whose_time_is_up_are_counted_by_what_they_ran_out_of(service: Service) -> None:
    """Each seat that goes out: one that did not move, and two that nobody has taken."""
    control = TimeControl(move_micros=1_000_000)
    await new_table(service, 3, terms=Terms(control=control))
    await seeded_match(service, (SeatState(),) * 2, terms=Terms(join_micros=1_000_000))
    expiries = Counted("meydan_clock_expiries_total")
    sweep = Sweep(service.host, seconds=1.0)
    await sweep.step()
    assert expiries.changes() == {}
    service.clock.now += 1_500_000
    await sweep.step()
    assert expiries.changes() == {"domino time_up": 1.0, "domino no_show": 2.0}
