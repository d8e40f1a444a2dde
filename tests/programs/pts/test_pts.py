"""Programs in the input language of Porthos: what they mean, and what is refused where."""

from __future__ import annotations

import pytest

from treville.campaigns.loading import load_test
from treville.models.library import load_model
from treville.programs import ir
from treville.programs.litmus.test import CellOf, LitmusTest, RegisterOf
from treville.programs.pts import parse
from treville.questions.outcomes import outcomes
from treville.questions.portability import Question, portability
from treville.results import InputError, Verdict

SHELL = """{{x, y}}
thread t0 {{
{0}
}}
exists (x = 1)
"""


def one_thread(body: str) -> ir.Thread:
    return parse(SHELL.format(body), "one.pts").program.threads[0]


def final_states(test: LitmusTest, model: str, names: str) -> set[str]:
    found = outcomes(test, load_model(model), 4)
    assert found.states
    shown = [observable.shown for observable in test.observed]
    at = [shown.index(name) for name in names.split()]
    return {" ".join(str(state[place]) for place in at) for state in found.states}


# -- meaning ---------------------------------------------------------------------------------------


def test_states_are_all_registers_and_locations() -> None:
    test = parse("{x, y} thread t0 { a <- 1; x.store(_rx, a); b = y.load(_sc) }", "t.pts")
    shown = [o.shown for o in test.observed if isinstance(o, RegisterOf | CellOf)]
    assert shown == ["0:a", "0:b", "x", "y"]
    assert test.dialect == "PTS"
    assert test.name == "t"


@pytest.mark.parametrize(
    ("instruction", "tags"),
    [
        ("x := 1", {"NA", "Plain", "DATA"}),
        ("x.store(_na, 1)", {"NA", "Plain", "DATA"}),
        ("x.store(_rx, 1)", {"RLX", "A"}),
        ("x.store(_rel, 1)", {"REL", "A"}),
        ("x.store(_sc, 1)", {"SC", "A"}),
        ("r <- x", {"NA", "Plain", "DATA"}),
        ("r <:- x", {"NA", "Plain", "DATA"}),
        ("r = x.load(_con)", {"CON", "A"}),
        ("r = x.load(_acq)", {"ACQ", "A"}),
        ("mfence", {"MFENCE"}),
        ("sync", {"SYNC"}),
        ("lwsync", {"LWSYNC"}),
        ("isync", {"ISYNC"}),
    ],
)
def test_accesses_and_fences_carry_their_orders(instruction: str, tags: set[str]) -> None:
    (made,) = one_thread(instruction).instructions
    assert isinstance(made, ir.Load | ir.Store | ir.Fence)
    assert made.tags == frozenset(tags)
    assert made.text == instruction
    assert made.span is not None
    assert (made.span.line, made.span.column) == (3, 1)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 + 4", 9),
        ("7 - 2 - 1", 4),
        ("(2 + 3) * 4", 20),
        ("2 + (3 * 4)", 14),
        ("6 & 3", 2),
        ("6 | 3", 7),
        ("6 ^ 3", 5),
        ("-4 + 1", -3),
    ],
)
def test_arithmetic(expression: str, value: int) -> None:
    (made,) = one_thread(f"r <- {expression}").instructions
    assert isinstance(made, ir.Local)
    assert made.value == ir.Const(value)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("(r == 2)", True),
        ("r != 2", False),
        ("(r < 3) and (r > 1)", True),
        ("(r <= 1) or (r >= 3)", False),
        ("(r == 1) || (r == 2)", True),
        ("(r == 1) && (r == 2)", False),
        ("not (r == 1)", True),
        ("!((r == 1) or (r == 2))", False),
        ("true", True),
        ("False", False),
        ("((r + 1) == 3)", True),
    ],
)
def test_conditions(condition: str, holds: bool) -> None:
    text = SHELL.format(f"r <- 2; if {condition} then {{ x.store(_rx, 1) }} else {{ x.store(_rx, 2) }}")
    assert final_states(parse(text, "c.pts"), "sc", "x") == {"1" if holds else "2"}


def test_semicolons_separate_or_end_and_comments_are_nothing() -> None:
    texts = [
        "r <- 1; if (r == 1) { x := r }; y := r",
        "r <- 1; if (r == 1) { x := r; } y := r;",
        "r <- 1; // one\nif (r == 1) { (* then\n *) x := r }\ny := r;",
    ]
    made = [[str(type(i).__name__) for i in one_thread(text).instructions] for text in texts]
    assert made[0] == made[1] == made[2] == ["Local", "Branch", "Store", "Store"]


def test_loops_run_until_their_condition_is_false() -> None:
    text = "{x} thread t0 { i <- 0; while (i < 3) { i <- i + 1; }; x.store(_rx, i) }"
    assert final_states(parse(text, "l.pts"), "sc", "x 0:i") == {"3 3"}


def test_loops_can_be_left_after_some_rounds() -> None:
    text = "{x} thread t0 { i <- 0; while True { i <- i + 1; while (i > 0) { x.store(_rx, i) } } }"
    test = parse(text, "l.pts", leave_after=2)
    assert sum(isinstance(i, ir.Store) for i in test.program.threads[0].instructions) == 4
    assert final_states(test, "sc", "x 0:i") == {"2 2"}
    assert any("left after 2 rounds" in notice.sentence for notice in test.program.notices)


def test_threads_are_numbered_by_their_names() -> None:
    text = "{x} thread t1 { r <- 1 } thread t3 { r <- 3 } exists (3:r = 3 /\\ 1:r = 1)"
    test = parse(text, "n.pts")
    assert [thread.name for thread in test.program.threads] == ["P1", "P3"]
    assert final_states(test, "sc", "1:r 3:r") == {"1 3"}
    named = parse("{x} thread left { r <- 1 } thread right { r <- 3 }", "n.pts")
    assert [thread.name for thread in named.program.threads] == ["P0", "P1"]


def test_only_tests_of_this_language_leave_loops() -> None:
    with pytest.raises(InputError, match=r"\.pts"):
        load_test("X86 t\n{}\n P0 ;\n NOP ;\nexists (x=0)", "t.litmus", leave_after=2)


# -- questions -------------------------------------------------------------------------------------

BUFFERING = """{{x, y}}
thread t0 {{ x.store({0}, 1); {1} r = y.load({0}); }}
thread t1 {{ y.store({0}, 1); {1} r = x.load({0}); }}
exists (0:r = 0 /\\ 1:r = 0)
"""


@pytest.mark.parametrize(
    ("order", "fence", "verdict"),
    [
        ("_rx", "", Verdict.FAIL),
        ("_sc", "", Verdict.PASS),
        ("_rx", "mfence;", Verdict.PASS),
        ("_rx", "sync;", Verdict.PASS),
        ("_rx", "lwsync;", Verdict.FAIL),
    ],
)
@pytest.mark.parametrize("target", ["tso", "power", "armv7"])
def test_store_buffering_is_portable_with_full_fences_and_sequential_accesses(
    order: str, fence: str, verdict: Verdict, target: str
) -> None:
    test = parse(BUFFERING.format(order, fence), "sb.pts")
    for notion in ("state", "trace"):
        question = Question(load_model("sc"), load_model(target), notion)
        assert portability(test, question).verdict is verdict


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message", "column"),
    [
        ("r <- 1 + 2 * 3", "behind another operator", 12),
        ("if (1 == 1) and (1 == 1) or (1 == 1) { }", "behind another operator", 26),
        ("if not (1 == 1) and (1 == 1) { }", "behind another operator", 17),
        ("r <- 4 / 2", "division", 8),
        ("r <- (1 == 1)", "expected a number", 6),
        ("if (1 + 1) { }", "expected a comparison", 4),
        ("r <- q", "q was never set", 6),
        ("x.store(_rx, y)", "y is a location", 14),
        ("x <- 1", "x is a location", 1),
        ("r = x.load(_rel)", "order of a load", 12),
        ("x.store(_acq, 1)", "order of a store", 9),
        ("z := 1", "expected a location", 1),
        ("x.load(_rx)", "needs a register", 3),
        ("r 1", "expected '<-'", 3),
        ("while", "expected a register", 1),
        ("sync sync", "expected ';'", 6),
        ("1 <- 2", "expected an instruction", 1),
    ],
)
def test_mistakes_are_refused_at_their_place(body: str, message: str, column: int) -> None:
    with pytest.raises(InputError, match=message) as caught:
        one_thread(body)
    span = caught.value.span
    assert span is not None
    line = 4 if body == "while" else 3
    assert (span.file, span.line, span.column) == ("one.pts", line, column)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("thread t0 { }", "the locations in braces", (1, 1)),
        ("{x, x}", "there is a location x already", (1, 5)),
        ("{x y}", "expected ',' or '}'", (1, 4)),
        ("{x}", "expected 'thread'", (1, 4)),
        ("{x} thread t0 { } thread t0 { }", "there is a thread t0 already", (1, 26)),
        ("{x} thread 0 { }", "expected a thread's name", (1, 12)),
        ("{x} thread t0 { x := 1", "expected ';'", (1, 23)),
        ("{x} thread t0 { }\nexists (0:r = 1)", "P0 has no register r", (2, 11)),
        ("{x} thread t0 { }\nexists (1:r = 1)", "no thread P1", (2, 9)),
        ("{x} thread t0 { }\nexists (x = 1 /\\ z = 1)", "no location z", (2, 18)),
        ("{x} thread t0 { } nonsense", "condition", (1, 19)),
    ],
)
def test_files_are_refused_at_the_place_of_the_mistake(
    text: str, message: str, place: tuple[int, int]
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse(text, "f.pts")
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == place


def test_loops_in_loops_that_would_be_copied_too_often_are_refused() -> None:
    body = "while True { " * 9 + "x := 1" + "}" * 9
    with pytest.raises(InputError, match="so long"):
        parse(SHELL.format(body), "deep.pts", leave_after=5)


def test_no_text_ends_in_anything_but_a_test_or_a_located_refusal() -> None:
    """Pieces of a program left out, doubled and exchanged."""
    words = BUFFERING.format("_rx", "sync;").split(" ")
    for place in range(len(words)):
        for text in (
            words[:place] + words[place + 1 :],
            [*words[:place], words[place], *words[place:]],
            [*words[:place], *reversed(words[place : place + 2]), *words[place + 2 :]],
        ):
            assert _is_refused_at_a_place_or_read(" ".join(text))


def _is_refused_at_a_place_or_read(text: str) -> bool:
    try:
        parse(text, "f.pts")
    except InputError as error:
        return error.span is not None
    return True
