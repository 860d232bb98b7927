"""`python -m tests.faults`: a large tournament, with a great deal of harm; `--help` lists how much of it can be set."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from services import registry
from services.launcher import Launcher
from shared import logs
from shared.settings import Settings
from tests.faults.event import Event, Size

_SECONDS = 3_600.0


def main() -> None:
    arguments = _arguments()
    logs.configure("error")
    out = Console(width=None if sys.stdout.isatty() else 120)
    size = Size(arguments.entrants, arguments.rounds, arguments.kills, _SECONDS)
    with tempfile.TemporaryDirectory(prefix="meydan-chaos-") as folder:
        ports = dict.fromkeys(registry.SERVICES, 0)
        settings = Settings(data_dir=Path(folder), ports=ports, redis_url="", broker_url="", resend_seconds=2.0)
        with Launcher(settings, (registry.TOURNAMENT, "domino")) as platform:
            _run(platform, size, arguments.seed, out)


def _run(platform: Launcher, size: Size, seed: int, out: Console) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    started = time.monotonic()
    with Progress(*columns, console=out) as progress:
        bar = progress.add_task("results", total=size.matches)

        def tell(what: str, count: int) -> None:
            if what == "results":
                progress.update(bar, completed=count)
            else:
                progress.console.print(f"{what} ({count})", style="dim")

        event = Event(platform, size, seed, tell)
        event.run()
    played = time.monotonic() - started
    event.check()
    killed = ", ".join(f"{part} {count} times" for part, count in sorted(event.killed.items()))
    out.print(f"{size.matches} matches in {played:.0f} s, killed: {killed}.")
    out.print("Every match was counted once, and the standings are those of the log.", style="bold green")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--entrants", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
