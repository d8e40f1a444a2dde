"""Batches that are disturbed at random moments: every answer is recorded once, and nothing is left behind.

    python bench/faults.py [--count N] [--seed S] [--no-cluster]

Small questions of all commands are answered undisturbed, then again with a journal, while workers, the
command itself, workers of Dask and their hosts are killed, the disk is full (a limit on the size of files,
/dev/full), and output is closed. The command is repeated until it ends by itself. Then the journal must hold
each answer once, all as in the undisturbed run, and no process and no temporary file may be left.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
MARK = "TREVILLE_FAULTS"
SECONDS_TO_VANISH = 15.0
PART = 1000  # questions in a batch


@dataclass(frozen=True, slots=True)
class Kind:
    """A command with its options, the inputs that are copied for it, and its share of the questions."""

    command: tuple[str, ...]
    seeds: tuple[Path, ...]
    share: int


def kinds() -> list[Kind]:
    litmus = tuple(sorted((EXAMPLES / "litmus").glob("*.litmus")))
    histories = tuple(EXAMPLES / "histories" / name for name in ("album.jsonl", "crash.csv", "register.edn"))
    return [
        Kind(("litmus", "--model", "tso"), litmus, 40),
        Kind(("check", "--model", "power"), litmus, 15),
        Kind(("port", "--source", "sc", "--target", "tso", "--no-suggest"), litmus, 10),
        Kind(("history", "--level", "sc"), histories, 15),
        Kind(("param",), tuple(sorted((EXAMPLES / "param").glob("*.cub"))), 8),
        Kind(("petri",), tuple(sorted((EXAMPLES / "petri").glob("*.spec"))), 12),
        Kind(("check", "--model", "tso"), tuple(sorted((EXAMPLES / "c").glob("[lm]*.c"))), 1),
        Kind(("repair", "--model", "power"), tuple(sorted((EXAMPLES / "litmus").glob("[MS]*.litmus"))), 4),
        Kind(("sequentialise",), tuple(sorted((EXAMPLES / "litmus").glob("[MS]*.litmus"))), 4),
    ]


# -- what can happen to a command ------------------------------------------------------------------


def family(process: int) -> Iterator[int]:
    """The processes below a process, whichever of its threads started them."""
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield int(child)
                yield from family(int(child))


def words(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def is_host(process: int) -> bool:
    """A host, not one of those that it forked."""
    parent = 0
    with suppress(OSError, ValueError, IndexError):
        parent = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return "campaigns.host" in words(process) and "campaigns.host" not in words(parent)


def kill_worker(run: subprocess.Popen[bytes], pick: random.Random) -> bool:
    """Kill a process below the command: a worker of it, of its hosts, of Dask, or a host."""
    found = [p for p in family(run.pid) if is_host(p) or "spawn_main" in words(p) or _leads(p)]
    if not found:
        return False
    with suppress(ProcessLookupError):
        os.kill(pick.choice(found), signal.SIGKILL)
    return True


def _leads(process: int) -> bool:
    with suppress(OSError):
        return os.getpgid(process) == process and os.getsid(process) != process
    return False


def kill_command(run: subprocess.Popen[bytes], _: random.Random) -> bool:
    """Kill the command itself."""
    run.kill()
    return True


def end_command(run: subprocess.Popen[bytes], pick: random.Random) -> bool:
    """Ask the command to end."""
    run.send_signal(pick.choice((signal.SIGTERM, signal.SIGHUP, signal.SIGINT)))
    return True


def close_output(run: subprocess.Popen[bytes], _: random.Random) -> bool:
    """Read no more of what the command prints."""
    if run.stdout is not None:
        run.stdout.close()
    return True


# The last three: a signal came before the command was there to take it.
GOOD_ENDS = (0, 1, 2, 3, 130, 141, -signal.SIGKILL, -signal.SIGHUP, -signal.SIGTERM, -signal.SIGINT)
EVENTS: tuple[Callable[[subprocess.Popen[bytes], random.Random], bool], ...] = (
    kill_worker, kill_worker, kill_worker, kill_command, end_command, close_output,
)  # fmt: skip


# -- running ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class Disturbed:
    """A batch in a folder of its own; `problems` is what must not be."""

    command: list[str]
    folder: Path
    pick: random.Random
    pace: float = 0.3  # seconds between disturbances, on average
    problems: list[str] = field(default_factory=list)
    events: Counter[str] = field(default_factory=Counter)

    @property
    def journal(self) -> Path:
        return self.folder / "journal"

    def start(self, output: int | IO[bytes], *, limit: int | None = None) -> subprocess.Popen[bytes]:
        """The command; `limit` is how many more bytes its files may get."""
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        environment = {**os.environ, "TMPDIR": str(temporary), MARK: str(self.folder)}
        size = self.journal.stat().st_size if self.journal.exists() else 0

        def prepare() -> None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (size + limit, size + limit))

        options = ("--json", "--quiet", "--resume", str(self.journal))
        return subprocess.Popen(
            [sys.executable, "-m", "treville", *self.command, *options],
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, env=environment, cwd=self.folder,
            preexec_fn=prepare,  # noqa: PLW1509 - there are no threads here
        )  # fmt: skip

    def disturb(self, rounds: int) -> None:
        """Start the command again and again; what happens to it, happens at random moments."""
        for _ in range(rounds):
            what = self.pick.choice(("events", "events", "events", "size", "full"))
            if what == "size":
                run = self.start(subprocess.DEVNULL, limit=self.pick.randrange(1, 20_000))
            elif what == "full":
                with Path("/dev/full").open("wb") as full:
                    run = self.start(full)
            else:
                run = self.start(subprocess.PIPE)
                self._events(run)
            if what != "events":
                self.events[what] += 1
            self._ended(run)

    def _events(self, run: subprocess.Popen[bytes]) -> None:
        """Several things happen to one run, until one of them ends it."""
        while run.poll() is None:
            event = self.pick.choice(EVENTS)
            until = time.monotonic() + self.pick.expovariate(1 / self.pace)
            while run.poll() is None and time.monotonic() < until:
                self._read(run)
            if run.poll() is None and event(run, self.pick):
                self.events[event.__name__] += 1

    @staticmethod
    def _read(run: subprocess.Popen[bytes]) -> None:
        """A reader that is there, but slow."""
        if run.stdout is not None and not run.stdout.closed:
            os.set_blocking(run.stdout.fileno(), False)
            with suppress(BlockingIOError, ValueError):
                os.read(run.stdout.fileno(), 1 << 16)
        time.sleep(0.01)

    def _ended(self, run: subprocess.Popen[bytes]) -> None:
        """The command ends in time, as it should, and leaves nothing behind."""
        try:
            code = run.wait(120)
        except subprocess.TimeoutExpired:
            run.kill()
            code = run.wait()
            self.problems.append("did not end in two minutes")
        for stream in (run.stdout, run.stderr):
            if stream is not None and not stream.closed:
                said = (stream.read() if stream is run.stderr else b"") or b""
                # Interrupted before Treville's first line: that is Python's own way to say so.
                early = said.rstrip().endswith(b"KeyboardInterrupt") and b", in main\n" not in said
                if (b"Traceback" in said and not early) or b"internal error" in said:
                    self.problems.append(f"said {said!r}")
                stream.close()
        if code not in GOOD_ENDS:
            self.problems.append(f"ended with {code}")
        self._nothing_left(code)

    def _nothing_left(self, code: int) -> None:
        until = time.monotonic() + SECONDS_TO_VANISH
        while (left := marked(str(self.folder))) and time.monotonic() < until:
            time.sleep(0.05)
        if left:
            self.problems.append(f"left processes behind after {code}: {[words(each) for each in left]}")
            for each in left:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
        if files := list((self.folder / "tmp").iterdir()):
            self.problems.append(f"left files behind after {code}: {files}")
            shutil.rmtree(self.folder / "tmp", ignore_errors=True)

    def answers(self) -> list[dict[str, Any]]:
        """What the command prints when it is left in peace."""
        run = self.start(subprocess.PIPE)
        out, err = run.communicate(timeout=600)
        if b"Traceback" in err or run.returncode not in (0, 1, 3):
            self.problems.append(f"ended with {run.returncode}: {err!r}")
        self._nothing_left(run.returncode)
        return [without_times(json.loads(line)) for line in out.splitlines()]


def marked(folder: str) -> list[int]:
    """The processes that a batch started, directly or not, and that run."""
    found = []
    needle = f"{MARK}={folder}".encode()
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with suppress(OSError):
                state = (path / "stat").read_text().rsplit(")", 1)[1].split()[0]
                if state != "Z" and needle in (path / "environ").read_bytes().split(b"\0"):
                    found.append(int(path.name))
    return found


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in ("seconds", "stats")}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def recorded(journal: Path) -> Counter[str]:
    """How often each question is in a journal."""
    found: Counter[str] = Counter()
    for line in journal.read_bytes().splitlines()[1:]:
        with suppress(ValueError):
            found[json.loads(line)["question"]] += 1
    return found


def inputs(folder: Path, kind: Kind, count: int) -> list[str]:
    """Copies of a kind's inputs, each under a name of its own."""
    named = []
    for number, seed in zip(range(count), itertools.cycle(kind.seeds), strict=False):
        path = folder / f"{number:05}{seed.suffix}"
        shutil.copy(seed, path)
        named.append(path.name)
    (folder / "list").write_text("\n".join(named))
    return ["@list"]


def batch(kind: Kind, count: int, seed: int, rounds: int, cluster: bool) -> tuple[list[str], Counter[str]]:
    """Problems of one batch, and what was done to it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        pick = random.Random(seed)
        command = [*kind.command, *inputs(folder, kind, count)]
        plain = Disturbed([*command, "--jobs", "2"], folder, pick)
        expected = plain.answers()
        plain.journal.unlink()
        how, pace = (("--cluster", "local:2"), 1.5) if cluster else (("--jobs", "2"), 0.3)
        disturbed = Disturbed([*command, *how], folder, pick, pace)
        disturbed.disturb(rounds)
        found = disturbed.answers()
        problems = [*plain.problems, *disturbed.problems]
        if found != expected:
            wrong = [(a, b) for a, b in zip(expected, found, strict=False) if a != b]
            problems.append(f"{len(found)} answers for {len(expected)}, first difference {wrong[:1]}")
        counts = recorded(disturbed.journal)
        if len(counts) != count or set(counts.values()) != {1}:
            problems.append(f"{len(counts)} of {count} questions recorded, {sum(counts.values())} times")
    return problems, disturbed.events


def run(count: int, seed: int, rounds: int, *, clusters: bool) -> tuple[list[str], Counter[str]]:
    """Problems of a run with about so many questions, in batches; every third is on a cluster."""
    problems: list[str] = []
    events: Counter[str] = Counter()
    known = kinds()
    whole = sum(kind.share for kind in known)
    numbers = itertools.count(seed)
    for kind in known:
        left = max(1, count * kind.share // whole)
        while left > 0:
            number, size = next(numbers), min(left, PART)
            left -= size
            found, done = batch(kind, size, number, rounds, clusters and number % 3 == 0)
            name = " ".join(kind.command)
            print(f"{name}, {size} questions, seed {number}: {dict(done)} {found or 'well'}", flush=True)
            problems += [f"{name}, seed {number}: {each}" for each in found]
            events.update(done)
    return problems, events


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5, help="starts of each batch that are disturbed")
    parser.add_argument("--cluster", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    problems, events = run(options.count, options.seed, options.rounds, clusters=options.cluster)
    for problem in problems:
        print(problem)
    print(f"about {options.count} questions, {sum(events.values())} disturbances {dict(events)}: ", end="")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
