"""Where random tests get their randomness from: the same cases in every run, or others when asked for.

The environment variable TREVILLE_SEED chooses the cases of a run. Unset or 0: those that every run has. A
number: the cases of that number. `fresh`: those of a number that is drawn when the run starts. A test that
fails says which number and which case it was, and how to run it again (see `conftest.py`).
"""

from __future__ import annotations

import os
import random

VARIABLE = "TREVILLE_SEED"
drawn: list[int | str] = []  # the cases of the test that is running, in order


def settle() -> int:
    """Replace `fresh` by a number, once for this process and all that it starts; the number of the run."""
    wanted = os.environ.get(VARIABLE, "").strip() or "0"
    number = random.SystemRandom().randrange(1, 1 << 31) if wanted == "fresh" else int(wanted)
    os.environ[VARIABLE] = str(number)
    return number


def fixed() -> bool:
    """Are these the cases that every run has?"""
    return settle() == 0


def conclusive(condition: bool) -> bool:
    """Does the sample show what it should, as often as it should? That is asked of the fixed cases alone:
    with others it may happen not to, and nothing is wrong."""
    return condition or not fixed()


def generator(case: int | str) -> random.Random:
    """The random numbers of a case, in this run."""
    drawn.append(case)
    return random.Random(case if fixed() else f"{settle()}/{case}")


def number(case: int) -> int:
    """The seed of a case in this run, for what takes a seed instead of random numbers."""
    drawn.append(case)
    return case if fixed() else random.Random(f"{settle()}/{case}").getrandbits(31)


def how_to_repeat(test: str) -> str:
    """What to tell about a failed test, and how to see it again."""
    cases = ", ".join(map(str, drawn[-3:]))
    return f"random cases, the last ones made: {cases}\nrepeat with: {VARIABLE}={settle()} pytest '{test}'"
