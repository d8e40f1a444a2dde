"""`treville litmus` from the outside: text, JSON, tables, limits, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from treville.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "litmus"
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

# Six threads write and read two locations: far too many candidates to enumerate.
HEAVY = """X86 heavy
{ x=0; y=0; }
""" + "\n".join(
    [" " + " | ".join(f"P{t}" for t in range(6)) + " ;"]
    + [
        " " + " | ".join(f"MOV [{'xy'[(t + k) % 2]}],${t * 5 + k + 1}" for t in range(6)) + " ;"
        for k in range(3)
    ]
    + [" " + " | ".join(f"MOV E{r}X,[{'xy'[k % 2]}]" for _ in range(6)) + " ;" for k, r in enumerate("ABC")]
    + ["exists (0:EAX=1)", ""]
)


def _json(output: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


def test_the_text_is_herd7s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", str(EXAMPLES / "SB.litmus")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Test SB Allowed", "States 4"]
    assert lines[2:6] == [f"0:EAX={a}; 1:EAX={b};" for a in (0, 1) for b in (0, 1)]
    assert lines[6:11] == [
        "Ok",
        "Witnesses",
        "Positive: 1 Negative: 3",
        "Condition exists (0:EAX=0 /\\ 1:EAX=0)",
        "Observation SB Sometimes 1 3",
    ]
    assert lines[11].startswith("Time SB 0.")


def test_json_has_the_promised_fields(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", "--json", "--model", "sc", "--model", "tso", str(EXAMPLES / "SB.litmus")]) == 0
    sc, tso = _json(capsys.readouterr().out)
    assert (sc["model"], sc["observation"], sc["holds"], sc["verdict"]) == ("sc", "Never", False, "FAIL")
    assert (tso["model"], tso["observation"], tso["holds"], tso["verdict"]) == (
        "tso",
        "Sometimes",
        True,
        "PASS",
    )
    assert tso["states"] == [{"0:EAX": a, "1:EAX": b} for a in (0, 1) for b in (0, 1)]
    assert (tso["positive"], tso["negative"], tso["condition"], tso["status"]) == (1, 3, "exists", "done")
    assert {"schema", "file", "test", "flags", "seconds", "reason", "engine"} <= set(tso)


def test_without_a_model_the_dialects_own_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    main(["litmus", "--json", str(EXAMPLES / "SB.litmus"), str(EXAMPLES / "LB+datas.litmus")])
    assert [report["model"] for report in _json(capsys.readouterr().out)] == ["tso", "power"]


def test_several_models_make_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(EXAMPLES / name) for name in ("SB.litmus", "MP.litmus")]
    assert main(["litmus", "--model", "sc", "--model", "tso", "--model", "pso", "--no-explain", *files]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["Test", "sc", "tso", "pso"],
        ["SB", "Never", "Sometimes", "Sometimes"],
        ["MP", "Never", "Never", "Sometimes"],
    ]


def test_a_forbidden_outcome_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    main(["litmus", str(EXAMPLES / "SB+fences.litmus")])
    out = capsys.readouterr().out
    assert "Why SB+fences never ends in 0:EAX=0; 1:EAX=0;" in out
    assert 'axiom "tso" of tso: acyclic(ghb)' in out
    assert "-po [MFENCE]-> c" in out
    assert out.count("-fr-> ") == 2


RACE = """C race
{ }
P0(int *x) { *x = 1; }
P1(int *x) { int r0 = *x; }
exists (1:r0=1)
"""
ALWAYS = """X86 always
{ x=0; }
 P0         | P1          ;
 MOV [x],$1 | MOV EAX,[x] ;
            | MOV EBX,[x] ;
forall (1:EAX=0 \\/ 1:EBX=1)
"""


def test_a_data_race_is_undefined_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "race.litmus"
    path.write_text(RACE)
    assert main(["litmus", "--model", "rc11", str(path)]) == 0
    out = capsys.readouterr().out
    assert "\nUndef\n" in out
    assert "Why race raises the flag" in out


def test_for_forall_the_outcome_that_would_break_it_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "always.litmus"
    path.write_text(ALWAYS)
    assert main(["litmus", str(path)]) == 0
    out = capsys.readouterr().out
    assert "Test always Required" in out
    assert "\nOk\n" in out
    assert "Observation always Always 3 0" in out
    assert "Why always never ends in 1:EAX=1; 1:EBX=0;" in out


def test_an_outcome_that_no_execution_can_have_is_said_to_be_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "impossible.litmus"
    path.write_text(
        RACE.replace("*x = 1", "WRITE_ONCE(*x, 1)").replace("*x;", "READ_ONCE(*x);").replace("r0=1", "r0=5")
    )
    assert main(["litmus", str(path)]) == 0
    assert "no execution, allowed or not, ends in the outcome" in capsys.readouterr().out


def test_executions_can_be_walked_through(capsys: pytest.CaptureFixture[str]) -> None:
    main(["litmus", "--model", "sc", "--executions", "all", str(EXAMPLES / "SB.litmus")])
    out = capsys.readouterr().out
    assert out.count("Execution ") == 4
    assert out.count(": allowed, ") == 3
    assert out.count(": forbidden, ") == 1
    main(["litmus", "--model", "sc", "--executions", "forbidden", str(EXAMPLES / "SB.litmus")])
    assert capsys.readouterr().out.count(": forbidden, 0:EAX=0; 1:EAX=0;") == 1


def test_pictures_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = ["--svg", str(tmp_path / "svg"), "--dot", str(tmp_path / "dot")]
    assert main(["litmus", *folders, str(EXAMPLES / "SB.litmus")]) == 0
    assert "allowed by tso" in (tmp_path / "svg" / "SB-tso.svg").read_text()
    assert (tmp_path / "dot" / "SB-tso.dot").read_text().startswith("digraph")
    assert main(["litmus", *folders, "--show", "nonsense", str(EXAMPLES / "SB.litmus")]) == 2
    assert "no relation is called 'nonsense'" in capsys.readouterr().err


def test_a_wrong_file_is_an_error_with_its_place_and_does_not_end_the_batch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.litmus"
    bad.write_text("X86 bad\n{ }\n P0 ;\n FROB EAX ;\nexists (0:EAX=0)\n")
    assert main(["litmus", "--json", str(bad), str(EXAMPLES / "SB.litmus")]) == 2
    first, second = _json(capsys.readouterr().out)
    assert first["status"] == "error"
    assert f"{bad}:4:" in str(first["reason"])
    assert second["status"] == "done"
    assert main(["litmus", str(bad)]) == 2
    assert "^" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-file.litmus"],
        ["--model", "no-such-model", str(EXAMPLES / "SB.litmus")],
        ["--model", "no/such.cat", str(EXAMPLES / "SB.litmus")],
        ["@no-such-list"],
    ],
)
def test_wrong_usage_ends_in_code_2_with_a_message(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["litmus", *arguments]) == 2
    assert "error" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", [["--timeout", "-1"], ["--bound", "-1"], ["--jobs", "x"], ["--memory", "0"]]
)
def test_wrong_numbers_are_refused(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["litmus", *option, str(EXAMPLES / "SB.litmus")])
    assert ended.value.code == 2
    assert capsys.readouterr().err


def test_a_timeout_ends_in_unknown_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heavy = tmp_path / "heavy.litmus"
    heavy.write_text(HEAVY)
    started = time.monotonic()
    code = main(["litmus", "--json", "--timeout", "0.3", "--engine", "enumerate", str(heavy)])
    (report,) = _json(capsys.readouterr().out)
    assert (report["status"], code) == ("unknown", 3), report
    assert "--timeout" in str(report["reason"])
    assert time.monotonic() - started < 6


def test_a_memory_limit_ends_in_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heavy = tmp_path / "heavy.litmus"
    heavy.write_text(HEAVY)
    code = main(["litmus", "--json", "--memory", "1", "--timeout", "20", str(heavy)])
    (report,) = _json(capsys.readouterr().out)
    assert (report["status"], code) == ("unknown", 3), report
    assert "--memory" in str(report["reason"])


def test_jobs_give_the_same_answers_in_the_same_order(capsys: pytest.CaptureFixture[str]) -> None:
    def answers(*options: str) -> list[object]:
        main(["litmus", "--json", "--quiet", "--model", "sc", "--model", "pso", *options, str(EXAMPLES)])
        return [(r["file"], r["model"], r["states"], r["status"]) for r in _json(capsys.readouterr().out)]

    one = answers()
    assert len(one) == 2 * len(list(EXAMPLES.glob("*.litmus")))
    assert answers("--jobs", "2") == one


def test_an_interrupted_batch_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = tmp_path / "results.jsonl"
    files = [str(EXAMPLES / name) for name in ("SB.litmus", "MP.litmus", "LB.litmus", "S.litmus")]
    main(["litmus", "--json", "--resume", str(journal), *files])
    whole = [{**r, "seconds": 0} for r in _json(capsys.readouterr().out)]
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 5
    journal.write_bytes(b"".join([lines[0], lines[2], lines[3][:40]]))
    main(["litmus", "--json", "--resume", str(journal), *files])
    said = capsys.readouterr()
    assert [{**r, "seconds": 0} for r in _json(said.out)] == whole
    assert ":3:1: this line was cut off" in said.err
    assert "1 of an earlier run" in said.err
    kept = journal.read_bytes().splitlines(keepends=True)
    assert len(kept) == 6
    assert kept[1] == lines[2]


def test_a_changed_file_is_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal, test = tmp_path / "results.jsonl", tmp_path / "t.litmus"
    test.write_text((EXAMPLES / "SB.litmus").read_text())
    main(["litmus", "--json", "--resume", str(journal), str(test)])
    test.write_text((EXAMPLES / "MP.litmus").read_text())
    capsys.readouterr()
    main(["litmus", "--json", "--resume", str(journal), str(test)])
    assert [report["test"] for report in _json(capsys.readouterr().out)] == ["MP"]


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m treville litmus --json --quiet {EXAMPLES} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith('{"schema"')
    assert "Traceback" not in done.stderr


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from treville.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'clingo', 'z3', 'pysat', 'multiprocessing', 'treville.questions.outcomes', 'lark'}\n"
        "sys.exit(1 if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("program", "P1():"), ("passes", "verifier"), ("compiled", "Store address="), ("unrolled", "-> end"),
        ("events", "4: init  W  x"), ("relations", "rf: 4 may, 0 must"), ("formula", "#edge ("),
    ],
)  # fmt: skip
def test_every_stage_of_a_test_can_be_printed(
    stage: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["litmus", str(EXAMPLES / "SB.litmus"), "--model", "tso", "--dump", stage]) == 0
    assert expected in capsys.readouterr().out


def test_relations_of_a_test_are_those_of_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    """What a model knows from the start is `must`; of the rest only what can close a cycle is active."""
    assert main(["litmus", str(EXAMPLES / "SB.litmus"), "--dump", "relations"]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("rfe: 4 may, 0 must")
    assert lines[at + 1 : at + 4] == ["  must:   none", "  may:    0-3 2-1 4-3 5-1", "  active: 0-3 2-1"]
