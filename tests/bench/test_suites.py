"""Conventions of other tools' suites: which questions a checkout asks, and what counts as right."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "suites"))

import dat3m
import genmc
import nidhugg
import walcyrie
from cases import Case, Expected, Outcome, judge
from tables import table

from asking import Answer, answers, stored

SAFE, UNSAFE, BOUND = Expected.SAFE, Expected.UNSAFE, Expected.SAFE_TO_BOUND


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def summary(cases: list[Case]) -> list[tuple[str, str, Expected]]:
    return [(case.file.name, " ".join(case.arguments[2:]), case.expected) for case in cases]


def test_folders_of_correct_and_wrong_programs(tmp_path: Path) -> None:
    tests = {
        "correct/litmus/A/variants/a0.c": "",
        "correct/litmus/A/args.rc11.mo.in": "| -I./lib -DN=2\n-unroll=3 | -DN=3\n",
        "correct/fs/B/variants/b0.c": "", "wrong/racy/C/variants/c0.cpp": "",
        "wrong/liveness/D/variants/d0.c": "",
        "correct/litmus/E/variants/e0.c": "", "correct/litmus/E/genmc.rc11.mo.in": "-disable-race-detection",
    }  # fmt: skip
    write(tmp_path / "tests", tests)
    assert summary(list(genmc.cases(tmp_path))) == [
        ("a0.c", f"rc11 -DN=2 -I{tmp_path / 'lib'}", SAFE),
        ("a0.c", "rc11 --bound 3 -DN=3", BOUND),
        ("e0.c", "rc11 --property assertion,memory", SAFE),
        ("d0.c", "rc11 --property liveness", UNSAFE),
        ("c0.cpp", "rc11", UNSAFE),
    ]


def test_programs_name_their_model_in_the_first_line(tmp_path: Path) -> None:
    results = "# comment\na Forbid : 4\nb Allow : 1\nmissing Allow : 1\n"
    write(tmp_path / "tests" / "smoke", {
        "reference.results.txt": results, "C-tests/a.c": "int x;\n", "C-tests/b.c": "// nidhuggc: -tso -O1\n",
    })  # fmt: skip
    write(tmp_path / "tests" / "litmus", {"reference.results.txt": "", "C-tests/c.c": ""})
    asked = "--property assertion,memory"
    assert summary(list(nidhugg.cases(tmp_path))) == [
        ("a.c", f"sc {asked}", SAFE), ("b.c", f"tso {asked}", UNSAFE),
    ]  # fmt: skip


def test_results_in_names_of_files(tmp_path: Path) -> None:
    lists = {f"list.i.svcomp15.{model}": "" for model in ("sc", "pso")}
    lists["list.i.svcomp15.tso"] = (
        "./p/a_false-unreach-call.i\n./p/b_true-unreach-call.i\n./p/c_true-unreach-call.i\n"
    )
    files = {"p/a_false-unreach-call.i": "", "p/b_true-unreach-call.i": ""}
    write(tmp_path / "benchmarks" / "svcomp15", lists | files)
    asked = "tso --property unreach-call"
    assert summary(list(walcyrie.cases(tmp_path))) == [
        ("a_false-unreach-call.i", asked, UNSAFE), ("b_true-unreach-call.i", asked, SAFE),
    ]  # fmt: skip


def test_tables_in_unit_tests_and_lists_of_litmus_tests(tmp_path: Path) -> None:
    java = """
        return () -> getTestResourcePath("locks/" + name + ".ll");
        {"one", TSO, PASS},
        {"one", ARM8, UNKNOWN},
        {"two", IMM, FAIL, 3},
        {"two", IMM, UNKNOWN, 3},
        // {"one", POWER, FAIL},
        {"missing", TSO, FAIL},
    """
    assembly = """
        this.programPath = getTestResourcePath("locks/" + file + ".ll");
        {"one", 2, Result.PASS},
        {"two", 4, Result.UNKNOWN},
        builder.withBound(bound).withTarget(Arch.POWER); EnumSet.of(TERMINATION, PROGRAM_SPEC)
    """
    resources = {f"{name}-expected.csv": "" for name in dat3m.LITMUS}
    resources |= {
        "TSO-expected.csv": "litmus/X/a.litmus,1\nlitmus/X/b.litmus,0\n",
        "locks/one.ll": "",
        "locks/two.ll": "",
    }
    test = tmp_path / "dartagnan" / "src" / "test"
    write(test / "resources", resources)
    write(
        test / "java" / "llvm",
        {"LocksTest.java": java, "OtherTest.java": java + 'createWmmFromName(() -> "vmm")'},
    )
    write(test / "java" / "asm", {"AsmLocksTest.java": assembly})
    write(tmp_path / "litmus" / "X", {"a.litmus": "", "b.litmus": ""})
    asked = "--property assertion"
    assert summary(list(dat3m.cases(tmp_path))) == [
        ("one.ll", f"power {asked}", SAFE), ("one.ll", "power --property liveness", SAFE),
        ("two.ll", f"power {asked} --bound 4", BOUND),
        ("two.ll", "power --property liveness --bound 4", BOUND),
        ("one.ll", f"tso {asked}", SAFE), ("one.ll", f"aarch64 {asked} --bound 1", BOUND),
        ("two.ll", f"imm {asked}", UNSAFE), ("two.ll", f"imm {asked} --bound 3", BOUND),
        ("a.litmus", f"tso {asked}", SAFE), ("b.litmus", f"tso {asked}", UNSAFE),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "verdict", "status", "reason", "outcome"),
    [
        (SAFE, "PASS", "done", "", Outcome.RIGHT),
        (SAFE, "FAIL", "done", "", Outcome.WRONG),
        (UNSAFE, "PASS", "done", "", Outcome.WRONG),
        (UNSAFE, "FAIL", "done", "", Outcome.RIGHT),
        (BOUND, "PASS", "done", "", Outcome.RIGHT),
        (BOUND, "FAIL", "done", "", Outcome.WRONG),
        (BOUND, "UNKNOWN", "unknown", "no assertion fails up to the bound 2", Outcome.RIGHT),
        (BOUND, "UNKNOWN", "unknown", "no answer within 1 s", Outcome.UNKNOWN),
        (SAFE, "UNKNOWN", "unknown", "no assertion fails up to the bound 2", Outcome.UNKNOWN),
        (SAFE, "UNKNOWN", "error", "not supported: tea", Outcome.REFUSED),
        (SAFE, "UNKNOWN", "error", "internal error: KeyError: tea", Outcome.BROKEN),
        (SAFE, "", "", "", Outcome.BROKEN),
    ],
)
def test_what_counts_as_right(
    expected: Expected, verdict: str, status: str, reason: str, outcome: Outcome
) -> None:
    assert judge(expected, {"verdict": verdict, "status": status, "reason": reason}) is outcome


def test_answers_are_kept_and_not_asked_again(tmp_path: Path) -> None:
    examples = Path(__file__).resolve().parents[2] / "examples" / "litmus"
    asked = ("check", "--model", "tso", "--property", "assertion")
    cases = [Case("own", "litmus", examples / f"{name}.litmus", asked, SAFE) for name in ("SB", "MP")]
    log = tmp_path / "log.jsonl"
    first = list(answers(cases, examples, 1, 30, log))
    assert [answer.verdict for answer in first] == ["PASS", "FAIL"]
    assert [answer.outcome for answer in first] == [Outcome.RIGHT, Outcome.WRONG]
    log.write_text(log.read_text().replace("FAIL", "PASS"))
    second: list[Answer] = list(answers(cases, examples, 1, 30, log))
    assert [answer.verdict for answer in second] == ["PASS", "PASS"]
    assert "| own litmus | 3 | 2 | 1 | 1 | 0 |" in table(second, [*cases, cases[0]])
    assert list(stored(cases, examples, log)) == second
