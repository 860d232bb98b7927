"""The contract of a store of logs: the same tests for each of them."""

import asyncio

import pytest

from shared.eventlog.store import CommandIdReused, Conflict, Work, Written
from shared.match.model import Status
from tests.contracts.stores import PATIENCE, Store, entry, match_id, until

MATCH = match_id(1)
OTHER = match_id(2)
# More than any log of these tests has.
FAR = 1_000


async def test_what_was_appended_is_read_in_order(store: Store) -> None:
    """Versions begin at 1 and go on by one an event."""
    assert await store.log.append(entry(MATCH, 0, "a", (b"1", b"2"))) == Written(1, 2)
    assert await store.log.append(entry(MATCH, 2, "b", (b"3",))) == Written(3, 3)
    assert await store.log.read(MATCH, 0) == [b"1", b"2", b"3"]


@pytest.mark.parametrize(
    ("after", "limit", "expected"),
    [
        pytest.param(0, None, [b"0", b"1", b"2", b"3", b"4"], id="all of it"),
        pytest.param(2, None, [b"2", b"3", b"4"], id="from the middle on"),
        pytest.param(1, 2, [b"1", b"2"], id="a piece"),
        pytest.param(3, 9, [b"3", b"4"], id="a piece that goes beyond the end"),
        pytest.param(5, None, [], id="after the last"),
        pytest.param(FAR, 5, [], id="far after the last"),
    ],
)
async def test_a_log_is_read_from_anywhere(store: Store, after: int, limit: int | None, expected: list[bytes]) -> None:
    """A read begins after any version and has at most as many records as asked for."""
    await store.log.append(entry(MATCH, 0, "a", tuple(b"%d" % number for number in range(5))))
    assert list(await store.log.read(MATCH, after, limit)) == expected


async def test_records_come_back_byte_for_byte(store: Store) -> None:
    """No byte is special, and equal records of one command are all there."""
    records = (bytes(range(256)), b"\r\n\0 $-1\r\n", b"same", b"same", b"x" * 100_000)
    await store.log.append(entry(MATCH, 0, "a", records))
    assert tuple(await store.log.read(MATCH, 0)) == records


async def test_an_unknown_match_is_empty(store: Store) -> None:
    """Reading what is not there is no error and makes nothing."""
    assert list(await store.log.read(MATCH, 0)) == []
    assert await store.log.find(MATCH, "a", b"d") is None
    assert list(await store.log.list_ids(None, "", 10)) == []


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param(0, id="as if it were new"),
        pytest.param(1, id="stale by one"),
        pytest.param(3, id="too new by one"),
        pytest.param(FAR, id="far too new"),
    ],
)
async def test_another_version_than_the_expected_is_a_conflict(store: Store, expected: int) -> None:
    """The answer names the current version, and nothing is written: no event, no work, no command id, no status."""
    await store.log.append(entry(MATCH, 0, "a", (b"1", b"2"), work=(Work("turn", b"a"),)))
    refused = entry(MATCH, expected, "b", (b"3",), status=Status.FINISHED, work=(Work("turn", b"b"),))
    assert await store.log.append(refused) == Conflict(2)
    assert await store.log.read(MATCH, 0) == [b"1", b"2"]
    assert await store.waiting_work(MATCH) == [Work("turn", b"a")]
    assert await store.log.find(MATCH, "b", b"d") is None
    assert list(await store.log.list_ids(Status.FINISHED, "", 10)) == []


async def test_a_first_append_that_expects_more_is_a_conflict(store: Store) -> None:
    """A log has no gap at its beginning either, and a refused first append does not make the match."""
    assert await store.log.append(entry(MATCH, 3, "a")) == Conflict(0)
    assert list(await store.log.read(MATCH, 0)) == []
    assert list(await store.log.list_ids(None, "", 10)) == []


@pytest.mark.parametrize("expected", [0, 2, 5, FAR])
async def test_a_repeated_command_gets_its_first_answer(store: Store, expected: int) -> None:
    """Whatever version the repetition expects, also after the match has moved on and ended, also elsewhere."""
    await store.log.append(entry(MATCH, 0, "a"))
    await store.log.append(entry(MATCH, 1, "b", (b"2", b"3")))
    await store.log.append(entry(MATCH, 3, "c", (b"4", b"5"), status=Status.FINISHED))
    for log in (store.log, store.again()):
        assert await log.append(entry(MATCH, expected, "b", (b"other", b"bytes"))) == Written(2, 3, is_repeated=True)
        assert await log.find(MATCH, "b", b"d") == Written(2, 3, is_repeated=True)
        assert len(await log.read(MATCH, 0)) == 5


async def test_a_repetition_leaves_work_and_status_alone(store: Store) -> None:
    """What was decided later than the first time is not undone."""
    await store.log.append(entry(MATCH, 0, "a", work=(Work("turn", b"a"),)))
    await store.log.append(entry(MATCH, 1, "b", status=Status.FINISHED, work=(Work("ended", b"b"),)))
    await store.log.append(entry(MATCH, 0, "a", work=(Work("turn", b"a"),)))
    assert await store.waiting_work(MATCH) == [Work("ended", b"b")]
    assert list(await store.log.list_ids(Status.FINISHED, "", 10)) == [MATCH]
    assert list(await store.log.list_ids(Status.PLAYING, "", 10)) == []


@pytest.mark.parametrize("expected", [0, 1, FAR])
async def test_a_command_id_with_other_content_is_refused(store: Store, expected: int) -> None:
    """The digest tells another command from a repeated one; nothing is written."""
    await store.log.append(entry(MATCH, 0, "a", digest=b"one digest"))
    for log in (store.log, store.again()):
        assert await log.append(entry(MATCH, expected, "a", digest=b"another digest")) == CommandIdReused()
        assert await log.find(MATCH, "a", b"another digest") == CommandIdReused()
    assert len(await store.log.read(MATCH, 0)) == 1


@pytest.mark.parametrize("digest", [b"", b"two words", b" ", b"1 2 3", b"\0\xff\n"])
async def test_a_digest_may_be_any_bytes(store: Store, digest: bytes) -> None:
    """It is compared as it is, also with spaces in it."""
    await store.log.append(entry(MATCH, 0, "a", digest=digest))
    assert await store.log.append(entry(MATCH, 0, "a", digest=digest)) == Written(1, 1, is_repeated=True)
    assert await store.log.find(MATCH, "a", digest) == Written(1, 1, is_repeated=True)
    assert await store.log.find(MATCH, "a", digest + b" ") == CommandIdReused()


@pytest.mark.parametrize("command_id", ["version", "status", "work", "due", "organiser", "c:", "create", "1-0"])
async def test_a_command_id_may_be_any_name(store: Store, command_id: str) -> None:
    """No id of a command can be mistaken for something that the store keeps for itself."""
    await store.log.append(entry(MATCH, 0, "first"))
    assert await store.log.append(entry(MATCH, 1, command_id)) == Written(2, 2)
    assert await store.log.append(entry(MATCH, 2, "third")) == Written(3, 3)
    assert await store.log.find(MATCH, command_id, b"d") == Written(2, 2, is_repeated=True)


async def test_command_ids_of_different_matches_do_not_meet(store: Store) -> None:
    """An id is unique within its match only."""
    assert await store.log.append(entry(MATCH, 0, "a")) == Written(1, 1)
    assert await store.log.append(entry(OTHER, 0, "a", digest=b"other")) == Written(1, 1)


async def test_racing_appends_win_each_version_once(store: Store) -> None:
    """Fifty callers append to one match until each has written three commands of two events: no gap, no loss."""

    async def write(caller: int) -> list[Written]:
        log, expected = logs[caller % len(logs)], 0
        done: list[Written] = []
        while len(done) < 3:
            name = f"{caller}/{len(done)}"
            answer = await log.append(entry(MATCH, expected, name, (f"{name}/1".encode(), f"{name}/2".encode())))
            assert not isinstance(answer, CommandIdReused)
            if isinstance(answer, Written):
                done.append(answer)
            expected = answer.version
        return done

    logs = [store.log, store.again(), store.again()]
    won = [answer for answers in await asyncio.gather(*map(write, range(50))) for answer in answers]
    assert sorted(answer.first for answer in won) == list(range(1, 300, 2))
    assert not any(answer.is_repeated for answer in won)
    records = await store.log.read(MATCH, 0)
    assert [record.removesuffix(b"/1") for record in records[::2]] == [
        record.removesuffix(b"/2") for record in records[1::2]
    ]
    assert len(set(records)) == len(records) == 300


async def test_one_of_many_equal_expectations_is_met(store: Store) -> None:
    """Of fifty appends that expect the same version, exactly one is written; the others learn the version it made."""
    answers = await asyncio.gather(*(store.log.append(entry(MATCH, 0, f"{caller}")) for caller in range(50)))
    assert sorted(map(str, answers)) == sorted(map(str, [Written(1, 1), *[Conflict(1)] * 49]))
    assert len(await store.log.read(MATCH, 0)) == 1


async def test_a_command_that_is_sent_many_times_at_once_is_written_once(store: Store) -> None:
    """All callers get the same versions; one of them wrote, the others repeat."""
    answers = await asyncio.gather(*(store.log.append(entry(MATCH, 0, "a", (b"1", b"2"))) for _ in range(50)))
    assert all(isinstance(answer, Written) and (answer.first, answer.version) == (1, 2) for answer in answers)
    assert sum(isinstance(answer, Written) and not answer.is_repeated for answer in answers) == 1
    assert len(await store.log.read(MATCH, 0)) == 2


async def test_work_is_replaced_by_each_append(store: Store) -> None:
    """What waits for a match is what its last append said, and nothing older; other matches are left alone."""
    await store.log.append(entry(OTHER, 0, "a", work=(Work("turn", b"other"),)))
    await store.log.append(entry(MATCH, 0, "a", work=(Work("turn", b"1"), Work("turn", b"2"))))
    assert await store.waiting_work(MATCH) == [Work("turn", b"1"), Work("turn", b"2")]
    await store.log.append(entry(MATCH, 1, "b", work=(Work("ended", b"\0\xff"),)))
    assert await store.waiting_work(MATCH) == [Work("ended", b"\0\xff")]
    await store.log.append(entry(MATCH, 2, "c"))
    assert await store.waiting_work(MATCH) == []
    await store.log.append(entry(MATCH, 3, "d", work=(Work("turn", b"3"),)))
    assert await store.waiting_work(MATCH) == [Work("turn", b"3")]
    assert await store.waiting_work(OTHER) == [Work("turn", b"other")]


async def test_work_that_is_kept_goes_on_waiting(store: Store) -> None:
    """The same entries, not new ones like them: whoever has taken one does not get it twice."""
    await store.log.append(entry(MATCH, 0, "a", work=(Work("pair", b"1"), Work("start", b"2"))))
    await store.log.append(entry(MATCH, 1, "b", work=None))
    assert await store.waiting_work(MATCH) == [Work("pair", b"1"), Work("start", b"2")]
    await store.log.append(entry(MATCH, 2, "c", work=(Work("pair", b"3"),)))
    assert await store.waiting_work(MATCH) == [Work("pair", b"3")]
    await store.log.append(entry(OTHER, 0, "a", work=None))
    assert await store.waiting_work(OTHER) == []


async def test_matches_are_listed_newest_first(store: Store) -> None:
    """In the order of their ids, whichever order they were written in, and whatever their status."""
    ids = [match_id(number) for number in range(1, 31)]
    for number, one in enumerate(ids[::2] + ids[1::2]):
        await store.log.append(entry(one, 0, "a", status=list(Status)[number % 3]))
    assert list(await store.log.list_ids(None, "", 100)) == ids[::-1]


async def test_matches_are_listed_by_status(store: Store) -> None:
    """A match is under its newest status, and under no other."""
    ids = [match_id(number) for number in range(1, 4)]
    for one in ids:
        await store.log.append(entry(one, 0, "a", status=Status.WAITING))
    for one in ids[1:]:
        await store.log.append(entry(one, 1, "b", status=Status.PLAYING))
    await store.log.append(entry(ids[2], 2, "c", status=Status.FINISHED))
    listed = {status: list(await store.log.list_ids(status, "", 10)) for status in Status}
    assert listed == {Status.WAITING: [ids[0]], Status.PLAYING: [ids[1]], Status.FINISHED: [ids[2]]}
    assert list(await store.log.list_ids(None, "", 10)) == ids[::-1]


@pytest.mark.parametrize("status", [None, Status.PLAYING])
@pytest.mark.parametrize("size", [1, 4, 7, 20])
async def test_pages_put_together_are_the_list(store: Store, status: Status | None, size: int) -> None:
    """Each page goes on below the last id of the one before; none is missing, none comes twice."""
    ids = [match_id(number) for number in range(1, 15)]
    for one in ids:
        await store.log.append(entry(one, 0, "a"))
    found: list[str] = []
    while page := await store.log.list_ids(status, found[-1] if found else "", size):
        assert len(page) <= size
        found.extend(page)
    assert found == ids[::-1]


async def test_a_subscriber_hears_of_every_append(store: Store) -> None:
    """By whichever process, of its own match only, with the new version; and after it has left, of none."""
    heard: list[int | None] = []
    leave = await store.log.subscribe(MATCH, heard.append)
    await store.log.append(entry(MATCH, 0, "a", (b"1", b"2")))
    await store.again().append(entry(OTHER, 0, "a"))
    await store.again().append(entry(MATCH, 2, "b"))
    await until(lambda: 3 in heard)
    assert heard == [2, 3]
    leave()
    still: list[int | None] = []
    await store.log.subscribe(MATCH, still.append)
    await store.log.append(entry(MATCH, 3, "c"))
    await until(lambda: 4 in still)
    assert heard == [2, 3]


async def test_a_refused_or_repeated_append_is_no_news(store: Store) -> None:
    """Subscribers are told of what was written only."""
    await store.log.append(entry(MATCH, 0, "a"))
    heard: list[int | None] = []
    await store.log.subscribe(MATCH, heard.append)
    await store.log.append(entry(MATCH, 0, "a"))
    await store.log.append(entry(MATCH, 5, "b"))
    await store.log.append(entry(MATCH, 0, "a", digest=b"other"))
    await store.log.append(entry(MATCH, 1, "c"))
    await until(lambda: 2 in heard)
    assert heard == [2]


async def test_all_subscribers_of_a_match_hear_the_same(store: Store) -> None:
    """Also those who come while others are there, and one's leaving does not make others deaf."""
    early: list[int | None] = []
    late: list[int | None] = []
    leave = await store.log.subscribe(MATCH, early.append)
    await store.log.append(entry(MATCH, 0, "a"))
    await until(lambda: 1 in early)
    await store.log.subscribe(MATCH, late.append)
    await store.log.append(entry(MATCH, 1, "b"))
    await until(lambda: 2 in early and 2 in late)
    leave()
    await store.log.append(entry(MATCH, 2, "c"))
    await until(lambda: 3 in late)
    assert (early, late) == ([1, 2], [2, 3])


async def test_nothing_is_missed_between_subscribing_and_reading(store: Store) -> None:
    """Who subscribes, reads, and reads on at each notice has every version once, whatever was under way meanwhile."""

    async def write() -> None:
        for version in range(200):
            await writing.append(entry(MATCH, version, f"{version}", (b"%d" % (version + 1),)))

    async def watch(start: int) -> list[bytes]:
        await until(lambda: known[0] >= start)
        news = asyncio.Event()
        await store.log.subscribe(MATCH, lambda _: news.set())
        found = list(await store.log.read(MATCH, 0))
        while len(found) < 200:
            await news.wait()
            news.clear()
            found.extend(await store.log.read(MATCH, len(found)))
        return found

    writing = store.again()
    known = [0]
    await writing.subscribe(MATCH, lambda version: known.__setitem__(0, version or 0))
    async with asyncio.timeout(PATIENCE):
        writer = asyncio.create_task(write())
        seen = await asyncio.gather(*(watch(start) for start in range(0, 150, 10)))
        await writer
    assert all(found == [b"%d" % version for version in range(1, 201)] for found in seen)


async def test_a_store_that_answers_is_well(store: Store) -> None:
    """The check of health says nothing where nothing is wrong."""
    await store.log.check()
