"""Reports of `treville compare` as text: two models in full, many as a table, a suite as a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from treville.rendering.hierarchy import Hierarchy, Pair
from treville.rendering.style import Style
from treville.results.notices import warning_lines
from treville.results.reports.compare import CompareReport, RelaxedAxiom, Separation
from treville.results.reports.report import Status
from treville.results.verdict import Verdict

NOTHING, UNKNOWN = "-", "?"
CORNER = "allows \\ forbids"


def short_names(models: Sequence[str]) -> dict[str, str]:
    """Names of models; those of files without their folders and endings, where that is enough."""
    stems = {model: Path(model).stem if model.endswith(".cat") else model for model in models}
    counted = Counter(stems.values())
    return {model: stem if counted[stem] == 1 else model for model, stem in stems.items()}


class CompareText:
    """A block for each pair of models, or for a suite."""

    def __init__(self, style: Style) -> None:
        self._style = style

    def add(self, report: CompareReport) -> str:
        """A block."""
        if report.status is Status.ERROR:
            return ""
        lines = _suite(report) if report.relaxations is not None else _pair(report)
        return "\n".join([*lines, ""])

    def finish(self) -> str:
        """Nothing is left."""
        return ""


def _scope(report: CompareReport) -> str:
    locations = "half as many locations" if report.locations is None else f"{report.locations} locations"
    return f"{report.dialect} tests of up to {report.events} accesses, {report.threads} threads, {locations}"


def _pair(report: CompareReport) -> list[str]:
    left, right = report.left, report.right
    lines = [
        f"{left} and {right}: {report.verdict.value} ({_scope(report)})",
        *warning_lines(report.warnings),
    ]
    for difference in report.differences:
        lines += ["", *_found(difference)]
    if report.differences:
        lines.append("")
    if report.reason:
        lines.append(report.reason)
    if report.status is Status.DONE and report.limit is None and report.verdict is Verdict.FAIL:
        lines += _nothing(report, left, right)
    return lines


def _nothing(report: CompareReport, left: str, right: str) -> list[str]:
    """The direction in which there is no difference."""
    wanted = {"left": [(left, right)], "right": [(right, left)]}
    ways = wanted.get(report.direction, [(left, right), (right, left)])
    seen = {each.allowed_by for each in report.differences}
    return [
        f"{allowing} allows nothing that {forbidding} forbids, up to {report.searched} accesses"
        for allowing, forbidding in ways
        if allowing not in seen
    ]


def _found(difference: Separation) -> list[str]:
    size = f"{difference.events} accesses, {_many(difference.threads, 'thread')}"
    head = (
        f"{difference.allowed_by} allows what {difference.forbidden_by} forbids: {difference.test} ({size})"
    )
    written = [f"written to {difference.written}"] if difference.written else []
    return [head, difference.text.rstrip("\n"), difference.explanation, *written]


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _suite(report: CompareReport) -> list[str]:
    relaxed = report.relaxations or ()
    noticed = sum(bool(each.noticed_by) for each in relaxed)
    tests = len(report.differences)
    lines = [
        f"{report.left}: {_many(tests, 'test')} for {noticed} of {_many(len(relaxed), 'relaxation')} "
        f"({_scope(report)})",
        *warning_lines(report.warnings),
    ]
    if report.reason:
        lines.append(report.reason)
    width = max((len(each.test) for each in report.differences), default=0)
    for each in report.differences:
        told = [_relaxation(other) for other in relaxed if each.test in other.noticed_by]
        lines.append(f"  {each.test:<{width}}  {each.axiom}: notices {'; '.join(told)}")
    missed = [each for each in relaxed if not each.noticed_by]
    if missed:
        lines.append(f"no test of up to {report.events} accesses notices")
        lines += [f"  {_relaxation(each)}" + (f" ({each.reason})" if each.reason else "") for each in missed]
    return lines


def _relaxation(each: RelaxedAxiom) -> str:
    return f"{each.axiom} without {each.left_out}" if each.left_out else f"no {each.axiom}"


# -- many models -----------------------------------------------------------------------------------------


class MatrixText:
    """A table: what the model of a row allows and that of a column forbids; below it, who is weaker."""

    def __init__(self, models: Sequence[str], style: Style) -> None:
        self._style = style
        self._models = models
        self._named = short_names(models)
        self.reports: list[CompareReport] = []

    def add(self, report: CompareReport) -> str:
        """Nothing before all are there."""
        self.reports.append(report)
        return ""

    def finish(self) -> str:
        """The table."""
        shown = [self._named[model] for model in self._models]
        cells = {
            (one, other): self.cell(one, other)
            for one in self._models
            for other in self._models
            if one != other
        }
        first = max(len(CORNER), *map(len, shown))
        widths = [
            max(len(shown[at]), *(len(cells[one, model]) for one in self._models if one != model))
            for at, model in enumerate(self._models)
        ]
        head = "  ".join(f"{name:<{width}}" for name, width in zip(shown, widths, strict=True))
        lines = [f"{CORNER:<{first}}  {head}".rstrip()]
        for name, one in zip(shown, self._models, strict=True):
            row = [
                f"{cells.get((one, other), ''):<{width}}"
                for other, width in zip(self._models, widths, strict=True)
            ]
            lines.append(f"{name:<{first}}  {'  '.join(row)}".rstrip())
        return "\n".join([*lines, "", *self.hierarchy().lines(), ""])

    def cell(self, allowing: str, forbidding: str) -> str:
        """The smallest test that one model allows and the other forbids."""
        report = next(r for r in self.reports if {r.left, r.right} == {allowing, forbidding})
        return _separating(report, allowing) or (UNKNOWN if _is_open(report) else NOTHING)

    def hierarchy(self) -> Hierarchy:
        """Who is at least as strong as whom, as far as the tests tell."""
        pairs = []
        for report in self.reports:
            ways = ((report.left, report.right), (report.right, report.left))
            for allowing, forbidding in ways:
                test, names = _separating(report, allowing), self._named
                pairs.append(Pair(names[allowing], names[forbidding], test, not test and _is_open(report)))
        return Hierarchy([self._named[model] for model in self._models], pairs)


def _separating(report: CompareReport, allowing: str) -> str:
    return next((each.test for each in report.differences if each.allowed_by == allowing), "")


def _is_open(report: CompareReport) -> bool:
    """Was not everything looked at?"""
    return report.status is not Status.DONE or report.limit is not None
