"""`meydan play`: a person plays in the terminal."""

import contextlib
import sys
import termios

from google.protobuf.any_pb2 import Any as AnyMessage
from rich.columns import Columns
from rich.console import Console
from rich.text import Text

from meydan.match.v1 import match_service_pb2 as pb
from services.cli import show
from services.cli.client import Client
from services.cli.clocks import Ticking
from services.cli.failures import Refused
from services.cli.feed import PROMPT, Feed
from services.cli.receipts import ReceiptBook
from services.cli.seating import Seating, Wish, take_seat
from services.cli.sentences import named
from services.cli.watch import be_patient, print_end, title
from shared.kernel import Malformed

_LEAVE = ("q", "quit")
_RESIGN = ("resign",)
_HELP = ("?", "h", "help")


class Left(Exception):
    """The person leaves the prompt; the match goes on."""


def play(client: Client, wish: Wish, address: str | None, book: ReceiptBook) -> None:
    """Plays until the match is over or the person leaves, who is told the way back."""
    out = show.console()
    client.on_receipt = book.add
    seating = take_seat(client, wish)
    feed = Feed(client, seating.match_id, seating.viewer, seating.known, out)
    be_patient(client, feed.tell)
    player = Player(client, seating, feed, out, f" --address {address}" if address else "", has_token=bool(wish.token))
    player.greet()
    feed.start()
    try:
        while player.goes_on():
            pass
    except (Left, KeyboardInterrupt):
        out.print()
        player.say_goodbye()
    finally:
        feed.stop()
        book.tell(out)


class Player:
    """A person at a seat."""

    def __init__(self, client: Client, seating: Seating, feed: Feed, out: Console, at: str, *, has_token: bool) -> None:
        self._client = client
        self._seating = seating
        self._feed = feed
        self._out = out
        # What commands need in addition where the address was given.
        self._at = at
        # Came with the token of the seat, and may have no other.
        self._has_token = has_token
        self._has_waited = False
        self._has_explained = False

    def greet(self) -> None:
        """Which match it is, who plays, and how to come back."""
        match = self._client.look(self._seating.match_id).match
        players = show.seats_line(match.seats, self._seating.seat)
        show.say(self._out, Text.assemble(f"{self._client.game.title}, match {match.match_id}: ", players, "."))
        self._out.print("Should this terminal be closed, you come back to your seat with:", style="dim")
        self._print_command(self._way_back)

    def say_goodbye(self) -> None:
        """How to come back."""
        self._out.print("Your seat stays yours. To come back to it:")
        self._print_command(self._way_back)
        if not self._has_token:
            self._out.print("From anywhere else, with the token of your seat; who has it plays for you:")
            self._print_command(self._way_back_with_token)

    @property
    def _way_back(self) -> str:
        """Who holds a seat gets a new token of it; who came with a token may have nothing else."""
        return self._way_back_with_token if self._has_token else f"{self._join_words} --seat {self._seating.seat}"

    @property
    def _way_back_with_token(self) -> str:
        return f"{self._join_words} --token={self._seating.credential.token}"

    @property
    def _join_words(self) -> str:
        return f"play {self._client.game.name} {self._seating.match_id}"

    def _print_command(self, words: str) -> None:
        show.commands(self._out, (f"{show.program()} {words}{self._at}", ""))

    def goes_on(self) -> bool:
        """One look at the match and what follows from it; False when there is nothing left to do."""
        answer = self._client.look(self._seating.match_id, self._seating.viewer)
        match = answer.match
        self._feed.wait_for(match.version)
        if match.status == pb.MATCH_STATUS_FINISHED:
            print_end(self._client, match.match_id, self._out)
            return False
        if match.seats[self._seating.seat].is_out:
            self._out.print("You are out of the match; your seat is played for. To see how it ends:")
            self._print_command(f"watch {match.match_id}")
            return False
        if self._seating.seat in match.to_act:
            return self._act(answer)
        self._wait(match)
        return True

    def _wait(self, match: pb.MatchSummary) -> None:
        if match.status == pb.MATCH_STATUS_WAITING:
            self._invite()
            what = "Waiting for players"
        else:
            what = f"Waiting for {named(match.to_act)}"
        with self._out.status(what) if self._out.is_terminal else contextlib.nullcontext():
            self._feed.wait_for(match.version + 1)

    def _invite(self) -> None:
        if not self._has_waited:
            self._has_waited = True
            self._out.print("The match waits for players. Another one joins with:")
            self._print_command(self._join_words)

    def _act(self, answer: pb.GetViewResponse) -> bool:
        """Asks until a command is accepted, or until the match has moved on by itself."""
        seat = self._seating
        legal = self._client.legal(seat.match_id, seat.credential)
        if legal.version != answer.match.version:
            return True
        view = self._client.view_in(answer)
        self._out.print()
        self._out.print(
            show.Board(
                self._client.game,
                view,
                title(self._client, answer.match),
                f"you are seat {seat.seat}",
                Ticking(answer.match.clocks),
            )
        )
        self._out.print(_numbered([command.text for command in legal.commands]))
        if not self._has_explained:
            self._explain()
        while self._feed.version == answer.match.version:
            version = self._try(self._ask(), legal)
            if version is not None:
                self._feed.wait_for(version)
        return True

    def _ask(self) -> str:
        if sys.stdin.isatty():
            # A key that was pressed while others moved must not play a move.
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
        self._feed.is_asking = True
        try:
            text = input(PROMPT).strip()
        except EOFError:
            raise Left from None
        finally:
            self._feed.is_asking = False
        if not sys.stdin.isatty():
            # Nobody has typed it, so that nothing has shown it.
            self._out.print(Text(text))
        return text

    def _try(self, text: str, legal: pb.GetLegalCommandsResponse) -> int | None:
        """Does what the person typed; the version after it, if the match has moved on by it."""
        seat = self._seating
        if text.lower() in _LEAVE:
            raise Left
        if not text:
            return None
        if text.lower() in _HELP:
            show.say(self._out, Text(self._client.game.notation.usage))
            self._explain()
            return None
        try:
            if text.lower() in _RESIGN:
                return self._client.resign(seat.match_id, seat.credential)
            return self._client.submit(seat.match_id, seat.credential, self._command(text, legal))
        except Malformed as malformed:
            self._refuse(malformed.message)
        except Refused as refused:
            self._refuse(refused.message)
        return None

    def _explain(self) -> None:
        self._has_explained = True
        self._out.print("Type a number or a move; ? for help, q to leave, resign to give up.", style="dim")

    def _command(self, text: str, legal: pb.GetLegalCommandsResponse) -> AnyMessage | str:
        """By its number in the list, or in the game's notation."""
        if text.isdecimal() and 1 <= int(text) <= len(legal.commands):
            return legal.commands[int(text) - 1].command
        self._client.game.notation.parse_command(text)
        return text

    def _refuse(self, message: str) -> None:
        show.say(self._out, Text(message, style="yellow"))


def _numbered(moves: list[str]) -> Columns:
    cells = [Text.assemble((f"{number:>3}", "bold green"), f" {move}") for number, move in enumerate(moves, 1)]
    return Columns(cells, padding=(0, 2))
