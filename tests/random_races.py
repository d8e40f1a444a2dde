"""Random small programs with plain and atomic accesses, and an oracle for their races under SC.

The oracle runs every interleaving with vector clocks (as FastTrack does, without its shortcuts); it knows
neither events nor relations."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.seeds import generator

from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft

PLAIN = frozenset({"NA", "DATA"})
ORDERS = ("RLX", "ACQ", "REL", "SC")


def random_races(seed: int | str) -> dict[str, list[ir.Instruction]]:
    """The code of two or three threads over x, y and z."""
    choose = generator(seed)
    places = [ir.Const(0x4000_0000 + 0x0010_0000 * number) for number in range(3)]
    threads: dict[str, list[ir.Instruction]] = {}
    for thread in range(choose.choice((2, 2, 3))):
        code: list[ir.Instruction] = []
        for number in range(choose.choice((2, 3)) if thread < 2 else 1):
            _access(choose, code, places, f"{thread}{number}")
        threads[f"t{thread}"] = code
    return threads


def _access(choose: random.Random, code: list[ir.Instruction], places: list[ir.Const], name: str) -> None:
    kind, index = choose.random(), len(code) + 1
    order = choose.choice(ORDERS)
    tags = frozenset({order, "A"})
    place = choose.choice(places[1:])
    if kind < 0.5:
        place = places[0] if kind < 0.4 else place
        tags = PLAIN
    if choose.random() < 0.15 and tags != PLAIN:
        update = tags | {"RMW"}
        code.append(ir.Load(f"r{name}", place, update, link=True, index=index))
        code.append(ir.Store(place, ir.Const(2), update, link=True, index=index))
    elif choose.random() < 0.5:
        code.append(ir.Store(place, ir.Const(1), _without(tags, "ACQ"), index=index))
    else:
        code.append(ir.Load(f"r{name}", place, _without(tags, "REL"), index=index))
        if choose.random() < 0.5:
            code.append(ir.Branch("end", ir.Op("eq", (ir.Reg(f"r{name}"), ir.Const(0)), 32)))


def _without(tags: frozenset[str], order: str) -> frozenset[str]:
    """A load does not release, and a store does not acquire."""
    return frozenset("RLX" if tag == order else tag for tag in tags)


def as_program(threads: dict[str, list[ir.Instruction]]) -> ir.Program:
    """A whole program whose main starts the threads."""
    program = ProgramDraft()
    for name in "xyz":
        program.location(name)
    for name, code in threads.items():
        program.functions[name] = ThreadDraft(name, code, {"end": len(code)})
    main: list[ir.Instruction] = [ir.Spawn(f"h{name}", name, ir.Const(0)) for name in threads]
    program.threads.append(ThreadDraft("main", main))
    return program.finished()


@dataclass
class _Run:
    """An interleaving so far."""

    positions: list[int]
    clocks: list[list[int]]
    registers: list[dict[str, int]]
    memory: dict[int, int] = field(default_factory=dict)
    released: dict[int, list[int]] = field(default_factory=dict)
    accesses: list[tuple[int, int, bool, bool, int]] = field(default_factory=list)


def races_under_sc(threads: dict[str, list[ir.Instruction]]) -> bool:
    """Does some interleaving have two conflicting accesses, one of them plain, that nothing orders?"""
    return _races(list(threads.values()), [])


def _races(code: list[list[ir.Instruction]], schedule: list[int]) -> bool:
    """Runs the schedule, then tries every thread that can go on."""
    run, raced = _replay(code, schedule)
    if raced:
        return True
    able = [thread for thread, body in enumerate(code) if run.positions[thread] < len(body)]
    return any(_races(code, [*schedule, thread]) for thread in able)


def _replay(code: list[list[ir.Instruction]], schedule: list[int]) -> tuple[_Run, bool]:
    count = len(code)
    run = _Run([0] * count, [[int(i == t) for i in range(count)] for t in range(count)], [{} for _ in code])
    for thread in schedule:
        for place, writes, atomic in _execute(run, thread, code[thread]):
            clock = run.clocks[thread]
            for other, where, wrote, was_atomic, epoch in run.accesses:
                conflict = where == place and other != thread and (writes or wrote)
                if conflict and not (atomic and was_atomic) and epoch > clock[other]:
                    return run, True
            run.accesses.append((thread, place, writes, atomic, clock[thread]))
            clock[thread] += 1
    return run, False


def _execute(run: _Run, thread: int, body: list[ir.Instruction]) -> Iterator[tuple[int, bool, bool]]:
    """One step of a thread (both halves of an update, a branch with what is before it): its accesses."""
    while run.positions[thread] < len(body):
        instruction = body[run.positions[thread]]
        run.positions[thread] += 1
        if isinstance(instruction, ir.Branch):
            assert isinstance(instruction.condition, ir.Op)
            tested = instruction.condition.args[0]
            assert isinstance(tested, ir.Reg)
            if run.registers[thread].get(tested.name, 0) == 0:
                run.positions[thread] = len(body)
            continue
        assert isinstance(instruction, ir.Load | ir.Store)
        assert isinstance(instruction.address, ir.Const)
        place, atomic = instruction.address.value, "A" in instruction.tags
        if isinstance(instruction, ir.Load):
            released = run.released.get(place)
            if atomic and released is not None:
                run.clocks[thread] = [max(pair) for pair in zip(run.clocks[thread], released, strict=True)]
            run.registers[thread][instruction.register or ""] = run.memory.get(place, 0)
            yield place, False, atomic
            if not instruction.link:
                return
        else:
            assert isinstance(instruction.value, ir.Const)
            run.memory[place] = instruction.value.value
            run.released.pop(place, None)
            if atomic:
                run.released[place] = list(run.clocks[thread])
            yield place, True, atomic
            return
