"""Tournaments that are over, proved by what anybody can get of them: without a server, from their exported logs."""

from google.protobuf.message import Message

from meydan.match.v1 import match_service_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services import registry
from services.tournament import results
from services.tournament.book import standings_rows
from services.tournament.state import Tournament
from services.tournament.verify import audited
from services.tournament.wire import WIRE
from shared.audit import audit
from tests.e2e.hosting import Event


def proved(event: Event) -> tuple[Tournament, list[Message]]:
    """A tournament that is over, from its log alone, and what has happened in it; all that can be checked is right."""
    found = audited(event.export(), event.keys())
    happened = list(map(WIRE.public, found.envelopes))
    assert found.tournament.places is not None
    assert event.standings() == standings_rows(found.tournament)
    _check_matches(event, found.tournament, [one.result for one in happened if isinstance(one, pb.ResultRecorded)])
    _check_explanations(event, found.tournament)
    return found.tournament, happened


def _check_matches(event: Event, tournament: Tournament, recorded: list[pb.MatchResult]) -> None:
    """Each was recorded once, exactly as its own log says, with the hash that this log ends with."""
    ids = [result.match_id for result in recorded]
    assert len(set(ids)) == len(ids) == tournament.results
    game = registry.load(tournament.plan.game)
    everything = match_service_pb2.Viewer(everything=match_service_pb2.Everything())
    for result in recorded:
        request = match_service_pb2.ExportMatchRequest(match_id=result.match_id, viewer=everything)
        pieces = event.person.ask_game(game.name, "ExportMatch", request)
        lines = b"".join([one.piece for one in pieces]).decode().splitlines(keepends=True)
        match = audit(lines, registry.load, event.keys()).match
        assert match is not None
        assert results.result_of(game, match) == result


def _check_explanations(event: Event, tournament: Tournament) -> None:
    """Whoever asks why somebody sat there is told so in sentences, of every round."""
    for pairing in tournament.rounds:
        for number, entrant in tournament.entrants.items():
            told = event.explanation(pairing.number, number)
            assert told, (pairing.number, number)
            assert all(sentence.endswith(".") for sentence in told), told
            assert any(entrant.name in sentence for sentence in told), told


def check_pushed(pushed: list[api.WatchStandingsResponse], rows: list[api.StandingsRow]) -> None:
    """Only what has changed was sent, in several pieces, and together that is how the standings are in the end."""
    known: dict[int, api.StandingsRow] = {}
    for piece in pushed:
        assert all(known.get(row.number) != row for row in piece.rows)
        known |= {row.number: row for row in piece.rows}
    assert known == {row.number: row for row in rows}
    assert len([piece for piece in pushed if piece.rows]) > 1
    assert [piece.version for piece in pushed] == sorted({piece.version for piece in pushed})
    assert pushed[-1].status == api.TOURNAMENT_STATUS_FINISHED
