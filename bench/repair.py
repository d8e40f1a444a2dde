"""Times and costs of `treville repair`: mutexes, locks and lock-free structures, litmus tests, kernel code.

    python bench/repair.py                          every table but the litmus tests
    python bench/repair.py mutexes structures       some tables
    python bench/repair.py litmus --corpora DIR     litmus tests of a folder with expected results
    python bench/repair.py kernel --cases DIR       kernel code in a folder
    python bench/repair.py mutexes --oracle         with a search by brute force (bench/repair_oracle.py)

Times are CPU seconds of a whole process, compilers included. `applied` says that `patch` applies the diff and
`treville check` passes the result. `optimal` is what the answer says of itself;
`oracle` is the cost that trying all placements in the order of their cost finds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treville.models.model import Model
    from treville.questions.repair.decide import Repaired
    from treville.questions.repair.litmus import LitmusSubject

HERE = Path(__file__).resolve().parent
MUTEXES = ("dekker", "peterson", "lamport", "szymanski", "burns", "bakery", "parker")
MUTEX_MODELS = ("tso", "pso", "power", "aarch64", "rc11")
STRUCTURES = (
    "ticket", "ttas", "mcs", "clh", "seqlock", "spsc", "treiber", "michael_scott", "chase_lev",
)  # fmt: skip
SMALLER = {"treiber": ("-D", "THREADS=2")}
STRONG = re.compile(r"memory_order_(?:acquire|release|acq_rel|consume|seq_cst)\b")
ANY_ORDER = re.compile(r"memory_order_(?:relaxed|acquire|release|acq_rel|consume|seq_cst)\b")
_COLUMNS = f"{'verdict':<8} {'cost':>5} {'optimal':<7} {'asked':>5} {'CPU s':>7}"
DIALECTS = {"X86": "tso", "PPC": "power", "AARCH64": "aarch64", "RISCV": "riscv"}


@dataclass(slots=True)
class Run:
    """One run of `treville repair`."""

    report: dict[str, Any]
    seconds: float

    @property
    def verdict(self) -> str:
        """In one word."""
        return str(self.report.get("verdict", "error"))


def run(arguments: Sequence[str], timeout: float, cwd: Path | None = None) -> list[Run]:
    """The reports of one process; its CPU seconds are those of the last."""
    command = [sys.executable, "-m", "treville", "repair", *arguments, "--json", "-q"]
    command += ["--timeout", str(timeout)]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, cwd=cwd)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        reports = [json.loads(line) for line in output.read().splitlines()]
    seconds = usage.ru_utime + usage.ru_stime
    return [Run(report, seconds) for report in reports] or [Run({}, seconds)]


def is_applied(found: Run, folder: Path, arguments: Sequence[str]) -> str:
    """Does the patch apply to a copy of the folder, and does `treville check` pass what is there then?"""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "copy"
        shutil.copytree(folder, copy)
        diff = found.report.get("diff", "")
        patch = subprocess.run(["patch", "-p1", "-s"], input=diff, text=True, cwd=copy, check=False)
        models = [part for model in found.report.get("models", ()) for part in ("--model", model)]
        check = [sys.executable, "-m", "treville", "check", *arguments, *models, "-q", "--timeout", "0"]
        checked = subprocess.run(check, cwd=copy, stdout=subprocess.DEVNULL, check=False)
    return "yes" if patch.returncode == checked.returncode == 0 else "no"


def _changes(found: Run) -> str:
    changes = found.report.get("changes", [])
    return ", ".join(f"{Path(c['file']).name}:{c['line']} {_short(c['after'])}" for c in changes)


def _short(text: str) -> str:
    order = re.search(r"memory_order_(\w+)", text)
    fence = "fence " if "fence" in text else ""
    return f"{fence}{order.group(1)}" if order else text


# -- mutexes -------------------------------------------------------------------------------------------


def mutexes(options: argparse.Namespace) -> int:
    """The seven mutual exclusion algorithms without any order."""
    print(
        f"\n{'mutex':<12} {'model':<8} {'verdict':<8} {'cost':>5} {'optimal':<7} {'oracle':>7} {'CPU s':>7}"
        "  applied changes"
    )
    slow = 0
    for name in MUTEXES:
        for model in MUTEX_MODELS:
            folder, file = HERE / "mutexes", f"{name}.c"
            (found,) = run([file, "--model", model, *options.more], options.timeout, folder)
            oracle = _mutex_oracle(folder / file, model, options) if options.oracle else "-"
            applied = is_applied(found, folder, [file])
            slow += found.verdict != "PASS" or found.seconds > 10 or applied == "no"
            slow += oracle.isdigit() and oracle != str(found.report.get("cost"))
            report = found.report
            print(
                f"{name:<12} {model:<8} {found.verdict:<8} {report.get('cost')!s:>5}"
                f" {report.get('optimal')!s:<7} {oracle:>7} {found.seconds:>7.2f}  {applied:<7}"
                f" {_changes(found)}",
                flush=True,
            )
    return slow


def _mutex_oracle(file: Path, model: str, options: argparse.Namespace) -> str:
    if model not in ("tso", "pso"):
        return "-"
    from repair_oracle import Placements, as_program
    from treville.models.library import load_model
    from treville.passes.program import Context
    from treville.questions.repair.c_program import Asking, Compiling, CSubject
    from treville.results.properties import Property

    subject = CSubject(str(file), Compiling(), Asking())
    context = Context(load_model(model), Property.SAFETY)
    placements = Placements(subject, context, as_program(subject, context))
    return str(placements.cheapest(options.oracle_seconds, skipping=options.skipping))


# -- locks and lock-free structures ----------------------------------------------------------------------


def _copied(folder: Path, change: Callable[[str], str], names: Sequence[str] = STRUCTURES) -> None:
    """The programs with other orders."""
    for header in ("client.h", "queue.h"):
        (folder / header).write_text(change((HERE / "locks" / header).read_text()))
    for name in names:
        (folder / f"{name}.c").write_text(change((HERE / "locks" / f"{name}.c").read_text()))


def structures(options: argparse.Namespace) -> int:
    """Every order relaxed, repaired under three models at once; nothing changes in the clients."""
    print(f"\n{'relaxed':<14} {_COLUMNS}  applied changes")
    slow = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _copied(folder, lambda text: STRONG.sub("memory_order_relaxed", text))
        for each in options.names or STRUCTURES:
            models = [part for model in ("rc11", "aarch64", "power") for part in ("--model", model)]
            arguments = [f"{each}.c", *models, "--keep", "client.h", *SMALLER.get(each, ()), *options.more]
            (found,) = run(arguments, options.timeout, folder)
            applied = is_applied(found, folder, [f"{each}.c", *SMALLER.get(each, ())])
            slow += found.verdict != "PASS" or applied == "no"
            _print_structure(each, found, applied)
    return slow


def weaken(options: argparse.Namespace) -> int:
    """Every order seq_cst, weakened under RC11; `published` is what the orders of the papers cost."""
    print(f"\n{'seq_cst':<14} {_COLUMNS}  applied published")
    worse = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _copied(folder, lambda text: ANY_ORDER.sub("memory_order_seq_cst", text))
        for each in options.names or STRUCTURES:
            keep = ["--keep", "client.h", *SMALLER.get(each, ()), *options.more]
            (found,) = run([f"{each}.c", "--model", "rc11", "--weaken", *keep], options.timeout, folder)
            published = _published(each)
            cost = found.report.get("cost")
            applied = is_applied(found, folder, [f"{each}.c", *SMALLER.get(each, ())])
            worse += found.verdict != "PASS" or cost is None or cost > published or applied == "no"
            _print_structure(each, found, applied, f"{published}")
    return worse


def _published(name: str) -> int:
    """What the orders in `bench/locks` cost under RC11."""
    from treville.models.library import load_model
    from treville.passes.program import Context
    from treville.questions.repair.c_program import Asking, Compiling, CSubject
    from treville.questions.repair.costs import Costs, read_costs
    from treville.results.properties import Property

    subject = CSubject(str(HERE / "locks" / f"{name}.c"), Compiling(), Asking())
    costs = Costs(read_costs(), [Context(load_model("rc11"), Property.SAFETY)])
    own = [site for site in subject.sites if site.number in subject.usable]
    return sum(costs.of(site, site.present) for site in own if "client.h" not in site.span.file)


def _print_structure(name: str, found: Run, applied: str, more: str = "") -> None:
    report = found.report
    print(
        f"{name:<14} {found.verdict:<8} {report.get('cost')!s:>5} {report.get('optimal')!s:<7}"
        f" {report.get('questions')!s:>5} {found.seconds:>7.2f}  {applied:<7} {more or _changes(found)}"
        f"{'' if found.verdict == 'PASS' else ' ' + str(report.get('reason'))[:90]}",
        flush=True,
    )


# -- litmus tests and kernel code --------------------------------------------------------------------------


def litmus(options: argparse.Namespace) -> int:
    """Tests whose condition is reachable under their model and not under SC."""
    from repair_oracle import Placements, as_text
    from treville.models.library import load_model
    from treville.passes.program import Context
    from treville.programs.litmus import DIALECTS as OWN
    from treville.questions.repair.costs import read_costs
    from treville.questions.repair.decide import Wanted, repaired
    from treville.questions.repair.of_test import litmus_subject
    from treville.results import Budget, TrevilleError, Verdict

    times, agreed, decided, bad = [], 0, 0, []
    for file in _tests(options):
        try:
            subject = litmus_subject(file.read_text(errors="replace"), str(file), races=False)
        except TrevilleError:
            continue
        own, sc = load_model(OWN[subject.test.dialect]), load_model("sc")
        try:
            weak, strong = (subject.confirm({}, model, Budget(10)).verdict for model in (own, sc))
        except TrevilleError:
            continue
        if (weak, strong) != (Verdict.FAIL, Verdict.PASS):
            continue
        context = Context(own, None, subject.test.dialect)
        started = time.process_time()
        found = repaired(subject, [context], Wanted(), read_costs(), Budget(options.timeout))
        times.append(time.process_time() - started)
        if found.verdict is not Verdict.PASS or not found.optimal:
            bad.append(f"{file}: {found.verdict.value} {found.reason}")
            continue
        if not _is_patched(file, found, subject, own):
            bad.append(f"{file}: the patch does not make it right")
        if options.oracle:
            placements = Placements(subject, context, as_text(subject, context))
            expected = placements.cheapest(options.oracle_seconds, options.skipping).cost
            decided += expected is not None
            agreed += expected == found.cost
            if expected not in (None, found.cost):
                bad.append(f"{file}: cost {found.cost}, by brute force {expected}")
        if len(times) == options.count:
            break
    print(f"\n{len(times)} litmus tests: median {statistics.median(times):.3f} s, largest {max(times):.2f} s")
    print(f"by brute force {decided} decided, {agreed} of the same cost; {len(bad)} not repaired or dearer")
    for line in bad[:20]:
        print(f"  {line}")
    return len(bad)


def _is_patched(file: Path, found: Repaired, subject: LitmusSubject, model: Model) -> bool:
    """Is the file right once `patch` has changed it?"""
    from treville.results import Budget, Verdict

    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "test.litmus"
        shutil.copy(file, copy)
        subprocess.run(["patch", "-s", str(copy)], input=found.diff, text=True, check=False)
        changed = {str(file): copy.read_text(errors="replace")}
    return subject.confirm(changed, model, Budget(10)).verdict is Verdict.PASS


def _tests(options: argparse.Namespace) -> Iterator[Path]:
    """Files of the four dialects in turn, spread over each folder."""
    folders = [sorted((Path(options.corpora) / name).rglob("*.litmus")) for name in DIALECTS]
    step = 7
    spread = [
        [files[k % len(files)] for k in range(0, step * len(files), step)] for files in folders if files
    ]
    seen = set()
    for row in zip(*spread, strict=False):
        for file in row:
            if file not in seen:
                seen.add(file)
                yield file


def kernel(options: argparse.Namespace) -> int:
    """Kernel code under the kernel's model; with the oracle also every single change of it."""
    wrong = 0
    print(f"\n{'kernel':<10} {'verdict':<8} {'cost':>5} {'optimal':<7} {'CPU s':>7}  applied changes")
    for name in ("ticket", "mcs", "seqlock", "ring"):
        bug = [] if name == "ticket" else ["-D", "BUG"]
        folder, file = Path(options.cases), f"{name}.c"
        (found,) = run([file, *bug, "--model", "lkmm", *options.more], options.timeout, folder)
        report, applied = found.report, is_applied(found, folder, [file, *bug])
        wrong += found.verdict != "PASS" or applied == "no"
        print(
            f"{name:<10} {found.verdict:<8} {report.get('cost')!s:>5} {report.get('optimal')!s:<7}"
            f" {found.seconds:>7.2f}  {applied:<7} {_changes(found)}",
            flush=True,
        )
        if options.oracle:
            wrong += _single_changes(folder / file, bug[1:], report.get("cost"))
    return wrong


def _single_changes(file: Path, defines: Sequence[str], cost: int | None) -> int:
    """All changes of one site, each typed, compiled and checked: is one enough that costs less?"""
    from repair_oracle import Placements, as_text
    from treville.models.library import load_model
    from treville.passes.program import Context
    from treville.questions.repair.c_program import Asking, Compiling, CSubject
    from treville.results.properties import Property

    subject = CSubject(str(file), Compiling(tuple(defines)), Asking())
    context = Context(load_model("lkmm"), Property.SAFETY)
    tried = list(Placements(subject, context, as_text(subject, context)).singles())
    right = sorted((price, site.span.line, site.levels[level].text) for site, level, price, ok in tried if ok)
    unknown = sum(ok is None for *_, ok in tried)
    cheaper = sum(cost is None or price < cost for price, _, _ in right) + unknown
    print(f"  {len(tried)} single changes, {unknown} not decided; enough: {right}", flush=True)
    return cheaper


TABLES: dict[str, Callable[[argparse.Namespace], int]] = {
    "mutexes": mutexes, "structures": structures, "weaken": weaken, "litmus": litmus, "kernel": kernel,
}  # fmt: skip


def main() -> int:
    """Print the tables; how many rows are not as they should be."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], default=[])
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--oracle", action="store_true")
    parser.add_argument("--oracle-seconds", type=float, default=60)
    parser.add_argument("--skipping", action="store_true", help="skip what is weaker than what was wrong")
    parser.add_argument("--corpora", default="")
    parser.add_argument("--cases", default="")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--names", nargs="*", default=[])
    parser.add_argument("--more", nargs="*", default=[], help="further options of treville repair")
    options = parser.parse_args()
    chosen = options.tables or ["mutexes", "structures", "weaken"]
    return min(1, sum(TABLES[name](options) for name in chosen))


if __name__ == "__main__":
    sys.exit(main())
