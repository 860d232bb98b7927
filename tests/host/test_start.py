"""What a service needs before it starts."""

import pytest

from services.domino.game import GAME
from shared.host.server import serve
from shared.settings import Settings


@pytest.mark.parametrize(
    ("redis_url", "secret", "message"),
    [
        pytest.param("", "secret", "needs MEYDAN_REDIS_URL", id="no address of Redis"),
        pytest.param("redis://127.0.0.1:1", "", "MEYDAN_SECRET", id="no secret"),
        pytest.param("nonsense", "secret", "MEYDAN_REDIS_URL is not the address", id="an address that is none"),
    ],
)
def test_a_service_without_what_it_needs_says_so_and_ends(redis_url: str, secret: str, message: str) -> None:
    """One sentence, before it listens anywhere."""
    with pytest.raises(SystemExit, match=message):
        serve(GAME, Settings(redis_url=redis_url, secret=secret), 0)
