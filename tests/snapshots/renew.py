"""`python -m tests.snapshots.renew [FAMILY...]`: run the cases, store their answers, tell what changed.

What is told are the cases that are new, gone, or have another exit code or verdict; where only details
changed, the version control shows them. `--check` stores nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from itertools import zip_longest

from tests.snapshots import stored
from tests.snapshots.cases import cases, families
from tests.snapshots.running import answer

_TOLD = 4
_VERDICT = re.compile(
    r'^exit \d+|"(?:observation|status)": "\w+"|\b(?:PASS|FAIL|UNKNOWN|Never|Sometimes|Always)\b',
    re.MULTILINE,
)


def main() -> int:
    """Renew the families that are asked for; 1 if that was to be checked only, and something changed."""
    parser = argparse.ArgumentParser(prog="python -m tests.snapshots.renew", description=__doc__)
    names = ", ".join(families())
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"{names} (default: all)")
    parser.add_argument("--check", action="store_true", help="compare, but store nothing")
    parser.add_argument("--times", action="store_true", help="tell the CPU seconds of each case")
    options = parser.parse_args()
    told: list[str] = []
    for family in options.families or families():
        old, new = stored.read(family), {}
        for case in cases(family):
            began = _cpu_seconds()
            new[case.line] = answer(case)
            if options.times:
                sys.stdout.write(f"{_cpu_seconds() - began:6.2f}  {case.line}\n")
        told += [f"{family}: {change}" for change in changes(old, new)]
        if not options.check:
            stored.write(family, new)
    sys.stdout.write("".join(f"{change}\n" for change in told) or "nothing changed\n")
    return 1 if told and options.check else 0


def _cpu_seconds() -> float:
    """Of this process and of those that it waited for: compilers."""
    return sum(os.times()[:4])


def changes(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """A line for each case whose answer is not as it was."""
    found = [f"gone: {line}" for line in old if line not in new]
    for line, text in new.items():
        if line not in old:
            found.append(f"new: {line}")
        elif old[line] != text:
            before, after = verdicts(old[line]), verdicts(text)
            what = "only details" if before == after else f"{_said(before, after)} -> {_said(after, before)}"
            found.append(f"changed ({what}): {line}")
    return found


def verdicts(text: str) -> list[str]:
    """Exit code, verdicts, observations: what an answer says in the end."""
    return _VERDICT.findall(text)


def _said(these: list[str], others: list[str]) -> str:
    """Those of the verdicts that differ from the others, the first few of them."""
    apart = [a for a, b in zip_longest(these, others) if a is not None and a != b]
    return ", ".join(apart[:_TOLD]) or "nothing"


if __name__ == "__main__":
    sys.exit(main())
