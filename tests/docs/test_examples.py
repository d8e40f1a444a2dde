"""The examples of the documentation are executed: consoles as commands, Python as doctests."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from treville.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# What differs from run to run: times, and which non-trivial half space z3 finds.
_CHANGING = re.compile(r" *\d+\.\d+| *\[1\] .*\(non-trivial half space\)")


def _blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for number, match in enumerate(_BLOCK.finditer(page.read_text(encoding="utf-8"))):
            if match[1] == language:
                found.append((f"{page.relative_to(ROOT)}#{number}", match[2]))
    return found


def _commands() -> list[tuple[str, str, str]]:
    commands = []
    for name, block in _blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            commands.append((name, command, output))
    return commands


def _matches(expected: str, actual: str) -> bool:
    """`...` stands for anything; blank lines at the end do not matter."""
    pattern = re.escape(_CHANGING.sub("#", expected.strip())).replace(r"\.\.\.", ".*")
    text = _CHANGING.sub("#", actual.strip())
    return any(re.fullmatch(pattern, text + end, re.DOTALL) for end in ("", "\n"))


def test_there_are_examples_of_every_command_that_answers_a_question() -> None:
    commands = {command.split()[1] for _, command, _ in _commands()}
    assert commands >= {"litmus", "check", "port", "compare", "history", "param", "petri"}
    assert all(command.startswith("treville ") for _, command, _ in _commands())
    assert len(_blocks("python")) > 2


@pytest.mark.parametrize(("name", "command", "expected"), _commands())
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_consoles_show_what_the_command_prints(
    name: str,
    command: str,
    expected: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if re.search(r"\.(c|ll)\b", command):
        pytest.importorskip("llvmlite")
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command)[1:]) in (0, 1, 3)
    actual = capsys.readouterr().out
    assert _matches(expected, actual), f"{name}: {command}\n{actual}"


def test_python_examples_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for page in PAGES:
        blocks = [block for name, block in _blocks("python") if name.startswith(f"{page.relative_to(ROOT)}#")]
        if not blocks:
            continue
        examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(examples)
        assert runner.failures == 0, page


def test_the_interface_module_documents_itself_by_example() -> None:
    from treville import api
    from treville.rendering import herd
    from treville.witness import naming

    for module in (api, herd, naming):
        result = doctest.testmod(module)
        assert result.attempted > 0
        assert result.failed == 0


def _anchors(page: Path) -> set[str]:
    """What links to the headings of a page end in, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
        for target in re.findall(r"\]\(([^):]+)\)", text):
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists() or (anchor and anchor not in _anchors(file)):
                broken.append(f"{page.relative_to(ROOT)} -> {target}")
    assert broken == []


def test_pictures_are_what_the_command_draws_today(tmp_path: Path) -> None:
    drawn = 0
    for picture in sorted((ROOT / "docs" / "pictures").glob("*.svg")):
        example, _, model = picture.stem.rpartition("-")
        test = ROOT / "examples" / "litmus" / f"{example}.litmus"
        if not test.exists():
            continue  # a picture of another command
        drawn += 1
        assert main(["litmus", "--json", "--model", model, "--svg", str(tmp_path), str(test)]) == 0
        assert (tmp_path / picture.name).read_text() == picture.read_text(), picture.name
    assert drawn >= 2


def test_the_picture_of_the_tutorial_is_one_that_the_command_could_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which of several failing executions is found depends on the solver; what is in the boxes does not."""
    pytest.importorskip("llvmlite")
    monkeypatch.chdir(ROOT)
    name = "device_lock-power.svg"
    example = "examples/c/device_lock.c"
    assert main(["check", "--json", "--model", "power", "--svg", str(tmp_path), example]) == 1
    stored, drawn = (
        re.sub(r"\b[a-z]+: ", "", (folder / name).read_text())
        for folder in (ROOT / "docs/pictures", tmp_path)
    )
    boxes = [
        sorted(set(re.findall(r">([^<>]*(?:locked|requests|SYNC)[^<>]*)<", text))) for text in (stored, drawn)
    ]
    assert boxes[0] == boxes[1]
    assert len(boxes[0]) > 8
    assert all(text.count("trv-guilty") > 4 for text in (stored, drawn))
