"""`treville check`: verdicts, exit codes, executions, tables, JSON."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from treville.cli.main import main

pytest.importorskip("llvmlite")

PROGRAMS = Path(__file__).resolve().parents[1] / "c" / "safe"
BUFFERING = str(PROGRAMS / "store_buffering.c")
SB = """X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
~exists (0:EAX=0 /\\ 1:EAX=0)
"""


def reports(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_safe_program_passes_with_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", BUFFERING, "--model", "sc"]) == 0
    assert ": PASS" in capsys.readouterr().out


def test_a_failing_program_shows_the_execution_and_what_was_reordered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", BUFFERING, "--model", "tso"]) == 1
    out = capsys.readouterr().out
    assert "store_buffering.c:44: an assertion fails: assert(a == 1 || b == 1);" in out
    assert "no interleaving explains it" in out
    assert "W x=1" in out
    assert "the cycle closes" in out


def test_a_failure_under_sc_is_told_as_an_interleaving(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(PROGRAMS / "atomic_block.c"), "-D", "WRONG"]) == 1
    assert "an interleaving that fails:" in capsys.readouterr().out


def test_several_models_make_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", BUFFERING, "--model", "sc", "--model", "tso", "--model", "power"]
    assert main(arguments) == 1
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[2:5]]
    assert rows == [["sc", "PASS"], ["tso", "FAIL"], ["power", "FAIL"]]


def test_json_has_the_promised_fields(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", BUFFERING, "--model", "tso", "--json"]) == 1
    (report,) = reports(capsys)
    promised = {"schema", "file", "model", "verdict", "property", "bound", "reason", "seconds", "stats"}
    assert promised <= report.keys()
    witness = report["witness"]
    assert isinstance(witness, dict)
    assert witness["interleaving"] is None
    assert {"init x=0", "init y=0"} <= {source for source, _ in witness["rf"]}


@pytest.mark.parametrize("engine", ["lazy", pytest.param("auto", marks=pytest.mark.slow)])
def test_a_loop_without_a_bound_is_unknown_not_pass(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["check", str(PROGRAMS / "endless.c"), "--bound", "3", "--timeout", "300", "--engine", engine]
    assert main(asked) == 3
    out = capsys.readouterr().out
    assert "UNKNOWN" in out
    assert "raise --bound" in out


def test_the_bound_is_raised_until_the_answer_is_conclusive(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", str(PROGRAMS / "peterson.c"), "-D", "F=2", "-D", "SPINS=1", "--json"]
    assert main(arguments) == 0
    assert reports(capsys)[0]["verdict"] == "PASS"


def test_a_syntax_error_shows_the_compilers_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.c"
    path.write_text("int main(void) { return 0 }")
    assert main(["check", str(path)]) == 2
    assert "expected ';'" in capsys.readouterr().err


def test_a_missing_file_is_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "none.c")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_a_partial_fence_has_no_meaning_under_models_of_c(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fence.c"
    path.write_text('int main(void) {\n  __asm__ volatile("lwsync" ::: "memory");\n  return 0; }\n')
    assert main(["check", str(path), "--model", "rc11"]) == 2
    assert "fence.c:2" in capsys.readouterr().err
    assert main(["check", str(path), "--model", "lkmm"]) == 2
    assert main(["check", str(path), "--model", "power"]) == 0
    assert main(["check", str(path), "--model", "tso"]) == 0
    assert main(["check", str(path), "--model", "sc"]) == 0


def test_a_litmus_test_passes_exactly_when_its_condition_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "SB.litmus"
    path.write_text(SB)
    assert main(["check", str(path), "--model", "sc"]) == 0
    assert main(["check", str(path)]) == 1
    assert "under tso" in capsys.readouterr().out


def test_atomics_can_be_compiled_for_another_architecture(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", str(PROGRAMS / "message_passing.c"), "--model", "power", "--json"]
    assert main(arguments) == 0
    assert main([*arguments, "--compile-to", "tso"]) == 1
    assert [report["verdict"] for report in reports(capsys)] == ["PASS", "FAIL"]


def test_an_unknown_architecture_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", BUFFERING, "--compile-to", "vax"]) == 2
    assert "vax" in capsys.readouterr().err


def test_pictures_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", BUFFERING, "--model", "tso", "--svg", str(tmp_path), "--dot", str(tmp_path)]
    assert main(arguments) == 1
    capsys.readouterr()
    assert "<svg" in (tmp_path / "store_buffering-tso.svg").read_text()
    assert "digraph" in (tmp_path / "store_buffering-tso.dot").read_text()


def test_a_witness_in_graphml_tells_the_lines_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = str(PROGRAMS / "atomic_block.c")
    assert main(["check", program, "-D", "WRONG", "--graphml", str(tmp_path)]) == 1
    capsys.readouterr()
    root = ElementTree.parse(tmp_path / "atomic_block-sc.graphml").getroot()
    space = "{http://graphml.graphdrawing.org/xmlns}"
    lines = [data.text or "" for data in root.iter(f"{space}data") if data.get("key") == "startline"]
    assert lines[-1] == "29"
    assert sorted(lines[:-1]) == ["15", "15", "16", "16"]
    assert [node.get("id") for node in root.iter(f"{space}node")] == [f"N{n}" for n in range(len(lines) + 1)]


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("llvm", "define"), ("program", "Spawn"), ("compiled", "MFENCE"), ("unrolled", "-> end"),
        ("events", "{DATA,VOLATILE}  always"), ("relations", "rf: 6 may, 2 must"), ("formula", "#edge ("),
    ],
)  # fmt: skip
def test_every_stage_can_be_printed(stage: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", BUFFERING, "--model", "tso", "--dump", stage]) == 0
    assert expected in capsys.readouterr().out


def test_stats_tell_the_time_of_every_stage_and_the_pairs_of_every_relation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", BUFFERING, "--model", "tso", "--engine", "eager", "--json"]) == 1
    (report,) = reports(capsys)
    stats = report["stats"]
    assert isinstance(stats, dict)
    assert {"front end", "events", "values", "relations", "encoding", "solving"} <= stats["seconds"].keys()
    assert stats["relations"]["rf"] == {"may": 6, "must": 2, "active": 2}
    assert main(["check", BUFFERING, "--model", "tso", "--engine", "lazy", "--stats"]) == 1
    assert "iterations" in capsys.readouterr().out


def test_loops_that_only_wait_are_told_from_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(PROGRAMS / "peterson.c"), "-D", "F=1", "--explain-loops"]) == 0
    out = capsys.readouterr().out
    assert "thread: loop in line 12: only waits, needs no unrolling" in out
    assert "mutex.h:" in out, "loops of headers have their file's name"
    assert "the number of its iterations is known, needs no bound" in out


LOOPS = """#include <pthread.h>
#include <stdatomic.h>
atomic_int lock, turns;
void *thread(void *unused) {
    int zero = 0, seen = 0;
    while (!atomic_compare_exchange_strong(&lock, &zero, 1))
        zero = 0;
    while (seen < 5)
        seen += atomic_load(&turns);
    while (atomic_load(&turns) < 3)
        atomic_store(&turns, 2);
    return 0;
}
int main(void) {
    pthread_t one;
    pthread_create(&one, 0, thread, 0);
    thread(0);
    return 0;
}
"""


def test_what_keeps_loops_from_only_waiting_is_told_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "loops.c"
    path.write_text(LOOPS)
    assert main(["check", str(path), "--explain-loops", "--bound", "3", "--loop", "8=7"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[2] for line in lines if line.startswith("thread")] == [
        "loop in line 6: unrolled 3 times (--bound): line 6 updates memory; "
        "iterations that change nothing are left out",
        "loop in line 8: unrolled 7 times (--loop): line 8 uses what an earlier iteration computed",
        "loop in line 10: unrolled 3 times (--bound): line 11 writes memory",
    ]


def test_executions_can_be_left_out_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", BUFFERING, "--model", "tso", "--json", "--executions"]) == 1
    (full,) = reports(capsys)
    assert main(["check", BUFFERING, "--model", "tso", "--json", "--no-executions"]) == 1
    (short,) = reports(capsys)
    assert isinstance(full["witness"], dict)
    assert full["witness"]["events"]
    assert short["witness"] == {"failure": full["witness"]["failure"]}
    assert short["reason"] == full["reason"]


def test_lines_of_other_files_have_the_files_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lock.h").write_text("#include <pthread.h>\nvoid wait(void) {\n  while (1);\n}\n")
    path = tmp_path / "main.c"
    path.write_text('#include "lock.h"\nint x;\nint main(void) {\n  x = 1;\n  wait();\n  return x;\n}\n')
    assert main(["check", str(path), "--property", "liveness"]) == 1
    out = capsys.readouterr().out
    assert f"P0 main  {tmp_path / 'lock.h'}:3  while (1);" in out
    assert "P0 main  line 4" in out


def test_an_exhausted_budget_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(PROGRAMS / "fibonacci.c")
    assert main(["check", path, "-D", "N=12", "--timeout", "2", "--json"]) == 3
    (report,) = reports(capsys)
    assert report["verdict"] == "UNKNOWN"
    assert report["limit"] == "time"
    assert " 2 s (raise --timeout)" in str(report["reason"])


PROPERTIES = Path(__file__).resolve().parents[1] / "c" / "properties"
RACING = """C MP
{ }
P0 (int* x, atomic_int* y) { *x = 1; atomic_store_explicit(y, 1, memory_order_relaxed); }
P1 (int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  int r1 = 0;
  if (r0) { r1 = *x; }
}
exists (1:r1=1)
"""


def test_several_properties_make_a_table_and_an_object_each(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", str(PROPERTIES / "lock_order.c"), "--property", "race,deadlock"]
    assert main([*arguments, "--property", "race", "--model", "sc", "--model", "rc11"]) == 1
    rows = [line.split()[:3] for line in capsys.readouterr().out.splitlines()[1:6]]
    assert rows == [
        ["model", "property", "verdict"],
        ["sc", "race", "PASS"],
        ["sc", "deadlock", "FAIL"],
        ["rc11", "race", "PASS"],
        ["rc11", "deadlock", "FAIL"],
    ]
    assert main([*arguments, "--json"]) == 1
    found = [(report["property"], report["verdict"]) for report in reports(capsys)]
    assert found == [("race", "PASS"), ("deadlock", "FAIL")]


@pytest.mark.parametrize("engine", ["states", "lazy", "eager"])
def test_a_deadlock_names_who_waits_where(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", str(PROPERTIES / "lock_order.c"), "--property", "deadlock", "--engine", engine]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert "P1 forwards (line 10), P2 backwards (line 29) and P0 main (line 42) wait for ever" in out
    assert "and there these threads stay:" in out
    assert main([*arguments, "-D", "SAME"]) == 0
    assert "no deadlock" in capsys.readouterr().out


@pytest.mark.parametrize("engine", ["states", "lazy"])
def test_a_race_names_both_accesses(engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path)
    arguments = ["check", str(PROPERTIES / "publish.c"), "-D", "UNSEEN", "--property", "race", "--json"]
    assert main([*arguments, "--engine", engine, "--svg", folder, "--graphml", folder]) == 1
    (report,) = reports(capsys)
    witness = report["witness"]
    assert isinstance(witness, dict)
    lines = {event["line"] for event in witness["events"] if event["label"] in witness["race"]}
    assert lines == {18, 25}
    assert ">race<" in (tmp_path / "publish-sc-race.svg").read_text()
    assert "LTL(G ! data-race)" in (tmp_path / "publish-sc-race.graphml").read_text()


def test_a_litmus_test_in_c_has_races_but_no_deadlock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "MP.litmus"
    path.write_text(RACING)
    arguments = ["check", str(path), "--property"]
    assert main([*arguments, "race"]) == 1
    assert "data race: W[NA] x=1 in line 3 (P0) and R[NA]" in capsys.readouterr().out
    assert main([*arguments, "race", "--model", "sc"]) == 0
    assert main([*arguments, "deadlock"]) == 2
    assert "threads of a litmus test end" in capsys.readouterr().err
    path.write_text(SB)
    assert main([*arguments, "race"]) == 2
    assert "a notion of C" in capsys.readouterr().err


def test_properties_that_do_not_exist_or_that_an_encoding_does_not_know_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    transfer = str(Path(__file__).resolve().parents[2] / "examples" / "c" / "transfer.c")
    assert main(["check", transfer, "--property", "no-data-race,unreach-call"]) == 0
    assert "race       PASS" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        main(["check", BUFFERING, "--property", "speed"])
    assert stopped.value.code == 2
    assert "choose from safety, " in capsys.readouterr().err
    assert main(["check", BUFFERING, "--property", "race", "--encoding", "clocks"]) == 2
    assert "know assertions and memory only" in capsys.readouterr().err


def test_a_loop_that_counts_is_unknown_not_live(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", str(PROGRAMS / "endless.c"), "--bound", "3", "--property", "liveness"]
    assert main([*arguments, "--engine", "lazy"]) == 3
    assert "no thread waits for ever up to the bound 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flag", "expected"),
    [
        ("flag ~empty loc & ext & (IW * M) as my-race", "data race: init counter=0 and "),
        ("flag ~empty loc & ext & (W * M) as oops", "counter.c:12: data race: "),
        ("flag ~empty W \\ IW as race-set", "data race: W counter="),
    ],
)
def test_a_users_flags_are_told_whatever_they_relate(
    flag: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "mine.cat"
    model.write_text(f'"mine"\nacyclic po | rf | co | fr as sc\n{flag}\n')
    program = str(Path(__file__).resolve().parents[2] / "examples" / "c" / "counter.c")
    assert main(["check", program, "--property", "race", "--model", str(model)]) == 1
    assert expected in capsys.readouterr().out


def test_the_advice_names_the_bound_of_a_loop_that_has_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(PROGRAMS / "endless.c"), "--engine", "lazy", "--loop", "9=2"]) == 3
    assert "(raise --loop 9=2)" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["my program.c", "-dash.c", 'quo"te.c', "naïve ☃.c"])
def test_names_of_files_may_be_unusual(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("#include <assert.h>\nint x;\nint main(void) {\n  assert(x == 1);\n}\n")
    assert main(["check", "--", name]) == 1
    assert f"{name}:4: an assertion fails: assert(x == 1);" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["", "nothing.c", "a" * 5000 + ".c", "folder.c/inside.c"])
def test_files_that_cannot_be_read_are_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.c").write_text("")
    assert main(["check", name]) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("stage", ["llvm", "loops"])
def test_litmus_tests_do_not_have_all_stages(
    stage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "SB.litmus"
    path.write_text(SB)
    assert main(["check", str(path), "--dump", stage]) == 2
    assert f"a litmus test has no stage '{stage}'" in capsys.readouterr().err


def test_stages_of_litmus_tests_are_those_of_treville_litmus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "SB.litmus"
    path.write_text(SB)
    printed = []
    for command in ("check", "litmus"):
        assert main([command, str(path), "--model", "pso", "--dump", "relations"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_endless_recursion_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "recursion.c"
    path.write_text("int f(int n) { return f(n + 1); }\nint main(void) { return f(0); }\n")
    assert main(["check", str(path), "--bound", "2000"]) == 3
    assert "too deep" in capsys.readouterr().out


def test_a_picture_that_cannot_be_written_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", BUFFERING, "--model", "tso", "--svg", BUFFERING]) == 2
    shown = capsys.readouterr()
    assert "FAIL" in shown.out
    assert "cannot write" in shown.err


@pytest.mark.parametrize("engine", ["buffers", "formulas"])
def test_every_engine_can_be_asked_for_by_name(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", BUFFERING, "--model", "tso", "--engine", engine, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["stats"]["engine"] == engine


def test_an_engine_that_does_not_suit_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", BUFFERING, "--model", "tso", "--engine", "views"]) == 2
    assert "no machine with views does tso" in capsys.readouterr().err
