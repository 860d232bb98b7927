"""`meydan up`: the whole platform, until it is told to stop."""

import fcntl
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.text import Text

from services import keyring
from services.cli import show
from services.cli.failures import Failure
from services.cli.interrupts import interruptible
from services.launcher import Launcher, StartFailed
from shared.eventlog.embedded import NoServer
from shared.settings import Settings

_LOOK_SECONDS = 1.0


def up(settings: Settings) -> None:
    """Starts everything, says where it is, and stops it at Ctrl-C or SIGTERM."""
    out = show.console()
    with alone(settings.data_dir), interruptible() as interrupts:
        launcher = Launcher(settings)
        try:
            # A process that is only half started could not be stopped.
            with interrupts.held(), show.working(out, "Starting the platform"):
                launcher.start()
            _print_places(launcher, settings.data_dir, out)
            _watch_over(launcher, out)
        except (StartFailed, NoServer) as error:
            raise Failure(str(error)) from None
        except KeyboardInterrupt:
            out.print()
            with show.working(out, "Stopping the platform"):
                launcher.stop()
            out.print("Everything is stopped.")
        finally:
            launcher.stop()


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Two platforms that write to the same files would destroy them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("w")
    except OSError as error:
        raise Failure(f"The data folder {folder} can't be used: {error.strerror}.") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Failure(f"A platform is running on {folder} already; MEYDAN_DATA_DIR names another folder.") from None
        yield


def _print_places(launcher: Launcher, folder: Path, out: Console) -> None:
    made = show.table("part", "where", "log file")
    for name, process in launcher.processes.items():
        where = launcher.addresses.get(name, f"process {process.pid}")
        made.add_row(f"{name} service" if name in launcher.addresses else name, where, f"logs/{name}.log")
    made.add_row("redis (the matches' logs)", without_password(launcher.redis_url))
    made.add_row("broker (work for the computer players)", without_password(launcher.broker_url))
    out.print(made)
    show.say(out, Text(f"Data and logs are in {folder.resolve()}."))
    program, game = show.program(), next(iter(launcher.addresses))
    out.print("Try in another terminal:")
    show.commands(
        out,
        (f"{program} games", "what can be played"),
        (f"{program} play {game}", "play against the computer"),
        (f"{program} create {game} --seat greedy --seat random", "make a match"),
        (f"{program} tournament create Cup --game {game} --rounds 4 --bots 16 --start", "host a tournament"),
    )
    _print_token(launcher, out)
    out.print("Ctrl-C stops everything.", style="dim")


def _print_token(launcher: Launcher, out: Console) -> None:
    """For clients of one's own; the command line makes its own where the data folder is at hand."""
    what = f"A development token, for {keyring.DEVELOPMENT_HOURS} hours, good for this machine's platform only"
    show.say(out, Text(f"{what}: it makes matches and plays. `{show.program()} token` makes others."))
    out.print(Text(launcher.development_token(), style="bold green"), soft_wrap=True)


def without_password(url: str) -> str:
    """The address of a server as it may be shown."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _watch_over(launcher: Launcher, out: Console) -> None:
    """Until interrupted. What ends is reported, once; what to do about it is the user's choice."""
    reported: set[str] = set()
    while True:
        for message in _ended(launcher):
            if message not in reported:
                reported.add(message)
                show.say(out, Text(message, style="red"))
        time.sleep(_LOOK_SECONDS)


def _ended(launcher: Launcher) -> Iterator[str]:
    for name, process in launcher.processes.items():
        if process.poll() is not None:
            yield f"{name} has ended with code {process.returncode}; see {launcher.log_file(name)}."
    for name, server in launcher.servers.items():
        if not _is_listening(server.port):
            yield f"The redis server for the {name} does not answer any more; stop the platform and start it again."


def _is_listening(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=_LOOK_SECONDS):
        return True
    return False
