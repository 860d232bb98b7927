"""The computer players of a match."""

from shared.game import AnyGame
from shared.kernel import Chance, Seat
from shared.match.model import Match, Status


def agents_to_act(game: AnyGame, match: Match) -> tuple[tuple[Seat, str], ...]:
    """The computer players whose turn it is, with their levels."""
    if match.status is not Status.PLAYING:
        return ()
    acting = (seat for seat in game.to_act(match.state) if seat not in match.out)
    return tuple((seat, match.seats[seat].ai_level) for seat in acting if match.seats[seat].ai_level)


def agent_seed(match: Match, seat: Seat) -> bytes:
    """The chance of a computer player's next move: from the match's seed, but telling nothing of it."""
    return Chance(match.seed).derive(f"ai/{seat}/{match.version}")
