"""Each call of the service once, as it should go."""

from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared import export
from shared.audit import audit
from shared.envelope import hash_of, unpack
from shared.eventlog.memory import MemoryLog
from shared.host.messages import envelope_of
from shared.kernel import EVERYTHING, SPECTATOR, Chance, Seat, Viewer
from shared.match.ids import is_match_id, new_match_id
from shared.match.model import Status
from shared.match.wire import Wire
from shared.proof.chain import match_seed
from shared.replay import Replay
from shared.verify import check_chain, verify
from tests.host.service import (
    DOMINO,
    PATIENCE,
    SIGNING_KEY,
    Service,
    Table,
    computer,
    human,
    join,
    new_match,
    new_table,
    packed,
    refusal,
    serving,
)


async def test_a_game_describes_itself(service: Service) -> None:
    """All that a client needs in order to make a match and to play it."""
    answer = await service.stub.DescribeGame(pb.DescribeGameRequest(), timeout=PATIENCE)
    assert (answer.game, answer.title, answer.min_seats, answer.max_seats) == ("domino", "Domino Double 6", 2, 5)
    assert answer.options_type == "meydan.domino.v1.Options"
    assert answer.view_type == "meydan.domino.v1.View"
    assert list(answer.command_types) == ["meydan.domino.v1.LayTile"]
    assert [option.name for option in answer.options] == ["hand_size", "target"]
    assert list(answer.ai_levels) == list(DOMINO.agents)
    assert answer.notation_help == DOMINO.notation.usage


async def test_a_match_is_made_and_waits(service: Service) -> None:
    """With an id of the service's, at version 1, and with the defaults written out."""
    match_id = await new_match(service, 3)
    assert is_match_id(match_id)
    summary = (await Table(service, match_id, ()).view()).match
    assert (summary.status, summary.version) == (pb.MATCH_STATUS_WAITING, 1)
    assert [seat.is_taken for seat in summary.seats] == [False] * 3
    options = domino_pb2.Options()
    assert summary.options.Unpack(options)
    assert options.hand_size == 5
    assert summary.created_micros == service.clock.now


async def test_a_match_keeps_the_id_and_the_options_it_was_asked_for(service: Service) -> None:
    """Both are the creator's."""
    wanted = new_match_id(service.clock.now)
    request = pb.CreateMatchRequest(
        match_id=wanted, seats=[human(), human()], options=packed(domino_pb2.Options(hand_size=7, target=50))
    )
    assert (await service.stub.CreateMatch(request, timeout=PATIENCE)).match_id == wanted
    created = (await Table(service, wanted, ()).history())[0]
    event = events_pb.MatchCreated()
    assert created.event.Unpack(event)
    options = domino_pb2.Options()
    assert event.options.Unpack(options)
    assert (options.hand_size, options.target) == (7, 50)


async def test_the_last_to_join_starts_the_match(service: Service) -> None:
    """Seats are given in order unless one is asked for; each has a token of its own."""
    match_id = await new_match(service, 3)
    second = await join(service, match_id, 1)
    request = pb.JoinMatchRequest(match_id=match_id, player_name="First free")
    first = await service.stub.JoinMatch(request, timeout=PATIENCE)
    third = await service.stub.JoinMatch(request, timeout=PATIENCE)
    assert (first.seat, second.seat, third.seat) == (0, 1, 2)
    assert len({first.token, second.token, third.token}) == 3
    summary = (await Table(service, match_id, ()).view()).match
    assert summary.status == pb.MATCH_STATUS_PLAYING
    assert [seat.player_name for seat in summary.seats] == ["First free", "Player 1", "First free"]


async def test_a_match_of_computers_starts_by_itself(service: Service) -> None:
    """There is nobody to wait for."""
    request = pb.CreateMatchRequest(seats=[computer("greedy"), computer("random")])
    created = await service.stub.CreateMatch(request, timeout=PATIENCE)
    summary = (await Table(service, created.match_id, ()).view()).match
    assert summary.status == pb.MATCH_STATUS_PLAYING
    assert [seat.ai_level for seat in summary.seats] == ["greedy", "random"]
    assert summary.version == created.version


async def test_a_command_is_played_as_text_and_as_a_message(table: Table) -> None:
    """Both forms do the same; the answer names the versions of the command's events."""
    for form in ("text", "command"):
        before = (await table.view()).match
        seat = before.to_act[0]
        legal = (await table.legal(seat)).commands[0]
        request = table.submission(seat, legal.text)
        if form == "command":
            request.command.CopyFrom(legal.command)
        done = await table.submit(request)
        assert done.first_version == before.version + 1
        written = await table.history(after=before.version)
        assert [envelope.version for envelope in written] == list(range(done.first_version, done.version + 1))
        assert {envelope.command_id for envelope in written} == {request.command_id}
        laid = domino_pb2.TileLaid()
        assert written[0].event.Unpack(laid)
        assert laid.seat == seat == written[0].seat


async def test_legal_commands_are_the_games_own_in_its_order(table: Table) -> None:
    """For the seat to act all of them, for the other none, with the version that they are legal at."""
    live = await table.service.host.fresh(table.id)
    for seat in range(2):
        answer = await table.legal(seat)
        expected = DOMINO.legal(DOMINO.view(live.folded.state, Viewer(Seat(seat))))
        assert [row.text for row in answer.commands] == [DOMINO.notation.format_command(one) for one in expected]
        assert answer.version == live.folded.version


async def test_an_expected_version_that_is_right_is_accepted(table: Table) -> None:
    """The command is played at this very version."""
    request = await table.next_submission()
    request.expected_version = (await table.view()).match.version
    assert (await table.submit(request)).first_version == request.expected_version + 1


async def test_a_seat_that_resigns_is_played_to_the_end_and_comes_last(table: Table) -> None:
    """The game's default plays for it at once whenever it is its turn."""
    await table.resign(0)
    await table.play()
    summary = (await table.view()).match
    assert summary.status == pb.MATCH_STATUS_FINISHED
    assert [list(place.seats) for place in summary.places] == [[1], [0]]
    assert [seat.is_out for seat in summary.seats] == [True, False]


async def test_a_match_that_everybody_leaves_ends_at_once(table: Table) -> None:
    """The last to leave is first."""
    await table.resign(1, "one")
    await table.resign(0, "two")
    summary = (await table.view()).match
    assert [list(place.seats) for place in summary.places] == [[0], [1]]


async def test_a_view_at_every_version_is_the_fold_up_to_it(table: Table) -> None:
    """Forwards and backwards, for a seat and for a spectator, summary and view."""
    await table.play()
    envelopes = [unpack(record) for record in await table.records()]
    replay = Replay(DOMINO, Wire(DOMINO))
    versions = range(1, len(envelopes) + 1)
    for version in (*versions, *reversed(versions)):
        match = replay.fold(None, envelopes[:version])
        for seat, viewer in ((0, Viewer(Seat(0))), (None, SPECTATOR)):
            answer = await table.view(seat, version)
            assert answer.match.version == version
            assert answer.HasField("view") == (match.state is not None)
            if match.state is not None:
                shown = DOMINO.codec.encode_view(DOMINO.view(match.state, viewer))
                assert answer.view.value == shown.SerializeToString()


async def test_history_is_read_in_pages(table: Table) -> None:
    """Put together they are the log; each page says how far the match is."""
    await table.play()
    whole = await table.history()
    pages: list[events_pb.Envelope] = []
    while len(pages) < len(whole):
        request = pb.GetHistoryRequest(match_id=table.id, after_version=len(pages), limit=3)
        answer = await table.service.stub.GetHistory(request, timeout=PATIENCE)
        assert 1 <= len(answer.envelopes) <= 3
        assert answer.current_version == len(whole)
        pages.extend(answer.envelopes)
    assert pages == whole
    assert [envelope.version for envelope in whole] == list(range(1, len(whole) + 1))


async def test_history_is_a_page_of_200_if_nothing_is_said(service: Service) -> None:
    """And of at most 1,000, whatever is said."""
    table = await new_table(service, 2, domino_pb2.Options(target=1000))
    await table.play(200)
    for limit, expected in ((0, 200), (1000, 1000), (4_000_000_000, 1000)):
        request = pb.GetHistoryRequest(match_id=table.id, limit=limit)
        answer = await service.stub.GetHistory(request, timeout=PATIENCE)
        assert len(answer.envelopes) == min(expected, answer.current_version)
        assert answer.current_version > 200


async def test_matches_are_listed_in_pages_newest_first(service: Service) -> None:
    """By status or all; the last page has no token."""
    ids = []
    for number in range(7):
        service.clock.now += 1_000_000
        ids.append(await new_match(service))
        if number % 2:
            for seat in range(2):
                await join(service, ids[-1], seat)
    assert await listed(service, pb.MATCH_STATUS_UNSPECIFIED, 3) == ids[::-1]
    assert await listed(service, pb.MATCH_STATUS_WAITING, 2) == ids[::2][::-1]
    assert await listed(service, pb.MATCH_STATUS_PLAYING, 1) == ids[1::2][::-1]
    assert await listed(service, pb.MATCH_STATUS_FINISHED, 0) == []


async def listed(service: Service, status: "pb.MatchStatus.ValueType", size: int) -> list[str]:
    """All pages of a list."""
    found: list[str] = []
    token = ""
    while True:
        request = pb.ListMatchesRequest(status=status, page_size=size, page_token=token)
        answer = await service.stub.ListMatches(request, timeout=PATIENCE)
        assert len(answer.matches) <= (size or 20)
        found.extend(match.match_id for match in answer.matches)
        token = answer.next_page_token
        if not token:
            return found


async def test_a_finished_match_shows_everything_to_everybody(table: Table) -> None:
    """Seed, hands and boneyard; and anyone may look with any seat's eyes, at any version."""
    await table.play()
    everything = pb.Viewer(everything=pb.Everything())
    request = pb.GetHistoryRequest(match_id=table.id, viewer=everything, limit=1000)
    envelopes = (await table.service.stub.GetHistory(request, timeout=PATIENCE)).envelopes
    assert [part for one in envelopes for part in one.sealed if not part.HasField("content")] == []
    assert [envelope_of(one) for one in envelopes] == [unpack(record) for record in await table.records()]
    match = Replay(DOMINO, Wire(DOMINO)).fold(None, map(envelope_of, envelopes))
    assert match.status is Status.FINISHED
    view = await table.service.stub.GetView(pb.GetViewRequest(match_id=table.id, viewer=everything), timeout=PATIENCE)
    assert view.view == packed(DOMINO.codec.encode_view(DOMINO.view(match.state, EVERYTHING)))
    keyless = pb.Viewer(seat=pb.SeatCredential(seat=1))
    seen = await table.service.stub.GetView(
        pb.GetViewRequest(match_id=table.id, viewer=keyless, version=5), timeout=PATIENCE
    )
    assert seen == await table.view(1, 5)


async def test_the_seed_that_is_revealed_proves_the_deal(table: Table) -> None:
    """From the seed in the log, and from what players added, anyone computes all that was dealt again."""
    await table.play()
    request = pb.GetHistoryRequest(match_id=table.id, viewer=pb.Viewer(everything=pb.Everything()), limit=1000)
    history = (await table.service.stub.GetHistory(request, timeout=PATIENCE)).envelopes
    wire = Wire(DOMINO)
    envelopes = list(map(envelope_of, history))
    ended = events_pb.MatchFinished.FromString(envelopes[-1].public)
    taken = [events_pb.SeatTaken.FromString(one.public) for one in envelopes if one.type.endswith("SeatTaken")]
    seed = match_seed(ended.server_seed, table.id, [one.entropy for one in taken])
    setup = DOMINO.setup(DOMINO.initial(DOMINO.default_options, 2), Chance(seed))
    first = next(place for place, one in enumerate(envelopes) if one.type in wire.game_events)
    assert tuple(wire.event(one) for one in envelopes[first : first + len(setup)]) == setup
    verify(DOMINO, wire, envelopes)


async def test_what_a_player_adds_to_the_seed_is_in_the_log(service: Service) -> None:
    """At most 32 bytes, for everybody to see."""
    match_id = await new_match(service)
    for entropy in (b"", b"e" * 32):
        request = pb.JoinMatchRequest(match_id=match_id, player_name="A", entropy=entropy)
        await service.stub.JoinMatch(request, timeout=PATIENCE)
    match = (await service.host.fresh(match_id)).folded
    assert [seat.entropy for seat in match.seats] == [b"", b"e" * 32]
    assert match.seed == match_seed(match.server_seed, match_id, [b"", b"e" * 32])


@pytest.mark.parametrize("seat", [None, 0, 1])
async def test_an_export_is_the_history_in_a_file(table: Table, seat: int | None) -> None:
    """While the match goes on, redacted as the history is; it can be read again."""
    await table.play(2)
    request = pb.ExportMatchRequest(match_id=table.id, viewer=table.viewer(seat))
    pieces = [piece.piece async for piece in table.service.stub.ExportMatch(request, timeout=PATIENCE)]
    game, signed, envelopes = export.read(b"".join(pieces).decode().splitlines(keepends=True))
    assert game == "domino"
    read = list(envelopes)
    assert read == [envelope_of(one) for one in await table.history(seat)]
    assert signed is not None
    assert signed.head.is_signed_by(SIGNING_KEY.public)
    assert (signed.head.version, signed.head.hash) == (len(read), hash_of(read[-1]))
    check_chain(read)


async def test_the_export_of_a_finished_match_replays(table: Table) -> None:
    """With everything revealed, the file is the whole log, and can be checked by anybody."""
    await table.play()
    request = pb.ExportMatchRequest(match_id=table.id, viewer=pb.Viewer(everything=pb.Everything()))
    pieces = [piece.piece async for piece in table.service.stub.ExportMatch(request, timeout=PATIENCE)]
    lines = b"".join(pieces).decode().splitlines(keepends=True)
    live = await table.service.host.fresh(table.id)
    assert Replay(DOMINO, Wire(DOMINO)).fold(None, export.read(lines).envelopes) == live.folded
    keys = {SIGNING_KEY.public.id: SIGNING_KEY.public}
    assert audit(lines, lambda _: DOMINO, keys).match == live.folded


async def test_time_never_goes_back_within_a_match(table: Table) -> None:
    """Whatever the clock of the process does."""
    for change in (5_000_000, -9_000_000, 1_000_000):
        table.service.clock.now += change
        await table.play(1)
    times = [envelope.time_micros for envelope in await table.history()]
    assert times == sorted(times)
    assert len(set(times)) == 2


async def test_a_stopping_host_ends_its_streams_and_says_where_to_go_on() -> None:
    """Watchers and streams end with UNAVAILABLE, to be repeated from where they are; calls are still answered."""
    async with serving(MemoryLog()) as service:
        table = await new_table(service)
        watching = service.stub.WatchMatch(pb.WatchMatchRequest(match_id=table.id), timeout=PATIENCE)
        await watching.read()
        streaming = service.stub.Play(timeout=PATIENCE)
        await streaming.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=table.id)))
        await streaming.read()
        service.host.stop()
        for stream in (watching, streaming):
            ended = await refusal(read_all(stream))
            assert (ended.code, ended.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
        assert await table.play(1) == 1


async def read_all(stream: Any) -> None:
    """Reads what a stream still has."""
    while await stream.read() is not grpc.aio.EOF:
        pass


async def test_options_may_be_left_out_in_part(service: Service) -> None:
    """What is not set has its default."""
    wrapped = AnyMessage(type_url="type.googleapis.com/meydan.domino.v1.Options")
    created = await service.stub.CreateMatch(
        pb.CreateMatchRequest(options=wrapped, seats=[human(), human()]), timeout=PATIENCE
    )
    live = await service.host.fresh(created.match_id)
    assert live.folded.options == DOMINO.default_options
