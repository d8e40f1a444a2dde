"""Programs that no bound can prove: loops for ever, any numbers, threads without end."""

from pathlib import Path

import pytest
from tests.reporting import Options, answers

pytest.importorskip("llvmlite")

HERE = Path(__file__).parent


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
@pytest.mark.parametrize(
    ("file", "define"), [("unbounded/any_numbers.c", "WRONG"), ("safe/endless_threads.c", "BROKEN")]
)
def test_safe_programs_pass_without_a_bound_and_broken_ones_fail(file: str, define: str, model: str) -> None:
    (safe,) = answers(str(HERE / file), [model], Options(seconds=100))
    (broken,) = answers(str(HERE / file), [model], Options(seconds=100, defines=(define,)))
    assert (safe["verdict"], safe["bound"]) == ("PASS", None)
    assert broken["verdict"] == "FAIL"
