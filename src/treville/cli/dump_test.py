"""The stages of a litmus test as text, for `--dump` of `treville litmus` and `treville check`.

Its program, what passes make of it, and its may, must and active sets under a model (paper 004, section 4.7).
"""

from __future__ import annotations

from treville.campaigns.inputs import input_text
from treville.campaigns.loading import load_model, load_test, own_model
from treville.cli.check_dump import program_steps_text, program_text, unrolled_text
from treville.cli.check_dump_encoding import stage_of_encoding
from treville.encoding.acyclicity import addresses_of, encode_test
from treville.engines.task import outcome_task
from treville.models.implied import implies_coherence
from treville.passes.bounded import facts_of_test
from treville.passes.program import Context
from treville.results import InputError
from treville.results.defaults import BOUND

STAGES = ("program", "passes", "compiled", "unrolled", "events", "relations", "formula")


def dump_test(
    file: str,
    name: str,
    stage: str,
    bound: int | None = None,
    variants: tuple[str, ...] = (),
    bell: str = "",
    text: str | None = None,
) -> str:
    """The stage of one test, or of its text; without a model's name under the model of its dialect."""
    if stage not in STAGES:
        raise InputError(
            f"{file}: a litmus test has no stage '{stage}'", hint=f"its stages are {', '.join(STAGES)}"
        )
    test = load_test(input_text(file, text), file)
    if stage == "program":
        return program_text(test.program)
    model = load_model(name or own_model(test), variants, bell)
    if stage == "passes":
        return "\n".join(program_steps_text(test.program, Context(model, None, test.dialect)))
    task = outcome_task(test, model, bound or BOUND)
    if stage == "compiled":
        return program_text(task.test.program)
    if stage == "unrolled":
        return unrolled_text(task.test.program, task.bound)
    facts = facts_of_test(
        task.test.program, task.bound, task.budget, implies_coherence(model), addresses_of(test.observed)
    )
    return stage_of_encoding(encode_test(facts, model, task.budget), stage)
