"""Traces: a tournament from the call that starts it to its end, each part led to by another; and no secret in them."""

import base64

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode

from meydan.tournament.v1 import tournament_service_pb2 as api
from shared.access.tokens import Scope
from shared.match.model import Status
from tests.host.service import bearer, refusal
from tests.host.test_tracing import CALLER, TRACE, TRACEPARENT, Spans, id_of, parent_of, trace_of
from tests.tournament.service.serving import ORGANISER, Cup
from tests.tournament.tasks.platform import Platform


async def start_traced(here: Platform, cup: Cup) -> str:
    """The organiser starts it, and is tracing."""
    token = here.cups.token(Scope.ORGANISER, ORGANISER)
    request = api.StartTournamentRequest(**cup.ids)
    await here.cups.organiser.StartTournament(request, metadata=(*bearer(token), TRACEPARENT))
    return token


def line_to(last: ReadableSpan, spans: Spans) -> list[tuple[str, object]]:
    """The names of all parts that led to one, the first first, with the game of each."""
    known = {id_of(span): span for span in spans.all()}
    found: list[tuple[str, object]] = []
    here: ReadableSpan | None = last
    while here is not None:
        found.insert(0, (here.name, (here.attributes or {}).get("game")))
        last, here = here, known.get(parent_of(here) or "")
    assert parent_of(last) == CALLER
    return found


async def test_a_tournament_is_followed_from_its_start_to_its_end(here: Platform, spans: Spans) -> None:
    """One trace: call, append, dispatch, task and the task's own call, over rounds, matches, turns and results."""
    cup = await here.cup()
    spans.clear()
    await start_traced(here, cup)
    await here.go(cup.id)
    await here.go(cup.id)
    [match_id] = await here.matches_of(cup)
    await here.play(match_id)
    await here.go(match_id)
    await here.go(cup.id)
    assert (await cup.state()).status is Status.FINISHED
    assert {trace_of(span) for span in spans.all()} == {TRACE}
    turns = len(spans.named("play_turn"))
    event, match = "tournament", "domino"
    assert line_to(spans.named("append")[-1], spans) == [
        *[("StartTournament", event), ("append", event), ("dispatch", event), ("pair_round", event)],
        *[("SubmitRound", event), ("append", event), ("dispatch", event), ("start_matches", event)],
        *[("CreateMatch", match), ("append", match)],
        *[("dispatch", match), ("play_turn", match), ("SubmitCommand", match), ("append", match)] * turns,
        *[("dispatch", match), ("match_ended", match)],
        *[("RecordResult", event), ("append", event), ("dispatch", event), ("pair_round", event)],
        *[("SubmitRound", event), ("append", event)],
    ]


async def test_parts_name_the_tournament_or_the_match_and_nothing_else(here: Platform, spans: Spans) -> None:
    """All spans of a tournament are searched for tokens, seeds, names, draws and reasons."""
    cup = await here.cup()
    token = await start_traced(here, cup)
    await here.go(cup.id)
    await here.go(cup.id)
    [match_id] = await here.matches_of(cup)
    await here.play(match_id)
    await here.go(match_id)
    ruling = await cup.rule(double_loss={"round": 1, "table": 0})
    await cup.arbiter.UndoRuling(api.UndoRulingRequest(**cup.ids, number=ruling, reason="It was not seen."))
    await here.go(cup.id)
    told = "".join(span.to_json() for span in spans.all())
    names = {span.name for span in spans.all()}
    assert names >= {"StartTournament", "pair_round", "start_matches", "RecordResult", "MakeRuling", "UndoRuling"}
    assert {cup.id, match_id} <= {str((span.attributes or {}).get("match")) for span in spans.all()}
    state = await cup.state()
    match = (await here.matches.host.fresh(match_id)).folded
    seeds = [state.server_seed, match.server_seed]
    secrets = [token, "eyJ", "Telling", "cup", "seen", ORGANISER, *(seed.hex() for seed in seeds)]
    secrets += [base64.b64encode(seed).decode() for seed in seeds]
    assert all(seeds)
    assert [secret for secret in secrets if secret in told] == []
    allowed = {"game", "match", "version", "command", "refusal"}
    assert {name for span in spans.all() for name in span.attributes or ()} <= allowed


async def test_a_call_that_is_refused_tells_its_code_and_no_sentence(here: Platform, spans: Spans) -> None:
    """A no is an answer, and no error."""
    cup = await here.cup(computers=1)
    spans.clear()
    await refusal(here.cups.organiser.StartTournament(api.StartTournamentRequest(**cup.ids)))
    call = spans.one("StartTournament")
    assert call.attributes == {"game": "tournament", "match": cup.id, "refusal": "failed_precondition"}
    assert call.status.status_code is StatusCode.UNSET
