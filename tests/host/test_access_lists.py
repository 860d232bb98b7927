"""Lists show what the caller may watch, and tell nothing of the rest."""

import base64

import grpc
import pytest

from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.access.tokens import Scope
from shared.eventlog.memory import MemoryLog
from tests.host.people import gathering
from tests.host.service import PATIENCE, Service, bearer, human, refusal, serving


async def listed(service: Service, token: str, size: int = 100) -> list[str]:
    """The ids of all matches that somebody is shown, page by page; no page token tells of any other."""
    ids: list[str] = []
    everything = await service.log.list_ids(None, "", 1000)
    page_token = ""
    while True:
        request = pb.ListMatchesRequest(page_size=size, page_token=page_token)
        page = await service.stub.ListMatches(request, timeout=PATIENCE, metadata=bearer(token))
        assert len(page.matches) <= size
        ids.extend(match.match_id for match in page.matches)
        page_token = page.next_page_token
        if not page_token:
            return ids
        told = page_token.encode() + base64.urlsafe_b64decode(page_token)
        assert [match_id for match_id in everything if match_id.encode() in told] == []


@pytest.mark.parametrize(
    ("kind", "is_shown"),
    [
        ("organiser", True),
        ("stranger", False),
        ("alice", True),
        ("carol", False),
        ("public", False),
        ("spectator", True),
        ("seat", True),
        ("gone", False),
        ("left", False),
    ],
)
async def test_an_invited_match_is_shown_to_those_who_are_part_of_it(
    memory_service: Service, kind: str, is_shown: bool
) -> None:
    """And is not there for anybody else."""
    who = await gathering(memory_service, is_public=False)
    assert (who.id in await listed(memory_service, who.tokens[kind])) is is_shown


@pytest.mark.parametrize("kind", ["spectator", "seat", "agent"])
async def test_the_token_of_one_match_lists_no_other(memory_service: Service, kind: str) -> None:
    """Public as they are."""
    who = await gathering(memory_service, is_public=True)
    assert await listed(memory_service, who.tokens[kind]) == [who.id]
    assert set(await listed(memory_service, who.tokens["public"])) == {who.id, who.other_id}


@pytest.mark.parametrize("size", [1, 2, 3, 20])
async def test_pages_show_every_public_match_once(memory_service: Service, size: int) -> None:
    """However many others lie between them, at the ends of pages too."""
    public = []
    for number in range(20):
        is_public = number % 5 == 2
        watching = events_pb.WATCHING_PUBLIC if is_public else events_pb.WATCHING_INVITED
        request = pb.CreateMatchRequest(seats=[human(), human()], watching=watching)
        created = await memory_service.stub.CreateMatch(request, timeout=PATIENCE)
        public += [created.match_id] * is_public
        memory_service.clock.now += 1_000_000
    token = memory_service.token(Scope.PUBLIC)
    assert await listed(memory_service, token, size) == public[::-1]


async def test_a_page_token_is_good_in_another_process() -> None:
    """One process gives it, another goes on from there."""
    log = MemoryLog()
    async with serving(log) as one, serving(log) as other:
        for _ in range(3):
            await one.stub.CreateMatch(pb.CreateMatchRequest(seats=[human(), human()]), timeout=PATIENCE)
            one.clock.now += 1_000_000
        first = await one.stub.ListMatches(pb.ListMatchesRequest(page_size=2), timeout=PATIENCE)
        rest = pb.ListMatchesRequest(page_size=2, page_token=first.next_page_token)
        second = await other.stub.ListMatches(rest, timeout=PATIENCE)
        shown = [match.match_id for page in (first, second) for match in page.matches]
        assert shown == list(await log.list_ids(None, "", 10))


@pytest.mark.parametrize("token", ["01AAAAAAAAAAAAAAAAAAAAAAAA", "x", "é", "A" * 200])
async def test_a_page_token_can_not_be_made_up(memory_service: Service, token: str) -> None:
    """Not even of the id of a match."""
    refused = await refusal(memory_service.stub.ListMatches(pb.ListMatchesRequest(page_token=token), timeout=PATIENCE))
    assert (refused.code, refused.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("page_token",))
