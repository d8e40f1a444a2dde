"""X86 and X86_64 litmus tests -> IR.

X86 writes the destination first and memory as `[x]`; X86_64 is AT&T style, destination last and memory as
`(x)`, `8(%rax,%rbx,4)`. `XCHG` with memory and everything under `LOCK` are linked read-write pairs tagged
`X`, the set of atomic accesses that x86-TSO orders like a fence. Flags are registers of their own, written
only where some instruction of the test reads them.
"""

from __future__ import annotations

import re

from treville.programs.ir import Const, Expr, Op, Reg, Select, Store
from treville.programs.litmus.assembly import PLAIN, ThreadBuilder, read_assembly
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.test import LitmusTest
from treville.programs.litmus.x86.flags import condition_of, flags_of
from treville.programs.litmus.x86.operands import (
    Immediate,
    Memory,
    Operand,
    Register,
    Registers,
    parse_operand,
    split_operands,
)
from treville.programs.operators import wrap
from treville.records import NamedTuple
from treville.results import Source

ATOMIC = frozenset(("X",))

_INSTRUCTION = re.compile(r"\s*([A-Za-z][\w.]*)\s*(.*)", re.DOTALL)
_FLAG_READER = re.compile(r"\b(?:j(?!mp\b)[a-z]+|set[a-z]+|cmov[a-z]+|adc[a-z]*|sbb[a-z]*)\b", re.IGNORECASE)
_FLAG_NAME = re.compile(r"\b[ZSCO]F\b")
_NARROW_WORD = re.compile(
    r"(?:mov[lq]?|xchg[lq]?|[msl]fence|nop\w*|p\d+|[er]?[a-d]x|[er]?[sd]i|r\d+d?|\d{1,8}|[a-z]\w?)$"
)
_WORD = re.compile(r"\w+|-")

_BINARY = {"add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "adc": "add", "sbb": "sub"}
_UNARY = frozenset(("inc", "dec", "neg", "not"))
_SHIFTS = {"shl": "shl", "sal": "shl", "shr": "lshr", "sar": "ashr"}
_FENCES = {"mfence": "MFENCE", "sfence": "SFENCE", "lfence": "LFENCE"}
_NOTHING = frozenset(("nop", "nopl", "nopw", "nopq", "endbr64", "endbr32", "pause"))
_SIZED = frozenset(
    (*_BINARY, *_UNARY, *_SHIFTS, "mov", "cmp", "test", "imul", "xchg", "uxch", "cmpxchg", "xadd", "lea")
)
_LOCKABLE = frozenset((*_BINARY, *_UNARY, "xchg", "cmpxchg", "xadd"))
_SIZES = {"b": 8, "w": 16, "l": 32, "q": 64}
_REFUSED = {
    "movnti": "non-temporal stores", "movntil": "non-temporal stores", "movntiq": "non-temporal stores",
    "movntdqa": "non-temporal loads", "clflush": "cache maintenance", "clflushopt": "cache maintenance",
    "clwb": "cache maintenance", "movsd": "string instructions", "push": "the stack", "pop": "the stack",
    "call": "calls",
}  # fmt: skip


class _Size(NamedTuple):
    mnemonic: str
    bits: int


def read(sections: Sections, source: Source) -> LitmusTest:
    """Read a test of either dialect."""
    long_mode = sections.dialect.upper() == "X86_64"
    program, conditions = sections.program.text, sections.conditions.text
    flags = bool(_FLAG_READER.search(program)) or bool(_FLAG_NAME.search(conditions))
    wide = sections.fragment or (long_mode and _may_be_wide(program + " " + sections.initial.text))
    registers = Registers(source, long_mode, wide)
    decoder = _Decoder(registers, flags, sections.fragment)
    dialect = "X86_64" if long_mode else "X86"
    return read_assembly(sections, dialect, decoder.decode, registers.namer, wide=wide)


def _may_be_wide(text: str) -> bool:
    """Might a register hold more than 31 bits? Only simple moves of small numbers are sure not to."""
    return any(_NARROW_WORD.match(word) is None for word in _WORD.findall(text.lower()))


class _Decoder:
    """Turns instructions into IR; one per test."""

    def __init__(self, registers: Registers, flags: bool, narrow: bool) -> None:
        """`narrow`: accesses may be smaller than words."""
        self.registers, self.flags, self.narrow = registers, flags, narrow
        self.long_mode = registers.long_mode

    def decode(self, builder: ThreadBuilder, text: str) -> None:
        """The decoder of `assembly.read_assembly`."""
        match = _INSTRUCTION.match(text)
        if match is None:
            raise builder.error("expected an instruction")
        word, rest = match.group(1).lower(), match.group(2)
        if word == "lock":
            inner = _INSTRUCTION.match(rest)
            if inner is None:
                raise builder.error("LOCK without an instruction")
            self.instruction(builder, inner.group(1).lower(), inner.group(2), locked=True)
        else:
            self.instruction(builder, word, rest, locked=False)

    def instruction(self, builder: ThreadBuilder, word: str, rest: str, *, locked: bool) -> None:
        """One instruction without its prefix."""
        name, bits = _size(word)
        if locked and name not in _LOCKABLE:
            raise builder.error(f"LOCK cannot stand before {word.upper()}")
        operands = split_operands(rest)
        if name == "mov":
            self.move(builder, *self.pair(builder, operands, bits))
        elif name in _FENCES:
            builder.fence(_FENCES[name])
        elif name in ("xchg", "uxch"):
            self.exchange(builder, *self.pair(builder, operands, bits))
        elif name in _BINARY or name in ("cmp", "test", "imul"):
            self.arithmetic(builder, name, *self.pair(builder, operands, bits), locked)
        elif name in _UNARY:
            self.unary(builder, name, self.one(builder, operands, bits), locked)
        elif name in _SHIFTS:
            self.shift(builder, name, operands, bits)
        elif name in ("cmpxchg", "xadd"):
            self.read_modify_write(builder, name, *self.pair(builder, operands, bits), locked)
        elif name == "lea":
            self.load_address(builder, *self.pair(builder, operands, bits))
        elif name == "jmp":
            builder.branch(self.label(builder, operands))
        elif name == "ret":
            builder.exit()
        elif name not in _NOTHING:
            self.conditional(builder, name, operands)

    # -- operands ----------------------------------------------------------------------------------

    def pair(self, builder: ThreadBuilder, texts: list[str], bits: int) -> tuple[Operand, Operand]:
        """The destination and the source, of equal width."""
        if len(texts) != 2:
            raise builder.error("expected two operands")
        first, second = (parse_operand(builder, self.registers, text) for text in texts)
        if self.long_mode:
            first, second = second, first
        bits = bits or _register_bits(first) or _register_bits(second) or _memory_bits(first, second)
        return self.sized(builder, first, bits), self.sized(builder, second, bits)

    def one(self, builder: ThreadBuilder, texts: list[str], bits: int) -> Operand:
        """The only operand."""
        if len(texts) != 1:
            raise builder.error("expected one operand")
        operand = parse_operand(builder, self.registers, texts[0])
        return self.sized(builder, operand, bits or _register_bits(operand) or _memory_bits(operand))

    def sized(self, builder: ThreadBuilder, operand: Operand, bits: int) -> Operand:
        """The operand at the width of the instruction; a cell of another width is a mixed-size access."""
        bits = bits or 32
        if isinstance(operand, Immediate):
            return Immediate(wrap(operand.value, bits))
        if isinstance(operand, Memory):
            if (bits < 32 and not self.narrow) or (operand.cell_bits and operand.cell_bits != bits):
                raise builder.unsupported(f"mixed-size accesses ({bits} bits of a wider or narrower cell)")
            return operand._replace(bits=bits)
        if operand.bits != bits:
            raise builder.error(f"{operand.name} has {operand.bits} bits, the instruction has {bits}")
        return operand

    def label(self, builder: ThreadBuilder, texts: list[str]) -> str:
        """The target of a jump."""
        if len(texts) != 1 or not re.fullmatch(r"[A-Za-z_.$][\w.$]*", texts[0]):
            raise builder.error("expected a label")
        return texts[0]

    def fetch(self, builder: ThreadBuilder, operand: Operand, tags: frozenset[str], link: bool) -> Expr:
        """The operand's value; reads memory where needed."""
        if isinstance(operand, Immediate):
            return Const(operand.value)
        if isinstance(operand, Register):
            return self.registers.value(operand)
        fresh = builder.fresh("loaded")
        builder.load(fresh, operand.address, tags, operand.bits, link=link)
        return Reg(fresh)

    def put(
        self,
        builder: ThreadBuilder,
        operand: Operand,
        value: Expr,
        tags: frozenset[str] = PLAIN,
        link: bool = False,
    ) -> None:
        """Assign to a register or to memory."""
        if isinstance(operand, Memory):
            builder.store(operand.address, value, tags, operand.bits, link=link)
        elif isinstance(operand, Register):
            builder.local(operand.name, self.registers.updated(operand, value))
        else:
            raise builder.error("a number cannot be assigned to")

    # -- instructions ------------------------------------------------------------------------------

    def move(self, builder: ThreadBuilder, destination: Operand, source: Operand) -> None:
        """`MOV`: a load, a store, or a register transfer."""
        if isinstance(destination, Memory) and isinstance(source, Memory):
            raise builder.error("MOV has at most one operand in memory")
        if (
            isinstance(source, Memory)
            and isinstance(destination, Register)
            and self.registers.plain(destination)
        ):
            builder.load(destination.name, source.address, PLAIN, source.bits)
        else:
            self.put(builder, destination, self.fetch(builder, source, PLAIN, link=False))

    def exchange(self, builder: ThreadBuilder, first: Operand, second: Operand) -> None:
        """`XCHG`: atomic when one side is memory, with or without `LOCK`."""
        if isinstance(first, Memory):
            first, second = second, first
        if not isinstance(first, Register) or isinstance(second, Immediate):
            raise builder.error("XCHG needs a register and a register or memory")
        old = self.fetch(builder, second, ATOMIC, link=True)
        if isinstance(second, Register):
            builder.local(kept := builder.fresh("kept"), old)
            old = Reg(kept)
        self.put(builder, second, self.registers.value(first), ATOMIC, link=True)
        self.put(builder, first, old)

    def arithmetic(
        self, builder: ThreadBuilder, name: str, destination: Operand, source: Operand, locked: bool
    ) -> None:
        """Two-operand arithmetic and comparisons."""
        bits = _bits(destination, source)
        tags = self.atomicity(builder, destination, locked)
        left = self.fetch(builder, destination, tags, locked)
        right = self.fetch(builder, source, PLAIN, link=False)
        if name in ("cmp", "test"):
            operator = "sub" if name == "cmp" else "and"
            self.set_flags(builder, operator, left, right, Op(operator, (left, right), bits), bits)
            return
        added = Op("add", (right, Reg("CF")), bits) if name in ("adc", "sbb") else right
        operator = _BINARY.get(name, "mul")
        result = self.keep(builder, Op(operator, (left, added), bits))
        if self.flags:
            left = self.keep(builder, left)
        self.put(builder, destination, result, tags, locked)
        self.set_flags(builder, operator, left, added, result, bits)

    def unary(self, builder: ThreadBuilder, name: str, operand: Operand, locked: bool) -> None:
        """`INC`, `DEC`, `NEG`, `NOT`."""
        bits = _bits(operand)
        tags = self.atomicity(builder, operand, locked)
        old = self.fetch(builder, operand, tags, locked)
        if name in ("inc", "dec"):
            result: Expr = Op("add" if name == "inc" else "sub", (old, Const(1)), bits)
        else:
            result = Op(name, (old,), bits)
        result = self.keep(builder, result)
        if self.flags and name == "neg":
            old = self.keep(builder, old)
        self.put(builder, operand, result, tags, locked)
        if name == "neg":
            self.set_flags(builder, "sub", Const(0), old, result, bits)
        elif name != "not":
            self.set_flags(builder, name, old, Const(1), result, bits)

    def shift(self, builder: ThreadBuilder, name: str, texts: list[str], bits: int) -> None:
        """`SHL` and its kind, by a number or by CL; by one where no count is given."""
        if len(texts) == 1:
            texts = ["$1", texts[0]] if self.long_mode else [texts[0], "$1"]
        if len(texts) != 2:
            raise builder.error("expected two operands")
        where, count_text = (texts[1], texts[0]) if self.long_mode else (texts[0], texts[1])
        operand = self.one(builder, [where], bits)
        bits = _bits(operand)
        counted = parse_operand(builder, self.registers, count_text)
        if isinstance(counted, Memory):
            raise builder.error("a shift is by a number or by CL")
        mask = Const(63 if bits == 64 else 31)
        count: Expr = Op("and", (self.fetch(builder, counted, PLAIN, link=False), mask), bits)
        if isinstance(counted, Immediate):
            count = Const(counted.value & mask.value)
        old = self.fetch(builder, operand, PLAIN, link=False)
        result = self.keep(builder, Op(_SHIFTS[name], (old, count), bits))
        self.put(builder, operand, result)
        self.set_flags(builder, "and", result, result, result, bits)

    def read_modify_write(
        self, builder: ThreadBuilder, name: str, destination: Operand, source: Operand, locked: bool
    ) -> None:
        """`XADD` and `CMPXCHG`; the latter writes only when it succeeds."""
        if isinstance(source, Memory):
            destination, source = source, destination
        if not isinstance(source, Register):
            raise builder.error(f"{name.upper()} needs a register")
        bits = _bits(destination, source)
        tags = self.atomicity(builder, destination, locked)
        old = self.keep(builder, self.fetch(builder, destination, tags, locked), always=True)
        if name == "xadd":
            result = self.keep(builder, Op("add", (old, self.registers.value(source)), bits))
            self.put(builder, destination, result, tags, locked)
            self.put(builder, source, old)
            self.set_flags(builder, "add", old, source_value(result, old, bits), result, bits)
            return
        accumulator = self.registers.accumulator(bits)
        expected = self.registers.value(accumulator)
        builder.local(same := builder.fresh("same"), Op("eq", (expected, old), bits))
        self.set_flags(builder, "sub", expected, old, Op("sub", (expected, old), bits), bits)
        new = self.registers.value(source)
        if isinstance(destination, Memory):
            builder.emit(Store(destination.address, new, tags, bits, locked, Reg(same)))
        else:
            self.put(builder, destination, Select(Reg(same), new, old))
        self.put(builder, accumulator, Select(Reg(same), expected, old))

    def load_address(self, builder: ThreadBuilder, destination: Operand, source: Operand) -> None:
        """`LEA`: the address itself, no access."""
        if not isinstance(source, Memory) or not isinstance(destination, Register):
            raise builder.error("LEA needs a register and an address")
        self.put(builder, destination, source.address)

    def conditional(self, builder: ThreadBuilder, name: str, operands: list[str]) -> None:
        """`Jcc`, `SETcc`, `CMOVcc`; anything else is refused."""
        if name in _REFUSED:
            raise builder.unsupported(f"{_REFUSED[name]} ('{name}')")
        if name[0] == "j" and (condition := condition_of(name[1:])) is not None:
            builder.branch(self.label(builder, operands), condition)
            return
        if name.startswith("set") and (condition := condition_of(name[3:])) is not None:
            operand = self.one(builder, operands, 0)
            if isinstance(operand, Memory):
                raise builder.unsupported(f"'{name.upper()}' of memory")
            self.put(builder, operand, condition)
            return
        if name.startswith("cmov"):
            suffix = name[4:]
            condition = condition_of(suffix) or condition_of(suffix[:-1])
            if condition is not None and suffix:
                destination, source = self.pair(builder, operands, 0)
                value = self.keep(builder, self.fetch(builder, source, PLAIN, link=False))
                old = self.fetch(builder, destination, PLAIN, link=False)
                self.put(builder, destination, Select(condition, value, old))
                return
        raise builder.unsupported(f"the instruction '{name.upper()}'")

    # -- helpers -----------------------------------------------------------------------------------

    def atomicity(self, builder: ThreadBuilder, destination: Operand, locked: bool) -> frozenset[str]:
        """The tags of the accesses to the destination; `LOCK` needs memory."""
        if locked and not isinstance(destination, Memory):
            raise builder.error("LOCK needs a destination in memory")
        return ATOMIC if locked else PLAIN

    def keep(self, builder: ThreadBuilder, value: Expr, *, always: bool = False) -> Expr:
        """The value in a register of its own, where it is needed again for flags."""
        if isinstance(value, Const) or not (self.flags or always):
            return value
        builder.local(kept := builder.fresh("kept"), value)
        return Reg(kept)

    def set_flags(
        self, builder: ThreadBuilder, operator: str, left: Expr, right: Expr, result: Expr, bits: int
    ) -> None:
        """Write ZF, SF, CF, OF as the operation on the operands sets them; INC and DEC leave CF alone."""
        if not self.flags:
            return
        for name, value in flags_of(operator, left, right, self.keep(builder, result), bits).items():
            builder.local(name, value)


def source_value(result: Expr, old: Expr, bits: int) -> Expr:
    """What was added to `old`, after the register that held it was overwritten."""
    return Op("sub", (result, old), bits)


def _size(word: str) -> _Size:
    """A mnemonic without its size suffix, and the width that the suffix means (0: none)."""
    if word in _SIZED:
        return _Size(word, 0)
    if word[-1] in _SIZES and word[:-1] in _SIZED:
        return _Size(word[:-1], _SIZES[word[-1]])
    return _Size(word, 0)


def _register_bits(operand: Operand) -> int:
    return operand.bits if isinstance(operand, Register) else 0


def _memory_bits(*operands: Operand) -> int:
    return next((o.cell_bits for o in operands if isinstance(o, Memory) and o.cell_bits), 0)


def _bits(*operands: Operand) -> int:
    return next((o.bits for o in operands if not isinstance(o, Immediate)), 32)
