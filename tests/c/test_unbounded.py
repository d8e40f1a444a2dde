"""Programs that no bound can prove: loops for ever, any numbers, threads without end."""

from pathlib import Path

import pytest
from tests.reporting import Options, answers

from treville.results.properties import Property

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


def test_choices_without_end_that_nobody_sees_are_left_to_the_solver(tmp_path: Path) -> None:
    """The machines run a thread up to what others see: that may never come."""
    code = (
        "extern int __VERIFIER_nondet_int(void);\n#include <assert.h>\nint main(void) { unsigned sum = 0;\n"
        "while (sum != 5) sum += __VERIFIER_nondet_int() ? 3 : 2;\nassert(0); }\n"
    )
    path = tmp_path / "program.c"
    path.write_text(code)
    for report in answers(str(path), ["sc", "tso", "power"], Options(properties=(Property.ASSERTION,))):
        assert report["verdict"] == "FAIL"
    for model, goal in (("sc", Property.LIVENESS), ("tso", Property.DEADLOCK), ("power", Property.RACE)):
        (report,) = answers(str(path), [model], Options(seconds=2, properties=(goal,)))
        assert report["status"] != "error"
