"""What the language means in its corners: quantifiers below negations and in init, orders, refusals."""

from __future__ import annotations

import re

import pytest
from tests.parameterised.random_protocols import random_protocol
from tests.parameterised.reference import Reference
from tests.parameterised.systems import FLAGS, MESSAGE, MUTEX, SPINLOCK, TWO_WRITES
from tests.seeds import conclusive, generator

from treville.parameterised.decide import decide
from treville.parameterised.language.resolve import read_system
from treville.results import Budget, InputError, Unsupported, Verdict

_HEAD = "type t = A | B | C\narray P[proc] : t\narray E[proc,proc] : bool\n"


def _verdict(text: str) -> Verdict:
    return decide(read_system(text, "test.cub"), Budget(20)).verdict


@pytest.mark.parametrize(
    ("guard", "verdict"),
    [
        ("not (exists_other k. P[k] = B)", Verdict.PASS),
        ("forall_other k. P[k] <> B", Verdict.PASS),
        ("(exists_other k. P[k] = B) => P[p] = C", Verdict.PASS),
        ("not (forall_other k. P[k] <> B)", Verdict.PASS),
        ("not (forall k. P[k] = B)", Verdict.FAIL),
        ("(if exists_other k. P[k] = B then false else true)", Verdict.PASS),
        ("exists k. P[k] = A", Verdict.FAIL),
    ],
)
def test_quantifiers_below_negations(guard: str, verdict: Verdict) -> None:
    text = _HEAD + "init (p) { P[p] = A }\nunsafe (p q) { P[p] = B && P[q] = B }\n"
    text += f"transition go (p) requires {{ P[p] = A && ({guard}) }} {{ P[p] := B }}\n"
    assert _verdict(text) is verdict


@pytest.mark.parametrize(
    ("start", "verdict"),
    [
        ("P[p] = A && forall q. E[p,q] = False", Verdict.PASS),
        ("P[p] = A && forall_other q. E[p,q] = False", Verdict.FAIL),
        ("P[p] = A && not (exists q. E[p,q] = True)", Verdict.PASS),
        ("P[p] = A && E[p,p] = False", Verdict.PASS),
    ],
)
def test_universal_parts_of_init(start: str, verdict: Verdict) -> None:
    text = _HEAD + f"init (p) {{ {start} }}\nunsafe (p) {{ P[p] = B }}\n"
    text += "transition go (p) requires { E[p,p] = True } { P[p] := B }\n"
    assert _verdict(text) is verdict


def test_the_order_of_processes_does_not_hide_a_run() -> None:
    text = _HEAD + "init (p) { P[p] = A }\nunsafe (p q) { P[p] = B && P[q] = C && q < p }\n"
    text += "transition first (p q) requires { q < p && P[p] = A && P[q] = A && forall_other k. P[k] = A }\n"
    text += "{ P[j] := case | j = p : B | j = q : C | _ : P[j] }\n"
    assert _verdict(text) is Verdict.FAIL
    assert _verdict(text.replace("{ q < p && P[p]", "{ p < q && P[p]")) is Verdict.PASS


def test_a_process_variable_names_somebody_whom_universal_guards_see() -> None:
    """Only the process that P names can pass the guard, so two can not be there."""
    text = _HEAD.replace("array E", "var P : proc\narray E") + "init (p) { P[p] = A }\n"
    text = text.replace("P : proc", "Who : proc") + "unsafe (p q) { P[p] = B && P[q] = B }\n"
    text += "transition go (p) requires { forall_other k. Who <> k } { P[p] := B }\n"
    assert _verdict(text) is not Verdict.FAIL
    assert _verdict(text.replace("forall_other k. Who <> k", "Who <> p")) is Verdict.FAIL


def test_forall_other_speaks_of_the_witness_of_exists() -> None:
    text = _HEAD + "init (p) { P[p] = A }\nunsafe (p q) { P[p] = B && P[q] = B }\n"
    text += "transition go (p) requires { (exists_other e. P[e] <> C) && forall_other k. P[k] = A }\n"
    text += "{ P[p] := B }\n"
    assert _verdict(text) is Verdict.PASS
    assert _verdict(text.replace("P[k] = A", "P[k] <> C")) is Verdict.FAIL


def test_counting_up_never_gets_below_the_start() -> None:
    text = "var X : int\ninit { X = 0 }\nunsafe { X = -3 }\n"
    text += "transition up () { X := X + 1 }\ntransition down () requires { X > 3 } { X := X - 2 }\n"
    assert _verdict(text) is Verdict.PASS
    assert _verdict(text.replace("X > 3", "X > 0")) is Verdict.PASS
    assert _verdict(text.replace("X > 3", "X > -2")) is Verdict.FAIL


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("init (p) { exists q. P[q] = A }", "not supported: exists, nested quantifiers"),
        ("init (p) { P[p] = A || forall q. P[q] = A }", "not supported: exists, nested quantifiers"),
        ("init (p) { forall q. exists r. P[r] = A }", "not supported: exists, nested quantifiers"),
        ("init (p) { P[p] = A }\nunsafe (p) { forall q. P[q] = A }", "not supported: forall inside unsafe"),
        (
            "init (p) { P[p] = A }\ntransition t (p) { P[j] := case | forall k. P[k] = A : B | _ : C }",
            "not supported: quantifiers and fences in a case",
        ),
    ],
)
def test_what_is_not_supported_is_refused_at_its_place(text: str, message: str) -> None:
    with pytest.raises(Unsupported, match=re.escape(message)) as caught:
        read_system(_HEAD + text, "test.cub")
    assert caught.value.span is not None
    assert caught.value.span.line >= 4


def test_a_case_without_end_is_no_internal_error() -> None:
    cases = " ".join(f"| X = {number} : B" for number in range(150))
    text = "type t = A | B\nvar X : int\narray P[proc] : t\ninit (p) { P[p] = A && X = 0 }\n"
    text += f"unsafe (p) {{ P[p] = B }}\ntransition t (p) {{ P[j] := case {cases} | _ : A }}\n"
    assert decide(read_system(text, "test.cub"), Budget(20)).verdict is not Verdict.PASS


_TOKENS: tuple[str, ...] = ("forall", "exists", "not", "(", ")", "{", "}", "[", "]", "=", "<", "&&", "||")
_TOKENS += ("=>", "case", "|")
_TOKENS += (":", ":=", ";", ".", "?", "#1", "#99999999999", "1.5", "-1", "if", "let", "in", "type", "var")
_TOKENS += ("unsafe", "weak", "@", "fence", "proc", "int", "True", "X", "p", "(*", "*)", "\x00", "é", "+")


@pytest.mark.parametrize("block", range(5))
def test_spoilt_files_are_refused_with_their_place(block: int) -> None:
    places = []
    for seed in range(60 * block, 60 * block + 60):
        choose = generator(seed)
        text = choose.choice((FLAGS, MESSAGE, SPINLOCK, MUTEX, TWO_WRITES, random_protocol(seed)))
        for _ in range(choose.randint(1, 3)):
            at = choose.randrange(len(text))
            kind = choose.random()
            if kind < 0.15:
                text = text[: at + 1]
            elif kind < 0.75:
                text = text[:at] + choose.choice(_TOKENS) + text[at:]
            elif kind < 0.85:
                text = text[:at] + choose.choice(("(", "not ", "forall x. ", "(*", "if ")) * 5000 + text[at:]
            else:
                text = text[:at] + text[at + choose.randint(1, 9) :]
        try:
            system = read_system(text, "test.cub")
        except InputError as error:
            places.append(error.span)
            continue
        decide(system, Budget(0.2))
    assert conclusive(len(places) > 30)
    assert all(place is not None and place.line >= 1 for place in places)


def test_the_interpreter_knows_the_examples() -> None:
    assert not Reference(MUTEX, 3).explore(2000)
    assert Reference(MUTEX.replace("Free := False", "Free := Free"), 2).explore(2000)
