"""Secrets on the wire: nothing that a seat or a spectator receives during a match holds what is sealed for others."""

import asyncio
from collections import defaultdict

import pytest
from google.protobuf.message import Message

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import match_service_pb2 as pb
from shared.envelope import unpack
from shared.kernel import SPECTATOR, Chance, Seat, Viewer
from shared.match.agents import agent_seed
from shared.proof.chain import match_seed
from tests.host.service import DOMINO, PATIENCE, Service, Table, new_agents_table, new_table

IDS = ("01AAAAAAAAAAAAAAAAAAAAAAAA", "01BBBBBBBBBBBBBBBBBBBBBBBB")
# Shorter contents could be found by accident.
LONG_ENOUGH = 6


async def received_during(table: Table, seat: int | None) -> list[Message]:
    """The answers to everything that a viewer may ask at one moment."""
    stub, viewer = table.service.stub, table.viewer(seat)
    summary = (await table.view()).match
    found: list[Message] = [
        await table.view(seat),
        await stub.GetHistory(pb.GetHistoryRequest(match_id=table.id, viewer=viewer), timeout=PATIENCE),
        await stub.ListMatches(pb.ListMatchesRequest(), timeout=PATIENCE),
    ]
    if seat is not None:
        found.append(await table.legal(seat))
    found.extend([await table.view(seat, version) for version in range(1, summary.version + 1, 3)])
    export = stub.ExportMatch(pb.ExportMatchRequest(match_id=table.id, viewer=viewer), timeout=PATIENCE)
    found.extend([piece async for piece in export])
    return found


@pytest.mark.parametrize("seed", [b"1", b"2", b"3"])
async def test_no_message_holds_what_is_sealed_for_others(memory_service: Service, seed: bytes) -> None:
    """Until the round is over and the hands are shown: no content that is sealed for others, no salt, no seed."""
    table = await new_table(memory_service, 4, domino_pb2.Options(hand_size=5), seed + b" as a seed that is long")
    viewers = (0, 1, 2, 3, None)
    received: defaultdict[int | None, list[Message]] = defaultdict(list)
    streams = {
        seat: table.service.stub.WatchMatch(
            pb.WatchMatchRequest(match_id=table.id, viewer=table.viewer(seat)), timeout=PATIENCE
        )
        for seat in viewers
    }
    while (await table.view()).match.status == pb.MATCH_STATUS_PLAYING:
        for seat in viewers:
            received[seat].extend(await received_during(table, seat))
        await table.play(1)
    for seat, stream in streams.items():
        received[seat].extend([up_to_the_end(response) async for response in stream])
    match = (await memory_service.host.fresh(table.id)).folded
    sealed = [part for record in await table.records() for part in unpack(record).sealed]
    assert {part.type.rpartition(".")[2] for part in sealed} >= {"ServerSeed", "Hand", "Boneyard"}
    for seat in viewers:
        heard = b"\n".join(message.SerializeToString() for message in received[seat])
        viewer = SPECTATOR if seat is None else Viewer(Seat(seat))
        for part in sealed:
            assert part.content is not None
            if len(part.content) >= LONG_ENOUGH:
                # What is open to a viewer is there: the search itself works.
                assert (part.content in heard) == viewer.may_see(part.seats), (seat, part)
            assert (part.salt in heard) == viewer.may_see(part.seats), (seat, part)
        assert seed + b" as a seed" not in heard
        assert match.seed not in heard


def up_to_the_end(response: pb.WatchMatchResponse) -> pb.WatchMatchResponse:
    """The events before the hands are shown."""
    kept = [one for one in response.envelopes if not one.event.type_url.endswith(("RoundEnded", "MatchFinished"))]
    return pb.WatchMatchResponse(envelopes=kept)


@pytest.mark.parametrize("seats", [2, 5])
async def test_every_field_that_is_hidden_is_empty(memory_service: Service, seats: int) -> None:
    """In views: no hand but one's own, and no boneyard. In envelopes: content exactly where the viewer may see it."""
    table = await new_table(memory_service, seats)
    while (await table.view()).match.status == pb.MATCH_STATUS_PLAYING:
        for seat in (*range(seats), None):
            view = domino_pb2.View()
            assert (await table.view(seat)).view.Unpack(view)
            assert [bool(shown.hand) for shown in view.seats] == [number == seat for number in range(seats)]
            assert not view.boneyard
            for envelope in await table.history(seat):
                for part in envelope.sealed:
                    assert part.HasField("content") == (seat is not None and seat in part.seats)
        await table.play(1)


async def test_refusals_tell_the_same_whatever_the_others_hold(memory_service: Service) -> None:
    """Two matches that differ in hidden tiles only answer every command of a seat with the same status and words."""
    first, second = await alike(memory_service)
    states = [(await memory_service.host.fresh(table.id)).folded.state for table in (first, second)]
    assert states[0] != states[1]
    texts = [f"{low}-{high} {end}" for low in range(7) for high in range(low, 7) for end in ("left", "right")]
    idle = 1 - (await first.view()).match.to_act[0]
    for text in texts:
        told = await asyncio.gather(
            *(one.submit(one.submission(idle, text)) for one in (first, second)), return_exceptions=True
        )
        assert told[0].details() == told[1].details()  # type: ignore[union-attr]
        assert told[0].code() == told[1].code()  # type: ignore[union-attr]


async def alike(service: Service) -> tuple[Table, Table]:
    """Two matches that look the same to the seat that is not to act, though their secrets differ."""
    options = domino_pb2.Options(hand_size=2)
    seeds = [number.to_bytes(4, "big") for number in range(2_000)]
    one, other = IDS
    known = {setup_as_seen(one, seed): seed for seed in seeds}
    for seed in seeds:
        twin = known.get(setup_as_seen(other, seed))
        if twin is not None:
            return await new_table(service, 2, options, twin, one), await new_table(service, 2, options, seed, other)
    raise AssertionError("no two deals look the same")


def setup_as_seen(match_id: str, server_seed: bytes) -> tuple[bytes, ...]:
    """What the seat that is not to act sees of a setup."""
    options = DOMINO.codec.decode_options(domino_pb2.Options(hand_size=2))
    state = DOMINO.initial(options, 2)
    events = DOMINO.setup(state, Chance(match_seed(server_seed, match_id, [b"", b""])))
    for event in events:
        state = DOMINO.evolve(state, event)
    idle = Viewer(Seat(1 - DOMINO.to_act(state)[0]))
    seen: list[bytes] = [b"%d" % (idle.seat or 0)]
    for event in events:
        encoded = DOMINO.codec.encode_event(event)
        seen.append(encoded.public.SerializeToString())
        seen.extend(one.content.SerializeToString() for one in encoded.secrets if idle.may_see(one.seats))
    return tuple(seen)


async def test_an_agents_note_is_seen_by_nobody_before_the_end(memory_service: Service) -> None:
    """Neither by its own seat: the seed of a move would tell what the player is going to do."""
    table = await new_agents_table(memory_service, "random", "random")
    match = (await memory_service.host.fresh(table.id)).folded
    request = await table.next_submission()
    request.expected_version = match.version
    request.agent.name, request.agent.version = "domino/random", 1
    request.agent.seed = agent_seed(match, Seat(request.seat.seat))
    await table.submit(request)
    for seat in (0, 1, None):
        history = await table.history(seat)
        notes = [part for one in history for part in one.sealed if part.type == "meydan.match.v1.AgentNote"]
        assert [part.HasField("content") for part in notes] == [False]
        assert all(request.agent.seed not in one.SerializeToString() for one in history)
