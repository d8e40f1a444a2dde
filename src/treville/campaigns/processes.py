"""Processes that can be ended with all that they started, whoever dies first.

A worker leads a process group of its own, in which the compilers are that it starts: the group is killed as
a whole. While there are workers, a *guard* waits for this process to end. If it ends without having said
good-bye (kill -9), the guard kills the groups and removes the temporary files. Signals for the death of a
parent are no substitute: they are sent when the thread ends that started the process, and compilers'
children do not get them.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from treville.results import temporary

LAST_WORDS = "stderr"
_ATTEMPTS = 500
_PAUSE = 0.01  # seconds between attempts
_BYTES_ON_A_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def can_fork() -> bool:
    """Whether this system has processes that can be forked and killed by group."""
    return hasattr(os, "fork") and hasattr(os, "killpg")


def kill_group(leader: int) -> None:
    """End a process and all that it started. The process must have been started by this one, or be gone."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def ended(process: int) -> int:
    """Wait for a child to end: the signal that ended it as a negative number, or its exit code."""
    try:
        _, status = os.waitpid(process, 0)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status)


def resident_bytes(leader: int) -> int:
    """Resident bytes of a process and of what it started; 0 where the system does not tell."""
    return sum(map(_resident, _family(leader)))


def _resident(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * _BYTES_ON_A_PAGE
    except (OSError, ValueError, IndexError):
        return 0


def _family(process: int) -> Iterator[int]:
    """A process, its children, and theirs."""
    yield process
    with suppress(OSError, ValueError):
        for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
            yield from _family(int(child))


def remove(folder: str) -> None:
    """Remove a worker's folder, or that of all workers: in most cases only last words are in it."""
    temporary.remove(folder, LAST_WORDS)


def forget_words() -> None:
    """In a worker: what was said about one question is no word about the next."""
    if not os.environ.get("TREVILLE_TRACEBACK"):
        with suppress(OSError):
            os.ftruncate(2, 0)


def last_words(folder: str) -> str:
    """What a worker said before it ended, in one line."""
    try:
        said = (Path(folder) / LAST_WORDS).read_bytes()[-400:].decode(errors="replace")
    except OSError:
        return ""
    return " ".join(said.split())


class Guard:
    """Outlives this process if that is killed, and cleans up behind it. Nobody else may look into its
    `folder` for temporary files, which is there only after somebody is there to remove it."""

    def __init__(self) -> None:
        self.folder = temporary.name_of_folder()
        reader, self.descriptor = os.pipe()
        self._process = os.fork()
        if not self._process:
            _wait_and_clean_up(reader, self.folder)
        os.close(reader)
        os.mkdir(self.folder, 0o700)  # noqa: PTH102 - quicker

    def protects(self, leader: int) -> None:
        """Kill this group, too."""
        self._say(f"+{leader}\n")

    def releases(self, leader: int) -> None:
        """This group is gone."""
        self._say(f"-{leader}\n")

    def _say(self, line: str) -> None:
        with suppress(BrokenPipeError):  # somebody killed the guard
            os.write(self.descriptor, line.encode())

    def dismiss(self) -> None:
        """All groups are gone: remove the temporary files, and need no guard any more."""
        remove(self.folder)
        os.close(self.descriptor)
        ended(self._process)


def _wait_and_clean_up(reader: int, folder: str) -> NoReturn:
    """The guard's life: it has nothing open but the pipe, and no signal that is meant for others ends it."""
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        os.dup2(reader, 0)
        os.closerange(1, _most_descriptors())
        leaders: dict[int, None] = {}
        for line in _lines():
            leader = int(line[1:])
            if line.startswith(b"+"):
                leaders[leader] = None
            else:
                leaders.pop(leader, None)
        for leader in leaders:
            kill_group(leader)
        _wait_for_end(leaders)
        remove(folder)
    finally:
        os._exit(0)


def _wait_for_end(leaders: Iterable[int]) -> None:
    """Wait until groups that were killed are gone: until then they may make files."""
    for _ in range(_ATTEMPTS):
        leaders = [leader for leader in leaders if _is_there(leader)]
        if not leaders:
            return
        time.sleep(_PAUSE)


def _is_there(leader: int) -> bool:
    """Whether a group has processes."""
    try:
        os.killpg(leader, 0)
    except OSError:
        return False
    return True


def _lines() -> Iterator[bytes]:
    """What the guard is told, until nobody is there to tell it anything."""
    rest = b""
    while piece := os.read(0, 1 << 16):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines


def _most_descriptors() -> int:
    try:
        return min(os.sysconf("SC_OPEN_MAX"), 1 << 16)
    except (OSError, ValueError):
        return 1 << 12


def become_worker(folder: str) -> None:
    """In a forked process: lead a group, keep temporary files in a folder that others remove, and leave
    interruptions to the parent."""
    with suppress(OSError):
        os.setpgid(0, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    Path(folder).mkdir(exist_ok=True)
    if not os.environ.get("TREVILLE_TRACEBACK"):
        # What libraries say when they end the process goes into the report, not onto the terminal.
        said = os.open(f"{folder}/{LAST_WORDS}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(said, 2)
        os.close(said)
    os.environ["TMPDIR"] = folder
    if "tempfile" in sys.modules:
        vars(sys.modules["tempfile"])["tempdir"] = folder  # it may have looked at TMPDIR before
    with suppress(OSError, ValueError):
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - open as long as the process
