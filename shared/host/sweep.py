"""The sweep ends turns whose time is up. Any number of services may run it: by the expected version, one wins."""

import asyncio

import structlog

from shared import metrics
from shared.eventlog.store import LogUnavailable
from shared.host.errors import Refused
from shared.host.host import Command, Host, digest_of
from shared.host.pulse import MOST_GAP_MICROS
from shared.match.model import Match, Status

log = structlog.get_logger(__name__)

_AT_ONCE = 100


class Sweep:
    """Tells the log that the platform is alive, hears when it was not, and looks for what is due."""

    def __init__(self, host: Host, seconds: float) -> None:
        self._host = host
        self._seconds = seconds

    async def run(self) -> None:
        """Until it is cancelled; a log that is away is asked again."""
        while True:
            await self.try_step()
            await asyncio.sleep(self._seconds)

    async def try_step(self) -> None:
        """One look, if the log answers."""
        try:
            await self.step()
        except LogUnavailable as error:
            self._host.pulse.is_unknown()
            log.warning("sweep_failed", error=str(error))
        except Exception:
            log.exception("sweep_failed")

    async def step(self) -> None:
        """One look; as long as much is due, another one."""
        while True:
            # First: what fell due while the platform was away is looked at with the time that is given back.
            await self._beat()
            overdue = await self._host.log.due(self._host.now(), _AT_ONCE)
            ended = [await self._try_to_expire(match_id) for match_id in overdue]
            if len(overdue) < _AT_ONCE or not any(ended):
                return

    async def _beat(self) -> None:
        now = self._host.now()
        self._host.pulse.heard(now, await self._host.log.beat(now, MOST_GAP_MICROS))

    async def _try_to_expire(self, match_id: str) -> bool:
        """One match that can't be read must not keep the others waiting."""
        try:
            return await self._expire(match_id)
        except LogUnavailable:
            raise
        except Exception:
            log.exception("clock_failed", match=match_id)
            return False

    async def _expire(self, match_id: str) -> bool:
        try:
            live = await self._host.fresh(match_id)
            match: Match = live.match
            command = Command(
                "platform",
                f"clock-{match.version}",
                digest_of("expire", match.version),
                self._host.lifecycle.expire,
                expected_version=match.version,
            )
            accepted = await self._host.execute(live, command)
        except Refused as refused:
            # Another sweep was faster, or the seat moved in the last moment.
            log.info("clock_not_due", match=match_id, reason=refused.reason)
            return False
        log.info("clock_expired", match=match_id, version=accepted.version)
        reason = "no_show" if match.status is Status.WAITING else "time_up"
        metrics.CLOCK_EXPIRIES.labels(self._host.game.name, reason).inc(len(live.match.out) - len(match.out))
        return True
