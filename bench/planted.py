"""Random models planted, and found again by `treville synth --oracle` without any test.

    python bench/planted.py [--models N] [--seed S] [--events N] [--dialect X86|PPC|AArch64] [--seconds T]

A model has coherence (of all accesses, or not between reads), atomicity, and one or two acyclic unions
of random parts: communication, program order by the kinds of its ends, fences, dependencies, and cumulative
fences (`rfe; fence`). What is learnt must agree with it on every test up to so many accesses, which is asked
once more, both ways, by the comparison of models. Misses are printed with the reason and the planted text.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Sequence

from treville.models.cat.resolve import resolve_text
from treville.models.model import Model
from treville.questions.comparison import Scope, smallest_difference
from treville.questions.synthesis.problem import Method, Problem, Space
from treville.questions.synthesis.sketches import ATOMICITY, COHERENCE, WEAK_COHERENCE
from treville.questions.synthesis.uniqueness import Learner
from treville.questions.synthesis.vocabulary import FENCES, Vocabulary
from treville.results import Budget, BudgetExceeded

_ORDERED = tuple(f"po & ({one} * {other})" for one in "RW" for other in "RW")
_COMMUNICATION = ("rfe", "fre", "coe", "rfi", "fri", "coi")
_DEPENDENCIES = ("addr", "data", "ctrl", "ctrl & (R * W)")


def planted(seed: int, dialect: str) -> str:
    """The axioms of a random model."""
    pick = random.Random(seed)
    unions = ["order", "causes"][: 1 if pick.random() < 0.7 else 2]
    lines = [WEAK_COHERENCE if pick.random() < 0.2 else COHERENCE, ATOMICITY]
    for union in unions:
        parts = _parts(pick, dialect)
        lines.append(f"acyclic {' | '.join(f'({part})' for part in parts) or '0'} as {union}\n")
    return "".join(lines)


def _parts(pick: random.Random, dialect: str) -> list[str]:
    """What a union is made of."""
    fences = FENCES[dialect]
    parts = [part for part in _COMMUNICATION if pick.random() < 0.7]
    parts += [part for part in _ORDERED if pick.random() < 0.4]
    parts += [part for part in fences if pick.random() < 0.5]
    if dialect != "X86":
        parts += [part for part in _DEPENDENCIES if pick.random() < 0.4]
    if pick.random() < 0.3:
        parts.append(f"rfe; {pick.choice(fences)}")
    return parts


def recovered(text: str, dialect: str, events: int, seconds: float) -> str:
    """How the search for a planted model ended: `found`, or why not."""
    vocabulary = Vocabulary(dialect)
    model = resolve_text(vocabulary.prelude + text, "planted.cat")
    problem = Problem(dialect, (), Space(method=Method.PARTS))
    try:
        learnt = Learner(problem, vocabulary, None, events, Budget(seconds)).from_model(model)
    except BudgetExceeded as error:
        return f"given up: {error.reason}"
    if learnt.answer.found is None:
        return f"not found: {learnt.answer.reason}"
    if not learnt.unique:
        return "not unique"
    return _equal(learnt.answer.found.resolved(), model, Scope(dialect, events))


def _equal(one: Model, other: Model, scope: Scope) -> str:
    for allowing, forbidding in ((one, other), (other, one)):
        if smallest_difference(allowing, forbidding, scope) is not None:
            return "WRONG: the models differ"
    return "found"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each miss, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None, help="of the first model (a fresh one)")
    parser.add_argument("--events", type=int, default=4)
    parser.add_argument("--dialect", choices=("X86", "PPC", "AArch64"), action="append")
    parser.add_argument("--seconds", type=float, default=120, help="for each model")
    options = parser.parse_args(arguments)
    first = random.randrange(10**9) if options.seed is None else options.seed
    dialects = options.dialect or ["X86", "PPC"]
    ended: Counter[str] = Counter()
    slowest, began = 0.0, time.process_time()
    for done, seed in enumerate(range(first, first + options.models), 1):
        dialect = dialects[seed % len(dialects)]
        text, started = planted(seed, dialect), time.process_time()
        how = recovered(text, dialect, options.events, options.seconds)
        slowest = max(slowest, time.process_time() - started)
        ended[how.partition(":")[0]] += 1
        if done % 20 == 0:
            print(f"{done} models: {dict(ended)}", flush=True)
        if how != "found":
            print(f"{dialect} seed {seed}: {how}\n{text}", flush=True)
    counts = ", ".join(f"{count} {how}" for how, count in ended.items())
    seconds = time.process_time() - began
    print(f"{options.models} models from seed {first}, {options.events} events: {counts}")
    print(f"{seconds:.0f} CPU seconds, {seconds / options.models:.2f} for a model, the slowest {slowest:.1f}")


if __name__ == "__main__":
    main()
