"""Every command that takes files has the same options with the same meaning."""

from __future__ import annotations

import argparse
from importlib import import_module

import pytest

from treville.cli.main import COMMANDS

# Commands that ask nothing about files: they compare results, and list models.
WITHOUT_QUESTIONS = {"diff", "models"}
# Those that ask about models instead, or about tests of two kinds.
WITHOUT_FILES = {"compare", "synth"}
SHARED = (
    "--jobs", "--timeout", "--memory", "--resume", "--quiet", "--json", "--junit", "--sarif", "--annotate",
    "--color",
)  # fmt: skip


def _actions(command: str) -> dict[str, argparse.Action]:
    parser = argparse.ArgumentParser()
    import_module(f"treville.cli.{COMMANDS[command][0]}").add_arguments(parser)
    named = {name: action for action in parser._actions for name in action.option_strings}
    return named | {action.dest: action for action in parser._actions if action.dest == "inputs"}


ASKING = [command for command in COMMANDS if command not in WITHOUT_QUESTIONS]


@pytest.mark.parametrize("option", SHARED)
def test_an_option_is_the_same_everywhere(option: str) -> None:
    found = {command: _actions(command).get(option) for command in ASKING}
    assert [command for command, action in found.items() if action is None] == []
    meanings = {
        (a.default, a.type, a.dest, a.metavar, str(a.choices)) for a in found.values() if a is not None
    }
    assert len(meanings) == 1


def test_inputs_are_the_same_everywhere() -> None:
    about_files = [command for command in ASKING if command not in WITHOUT_FILES]
    assert {str(_actions(command)["inputs"].metavar) for command in about_files} == {"FILE|DIR|@LIST|-"}
