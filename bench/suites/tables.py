"""Answers -> tables: what is right, wrong, unknown and refused in each family, and why some are wrong."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from cases import Outcome

from asking import Answer

REASONS = Path(__file__).with_name("reasons.json")
_HEAD = ("family", "questions", *Outcome, "right %", "median s", "total s")


def arguments_for(answers: Iterable[Answer]) -> dict[str, str]:
    """The stored argument of each answer that has one: why the suite and not Treville is mistaken."""
    stored: dict[str, str] = json.loads(REASONS.read_text())
    return {answer.name: stored[answer.name] for answer in answers if answer.name in stored}


def table(answers: Sequence[Answer]) -> str:
    """One row for each family, and one for each suite."""
    rows = [_HEAD, tuple("---" for _ in _HEAD)]
    for suite, mine in _grouped(answers, "suite").items():
        for family, some in sorted(_grouped(mine, "family").items()):
            rows.append(_row(f"{suite} {family}", some))
        rows.append(_row(f"**{suite}**", mine))
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)


def page(answers: Sequence[Answer]) -> str:
    """`docs/suites.md`."""
    argued = arguments_for(answers)
    lines = [
        "# Other tools' test suites",
        "",
        "Made by `make suites`. *Right*: the verdict that the suite states; where it says that nothing is",
        "found up to a bound, a proof or an answer up to a bound. *Unknown*: a limit came first. *Refused*:",
        "something in the program is not supported, with its place. Seconds are those of the processor, of",
        "one process for each program and of one for a hundred litmus tests.",
        "",
        *_taken(answers),
        "",
        table(answers),
        "",
        "## Wrong, and why",
        "",
    ]
    bad = [answer for answer in answers if answer.outcome in (Outcome.WRONG, Outcome.BROKEN)]
    lines += [
        f"- `treville {a.name}`: {a.verdict or 'nothing'}, expected {a.expected}. "
        f"{argued.get(a.name) or 'Not argued: ' + a.reason}"
        for a in bad
    ] or ["None."]
    lines += ["", "## Refused", "", *_refusals(answers)]
    return "\n".join(lines) + "\n"


def _taken(answers: Iterable[Answer]) -> list[str]:
    """Which answers are of which commit, and the wall time that each question had."""
    counts = Counter((answer.commit, answer.limit) for answer in answers)
    return [
        f"- {count} answers of commit {commit}, {limit:g} s of the processor each"
        for (commit, limit), count in counts.items()
    ]


def _refusals(answers: Iterable[Answer]) -> list[str]:
    counts: dict[str, int] = defaultdict(int)
    for answer in answers:
        if answer.outcome == Outcome.REFUSED:
            counts[answer.reason.partition("not supported: ")[2] or answer.reason.rpartition(": ")[2]] += 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [f"- {count} x {reason}" for reason, count in ranked] or ["None."]


def _grouped(answers: Iterable[Answer], by: str) -> dict[str, list[Answer]]:
    groups: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[getattr(answer, by)].append(answer)
    return groups


def _row(name: str, answers: Sequence[Answer]) -> tuple[str, ...]:
    counts = [sum(a.outcome == outcome for a in answers) for outcome in Outcome]
    seconds = [answer.seconds for answer in answers]
    share = 100 * counts[0] / len(answers)
    times = (f"{median(seconds):.2f}", f"{sum(seconds):.0f}")
    return (name, str(len(answers)), *map(str, counts), f"{share:.1f}", *times)
