"""Speed of `treville litmus` on whole families, in one process on one core, beside herd7's reference rates.

    python bench/litmus.py [--family X86] [--sample N]

Counts CPU seconds of reading, solving and judging each test; prints tests per CPU second, the ratio to
herd7 7.58 (tests per CPU second on the same kind of machine), the slowest test, and the peak memory.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from pathlib import Path

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.questions.outcomes import outcomes
from treville.results import Budget, TrevilleError

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "litmus"
# family -> (expectations, model, herd7's tests per CPU second)
FAMILIES = {
    "X86": ("X86-x86tso", "tso", 81.0),
    "PPC": ("PPC-ppc", "power", 21.0),
    "ARM": ("ARM-arm", "armv7", 107.0),
    "C": ("C-rc11", "rc11", 215.0),
    "RISCV": ("RISCV-riscv", "riscv", 14.0),
    "AARCH64": ("AARCH64-aarch64", "aarch64", 6.7),
    "LKMM": ("LKMM-lkmm", "lkmm", 27.0),
}


def measure(family: str, sample: int | None, timeout: float) -> None:
    """Run one family and print its line."""
    source, model_name, reference = FAMILIES[family]
    lines = (CORPUS / "expected" / f"{source}.jsonl").read_text().splitlines()
    files = [json.loads(line)["file"] for line in lines]
    if sample and len(files) > sample:
        files = random.Random(1).sample(files, sample)
    model = load_model(model_name)
    slowest, total, unfinished = (0.0, ""), 0.0, 0
    for file in files:
        started = time.process_time()
        try:
            test = parse((CORPUS / file).read_text(errors="replace"), file)
            outcomes(test, model, budget=Budget(timeout))
        except TrevilleError:
            unfinished += 1
        spent = time.process_time() - started
        total += spent
        slowest = max(slowest, (spent, file))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    rate = len(files) / total
    print(
        f"{family:8} {len(files):5} tests {rate:7.1f} per CPU s, {rate / reference:.1f} times herd7's",
        f"{reference:g}; slowest {slowest[0]:.2f} s ({Path(slowest[1]).name});",
        f"refused or unknown {unfinished}; peak {peak:.0f} MB",
        flush=True,
    )


def main() -> int:
    """Measure the asked families."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", action="append", choices=FAMILIES)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--timeout", type=float, default=20.0)
    options = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    for family in options.family or FAMILIES:
        measure(family, options.sample, options.timeout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
