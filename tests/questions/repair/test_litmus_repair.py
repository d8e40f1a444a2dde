"""Litmus tests of every dialect are repaired, as cheaply as brute force finds, and as text that says so."""

from __future__ import annotations

import random

import pytest
from tests.questions.repair.brute_force import cheapest_cost
from tests.seeds import conclusive, generator

from treville.models.library import load_model
from treville.passes.program import Context
from treville.programs.ir import Fence, Load, Program, Store
from treville.programs.litmus import DIALECTS
from treville.questions.repair import searching
from treville.questions.repair.applying import applied
from treville.questions.repair.costs import read_costs
from treville.questions.repair.decide import Repaired, Wanted, repaired
from treville.questions.repair.of_test import litmus_subject
from treville.questions.repair.sites import present, with_levels
from treville.results import Budget, Verdict

SB = """X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
MP_PPC = """PPC MP
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 li r1,1      | lwz r1,0(r2) ;
 stw r1,0(r2) | cmpw r1,r1   ;
 stw r1,0(r4) | beq LC00     ;
              | LC00: lwz r3,0(r4) ;
exists (1:r1=1 /\\ 1:r3=0)
"""
MP_ARM = """AArch64 MP
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }
 P0          | P1          ;
 MOV W0,#1   | LDR W0,[X1] ;
 STR W0,[X1] | LDR W2,[X3] ;
 STR W0,[X3] |             ;
exists (1:X0=1 /\\ 1:X2=0)
"""
MP_RISCV = """RISCV MP
{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }
 P0           | P1           ;
 ori x5,x0,1  | lw x5,0(x6)  ;
 sw x5,0(x6)  | lw x7,0(x8)  ;
 sw x5,0(x8)  |              ;
exists (1:x5=1 /\\ 1:x7=0)
"""
MP_C = """C MP
{ x = 0; y = 0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1 /\\ 1:r1=0)
"""
MP_LKMM = """C MP
{}
P0(int *x, int *y)
{
  WRITE_ONCE(*x, 1);
  WRITE_ONCE(*y, 1);
}
P1(int *x, int *y)
{
  int r0 = READ_ONCE(*y);
  if (r0)
    r1 = READ_ONCE(*x);
}
exists (1:r0=1 /\\ 1:r1=0)
"""
COHERENT = """X86 CoRR
{ x=0; }
 P0         | P1          ;
 MOV [x],$1 | MOV EAX,[x] ;
            | MOV EBX,[x] ;
exists (1:EAX=1 /\\ 1:EBX=1)
"""


def ask(text: str, *models: str, wanted: Wanted | None = None) -> Repaired:
    subject = litmus_subject(text, "test.litmus", races=False)
    loaded = [load_model(name) for name in models or (DIALECTS[subject.test.dialect],)]
    contexts = [Context(model, None, subject.test.dialect) for model in loaded]
    return repaired(subject, contexts, wanted or Wanted(), read_costs(), Budget(60))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SB, ["MFENCE", "MFENCE"]),
        (MP_PPC, ["lwsync", "isync"]),
        (MP_ARM, ["LDAPR W0,[X1]", "STLR W0,[X3]"]),
        (MP_RISCV, ["fence r,r", "fence w,w"]),
        (MP_LKMM, ["smp_load_acquire(y)", "smp_store_release(y, 1)"]),
    ],
)
def test_the_usual_tests_get_the_usual_changes(text: str, expected: list[str]) -> None:
    found = ask(text)
    assert (found.verdict, found.optimal) == (Verdict.PASS, True)
    assert sorted(change.after for change in found.changes) == sorted(expected)
    for change in found.changes:
        assert change.forbids is not None
        assert change.forbids.judged.violated
        assert change.forbids.explanation is not None


def test_orders_of_c11_are_typed_where_they_stand() -> None:
    found = ask(MP_C)
    assert [(c.site.span.line, c.site.span.column) for c in found.changes] == [(5, 31), (8, 36)]
    assert [change.after.split("memory_order_")[1] for change in found.changes] == ["release)", "acquire)"]
    assert [line for line in found.diff.splitlines() if line[:1] in "+-"][2:] == [
        "-  atomic_store_explicit(y, 1, memory_order_relaxed);",
        "+  atomic_store_explicit(y, 1, memory_order_release);",
        "-  int r0 = atomic_load_explicit(y, memory_order_relaxed);",
        "+  int r0 = atomic_load_explicit(y, memory_order_acquire);",
    ]


def test_changes_that_are_right_are_told_before_the_cheapest_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching, "_PATIENCE", 1)
    told: list[Repaired] = []
    subject = litmus_subject(MP_ARM, "test.litmus", races=False)
    contexts = [Context(load_model("aarch64"), None, subject.test.dialect)]
    found = repaired(subject, contexts, Wanted(), read_costs(), Budget(60), told.append)
    early, final = told
    assert (early.verdict, early.optimal, final.verdict, final.optimal) == (
        Verdict.UNKNOWN, False, Verdict.PASS, True,
    )  # fmt: skip
    assert "right" in early.reason
    assert early.diff != found.diff
    assert (early.cost or 0) > (found.cost or 0)


def test_only_fences_and_only_orders() -> None:
    fences = ask(MP_C, wanted=Wanted(only="fences"))
    assert {change.site.kind.value for change in fences.changes} == {"new fence"}
    orders = ask(SB, wanted=Wanted(only="orders"))
    assert orders.verdict is Verdict.FAIL
    assert orders.refuted is not None


def test_lines_that_are_kept_do_not_change() -> None:
    found = ask(MP_C, wanted=Wanted(keep=("5", "test.litmus:8")))
    assert found.verdict is Verdict.PASS
    assert not {5, 8} & {change.site.span.line for change in found.changes if change.before}


def test_costs_of_several_models_are_added() -> None:
    one, other, both = ask(MP_C, "power"), ask(MP_C, "aarch64"), ask(MP_C, "power", "aarch64")
    assert one.cost is not None
    assert other.cost is not None
    assert both.cost is not None
    assert both.cost >= one.cost + other.cost
    assert [name for name, _ in both.checks] == ["power", "aarch64"]


def test_what_no_fence_forbids_fails_with_the_execution() -> None:
    found = ask(COHERENT)
    assert found.verdict is Verdict.FAIL
    assert found.refuted is not None
    assert found.refuted.explanation is None
    assert found.diff == ""


def test_what_is_right_stays() -> None:
    found = ask(SB, "sc")
    assert (found.verdict, found.changes, found.cost, found.diff) == (Verdict.PASS, [], 0, "")


def test_weakening_leaves_what_is_needed() -> None:
    fenced = SB.replace(" MOV EAX,[y]", " MFENCE | MFENCE ;\n MOV EAX,[y]")
    needed = ask(fenced, wanted=Wanted(weaken=True))
    assert (needed.verdict, needed.changes, len(needed.needed)) == (Verdict.PASS, [], 2)
    twice = fenced.replace(" MFENCE | MFENCE ;", " MFENCE | MFENCE ;\n MFENCE | ;")
    found = ask(twice, wanted=Wanted(weaken=True))
    assert [change.after for change in found.changes] == [""]
    assert len(found.needed) == 2
    assert all(each.forbids is not None for each in found.needed)


def test_weakening_orders_of_c11() -> None:
    strong = MP_C.replace("memory_order_relaxed", "memory_order_seq_cst")
    found = ask(strong, wanted=Wanted(weaken=True))
    orders = [line.split("memory_order_")[1] for line in found.diff.splitlines() if line.startswith("+ ")]
    assert orders == ["relaxed);", "release);", "acquire);", "relaxed);"]
    assert [change.after.split("memory_order_")[1] for change in found.needed] == ["release)", "acquire)"]


def test_what_is_wrong_is_not_weakened() -> None:
    found = ask(SB, wanted=Wanted(weaken=True))
    assert found.verdict is Verdict.FAIL
    assert "without --weaken" in found.reason


def _events(program: Program) -> list[tuple[str, frozenset[str]]]:
    return [
        (type(i).__name__, frozenset(tag for tag in i.tags - {"MFENCE"} if not tag.startswith("site ")))
        for i in program.instructions()
        if isinstance(i, Load | Store | Fence)
    ]


@pytest.mark.parametrize("text", [SB, MP_PPC, MP_ARM, MP_RISCV, MP_C, MP_LKMM])
def test_what_is_searched_is_what_is_typed(text: str) -> None:
    """The program of an assignment has the events of the text that it makes."""
    subject = litmus_subject(text, "test.litmus")
    start = present(subject.sites)
    tried = 0
    for site in subject.sites:
        if site.number not in subject.usable:
            continue
        for level in range(len(site.levels)):
            assignment = with_levels(start, {site.number: level})
            typed = subject.read(subject.patched(assignment).get("test.litmus", text)).program
            made = applied(subject.program, subject.sites, assignment, frozenset())
            assert _events(typed) == _events(made), (site, site.levels[level])
            tried += 1
    assert tried > 2


DIALECT_OF = {"X86": "X86", "PPC": "PPC", "AArch64": "AArch64", "RISCV": "RISCV", "C": "C", "LKMM": "C"}
WRITES = {
    "X86": "MOV [{l}],${v}", "PPC": "stw r{v},0(r{a})", "AArch64": "STR W{v},[X{a}]",
    "RISCV": "sw x{v},0(x{a})", "C": "atomic_store_explicit({l}, {v}, memory_order_relaxed);",
    "LKMM": "WRITE_ONCE(*{l}, {v});",
}  # fmt: skip
READS = {
    "X86": "MOV E{n}X,[{l}]", "PPC": "lwz r{r},0(r{a})", "AArch64": "LDR W{r},[X{a}]",
    "RISCV": "lw x{r},0(x{a})", "C": "int r{r} = atomic_load_explicit({l}, memory_order_relaxed);",
    "LKMM": "int r{r} = READ_ONCE(*{l});",
}  # fmt: skip
REGISTER = {"X86": "E{n}X", "PPC": "r{r}", "AArch64": "X{r}", "RISCV": "x{r}", "C": "r{r}", "LKMM": "r{r}"}


def random_cycle(dialect: str, rng: random.Random) -> str:
    """Two or three threads with two accesses each, without fences: each thread ends with the location that
    the next one begins with, and the state asks for a cycle."""
    count = rng.choice((2, 2, 3))
    places = "xyz"[:count]
    kinds = [rng.choice(("WR", "RW", "WW")) for _ in range(count)]  # of the end and the next beginning
    lines: list[list[str]] = [[] for _ in range(count)]
    seen: list[str] = []
    for thread in range(count):
        for k, (kind, place) in enumerate(
            ((kinds[thread - 1][1], places[thread - 1]), (kinds[thread][0], places[thread]))
        ):
            edge = kinds[thread - 1] if k == 0 else kinds[thread]
            value = 2 if edge == "WW" and k == 0 else 1
            words = {"l": place, "a": 10 + places.index(place), "v": value, "r": 5 + k, "n": "AB"[k]}
            lines[thread].append((WRITES if kind == "W" else READS)[dialect].format(**words))
            if kind == "R":
                seen.append(f"{thread}:{REGISTER[dialect].format(**words)}={int(edge == 'WR')}")
    seen += [f"{place}=2" for kind, place in zip(kinds, places, strict=True) if kind == "WW"]
    in_c = dialect in ("C", "LKMM")
    body = _functions(dialect, lines, places) if in_c else _columns(lines)
    state = "" if in_c else " ".join(_registers(dialect, thread, places) for thread in range(count))
    condition = " /\\ ".join(seen)
    return f"{DIALECT_OF[dialect]} random\n{{ {state} }}\n{body}\nexists ({condition})\n"


def _registers(dialect: str, thread: int, places: str) -> str:
    if dialect == "X86":
        return ""
    letter = {"PPC": "r", "AArch64": "X", "RISCV": "x"}.get(dialect, "r")
    addresses = [f"{thread}:{letter}{10 + k}={place};" for k, place in enumerate(places)]
    return " ".join([*addresses, f"{thread}:{letter}1=1;", f"{thread}:{letter}2=2;"])


def _columns(threads: list[list[str]]) -> str:
    rows = [[f"P{n}" for n in range(len(threads))], *zip(*threads, strict=True)]
    return "\n".join(" " + " | ".join(row) + " ;" for row in rows)


def _functions(dialect: str, threads: list[list[str]], places: str) -> str:
    kind = "atomic_int" if dialect == "C" else "int"
    parameters = ", ".join(f"{kind} *{place}" for place in places)
    bodies = ["\n".join(f"  {line}" for line in lines) for lines in threads]
    return "\n".join(f"P{n}({parameters})\n{{\n{body}\n}}" for n, body in enumerate(bodies))


@pytest.mark.parametrize("dialect", list(WRITES))
def test_no_cheaper_repair_by_brute_force(dialect: str) -> None:
    """Random tests: the same cost as trying everything, and no repair where there is none."""
    tried = 0
    for case in range(20):
        text = random_cycle(dialect, generator(f"repair {dialect} {case}"))
        subject = litmus_subject(text, "test.litmus", races=False)
        model = load_model(DIALECTS[subject.test.dialect])
        if subject.confirm({}, model, Budget()).verdict is Verdict.PASS:
            continue
        try:
            expected = cheapest_cost(subject, model, 2100)
        except OverflowError:
            continue
        found = ask(text)
        if expected is None:
            assert found.verdict is Verdict.FAIL, text
        else:
            assert (found.verdict, found.cost, found.optimal) == (Verdict.PASS, expected, True), text
            tried += 1
        if tried == 4:
            break
    assert conclusive(tried > 0)
