"""Establishes the hierarchy of the levels: which level allows histories that another forbids.

Enumerates all histories with unique values up to a size (smallest first, one for each renaming of threads
and keys), decides every level, and keeps for every ordered pair of levels the smallest history that the
first allows and the second forbids. Run it as

    python bench/histories_hierarchy.py --events 6 --threads 4 --keys 2

and compare with `treville.histories.hierarchy`. A pair without a history is an inclusion as far as the
size goes; docs/history.md says why the inclusions hold in general.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from itertools import product

from treville.histories import LEVELS, History, Operation, check
from treville.histories.history import Value
from treville.results import Verdict

Thread = tuple[tuple[str, str], ...]


def lengths(total: int, most_threads: int, longest: int) -> Iterator[tuple[int, ...]]:
    """Ways to split events over threads, long threads first."""
    if total == 0:
        yield ()
    elif most_threads:
        for first in range(min(total, longest), 0, -1):
            for rest in lengths(total - first, most_threads - 1, first):
                yield (first, *rest)


def shapes(events: int, threads: int, keys: int) -> Iterator[tuple[Thread, ...]]:
    """Threads of reads and writes on keys, one representative for each renaming."""
    alphabet = [(kind, key) for kind in "wr" for key in "xyz"[:keys]]
    for split in lengths(events, threads, events):
        seen = set()
        for flat in product(alphabet, repeat=events):
            used = list(dict.fromkeys(key for _, key in flat))
            if used != sorted(used) or used != list("xyz"[: len(used)]):
                continue
            parts, at = [], 0
            for length in split:
                parts.append(flat[at : at + length])
                at += length
            canonical = min(
                tuple(sorted((tuple((k, name[x]) for k, x in part) for part in parts), key=_order))
                for name in renamings(used)
            )
            if canonical not in seen:
                seen.add(canonical)
                yield tuple(parts)


def _order(part: Thread) -> tuple[int, Thread]:
    return -len(part), part


def renamings(keys: list[str]) -> Iterator[dict[str, str]]:
    from itertools import permutations

    for order in permutations(keys):
        yield dict(zip(keys, order, strict=True))


def histories(events: int, threads: int, keys: int) -> Iterator[History]:
    """All histories of a size with unique values: every read chooses a source."""
    for parts in shapes(events, threads, keys):
        written: dict[str, int] = {}
        numbered = []
        for part in parts:
            row = []
            for kind, key in part:
                if kind == "w":
                    written[key] = written.get(key, 0) + 1
                row.append((kind, key, written.get(key, 0) if kind == "w" else None))
            numbered.append(row)
        reads = [(t, i) for t, row in enumerate(numbered) for i, step in enumerate(row) if step[0] == "r"]
        choices = [range(written.get(numbered[t][i][1], 0) + 1) for t, i in reads]
        for values in product(*choices):
            chosen = dict(zip(reads, values, strict=True))
            yield History(
                "enumerated",
                tuple(
                    Operation(f"P{t}", kind == "w", key, value if kind == "w" else chosen[t, i])
                    for t, row in enumerate(numbered)
                    for i, (kind, key, value) in enumerate(row)
                ),
            )


def sequential(history: History) -> bool:
    """A quick search for an interleaving: most histories have one, and then every level allows them."""
    threads: dict[str, list[Operation]] = {}
    for operation in history.operations:
        threads.setdefault(operation.process, []).append(operation)
    sequences = list(threads.values())
    stack: list[tuple[tuple[int, ...], tuple[tuple[str, Value], ...]]] = [(tuple(0 for _ in sequences), ())]
    seen = set(stack)
    while stack:
        pointers, memory = stack.pop()
        if all(at == len(s) for at, s in zip(pointers, sequences, strict=True)):
            return True
        values = dict(memory)
        for i, sequence in enumerate(sequences):
            if pointers[i] == len(sequence):
                continue
            operation = sequence[pointers[i]]
            if not operation.is_write and values.get(operation.key, 0) != operation.value:
                continue
            after = {**values, operation.key: operation.value} if operation.is_write else values
            state = ((*pointers[:i], pointers[i] + 1, *pointers[i + 1 :]), tuple(sorted(after.items())))
            if state not in seen:
                seen.add(state)
                stack.append(state)
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=5)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--keys", type=int, default=2)
    parser.add_argument("--from-events", type=int, default=1, help="leave out smaller histories")
    parser.add_argument("--levels", help="compare only these, separated by commas")
    parser.add_argument("--json", help="write the separating histories here")
    options = parser.parse_args()
    names = options.levels.split(",") if options.levels else list(LEVELS)
    levels = [LEVELS[name] for name in names if not LEVELS[name].needs_times]
    separated: dict[tuple[str, str], str] = {}
    started, looked, decided = time.monotonic(), 0, 0
    for events in range(options.from_events, options.events + 1):
        for history in histories(events, options.threads, options.keys):
            looked += 1
            if sequential(history):
                continue
            decided += 1
            allowed = {level.name: check(history, level).verdict is Verdict.PASS for level in levels}
            assert not allowed.get("SC")
            for first in levels:
                for second in levels:
                    if allowed[first.name] and not allowed[second.name]:
                        separated.setdefault((first.name, second.name), history.compact())
        seconds = time.monotonic() - started
        print(
            f"{events} events: {looked} histories, {decided} not SC, {seconds:.0f} s",
            file=sys.stderr,
            flush=True,
        )
    for first in levels:
        included = [b.name for b in levels if b is not first and (first.name, b.name) not in separated]
        print(f"{first.name} is at least as strong as: {', '.join(included) or 'nothing else'}")
    for (allowing, forbidding), witness in separated.items():
        print(f"{allowing} allows, {forbidding} forbids: {witness}")
    if options.json:
        with open(options.json, "w") as file:  # noqa: PTH123
            json.dump([[a, b, h] for (a, b), h in separated.items()], file, indent=1)


if __name__ == "__main__":
    main()
