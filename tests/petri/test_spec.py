"""Reading .spec files: what is accepted, what it means, and where refusals point."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treville.petri.decide import answer
from treville.petri.net import UNBOUNDED, Interval, Update
from treville.petri.spec import parse, parse_target
from treville.results.budget import Budget
from treville.results.errors import InputError, Unsupported
from treville.results.verdict import Verdict

GOOD = """# a comment
vars x y z
rules
  x >= 2, y = 0 -> x' = x - 1, z' = z + y + 3, y' = 0;
  true -> ;
  z in [1,4] -> z' = 0;
init x = 1, y >= 2
target x >= 1, y >= 1
       z = 3
invariants x = 1, y = 2
"""


def test_a_file_is_read_as_it_is_written() -> None:
    problem = parse(GOOD, "good.spec")
    first, empty, reset = problem.net.transitions
    assert problem.net.places == ("x", "y", "z")
    assert first.guard == {0: Interval(2), 1: Interval(0, 0)}
    assert first.updates == {0: Update((0,), -1), 2: Update((1, 2), 3), 1: Update((), 0)}
    assert (empty.guard, empty.updates) == ({}, {})
    assert reset.guard == {2: Interval(1, 4)}
    assert problem.initial.low == (1, 2, 0)
    assert problem.initial.high == (1, UNBOUNDED, UNBOUNDED)
    assert [t.low for t in problem.targets] == [(1, 1, 0), (0, 0, 3)]
    assert problem.targets[1].high == (UNBOUNDED, UNBOUNDED, 3)
    assert problem.weights == ({0: 1, 1: 2},)
    assert first.span is not None
    assert first.span.line == 4


def test_a_decrement_without_guard_needs_the_tokens_it_takes() -> None:
    problem = parse("vars x rules true -> x' = x - 2; init x = 1 target x >= 9", "f")
    assert problem.net.transitions[0].guard == {0: Interval(2)}


def test_two_values_for_one_place_are_read_in_every_way() -> None:
    text = "vars x y rules x >= 1 -> y' = y + 1, y' = 0, x' = x, x' = x; init x = 1, y = 0 target y >= {}"
    problem = parse(text.format(1), "f")
    assert [t.name for t in problem.net.transitions] == ["t1.1", "t1.2"]
    assert [t.updates for t in problem.net.transitions] == [{1: Update((1,), 1)}, {1: Update((), 0)}]
    assert all(t.alternative for t in problem.net.transitions)
    unclear = answer(problem, "auto", Budget(10))
    assert unclear.verdict is Verdict.UNKNOWN
    assert "line 1" in unclear.reason
    never = parse(text.format(1).replace("target y >= 1", "target x >= 2"), "f")
    assert answer(never, "auto", Budget(10)).verdict is Verdict.PASS


def with_rule(rule: str) -> str:
    return f"vars\n x y\nrules\n {rule}\ninit x = 1, y = 0\ntarget y >= 2\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (with_rule("q >= 1 -> ;"), 4, 2, "unknown place `q`"),
        (with_rule("x >= 1 -> q' = x + 1;"), 4, 12, "unknown place `q`"),
        (with_rule("x >= 1 -> y' = q + 1;"), 4, 17, "unknown place `q`"),
        (with_rule("x >= -1 -> ;"), 4, 7, "negative"),
        (with_rule("x >= 1, x = 2 -> ;"), 4, 10, "limited twice"),
        (with_rule("x >= 1 -> x' = x - 2;"), 4, 17, "could become negative"),
        (
            with_rule(f"x >= 1 -> {', '.join(f'x{chr(39)} = x + {n}' for n in range(9))};"),
            4,
            108,
            "different",
        ),
        (with_rule("x in [3,2] -> ;"), 4, 7, "is empty"),
        (with_rule("x >= 1 -> x' = x + 1"), 5, 1, "expected ';'"),
        (with_rule("x > 1 -> ;"), 4, 4, "unexpected character"),
        (with_rule("x >= 99999999999999999999 -> ;"), 4, 7, "digits"),
        ("vars x x rules init x = 1 target x >= 2", 1, 8, "declared twice"),
        ("rules init x = 1 target x >= 2", 1, 1, "expected 'vars'"),
        ("vars x rules init x = 1", 1, 24, "expected 'target'"),
        ("vars x rules init x = 1 target x >= 1, x >= 2", 1, 40, "limited twice"),
        ("vars x rules init x = 1 target x >= 1 invariants x = 1, x = 2", 1, 57, "limited twice"),
        ("vars x rules x >= 1 -> x' = x + 1;", 1, 35, "end of the file"),
    ],
)
def test_wrong_input_is_refused_at_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "bad.spec")
    assert message in caught.value.message
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (line, column)


def test_a_misspelt_place_is_suggested() -> None:
    with pytest.raises(InputError) as caught:
        parse("vars alpha rules alpah >= 1 -> ; init alpha = 1 target alpha >= 1", "f")
    assert "`alpha`" in caught.value.hint


def test_huge_numbers_are_refused_not_converted() -> None:
    with pytest.raises(Unsupported):
        parse(f"vars x rules init x = {'9' * 10000} target x >= 1", "f")


def test_targets_of_the_command_line_use_the_same_notation() -> None:
    first, second = parse_target("a >= 1, b = 0 b >= 3", ("a", "b"))
    assert (first.low, first.high) == ((1, 0), (UNBOUNDED, 0))
    assert second.low == (0, 3)
    with pytest.raises(InputError, match="unknown place"):
        parse_target("c >= 1", ("a", "b"))


def read_or_refuse(text: str) -> None:
    """Anything else than a problem or a located refusal fails the test."""
    refusal = None
    try:
        parse(text, "fuzz")
    except InputError as error:
        refusal = error
    assert refusal is None or refusal.span is not None


@given(st.text(alphabet="vars rules init target x y = > - 1 0 , ; ' + [ ] in # \n true", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_or_refuse(text)


@given(st.integers(0, len(GOOD)), st.text(max_size=3))
def test_any_change_of_a_file_is_read_or_refused(position: int, inserted: str) -> None:
    read_or_refuse(GOOD[:position] + inserted + GOOD[position + 1 :])
