"""Runs the litmus corpus and compares observations, final states and execution counts with the expected ones.

    python bench/agreement.py [--family X86] [--sample N] [--jobs 2] [--verbose] [--write docs/agreement.md]

The corpus lies beside the repository (../shared/corpora/litmus). Prints one line per family and model.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.programs.litmus.states import state_fields
from treville.questions.outcomes import outcomes
from treville.results import Budget, BudgetExceeded, InputError, Unsupported

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "litmus"
MODELS = {
    "X86-sc": "sc", "X86-x86tso": "tso", "X86_64-x86tso-mixed": "tso", "PPC-sc": "sc", "PPC-ppc": "power",
    "ARM-arm": "armv7", "AARCH64-aarch64": "aarch64", "RISCV-riscv": "riscv", "C-rc11": "rc11",
    "C-c11_partialSC": "c11", "LKMM-lkmm": "lkmm",
}  # fmt: skip


def normal_state(text: str) -> frozenset[tuple[str, str]]:
    """herd7's `0:EAX=1; [x]=2;` as a set of pairs, with `[x]` written `x`."""
    out = set()
    for part in text.split(";"):
        if part.strip():
            name, _, value = part.strip().partition("=")
            out.add((re.sub(r"^\[(.*)\]$", r"\1", name.strip()), value.strip().replace(" ", "")))
    return frozenset(out)


def run(model_name: str, timeout: float, engine: str, expected: dict) -> dict:
    """The comparison of one test: `result` is agree, counts, disagree, refused, unknown or error."""
    path = CORPUS / expected["file"]
    started = time.process_time()
    row = {"file": expected["file"], "expected": expected["observation"], "reason": ""}
    try:
        test = parse(path.read_text(errors="replace"), expected["file"])
        answer = outcomes(test, load_model(model_name), budget=Budget(timeout, 3_000_000_000), engine=engine)
        row["observation"] = answer.observation
        row["engine"] = answer.engine
        states = {frozenset(state_fields(test, state)) for state in answer.states}
        compare(row, expected, answer, states)
    except Unsupported as error:
        row.update(result="refused", reason=f"{error.message}")
    except InputError as error:
        row.update(result="refused", reason=f"input: {error.message} at {error.span}")
    except BudgetExceeded as error:
        row.update(result="unknown", reason=error.reason)
    except Exception as error:
        row.update(result="error", reason=f"{type(error).__name__}: {error}")
    row["seconds"] = time.process_time() - started
    return row


def compare(row: dict, expected: dict, answer, states: set) -> None:
    if expected["observation"] not in ("Never", "Sometimes", "Always"):
        verdict = expected.get("dat3m_verdict")
        ours = "Ok" if answer.holds else "No"
        if verdict in ("Ok", "No") and expected["observation"] != "error":
            row.update(
                result="agree" if verdict == ours else "disagree", reason=f"Dat3M: {verdict}, ours {ours}"
            )
        else:
            row.update(result="unchecked")
        return
    wanted = {normal_state(state) for state in expected["states"]}
    if answer.observation != expected["observation"]:
        row.update(
            result="disagree", reason=f"observation {answer.observation}, expected {expected['observation']}"
        )
    elif wanted != states:
        lost, gained = wanted - states, states - wanted
        row.update(
            result="disagree",
            reason=f"states missing {sorted(map(sorted, lost))[:3]} extra {sorted(map(sorted, gained))[:3]}",
        )
    elif (answer.holds is None) != (expected.get("verdict") == "Undef"):
        row.update(result="disagree", reason=f"holds {answer.holds}, expected {expected.get('verdict')}")
    elif answer.positive is not None and (answer.positive, answer.negative) != (
        expected["positive"],
        expected["negative"],
    ):
        row.update(
            result="counts",
            reason=f"{answer.positive}+{answer.negative} executions, expected {expected['positive']}+{expected['negative']}",
        )
    else:
        row.update(result="agree")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--family", action="append", help="X86, PPC, ... or X86-sc; all by default")
    parser.add_argument("--sample", type=int, help="this many tests per family, chosen with a fixed seed")
    parser.add_argument("--match", default="", help="only files whose path contains this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=20.0)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--verbose", action="store_true", help="every test that does not agree")
    parser.add_argument("--slowest", type=int, default=0, help="the slowest tests")
    parser.add_argument("--json", help="write all rows to this file")
    options = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    rows_out = []
    for source, model in MODELS.items():
        family = source.split("-")[0]
        if options.family and family not in options.family and source not in options.family:
            continue
        lines = (CORPUS / "expected" / f"{source}.jsonl").read_text().splitlines()
        tests = [t for t in map(json.loads, lines) if options.match in t["file"]]
        if options.sample and len(tests) > options.sample:
            tests = random.Random(1).sample(tests, options.sample)
        task = partial(run, model, options.timeout, options.engine)
        started = time.monotonic()
        if options.jobs > 1:
            with ProcessPoolExecutor(options.jobs) as pool:
                rows = list(pool.map(task, tests, chunksize=16))
        else:
            rows = [task(test) for test in tests]
        report(source, model, rows, options, time.monotonic() - started)
        rows_out += [{"source": source, **row} for row in rows]
    if options.json:
        Path(options.json).write_text("".join(json.dumps(row) + "\n" for row in rows_out))
    return 0


def report(source: str, model: str, rows: list[dict], options, wall: float) -> None:
    counts = Counter(row["result"] for row in rows)
    judged = [row for row in rows if row["expected"] in ("Never", "Sometimes", "Always")]
    agreed = sum(row["result"] in ("agree", "counts") for row in judged)
    cpu = sum(row["seconds"] for row in rows)
    rate = len(rows) / cpu if cpu else 0.0
    share = 100 * agreed / len(judged) if judged else 100.0
    print(
        f"{source:22} {model:8} {len(rows):5} tests  {share:6.2f}% agree  {dict(counts)}  {rate:.1f} tests/s, {wall:.0f} s",
        flush=True,
    )
    if options.verbose:
        for row in rows:
            if row["result"] not in ("agree", "unchecked"):
                print(f"  {row['result']:9} {row['file']}: {row['reason']} (expected {row['expected']})")
    for row in sorted(rows, key=lambda row: -row["seconds"])[: options.slowest]:
        print(f"  {row['seconds']:.2f} s {row.get('engine', '')} {row['result']} {row['file']}")


if __name__ == "__main__":
    sys.exit(main())
