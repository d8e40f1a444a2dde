"""RC11 by SC's states: where the search has an answer, it is that of the axiomatic engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from tests.asking import reach_by_states, reach_failure
from tests.machines.test_against_models import random_program
from tests.seeds import conclusive, generator

from treville.machines.buffers.machine import Machine
from treville.machines.buffers.robustness import (
    Knowledge,
    Knows,
    Message,
    NotRobust,
    RobustSearch,
    _on_either_path,
)
from treville.models.library import load_model
from treville.programs import ir
from treville.programs.compile_to import compile_program
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.results import Budget

RC11 = load_model("rc11")
UPDATES = ("RLX", "ACQ", "REL", "ACQ_REL", "SC")
FENCES = ("ACQ", "REL", "ACQ_REL", "SC")


def program_with_all_orders(seed: int) -> ir.Program:
    """A random program whose updates and fences have random orders, too."""
    program, choose = random_program(seed), generator(seed)
    functions = {name: with_all_orders(thread, choose) for name, thread in program.functions.items()}
    return replace(program, functions=functions)


def with_all_orders(thread: ir.Thread, choose: Random) -> ir.Thread:
    order, code = "", list[ir.Instruction]()
    for instruction in thread.instructions:
        if isinstance(instruction, ir.Load) and instruction.link:
            order = choose.choice(UPDATES)
        if isinstance(instruction, ir.Load | ir.Store) and instruction.link:
            instruction = replace(instruction, tags=frozenset({order, "A", "RMW"}))
        elif isinstance(instruction, ir.Fence):
            instruction = replace(instruction, tags=frozenset({choose.choice(FENCES)}))
        code.append(instruction)
    return replace(thread, instructions=tuple(code))


def outcomes(program: ir.Program) -> Iterator[ir.Program]:
    """For each combination of the values that main reads: the program whose assertion fails for that one."""
    (main,) = program.threads
    loads = [i.register or "" for i in main.instructions if isinstance(i, ir.Load)]
    assertion = main.instructions[-1]
    assert isinstance(assertion, ir.Assert)
    for values in product((0, 1, 2), repeat=len(loads)):
        differ = [ir.Op("ne", (ir.Reg(r), ir.Const(v))) for r, v in zip(loads, values, strict=True)]
        other = replace(assertion, condition=ir.Op("or", (differ[0], differ[1])))
        yield replace(program, threads=(replace(main, instructions=(*main.instructions[:-1], other)),))


def programs_with_two_results(seeds: range) -> Iterator[ir.Program]:
    for seed in seeds:
        program = compile_program(program_with_all_orders(seed), "rc11")
        if sum(isinstance(i, ir.Load) for i in program.threads[0].instructions) == 2:
            yield program


def is_robust(program: ir.Program) -> bool:
    try:
        RobustSearch(Machine(program, "sc")).explore()
    except NotRobust:
        return False
    return True


@pytest.mark.parametrize("seeds", [range(70, 95), range(724, 748)])
def test_a_program_that_is_robust_has_the_outcomes_of_sc(seeds: range) -> None:
    robust, differing = 0, 0
    for program in programs_with_two_results(seeds):
        sc, rc11 = [], []
        for asked in outcomes(program):
            sc.append(Machine(asked, "sc").explore().verdict == "FAIL")
            rc11.append(reach_failure(asked, RC11, 2, Budget()).execution is not None)
        differing += sc != rc11
        main = replace(program.threads[0], instructions=program.threads[0].instructions[:-1])
        program = replace(program, threads=(main,))
        if is_robust(program):
            robust += 1
            assert sc == rc11
    assert conclusive(bool(robust))
    assert conclusive(bool(differing))


def message_passing(store: str, load: str) -> ir.Program:
    """A message and a flag; whoever sees the flag sees the message."""
    program = ProgramDraft()
    data, flag = (ir.Const(program.location(name).address) for name in ("data", "flag"))
    relaxed = frozenset({"RLX", "A"})
    sender: list[ir.Instruction] = [
        ir.Store(data, ir.Const(1), relaxed),
        ir.Store(flag, ir.Const(1), frozenset({store, "A"})),
    ]
    receiver: list[ir.Instruction] = [
        ir.Load("f", flag, frozenset({load, "A"})),
        ir.Load("d", data, relaxed),
        ir.Assert(ir.Op("or", (ir.Op("lnot", (ir.Reg("f"),)), ir.Reg("d")))),
    ]
    program.functions = {
        "sender": ThreadDraft("sender", sender),
        "receiver": ThreadDraft("receiver", receiver),
    }
    main = [ir.Spawn(name, name, ir.Const(0)) for name in program.functions]
    program.threads.append(ThreadDraft("main", list(main)))
    return program.finished()


def test_on_two_paths_less_is_known_and_more_may_be_ordered() -> None:
    one = Knowledge(
        (Knows(0b0011, 0b0011, 0b0011, 0b0011, 0b0011),), (Message(0b0011, 0b0011, 0b0011, 0b0011),), 0b0011
    )
    other = Knowledge(
        (Knows(0b0101, 0b0101, 0b0101, 0b0101, 0b0101),), (Message(0b0101, 0b0101, 0b0101, 0b0101),), 0b0101
    )
    both = Knowledge(
        (Knows(0b0001, 0b0001, 0b0001, 0b0111, 0b0111),), (Message(0b0001, 0b0111, 0b0111, 0b0111),), 0b0001
    )
    assert _on_either_path(one, other) == _on_either_path(other, one) == both


def test_a_released_message_is_robust_and_a_relaxed_one_is_not() -> None:
    assert RobustSearch(Machine(message_passing("REL", "ACQ"), "sc")).explore().verdict == "PASS"
    for store, load in (("RLX", "ACQ"), ("REL", "RLX")):
        with pytest.raises(NotRobust):
            RobustSearch(Machine(message_passing(store, load), "sc")).explore()


def with_fences(program: ir.Program, sender: str, receiver: str) -> ir.Program:
    """Fences of these orders before the flag is written, and after it is read."""
    functions = {}
    for (name, order), at in zip((("sender", sender), ("receiver", receiver)), (1, 1), strict=True):
        code = program.functions[name].instructions
        fence = ir.Fence(frozenset({order}))
        functions[name] = replace(program.functions[name], instructions=(*code[:at], fence, *code[at:]))
    return replace(program, functions=functions)


@pytest.mark.parametrize("orders", [("REL", "ACQ"), ("ACQ_REL", "ACQ_REL"), ("SC", "SC"), ("REL", "REL")])
def test_fences_release_what_was_written_and_acquire_what_was_read(orders: tuple[str, str]) -> None:
    program = with_fences(message_passing("RLX", "RLX"), *orders)
    assert is_robust(program) == (orders != ("REL", "REL"))
    assert is_robust(with_fences(message_passing("REL", "RLX"), "ACQ", orders[1])) == (orders[1] != "REL")
    assert is_robust(with_fences(message_passing("RLX", "ACQ"), orders[0], "REL"))


@pytest.mark.parametrize("load", ["RLX", "ACQ"])
def test_who_lags_passes_that_on(load: str) -> None:
    """The receiver sees the flag and tells another thread: that one lags as well, unless both acquire."""
    program = message_passing("REL", load)
    data, flag = (ir.Const(program.locations[name].address) for name in ("data", "flag"))
    draft = ProgramDraft()
    told = ir.Const([draft.location(name).address for name in ("data", "flag", "told")][2])
    relaxed, release, acquire = (frozenset({order, "A"}) for order in ("RLX", "REL", "ACQ"))
    receiver: list[ir.Instruction] = [
        ir.Load("f", flag, frozenset({load, "A"})),
        ir.Assume(ir.Reg("f")),
        ir.Store(told, ir.Const(1), release),
    ]
    last: list[ir.Instruction] = [
        ir.Load("t", told, acquire),
        ir.Assume(ir.Reg("t")),
        ir.Load("d", data, relaxed),
        ir.Assert(ir.Reg("d")),
    ]
    sender = list(program.functions["sender"].instructions)
    codes = {"sender": sender, "receiver": receiver, "last": last}
    draft.functions = {name: ThreadDraft(name, code) for name, code in codes.items()}
    draft.threads.append(ThreadDraft("main", [ir.Spawn(name, name, ir.Const(0)) for name in codes]))
    program = draft.finished()
    assert is_robust(program) == (load == "ACQ")
    assert (reach_failure(program, RC11, 2, Budget()).execution is None) == (load == "ACQ")


def test_a_thread_that_waits_may_not_lag_either() -> None:
    """The receiver's update needs data to be 0, which it is no more once it sees the flag, except to RC11."""
    program = message_passing("RLX", "RLX")
    data = ir.Const(program.locations["data"].address)
    relaxed = frozenset({"RLX", "A", "RMW"})
    receiver = program.functions["receiver"]
    code = [
        receiver.instructions[0],
        ir.Assume(ir.Reg("f")),
        ir.Load("d", data, relaxed, link=True),
        ir.Assume(ir.Op("lnot", (ir.Reg("d"),))),
        ir.Store(data, ir.Const(2), relaxed, link=True),
        ir.Assert(ir.Const(0)),
    ]
    receiver = replace(receiver, instructions=tuple(code))
    program = replace(program, functions={**program.functions, "receiver": receiver})
    assert Machine(program, "sc").explore().verdict == "PASS"
    assert reach_failure(program, RC11, 2, Budget()).execution is not None
    assert not is_robust(program)
    found = reach_by_states(program, RC11, Budget(), 1_000)
    assert found is not None
    assert found.execution is not None


def test_too_many_states_are_no_answer() -> None:
    found = reach_by_states(message_passing("REL", "ACQ"), RC11, Budget(), 1)
    assert found is not None
    assert not found.complete
