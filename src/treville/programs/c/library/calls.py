"""A call being translated, and calls of functions with a body: inlined, also through pointers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.accesses import FULL_FENCE
from treville.programs.c.aggregates import leaves, registers_of
from treville.programs.c.body import Argument
from treville.programs.c.llvm import (
    GlobalName,
    LlvmInstruction,
    LocalName,
    PointerType,
    Type,
    Value,
    VoidType,
)
from treville.programs.c.unset_values import UNSET_FLAG
from treville.programs.grids import Cell
from treville.records import replace

if TYPE_CHECKING:
    from treville.programs.c.body import Body, Frame

LOCKING = frozenset({"SC", "A", "RMW"})
TRYING = frozenset({"RLX", "A", "RMW"})
SYNCHRONISING = frozenset({"SC", "A"})
RELAXED = frozenset({"RLX", "A"})
WORD = 32
ZERO, ONE = ir.Const(0), ir.Const(1)


class Call:
    """One call being translated: its arguments as expressions, and where its result goes."""

    def __init__(self, body: Body, frame: Frame, instruction: LlvmInstruction, name: str) -> None:
        self.body, self.frame, self.instruction, self.name = body, frame, instruction, name
        self.operands = instruction.operands[1:]

    def argument(self, number: int) -> ir.Expr:
        """An argument as a value."""
        return self.body.value(self.frame, *self.operands[number])

    def returns(self, value: ir.Expr) -> None:
        """The call's result."""
        if self.instruction.result is not None:
            self.body.set(self.body.name(self.frame, self.instruction), value)

    def write(self, number: int, value: ir.Expr, bits: int) -> None:
        """Store through a pointer argument, which may be private."""
        self.body.memory.write_cell(self.frame, self.operands[number], Cell(0, bits), value)

    def fence(self) -> None:
        """A full fence."""
        self.body.emit(ir.Fence(FULL_FENCE))

    def update(
        self,
        address: ir.Expr,
        new: Callable[[ir.Reg], ir.Expr],
        wait: Callable[[ir.Reg], ir.Expr],
        check: Callable[[Call, ir.Expr], None] | None = None,
    ) -> ir.Reg:
        """Atomically replace a word once `wait` holds of its value; the old value. `check` is done first."""
        old = self.load(address)
        if check is not None:
            check(self, old)
        self.body.emit(ir.Assume(wait(old), waits=True))
        self.body.emit(ir.Store(address, new(old), LOCKING, WORD, link=True))
        return old

    def update_if(self, address: ir.Expr, new: ir.Expr, free: ir.Expr) -> None:
        """Replace a word that one who is `TRYING` has loaded, if it is `free`. Only then is it a full fence:
        POSIX leaves open whether calls that fail synchronise memory."""
        busy = self.body.fresh("busy")
        self.body.emit(ir.Store(address, new, TRYING, WORD, link=True, when=free))
        self.body.emit(ir.Branch(busy, ir.Op("lnot", (free,)), until=busy))
        self.fence()
        self.body.label(busy)

    def load(self, address: ir.Expr, link: bool = True, tags: frozenset[str] | None = None) -> ir.Reg:
        """Read a synchronisation word."""
        old = ir.Reg(self.body.fresh("word"))
        own = LOCKING if link else SYNCHRONISING
        self.body.emit(ir.Load(old.name, address, tags or own, WORD, link=link))
        return old

    def nothing(self) -> None:
        """No effect; the call returns 0."""
        self.returns(ZERO)

    def store(self, address: ir.Expr, value: ir.Expr, tags: frozenset[str] = SYNCHRONISING) -> None:
        """Write a synchronisation word."""
        self.body.emit(ir.Store(address, value, tags, WORD))


Handler = Callable[[Call], None]


def call_defined(here: Call, name: str | None = None) -> None:
    """The function's body."""
    body = here.body
    function = body.translation.module.functions[name or here.name]
    named = len(function.parameters)
    if len(here.operands) < named:
        told = f"a call of {name or here.name} with too few arguments is reached"
        body.emit(ir.Assert(ZERO, told, undefined=True))
        body.emit(ir.Stop())
        return
    arguments = [body.scalars(here.frame, *operand) for operand in here.operands[:named]]
    unset = [body.unset_bits(here.frame, *operand) for operand in here.operands[:named]]
    instruction = body.here
    result = body.inline(function, arguments, here.frame.depth, _more(here, named), unset)
    body.here = instruction
    if here.instruction.result is not None:
        kind, target = here.instruction.type, body.name(here.frame, here.instruction)
        body.assign(target, kind, registers_of(result.name, kind))
        if here.instruction.result in here.frame.unset:
            given = function.name in body.translation.unset_results
            bits = [ir.Reg(each.name + UNSET_FLAG) for each in registers_of(result.name, kind)]
            body.note_unset(target, kind, bits if given else ())


def _more(here: Call, named: int) -> list[Argument]:
    """The arguments behind the named ones, scalar by scalar, as the machine passes them."""
    found = []
    for number, (kind, value) in enumerate(here.operands[named:], named + 1):
        copied = here.instruction.copied.get(number)
        scalars = here.body.scalars(here.frame, kind, value)
        kinds = [part for _, part in leaves(kind)]
        found += [Argument(*pair, copied) for pair in zip(kinds, scalars, strict=True)]
    return found


def candidates(body: Body, arguments: int) -> list[str]:
    """The functions that a pointer may mean: those of that many parameters, or of fewer (in old C `f()` takes
    any arguments, and casts make others of them)."""
    functions, taken = body.translation.module.functions, body.translation.taken
    return [n for n, function in functions.items() if n in taken and len(function.parameters) <= arguments]


def library_candidates(body: Body, arguments: int) -> list[str]:
    """The functions of others that a pointer may mean."""
    declared, taken = body.translation.module.declared, body.translation.taken
    return [
        name
        for name, known in declared.items()
        if name in taken and not known.weak
        and (known.parameters == arguments or (known.variadic and known.parameters < arguments))
    ]  # fmt: skip


def each_function(body: Body, pointer: ir.Expr, names: list[str], then: Callable[[str], None]) -> None:
    """Code that does `then` for the function that a pointer means."""
    if isinstance(pointer, ir.Const):
        meant = [name for name in names if body.translation.functions[name] == pointer.value]
        if meant:
            then(meant[0])
            return
    done = body.fresh("called")
    for name in names:
        following = body.fresh("not called")
        address = ir.Const(body.translation.functions[name])
        body.emit(ir.Branch(following, ir.Op("ne", (pointer, address), 64)))
        then(name)
        body.emit(ir.Branch(done))
        body.label(following)
    there = ir.Op("ne", (pointer, ZERO), 64)
    body.emit(ir.Assert(there, "a call through a null pointer is reached", memory=True))
    others: ir.Expr = ZERO  # of the library, of which it may be unknown what they take
    for name in sorted(body.translation.functions.keys() - {*names, *body.translation.module.functions}):
        address = ir.Const(body.translation.functions[name])
        others = ir.Select(ir.Op("eq", (pointer, address), 64), ONE, others)
    told = "a call through a pointer that is no function with such arguments is reached"
    body.emit(ir.Assert(others, told, memory=True))
    body.emit(ir.Stop(cut=True, reason="a call through a pointer that is none of the program's functions"))
    body.label(done)


def call_through_pointer(body: Body, frame: Frame, instruction: LlvmInstruction) -> None:
    """The bodies of all functions that the pointer may mean."""
    pointer = body.value(frame, *instruction.operands[0])
    here = Call(body, frame, instruction, "")
    given = len(here.operands)
    names = candidates(body, given) + library_candidates(body, given)
    each_function(body, pointer, names, lambda name: _call(here, name, here.operands))


def call_with(body: Body, frame: Frame, name: str, arguments: list[ir.Expr]) -> None:
    """A call of a function with pointers or numbers that were computed before; its result is not used."""
    operands: list[tuple[Type, Value]] = []
    for argument in arguments:
        given = body.fresh("argument")
        body.set(frame.prefix + given, argument)
        operands.append((PointerType(), LocalName(given)))
    instruction = LlvmInstruction("call", None, VoidType(), [])
    if body.here is not None:
        instruction = replace(body.here, result=None, type=VoidType(), operands=[])
    _call(Call(body, frame, instruction, ""), name, operands)


def _call(here: Call, name: str, operands: list[tuple[Type, Value]]) -> None:
    """A call of a function by its name."""
    body, callee = here.body, (PointerType(), GlobalName(name))
    named = replace(here.instruction, operands=[callee, *operands])
    before = body.here
    body.translation.call(body, here.frame, named)
    body.here = before
