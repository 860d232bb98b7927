"""Ids of matches, and the keys that open their seats."""

import base64
import hashlib
import hmac
import re
import secrets
from functools import lru_cache

from shared.kernel import Seat

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MATCH_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", re.ASCII)

_KEYS_AT_HAND = 4096


def new_match_id(now_micros: int) -> str:
    """A ULID: 48 bits of milliseconds, 80 of chance. Ids sort in the order in which they were made."""
    number = (now_micros // 1000 & (1 << 48) - 1) << 80 | secrets.randbits(80)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def is_match_id(text: str) -> bool:
    """Whether a match could have this id."""
    return _MATCH_ID.fullmatch(text) is not None


def join_id(request_id: str) -> str:
    """What the log shows of a join's request id: it can't be turned back, so that nobody else can repeat the join."""
    return hashlib.sha256(b"meydan-join\0" + request_id.encode()).hexdigest()[:32]


class SeatKeys:
    """Seat keys are computed, not stored: they depend on the platform's secret and on who took the seat."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        # Asked for at each command of a seat.
        self._key = lru_cache(maxsize=_KEYS_AT_HAND)(self._compute)

    def for_player(self, match_id: str, seat: Seat, joined: str) -> str:
        """The key of a seat that was taken by the join with this id."""
        return self._key(f"player/{match_id}/{seat}/{joined}")

    def for_agent(self, match_id: str, seat: Seat) -> str:
        """The key with which workers play a computer's seat."""
        return self._key(f"agent/{match_id}/{seat}")

    def _compute(self, purpose: str) -> str:
        digest = hmac.digest(self._secret, b"meydan-seat\0" + purpose.encode(), "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
