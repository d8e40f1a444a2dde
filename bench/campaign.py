"""What the batch layer costs: throughput, overhead for each question, groups on a cluster, memory.

    python bench/campaign.py throughput [--count N] [--rounds R]
    python bench/campaign.py groups [--count N]
    python bench/campaign.py memory [--count N]
    python bench/campaign.py client [--count N]
    python bench/campaign.py inputs [--count N]

`throughput`: `--jobs 2` and a local cluster of two workers against two independent processes, all in the same
run and in turn, best of the rounds, start-up left out (that of a batch of a few questions is subtracted). By
the clock, which says something on a quiet machine only, and by the time of processors, which two questions at
a time can never do better than.
`groups`: a cluster with groups of fixed sizes. `memory`: the command's own resident memory over a long batch.
`client`: what a command spends for each question whose cluster is none of its own processes. `inputs`: what
preparing the inputs of C programs costs there.
"""

from __future__ import annotations

import argparse
import itertools
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from treville.campaigns import check, check_task, litmus
from treville.campaigns.cluster import crew
from treville.campaigns.kind import Limits
from treville.campaigns.litmus_task import Options, Question
from treville.campaigns.parcels import Packing, Unpacked, pickled
from treville.campaigns.run import Settings, run
from treville.results.budget import resident_bytes

ROOT = Path(__file__).resolve().parents[1]
SEEDS = sorted((ROOT / "examples" / "litmus").glob("*.litmus"))
PROGRAMS = sorted((ROOT / "examples" / "c").glob("*.c"))
FEW = 8
SELF, CHILDREN = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
TINY = 'X86 tiny\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n'


def litmus_questions(count: int) -> list[Question]:
    options = Options(limits=Limits(60))
    seeds = itertools.cycle(SEEDS)
    return [Question(str(next(seeds)), "tso", options) for _ in range(count)]


def batch(folder: Path, count: int) -> Path:
    """A folder of so many tests."""
    made = folder / f"tests-{count}"
    made.mkdir()
    for number, seed in zip(range(count), itertools.cycle(SEEDS), strict=False):
        (made / f"{number:06}.litmus").write_text(seed.read_text())
    return made


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "treville", "litmus", "--model", "tso", "--json", "--quiet", *arguments]


class Spent(NamedTuple):
    """Seconds of the clock, and of processors."""

    clock: float
    processors: float


def seconds(*commands: list[str]) -> Spent:
    """How long it takes until all of them have ended, with all that they started."""
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    running = [subprocess.Popen(each, stdout=subprocess.DEVNULL) for each in commands]
    codes = [each.wait() for each in running]
    assert set(codes) <= {0, 1}, codes
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(time.monotonic() - started, used)


def variants(folder: Path, count: int) -> dict[str, Callable[[], Spent]]:
    """How to answer so many questions with two processors."""
    halves = [str(batch(folder / side, count // 2)) for side in ("a", "b")]
    return {
        "two processes": lambda: seconds(*(command(half) for half in halves)),
        "--jobs 2": lambda: seconds(command(*halves, "--jobs", "2")),
        "--cluster local:2": lambda: seconds(command(*halves, "--cluster", "local:2")),
    }


def throughput(count: int, rounds: int) -> int:
    """Questions a second, and their ratios to two independent processes."""
    best: dict[tuple[str, int], Spent] = {}
    with tempfile.TemporaryDirectory() as scratch:
        sized = {}
        for size in (FEW, FEW + count):
            folder = Path(scratch) / str(size)
            for side in ("a", "b"):
                (folder / side).mkdir(parents=True)
            sized[size] = variants(folder, size)
        for _, size in itertools.product(range(rounds), sized):
            for name, measure in sized[size].items():
                found, known = measure(), best.get((name, size), Spent(1e9, 1e9))
                best[name, size] = Spent(*map(min, found, known))
    names = list(sized[FEW])
    spent = {
        name: Spent(*(most - few for most, few in zip(best[name, FEW + count], best[name, FEW], strict=True)))
        for name in names
    }
    base = spent[names[0]]
    for name, (clock, processors) in spent.items():
        print(
            f"{name:<20}{count / clock:6.0f} questions/s, ratio {base.clock / clock:.2f}; "
            f"{1000 * processors / count:.2f} ms of processors for each, "
            f"ratio {base.processors / processors:.2f}; start-up {best[name, FEW].clock:.1f} s, "
            f"{best[name, FEW].processors:.1f} s of processors"
        )
    return 0


@contextmanager
def groups_of(size: int) -> Iterator[None]:
    """Bundles of a cluster with so many questions."""
    fixed = {"_MOST_QUESTIONS": size, "_SECONDS_OF_WORK": 1e6}
    before = {name: getattr(crew, name) for name in fixed}
    for name, value in fixed.items():
        setattr(crew, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(crew, name, value)


def processors(count: int, settings: Settings) -> float:
    """Seconds of processors for so many questions, here and in all that was started."""
    before = _used()
    assert sum(1 for _ in run(litmus.KIND, litmus_questions(count), settings)) == count
    return _used() - before


def _used(*who: int) -> float:
    usages = [resource.getrusage(each) for each in who or (SELF, CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def groups(count: int) -> int:
    """Milliseconds of processors for each question on a local cluster of two workers, by the size of groups;
    start-up left out."""

    def each(settings: Settings) -> float:
        few = processors(FEW, settings)
        return 1000 * (processors(FEW + count, settings) - few) / count

    processors(FEW, Settings(cluster="local:2"))  # imports
    here = each(Settings(2, together=False))
    print(f"--jobs 2: {here:.2f} ms for each question", flush=True)
    for size in (1, 4, 16, 64, 256):
        with groups_of(size):
            spent = each(Settings(together=False, cluster="local:2"))
        print(f"groups of {size:>3}: {spent:.2f} ms for each question, ratio {here / spent:.2f}", flush=True)
    spent = each(Settings(together=False, cluster="local:2"))
    print(f"groups by time: {spent:.2f} ms for each question, ratio {here / spent:.2f}")
    return 0


_CLUSTER = """
from dask.distributed import LocalCluster
if __name__ == "__main__":
    made = LocalCluster(2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    print(made.scheduler_address, flush=True)
    input()
    made.close()
"""


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """The address of a scheduler with two workers."""
    script = folder / "cluster.py"
    script.write_text(_CLUSTER)
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, script], text=True, stdin=pipe, stdout=pipe) as made:
        assert made.stdout is not None
        yield made.stdout.readline().strip()
        made.communicate("\n")


def client(count: int) -> int:
    """Milliseconds of processors at the client for each question: of the command itself, which submits and
    takes back, and of the processes that prepare inputs (`--jobs`); start-up left out."""

    def spent(questions: int) -> tuple[float, float]:
        before = _used(SELF), _used(CHILDREN)
        assert sum(1 for _ in run(litmus.KIND, litmus_questions(questions), settings)) == questions
        return _used(SELF) - before[0], _used(CHILDREN) - before[1]

    with tempfile.TemporaryDirectory() as scratch, cluster(Path(scratch)) as address:
        settings = Settings(together=False, cluster=address)
        spent(FEW)  # imports
        few, many = spent(FEW), spent(FEW + count)
    itself, preparing = (1000 * (most - least) / count for most, least in zip(many, few, strict=True))
    print(f"{itself:.2f} ms of the command itself, {preparing:.2f} ms of those that prepare inputs")
    return 0


def memory(count: int) -> int:
    """Resident megabytes of the command after parts of a long batch."""
    with tempfile.TemporaryDirectory() as scratch:
        tiny = Path(scratch) / "tiny.litmus"
        tiny.write_text(TINY)
        question = Question(str(tiny), "tso", Options(limits=Limits(60)))
        started = time.monotonic()
        sizes = []
        asked = itertools.repeat(question, count)
        for number, _ in enumerate(run(litmus.KIND, asked, Settings(2, together=False)), 1):
            if number % (count // 10) == 0:
                sizes.append(resident_bytes() / 1e6)
                spent = time.monotonic() - started
                print(f"{number:>9} questions: {sizes[-1]:.1f} MB, {spent:.0f} s", flush=True)
    grown = sizes[-1] / sizes[0]
    print(f"grown by {100 * (grown - 1):.1f} % from the first tenth to the last")
    return 0 if grown < 1.05 else 1


def inputs(count: int) -> int:
    """What a client does for each C program that it sends to a cluster."""
    options = check_task.Options(limits=Limits(60))
    names = [str(path) for _, path in zip(range(count), itertools.cycle(PROGRAMS), strict=False)]
    asked = [
        Unpacked(((number, check_task.Question(name, "tso", options=options)),))
        for number, name in enumerate(names)
    ]
    before = _used()
    packed = list(run(Packing(check.KIND), asked, Settings(1, together=False)))
    spent = _used() - before
    size = sum(len(pickle.loads(pickled(each)).parcels) for each in packed) / len(packed)
    each = 1000 * spent / len(packed)
    print(f"{len(packed)} programs: {each:.0f} ms of processors and {size / 1000:.0f} kB for each")
    return 0


# What is measured once, and of how many questions.
WITHOUT_ROUNDS: dict[str, tuple[Callable[[int], int], int]] = {
    "groups": (groups, 2_000),
    "client": (client, 4_000),
    "memory": (memory, 100_000),
    "inputs": (inputs, 20),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("throughput", *WITHOUT_ROUNDS))
    parser.add_argument("--count", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.what == "throughput":
        return throughput(options.count or 4000, options.rounds)
    measure, count = WITHOUT_ROUNDS[options.what]
    return measure(options.count or count)


if __name__ == "__main__":
    sys.exit(main())
