"""The messages of tournaments' logs, by name."""

from google.protobuf.message import Message

from meydan.match.v1.envelope_pb2 import ServerSeed
from meydan.tournament.v1 import tournament_pb2 as pb
from shared.match.wire import Messages

# What logs of tournaments are called, where those of matches have the name of their game.
NAME = "tournament"

EVENTS: tuple[type[Message], ...] = (
    pb.TournamentCreated,
    pb.EntrantRegistered,
    pb.EntrantCheckedIn,
    pb.EntrantWithdrawn,
    pb.EntrantReturned,
    pb.TournamentStarted,
    pb.PairsLaidDown,
    pb.RoundPaired,
    pb.MatchesStarted,
    pb.ResultRecorded,
    pb.RulingMade,
    pb.RulingUndone,
    pb.TournamentPaused,
    pb.TournamentResumed,
    pb.ArenaClosed,
    pb.TournamentFinished,
)

WIRE = Messages((*EVENTS, ServerSeed), {})
