"""The table of commands and options of `docs/options.md`, made from the parsers; `--write` renews it."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from treville.cli.main import COMMANDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "options.md"
BEGIN, END = "<!-- made from the parsers -->\n", "<!-- end -->\n"
# Commands that ask nothing about files: they compare results, and list models.
WITHOUT_QUESTIONS = ("diff", "models")


def options_of(command: str) -> dict[str, argparse.Action]:
    """The options of a command, each by the first of its long names, and its inputs."""
    parser = argparse.ArgumentParser()
    import_module(f"treville.cli.{COMMANDS[command][0]}").add_arguments(parser)
    found = {}
    for action in parser._actions:
        names = [name for name in action.option_strings if name.startswith("--")] or action.option_strings
        if names and names[0] != "--help":
            found[names[0]] = action
        elif action.dest == "inputs":
            found["inputs"] = action
    return found


def asking() -> list[str]:
    """The commands that ask questions about files."""
    return [command for command in COMMANDS if command not in WITHOUT_QUESTIONS]


def having() -> dict[str, list[str]]:
    """Which commands have an option, those of the most first."""
    found: dict[str, list[str]] = {}
    for command in asking():
        for name in options_of(command):
            found.setdefault(name, []).append(command)
    return dict(sorted(found.items(), key=lambda each: (-len(each[1]), each[0])))


def table() -> str:
    """The options that more than one command has, and who has them."""
    commands = asking()
    lines = [f"| option | {' | '.join(f'`{command}`' for command in commands)} |"]
    lines.append("|---" * (len(commands) + 1) + "|")
    for option, known in having().items():
        if len(known) > 1:
            name = "`FILE\\|DIR\\|@LIST\\|-`" if option == "inputs" else f"`{option}`"
            lines.append(f"| {name} | {' | '.join('yes' if c in known else '' for c in commands)} |")
    return "\n".join(lines) + "\n"


def page(text: str) -> str:
    """The page with the table of today."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    made = page(PAGE.read_text(encoding="utf-8"))
    if "--write" in sys.argv:
        PAGE.write_text(made, encoding="utf-8")
    else:
        sys.stdout.write(made)
