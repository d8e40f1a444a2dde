"""Times of `treville petri` beside those of mist and Inequalizer (paper 004, Tables 7.1 and 7.2).

    python bench/petri.py              the nets of Table 7.1 and the family of Table 7.2
    python bench/petri.py --corpus     every net of ../shared/corpora/petri, against the expected verdicts

Times are CPU seconds (user and system) of a whole process, start-up included; `answer` is without start-up,
which is measured as the time of `treville petri` on a net that needs no search.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "petri"

# net -> (file, mist backward, ic4pn, tsi, eec, Inequalizer); None: no answer
TABLE_1: dict[str, tuple[str, float | None, float | None, float | None, float | None, float | None]] = {
    "BasicME": ("PN/basicME.spec", 0.01, 0.01, 0.01, 0.00, 0.52),
    "Kanban": ("boundedPN/kanban.spec", 0.01, 0.15, 0.67, 0.01, 0.64),
    "Lamport": ("boundedPN/lamport.spec", 0.00, 0.02, 0.01, 0.00, None),
    "Manufacturing": ("PN/manufacturing.spec", 1.69, 0.00, 0.00, 0.00, 0.68),
    "Petersson": ("boundedPN/peterson.spec", 0.01, 0.07, 0.02, 0.01, None),
    "Read-write": ("boundedPN/read-write.spec", 0.03, 0.77, 0.06, 0.03, 0.58),
    "Mesh2x2": ("PN/mesh2x2.spec", 0.13, 0.04, 13.1, None, 1.38),
    "Mesh3x2": ("PN/mesh3x2.spec", 2.10, 0.08, None, None, 12.5),
    "Multipool": ("PN/multipool.spec", 0.39, None, 2.25, None, 0.76),
}
# places -> seconds of Inequalizer (Table 7.2)
TABLE_2 = {3: 0.4, 4: 6.9, 5: 0.4, 6: 0.4, 7: 0.6, 8: 0.6, 9: 205.2, 10: 0.5}
NOTHING = "vars x rules init x = 0 target x >= 1\n"


def measure(arguments: list[str], repeat: int = 3) -> tuple[float, dict[str, Any]]:
    """The least CPU seconds of a run of `treville petri`, and its report."""
    best = float("inf")
    report: dict[str, Any] = {}
    for _ in range(repeat):
        before = os.times()
        command = [sys.executable, "-m", "treville", "petri", "--json", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        best = min(best, spent)
        report = json.loads(done.stdout.splitlines()[-1])
    return best, report


def family(size: int) -> str:
    """The net N_n of Figure 7.5 as a .spec file; the target is the exact marking with two tokens each."""
    places = [f"p{i + 1}" for i in range(size)]
    guard = ", ".join(f"{p} >= 1" for p in places)
    lines = ["vars " + " ".join(places), "rules"]
    for index, place in enumerate(places):
        gain = size if index == 0 else size - 1
        updates = [f"{p}' = {p} {f'+ {gain}' if p == place else '- 1'}" for p in places]
        lines.append(f"  {guard} -> {', '.join(updates)};")
    lines.append("init " + ", ".join(f"{p} = 1" for p in places))
    lines.append("target " + ", ".join(f"{p} = 2" for p in places))
    return "\n".join(lines) + "\n"


def shown(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.2f}"


def tables(repeat: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        nothing = Path(folder) / "nothing.spec"
        nothing.write_text(NOTHING)
        start_up = measure([str(nothing)], repeat)[0]
        print(f"start-up {start_up:.2f} s\n")
        print("net            backward  ic4pn    tsi    eec  Inequalizer | treville  answer  limit  method")
        for name, (file, *others) in TABLE_1.items():
            spent, report = measure([str(CORPUS / file)], repeat)
            limit = 2 * min(other for other in others if other is not None) + 0.1
            answer = max(0.0, spent - start_up)
            mark = "" if answer <= limit and report["verdict"] == "PASS" else "  MISSED"
            row = "".join(f"{shown(other):>7}" for other in others[:4])
            print(
                f"{name:<15}  {row}{shown(others[4]):>13} | {spent:8.2f} {answer:7.2f} {limit:6.2f}  "
                f"{report['method']}{mark}"
            )
        print("\nN_n   Inequalizer | treville (--method halfspace)  trivial  half space")
        for size, other in TABLE_2.items():
            path = Path(folder) / f"N{size}.spec"
            path.write_text(family(size))
            spent, report = measure([str(path), "--method", "halfspace"], repeat)
            certificate = report.get("certificate") or {"half_spaces": [{"trivial": None, "text": "none"}]}
            found = certificate["half_spaces"][0]
            mark = "" if spent <= 2 and report["verdict"] == "PASS" else "  MISSED"
            row = f"{size:>3} {other:13.1f} | {spent:8.2f}{'':22} {found['trivial']!s:>6}"
            print(f"{row}  {found['text']}{mark}")


def corpus(timeout: float) -> int:
    wrong = 0
    with (CORPUS / "expected.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        spent, report = measure([str(CORPUS / row["file"]), "--timeout", str(timeout)], 1)
        verdict = {"PASS": "safe", "FAIL": "unsafe"}.get(str(report["verdict"]), "undecided")
        times = [float(v) for k, v in row.items() if k.startswith("mist") and v[:1].isdigit()]
        known = row["verdict"] != "undecided"
        mark = "" if verdict == row["verdict"] else "  WRONG" if known else "  new"
        wrong += mark == "  WRONG"
        best = f"{min(times):.2f}" if times else "-"
        method = report.get("method")
        print(f"{row['file'][-50:]:<50} {verdict:<9} {spent:7.2f} s, mist {best:>5}  {method}{mark}")
    print(f"\n{wrong} verdicts differ from the expected ones")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    if options.corpus:
        return corpus(options.timeout)
    tables(options.repeat)
    return 0


if __name__ == "__main__":
    sys.exit(main())
