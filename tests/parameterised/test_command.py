"""`treville param`: text, JSON, pictures, exit codes, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.parameterised.systems import EXAMPLES, FLAGS

from treville.cli.main import main


def test_a_proof_lists_its_invariant(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["param", str(EXAMPLES / "flags.cub")]) == 0
    text = capsys.readouterr().out
    assert "PASS under TSO" in text
    assert "[1] At[#1] = Inside && At[#2] = Inside" in text


def test_a_counterexample_is_a_run_with_buffers_and_its_ghb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["param", str(EXAMPLES / "flags-no-fence.cub")]) == 1
    text = capsys.readouterr().out
    assert "buffer of #1: Flag[#1] = True" in text
    assert "fr -> e1" in text


def test_json_has_the_verdict_the_run_and_the_graph(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["param", "--json", "--model", "pso", str(EXAMPLES)]) == 1
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"PASS", "FAIL"} <= {report["verdict"] for report in reports}
    failed = next(report for report in reports if report["file"].endswith("message.cub"))
    assert failed["schema"] == 2
    assert failed["assumed"] == ["invariant[1]"]
    assert {"from": "e2", "to": "e3", "kinds": ["rf"]} in failed["ghb"]["edges"]
    assert failed["run"][0]["step"] == "start"


def test_pictures_of_the_exploration_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, graph = tmp_path / "a.svg", tmp_path / "a.dot"
    main(["param", str(EXAMPLES / "flags-no-fence.cub"), "--svg", str(picture), "--dot", str(graph)])
    capsys.readouterr()
    assert picture.read_text().startswith("<svg")
    assert "n1 -> n2" in graph.read_text()
    assert "cluster_ghb" in graph.read_text()


def test_wrong_input_is_refused_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cub").write_text("type t = A\ninit (p) { X = A }\n")
    (tmp_path / "b.cub").write_text(FLAGS)
    assert main(["param", "--json", str(tmp_path)]) == 2
    output = capsys.readouterr()
    wrong, right = map(json.loads, output.out.splitlines())
    assert wrong["reason"].endswith("a.cub:2:12: unknown name X")
    assert (wrong["verdict"], wrong["error"]["cause"], right["verdict"]) == ("UNKNOWN", "input", "PASS")


def test_certify_says_what_was_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["param", "--certify", str(EXAMPLES / "spinlock.cub")]) == 0
    assert "z3 confirms the invariant" in capsys.readouterr().out
