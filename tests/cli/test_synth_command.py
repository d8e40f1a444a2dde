"""`treville synth` on the command line: answers, files, and what is refused."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from treville.campaigns.kind import Telling
from treville.campaigns.synth import KIND, Options, Question
from treville.cli.main import main
from treville.results.reports.synth import SynthReport
from treville.results.verdict import Verdict

LITMUS = "examples/litmus"
ALLOWED = [f"{LITMUS}/SB.litmus", f"{LITMUS}/SB+rfi.litmus", f"{LITMUS}/R.litmus"]
FORBIDDEN = [
    f"{LITMUS}/{name}.litmus"
    for name in ("MP", "LB", "S", "2+2W", "SB+fences", "R+fences", "CoRR", "CoWR", "WRC", "IRIW")
]


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["synth", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_model_is_written_and_explains_the_tests(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "new.cat"
    code, text, _ = _run(
        capsys, "--allowed", *ALLOWED, "--forbidden", *FORBIDDEN, "--json", "-o", str(out), "-q"
    )
    report = json.loads(text)
    assert code == 0
    assert report["verdict"] == "PASS"
    assert report["model"] == out.read_text()
    assert report["tests"] == len(ALLOWED) + len(FORBIDDEN)
    for file, holds in [*((file, True) for file in ALLOWED), *((file, False) for file in FORBIDDEN)]:
        main(["litmus", file, "--model", str(out), "--json", "-q", "--no-explain"])
        assert (json.loads(capsys.readouterr().out)["observation"] != "Never") == holds


def test_results_of_litmus_are_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    results = tmp_path / "tso.jsonl"
    main(["litmus", *ALLOWED, *FORBIDDEN, "--model", "tso", "--json", "-q", "--no-explain"])
    results.write_text(capsys.readouterr().out)
    code, text, _ = _run(capsys, "--expect", str(results), "--json", "-q", "--holdout", "20%", "--seed", "3")
    report = json.loads(text)
    assert code == 0
    held = report["holdout"]
    assert held["right"] + held["wrong"] + held["unknown"] > 0
    assert {"verdict", "model", "axioms", "size", "executions", "candidates", "tests", "seconds"} <= set(
        report
    )


def test_a_table_of_results_is_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = tmp_path / "results.csv"
    rows = [f"{Path(file).name},reachable" for file in ALLOWED]
    rows += [f"{Path(file).name},unreachable" for file in FORBIDDEN]
    table.write_text("file,machine\n" + "\n".join(rows) + "\n")
    options = ("--expect", str(table), "--root", LITMUS, "-q")
    code, text, _ = _run(capsys, *options, "--column", "machine", "--json")
    assert code == 0
    assert json.loads(text)["tests"] == len(rows)
    code, _, wrong = _run(capsys, *options)
    assert code == 2
    assert "--column machine" in wrong


def test_a_contradiction_fails(capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = _run(
        capsys, "--allowed", f"{LITMUS}/SB+fences.litmus", "--forbidden", f"{LITMUS}/SB.litmus",
        "--base", "po,rf,co,fr",
    )  # fmt: skip
    assert code == 1
    assert "FAIL" in text
    assert "SB+fences" in text


def test_what_was_exhausted_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--base", "po,rf", "--size", "2", "--json", "-q")
    code, text, _ = _run(capsys, "--allowed", *ALLOWED, "--forbidden", *FORBIDDEN, *options)
    report = json.loads(text)
    assert (code, report["verdict"]) in ((3, "UNKNOWN"), (1, "FAIL"))
    assert report["reason"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no tests were given"),
        (("--allowed", "{empty}"), "no tests found"),
        (("--allowed", ALLOWED[0], "--forbidden", ALLOWED[0]), "both allowed and forbidden"),
        (("--allowed", ALLOWED[0], "--forbidden", "{ppc}"), "a test of PPC among tests of X86"),
        (("--allowed", ALLOWED[0], "--base", "po,poo"), "no base relation or set 'poo'"),
        (("--allowed", ALLOWED[0], "--forbidden", "{bare}"), "no condition"),
        (("--allowed", ALLOWED[0], "--sketch", "{full}"), "no holes"),
        (("--allowed", ALLOWED[0], "--sketch", "{typo}"), "did you mean po-loc?"),
        (("--allowed", ALLOWED[0], "--sketch", "{open}"), "this string is not closed"),
        (("--expect", "{absent}"), "cannot read"),
        (("--expect", "{wide}", "--column", "seen"), "this is no table"),
        (("--expect", "{long}"), "there is no test xxx"),
        (("--allowed", "{arm}", "--unique"), "models are not compared by tests of ARM"),
        (("--allowed", "{arm}", "--oracle", "armv7"), "there is no dialect 'ARM'"),
        (("--oracle", "lkmm", "--dialect", "X86"), "X86 tests have no meaning under lkmm"),
        (("--oracle", "tso", "--events", "12"), "at most 8 accesses"),
    ],
)
def test_wrong_input_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "empty").mkdir()
    ppc = tmp_path / "ppc.litmus"
    ppc.write_text("PPC t\n{ 0:r2=x; }\n P0 ;\n lwz r1,0(r2) ;\nexists (0:r1=1)\n")
    bare = tmp_path / "bare.litmus"
    bare.write_text("X86 t\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\n")
    full, typo = tmp_path / "full.cat", tmp_path / "typo.cat"
    full.write_text("acyclic po | rf\n")
    typo.write_text("acyclic po-locc | rf\n")
    unclosed, long = tmp_path / "open.cat", tmp_path / "long.jsonl"
    unclosed.write_text('"a title without an end\n')
    long.write_text(json.dumps({"file": "x" * 5000, "observation": "Never"}))
    names = {"empty": tmp_path / "empty", "ppc": ppc, "bare": bare, "full": full, "typo": typo}
    wide = tmp_path / "wide.csv"
    wide.write_text("file,seen\n" + "x" * 140_000 + ",allowed\n")
    arm = tmp_path / "arm.litmus"
    arm.write_text("ARM t\n{ 0:R2=x; }\n P0 ;\n LDR R1,[R2] ;\nexists (0:R1=0)\n")
    names |= {"open": unclosed, "long": long, "wide": wide, "arm": arm}
    given = [each.format(absent=tmp_path / "absent", **names) for each in arguments]
    code, _, complaint = _run(capsys, *given, "-q")
    assert code == 2
    assert words in complaint


def test_a_log_of_herd7_is_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "herd.log"
    text = ""
    for file in (ALLOWED[0], *FORBIDDEN[:2]):
        main(["litmus", file, "--model", "tso", "--no-explain"])
        text += capsys.readouterr().out
    log.write_text(text)
    code, out, _ = _run(capsys, "--expect", str(log), "--root", LITMUS, "--json", "-q")
    assert code == 0
    assert json.loads(out)["tests"] == 4  # SB can be reached and need not be
    code, _, complaint = _run(capsys, "--expect", str(log), "--root", str(tmp_path), "-q")
    assert code == 2
    assert "there is no test SB" in complaint


def test_a_weaker_model_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    weaker = ("--weaker", "examples/models/coherence.cat", "--base", "po,rfe,fre", "--json", "-q")
    code, out, _ = _run(capsys, "--allowed", ALLOWED[0], "--forbidden", FORBIDDEN[0], *weaker)
    report = json.loads(out)
    assert code == 0
    assert "as coherence" in report["model"]
    assert report["axioms"] == 2


@pytest.mark.parametrize("method", ["parts", "enumerate", "template"])
def test_a_weaker_model_may_include_files_beside_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, method: str
) -> None:
    (tmp_path / "mine.cat").write_text("let mine = po-loc\n")
    (tmp_path / "weak.cat").write_text('"weak"\ninclude "mine.cat"\nacyclic mine | rf | co | fr as known\n')
    tests = ("--allowed", ALLOWED[0], "--forbidden", *FORBIDDEN[:2], "--method", method)
    code, text, _ = _run(capsys, *tests, "--weaker", str(tmp_path / "weak.cat"), "--json", "-q")
    assert code == 0
    assert 'include "mine.cat"' in json.loads(text)["model"]


def test_models_on_the_way_are_told() -> None:
    """What is known when the time is up is a model that was judged."""
    told: list[SynthReport] = []
    options = Options(
        allowed=(ALLOWED[0],), forbidden=tuple(FORBIDDEN), base=("po", "rf", "co", "fr", "mfence"), size=3
    )
    telling: Telling[SynthReport] = Telling(lambda _: None, told.append)
    (report,) = KIND.answers([Question("tests", options)], telling)
    for each in told:
        assert each.verdict is Verdict.PASS
        assert each.warnings == ("a smaller model was still looked for",)
    assert report.verdict is not Verdict.PASS or (told and report.warnings == ())


def test_a_person_is_asked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers have no terminal, so the question is answered where the person is."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("what?\nn\ny\n?\n"))
    tests = ("--allowed", ALLOWED[0], "--forbidden", FORBIDDEN[0], "--ask", "--events", "4")
    code, text, asked = _run(capsys, *tests, "--json", "-q")
    report = json.loads(text)
    assert code == 0
    assert [each["allowed"] for each in report["missing"]][:2] == [False, True]
    assert asked.count("Can this outcome be seen?") == len(report["missing"]) + 1
    assert report["missing"][0]["text"].rstrip() in asked


def test_models_on_the_way_to_a_unique_one_are_told() -> None:
    """Who interrupts gets the best so far; that it is the only one was not shown."""
    told: list[SynthReport] = []
    question = Question("tso", Options(oracle="tso", unique=True, events=4))
    telling: Telling[SynthReport] = Telling(lambda _: None, told.append)
    (last,) = KIND.answers([question], telling)
    assert len(told) > 1
    assert {each.verdict for each in told} == {Verdict.UNKNOWN}
    assert all(each.model and each.missing and each.unique is None for each in told)
    assert (last.verdict, last.unique) == (Verdict.PASS, True)
