"""What the documents print for developers of clients, and what comes of it when it is run as printed."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# The last resort against a program that hangs; each takes about a second.
MOST_SECONDS = 300


def blocks(document: str, language: str, heading: str) -> list[str]:
    """The fenced blocks of a language below a heading of a document."""
    section = document.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def run(commands: str, folder: Path, more: dict[str, str]) -> str:
    """What shell commands print that are run in the folder, with more in their environment."""
    with begun(commands, folder, more) as running:
        output, errors = running.communicate(timeout=MOST_SECONDS)
    assert running.returncode == 0, output + errors
    return output


@contextmanager
def begun(commands: str, folder: Path, more: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """Shell commands that run in the folder, with more in their environment, as long as somebody is interested."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    with subprocess.Popen(
        ["sh", "-e", "-c", commands],
        cwd=folder,
        env=os.environ | {"PATH": path} | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # So that what the shell has started ends with it.
        start_new_session=True,
    ) as running:
        try:
            yield running
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
