"""The reader of `.cub` files: what it accepts, and where its complaints point."""

from __future__ import annotations

import pytest
from tests.parameterised.systems import MUTEX

from treville.parameterised.language.parser import parse
from treville.parameterised.language.resolve import read_system
from treville.parameterised.language.syntax import Joined, Quantified
from treville.results import InputError, Unsupported

HEAD = "type t = A | B\nvar X : t\narray P[proc] : t\ninit (p) { P[p] = A && X = A }\n"
WEAK = "type t = A | B\nweak var X : t\nweak array W[proc] : t\narray P[proc] : t\ninit (p) { P[p] = A }\n"


def test_comments_nest_and_numbers_keep_their_sign() -> None:
    file = parse("(* a (* b *) c *) " + MUTEX, "m.cub")
    assert [t.name for t in file.transitions] == ["want", "enter", "leave"]


def test_a_quantifier_takes_everything_behind_it() -> None:
    file = parse(
        HEAD + "transition t (p) requires { X = A && forall_other k. P[k] = A && X = B } { X := A }", "m"
    )
    guard = file.transitions[0].guard
    assert isinstance(guard, Joined)
    inner = guard.parts[1]
    assert isinstance(inner, Quantified)
    assert isinstance(inner.body, Joined)


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("type t = A | A\n" + HEAD[15:], "constructor A is defined twice", 1, 14),
        (HEAD + "transition t (p) requires { Q[p] = A } { X := A }", "unknown name Q", 5, 29),
        (HEAD + "transition t (p) requires { P[q] = A } { X := A }", "unknown process q", 5, 31),
        (HEAD + "transition t (p) { X := A; X := B }", "X is assigned twice", 5, 28),
        (HEAD + "transition t (p) { X := C }", "unknown name C", 5, 25),
        (HEAD + "transition t (p) { P[p] := case | X = A : B }", "fresh index", 5, 22),
        (HEAD + "unsafe (p) { X < A }", "not ordered", 5, 14),
        (HEAD + "unsafe (p) { P[#1] = A }", "no process #1", 5, 16),
        (HEAD + "unsafe (p p) { X = A }", "occurs twice", 5, 11),
        (HEAD + "unsafe (p) { P[p] = A ", "'}' expected", 5, 23),
        (HEAD + "unsafe (p) { fence() }", "not allowed", 5, 14),
        (HEAD + "unsafe (p) { $ }", "unexpected character", 5, 14),
        (HEAD + "(* open", "not closed", 5, 1),
        (WEAK + "unsafe (p) { X = A }", "which process sees X", 6, 14),
        (WEAK + "transition t (p) { X := A }", "which process acts", 6, 1),
        (WEAK + "transition t ([p] q) requires { P[q] = A } { X := A }", "own cells of P", 6, 33),
        (WEAK + "transition t ([p] q) requires { q@X = A } { X := A }", "acting process only", 6, 33),
        (WEAK.replace("P[p] = A", "p@X = A"), "no '@' in init", 5, 12),
        (WEAK.replace("weak var", "var"), "must be weak", 2, 1),
    ],
)
def test_complaints_point_at_their_place(text: str, message: str, line: int, column: int) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(").replace("[", r"\[")) as caught:
        read_system(text, "m.cub")
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (line, column)


@pytest.mark.parametrize("opening", ["(", "not ", "forall k. ", "if X = A then "])
def test_deep_nesting_is_refused_and_does_not_exhaust_the_stack(opening: str) -> None:
    with pytest.raises(InputError):
        read_system(HEAD + "unsafe (p) { " + opening * 20000 + "X = A }", "m.cub")


def test_predicates_that_double_are_refused_in_time() -> None:
    lines = ["predicate p0(z) { P[z] = A }"]
    lines += [f"predicate p{i}(z) {{ p{i - 1}(z) && p{i - 1}(z) }}" for i in range(1, 40)]
    with pytest.raises(InputError, match="expand to too much"):
        read_system(HEAD + "\n".join(lines) + "\nunsafe (z) { p39(z) }", "m.cub")


def test_too_many_disjuncts_are_refused() -> None:
    choice = "(X = A || X = B)"
    with pytest.raises(InputError, match="too many disjuncts"):
        read_system(
            HEAD + f"unsafe (z) {{ {' && '.join([choice] * 40)} && P[z] = A }}".replace("X = A", "P[z] = B"),
            "m",
        )


def test_quantifiers_in_cases_are_refused_with_their_place() -> None:
    with pytest.raises(Unsupported) as caught:
        read_system(HEAD + "transition t (p) { X := case | forall_other k. P[k] = A : B | _ : A }", "m.cub")
    assert caught.value.span is not None


def test_weak_files_default_to_tso_and_others_to_sc() -> None:
    assert read_system(WEAK + "unsafe (p) { p@X = B }", "m").model == "tso"
    assert read_system(MUTEX, "m").model == "sc"
    assert not any(symbol.weak for symbol in read_system(WEAK, "m", "sc").symbols.values())


def test_exists_in_a_guard_becomes_a_parameter_or_one_of_the_given() -> None:
    system = read_system(HEAD + "transition t (p) requires { exists k. P[k] = B } { X := B }", "m")
    assert sorted(len(t.parameters) for t in system.transitions) == [1, 2]
    system = read_system(HEAD + "transition t (p) requires { exists_other k. P[k] = B } { X := B }", "m")
    assert [len(t.parameters) for t in system.transitions] == [2]
