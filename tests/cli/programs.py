"""The command line as a program of its own, and what becomes of its processes."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from typer.testing import Result

# The command line within the test's own process: the words, and what is typed.
Meydan: TypeAlias = Callable[..., Result]
PROGRAM = str(Path(sys.executable).with_name("meydan"))
# The last resort against something that hangs.
MOST_SECONDS = 60.0


def start(*words: str, environment: dict[str, str], cwd: Path | None = None) -> "subprocess.Popen[str]":
    """`meydan` with these words; what it prints can be read line by line."""
    return subprocess.Popen(
        [PROGRAM, *words],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=cwd,
    )


def read_until(process: "subprocess.Popen[str]", wanted: str) -> str:
    """What a program prints, up to the line with these words."""
    assert process.stdout is not None
    read = ""
    for line in process.stdout:
        read += line
        if wanted in line:
            return read
    raise AssertionError(f"{wanted!r} was not printed, but:\n{read}")


def descendants(pid: int) -> set[int]:
    """The processes that a process has started, and those that they have started."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(row.split()[0]): int(row.split()[1]) for row in listed.splitlines()}
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found and child not in found}:
        found |= more
    return found - {pid}


def await_descendants(pid: int, count: int) -> set[int]:
    """The same, as soon as there are so many."""
    deadline = time.monotonic() + MOST_SECONDS
    while len(found := descendants(pid)) < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def are_gone(pids: set[int]) -> bool:
    """Whether all of these processes end within the time that there is."""
    deadline = time.monotonic() + MOST_SECONDS
    while any(map(_is_running, pids)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _is_running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")
