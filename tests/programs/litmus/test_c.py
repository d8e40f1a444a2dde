"""The C of litmus tests: what statements and expressions become."""

from __future__ import annotations

import re

import pytest
from tests.seeds import conclusive, generator

from treville.models.library import load_model
from treville.programs.ir import Branch, Const, Load, Local, Op, Reg, Store
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import InputError, Unsupported


def read(
    body: str, parameters: str = "int *x, int *y", initial: str = "", condition: str = "exists (x=1)"
) -> LitmusTest:
    return parse(f"C t\n{{ {initial} }}\nP0({parameters}) {{\n{body}\n}}\n{condition}\n", "t.litmus")


def final_values(body: str, register: str = "r", **more: str) -> list[tuple[object, ...]]:
    """The values of a register at the end of a sequential program."""
    test = read(body, condition=f"exists (0:{register}=0)", **more)
    return sorted(outcomes(test, load_model("sc")).states)


def test_a_pointer_parameter_is_the_address_of_its_global() -> None:
    test = read("int r = *y;")
    (load,) = test.program.threads[0].instructions
    assert isinstance(load, Load)
    assert load.address == Const(test.program.locations["y"].address)
    assert load.register == "r"
    assert "Plain" in load.tags


def test_a_parameter_that_is_assigned_to_becomes_a_register() -> None:
    test = read("x = y; *x = 1;")
    thread = test.program.threads[0]
    assert thread.registers == {"x": test.program.locations["x"].address}
    store = thread.instructions[1]
    assert isinstance(store, Store)
    assert store.address == Reg("x")
    assert list(outcomes(test, load_model("sc")).states) == [(0,)]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 2", 5),
        ("-7 / 2", -3),
        ("7 % 4 << 1", 6),
        ("1 | 6 & 3", 3),
        ("5 ^ 1", 4),
        ("!0 + !5", 1),
        ("~0", -1),
        ("2 < 3 == 1", 1),
        ("0 || 2 && 3", 1),
        ("0x10 + 1ul", 17),
        ("(int)5 ? 8 : 9", 8),
        ("NULL", 0),
        ("(long unsigned)(void *)3", 3),
    ],
)
def test_constant_expressions_mean_what_c_says(expression: str, value: int) -> None:
    assert final_values(f"int r = {expression};") == [(value,)]


def test_reads_in_the_operands_of_an_operator_are_unordered() -> None:
    test = read("int r = *x + *y;")
    first, second, total = test.program.threads[0].instructions
    assert isinstance(first, Load)
    assert isinstance(second, Load)
    assert isinstance(total, Local)
    assert total.value == Op("add", (Reg(first.register or ""), Reg(second.register or "")), 64)
    assert second.parallel
    assert not first.parallel


def test_the_right_operand_of_and_is_read_only_if_it_counts() -> None:
    assert final_values("int r = *x && *y; *x = 1;", initial="x=0; y=1;") == [(0,)]
    test = read("int r = *x && *y;")
    kinds = [type(instruction) for instruction in test.program.threads[0].instructions]
    assert kinds == [Load, Local, Branch, Load, Local, Local]


def test_an_if_controls_its_branches_and_nothing_behind_them() -> None:
    test = read("int r = *x; if (r == 1) { *y = 1; } else *y = 2; *x = 3;")
    thread = test.program.threads[0]
    branch = thread.instructions[1]
    assert isinstance(branch, Branch)
    assert branch.until is not None
    end = thread.labels[branch.until]
    store = thread.instructions[end]
    assert isinstance(store, Store)
    assert store.value == Const(3)


@pytest.mark.parametrize(
    "loop",
    [
        "while (i < 4) { i++; r += i; }",
        "do { ++i; r = r + i; } while (i != 4);",
        "for (i = 1; i <= 4; i++) r += i;",
        "while (1) { i++; if (i > 4) break; r += i; }",
        "for (i = 1; i < 9; i++) { if (i > 4) continue; r += i; }",
    ],
)
def test_loops_run_as_in_c(loop: str) -> None:
    test = read(f"int i = 0; int r = 0; {loop}", condition="exists (0:r=0)")
    assert list(outcomes(test, load_model("sc"), bound=12).states) == [(10,)]


def test_continue_can_be_the_name_of_a_variable() -> None:
    assert final_values("continue = 1; if (continue) { r = 2; continue = 0; }") == [(2,)]


def test_pointers_count_cells() -> None:
    body = "*(x + 1) = 7; int q = x; int r = *(q + 2) + x[1];"
    assert final_values(body, initial="x[3] = {1, 2, 3};") == [(10,)]


def test_registers_can_be_initialised_and_default_to_zero() -> None:
    assert final_values("r = a + b;", initial="0:a=5;") == [(5,)]


def test_return_ends_the_thread() -> None:
    assert final_values("r = 1; return; r = 2;") == [(1,)]


def test_compound_assignments_read_and_write_memory() -> None:
    assert final_values("*x += 4; x[0] -= 1; (*y) = 9; r = *x + *y;", initial="x=2;") == [(14,)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("int r = ;", "expected an expression"),
        ("int r = 1 r = 2;", "expected ';'"),
        ("WRITE_ONCE(*x);", "takes 2 arguments"),
        ("WRITE_ONCE(3, 1);", "expected a memory location"),
        ("int r = smp_mb();", "has no value"),
        ("break;", "outside of a loop"),
        ("if (1 { }", "expected ')'"),
        ("3 = 4;", "cannot be assigned to"),
        ("(r) 4;", "expected '=' or ';'"),
    ],
)
def test_a_wrong_program_is_refused_with_its_place(body: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read("smp_mb(); " + body)
    assert caught.value.span is not None
    assert caught.value.span.line == 4


@pytest.mark.parametrize(
    "body",
    ["goto end;", "int r = x->next;", "int a[3];", "smp_memb();", "int r = *x ? *y : 0;", "switch (1) { }"],
)
def test_what_is_not_supported_is_named(body: str) -> None:
    with pytest.raises(Unsupported) as caught:
        read("smp_mb(); " + body)
    assert caught.value.span is not None


@pytest.mark.parametrize(
    "body", ["r = " + "(" * 5000 + "1", "{" * 5000, "r = " + "-" * 5000 + "1;", "*" * 5000]
)
def test_deep_nesting_is_an_error_and_not_a_crash(body: str) -> None:
    with pytest.raises(InputError):
        read("smp_mb(); " + body)


@pytest.mark.parametrize(
    "program", ["", "P0(int *x) {", "int x;", "P0 { }", "P0() { } P0() { }", "P0(int *x { }"]
)
def test_a_program_without_proper_threads_is_refused(program: str) -> None:
    with pytest.raises(InputError):
        parse(f"C t\n{{}}\n{program}\nexists (x=1)\n", "t.litmus")


def test_mutated_programs_are_read_or_refused() -> None:
    """Never a traceback, whatever the words are."""
    body = (
        "int r0 = READ_ONCE(*x); if (r0 == 1 && *y) { spin_lock(x); *y += 2; } else while (r0) { r0--; } "
        "int *p = (int *)x; p[1] = atomic_cmpxchg(y, r0, -3) ? 1 : 2; for (i = 0; i < 2; i++) { xchg(x, i); }"
    )
    words = re.findall(r"\w+|==|&&|\+=|--|\+\+|[^\w\s]", body)
    chance = generator(7)
    refused = 0
    for _ in range(600):
        mutant = list(words)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(mutant))
            mutant[at : at + chance.randint(0, 2)] = chance.choices(words, k=chance.randint(0, 2))
        try:
            read(" ".join(mutant))
        except InputError as error:
            refused += error.span is not None
    assert conclusive(100 < refused < 600)
