"""Where accesses may go: three analyses, to measure what an alias analysis is worth (paper 004, section 4.8).

`flow` is what the analysis of values knows: registers at every instruction, memory by cell. `andersen` has
one set of addresses for each register and each cell, wherever in the program; a constant may be added to a
pointer (a member of a structure), and any other arithmetic leads to all cells of the same objects. With
`none` any access may go anywhere. Verdicts do not depend on the choice, only the size of formulas: what the
values of addresses exclude is left to the solver.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from treville.analysis.alias_names import Alias
from treville.analysis.possible import Values
from treville.events.symbolic import SymbolicProgram
from treville.programs import ir

Cells = frozenset[int]
_NOWHERE: Cells = frozenset()


def addresses_of_events(symbolic: SymbolicProgram, values: Values, alias: Alias) -> list[Cells]:
    """For each event the cells that it may access, as far as the kind of analysis can tell."""
    flow = [
        values.addresses(event) if values.possible(event.guard) else _NOWHERE for event in symbolic.events
    ]
    match alias:
        case Alias.FLOW:
            return flow
        case Alias.NONE:
            anywhere = _NOWHERE.union(*flow)
            return [anywhere if cells else cells for cells in flow]
        case Alias.ANDERSEN:
            andersen = Andersen(symbolic, values, _NOWHERE.union(*flow))
            return [
                cells | andersen.addresses(event.instruction) if cells else cells
                for cells, event in zip(flow, symbolic.events, strict=True)
            ]
        case _:
            assert_never(alias)


class Andersen:
    """Sets of addresses for registers and cells, the least ones that no instruction adds to."""

    def __init__(self, symbolic: SymbolicProgram, values: Values, cells: Cells) -> None:
        """`cells` are those that some access may go to."""
        program = symbolic.program
        self.cells = cells
        self.objects: dict[int, set[int]] = {}
        for cell in cells:
            self.objects.setdefault(_slot(cell), set()).add(cell)
        self.fresh: dict[str, set[int]] = {}  # by the name of what is allocated
        for number, (name, _) in enumerate(symbolic.objects):
            start = ir.LOCATION_BASE + (len(program.locations) + number) * ir.LOCATION_STRIDE
            self.fresh.setdefault(name, set()).add(start)
        self.bodies = [(f"{number}", thread) for number, thread in enumerate(program.threads)]
        self.bodies += [(f"function {name}", thread) for name, thread in program.functions.items()]
        self.registers: dict[tuple[str, str], set[int]] = {}
        self.memory: dict[int, set[int]] = {cell: {values.initial.get(cell, 0)} for cell in cells}
        self.body_of: dict[int, str] = {}
        self.changed = True
        for body, thread in self.bodies:
            self.body_of.update((id(instruction), body) for instruction in thread.instructions)
            for register, number in thread.registers.items():
                self._add(body, register, {number})
        while self.changed:
            self.changed = False
            for body, thread in self.bodies:
                for instruction in thread.instructions:
                    self._apply(body, instruction)

    def addresses(self, instruction: ir.Instruction) -> Cells:
        """The cells that an access may go to."""
        body, address = self.body_of.get(id(instruction)), getattr(instruction, "address", None)
        if body is None or address is None:
            return self.cells
        return self.cells & self._points_to(body, address)

    def _add(self, body: str, register: str | None, found: Iterable[int]) -> None:
        self._grow(self.registers.setdefault((body, register or ""), set()), found)

    def _grow(self, known: set[int], found: Iterable[int]) -> None:
        before = len(known)
        known.update(number for number in found if number >= ir.LOCATION_BASE)
        self.changed = self.changed or len(known) > before

    def _apply(self, body: str, instruction: ir.Instruction) -> None:
        """Let the instruction add to the sets that it changes."""
        match instruction:
            case ir.Local(register, value):
                self._add(body, register, self._points_to(body, value))
            case ir.Havoc(register, values):
                self._add(body, register, values)
            case ir.Load(register, address):
                for cell in self._points_to(body, address) & self.cells:
                    self._add(body, register, self.memory[cell])
            case ir.Store(address, value) | ir.StoreExclusive(_, address, value):
                stored = self._points_to(body, value)
                for cell in self._points_to(body, address) & self.cells:
                    self._grow(self.memory[cell], stored)
            case ir.Allocate(register):
                self._add(body, register, self.fresh.get(instruction.name, ()))
            case ir.Spawn(_, function, argument):
                self._start(f"function {function}", self._points_to(body, argument))
            case ir.ReadPrivate(register, name):
                self._add(body, register, self.registers.get((body, f"[{name}]"), ()))
            case ir.WritePrivate(name, _, value):
                self._add(body, f"[{name}]", self._points_to(body, value))
            case ir.Nondet() | ir.Fence() | ir.Free() | ir.AtomicBegin() | ir.AtomicEnd() | ir.Join():
                pass
            case ir.Branch() | ir.IndirectBranch() | ir.Assume() | ir.Assert() | ir.Stop():
                pass
            case _:
                assert_never(instruction)

    def _start(self, body: str, argument: Cells) -> None:
        started = next(thread for name, thread in self.bodies if name == body)
        self._add(body, started.parameter, argument)

    def _points_to(self, body: str, expression: ir.Expr) -> Cells:
        if isinstance(expression, ir.Const):
            return frozenset((expression.value,)) if expression.value >= ir.LOCATION_BASE else _NOWHERE
        if isinstance(expression, ir.Reg):
            return frozenset(self.registers.get((body, expression.name), ()))
        if isinstance(expression, ir.Select):
            return self._points_to(body, expression.then) | self._points_to(body, expression.otherwise)
        parts = [self._points_to(body, argument) for argument in expression.args]
        if expression.name in ("add", "sub") and isinstance(last := expression.args[1], ir.Const):
            offset = last.value if expression.name == "add" else -last.value
            if not parts[1]:
                return frozenset(number + offset for number in parts[0])
        found = _NOWHERE.union(*parts)
        return found.union(*[self.objects.get(_slot(number), set()) for number in found])


def _slot(address: int) -> int:
    return (address - ir.LOCATION_BASE) // ir.LOCATION_STRIDE
