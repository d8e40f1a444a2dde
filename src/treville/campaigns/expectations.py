"""Result files -> requirements on tests: lines of `treville litmus --json`, herd7 logs, `.jsonl` and `.csv`
corpora.

A file names tests by `file`, below a folder `root`, or by `test`; what was seen is `observation`, or a column
of a table: Never, Sometimes, Always, or reachable and unreachable (allowed, forbidden; Ok, No; 1, 0 mean the
same)."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from treville.campaigns.comparison import read_reports
from treville.campaigns.inputs import read_text
from treville.campaigns.loading import load_test
from treville.programs.litmus.test import LitmusTest
from treville.questions.synthesis.problem import Requirement, of_folder, of_observation
from treville.records import dataclass
from treville.rendering.herd import parse_log
from treville.results import InputError, Span, disk

_OBSERVED = ("Never", "Sometimes", "Always")
_REACHED = {"reachable": True, "allowed": True, "ok": True, "yes": True, "1": True, "sometimes": True}
_NOT_REACHED = {"unreachable": False, "forbidden": False, "no": False, "0": False, "never": False}
_MEANINGS = _REACHED | _NOT_REACHED
_MOST_OF_RESULTS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Expected:
    """What a line of a result file says of a test."""

    file: str
    word: str
    span: Span


def given_tests(files: Iterable[str], allowed: bool) -> list[Requirement]:
    """The tests of folders, each allowed or each forbidden."""
    return [of_folder(_with_condition(file), allowed, file) for file in files]


def expected_tests(path: str, column: str, root: str) -> list[Requirement]:
    """The requirements of a result file; lines without an answer are left out."""
    out: list[Requirement] = []
    for expected in _lines(path, column):
        word = expected.word
        known = word in _OBSERVED or word.lower() in _MEANINGS
        if not known:
            continue
        test = _with_condition(_found(expected, path, root))
        if word in _OBSERVED and column in ("", "observation"):
            out += of_observation(test, word, test.file or expected.file)
        else:
            out.append(Requirement(test, test.condition, _MEANINGS[word.lower()], expected.file))
    if not out:
        raise InputError(
            "no results of tests in this file", Span(path, 1, 1), "--column says which column has them"
        )
    return out


def named_tests(path: str, column: str, root: str) -> list[str]:
    """The files of the tests that a result file names, as far as they are there."""
    found: list[str] = []
    with suppress(InputError):
        for expected in _lines(path, column) if disk.is_file(Path(path)) else ():
            with suppress(InputError):
                found.append(_found(expected, path, root))
    return found


def checked(requirements: Sequence[Requirement]) -> str:
    """The dialect of the tests; raises `InputError` for none, for tests of two dialects and for a test that
    is both allowed and forbidden."""
    if not requirements:
        raise InputError("no tests were given", None, "use --allowed and --forbidden, or --expect FILE")
    first = requirements[0]
    sides: dict[tuple[str, object], Requirement] = {}
    for each in requirements:
        if each.test.dialect != first.test.dialect:
            raise InputError(
                f"a test of {each.test.dialect} among tests of {first.test.dialect} ({first.file})",
                Span(each.file, 1, 1),
                "the tests of a model are of one dialect",
            )
        key = (os.path.realpath(each.file), repr(each.condition))
        other = sides.setdefault(key, each)
        if other.allowed != each.allowed:
            raise InputError(f"{each.name} is both allowed and forbidden", Span(each.file, 1, 1))
    return first.test.dialect


def _with_condition(file: str) -> LitmusTest:
    test = load_test(read_text(file), file)
    if not test.condition_text.strip():
        raise InputError("this test has no condition", Span(file, 1, 1), "add `exists (...)`")
    return test


def _lines(path: str, column: str) -> Iterator[Expected]:
    start = read_text(path, _MOST_OF_RESULTS)
    if path.endswith(".csv"):
        try:
            yield from _table(path, start, column)
        except csv.Error as error:
            raise InputError(f"this is no table: {error}", Span(path, 1, 1)) from None
    elif start.lstrip().startswith("{"):
        for number, report in enumerate(read_reports(path), 1):
            name = str(report.get("file") or report.get("test") or "")
            found = report.get(column or "observation")
            yield Expected(name, str(found), Span(path, number, 1))
    else:
        for report in parse_log(start.splitlines()):
            yield Expected(str(report.get("test")), str(report.get("observation")), Span(path, 1, 1))


def _table(path: str, text: str, column: str) -> Iterator[Expected]:
    rows = csv.DictReader(text.splitlines())
    names = list(rows.fieldnames or ())
    if "file" not in names:
        raise InputError("a table of results needs a column `file`", Span(path, 1, 1))
    others = [name for name in names if name != "file"]
    if column not in names:
        wrong = f"there is no column {column!r}" if column else "which column has the results?"
        raise InputError(wrong, Span(path, 1, 1), f"--column {'|'.join(others)}")
    for number, row in enumerate(rows, 2):
        yield Expected(str(row["file"]), str(row[column]), Span(path, number, 1))


def _found(expected: Expected, path: str, root: str) -> str:
    """The file of a test: as it stands, below the root, or beside the results."""
    folders = [Path(root)] if root else [Path(), Path(path).parent, Path(path).parent.parent]
    for folder in folders:
        for name in (expected.file, f"{expected.file}.litmus"):
            if disk.is_file(folder / name):
                return str(folder / name)
    raise InputError(
        f"there is no test {expected.file}", expected.span, "--root DIR says where the tests are"
    )
