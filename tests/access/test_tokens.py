"""Tokens: what is read out of a good one, and that nothing is read out of any other.

Every bad token here differs in one thing from one that is read, and is made by hand: what the library behind it does
with such a token is seen, not assumed.
"""

import contextlib
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from shared.access.tokens import TOURNAMENT, BadToken, Claims, Scope
from shared.kernel import Seat
from tests.access.forging import (
    ABSENT,
    HEADER,
    HOUR,
    MATCH,
    NOW,
    OWN,
    PLAYER,
    PROVIDER,
    SEAT,
    SECOND,
    STRANGER,
    WATCHER,
    authenticated,
    by_hand,
    reader,
    refusal,
    segment,
    signed,
    unsigned,
    written,
)
from tests.host.service import StillClock


def is_refused(token: str) -> bool:
    """Whether it is no token at all, as far as anybody is told."""
    refused = refusal(token)
    return (refused.reason, refused.message) == ("BAD_TOKEN", "The token is not valid.")


EXPIRES = (NOW + HOUR) * SECOND


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        pytest.param(PLAYER, Claims("anybody", frozenset({Scope.PLAYER}), EXPIRES), id="player"),
        pytest.param(
            PLAYER | {"scope": "organiser player public"},
            Claims("anybody", frozenset({Scope.ORGANISER, Scope.PLAYER, Scope.PUBLIC}), EXPIRES),
            id="several scopes",
        ),
        pytest.param(SEAT, Claims("anybody", frozenset({Scope.SEAT}), EXPIRES, MATCH, Seat(1), "the-join"), id="seat"),
        pytest.param(WATCHER, Claims("anybody", frozenset({Scope.SPECTATOR}), EXPIRES, MATCH), id="spectator"),
        pytest.param(
            PLAYER | {"aud": ["others", "meydan"]},
            Claims("anybody", frozenset({Scope.PLAYER}), EXPIRES),
            id="for others too",
        ),
        pytest.param(
            PLAYER | {"match": MATCH, "seat": 0, "join": "the-join"},
            Claims("anybody", frozenset({Scope.PLAYER}), EXPIRES),
            id="a player's token opens no seat, whatever it names",
        ),
    ],
)
def test_what_a_good_token_says_is_read(claims: dict[str, Any], expected: Claims) -> None:
    """The bad ones below are made in the same way."""
    assert reader().read(by_hand(claims)) == expected


@pytest.mark.parametrize(
    "claims",
    [
        Claims("somebody", frozenset({Scope.ORGANISER, Scope.PLAYER}), EXPIRES),
        Claims("somebody", frozenset({Scope.PUBLIC}), EXPIRES),
        Claims("somebody", frozenset({Scope.SPECTATOR}), EXPIRES, MATCH),
        Claims("a" * 64, frozenset({Scope.SEAT}), EXPIRES, MATCH, Seat(0), "j" * 64),
    ],
    ids=lambda claims: "+".join(sorted(scope.value for scope in claims.scopes)),
)
def test_what_is_issued_is_read_again(claims: Claims) -> None:
    """Seat 0 too, and the longest names."""
    tokens = reader()
    assert tokens.read(tokens.issue(claims)) == claims


def test_a_provider_says_who_somebody_is() -> None:
    """Tokens of another trusted key are read, with every scope that is bound to no match."""
    claims = PLAYER | {"scope": "organiser player public"}
    assert reader().read(by_hand(claims, PROVIDER)).subject == "anybody"


def test_nobody_but_the_platform_speaks_for_a_tournament() -> None:
    """A provider may call people what it likes, but not so: whoever has this name may open seats of an event."""
    claims = PLAYER | {"scope": "organiser", "sub": f"{TOURNAMENT}{MATCH}"}
    assert is_refused(by_hand(claims, PROVIDER))
    assert reader().read(by_hand(claims)).subject == f"{TOURNAMENT}{MATCH}"


@pytest.mark.parametrize("scope", ["arbiter", "worker"])
def test_nobody_but_the_platform_gives_tokens_of_a_tournament(scope: str) -> None:
    """And they are of one: without its id they are worth nothing."""
    claims = WATCHER | {"scope": scope}
    assert is_refused(by_hand(claims, PROVIDER))
    assert is_refused(by_hand(PLAYER | {"scope": scope}))
    assert reader().read(by_hand(claims)).match_id == MATCH


@pytest.mark.parametrize("claims", [SEAT, WATCHER], ids=["seat", "spectator"])
def test_nobody_but_the_platform_gives_tokens_of_a_match(claims: dict[str, Any]) -> None:
    """Though the other key is trusted for everything else."""
    assert is_refused(by_hand(claims, PROVIDER))
    assert reader().read(by_hand(claims)).match_id == MATCH


@pytest.mark.parametrize(
    "token",
    [
        pytest.param(signed(HEADER, written(PLAYER), STRANGER.key), id="signed by another key"),
        pytest.param(signed(HEADER, written(PLAYER), PROVIDER.key), id="signed by another key that is trusted"),
        pytest.param(by_hand(PLAYER, STRANGER), id="an unknown key id"),
        pytest.param(by_hand(PLAYER, kid=ABSENT), id="no key id"),
        pytest.param(by_hand(PLAYER, kid=None), id="an empty key id"),
        pytest.param(by_hand(PLAYER, kid=[OWN.public.id]), id="a list of key ids"),
        pytest.param(by_hand(PLAYER, kid={"a": 1}), id="an object as key id"),
        pytest.param(unsigned(HEADER, written(PLAYER)) + ".", id="no signature"),
        pytest.param(unsigned(HEADER, written(PLAYER)), id="two parts"),
        pytest.param(by_hand(PLAYER) + ".more", id="four parts"),
        pytest.param(unsigned(HEADER | {"alg": "none"}, written(PLAYER)) + ".", id="alg none"),
        pytest.param(unsigned(HEADER | {"alg": "None"}, written(PLAYER)) + ".", id="alg None"),
        pytest.param(by_hand(PLAYER, alg="none"), id="alg none with a good signature"),
        pytest.param(by_hand(PLAYER, alg=ABSENT), id="no alg"),
        pytest.param(by_hand(PLAYER, alg=""), id="an empty alg"),
        pytest.param(by_hand(PLAYER, alg=["EdDSA"]), id="a list of algs"),
        pytest.param(by_hand(PLAYER, alg="eddsa"), id="alg in small letters"),
        pytest.param(by_hand(PLAYER, crit=["exp"]), id="a critical header that nobody knows"),
        pytest.param(by_hand(PLAYER, b64=False, crit=["b64"]), id="a detached payload"),
        pytest.param(
            signed(
                HEADER | {"kid": STRANGER.public.id, "jwk": {"kty": "OKP", "crv": "Ed25519", "x": segment(b"x" * 32)}},
                written(PLAYER),
                STRANGER.key,
            ),
            id="a key of its own in the header",
        ),
        pytest.param(signed(HEADER, written(PLAYER), Ed448PrivateKey.generate()), id="signed on another curve"),
        pytest.param(signed(HEADER, b"[]", OWN.key), id="claims that are no object"),
        pytest.param(signed(HEADER, b"not JSON", OWN.key), id="claims that are no JSON"),
        pytest.param(signed(HEADER, b"\xff", OWN.key), id="claims that are no text"),
        pytest.param(signed(HEADER, b"[" * 2000, OWN.key), id="deep claims"),
        pytest.param(f"{segment(b'[' * 2000)}.{segment(b'{}')}.", id="a deep header"),
        pytest.param("", id="nothing"),
        pytest.param("..", id="empty parts"),
        pytest.param("Bearer " + by_hand(PLAYER), id="with the word Bearer"),
        pytest.param(" " + by_hand(PLAYER), id="with a space"),
        pytest.param(by_hand(PLAYER) + "é", id="not ASCII"),
        pytest.param(by_hand(PLAYER) + "\ud800", id="not even Unicode"),
        pytest.param("\0" * 100, id="zeros"),
    ],
)
def test_a_token_that_is_not_signed_by_a_trusted_key_is_refused(token: str) -> None:
    """Whatever its header says of how to check it."""
    assert is_refused(token)


@pytest.mark.parametrize(
    "secret",
    [
        pytest.param(OWN.public.data, id="raw"),
        pytest.param(
            OWN.public.key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), id="as a file of it"
        ),
        pytest.param(OWN.public.data.hex().encode(), id="as text"),
    ],
)
@pytest.mark.parametrize("algorithm", ["HS256", "EdDSA"])
def test_the_public_key_is_no_secret_to_sign_with(secret: bytes, algorithm: str) -> None:
    """Who only knows what everybody knows can't have a code made of it taken for a signature."""
    assert is_refused(authenticated(HEADER | {"alg": algorithm}, written(PLAYER), secret))


@pytest.mark.parametrize(
    "change",
    [
        {"exp": ABSENT},
        {"exp": None},
        {"exp": True},
        {"exp": str(NOW + HOUR)},
        {"exp": float(NOW + HOUR)},
        {"exp": float("inf")},
        {"exp": float("nan")},
        {"exp": -NOW},
        {"exp": [NOW + HOUR]},
        {"aud": ABSENT},
        {"aud": "others"},
        {"aud": ""},
        {"aud": ["others"]},
        {"aud": {"meydan": 1}},
        {"aud": ["meydan", 1]},
        {"iss": ABSENT},
        {"iss": "others"},
        {"iss": ["meydan"]},
        {"iss": "meydan.example"},
        {"sub": ABSENT},
        {"sub": ""},
        {"sub": None},
        {"sub": 7},
        {"sub": ["anybody"]},
        {"sub": "a" * 65},
        {"sub": "any\nbody"},
        {"sub": "any\x00body"},
        {"sub": "anybodÿ"},
        {"scope": ABSENT},
        {"scope": ""},
        {"scope": " "},
        {"scope": None},
        {"scope": 1},
        {"scope": ["player"]},
        {"scope": "admin"},
        {"scope": "player admin"},
        {"scope": "Player"},
        # Not good before a time that is far away.
        {"nbf": 2**40},
    ],
    ids=str,
)
def test_claims_that_are_missing_or_wrong_are_refused(change: dict[str, Any]) -> None:
    """Though the platform's own key has signed them."""
    assert is_refused(by_hand(PLAYER | change))


@pytest.mark.parametrize(
    "change",
    [
        {"match": ABSENT},
        {"match": ""},
        {"match": 7},
        {"seat": ABSENT},
        {"seat": None},
        {"seat": -1},
        {"seat": True},
        {"seat": False},
        {"seat": 1.0},
        {"seat": "1"},
        {"join": ABSENT},
        {"join": ""},
        {"join": 7},
        {"scope": "seat player"},
        {"scope": "seat spectator"},
        {"scope": "organiser seat"},
    ],
    ids=str,
)
def test_a_seats_token_is_of_one_seat_and_nothing_else(change: dict[str, Any]) -> None:
    """Whole, and of no other scope."""
    assert is_refused(by_hand(SEAT | change))


@pytest.mark.parametrize("change", [{"match": ABSENT}, {"scope": "spectator public"}], ids=str)
def test_a_spectators_token_is_of_one_match_and_nothing_else(change: dict[str, Any]) -> None:
    """One without a match must not open all of them."""
    assert is_refused(by_hand(WATCHER | change))


def test_a_seat_of_no_match_is_read_as_it_is() -> None:
    """It opens nothing: how many seats there are is for the match to say."""
    assert reader().read(by_hand(SEAT | {"seat": 10**30})).seat == 10**30


@pytest.mark.parametrize("after", [0, 1, HOUR], ids=["at the second", "a second later", "much later"])
def test_a_token_ends_when_it_says(after: int) -> None:
    """By the platform's clock, whatever the machine's says; also for one that was read and kept at hand before."""
    clock = StillClock()
    tokens, token = reader(clock), by_hand(PLAYER)
    clock.now = EXPIRES - 1
    assert tokens.read(token).expires_micros == EXPIRES
    clock.now = EXPIRES + after * SECOND
    assert refusal(token, tokens).reason == "TOKEN_EXPIRED"
    assert refusal(token, reader(clock)).reason == "TOKEN_EXPIRED"


def test_an_expired_token_with_a_bad_signature_is_bad() -> None:
    """Only who had a good one is told that it has expired."""
    claims = PLAYER | {"exp": NOW - 1}
    assert is_refused(signed(HEADER, written(claims), STRANGER.key))
    assert refusal(by_hand(claims)).reason == "TOKEN_EXPIRED"


def test_an_expiry_is_a_full_second() -> None:
    """What a token says of it is what its holder is told."""
    clock = StillClock(now=NOW * SECOND + 999_999)
    tokens = reader(clock)
    expires = tokens.expiry(10)
    assert expires == (NOW + 10) * SECOND
    assert tokens.read(tokens.issue(Claims("a", frozenset({Scope.PUBLIC}), expires))).expires_micros == expires


def test_a_token_has_a_longest_length() -> None:
    """4,096 characters are read, and not one more."""

    # Both parts grow in steps of more than one character, but not in the same.
    made = (by_hand(PLAYER | {"more": "x" * more}, typ="x" * less) for more in range(2600, 3000) for less in range(4))
    by_length = {len(token): token for token in made}
    assert reader().read(by_length[4096]).subject == "anybody"
    assert is_refused(by_length[4097])


@given(at=st.integers(0, len(by_hand(SEAT)) - 1), letter=st.characters(codec="ascii"))
def test_a_token_with_another_letter_is_refused(at: int, letter: str) -> None:
    """Anywhere in it."""
    token = by_hand(SEAT)
    changed = token[:at] + letter + token[at + 1 :]
    if changed != token:
        assert is_refused(changed)


@given(st.text(max_size=200))
def test_any_text_that_is_no_token_is_refused(text: str) -> None:
    """And never leads to another error."""
    assert is_refused(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=8), inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(list(SEAT)), JSON, min_size=1))
def test_any_claims_under_a_good_signature_are_read_or_refused(change: dict[str, Any]) -> None:
    """And never lead to another error."""
    token = by_hand(SEAT | change)
    with contextlib.suppress(BadToken):
        assert type(reader().read(token).seat) is int
