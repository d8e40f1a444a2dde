"""What is asked of a cluster gets the stored answers of `tests/snapshots`, whatever the command."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from tests.snapshots import stored
from tests.snapshots.cases import Case, cases, families
from tests.snapshots.running import answer

# Commands and options that ask no questions about files, or ask them here.
_ELSEWHERE = (
    "diff", "models", "--dump", "--explain-loops", "--complexity", "--generate", "--from-cnf", "--check",
)  # fmt: skip
_EVERY = 40  # in the default run
_read = cache(stored.read)


def _asks(case: Case) -> bool:
    words = case.arguments
    return len(words) > 1 and words[0] != "--help" and not any(word in _ELSEWHERE for word in words)


_CASES = [case for family in families() for case in cases(family) if _asks(case)]


def _check(case: Case, cluster: str) -> None:
    for package in case.needs:
        pytest.importorskip(package)
    command, rest = case.line.split(" ", 1)
    asked = replace(case, line=f"{command} --cluster {cluster} {rest}")
    assert answer(asked) == _read(case.family)[case.line]


@pytest.mark.parametrize("case", _CASES[::_EVERY], ids=lambda case: case.line)
def test_a_sample_of_commands_is_answered_as_here(case: Case, cluster: str) -> None:
    _check(case, cluster)


@pytest.mark.slow
@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.line)
def test_every_command_is_answered_as_here(case: Case, cluster: str) -> None:
    _check(case, cluster)
