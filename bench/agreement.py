"""Compares `treville litmus` with the expected results of the litmus corpus, family by family.

    python bench/agreement.py [--family X86] [--sample N] [--jobs 2] [--verbose] [--write docs/agreement.md]

The corpus lies beside the repository (../shared/corpora/litmus). A test agrees if its observation and its set
of final states are the expected ones; where both are, numbers of executions are compared too (`counts` if
only those differ). Tests without an expected observation are compared with Dat3M's verdict if there is one.
CAV13 is the suite of paper 000: Power tests under its six models, of which is known whether the condition can
be reached.
Loops are unrolled twice, as herd7 did (`treville litmus --unroll 2`).
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.programs.litmus.states import state_fields
from treville.questions.outcomes import Outcomes, outcomes
from treville.results import Budget, BudgetExceeded, InputError

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "litmus"
REASONS = Path(__file__).resolve().parent / "agreement_reasons.json"
MODELS = {
    "X86-sc": "sc", "X86-x86tso": "tso", "X86_64-x86tso-mixed": "tso", "PPC-sc": "sc", "PPC-ppc": "power",
    "ARM-arm": "armv7", "AARCH64-aarch64": "aarch64", "RISCV-riscv": "riscv", "C-rc11": "rc11",
    "C-c11_partialSC": "c11", "LKMM-lkmm": "lkmm",
    **{f"CAV13-{name}": name for name in ("sc", "tso", "pso", "rmo", "alpha")}, "CAV13-power": "power2012",
}  # fmt: skip
REACHABLE = ("reachable", "unreachable")
JUDGED = ("Never", "Sometimes", "Always", *REACHABLE)
MEMORY = 3_000_000_000
UNROLLED = 2
Row = dict[str, object]


def expectations(source: str) -> list[dict[str, Any]]:
    """What is known of each test of a family under a model."""
    family, _, column = source.partition("-")
    if family != "CAV13":
        lines = (CORPUS / "expected" / f"{source}.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]
    with (CORPUS / "expected" / "CAV13.csv").open() as table:
        return [{"file": row["file"], "observation": row[column]} for row in csv.DictReader(table)]


def normal_state(text: str) -> frozenset[tuple[str, str]]:
    """herd7's `0:EAX=1; [x]=2;` as a set of pairs, with `[x]` written `x`."""
    out = set()
    for part in text.split(";"):
        if part.strip():
            name, _, value = part.strip().partition("=")
            out.add((re.sub(r"^\[(.*)\]$", r"\1", name.strip()), value.strip().replace(" ", "")))
    return frozenset(out)


def run(model_name: str, timeout: float, engine: str, expected: dict[str, Any]) -> Row:
    """One test: `result` is agree, counts, disagree, unchecked, refused, unknown or error."""
    path = CORPUS / expected["file"]
    started = time.process_time()
    row: Row = {"file": expected["file"], "expected": expected["observation"], "reason": ""}
    try:
        test = parse(path.read_text(errors="replace"), expected["file"])
        answer = outcomes(test, load_model(model_name), UNROLLED, Budget(timeout, MEMORY), engine)
        row["engine"] = answer.engine
        row["result"], row["reason"] = compare(expected, answer)
    except InputError as error:
        row.update(result="refused", reason=error.message)
    except BudgetExceeded as error:
        row.update(result="unknown", reason=error.reason)
    except Exception as error:  # a crash is a result of its own here, and the worst one
        row.update(result="error", reason=f"{type(error).__name__}: {error}")
    row["seconds"] = time.process_time() - started
    return row


def compare(expected: dict[str, Any], answer: Outcomes) -> tuple[str, str]:
    """The result and its reason."""
    if expected["observation"] not in JUDGED:
        verdict, said = expected.get("dat3m_verdict"), "Ok" if answer.holds else "No"
        if verdict not in ("Ok", "No") or expected["observation"] == "error":
            return "unchecked", ""
        return ("agree" if verdict == said else "disagree"), f"Dat3M says {verdict}, Treville {said}"
    if expected["observation"] in REACHABLE:
        reached = "unreachable" if answer.observation == "Never" else "reachable"
        return ("agree", "") if reached == expected["observation"] else ("disagree", reached)
    wanted = {normal_state(state) for state in expected["states"]}
    states = {frozenset(state_fields(answer.test, state)) for state in answer.states}
    if answer.observation != expected["observation"]:
        return "disagree", f"{answer.observation}, expected {expected['observation']}"
    if wanted != states:
        return "disagree", f"missing {show(wanted - states)}, extra {show(states - wanted)}"
    if (answer.holds is None) != (expected.get("verdict") == "Undef"):
        return "disagree", f"verdict {answer.holds}, expected {expected.get('verdict')}"
    ours, theirs = (answer.positive, answer.negative), (expected["positive"], expected["negative"])
    if None not in ours and ours != theirs:
        return "counts", f"{ours[0]} + {ours[1]} executions, expected {theirs[0]} + {theirs[1]}"
    return "agree", ""


def show(states: set[frozenset[tuple[str, str]]]) -> str:
    """A few states for people."""
    shown = sorted("; ".join(f"{name}={value}" for name, value in sorted(state)) for state in states)[:2]
    return f"{len(states)} states" + (f" ({' | '.join(shown)})" if shown else "")


def report(source: str, rows: list[Row], options: argparse.Namespace) -> dict[str, object]:
    """Print a family's line; its numbers."""
    counts = Counter(str(row["result"]) for row in rows)
    judged = [row for row in rows if row["expected"] in JUDGED]
    agreed = sum(row["result"] in ("agree", "counts") for row in judged)
    share = 100 * agreed / len(judged) if judged else 100.0
    cpu = sum(float(str(row["seconds"])) for row in rows)
    rate = len(rows) / cpu if cpu else 0.0
    print(f"{source:20} {len(rows):5} tests {share:6.2f}% of {len(judged)} agree", end="  ")
    print(", ".join(f"{n} {name}" for name, n in sorted(counts.items())), end="  ")
    print(f"{rate:.0f} per CPU s", flush=True)
    if options.verbose:
        for row in rows:
            if row["result"] not in ("agree", "unchecked"):
                print(f"  {row['result']:9} {row['file']}: {row['reason']} (expected {row['expected']})")
    for row in sorted(rows, key=lambda row: -float(str(row["seconds"])))[: options.slowest]:
        print(f"  {row['seconds']:.2f} s {row.get('engine', '')} {row['result']} {row['file']}")
    return {"source": source, "tests": len(rows), "judged": len(judged), "share": share, "counts": counts}


def document(summaries: list[dict[str, Any]], rows: list[Row]) -> str:
    """docs/agreement.md: the table, and every test that does not agree with its reason."""
    known: dict[str, str] = json.loads(REASONS.read_text()) if REASONS.exists() else {}
    lines = [
        "# Agreement with herd7",
        "",
        "Made by `make agreement` on the litmus corpus: herd7 7.58's observations and final states, and",
        "Dat3M's verdicts where herd7 had no answer. Refused tests are named with the place in the file.",
        "",
        "CAV13 is the suite of *Partial orders for efficient bounded model checking of concurrent software*",
        "(CAV 2013): Power tests under six models (`power` is `power2012`). It is known which conditions can",
        "be reached. The six tests whose expected answer is unknown are answered too, and not counted.",
        "",
        "| family and model | tests | observed | agree | counts differ | disagree | refused | unknown |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for summary in summaries:
        counts = summary["counts"]
        cells = [summary["source"], summary["tests"], summary["judged"], f"{summary['share']:.2f} %"]
        cells += [counts[name] for name in ("counts", "disagree", "refused", "unknown")]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    for result, title in (
        ("disagree", "Disagreements"),
        ("counts", "Same states, other numbers of executions"),
        ("unknown", "No answer in time"),
        ("refused", "Refused"),
        ("error", "Crashes"),
    ):
        found = [row for row in rows if row["result"] == result]
        if not found:
            continue
        lines += ["", f"## {title}", "", "| test | expected | reason |", "|---|---|---|"]
        for row in found:
            reason = known.get(str(row["file"]), "")
            text = f"{row['reason']}. {reason}" if reason else str(row["reason"])
            cleaned = text.replace("|", "\\|").replace("\n", " ")
            lines.append(f"| {row['file']} ({row['source']}) | {row['expected']} | {cleaned} |")
    return "\n".join(lines) + "\n"


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", action="append", help="X86, PPC, ... or X86-sc; all by default")
    parser.add_argument("--sample", type=int, help="this many tests per family, chosen with a fixed seed")
    parser.add_argument("--match", default="", help="only files whose path contains this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=20.0)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--verbose", action="store_true", help="every test that does not agree")
    parser.add_argument("--slowest", type=int, default=0, help="the slowest tests")
    parser.add_argument("--json", help="write all rows to this file")
    parser.add_argument("--write", help="write the page for people to this file")
    return parser.parse_args(arguments)


def main() -> int:
    """Run the asked families."""
    options = options_of()
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    summaries, everything = [], []
    for source, model in MODELS.items():
        if options.family and source.split("-")[0] not in options.family and source not in options.family:
            continue
        tests = [test for test in expectations(source) if options.match in test["file"]]
        if options.sample and len(tests) > options.sample:
            tests = random.Random(1).sample(tests, options.sample)
        task = partial(run, model, options.timeout, options.engine)
        if options.jobs > 1:
            with ProcessPoolExecutor(options.jobs) as pool:
                rows = list(pool.map(task, tests, chunksize=16))
        else:
            rows = [task(test) for test in tests]
        summaries.append(report(source, rows, options))
        everything += [{"source": source, **row} for row in rows]
    if options.json:
        Path(options.json).write_text("".join(json.dumps(row) + "\n" for row in everything))
    if options.write:
        Path(options.write).write_text(document(summaries, everything))
    return 0


if __name__ == "__main__":
    sys.exit(main())
