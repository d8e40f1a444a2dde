"""Objects other than registers: against brute force, against the algorithms for registers, and a judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations, permutations
from random import Random

import pytest
from tests.seeds import conclusive, generator

from treville.histories import LEVELS, History, Operation, Status, check, find_level, read_history
from treville.histories.calls import Stuck, linearise, stuck_part, wrong_order
from treville.histories.formats.records import _OTHERS
from treville.histories.history import Value
from treville.histories.objects import OBJECTS, REGISTER
from treville.results import Budget, BudgetExceeded, InputError, Verdict

LINEARIZABILITY = find_level("linearizability")


def possible(kind: str, order: tuple[Operation, ...]) -> bool:
    """The object run by hand, in an order that must keep real time and the order of each process."""
    state: dict[str, list[int] | Value] = {}
    for i, operation in enumerate(order):
        for later in order[i + 1 :]:
            started = operation.start or 0.0
            if later.end is not None and later.end < started:
                return False
            if later.process == operation.process and (later.start or 0.0) < started:
                return False
        now = state.get(operation.key, [] if kind == "list with append" else 0)
        if operation.function == "append":
            assert isinstance(now, list)
            state[operation.key] = [*now, int(str(operation.value))]
        elif operation.function == "write":
            state[operation.key] = operation.value
        elif operation.function == "cas":
            old, new = (int(part) for part in str(operation.value)[1:-1].split(","))
            if now != old:
                return False
            state[operation.key] = new
        elif str(operation.value) != str(now):
            return False
    return True


def brute_force(history: History) -> bool:
    happened = [o for o in history.operations if o.status is Status.OK]
    maybe = [o for o in history.operations if o.status is Status.INFO and o.function != "read"]
    chosen = chain.from_iterable(combinations(maybe, size) for size in range(len(maybe) + 1))
    return any(
        possible(history.object_type, order) for some in chosen for order in permutations((*happened, *some))
    )


def random_calls(choose: Random, kind: str) -> History:
    operations, appended = [], 0
    for process in range(3):
        moment = choose.random()
        for _ in range(choose.randint(1, 2)):
            start, end = moment, moment + choose.random()
            moment = end + choose.choice([0.0, 0.1])
            value: Value
            if kind == "list with append":
                appended += 1
                function = choose.choice([None, "append"])
                seen = choose.sample(range(1, 4), choose.randint(0, 2))
                value = appended if function else str(seen)
            else:
                assert kind == "register with compare-and-set", f"no operations of a {kind}"
                function = choose.choice([None, None, "cas"])
                value = choose.randint(0, 2)
                if function:
                    value = f"[{choose.randint(0, 2)}, {choose.randint(0, 2)}]"
            is_write = function is not None or (kind != "list with append" and choose.random() < 0.4)
            status = choose.choice([Status.OK, Status.OK, Status.OK, Status.INFO])
            done = end if status is Status.OK else None
            key = choose.choice("xy")
            operations.append(
                Operation(str(process), is_write, key, value, start, done, status, None, function)
            )
    return History("h", tuple(operations), {}, 0, kind)


def test_logs_can_have_the_functions_of_every_object() -> None:
    functions = {function for each in OBJECTS.values() for function in each.functions}
    assert functions == {"read", "write", *_OTHERS.values()}


@pytest.mark.parametrize("kind", [name for name in OBJECTS if name != REGISTER.name])
def test_replay_equals_brute_force_and_what_it_says_of_a_failure_fails_alone(kind: str) -> None:
    choose, verdicts = generator(f"calls {kind}"), set()
    for _ in range(250):
        history = random_calls(choose, kind)
        try:
            found = linearise(history, Budget(60))
        except BudgetExceeded:  # histories whose processes overlap themselves may be left open
            assert overlapping(history)
            continue
        expected = brute_force(history)
        verdicts.add(expected)
        assert isinstance(found, Stuck) != expected, history
        if isinstance(found, Stuck):
            part, _ = stuck_part(history, found)
            assert isinstance(linearise(part, Budget(60)), Stuck), history
        else:
            assert wrong_order(history, found) == ""
            for other in altered(choose, found):
                judged = wrong_order(history, other) == ""
                happened = {i for i, o in enumerate(history.operations) if o.status is Status.OK}
                complete = len(set(other)) == len(other) and happened <= set(other)
                fine = complete and possible(kind, tuple(history.operations[p] for p in other))
                assert judged == fine, (history, other)
    assert conclusive(verdicts == {True, False})


def overlapping(history: History) -> bool:
    pairs = combinations(history.operations, 2)
    return any(a.process == b.process and (a.end is None or a.end >= (b.start or 0)) for a, b in pairs)


def test_an_operation_that_failed_takes_no_effect() -> None:
    failed = Operation("0", True, "x", 1, 0.0, None, Status.FAIL)
    assert wrong_order(History("h", (failed,)), (0,))
    assert not wrong_order(History("h", (failed,)), ())


def altered(choose: Random, order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield tuple(choose.sample(order, len(order)))
    if order:
        at = choose.randrange(len(order))
        yield order[:at] + order[at + 1 :]
        yield (*order, order[at])
        yield (*order[:at], *reversed(order[at : at + 2]), *order[at + 2 :])


def test_replay_of_registers_equals_the_algorithms_for_registers() -> None:
    choose, verdicts = generator("registers as calls"), set()
    for _ in range(150):
        history = random_calls(choose, "register with compare-and-set")
        operations = tuple(
            replace(o, other_function=None, value=choose.randint(0, 2)) if o.other_function else o
            for o in history.operations
        )
        registers = replace(history, operations=operations, object_type="register")
        expected = check(registers, LINEARIZABILITY, Budget(60), "sat").verdict
        try:
            found = linearise(registers, Budget(60))
        except BudgetExceeded:
            assert overlapping(history)
            continue
        verdicts.add(expected)
        assert isinstance(found, Stuck) == (expected is Verdict.FAIL), registers
    assert conclusive(verdicts == {Verdict.PASS, Verdict.FAIL})


def test_levels_about_reads_and_writes_are_refused_by_name() -> None:
    history = read_history("0,cas,x,[0 1],1,2\n", "h")
    for name in LEVELS:
        if name != "linearizability":
            with pytest.raises(InputError, match=f"level {name.replace('+', '.')} is about reads and writes"):
                check(history, find_level(name))
    with pytest.raises(InputError, match="cas is no read or write"):
        _ = history.events


def test_a_thousand_compare_and_sets_need_no_search() -> None:
    lines = []
    for i in range(2000):
        lines += [f"{i % 5},cas,x,[{i} {i + 1}],{i},{i + 0.5}"]
    text = "\n".join(lines).replace("[", '"[').replace("]", ']"').replace(" ", ", ")
    assert check(read_history(text, "h"), LINEARIZABILITY, Budget(60)).verdict is Verdict.PASS
