"""`meydan tournament rule` and `undo-ruling`: an arbiter decides."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from meydan.match.v1.envelope_pb2 import Place
from meydan.tournament.v1 import tournament_pb2 as pb
from services.cli import show, tournament_lookup
from services.cli.failures import Wrong
from services.cli.sentences import counted


@dataclass(frozen=True, slots=True)
class RulingWish:
    """A table, and one of the things that can be ruled; or two who change places."""

    tournament: str
    reason: str
    round: int | None = None
    table: int | None = None
    forfeit: Sequence[int] = ()
    places: str | None = None
    is_double_loss: bool = False
    is_annulled: bool = False
    swap: tuple[str, str] | None = None


def rule(wish: RulingWish, address: str | None) -> None:
    """Makes a ruling, and says by which number it can be undone."""
    tournament = tournament_lookup.tournament_id(wish.tournament)
    _check(wish)
    with tournament_lookup.client_of(address) as client:
        if wish.swap is None:
            ruling = _about_table(wish)
        else:
            one, other = (tournament_lookup.entrant(client, tournament, who) for who in wish.swap)
            ruling = pb.Ruling(swap=pb.Swap(one=one, other=other))
        number = client.rule(tournament, ruling, wish.reason)
    out = show.console()
    show.say(out, Text(f"Ruling {number} stands."))
    show.commands(
        out, (f"{show.program()} tournament undo-ruling {tournament} {number} --reason TEXT", "takes it back")
    )


def _check(wish: RulingWish) -> None:
    kinds = [bool(wish.forfeit), wish.places is not None, wish.is_double_loss, wish.is_annulled, wish.swap is not None]
    if sum(kinds) != 1:
        raise Wrong("A ruling is one of --forfeit, --places, --double-loss, --annul and --swap.")
    has_table = wish.round is not None and wish.table is not None
    if wish.swap is None and not has_table:
        raise Wrong("Which table? A ruling names a round and a table; `meydan tournament round` shows them.")
    if wish.swap is not None and wish.round is not None:
        raise Wrong("A swap is of the present round: it names no round and no table.")


def _about_table(wish: RulingWish) -> pb.Ruling:
    number, table = wish.round or 0, wish.table or 0
    if wish.forfeit:
        return pb.Ruling(forfeit=pb.Forfeit(round=number, table=table, seats=wish.forfeit))
    if wish.places is not None:
        return pb.Ruling(override=pb.Override(round=number, table=table, places=places(wish.places)))
    if wish.is_double_loss:
        return pb.Ruling(double_loss=pb.DoubleLoss(round=number, table=table))
    return pb.Ruling(annulment=pb.Annulment(round=number, table=table))


def places(word: str) -> list[Place]:
    """`1,0`: seat 1 before seat 0; `1=0`: they share the place."""
    try:
        return [Place(seats=[int(seat) for seat in tied.split("=")]) for tied in word.split(",")]
    except ValueError:
        raise Wrong(f"Places are seats, the winner first, such as 1,0 or 2,0=1, not {word!r}.") from None


def undo(word: str, number: int, reason: str, address: str | None) -> None:
    """Takes a ruling back."""
    tournament = tournament_lookup.tournament_id(word)
    with tournament_lookup.client_of(address) as client:
        client.undo(tournament, number, reason)
    show.say(show.console(), Text(f"Ruling {number} is undone: what stood before counts again."))


def pairs(word: str, forbidden: Sequence[str], forced: Sequence[str], address: str | None) -> None:
    """Lays down who must not, or must, meet; what was laid down before is replaced."""
    tournament = tournament_lookup.tournament_id(word)
    laid_down = pb.PairsLaidDown(forbidden=map(_pair, forbidden), forced=map(_pair, forced))
    with tournament_lookup.client_of(address) as client:
        client.lay_down(tournament, laid_down)
    count = f"{len(forbidden)} forbidden and {counted(len(forced), 'forced pair')}"
    show.say(show.console(), Text(f"{count} are laid down from the next round on."))


def _pair(word: str) -> pb.Pair:
    one, _, other = word.partition(",")
    try:
        return pb.Pair(one=int(one), other=int(other))
    except ValueError:
        raise Wrong(f"A pair is two numbers of entrants, such as 3,7, not {word!r}.") from None
