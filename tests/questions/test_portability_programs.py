"""Portability of C programs: as litmus tests of the same code say, and as all states of both models say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from treville.engines.contract import State
from treville.engines.differences.symbolic import Consistent, Method
from treville.models.library import load_model
from treville.passes.joint import Side, compile_both
from treville.programs.c import load_program
from treville.programs.litmus import parse
from treville.questions.portability import (
    Portability,
    ProgramSubject,
    Question,
    portability,
    program_portability,
    program_subject,
)
from treville.results import Budget, InputError, Verdict
from treville.solving.solution import IsTrue

pytest.importorskip("llvmlite")

PROGRAMS = Path(__file__).resolve().parents[1] / "c" / "safe"
HEADER = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x, y; int a, b;\n"
MAIN = """
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
"""
# shape -> the accesses of two threads over x and y; `r0` is what states show of the threads' reads
SHAPES = {
    "SB": (["W x 1", "R y"], ["W y 1", "R x"]),
    "MP": (["W x 1", "W y 1"], ["R y", "R x"]),
    "LB": (["R x", "W y 1"], ["R y", "W x 1"]),
    "2+2W": (["W x 1", "W y 2"], ["W y 1", "W x 2"]),
}
ORDERS = {
    "W": {"seq_cst": "seq_cst", "rel_acq": "release"},
    "R": {"seq_cst": "seq_cst", "rel_acq": "acquire"},
}
PAIRS = (("sc", "tso"), ("tso", "power"), ("tso", "armv7"), ("sc", "aarch64"), ("power", "riscv"))


def accesses(steps: list[str], order: str, pointer: bool) -> str:
    """A thread's body; its reads are collected in the decimal digits of `r`."""
    mark = "" if pointer else "&"
    lines = ["int r = 0;"]
    for step in steps:
        kind, place, *value = step.split()
        memory_order = f"memory_order_{ORDERS[kind].get(order, 'relaxed')}"
        if kind == "W":
            lines.append(f"atomic_store_explicit({mark}{place}, {value[0]}, {memory_order});")
        else:
            name = f"r{len(lines)}"
            lines.append(f"int {name} = atomic_load_explicit({mark}{place}, {memory_order});")
            lines.append(f"r = r + r + {name};")
    return "\n  ".join(lines)


def as_program(shape: str, order: str, folder: Path) -> ProgramSubject:
    first, second = SHAPES[shape]
    text = HEADER
    for name, steps, result in (("first", first, "a"), ("second", second, "b")):
        body = accesses(steps, order, pointer=False)
        text += f"static void *{name}(void *unused) {{\n  {body}\n  {result} = r;\n  return 0;\n}}\n"
    path = folder / f"{shape}-{order}.c"
    path.write_text(text + MAIN)
    return program_subject(load_program(path))


def as_test(shape: str, order: str) -> str:
    first, second = SHAPES[shape]
    threads = "".join(
        f"P{number}(atomic_int* x, atomic_int* y) {{\n  {accesses(steps, order, pointer=True)}\n}}\n"
        for number, steps in enumerate((first, second))
    )
    return f"C {shape}\n{{ x=0; y=0; }}\n{threads}locations [x; y; 0:r; 1:r;]\nexists (x=0)\n"


def ask(
    subject: ProgramSubject, source: str, target: str, notion: str = "state", engine: str = "auto"
) -> Portability:
    question = Question(load_model(source), load_model(target), notion, engine=engine)
    return program_portability(subject, question, Budget(120))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ["relaxed", "rel_acq", "seq_cst"])
def test_programs_get_the_answers_of_litmus_tests(shape: str, order: str, tmp_path: Path) -> None:
    subject = as_program(shape, order, tmp_path)
    test = parse(as_test(shape, order), f"{shape}.litmus")
    for source, target in PAIRS:
        for notion in ("trace", "state"):
            question = Question(load_model(source), load_model(target), notion, engine="enumerate")
            expected = portability(test, question).verdict
            for engine in ("eager", "lazy"):
                found = ask(subject, source, target, notion, engine)
                assert found.verdict is expected, (source, target, notion, engine)


# -- all states of both models ---------------------------------------------------------------------


def all_states(subject: ProgramSubject, side: Side) -> set[State]:
    """Every state, listed without any notion of difference."""
    allowed = Consistent(subject, side, 2, Budget(60), Method(lazy=False))
    watch = subject.watch(allowed.encoding, states=True)
    found = set()

    def on_solution(is_true: IsTrue) -> bool:
        found.add(watch.state(is_true))
        return True

    allowed.solver(watch.projected()).enumerate(Budget(60), on_solution, [watch.ended])
    return found


def mutex(name: str, fences: int) -> ProgramSubject:
    return program_subject(load_program(PROGRAMS / f"{name}.c", defines=(f"F={fences}",)))


@pytest.mark.parametrize("name", ["peterson", "dekker", "parker", "bakery"])
@pytest.mark.parametrize("fences", [0, 1])
def test_mutexes_are_portable_where_no_state_is_new(name: str, fences: int) -> None:
    subject = mutex(name, fences)
    for source, target in (("sc", "tso"), ("tso", "power")):
        joint, *sides = compile_both(subject.program, load_model(source), load_model(target))
        old, new = (all_states(replace(subject, program=joint), side) for side in sides)
        assert old
        answers = [ask(subject, source, target, engine=engine) for engine in ("eager", "lazy")]
        for answer in answers:
            assert (answer.verdict is Verdict.PASS) == (new <= old), (source, target)
        for answer in answers:
            if not answer.findings:
                continue
            (finding,) = answer.findings
            assert finding.state in new - old
            assert finding.state[0] or subject.final(finding.execution) == finding.state


def test_fences_for_x86_make_peterson_portable_to_tso_and_no_further() -> None:
    assert ask(mutex("peterson", 0), "sc", "tso").verdict is Verdict.FAIL
    assert ask(mutex("peterson", 1), "sc", "tso", "trace").verdict is Verdict.PASS
    assert ask(mutex("peterson", 1), "sc", "power").verdict is Verdict.FAIL
    assert ask(mutex("peterson", 2), "sc", "power", "trace").verdict is Verdict.PASS


def threads(first: str, second: str, folder: Path) -> ProgramSubject:
    """The program of two threads."""
    text = HEADER + "extern unsigned __VERIFIER_nondet_uint(void);\n"
    for name, body in (("first", first), ("second", second)):
        text += f"static void *{name}(void *unused) {{\n{body}\n  return 0;\n}}\n"
    path = folder / "threads.c"
    path.write_text(text + MAIN)
    return program_subject(load_program(path))


RELAXED = "memory_order_relaxed"


@pytest.mark.parametrize("engine", ["eager", "lazy"])
def test_rounds_of_waiting_tell_executions_apart_but_no_states(engine: str, tmp_path: Path) -> None:
    first = f"""  atomic_store_explicit(&x, 1, {RELAXED});
  while (!atomic_load_explicit(&y, {RELAXED}))
    ;"""
    second = f"""  atomic_store_explicit(&y, 1, {RELAXED});
  a = atomic_load_explicit(&x, {RELAXED});"""
    subject = threads(first, second, tmp_path)
    states = ask(subject, "sc", "tso", "state", engine)
    assert (states.verdict, states.complete) == (Verdict.PASS, True)
    # A first round that does not see y = 1, and a last one that does, is store buffering.
    (finding,) = ask(subject, "sc", "tso", "trace", engine).findings
    reads = [e.value for e in finding.execution.events if e.kind == "R" and e.thread == 1]
    assert reads[0] == 0
    assert reads[-1] == 1


def test_waiting_is_cut_where_executions_are_compared(tmp_path: Path) -> None:
    subject = threads("  while (!atomic_load(&y))\n    ;", "  atomic_store(&y, 1);", tmp_path)
    assert ask(subject, "sc", "tso", "state").complete
    traces = ask(subject, "sc", "tso", "trace")
    assert (traces.verdict, traces.complete) == (Verdict.PASS, False)


# -- values ----------------------------------------------------------------------------------------

WIDE = f"""  unsigned value = __VERIFIER_nondet_uint();
  if (value > 5) value = 5;
  a = (int)value * 7 - 20;
  atomic_store_explicit(&x, 1, {RELAXED});
  b = atomic_load_explicit(&y, {RELAXED});"""
OTHER = f"""  atomic_store_explicit(&y, 1, {RELAXED});
  if (!atomic_load_explicit(&x, {RELAXED})) atomic_store_explicit(&x, -3, {RELAXED});"""


def test_values_are_compared_bit_by_bit_as_number_by_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = threads(WIDE, OTHER, tmp_path)
    joint, *sides = compile_both(subject.program, load_model("sc"), load_model("tso"))
    both = replace(subject, program=joint)
    listed = [all_states(both, side) for side in sides]
    answer = ask(subject, "sc", "tso")
    monkeypatch.setattr("treville.passes.bounded.MOST_NUMBERS", 1)
    for side, states in zip(sides, listed, strict=True):
        assert all_states(both, side) == states
    assert len(listed[1]) > len(listed[0]) > 6
    for engine in ("eager", "lazy"):
        wide = ask(subject, "sc", "tso", engine=engine)
        assert wide.verdict is answer.verdict is Verdict.FAIL
        assert wide.findings[0].state in listed[1] - listed[0]


def test_unknown_numbers_are_compared_too(tmp_path: Path) -> None:
    first = f"""  a = (int)__VERIFIER_nondet_uint();
  atomic_store_explicit(&x, 1, {RELAXED});
  if (a == -77) b = atomic_load_explicit(&y, {RELAXED}) + 2;"""
    second = f"""  atomic_store_explicit(&y, 1, {RELAXED});
  y = 2 + atomic_load_explicit(&x, {RELAXED});"""
    subject = threads(first, second, tmp_path)
    (finding,) = ask(subject, "sc", "tso").findings
    shown = dict(zip([o.shown for o in subject.observed], finding.state[1:], strict=True))
    assert (shown["a"], shown["b"], shown["y"]) == (-77, 2, 2)
    assert subject.final(finding.execution) == finding.state


def test_programs_are_not_listed() -> None:
    question = Question(load_model("sc"), load_model("tso"), engine="enumerate")
    with pytest.raises(InputError, match="too many executions to list"):
        program_portability(mutex("peterson", 0), question)


def test_a_program_that_never_ends_compares_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "endless.c"
    path.write_text("volatile int x;\nint main(void) {\n  for (;;) x = x + 1;\n}\n")
    answer = ask(program_subject(load_program(path)), "sc", "tso")
    assert answer.verdict is Verdict.UNKNOWN
    assert "no run ends" in answer.reason


def test_leaving_by_exit_is_an_end(tmp_path: Path) -> None:
    path = tmp_path / "exits.c"
    path.write_text("#include <stdlib.h>\nvolatile int x;\nint main(void) {\n  x = 1;\n  exit(0);\n}\n")
    assert ask(program_subject(load_program(path)), "sc", "tso").verdict is Verdict.PASS


def test_a_failing_assertion_is_a_state_of_its_own() -> None:
    subject = program_subject(load_program(PROGRAMS / "store_buffering.c"))
    answer = ask(subject, "sc", "tso")
    assert answer.verdict is Verdict.FAIL
    (finding,) = answer.findings
    (number,) = finding.state
    assert isinstance(number, int)
    assert "store_buffering.c:44: " in subject.assertions[number - 1]
