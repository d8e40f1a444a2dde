"""The Python interface."""

from __future__ import annotations

from pathlib import Path

import pytest

import treville
from treville.results import InputError

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "litmus"


@pytest.fixture
def test() -> treville.Test:
    return treville.load_test(EXAMPLES / "SB.litmus")


def test_a_test_is_loaded_from_a_path_or_from_text(test: treville.Test) -> None:
    text = (EXAMPLES / "SB.litmus").read_text()
    assert treville.load_test(text).outcomes("sc") == test.outcomes("sc")
    assert (test.name, test.dialect) == ("SB", "X86")


def test_outcomes_are_data_and_print_as_herd7_does(test: treville.Test) -> None:
    answer = test.outcomes()
    assert (answer.model, answer.observation, len(answer.states)) == ("tso", "Sometimes", 4)
    assert str(answer).startswith("Test SB Allowed\nStates 4\n")
    assert answer._repr_html_().count("<tr>") == 5


def test_executions_are_judged_explained_and_drawn(test: treville.Test) -> None:
    everything = list(test.executions("sc"))
    assert [execution.allowed for execution in everything].count(True) == 3
    (forbidden,) = test.executions("sc", which="forbidden")
    assert forbidden.state == {"0:EAX": 0, "1:EAX": 0}
    assert forbidden.violated == ["sc"]
    assert "the cycle closes" in str(forbidden)
    assert forbidden._repr_svg_().startswith("<svg")
    assert "forbidden" in forbidden.svg()
    assert "allowed by sc" in next(test.executions("sc", which="allowed")).svg()
    assert forbidden.dot(show=("rf",)).startswith("digraph")


def test_wrong_arguments_are_refused(test: treville.Test) -> None:
    with pytest.raises(ValueError, match="which is one of"):
        next(test.executions("sc", which="some"))
    with pytest.raises(InputError, match="no relation is called 'xyz'"):
        next(test.executions("sc")).svg(show=("xyz",))
    with pytest.raises(InputError):
        treville.load_test("nowhere.litmus")
    with pytest.raises(AttributeError):
        treville.nonsense  # noqa: B018


def test_importing_the_package_is_cheap() -> None:
    assert treville.__version__
    assert "load_test" in treville.__all__
