"""Receipts: the platform's signed word on every accepted command."""

from typing import Any

import pytest

from meydan.match.v1 import match_service_pb2 as pb
from shared.envelope import hash_of, unpack
from shared.proof.heads import SignedHead
from shared.proof.keys import PublicKey
from tests.host.service import PATIENCE, SIGNING_KEY, Service, Table, human, join, new_table


async def published(service: Service) -> dict[str, PublicKey]:
    """The keys that a service publishes, by their ids."""
    answer = await service.stub.ListKeys(pb.ListKeysRequest(), timeout=PATIENCE)
    return {one.key_id: PublicKey(one.key) for one in answer.keys}


async def check_receipt(service: Service, receipt: pb.Receipt, match_id: str, version: int) -> None:
    """It is signed with a published key, and says what the log was when the command had been written."""
    head = SignedHead(receipt.match_id, receipt.version, receipt.hash, receipt.key_id, receipt.signature)
    assert head.is_signed_by((await published(service))[receipt.key_id])
    records = await service.log.read(match_id, 0)
    assert (head.match_id, head.version, head.hash) == (match_id, version, hash_of(unpack(records[version - 1])))


async def test_the_platforms_key_is_published(service: Service) -> None:
    """By its id, which anybody can compute."""
    keys = await published(service)
    assert {key_id: key.data for key_id, key in keys.items()} == {SIGNING_KEY.public.id: SIGNING_KEY.public.data}
    assert all(key.id == key_id for key_id, key in keys.items())


async def test_making_and_joining_a_match_have_receipts(service: Service) -> None:
    """Each of the version that it led to."""
    request = pb.CreateMatchRequest(seats=[human(), human()])
    created = await service.stub.CreateMatch(request, timeout=PATIENCE)
    await check_receipt(service, created.receipt, created.match_id, created.version)
    for seat in range(2):
        joined = await join(service, created.match_id, seat)
        await check_receipt(service, joined.receipt, created.match_id, joined.version)


async def done(table: Table, deed: str) -> pb.Acknowledgement:
    """One of the commands of a match that goes on."""
    stub = table.service.stub
    match deed:
        case "submit":
            return await table.submit(await table.next_submission())
        case "resign":
            return await table.resign(0)
        case "release":
            release = pb.ReleaseSeatRequest(match_id=table.id, seat=1, command_id="release")
            return (await stub.ReleaseSeat(release, timeout=PATIENCE)).acknowledgement
        case _:
            stream: Any = stub.Play(timeout=PATIENCE)
            await stream.write(pb.PlayRequest(submit=await table.next_submission()))
            answer: pb.PlayAnswer = (await stream.read()).answers[0]
            await stream.done_writing()
            return answer.acknowledgement


@pytest.mark.parametrize("deed", ["submit", "resign", "release", "play"])
async def test_every_accepted_command_has_a_receipt(service: Service, deed: str) -> None:
    """By a call or on a stream; what is written later changes nothing about it."""
    table = await new_table(service, 3)
    acknowledgement = await done(table, deed)
    await check_receipt(service, acknowledgement.receipt, table.id, acknowledgement.version)
    await table.resign(2, "later")
    await check_receipt(service, acknowledgement.receipt, table.id, acknowledgement.version)


async def test_a_follow_has_no_receipt(table: Table) -> None:
    """It has written nothing."""
    stream: Any = table.service.stub.Play(timeout=PATIENCE)
    await stream.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=table.id)))
    answer = (await stream.read()).answers[0]
    assert not answer.acknowledgement.HasField("receipt")
    await stream.done_writing()


async def test_receipts_of_one_command_are_the_same_from_every_process(two_hosts: tuple[Service, Service]) -> None:
    """Asked again elsewhere, the platform gives the same word."""
    here, there = two_hosts
    table = await new_table(here)
    request = await table.next_submission()
    first = await table.submit(request)
    await table.play(2)
    assert await table.on(there).submit(request) == first
