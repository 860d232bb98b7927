"""Who may do what: a table of every call and every kind of token.

Whoever has no good token is told nothing: neither a match nor its existence is looked at. Whoever has one is told of a
match that it is not theirs (NOT_YOUR_MATCH, NOT_YOUR_SEAT), and of one that does not exist that it does not
(UNKNOWN_MATCH). That tells a match that is there from one that is not; but the id of a match has 80 random bits, and
nobody gets it who may not watch it: not from lists, and not from their page tokens.
"""

import pytest

from meydan.match.v1 import match_service_pb2
from tests.host.attempts import CALLS, CALLS_OF_EMPTY_SEAT, answer
from tests.host.people import gathering
from tests.host.service import UNKNOWN_MATCH, Service

# The calls of the match by the tokens of
#   an organiser: the match's own, and another;       a player: Alice, who has a seat, and Carol, who had it before;
#   the public; a spectator of the match, and of another;
#   a seat: Alice's, another of the match, one of another match, Carol's of before; and a computer player's.
#
# + accepted, in public matches and in those that only invited people watch        p accepted in public ones, else M
# T WRONG_TOKEN   S NOT_YOUR_SEAT   M NOT_YOUR_MATCH   R TOKEN_REVOKED   G MATCH_STARTED   E STILL_SECRET   e E, or M
TABLE = """
                          organiser   player     public  spectator    seat                      agent
                          own  other  has  had           own  other   own  same  other  before
DescribeGame               +     +     +    +      +      +     +      +     +     +      +       +
ListKeys                   +     +     +    +      +      +     +      +     +     +      +       +
CreateMatch                +     +     T    T      T      T     T      T     T     T      T       T
ListMatches                +     +     +    +      +      +     +      +     +     +      +       +
JoinMatch                  T     T     +    +      T      T     T      T     T     T      T       T
IssueToken seat            S     S     +    S      S      S     S      S     S     S      S       S
IssueToken spectator       +     M     M    M      M      M     M      M     M     M      M       M
ReleaseSeat                +     S     G    S      S      S     S      S     S     S      S       S
GetAgentTurn               S     S     S    S      S      S     S      S     S     S      S       +
SubmitCommand              S     S     S    S      S      S     S      +     S     S      R       S
ResignMatch                S     S     S    S      S      S     S      +     S     S      R       S
GetLegalCommands           S     S     S    S      S      S     S      +     S     S      R       S
Play submit                S     S     S    S      S      S     S      +     S     S      R       S
GetView                    +     p     +    p      p      +     M      +     +     M      M       +
GetHistory                 +     p     +    p      p      +     M      +     +     M      M       +
WatchMatch                 +     p     +    p      p      +     M      +     +     M      M       +
ExportMatch                +     p     +    p      p      +     M      +     +     M      M       +
Play follow                +     p     +    p      p      +     M      +     +     M      M       +
GetView as seat            S     S     S    S      S      S     S      +     S     S      R       S
GetHistory as seat         S     S     S    S      S      S     S      +     S     S      R       S
WatchMatch as seat         S     S     S    S      S      S     S      +     S     S      R       S
ExportMatch as seat        S     S     S    S      S      S     S      +     S     S      R       S
Play follow as seat        S     S     S    S      S      S     S      +     S     S      R       S
GetView as everything      E     e     E    e      e      E     M      E     E     M      M       E
GetHistory as everything   E     e     E    e      e      E     M      E     E     M      M       E
WatchMatch as everything   E     e     E    e      e      E     M      E     E     M      M       E
ExportMatch as everything  E     e     E    e      e      E     M      E     E     M      M       E
Play follow as everything  E     e     E    e      e      E     M      E     E     M      M       E
"""
COLUMNS = (
    "organiser",
    "stranger",
    "alice",
    "carol",
    "public",
    "spectator",
    "watcher elsewhere",
    "seat",
    "other seat",
    "seat elsewhere",
    "gone",
    "agent",
)
WORDS = {
    "+": "",
    "T": "PERMISSION_DENIED WRONG_TOKEN",
    "S": "PERMISSION_DENIED NOT_YOUR_SEAT",
    "M": "PERMISSION_DENIED NOT_YOUR_MATCH",
    "R": "PERMISSION_DENIED TOKEN_REVOKED",
    "G": "PERMISSION_DENIED MATCH_STARTED",
    "E": "PERMISSION_DENIED STILL_SECRET",
}
FOR_EVERYBODY = {"DescribeGame", "ListKeys"}
# Their seat has a token of its own, for streams and clients with several of them.
WITH_CREDENTIAL = [name for name in CALLS if name.endswith("as seat")] + [
    "SubmitCommand",
    "ResignMatch",
    "GetLegalCommands",
    "Play submit",
]


def row(name: str, *, is_public: bool) -> dict[str, str]:
    """What the table says of a call, by kind of token."""
    (line,) = [line for line in TABLE.splitlines() if line.startswith(f"{name}  ")]
    letters = line.removeprefix(name).split()
    both = {"p": "+" if is_public else "M", "e": "E" if is_public else "M"}
    return {who: WORDS[both.get(letter, letter)] for who, letter in zip(COLUMNS, letters, strict=True)}


def test_every_call_is_in_the_table() -> None:
    """A new call without a rule of who may make it fails here."""
    rpcs = {method.name for method in match_service_pb2.DESCRIPTOR.services_by_name["MatchService"].methods}
    named = {line[:27].rstrip() for line in TABLE.splitlines()[3:]}
    assert {name.split()[0] for name in named} == rpcs
    assert named == set(CALLS)


@pytest.mark.parametrize("is_public", [True, False], ids=["public", "invited"])
@pytest.mark.parametrize("name", CALLS)
async def test_a_call_is_answered_as_the_table_says(memory_service: Service, name: str, is_public: bool) -> None:
    """To each kind of token; what is refused has changed nothing."""
    who = await gathering(memory_service, is_public=is_public)
    expected = row(name, is_public=is_public)
    # Refusals first: an accepted call changes what the next one finds.
    for kind in sorted(expected, key=lambda kind: not expected[kind]):
        before = await who.logs()
        assert (kind, await answer(CALLS[name], who, who.called_by(kind), who.id)) == (kind, expected[kind])
        assert not expected[kind] or await who.logs() == before


@pytest.mark.parametrize("is_public", [True, False], ids=["public", "invited"])
@pytest.mark.parametrize("name", WITH_CREDENTIAL)
async def test_a_credentials_own_token_is_the_one_that_counts(
    memory_service: Service, name: str, is_public: bool
) -> None:
    """Whatever the token of the call itself would open."""
    who = await gathering(memory_service, is_public=is_public)
    expected = row(name, is_public=is_public)
    for kind in sorted(expected, key=lambda kind: not expected[kind]):
        before = await who.logs()
        caller = who.called_by("seat" if expected[kind] else "public")
        said = await answer(CALLS[name], who, caller, who.id, who.tokens[kind])
        assert (kind, said) == (kind, expected[kind])
        assert not expected[kind] or await who.logs() == before


NOT_GOOD = {
    "garbage": "BAD_TOKEN",
    "forged": "BAD_TOKEN",
    "unsigned": "BAD_TOKEN",
    "expired": "TOKEN_EXPIRED",
}
# A stream that is refused at once must not be written to: the client would say that it is broken, not why.
ONE_REQUEST = [name for name in CALLS if not name.startswith("Play ")]


@pytest.mark.parametrize("name", [name for name in ONE_REQUEST if name not in FOR_EVERYBODY])
async def test_without_a_good_token_nothing_is_told(memory_service: Service, name: str) -> None:
    """Not even whether there is such a match: the answer is the same for one that is not there."""
    who = await gathering(memory_service, is_public=True)
    before = await who.logs()
    for match_id in (who.id, UNKNOWN_MATCH):
        assert await answer(CALLS[name], who, who.anonymous(), match_id) == "UNAUTHENTICATED NO_TOKEN"
        for kind, reason in NOT_GOOD.items():
            said = await answer(CALLS[name], who, who.called_by(kind), match_id)
            assert (kind, said) == (kind, f"UNAUTHENTICATED {reason}")
    assert await who.logs() == before


@pytest.mark.parametrize("name", WITH_CREDENTIAL)
async def test_a_bad_credential_is_not_made_good_by_the_calls_token(memory_service: Service, name: str) -> None:
    """Though that one would open the seat."""
    who = await gathering(memory_service, is_public=True)
    for kind, reason in NOT_GOOD.items():
        said = await answer(CALLS[name], who, who.called_by("seat"), who.id, who.tokens[kind])
        assert said == f"UNAUTHENTICATED {reason}"


@pytest.mark.parametrize("name", sorted(FOR_EVERYBODY))
async def test_what_a_service_is_needs_no_token(memory_service: Service, name: str) -> None:
    """And a bad one does no harm."""
    who = await gathering(memory_service, is_public=False)
    assert await answer(CALLS[name], who, who.anonymous(), who.id) == ""
    assert await answer(CALLS[name], who, who.called_by("garbage"), who.id) == ""


@pytest.mark.parametrize("is_public", [True, False], ids=["public", "invited"])
@pytest.mark.parametrize("name", CALLS_OF_EMPTY_SEAT)
async def test_the_token_of_a_seat_that_is_open_again_opens_nothing(
    memory_service: Service, name: str, is_public: bool
) -> None:
    """Nobody has taken it since."""
    who = await gathering(memory_service, is_public=is_public)
    before = await who.logs()
    said = await answer(CALLS_OF_EMPTY_SEAT[name], who, who.called_by("left"), who.id)
    assert said == "PERMISSION_DENIED TOKEN_REVOKED"
    for look in ("GetView", "GetHistory", "WatchMatch", "ExportMatch", "Play follow"):
        assert await answer(CALLS[look], who, who.called_by("left"), who.id) == "PERMISSION_DENIED NOT_YOUR_MATCH"
    assert await who.logs() == before


OF_A_MATCH = [name for name in CALLS if name not in FOR_EVERYBODY | {"CreateMatch", "ListMatches"}]


@pytest.mark.parametrize("name", OF_A_MATCH)
async def test_a_match_that_is_not_there_is_said_not_to_be(memory_service: Service, name: str) -> None:
    """To whoever has a good token of the right kind."""
    who = await gathering(memory_service, is_public=True)
    kind = "alice" if name == "JoinMatch" else "seat"
    assert await answer(CALLS[name], who, who.called_by(kind), UNKNOWN_MATCH) == "NOT_FOUND UNKNOWN_MATCH"


@pytest.mark.parametrize("is_public", [True, False], ids=["public", "invited"])
async def test_when_a_match_is_over_everything_is_open_to_whoever_may_watch(
    memory_service: Service, is_public: bool
) -> None:
    """And still to nobody else."""
    who = await gathering(memory_service, is_public=is_public)
    await who.finish()
    looks = [name for name in CALLS if name.split()[0] in {"GetView", "GetHistory", "WatchMatch", "ExportMatch"}]
    for name in looks:
        for kind, expected in row("GetView", is_public=is_public).items():
            assert (name, kind, await answer(CALLS[name], who, who.called_by(kind), who.id)) == (name, kind, expected)
