"""Answers -> tables: what is right, wrong, unknown and refused in each family, and why some are wrong."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from cases import Case, Outcome

from asking import Answer

REASONS = Path(__file__).with_name("reasons.json")
_HEAD = ("family", "questions", "asked", *Outcome, "right %", "median s", "total s")


def arguments_for(answers: Iterable[Answer]) -> dict[str, str]:
    """The stored argument of each answer that has one: why the suite and not Treville is mistaken."""
    stored: dict[str, str] = json.loads(REASONS.read_text())
    return {answer.name: stored[answer.name] for answer in answers if answer.name in stored}


def table(answers: Sequence[Answer], cases: Iterable[Case]) -> str:
    """One row for each family that was asked about, and one for each suite: how many questions there are, and
    what the answers are."""
    rows = [_HEAD, tuple("---" for _ in _HEAD)]
    there = Counter((case.suite, case.family) for case in cases)
    for suite, mine in _grouped(answers, "suite").items():
        for family, some in sorted(_grouped(mine, "family").items()):
            rows.append(_row(f"{suite} {family}", there[suite, family], some))
        rows.append(_row(f"**{suite}**", sum(n for (name, _), n in there.items() if name == suite), mine))
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)


def page(answers: Sequence[Answer], cases: Iterable[Case]) -> str:
    """`docs/suites.md`."""
    argued = arguments_for(answers)
    lines = [
        "# Other tools' test suites",
        "",
        "Made by `make suites`. *Right*: the verdict that the suite states; where it says that nothing is",
        "found up to a bound, a proof or an answer up to a bound. *Unknown*: a limit came first. *Refused*:",
        "something in the program is not supported, with its place. Shares are of what was *asked*. Seconds",
        "are those of the processor, averages where one process answered many questions.",
        "",
        *_taken(answers),
        "",
        table(answers, cases),
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
    lines += ["", "## Refused", "", *_refusals(answers), "", "## Unknown", ""]
    unknown = [answer for answer in answers if answer.outcome == Outcome.UNKNOWN]
    lines += [f"- `treville {a.name}`: {a.reason}" for a in unknown] or ["None."]
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


def _row(name: str, questions: int, answers: Sequence[Answer]) -> tuple[str, ...]:
    counts = [sum(a.outcome == outcome for a in answers) for outcome in Outcome]
    seconds = [answer.seconds for answer in answers]
    share = 100 * counts[0] / len(answers)
    times = (f"{median(seconds):.2f}", f"{sum(seconds):.0f}")
    return (name, str(questions), str(len(answers)), *map(str, counts), f"{share:.1f}", *times)
