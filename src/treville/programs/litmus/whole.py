"""A litmus test -> a whole program whose assertion fails where the condition's state is reached.

The first thread starts those of the test, joins them, looks at what the condition looks at, and asserts the
contrary (for `forall`: the condition itself). A thread writes the registers that are observed at its end to
cells that nobody else knows, which no other thread can notice.
"""

from __future__ import annotations

from typing import assert_never

from treville.programs.ir import (
    LOCATION_BASE,
    LOCATION_STRIDE,
    Assert,
    Const,
    Expr,
    Instruction,
    Join,
    Load,
    Local,
    Location,
    Op,
    Program,
    Reg,
    Spawn,
    Store,
    Thread,
)
from treville.programs.litmus.test import (
    And,
    ArrayOf,
    CellOf,
    Condition,
    Equals,
    LitmusTest,
    Not,
    Or,
    Quantifier,
    RegisterOf,
    SameValue,
)
from treville.records import replace

_WIDTH = 64


def asserting(test: LitmusTest) -> Program:
    """The test as a program of its own."""
    return _Whole(test).program()


class _Whole:
    """Makes the program of one test."""

    def __init__(self, test: LitmusTest) -> None:
        self.test = test
        self.locations = dict(test.program.locations)
        self.kept: dict[tuple[int, str], int] = {}  # where registers are kept
        self.loads: dict[int, str] = {}  # what main reads, by address

    def program(self) -> Program:
        """See `asserting`."""
        test = self.test
        condition = self._condition(test.condition)
        if test.quantifier is not Quantifier.FORALL:
            condition = Op("lnot", (condition,), 1)
        if test.filter is not None:
            dropped = Op("lnot", (self._condition(test.filter),), 1)
            condition = Op("or", (dropped, condition), 1)
        functions = {
            thread.name: self._thread(number, thread) for number, thread in enumerate(test.program.threads)
        }
        main = Thread("main", tuple(self._main(list(functions), condition)))
        return replace(test.program, threads=(main,), functions=functions, locations=self.locations)

    def _main(self, names: list[str], condition: Expr) -> list[Instruction]:
        started = [f"thread {name}" for name in names]
        code: list[Instruction] = [
            Spawn(register, name, Const(0)) for register, name in zip(started, names, strict=True)
        ]
        code += [Join(Reg(register)) for register in started]
        code += [
            Load(register, Const(address), bits=self._bits(address))
            for address, register in self.loads.items()
        ]
        reached = "another state" if self.test.quantifier is Quantifier.FORALL else "the state"
        return [*code, Assert(condition, f"{reached} of {self.test.condition_text} is reached")]

    def _thread(self, number: int, thread: Thread) -> Thread:
        first = [Local(name, Const(value)) for name, value in thread.registers.items()]
        kept = [
            Store(Const(address), Reg(register), bits=_WIDTH)
            for (owner, register), address in self.kept.items()
            if owner == number
        ]
        labels = {label: place + len(first) for label, place in thread.labels.items()}
        code = (*first, *thread.instructions, *kept)
        return replace(thread, instructions=code, labels=labels, registers={})

    # -- conditions ----------------------------------------------------------------------------------------

    def _condition(self, condition: Condition) -> Expr:
        match condition:
            case Equals(ArrayOf(addresses), values):
                numbers = values if isinstance(values, tuple) else (values,)
                parts = [
                    self._equal(self._cell(a), Const(n)) for a, n in zip(addresses, numbers, strict=True)
                ]
                return _all_of("and", parts, 1)
            case Equals(observable, value):
                assert isinstance(value, int)
                return self._equal(self._value(observable), Const(value))
            case SameValue(left, right):
                return self._equal(self._value(left), self._value(right))
            case Not(operand):
                return Op("lnot", (self._condition(operand),), 1)
            case And(operands):
                return _all_of("and", [self._condition(operand) for operand in operands], 1)
            case Or(operands):
                return _all_of("or", [self._condition(operand) for operand in operands], 0)
            case _:
                assert_never(condition)

    @staticmethod
    def _equal(left: Expr, right: Expr) -> Expr:
        return Op("eq", (left, right), _WIDTH)

    def _value(self, observable: RegisterOf | CellOf | ArrayOf) -> Expr:
        match observable:
            case RegisterOf(thread, register):
                return self._cell(self._keep(thread, register))
            case CellOf(address):
                return self._cell(address)
            case ArrayOf(addresses):
                return self._cell(addresses[0])
            case _:
                assert_never(observable)

    def _keep(self, thread: int, register: str) -> int:
        """Where a thread leaves a register."""
        if (thread, register) not in self.kept:
            name = f"{thread}:{register}"
            address = LOCATION_BASE + LOCATION_STRIDE * len(self.locations)
            self.locations[name] = Location(name, address, _WIDTH)
            self.kept[thread, register] = address
        return self.kept[thread, register]

    def _cell(self, address: int) -> Expr:
        return Reg(self.loads.setdefault(address, f"final {address}"))

    def _bits(self, address: int) -> int:
        slot = (address - LOCATION_BASE) // LOCATION_STRIDE
        return list(self.locations.values())[slot].bits


def _all_of(operator: str, parts: list[Expr], empty: int) -> Expr:
    if not parts:
        return Const(empty)
    found = parts[0]
    for part in parts[1:]:
        found = Op(operator, (found, part), 8)
    return found
