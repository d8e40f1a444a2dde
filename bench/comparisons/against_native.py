"""Programs against a native run: what memory holds (structs by value, unions, bit-fields, variable arguments,
copies, frees), arithmetic and casts of one thread, and threads that wait, with limits of time too.

Where a program always computes the same, asserting what a native run printed must PASS and anything else
FAIL; where it does not, the program must be able to compute what was printed.
"""

from __future__ import annotations

import random

import waits
from against_litmus import MODELS, engines_for
from arithmetic import Arithmetic
from counting import Tally, asked
from files import Numbered, Written, compiled
from tests.random_layouts import Layouts

from treville.engines.registry import AUTO

QUESTIONS = 8  # about a program, each with two numbers
# What this machine does, others may do: x86-64 is TSO, and all of these allow what it does.
NOT_STRONGER = tuple(model for model in MODELS if model != "sc")


def compare(seed: str, count: int) -> Tally:
    """So many random programs."""
    tally = Tally(count)
    written = [_program(random.Random(f"{seed}/{number}"), f"p{number}_", number) for number in range(count)]
    for one, made, number in compiled(written):
        rng = random.Random(f"{seed}/{one.prefix} asked")
        for _ in range(QUESTIONS):
            model = rng.choice(MODELS if one.always else NOT_STRONGER)
            engine = rng.choice(asked((AUTO, *engines_for(model))))
            wanted = ((number, "PASS"), (number ^ 1, "FAIL")) if one.always else ((number, "FAIL"),)
            for given, expected in wanted:
                what = f"{one.prefix} under {model}, number {given}"
                tally.add(engine, what, expected, Numbered(made, given).verdict(model, engine))
    return tally


def _program(rng: random.Random, prefix: str, number: int) -> Written:
    match number % 6:
        case 0 | 1:
            return Written(prefix, Layouts(rng, prefix, threads=number % 6 == 1).program())
        case 2:
            return Written(prefix, Arithmetic(rng, prefix).program())
        case _:
            return waits.program(rng, prefix)
