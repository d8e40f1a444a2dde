"""The command line as a whole: help, wrong commands, outputs that cannot be written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from treville.cli.main import COMMANDS, main
from treville.results.reports.schemas import ERROR, REPORTS, schema_of

ROOT = Path(__file__).resolve().parents[2]
SB = str(ROOT / "examples" / "litmus" / "SB.litmus")
PROGRAM = "import sys; from treville.cli.main import main; sys.exit(main(sys.argv[1:]))"


def test_without_a_command_all_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr().err
    assert all(f"  {name} " in shown for name in COMMANDS)


def test_a_command_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["chek", "a.c"])
    assert stopped.value.code == 2
    assert "chek" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    assert f"usage: treville {command}" in capsys.readouterr().out


@pytest.mark.parametrize("command", REPORTS)
@pytest.mark.parametrize("wrong", [["--nosuch"], ["@nosuch.list", "--resume", "nosuch/journal"]])
def test_what_is_wrong_with_a_command_is_json_to_those_who_read_it(
    command: str, wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = main([command, "--json", *wrong])
    except SystemExit as stopped:
        code = stopped.code
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert (code, found["file"], found["status"]) == (2, "", "error")
    assert found["error"]["message"] in shown.err
    pytest.importorskip("jsonschema").validate(found, schema_of(ERROR))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_an_error_and_no_bug() -> None:
    with Path("/dev/full").open("w") as full:
        arguments = [sys.executable, "-c", PROGRAM, "litmus", SB]
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert "bug" not in done.stderr


WRONG = ["litmus", "--json", "--model", "nosuch", SB]


def _run(arguments: list[str], **streams: Any) -> subprocess.CompletedProcess[str]:
    """The command as its users start it: Python keeps what it prints until there is much of it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "treville", *arguments]
    return subprocess.run(command, text=True, check=False, env=environment, **streams)


def test_errors_as_json_reach_a_pipe() -> None:
    done = _run(WRONG, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["message"] == "there is no model 'nosuch'"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [WRONG, ["models", "--json", "--nosuch"], ["litmus", "--help"]])
def test_what_is_wrong_with_a_command_and_cannot_be_printed_is_no_bug(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = _run(arguments, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "error: No space left on device")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="closed streams are told apart on POSIX only")
def test_a_closed_output_stops_quietly() -> None:
    command = f'"{sys.executable}" -c "{PROGRAM}" litmus "{SB}" >&-'
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert "bug" not in done.stderr
    assert done.returncode == 0


def test_an_interruption_where_nothing_can_be_raised_comes_again() -> None:
    script = (
        "import os, signal, sys, time\n"
        "from treville.cli import main\n"
        "class Interrupted:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        time.sleep(0)\n"
        "main._prepare_signals()\n"
        "try:\n"
        "    Interrupted()\n"
        "    time.sleep(60)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(7)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, timeout=50)
    assert (done.returncode, done.stderr) == (7, b"")
