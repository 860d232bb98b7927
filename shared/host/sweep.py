"""The sweep looks for what is due. Any number of services may run it: by the expected version, one wins."""

import asyncio
from typing import Generic, TypeVar

import structlog

from shared.eventlog.store import LogUnavailable
from shared.host.errors import Refused
from shared.host.keeper import Command, Keeper, digest_of
from shared.host.pulse import MOST_GAP_MICROS
from shared.match.model import Logged

log = structlog.get_logger(__name__)

T = TypeVar("T", bound=Logged)

_AT_ONCE = 100


class Sweep(Generic[T]):
    """Tells the log that the platform is alive, hears when it was not, and looks for what is due."""

    def __init__(self, keeper: Keeper[T], seconds: float) -> None:
        self._keeper = keeper
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
            self._keeper.pulse.is_unknown()
            log.warning("sweep_failed", error=str(error))
        except Exception:
            log.exception("sweep_failed")

    async def step(self) -> None:
        """One look; as long as much is due, another one."""
        while True:
            # First: what fell due while the platform was away is looked at with the time that is given back.
            await self._beat()
            overdue = await self._keeper.log.due(self._keeper.now(), _AT_ONCE)
            ended = [await self._try_to_expire(log_id) for log_id in overdue]
            if len(overdue) < _AT_ONCE or not any(ended):
                return

    async def _beat(self) -> None:
        now = self._keeper.now()
        self._keeper.pulse.heard(now, await self._keeper.log.beat(now, MOST_GAP_MICROS))

    async def _try_to_expire(self, log_id: str) -> bool:
        """One log that can't be read must not keep the others waiting."""
        try:
            return await self._expire(log_id)
        except LogUnavailable:
            raise
        except Exception:
            log.exception("clock_failed", match=log_id)
            return False

    async def _expire(self, log_id: str) -> bool:
        try:
            live = await self._keeper.fresh(log_id)
            before = live.folded
            command = Command(
                "platform",
                f"clock-{before.version}",
                digest_of("expire", before.version),
                self._keeper.expire,
                expected_version=before.version,
            )
            accepted = await self._keeper.execute(live, command)
        except Refused as refused:
            # Another sweep was faster, or the seat moved in the last moment.
            log.info("clock_not_due", match=log_id, reason=refused.reason)
            return False
        log.info("clock_expired", match=log_id, version=accepted.version)
        self._keeper.expired(before, live.folded)
        return True
