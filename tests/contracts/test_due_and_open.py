"""The contract of a store of logs, second part: what is due, who has matches open, and when the platform was away."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise

import pytest

from shared.eventlog.store import MOST_DOWNTIMES, Append, CommandIdReused, Conflict, EventLog, Written
from shared.match.model import Status
from tests.contracts.stores import Store, entry, match_id

MATCH = match_id(1)
OTHER = match_id(2)
# A time of our days in microseconds: single ones must count in numbers of this size.
NOW = 1_790_000_000_000_001
SECOND = 1_000_000
MANY = 1_000
ANN, BEN = "ann", "user:ben {1} \u0131"


async def all_due(log: EventLog) -> Sequence[str]:
    """Whatever is due at any time at all."""
    return await log.due(NOW * 2, MANY)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param(NOW - 1, [], id="a microsecond before"),
        pytest.param(NOW, [MATCH], id="at its time"),
        pytest.param(NOW + 1, [MATCH], id="a microsecond later"),
        pytest.param(NOW * 2, [MATCH], id="long after"),
    ],
)
async def test_a_match_is_due_from_its_time_on(store: Store, now: int, expected: list[str]) -> None:
    """Every process finds it, not a microsecond too early."""
    await store.log.append(entry(MATCH, 0, "a", due=NOW))
    for log in (store.log, store.again()):
        assert list(await log.due(now, MANY)) == expected


async def test_a_match_without_a_due_time_is_never_due(store: Store) -> None:
    """0 is no time."""
    await store.log.append(entry(MATCH, 0, "a"))
    await store.log.append(entry(MATCH, 1, "b"))
    assert list(await all_due(store.log)) == []


@pytest.mark.parametrize("limit", [1, 7, 30, MANY])
async def test_the_longest_overdue_come_first(store: Store, limit: int) -> None:
    """Wherever the matches are kept, and though only microseconds lie between them; who is not due is left out."""
    ids = [match_id(number) for number in range(1, 41)]
    for number, one in enumerate(ids):
        await store.log.append(entry(one, 0, "a", due=NOW - number))
    assert list(await store.log.due(NOW - 10, limit)) == ids[:9:-1][:limit]


async def test_matches_that_are_due_at_once_come_in_the_order_of_their_ids(store: Store) -> None:
    """So that a limit cuts the same everywhere."""
    ids = [match_id(number) for number in range(1, 21)]
    for one in reversed(ids):
        await store.log.append(entry(one, 0, "a", due=NOW))
    assert list(await store.log.due(NOW, 15)) == ids[:15]


@pytest.mark.parametrize("due", [NOW - SECOND, NOW + SECOND], ids=["to an earlier one", "to a later one"])
async def test_each_append_moves_the_due_time(store: Store, due: int) -> None:
    """The last one holds, and the match is found once."""
    await store.log.append(entry(MATCH, 0, "a", due=NOW))
    await store.log.append(entry(MATCH, 1, "b", due=due))
    assert list(await store.log.due(due - 1, MANY)) == []
    assert list(await store.log.due(due, MANY)) == [MATCH]
    assert list(await all_due(store.log)) == [MATCH]


async def test_an_append_without_a_due_time_takes_it_away(store: Store) -> None:
    """Until another one sets it again; other matches stay due."""
    await store.log.append(entry(OTHER, 0, "a", due=NOW))
    await store.log.append(entry(MATCH, 0, "a", due=NOW))
    await store.log.append(entry(MATCH, 1, "b"))
    assert list(await all_due(store.log)) == [OTHER]
    await store.log.append(entry(MATCH, 2, "c", due=NOW))
    assert list(await all_due(store.log)) == [MATCH, OTHER]


@pytest.mark.parametrize(
    ("unwritten", "answer"),
    [
        pytest.param(entry(MATCH, 1, "c", status=Status.FINISHED), Conflict(2), id="a conflict"),
        pytest.param(entry(MATCH, 1, "c", due=1), Conflict(2), id="a conflict with another due time"),
        pytest.param(entry(MATCH, 0, "a", organiser=ANN), Written(1, 1, is_repeated=True), id="a repeated create"),
        pytest.param(
            entry(MATCH, 2, "b", due=1, status=Status.FINISHED), Written(2, 2, is_repeated=True), id="a repeated move"
        ),
        pytest.param(
            entry(MATCH, 2, "a", digest=b"x", due=1, status=Status.FINISHED),
            CommandIdReused(),
            id="a reused command id",
        ),
    ],
)
async def test_what_is_not_written_changes_neither_due_times_nor_counts(
    store: Store, unwritten: Append, answer: object
) -> None:
    """The match is due when its last written append says, and counts for its organiser as before."""
    await store.log.append(entry(MATCH, 0, "a", organiser=ANN))
    await store.log.append(entry(MATCH, 1, "b", due=NOW))
    assert await store.log.append(unwritten) == answer
    assert list(await store.log.due(NOW - 1, MANY)) == []
    assert list(await store.log.due(NOW, MANY)) == [MATCH]
    assert await store.log.open_matches(ANN) == 1


async def test_a_refused_first_append_leaves_nothing(store: Store) -> None:
    """A match that was not made is not due and counts for nobody."""
    assert await store.log.append(entry(MATCH, 3, "a", due=NOW, organiser=ANN)) == Conflict(0)
    assert list(await all_due(store.log)) == []
    assert await store.log.open_matches(ANN) == 0


async def test_an_organisers_open_matches_are_counted(store: Store) -> None:
    """From their first append to their last, over all partitions, each for its own organiser."""
    ids = [match_id(number) for number in range(1, 31)]
    for number, one in enumerate(ids):
        await store.log.append(entry(one, 0, "a", status=Status.WAITING, organiser=(BEN, ANN)[number % 2]))
    for one in ids[:10]:
        await store.log.append(entry(one, 1, "b", status=Status.PLAYING))
    for one in ids[:7]:
        await store.log.append(entry(one, 2, "c", status=Status.FINISHED))
    for log in (store.log, store.again()):
        assert [await log.open_matches(organiser) for organiser in (ANN, BEN, "cem")] == [12, 11, 0]


async def test_a_match_without_an_organiser_counts_for_nobody(store: Store) -> None:
    """Nobody is no organiser."""
    await store.log.append(entry(MATCH, 0, "a"))
    assert await store.log.open_matches("") == 0
    await store.log.append(entry(MATCH, 1, "b", status=Status.FINISHED))
    assert await store.log.open_matches("") == 0


async def test_a_create_that_is_sent_many_times_counts_once(store: Store) -> None:
    """By one process or two, at once or after the match has ended."""
    logs = (store.log, store.again())
    create = entry(MATCH, 0, "a", organiser=ANN)
    await asyncio.gather(*(logs[number % 2].append(create) for number in range(20)))
    assert await store.log.open_matches(ANN) == 1
    await store.log.append(entry(MATCH, 1, "b", status=Status.FINISHED))
    await asyncio.gather(*(log.append(create) for log in logs))
    assert await store.log.open_matches(ANN) == 0


async def test_an_end_that_is_sent_many_times_counts_once(store: Store) -> None:
    """Another match of the organiser stays open."""
    for one in (MATCH, OTHER):
        await store.log.append(entry(one, 0, "a", organiser=ANN))
    logs = (store.log, store.again())
    end = entry(MATCH, 1, "b", status=Status.FINISHED)
    await asyncio.gather(*(logs[number % 2].append(end) for number in range(20)))
    assert await store.log.open_matches(ANN) == 1


async def test_a_match_that_is_over_at_once_is_never_open(store: Store) -> None:
    """It is not counted, and its end takes nothing away from others; neither do appends after the end."""
    await store.log.append(entry(OTHER, 0, "a", organiser=ANN))
    await store.log.append(entry(MATCH, 0, "a", status=Status.FINISHED, organiser=ANN))
    await store.log.append(entry(MATCH, 1, "b", status=Status.FINISHED, organiser=ANN))
    assert await store.log.open_matches(ANN) == 1


async def test_a_match_keeps_its_first_organiser(store: Store) -> None:
    """Later appends need not name it, and can't change it."""
    await store.log.append(entry(MATCH, 0, "a", status=Status.WAITING, organiser=ANN))
    await store.log.append(entry(MATCH, 1, "b", status=Status.PLAYING, organiser=BEN))
    assert [await store.log.open_matches(organiser) for organiser in (ANN, BEN)] == [1, 0]
    await store.log.append(entry(MATCH, 2, "c", status=Status.FINISHED, organiser=BEN))
    assert [await store.log.open_matches(organiser) for organiser in (ANN, BEN)] == [0, 0]


@pytest.mark.parametrize(
    ("beats", "downtimes"),
    [
        pytest.param([NOW], [], id="the first beat ever"),
        pytest.param([NOW, NOW + 5, NOW + 10], [], id="beats at the longest gap"),
        pytest.param([NOW, NOW + 6], [(NOW, NOW + 6)], id="a gap that is longer by one"),
        pytest.param([NOW, NOW + 6, NOW + 6, NOW + 6], [(NOW, NOW + 6)], id="a beat that is sent again"),
        pytest.param([NOW, NOW - 100], [], id="a beat from before the first"),
        pytest.param([NOW, NOW - 2, NOW + 5], [], id="an older beat does not take the newest back"),
        pytest.param([NOW, NOW + 3, NOW + 1, NOW + 8], [], id="an older beat in between"),
        pytest.param([NOW, NOW + 9, NOW + 4, NOW + 14], [(NOW, NOW + 9)], id="a late beat does not shorten a downtime"),
        pytest.param(
            [NOW, NOW + 10, NOW + 12, NOW + 30], [(NOW, NOW + 10), (NOW + 12, NOW + 30)], id="two downtimes in order"
        ),
    ],
)
async def test_a_long_silence_is_a_downtime(store: Store, beats: list[int], downtimes: list[tuple[int, int]]) -> None:
    """Two processes beat in turn; both are told of every downtime of the platform, which is theirs together."""
    logs = (store.log, store.again())
    for number, now in enumerate(beats):
        found = await logs[number % 2].beat(now, 5)
    assert list(found) == downtimes
    assert list(await logs[0].beat(beats[-1], 5)) == downtimes


async def test_processes_that_come_back_together_find_one_downtime(store: Store) -> None:
    """Whoever is first ends it."""
    logs = (store.log, store.again())
    await store.log.beat(NOW, SECOND)
    back = NOW + 60 * SECOND
    await asyncio.gather(*(logs[number % 2].beat(back + number, SECOND) for number in range(20)))
    ((began, ended),) = await store.log.beat(back + 20, SECOND)
    assert began == NOW
    assert back <= ended < back + 20


async def test_the_newest_downtimes_are_remembered(store: Store) -> None:
    """The oldest are forgotten, one by one."""
    times = [NOW + number * SECOND for number in range(MOST_DOWNTIMES + 6)]
    found = [await store.log.beat(now, 1) for now in times][-1]
    assert list(found) == list(pairwise(times))[-MOST_DOWNTIMES:]
