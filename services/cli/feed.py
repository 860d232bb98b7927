"""What happens in a match, told as it happens, while somebody may be sitting at a prompt."""

import readline
import threading

from rich.console import Console
from rich.text import Text

from meydan.match.v1 import match_service_pb2 as pb
from services.cli import show
from services.cli.client import Client
from services.cli.failures import Failure
from services.cli.sentences import Sentences

PROMPT = "> "


class Feed:
    """A thread that prints each event as a sentence. Others can wait until it has come to a version."""

    def __init__(self, client: Client, match_id: str, viewer: pb.Viewer, after: int, out: Console) -> None:
        self.version = after
        self.is_asking = False
        self._following = client.follow(match_id, viewer, after)
        self._sentences = Sentences(client.game)
        self._out = out
        self._failure: Failure | None = None
        self._has_ended = False
        self._moved = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="feed", daemon=True)

    def start(self) -> None:
        """Begins to tell."""
        self._thread.start()

    def stop(self) -> None:
        """Says nothing more."""
        self._following.cancel()
        self._thread.join()

    def wait_for(self, version: int) -> None:
        """Until the event of this version has been told, or there is nothing more to tell."""
        with self._moved:
            self._moved.wait_for(lambda: self.version >= version or self._has_ended)
        if self._failure is not None:
            raise self._failure
        if self.version < version:
            raise Failure("What happens in the match can't be followed any more.")

    def _run(self) -> None:
        try:
            for batch in self._following:
                for envelope in batch:
                    self.tell(show.sentence(self._sentences.of(envelope)))
                self._move(batch[-1].version)
        except Failure as failure:
            self._failure = failure
        finally:
            self._has_ended = True
            self._move(self.version)

    def tell(self, sentence: Text) -> None:
        """Says something; if somebody is at the prompt, above a new one."""
        if self.is_asking:
            self._out.print()
        show.say(self._out, sentence)
        if self.is_asking:
            self._out.print(Text(PROMPT + readline.get_line_buffer()), end="")

    def _move(self, version: int) -> None:
        with self._moved:
            self.version = version
            self._moved.notify_all()
