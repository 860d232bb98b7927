"""What the dispatcher counts: work that is sent, that it can't send or read, and that was not done in time."""

from collections.abc import Sequence
from typing import Any, cast

import pytest
import redis
from structlog.testing import capture_logs

from meydan.work.v1 import work_pb2
from services.workers import dispatcher
from services.workers.app import app
from shared.dispatch.dispatcher import Dispatcher
from shared.dispatch.outbox import Entry, Outboxes
from shared.eventlog.store import AGENT_TURN, MATCH_ENDED, PAIR_ROUND, START_MATCHES
from tests.host.counting import Counted

ROUND = work_pb2.TournamentRound(tournament_id="01AAAAAAAAAAAAAAAAAAAAAAAA", round=1).SerializeToString()
GOOD = Entry("tournament", "outbox", "1-0", "01AAAAAAAAAAAAAAAAAAAAAAAA", PAIR_ROUND, ROUND)


class Waiting:
    """An outbox with some new and some overdue work."""

    def __init__(self, new: Sequence[Entry], overdue: Sequence[Entry] = ()) -> None:
        self._new, self._overdue = list(new), list(overdue)

    def prepare(self) -> None:
        """It is there."""

    def take_new(self, _block_millis: int) -> list[Entry]:
        return self._new

    def take_overdue(self, _idle_millis: int) -> list[Entry]:
        return self._overdue


def one_look(waiting: Waiting, send: Any = dispatcher.send) -> None:
    """At the outboxes."""
    Dispatcher(cast("Outboxes", waiting), send, resend_seconds=30.0).step(0)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks that reach the broker."""
    found: list[str] = []
    monkeypatch.setattr(app, "send_task", lambda task, _: found.append(task))
    return found


@pytest.mark.parametrize("kind", [AGENT_TURN, MATCH_ENDED, PAIR_ROUND, START_MATCHES])
def test_work_that_cannot_be_read_is_counted_said_and_holds_up_no_other(sent: list[str], kind: str) -> None:
    """It stays in the outbox, where the next sweep finds it again."""
    work = Counted("meydan_work_total")
    with capture_logs() as said:
        one_look(Waiting([bad(kind), GOOD]))
    assert sent == ["meydan.pair_round"]
    assert work.changes() == {f"{kind} unreadable": 1.0, "pair_round sent": 1.0}
    assert [line["kind"] for line in said if line["event"] == "unknown_work"] == [kind]


def test_work_of_a_kind_that_nobody_knows_is_counted_and_said(sent: list[str]) -> None:
    """A newer service may have written it."""
    work = Counted("meydan_work_total")
    with capture_logs() as said:
        one_look(Waiting([bad("of_tomorrow"), GOOD]))
    assert sent == ["meydan.pair_round"]
    assert work.changes() == {"of_tomorrow unreadable": 1.0, "pair_round sent": 1.0}
    assert [line["kind"] for line in said if line["event"] == "unknown_work"] == ["of_tomorrow"]


def bad(kind: str) -> Entry:
    """Work that is no message."""
    return Entry("domino", "outbox", "2-0", GOOD.match_id, kind, b"\xff")


def test_work_that_was_not_done_in_time_is_counted_and_sent_again(sent: list[str]) -> None:
    """Once as overdue, once as sent."""
    work = Counted("meydan_work_total")
    one_look(Waiting([], overdue=[GOOD]))
    assert sent == ["meydan.pair_round"]
    assert work.changes() == {"pair_round overdue": 1.0, "pair_round sent": 1.0}


def test_a_broker_that_is_away_is_counted_each_time_and_asked_until_it_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Work is not lost by it, nor counted as sent."""
    asked: list[str] = []

    def away_twice(task: str, _: Any) -> None:
        asked.append(task)
        if len(asked) < 3:
            raise ConnectionError

    monkeypatch.setattr(app, "send_task", away_twice)
    monkeypatch.setattr("shared.dispatch.dispatcher._PAUSE_SECONDS", 0.0)
    work = Counted("meydan_work_total")
    with capture_logs() as said:
        one_look(Waiting([GOOD]))
    assert asked == ["meydan.pair_round"] * 3
    assert work.changes() == {"pair_round put_off": 2.0, "pair_round sent": 1.0}
    assert [line["event"] for line in said].count("broker_unreachable") == 2


def test_outboxes_that_cannot_be_reached_are_counted_and_looked_at_again(sent: list[str]) -> None:
    """Until they can, or the dispatcher is told to stop."""

    class Away(Waiting):
        is_away = True

        def take_new(self, _block_millis: int) -> list[Entry]:
            if self.is_away:
                self.is_away = False
                raise redis.ConnectionError("away")
            return [GOOD]

    def send_and_stop(entry: Entry) -> None:
        dispatcher.send(entry)
        running.stop()

    running = Dispatcher(cast("Outboxes", Away([])), send_and_stop, resend_seconds=30.0)
    work = Counted("meydan_work_total")
    with capture_logs() as said:
        running.run()
    assert sent == ["meydan.pair_round"]
    assert work.changes() == {"all unreachable": 1.0, "pair_round sent": 1.0}
    assert [line["event"] for line in said].count("outbox_unreachable") == 1
