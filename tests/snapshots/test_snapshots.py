"""Every command answers on the fixed inputs as it did when the answers were stored."""

from __future__ import annotations

import difflib
import json
from functools import cache

import pytest
from tests.snapshots import stored
from tests.snapshots.cases import Case, all_cases, cases, families
from tests.snapshots.normalising import LONG, WIDTH, Json, normalised, spread
from tests.snapshots.renew import changes
from tests.snapshots.running import answer

RENEW = "if this is meant, renew with `make snapshots` and look at the difference before it is committed"
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
_read = cache(stored.read)


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: f"{case.family}: {case.line}")
def test_the_answer_is_the_stored_one(case: Case) -> None:
    for package in case.needs:
        pytest.importorskip(package)
    expected = _read(case.family).get(case.line)
    assert expected is not None, f"no answer is stored for: treville {case.line}\n{RENEW}"
    found = answer(case)
    if found != expected:
        difference = difflib.unified_diff(
            expected.splitlines(), found.splitlines(), "stored", "now", lineterm="", n=2
        )
        pytest.fail("\n".join([f"treville {case.line}", *difference, RENEW]), pytrace=False)


@pytest.mark.parametrize("family", families())
def test_every_stored_answer_has_its_case(family: str) -> None:
    lines = [case.line for case in cases(family)]
    assert len(set(lines)) == len(lines), "a case is there twice"
    assert list(stored.read(family)) == lines, RENEW


def test_every_file_of_answers_has_its_family() -> None:
    assert sorted(path.stem for path in stored.path_of("any").parent.iterdir()) == families(), RENEW


def test_times_and_versions_are_no_part_of_an_answer() -> None:
    reports = [
        json.dumps({"seconds": s, "stats": {"seconds": {"solving": s}}, "states": 3}) for s in (0.1, 2)
    ]
    lines = ("a: PASS (traps, 0.10 s)", "Time SB 0.01", "  sc  PASS  -  0.65  fine", "  seconds: views 0.1")
    texts = ["\n".join(lines)]
    texts.append(texts[0].replace("0.10", "17.31").replace("0.01", "9.99").replace("0.65", "12.00"))
    assert normalised(reports[0]) == normalised(reports[1])
    assert normalised(texts[0]) == normalised(texts[1])
    assert "0.1" not in normalised(texts[0])
    assert '"states": 3' in normalised(reports[0])


def test_spread_json_is_the_same_json() -> None:
    inner: Json = [{"label": "a", "does": "W x=1", "line": 3}] * 7
    value: Json = {"events": inner, "empty": [], "text": "é" * 200, "deep": {"rf": [["a", "b"]] * 40}}
    assert json.loads(spread(value)) == value
    assert max(map(len, spread(inner).splitlines())) <= WIDTH


def test_a_long_text_is_shortened_but_every_change_shows() -> None:
    text = "a line of a formula\n" * LONG
    assert len(normalised(text)) < LONG
    assert normalised(text) != normalised(f"{text}another")
    assert normalised("two\nlines") == "two\nlines"


def test_renewing_tells_which_verdicts_changed() -> None:
    old = {"one": 'exit 0\n  {"verdict": "PASS"}', "two": "exit 0", "three": "exit 0\n  PASS  quickly"}
    new = {"one": 'exit 1\n  {"verdict": "FAIL"}', "three": "exit 0\n  PASS  slowly", "four": "exit 0"}
    assert changes(old, new) == [
        "gone: two",
        "changed (exit 0, PASS -> exit 1, FAIL): one",
        "changed (only details): three",
        "new: four",
    ]
