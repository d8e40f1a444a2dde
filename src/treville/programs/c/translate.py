"""`llvm.Module` -> program IR: `main` as the first thread, and one body per function that threads run.

Calls that LLVM did not inline (recursion, function pointers, atomic functions) are inlined here, recursion
up to a depth. A variable whose address never leaves its function is private: its cells behave like registers.
Library functions are in `library`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.accesses import PLAIN, THREAD_LOCAL
from treville.programs.c.address_numbers import TOLD, looks_at_numbers
from treville.programs.c.assembly.dialects import dialect_for
from treville.programs.c.blocks import with_flat_blocks
from treville.programs.c.body import Body, Frame, bits_of
from treville.programs.c.constants import Pointers
from treville.programs.c.escaping import THREAD_LOCALS, outliving_locals
from treville.programs.c.inner_arrays import InnerArrays
from treville.programs.c.library import call
from treville.programs.c.library.clocks import start_clock
from treville.programs.c.library.ending import run_at_exit, runs_at_exit
from treville.programs.c.library.heap import resizes_objects
from treville.programs.c.library.lock_states import computes_locks, destroys_conditions, destroys_locks
from treville.programs.c.library.mutexes import has_owned_mutexes
from treville.programs.c.library.static_locks import is_apples, without_mark
from treville.programs.c.library.threads import RESULT, ThreadData, await_number, end_thread, start_thread
from treville.programs.c.llvm import (
    Aggregate,
    ArrayType,
    ConstantExpression,
    Function,
    GlobalName,
    IntType,
    LlvmInstruction,
    Module,
    Number,
    Opaque,
    OtherType,
    PointerType,
    StructType,
    Type,
    Value,
    Zero,
    scalars,
    size_of,
    struct_offsets,
    taken_functions,
    templates,
)
from treville.programs.c.loop_bounds import annotated_bounds
from treville.programs.c.private import shared_thread_locals
from treville.programs.c.sources import header_lines
from treville.programs.cells import with_one_width_per_cell
from treville.programs.draft import ProgramDraft
from treville.programs.grids import padded
from treville.programs.ir import plus
from treville.programs.known_contents import with_known_contents
from treville.programs.operators import wrap
from treville.programs.rotation import with_tests_behind
from treville.programs.taken_apart import with_numbers_taken_apart
from treville.records import replace
from treville.results import InputError, Notice, Span, Unsupported
from treville.results.defaults import BOUND

if TYPE_CHECKING:
    from treville.programs.c.sandbox import Sandbox

FUNCTION_BASE = 0x2000_0000
FUNCTION_STEP = 0x10
LARGEST_UNDEFINED = 64  # cells of a variable that no file defines
MOST_NAMED_ELEMENTS = 1000
_SAME_ADDRESS = ("ptrtoint", "inttoptr", "bitcast", "addrspacecast")


class Translation:
    """The state shared by all threads of a program."""

    def __init__(
        self,
        module: Module,
        source: list[str],
        recursion: int,
        signals: bool = False,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.module = module
        self.sources = {module.file: source} if source else {}
        self.sandbox = sandbox
        self.recursion = recursion
        self.signals = signals
        self.program = ProgramDraft()
        functions = [*module.functions, *(name for name, known in module.declared.items() if not known.weak)]
        self.functions = {name: FUNCTION_BASE + FUNCTION_STEP * i for i, name in enumerate(functions)}
        self.pending: list[str] = []
        self.undefined: set[str] = set()  # functions that are called and defined nowhere
        self.hides_writes = False  # is one of them given a pointer?
        self.taken = taken_functions(module)
        self.assembly_dialect = dialect_for(module.target or "x86_64", templates(module))
        self.runs_at_exit = runs_at_exit(module)
        self.registered: list[list[ir.Expr]] = []  # functions given to atexit, with the object of each
        self.resizes = resizes_objects(module)
        self.owned_mutexes = has_owned_mutexes(module)
        self.own_objects = shared_thread_locals(module)
        self.pointers = Pointers(module)
        self.inner_arrays = InnerArrays(module)
        self.destroys_conditions = destroys_conditions(module)
        self.destroys_locks = destroys_locks(module)
        self.computes_locks = computes_locks(module)
        self.outliving = outliving_locals(module)
        self.unset, self.unset_results = module.unset, module.unset_results
        self.threads = ThreadData(module, self.taken)
        for name in self.pointers.kept:
            self.program.location(name)
        for name in self.pointers.kept:
            self._allocate(name, module.globals[name].type, module.globals[name].initial)
        for name, variable in module.globals.items():
            unnamed = name.startswith(("llvm.", ".str", "__func__", "__PRETTY"))
            if not variable.thread_local and not variable.weak and not unnamed:
                self._allocate(name, variable.type, variable.initial)

    def run(self) -> ir.Program:
        """Translate `main` and every function that a thread runs."""
        main = self.module.functions.get("main")
        if main is None:
            raise InputError("the program has no function 'main'")
        body = Body(self, "main")
        self._start_thread(body)
        self._fill_undefined(body)
        for name in self._run_by_loader("llvm.global_ctors"):
            body.inline(self.module.functions[name], [], {})
        body.inline(main, self._arguments(len(main.parameters)), {})
        run_at_exit(body, self._run_by_loader("llvm.global_dtors")[::-1])
        body.label("end of thread")
        self.program.threads.append(body.thread)
        while self.pending:
            self._thread_function(self.pending.pop(0))
        bounds, unused = annotated_bounds(self.module, lambda instruction: self.place(instruction)[0])
        self.program.notices += unused
        for instruction in (each for f in self.module.functions.values() for each in looks_at_numbers(f)):
            self.program.notices.append(Notice(TOLD, self.place(instruction)[0]))
        program = replace(self.program.finished(), loop_bounds=bounds)
        return program.rewritten(_looking_away) if self.hides_writes else program

    def _run_by_loader(self, table: str) -> list[str]:
        """The functions that run before `main` or behind it, by priority."""
        variable = self.module.globals.get(table)
        found: list[tuple[int, str]] = []
        rows = variable.initial if variable is not None else None
        for _, row in rows.items if isinstance(rows, Aggregate) else ():
            priority, function = (item for _, item in row.items[:2]) if isinstance(row, Aggregate) else (0, 0)
            if not isinstance(priority, Number) or not isinstance(function, GlobalName):
                raise Unsupported(f"functions of {table} that are not known")
            if function.name not in self.module.functions:
                raise Unsupported(f"{function.name}, which runs by itself and is defined nowhere")
            found.append((priority.value or 0, function.name))
        return [name for _, name in sorted(found, key=lambda each: each[0])]

    def _arguments(self, count: int) -> list[ir.Expr]:
        """The program is run without arguments: only its name, which is empty."""
        if count < 2:
            return [ir.Const(1)] * count
        name = self.program.location("program name")
        name.bits, name.parts = 8, ((0, 8, 0),)
        vector = self.program.location("argv")
        vector.parts = ((0, 64, name.address), (8, 64, 0))
        return [ir.Const(1), ir.Const(vector.address), *[ir.Const(0)] * (count - 2)]

    def note_undefined(self, name: str, instruction: LlvmInstruction) -> None:
        """Tell users what is assumed of a function that is defined nowhere, where it is first called."""
        given = [value for kind, value in instruction.operands[1:] if isinstance(kind, PointerType)]
        self.hides_writes |= bool(given)
        if name not in self.undefined:
            self.undefined.add(name)
            sentence = f"{name} is defined nowhere: it may return anything, and is assumed to write nothing"
            if any(value != Number(0) and self.text_of(value) is None for value in given):
                sentence += ", not even what it gets pointers to: define it if it does"
            self.program.notices.append(Notice(sentence, self.place(instruction)[0]))

    def thread_function(self, name: str) -> None:
        """Make sure that the body of a function that a thread runs is translated."""
        if name not in self.program.functions and name not in self.pending:
            self.pending.append(name)

    def _thread_function(self, name: str) -> None:
        function = self.module.functions[name]
        body = Body(self, name)
        body.thread.parameter = "argument"
        self.program.functions[name] = body.thread
        self._start_thread(body)
        await_number(body)
        body.set(RESULT, body.inline(function, [ir.Reg("argument")], {}))
        ends_early = "end of thread" in body.thread.labels
        body.label("end of thread")
        own = sorted(THREAD_LOCAL + name for name in self.outliving[THREAD_LOCALS])
        body.end_locals([*(body.ending if ends_early else ()), *own])
        end_thread(body)

    def _start_thread(self, body: Body) -> None:
        """Every thread has its own copy of thread-local variables."""
        for name, variable in self.module.globals.items():
            if variable.thread_local:
                cells = _padded(self._initial(variable.type, variable.initial), size_of(variable.type))
                self._make_own(body, name, cells)
        start_thread(body)
        start_clock(body)

    def _make_own(self, body: Body, name: str, cells: tuple[tuple[int, int, int], ...]) -> None:
        """A thread's copy of a variable: private, unless its address is taken."""
        own = THREAD_LOCAL + name
        if name in self.own_objects:
            size = ir.Const(size_of(self.module.globals[name].type))
            layout = tuple((offset, bits) for offset, bits, _ in cells)
            body.emit(ir.Allocate(own, size, name, zeroed=True, cells=layout))
        for offset, bits, value in cells:
            if name not in self.own_objects:
                body.emit(ir.WritePrivate(own, ir.Const(offset), ir.Const(value), bits))
            elif value:
                body.emit(ir.Store(plus(ir.Reg(own), offset), ir.Const(value), PLAIN, bits))

    def _fill_undefined(self, body: Body) -> None:
        """Variables that no file defines hold any numbers at first."""
        for name, variable in self.module.globals.items():
            if variable.initial is not None or variable.thread_local or variable.weak:
                continue
            location = self.program.locations[name]
            if not 0 < len(location.parts) <= LARGEST_UNDEFINED:
                raise Unsupported(
                    f"the variable {name}, which is defined nowhere", None, "define it in the program"
                )
            for offset, bits, _ in location.parts:
                number = f"{name}+{offset} at first"
                body.emit(ir.Nondet(number, bits))
                body.emit(ir.Store(ir.Const(location.address + offset), ir.Reg(number), PLAIN, bits))

    def place(self, instruction: LlvmInstruction) -> tuple[Span | None, str]:
        """Where an instruction comes from, and its source line."""
        if not instruction.line:
            return None, instruction.text
        lines = self._lines(instruction.file)
        text = lines[instruction.line - 1] if instruction.line <= len(lines) else ""
        return Span(instruction.file, instruction.line, max(1, instruction.column), 1, text), text.strip()

    def _lines(self, file: str) -> list[str]:
        """The lines of the program's file, or of a header."""
        if file not in self.sources:
            self.sources[file] = header_lines(file, self.sandbox)
        return self.sources[file]

    def call(self, body: Body, frame: Frame, instruction: LlvmInstruction) -> None:
        """Translate a call: a library function, an inlined function, or a pointer to some function."""
        call(body, frame, instruction)

    def text_of(self, value: Value) -> str | None:
        """The string that a constant pointer means."""
        variable = self.module.globals.get(value.name) if isinstance(value, GlobalName) else None
        if variable is None or not variable.constant or not isinstance(variable.initial, Aggregate):
            return None
        numbers = [item.value or 0 for _, item in variable.initial.items if isinstance(item, Number)]
        return bytes(number & 255 for number in numbers).split(b"\0")[0].decode(errors="replace")

    # -- constants and globals -------------------------------------------------------------------------

    def thread_local_place(self, value: Value) -> tuple[str, ir.Expr] | None:
        """The private object of a thread-local variable that an address operand means."""
        name, offset = self._base_and_offset(value)
        variable = self.module.globals.get(name)
        if variable is not None and variable.thread_local and name not in self.own_objects:
            return THREAD_LOCAL + name, ir.Const(offset)
        return None

    def own_object(self, value: Value) -> ir.Expr | None:
        """An address in a thread-local variable that has to be an object: in the thread's own copy."""
        name, offset = self._base_and_offset(value)
        return plus(ir.Reg(THREAD_LOCAL + name), offset) if name in self.own_objects else None

    def _base_and_offset(self, value: Value) -> tuple[str, int]:
        if isinstance(value, GlobalName):
            return value.name, 0
        if isinstance(value, ConstantExpression) and value.op in (*_SAME_ADDRESS, "getelementptr"):
            name, offset = self._base_and_offset(value.args[0][1])
            return name, offset + (self._constant_offset(value) if value.op == "getelementptr" else 0)
        return "", 0

    def constant(self, kind: Type, value: Value) -> int:
        """The number that a constant is; an undefined value is 0."""
        if isinstance(value, Number):
            bits = kind.bits if isinstance(kind, IntType) else 64
            return wrap(value.value or 0, bits) if bits > 1 else (value.value or 0) & 1
        if isinstance(value, Zero):
            return 0
        if isinstance(value, GlobalName):
            return self._address(value.name)
        if isinstance(value, ConstantExpression):
            return self._constant_expression(kind, value)
        if isinstance(value, Opaque) and isinstance(kind, OtherType):
            return _float_bits(kind.text, value.text)
        raise Unsupported(f"the {value.text} as a value" if isinstance(value, Opaque) else "this constant")

    def _address(self, name: str) -> int:
        if name in self.functions:
            return self.functions[name]
        if name in self.program.locations:
            return self.program.locations[name].address
        if name in self.module.globals:
            variable = self.module.globals[name]
            if variable.thread_local:
                raise Unsupported(f"the address of the thread-local variable {name}")
            return 0 if variable.weak else self._allocate(name, variable.type, variable.initial)
        if name in self.module.declared:
            return 0  # weak, and nobody defines it
        raise Unsupported(f"the address of {name}")

    def writes_no_constant(self, function: Function, pointer: Value, address: ir.Expr) -> ir.Expr:
        """Whether what is at a pointer may be written: constants are next to each other."""
        constant = self.pointers.constant_behind(function, pointer)
        if constant is not None:
            return ir.Const(int(not constant))
        size = ir.Const(ir.LOCATION_STRIDE * len(self.pointers.kept))
        inside = ir.Op("sub", (address, ir.Const(ir.LOCATION_BASE)), 64)
        return ir.Op("uge", (inside, size), 64) if self.pointers.kept else ir.Const(1)

    def _constant_expression(self, kind: Type, value: ConstantExpression) -> int:
        numbers = [self.constant(*arg) for arg in value.args]
        if value.op == "getelementptr":
            return numbers[0] + self._constant_offset(value)
        if value.op in ("ptrtoint", "inttoptr", "bitcast", "trunc", "addrspacecast"):
            return wrap(numbers[0], kind.bits) if isinstance(kind, IntType) else numbers[0]
        if value.op in ("add", "sub"):
            return numbers[0] + (numbers[1] if value.op == "add" else -numbers[1])
        raise Unsupported(f"the constant expression '{value.op}'")

    def _constant_offset(self, value: ConstantExpression) -> int:
        kind: Type = value.source_type or PointerType()
        offset = 0
        for number, (index_type, index) in enumerate(value.args[1:]):
            at = self.constant(index_type, index)
            if number and isinstance(kind, StructType):
                offset += struct_offsets(kind)[at]
                kind = kind.fields[at]
                continue
            if number and isinstance(kind, ArrayType):
                kind = kind.element
            offset += at * size_of(kind)
        return offset

    def _allocate(self, name: str, kind: Type, initial: Value | None) -> int:
        location = self.program.location(name)
        if size_of(kind) > ir.LOCATION_STRIDE:
            raise Unsupported(f"the variable {name} of {size_of(kind)} bytes")
        location.initial = []
        location.parts = ()  # its address may be needed by its own initial value
        location.names = dict(_cell_names(kind))
        try:
            location.parts = _padded(self._initial(kind, initial), size_of(kind))
        except Unsupported as error:
            raise Unsupported(f"the variable {name}: {error.message}") from None
        return location.address

    def _initial(self, kind: Type, value: Value | None, offset: int = 0) -> list[tuple[int, int, int]]:
        """(offset, bits, initial value) of every scalar of a variable."""
        value = without_mark(kind, value) if is_apples(self.module) else value
        if isinstance(value, Aggregate) and isinstance(kind, (ArrayType, StructType)):
            places = self._places(kind)
            return [
                part
                for (item_type, item), at in zip(value.items, places, strict=False)
                for part in self._initial(item_type, item, offset + at)
            ]
        parts = []
        for at, part in scalars(kind, offset):
            if isinstance(part, (IntType, PointerType, OtherType)) and size_of(part):
                number = 0 if value is None or isinstance(value, Zero) else self.constant(part, value)
                parts.append((at, bits_of(part) if bits_of(part) > 1 else 8, number))
        return parts

    def _places(self, kind: ArrayType | StructType) -> list[int]:
        if isinstance(kind, StructType):
            return struct_offsets(kind)
        return [i * size_of(kind.element) for i in range(kind.length)]


def _float_bits(kind: str, text: str) -> int:
    """A floating-point constant as a number of its bits; LLVM writes some of them as those of a double."""
    try:
        number = struct.unpack("<d", int(text, 16).to_bytes(8, "little"))[0] if "x" in text else float(text)
        return int.from_bytes(struct.pack("<f" if kind == "float" else "<d", number), "little", signed=True)
    except (ValueError, OverflowError, struct.error):
        raise Unsupported(f"the floating-point constant {text}") from None


def _cell_names(kind: Type, offset: int = 0, name: str = "") -> Iterator[tuple[int, str]]:
    """The elements of arrays by index; members of structs have no names in LLVM, only offsets."""
    if isinstance(kind, ArrayType) and kind.length <= MOST_NAMED_ELEMENTS:
        for number in range(kind.length):
            at = offset + number * size_of(kind.element)
            yield from _cell_names(kind.element, at, f"{name}[{number}]")
    elif isinstance(kind, StructType):
        for start, member in zip(struct_offsets(kind), kind.fields, strict=False):
            inner = f"{name}+{start}" if start else name
            yield from _cell_names(member, offset + start, inner)
    elif name:
        yield offset, name


def _looking_away(thread: ir.Thread) -> ir.Thread:
    """The code where no read is wrong because nobody wrote there: a function that is not known may have."""

    def looking_away(instruction: ir.Instruction) -> ir.Instruction:
        if isinstance(instruction, ir.Load):
            return replace(instruction, blind=True, unset="")
        return replace(instruction, unset=None) if isinstance(instruction, ir.Store) else instruction

    return replace(thread, instructions=tuple(map(looking_away, thread.instructions)))


def _padded(cells: list[tuple[int, int, int]], size: int) -> tuple[tuple[int, int, int], ...]:
    """Cells for the bytes between members too: a copy of a struct takes them along."""
    values = {offset: value for offset, _, value in cells}
    whole = padded([(offset, bits) for offset, bits, _ in cells], size)
    return tuple((offset, bits, values.get(offset, 0)) for offset, bits, _ in whole)


def translate(
    module: Module,
    source: list[str],
    recursion: int = BOUND,
    signals: bool = False,
    sandbox: Sandbox | None = None,
) -> ir.Program:
    """The IR of a module; `source` are the lines of the C file, for people, who see lines of other files that
    a sandbox allows."""
    program = Translation(module, source, recursion, signals, sandbox).run()
    whole = with_known_contents(with_one_width_per_cell(with_flat_blocks(program)))
    return with_tests_behind(with_numbers_taken_apart(whole))
