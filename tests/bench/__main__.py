"""`python -m tests.bench [NAME...] [--quick]`: runs benchmarks, shows a table and writes build/bench.json."""

import argparse
import importlib
import signal
import sys
import time

from rich.console import Console

from shared import logs
from tests.bench import report

# By name, the module that measures it: loaded only when it is asked for.
_MODULES = {
    "moves-stream": "moves_stream",
    "moves-unary": "moves_unary",
    "replay": "replay",
    "verify": "verify",
    "domino-rules": "domino_rules",
    "domino-strength": "domino_strength",
    "kingdomino-rules": "kingdomino_rules",
    "kingdomino-strength": "kingdomino_strength",
    "ai-turn": "ai_turn",
    "match-memory": "match_memory",
    "standings-10000": "standings",
    "ratings": "ratings",
    "swiss-1000": "swiss_1000",
    "swiss-10000": "swiss_10000",
    "swiss-100000": "swiss_100000",
    "tables4-100000": "tables4",
}
# Minutes long, and the same on every machine: only when they are asked for.
_LONG = ("domino-strength", "kingdomino-strength")


def main() -> None:
    arguments = _arguments()
    # What was started is stopped by context managers, which a plain SIGTERM would not run.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    logs.configure("error")
    console = Console(width=None if sys.stdout.isatty() else 160)
    results: list[report.Result] = []
    for name in arguments.names or [name for name in _MODULES if name not in _LONG]:
        started = time.monotonic()
        results += importlib.import_module(f"tests.bench.{_MODULES[name]}").run(arguments.quick)
        console.print(f"{name}: {time.monotonic() - started:.0f} s", style="dim")
    report.write(results)
    report.show(results, console)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    which = f"one of {', '.join(_MODULES)}; if none is named, all but {', '.join(_LONG)}"
    parser.add_argument("names", nargs="*", metavar="NAME", help=which)
    parser.add_argument("--quick", action="store_true", help="short rounds: to see that everything works")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in _MODULES:
            parser.error(f"there is no benchmark {name!r}; there are {', '.join(_MODULES)}")
    return arguments


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
