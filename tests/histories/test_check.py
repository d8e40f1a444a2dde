"""The levels against brute force, and the algorithms against each other."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from tests.seeds import conclusive, generator, number

from treville.histories import LEVELS, History, Operation, Status, check, find_level, read_history
from treville.histories.check import POLYNOMIAL_LEVELS
from treville.histories.generate import generate, mutate
from treville.histories.history import Value
from treville.histories.polynomial import configurations
from treville.histories.validate import complaints
from treville.results import Budget, InputError, Verdict

from . import oracle, shapes

UNTIMED = [level.name for level in LEVELS.values() if not level.needs_times]
EVERY_SAT = ("auto", "sat", "sat-transitive")

# The examples of paper 004 and classic ones, with the levels that allow them.
EXAMPLES = {
    "dekker": (
        "(w,x,1).(r,y,0) || (w,y,1).(r,x,0)",
        {
            "TSO",
            "PSO",
            "PC-G",
            "PC-D",
            "GAO",
            "GPO+GDO",
            "causal",
            "PRAM-M",
            "GWO",
            "CC",
            "PRAM",
            "SLOW",
            "LOCAL",
        },
    ),
    "two readers of one write, which Algorithm 2 has to serve together": (
        "(w,x,0).(r,x,1) || (w,x,0).(r,x,1) || (w,x,1)",
        set(UNTIMED),
    ),
    "message passing": (
        "(w,x,1).(w,y,1) || (r,y,1).(r,x,0)",
        {"PSO", "GWO", "CC", "SLOW", "LOCAL"},
    ),
    "independent readers disagree": (
        "(w,x,1) || (w,y,1) || (r,x,1).(r,y,0) || (r,y,1).(r,x,0)",
        {"PC-G", "PC-D", "GPO+GDO", "causal", "PRAM-M", "GWO", "CC", "PRAM", "SLOW", "LOCAL"},
    ),
    "write, read, write, then the old value": (
        "(w,x,1) || (r,x,1).(w,y,1) || (r,y,1).(r,x,0)",
        {"PC-G", "PC-D", "GPO+GDO", "PRAM-M", "CC", "PRAM", "SLOW", "LOCAL"},
    ),
    "coherence of one location": ("(w,x,1).(w,x,2) || (r,x,2).(r,x,1)", {"GWO", "LOCAL"}),
    "a value out of thin air": ("(w,x,1) || (r,x,2)", set()),
    "a value that its own thread overwrote": ("(w,x,1).(w,x,2).(r,x,1)", set()),
    "the initial value after an own write, which 004's Definitions 6 and 9 allow": ("(w,x,1).(r,x,0)", set()),
    "the initial value before and after an own write": ("(r,x,0).(w,x,1).(r,x,0)", set()),
    "the initial value after another's write was read": ("(r,x,1).(r,x,0) || (w,x,1)", set()),
}


def passes(history: History, level: str, algorithm: str = "auto") -> bool:
    verdict = check(history, find_level(level), Budget(60), algorithm).verdict
    assert verdict is not Verdict.UNKNOWN
    return verdict is Verdict.PASS


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_allowed_by_exactly_the_levels_of_the_literature(name: str) -> None:
    text, allowed = EXAMPLES[name]
    history = read_history(text, name)
    for algorithm in EVERY_SAT:
        assert {level for level in UNTIMED if passes(history, level, algorithm)} == allowed, algorithm


def agree_with_brute_force(threads: shapes.Threads, algorithms: tuple[str, ...]) -> dict[str, bool]:
    history = shapes.history_of(threads)
    found = {}
    for level in UNTIMED:
        expected = found[level] = oracle.allows(level, threads)
        for algorithm in algorithms:
            assert passes(history, level, algorithm) == expected, (level, algorithm, history.compact())
        if level in POLYNOMIAL_LEVELS:
            assert passes(history, level, "polynomial") == expected, (level, history.compact())
    return found


def test_every_level_equals_brute_force_on_random_small_histories() -> None:
    random = generator(2024)
    seen: dict[str, set[bool]] = {level: set() for level in UNTIMED}
    for _ in range(60):
        threads = shapes.random_history(random, 6, 3, 2, 2)
        for level, allowed in agree_with_brute_force(threads, EVERY_SAT).items():
            seen[level].add(allowed)
    assert conclusive(all(found == {True, False} for found in seen.values())), "both verdicts must occur"


def test_every_level_equals_brute_force_on_all_histories_of_three_events() -> None:
    checked = 0
    for threads in shapes.all_histories(3, 2, 2, 1):
        if shapes.sensible(threads):
            agree_with_brute_force(threads, ("auto",))
            checked += 1
    assert checked > 100


@pytest.mark.slow
def test_every_level_equals_brute_force_on_a_large_sample() -> None:
    random = generator(7)
    for _ in range(6000):
        agree_with_brute_force(shapes.random_history(random, 6, 3, 2, 2), EVERY_SAT)


def test_algorithms_agree_on_histories_too_large_for_brute_force() -> None:
    for seed in range(12):
        made = generate(
            find_level("SLOW" if seed % 2 else "SC"), 16, 3, 2, number(seed), values=2 if seed % 3 else None
        )
        history = mutate(made, number(seed), 1)
        for level in UNTIMED:
            expected = passes(history, level, "sat")
            assert passes(history, level, "auto") == expected, (level, history.compact())
            if level in POLYNOMIAL_LEVELS:
                assert passes(history, level, "polynomial") == expected, (level, history.compact())


def test_the_pointers_of_the_largest_view_are_counted() -> None:
    """Each thread's pointer stands before or behind one of its events there: those of others are writes."""
    events = read_history("(w,x,1).(r,x,1).(w,y,1) || (w,x,2).(r,y,0)", "h").events
    assert configurations(find_level("CC"), events) == 3 * 2
    assert configurations(find_level("SLOW"), events) == 3 * 2
    assert configurations(find_level("PRAM"), events) == 3 * 3


def test_a_thread_may_read_its_own_write_before_others_can() -> None:
    """The third thread sees that the first one's write came to memory after it was read by its own."""
    history = read_history("(w,x,1).(r,x,1).(r,y,0) || (w,y,1).(w,z,1) || (r,z,1).(r,x,0).(w,x,1)", "h")
    for level, allowed in (("SC", False), ("TSO", True)):
        for algorithm in EVERY_SAT:
            assert passes(history, level, algorithm) == allowed, (level, algorithm)


def test_polynomial_algorithms_count_writes_of_the_same_value() -> None:
    """A value that is read again after another needs a second write of it."""
    random, verdicts = generator(9), set()
    for _ in range(120):
        history = shapes.history_of(shapes.random_history(random, 9, 3, 1, 2))
        for level in POLYNOMIAL_LEVELS:
            expected = passes(history, level, "sat")
            verdicts.add((level, expected))
            assert passes(history, level, "polynomial") == expected, (level, history.compact())
    assert conclusive(len(verdicts) == 2 * len(POLYNOMIAL_LEVELS))


def test_a_log_in_its_own_order_needs_no_search() -> None:
    history = generate(find_level("SC"), 2000, 6, 5, 1, values=2)
    for level in UNTIMED:
        answer = check(history, find_level(level), Budget(60))
        assert answer.verdict is Verdict.PASS
        assert answer.algorithm in ("order of the log", "polynomial (Algorithm 1)")


def test_an_uncertain_write_may_have_happened_or_not() -> None:
    """Brute force: some choice of the uncertain writes makes the history pass."""
    random = generator(5)
    verdicts = set()
    for _ in range(40):
        threads = shapes.random_history(random, 5, 2, 2, 1)
        operations = list(shapes.history_of(threads).operations)
        writes = [i for i, o in enumerate(operations) if o.is_write]
        uncertain = set(random.sample(writes, min(2, len(writes))))
        marked = tuple(
            Operation(
                o.process, o.is_write, o.key, o.value, status=Status.INFO if i in uncertain else Status.OK
            )
            for i, o in enumerate(operations)
        )
        for level in ("SC", "TSO", "PC-D", "causal", "GAO", "PRAM-M", "SLOW", "LOCAL"):
            expected = any(
                oracle.allows(level, without(threads, set(absent)))
                for size in range(len(uncertain) + 1)
                for absent in combinations(sorted(uncertain), size)
            )
            verdicts.add(expected)
            for algorithm in ("auto", "sat", "sat-transitive"):
                assert passes(History("h", marked), level, algorithm) == expected, (level, algorithm, marked)
    assert verdicts == {True, False}


def test_an_uncertain_write_that_must_have_been_read_has_happened() -> None:
    """One thread overwrites a value, and another sees that but then the value again: a third perhaps wrote
    it. That is found out on the way, and then the write has all the consequences of others."""
    random, verdicts = generator(6), set()
    for _ in range(20):
        second, *others = shapes.random_history(random, 3, 2, 2, 2)
        at = random.randint(0, len(second))
        second = (*second[:at], ("w", "x", 1), *second[at:])
        threads = ((("w", "x", 1), ("w", "x", 2)), (("r", "x", 2), ("r", "x", 1)), second, *others)
        writes = [kind == "w" for thread in threads[2:] for kind, _, _ in thread]
        uncertain = [i + 4 for i, yes in enumerate(writes) if yes and (i == at or random.random() < 0.3)]
        marked = tuple(
            replace(o, status=Status.INFO if i in uncertain else Status.OK)
            for i, o in enumerate(shapes.history_of(threads).operations)
        )
        for level in random.sample(UNTIMED, 3):
            expected = any(
                oracle.allows(level, without(threads, set(absent)))
                for size in range(len(uncertain) + 1)
                for absent in combinations(uncertain, size)
            )
            verdicts.add(expected)
            assert passes(History("h", marked), level) == expected, (level, marked)
    assert conclusive(verdicts == {True, False})


def test_a_buffered_write_that_has_happened_hides_older_values_from_its_thread() -> None:
    """Process 2 reads the initial value after a write that is unfinished, but that process 1 has seen."""
    seen = "(w,x,1).(w,x,2) || (r,x,2).(r,x,1) || (w,x,1).(r,x,0)"
    operations = read_history(seen, "h").operations
    marked = tuple(replace(o, status=Status.INFO) if i == 4 else o for i, o in enumerate(operations))
    for level in ("SC", "TSO", "PSO"):
        assert not passes(History("h", marked), level)
        assert passes(History("h", marked[:3] + marked[4:]), level)


def without(threads: shapes.Threads, absent: set[int]) -> shapes.Threads:
    kept, position = [], 0
    for thread in threads:
        kept.append(tuple(e for i, e in enumerate(thread, position) if i not in absent))
        position += len(thread)
    return tuple(kept)


def test_a_failed_write_did_not_happen_and_an_unfinished_read_says_nothing() -> None:
    text = """{"process": 0, "type": "write", "key": "x", "value": 1, "status": "fail"}
{"process": 1, "type": "read", "key": "x", "value": 7, "status": "info"}
{"process": 1, "type": "read", "key": "x", "value": %s}"""
    assert passes(read_history(text % 0, "h"), "SC")
    assert not passes(read_history(text % 1, "h"), "LOCAL")


def test_linearizability_adds_real_time_to_sequential_consistency() -> None:
    stale = "0,w,x,1,0,1\n1,r,x,0,2,3\n"
    overlapping = "0,w,x,1,0,2\n1,r,x,0,1,3\n"
    assert passes(read_history(stale, "h"), "SC")
    assert not passes(read_history(stale, "h"), "linearizability")
    assert passes(read_history(overlapping, "h"), "linearizability")


def test_linearizability_equals_brute_force_on_random_intervals() -> None:
    from itertools import permutations

    random = generator(11)
    verdicts = set()
    for _ in range(120):
        operations = []
        for process in range(3):
            moment = random.random()
            for _ in range(random.randint(1, 2)):
                start, end = moment, moment + random.random()
                moment = end + random.random() * 0.2
                operations.append(
                    Operation(f"P{process}", random.random() < 0.5, "x", random.randint(0, 2), start, end)
                )
        history = History("h", tuple(operations))
        expected = any(linear(order) for order in permutations(operations))
        verdicts.add(expected)
        assert passes(history, "linearizability") == expected, operations
    assert verdicts == {True, False}


def linear(order: tuple[Operation, ...]) -> bool:
    value: Value = 0
    for i, operation in enumerate(order):
        assert operation.start is not None
        if any(later.end is not None and later.end < operation.start for later in order[i + 1 :]):
            return False
        if operation.is_write:
            value = operation.value
        elif operation.value != value:
            return False
    return True


def test_an_operation_that_ends_when_another_starts_is_not_before_it() -> None:
    touching = "0,w,x,1,0,2\n1,r,x,0,{start},3\n"
    for start, passed in ((1, True), (2, True), (2.5, False)):
        assert passes(read_history(touching.format(start=start), "h"), "linearizability") is passed
    answer = check(read_history(touching.format(start=2), "h"), find_level("linearizability"))
    assert answer.execution is not None
    assert (
        complaints(
            find_level("linearizability"),
            read_history(touching.format(start=2), "h").events,
            answer.execution,
        )
        == []
    )


def test_linearizability_without_times_is_refused() -> None:
    with pytest.raises(InputError, match="start and end"):
        check(read_history("(w,x,1)", "h"), find_level("linearizability"))


def test_polynomial_algorithms_are_refused_where_there_are_none() -> None:
    with pytest.raises(InputError, match="no polynomial algorithm"):
        check(read_history("(w,x,1)", "h"), find_level("SC"), algorithm="polynomial")


def test_a_used_up_budget_is_unknown_and_says_what_to_raise() -> None:
    history = generate(find_level("TSO"), 3000, 6, 20, 1, values=2)
    answer = check(history, find_level("SC"), Budget(0.2))
    assert answer.verdict is Verdict.UNKNOWN
    assert "--timeout" in answer.reason
    assert answer.seconds < 5
    small = check(generate(find_level("TSO"), 3000, 6, 20, 1), find_level("TSO"), Budget(None, 1_000_000))
    assert small.verdict is Verdict.UNKNOWN
    assert "--memory" in small.reason


def test_levels_are_found_by_any_spelling_and_alias() -> None:
    assert find_level("Causal").name == "causal"
    assert find_level("cache").name == "CC"
    assert find_level(" gpo+gdo ").name == "GPO+GDO"
    with pytest.raises(InputError, match="unknown level") as caught:
        find_level("casual")
    assert "did you mean causal" in caught.value.hint
