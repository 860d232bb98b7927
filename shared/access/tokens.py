"""Tokens: JSON Web Tokens signed with Ed25519, each good for what its scope names, until it expires."""

import json
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import jwt

from shared.clock import Clock
from shared.kernel import Seat
from shared.proof.keys import BadKey, PublicKey, SigningKey

_ALGORITHM = "EdDSA"
_ISSUER = _AUDIENCE = "meydan"
_LONGEST = 4096
_LONGEST_SUBJECT = 64
_AT_HAND = 8192
_MICROS = 1_000_000


class Scope(Enum):
    """What a token is good for."""

    # Creates matches, and rules over those that it created.
    ORGANISER = "organiser"
    # Takes seats.
    PLAYER = "player"
    # Plays and sees one seat of one match.
    SEAT = "seat"
    # Watches one match.
    SPECTATOR = "spectator"
    # Watches every public match.
    PUBLIC = "public"
    # Rules over one tournament.
    ARBITER = "arbiter"
    # The platform's own work for one tournament: pairs its rounds, tells it of matches.
    WORKER = "worker"


# The organiser of a tournament's matches is named so, with its id behind it: only the platform speaks for it.
TOURNAMENT = "tournament/"
# They belong to one match, or one tournament.
_BOUND = frozenset({Scope.SEAT, Scope.SPECTATOR, Scope.ARBITER, Scope.WORKER})


class Claims(NamedTuple):
    """What a token says. The last three are of tokens that belong to one match (or tournament)."""

    subject: str
    scopes: frozenset[Scope]
    expires_micros: int
    match_id: str = ""
    seat: Seat | None = None
    # The join that took the seat: when somebody else has it, the token is worth nothing.
    join_id: str = ""


class BadToken(Exception):
    """A token that opens nothing. The reason is a name, the message a sentence; neither has anything of the token."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class Tokens:
    """Makes tokens with the platform's key, and reads those of any key that it trusts."""

    def __init__(self, key: SigningKey, clock: Clock, others: Mapping[str, PublicKey] | None = None) -> None:
        self._key = key
        # Others, such as an identity provider, say who somebody is; seats are given by the platform alone.
        self._others = dict(others or {})
        self.now_micros = clock.now_micros
        # Checking a signature takes as long as deciding ten moves, and a token comes with every move.
        self._read = lru_cache(maxsize=_AT_HAND)(self._verified)

    def issue(self, claims: Claims) -> str:
        """A token that says this."""
        payload: dict[str, Any] = {
            "iss": _ISSUER,
            "aud": _AUDIENCE,
            "sub": claims.subject,
            "exp": claims.expires_micros // _MICROS,
            "scope": " ".join(sorted(scope.value for scope in claims.scopes)),
        }
        if claims.match_id:
            payload["match"] = claims.match_id
        if claims.seat is not None:
            payload |= {"seat": claims.seat, "join": claims.join_id}
        return jwt.encode(payload, self._key.key, algorithm=_ALGORITHM, headers={"kid": self._key.public.id})

    def expiry(self, seconds: int) -> int:
        """The time so many seconds from now, as tokens have it."""
        return (self.now_micros() // _MICROS + seconds) * _MICROS

    def read(self, token: str) -> Claims:
        """What a token says, if it is signed by a key that is trusted here, and has not expired."""
        if len(token) > _LONGEST:
            raise BadToken("BAD_TOKEN", "The token is not valid.")
        claims = self._read(token)
        if claims.expires_micros <= self.now_micros():
            raise BadToken("TOKEN_EXPIRED", "The token has expired.")
        return claims

    def _verified(self, token: str) -> Claims:
        try:
            key_id = jwt.get_unverified_header(token)["kid"]
            is_own = key_id == self._key.public.id
            key = self._key.public if is_own else self._others[key_id]
            payload = jwt.decode(
                token,
                key.key,
                algorithms=[_ALGORITHM],
                audience=_AUDIENCE,
                issuer=_ISSUER,
                # Expiry is looked at each time, by the platform's clock.
                options={"require": ["exp", "sub", "aud", "iss"], "verify_exp": False},
            )
            return _claims(payload, may_bind=is_own)
        except (jwt.PyJWTError, LookupError, TypeError, ValueError):
            # Without the cause: its text might show what the token holds.
            raise BadToken("BAD_TOKEN", "The token is not valid.") from None


def is_subject(text: str) -> bool:
    """Whether a token may name somebody so."""
    return 1 <= len(text) <= _LONGEST_SUBJECT and text.isascii() and text.isprintable()


def _claims(payload: dict[str, Any], *, may_bind: bool) -> Claims:
    subject = _text(payload["sub"])
    if not is_subject(subject):
        raise ValueError("not the name of anybody")
    scopes = frozenset(map(Scope, _text(payload["scope"]).split()))
    if not scopes:
        raise ValueError("good for nothing")
    if subject.startswith(TOURNAMENT) and not may_bind:
        raise ValueError("nobody else speaks for a tournament")
    claims = Claims(subject, scopes, _whole(payload["exp"]) * _MICROS)
    if not scopes & _BOUND:
        return claims
    if len(scopes) > 1 or not may_bind:
        raise ValueError("a token of one match is of nothing else, and of nobody else")
    claims = claims._replace(match_id=_text(payload["match"]))
    if Scope.SEAT in scopes:
        claims = claims._replace(seat=Seat(_whole(payload["seat"])), join_id=_text(payload["join"]))
    return claims


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("not a text")
    return value


def _whole(value: object) -> int:
    # A bool is an int in Python.
    if type(value) is not int or value < 0:
        raise ValueError("not a number of anything")
    return value


def read_key_set(file: Path) -> dict[str, PublicKey]:
    """The Ed25519 keys of a JSON Web Key Set, such as an identity provider publishes, by their ids."""
    try:
        rows = [row for row in json.loads(file.read_text())["keys"] if row.get("crv") == "Ed25519"]
        return {_text(row["kid"]): PublicKey(jwt.PyJWK(row, _ALGORITHM).key.public_bytes_raw()) for row in rows}
    except (OSError, LookupError, TypeError, ValueError, AttributeError, jwt.PyJWTError):
        raise BadKey(f"{file} is not a set of public keys.") from None
