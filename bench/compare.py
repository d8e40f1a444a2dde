"""Comparing models measured: every pair of shipped models of hardware and of C, sizes without a difference,
the matrix, and changes of one line in a shipped model.

    python bench/compare.py [pairs] [languages] [sizes] [matrix] [planted] [--events N]

Seconds are CPU seconds of one process, everything included but starting Python. `planted` leaves out one part
of one union, or one axiom, of a shipped model at a time: each must be found, or shown to make no difference
up to the size. Goals: 2 s for each pair, 10 s for "none up to 8" of sc in tso, 60 s for the matrix up to 6.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from itertools import combinations, permutations

from treville.cli.compare import HARDWARE
from treville.models.library import load_model
from treville.models.model import Model
from treville.questions.comparison import Difference, Scope, smallest_difference
from treville.questions.comparison.dialects import dialect_for
from treville.questions.comparison.relaxations import relaxations
from treville.questions.outcomes import outcomes

LANGUAGES = ("c11", "rc11", "imm")
PLANTED = ("sc", "tso", "pso", "rmo", "alpha", "power", "aarch64", "riscv")


def timed(allowing: Model, forbidding: Model, events: int) -> tuple[Difference | None, float]:
    """The smallest difference, confirmed, and the seconds that it took."""
    scope = Scope(dialect_for(allowing, forbidding), events)
    started = time.process_time()
    found = smallest_difference(allowing, forbidding, scope)
    seconds = time.process_time() - started
    assert found is None or isinstance(found, Difference)
    if found is not None:
        assert outcomes(found.test, allowing).holds is True
        assert outcomes(found.test, forbidding).holds is False
    return found, seconds


def told(found: Difference | None, events: int) -> str:
    """What was found, in a few words."""
    return f"none up to {events}" if found is None else f"{found.name} ({found.events} accesses)"


def pairs(names: Sequence[str], events: int) -> None:
    """Every ordered pair."""
    slowest = (0.0, "")
    started = time.process_time()
    for one, other in permutations(names, 2):
        found, seconds = timed(load_model(one), load_model(other), events)
        print(
            f"  {one:>9} allows, {other:>9} forbids: {told(found, events):<44} {seconds:6.2f} s", flush=True
        )
        slowest = max(slowest, (seconds, f"{one} and {other}"))
    print(f"  slowest: {slowest[0]:.2f} s ({slowest[1]}); all: {time.process_time() - started:.1f} s")


def sizes() -> None:
    """How far nothing is found where there is nothing."""
    for one, other, most in (
        ("sc", "tso", 8),
        ("tso", "power", 7),
        ("aarch64", "armv7", 7),
        ("sc", "riscv", 6),
    ):
        found, seconds = timed(load_model(one), load_model(other), most)
        print(f"  {one} in {other}: {told(found, most)} {seconds:.2f} s", flush=True)


def matrix(events: int) -> None:
    """What `treville compare --matrix` asks, in one process."""
    started = time.process_time()
    different = 0
    for one, other in combinations(HARDWARE, 2):
        for allowing, forbidding in ((one, other), (other, one)):
            different += timed(load_model(allowing), load_model(forbidding), events)[0] is not None
    seconds = time.process_time() - started
    print(f"  {len(HARDWARE)} models up to {events}: {different} ordered pairs differ, {seconds:.1f} s")


def planted(events: int) -> None:
    """Changes of one line."""
    for name in PLANTED:
        model = load_model(name)
        started = time.process_time()
        found = equal = 0
        for weaker in relaxations(model):
            seen, _ = timed(weaker.model, model, events)
            found += seen is not None
            equal += seen is None
            assert timed(model, weaker.model, min(events, 4))[0] is None, str(weaker)
        seconds = time.process_time() - started
        print(f"  {name:>9}: {found} found, {equal} equal up to {events}, {seconds:.1f} s", flush=True)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", help="pairs, languages, sizes, matrix, planted (all)")
    parser.add_argument("--events", type=int, default=6)
    options = parser.parse_args()
    known: dict[str, Callable[[], None]] = {
        "pairs": lambda: pairs(HARDWARE, options.events),
        "languages": lambda: pairs(LANGUAGES, options.events),
        "sizes": sizes,
        "matrix": lambda: matrix(options.events),
        "planted": lambda: planted(min(options.events, 5)),
    }
    for name in options.what or known:
        print(name)
        known[name]()


if __name__ == "__main__":
    main()
