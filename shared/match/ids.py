"""Ids of matches."""

import hashlib
import re
import secrets

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MATCH_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", re.ASCII)


def new_match_id(now_micros: int) -> str:
    """A ULID: 48 bits of milliseconds, 80 of chance. Ids sort in the order in which they were made."""
    return _ulid(now_micros, secrets.randbits(80))


def derived_match_id(now_micros: int, name: str) -> str:
    """The same id for the same time and name, always; another name has another one."""
    return _ulid(now_micros, int.from_bytes(hashlib.sha256(name.encode()).digest()[:10]))


def _ulid(now_micros: int, low: int) -> str:
    number = (now_micros // 1000 & (1 << 48) - 1) << 80 | low
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def is_match_id(text: str) -> bool:
    """Whether a match could have this id."""
    return _MATCH_ID.fullmatch(text) is not None
