"""Every command that takes files has the same options with the same meaning, and where one has an option that
another lacks, the page of options says why."""

from __future__ import annotations

import re

import pytest
from tests.cli.options_table import PAGE, asking, having, options_of, page

# Those that ask about models, and about tests of two kinds or a file of results.
WITHOUT_FILES = {"compare", "synth"}
SHARED = (
    "--jobs", "--timeout", "--memory", "--resume", "--cluster", "--quiet", "--json", "--junit", "--sarif",
    "--annotate", "--color",
)  # fmt: skip


@pytest.mark.parametrize("option", SHARED)
def test_an_option_is_the_same_everywhere(option: str) -> None:
    found = {command: options_of(command).get(option) for command in asking()}
    assert [command for command, action in found.items() if action is None] == []
    meanings = {
        (a.default, a.type, a.dest, a.metavar, str(a.choices)) for a in found.values() if a is not None
    }
    assert len(meanings) == 1


def test_inputs_are_the_same_everywhere() -> None:
    about_files = [command for command in asking() if command not in WITHOUT_FILES]
    assert {str(options_of(command)["inputs"].metavar) for command in about_files} == {"FILE|DIR|@LIST|-"}


def test_the_table_is_that_of_the_parsers() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text), "renew it: python -m tests.cli.options_table --write"


def test_every_gap_of_the_table_is_argued() -> None:
    """An option that some commands have and others do not is named below the table, with the reason."""
    argued = set(re.findall(r"`(-[-\w]+)`", PAGE.read_text(encoding="utf-8").split("<!-- end -->")[1]))
    partial = {name for name, known in having().items() if 1 < len(known) < len(asking())}
    assert partial - argued - {"inputs"} == set()
