"""A tournament in which every part of the platform is killed: the short form of `make chaos`."""

from pathlib import Path

from services import registry
from services.launcher import Launcher
from shared.settings import Settings
from tests.faults.event import PARTS, Event, Size


def test_a_tournament_counts_every_match_once_whoever_is_killed(tmp_path: Path) -> None:
    """Workers, dispatcher, the game's service and the tournament's own, each more than once."""
    ports = dict.fromkeys(registry.SERVICES, 0)
    settings = Settings(data_dir=tmp_path, ports=ports, redis_url="", broker_url="", resend_seconds=1.0)
    with Launcher(settings, (registry.TOURNAMENT, "domino")) as platform:
        event = Event(platform, Size(entrants=24, rounds=4, kills=8, seconds=180.0), seed=1)
        event.run()
        event.check()
    assert event.killed == dict.fromkeys(PARTS, 2)
