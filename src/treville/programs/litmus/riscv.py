"""RISC-V litmus tests -> IR (RV64IMA and the `lw.aq`/`sw.rl` pseudo forms of the RVWMO litmus suite).

Each instruction's text is translated once into a function that adds its IR to a thread, and that function
is kept, since whole suites consist of few different lines. Event tags are the set names of riscv.cat: `Acq`,
`Rel`, `AcqRel` for annotations, `X` for AMOs, `EX` for load-reserved and store-conditional, `Fence.rw.w` and the
like for fences. An AMO is a linked load and store that both carry all its annotations; the model treats the
two halves as the one event they are (RISC-V manual, chapter on RVWMO).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from treville.programs.ir import Const, Expr, Load, Op, Program, Reg, StoreExclusive, Thread
from treville.programs.litmus.assembly import ThreadBuilder, split_table
from treville.programs.litmus.condition import read_conditions
from treville.programs.litmus.initial import CODE_BASE, RegisterNamer, apply_initial, read_initial
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.observation import Observation
from treville.programs.litmus.riscv_names import register_name
from treville.programs.litmus.test import LitmusTest
from treville.results import InputError, Source, Unsupported

Emit: TypeAlias = Callable[[ThreadBuilder], None]


class Compiled(NamedTuple):
    """One instruction's text, ready to be added to threads. `wide`: it can make values that do not fit into
    a non-negative `int`."""

    emit: Emit
    wide: bool = False


class BadOperands(Exception):
    """The operands do not fit the instruction; carries what was expected."""


_TEXT = re.compile(r"([A-Za-z][\w.]*)\s*(.*)$", re.DOTALL)
_MEMORY = re.compile(r"(-?(?:0[xX][0-9a-fA-F]+|\d+))?\s*\(\s*(\w+)\s*\)$")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)$")
_LABEL = re.compile(r"[A-Za-z_.$][\w.$]*$")
_ZERO = Const(0)
_KEPT: dict[str, Compiled] = {}
_MOST_KEPT = 20_000


def read(sections: Sections, source: Source) -> LitmusTest:
    """The test of a file whose dialect is RISCV."""
    columns = split_table(sections)
    program = Program([Thread(name) for name, _ in columns])
    namer = _namer(sections)
    types = apply_initial(sections, program, read_initial(sections), namer)
    wide = has_wide_values(program)
    for thread, (_, lines) in zip(program.threads, columns, strict=True):
        builder = ThreadBuilder(sections, program, thread)
        for line in lines:
            builder.place(line)
            if line.text:
                compiled = _KEPT.get(line.text) or _compile(builder, line.text)
                compiled.emit(builder)
                wide = wide or compiled.wide
        builder.finish()
    return read_conditions(sections, program, "RISCV", namer, Observation(program, types, cast=wide))


def has_wide_values(program: Program) -> bool:
    """Does the initial state hold numbers that are no non-negative `int`?"""
    for thread in program.threads:
        for value in thread.registers.values():
            if not 0 <= value < 1 << 31:
                return True
    return any(
        not 0 <= value < 1 << 31 for location in program.locations.values() for value in location.initial
    )


def _namer(sections: Sections) -> RegisterNamer:
    def name(_thread: int, written: str, offset: int) -> tuple[str, str]:
        found = register_name(written)
        if found is None:
            hint = "x0 to x31, a0, t1, s2, ..."
            raise sections.error(f"unknown RISC-V register '{written}'", offset, len(written), hint)
        return found, found

    return name


def _compile(builder: ThreadBuilder, text: str) -> Compiled:
    match = _TEXT.match(text)
    if match is None:
        raise builder.error("expected an instruction")
    mnemonic = match.group(1).lower()
    rest = match.group(2).strip()
    operands = [word.strip() for word in rest.split(",")] if rest else []
    handler = _HANDLERS.get(mnemonic)
    if handler is None:
        raise Unsupported(f"the RISC-V instruction '{mnemonic}'", builder.span)
    try:
        compiled = handler(operands)
    except BadOperands as problem:
        raise InputError(f"{mnemonic}: expected {problem}", builder.span) from None
    if len(_KEPT) < _MOST_KEPT:
        _KEPT[text] = compiled
    return compiled


# -- operands --------------------------------------------------------------------------------------


def _take(operands: list[str], count: int, shape: str) -> list[str]:
    if len(operands) != count:
        raise BadOperands(shape)
    return operands


def _register(word: str) -> str:
    name = register_name(word)
    if name is None:
        raise BadOperands(f"a register instead of '{word}'")
    return name


def _source(word: str) -> Expr:
    name = _register(word)
    return _ZERO if name == "x0" else Reg(name)


def _number(word: str) -> int:
    if not _NUMBER.match(word) or len(word) > 40:
        raise BadOperands(f"a number instead of '{word}'")
    return int(word, 16 if "x" in word.lower() else 10)


def _label(word: str) -> str:
    if not _LABEL.match(word):
        raise BadOperands(f"a label instead of '{word}'")
    return word


def _address(word: str) -> tuple[Expr, str]:
    """`8(x6)` or `(x6)`: the address and the base register."""
    match = _MEMORY.match(word)
    if match is None:
        raise BadOperands(f"an address like 0(x6) instead of '{word}'")
    base = _source(match.group(2))
    offset = _number(match.group(1)) if match.group(1) else 0
    return (base if offset == 0 else Op("add", (base, Const(offset)))), _register(match.group(2))


# -- computing -------------------------------------------------------------------------------------


def _assign(target: str, value: Expr, wide: bool) -> Compiled:
    if target == "x0":
        return Compiled(lambda builder: None, False)
    return Compiled(lambda builder: builder.local(target, value), wide)


def _binary(build: Callable[[Expr, Expr], Expr], wide: bool) -> Callable[[list[str]], Compiled]:
    def handler(operands: list[str]) -> Compiled:
        target, left, right = _take(operands, 3, "three registers")
        return _assign(_register(target), build(_source(left), _source(right)), wide)

    return handler


def _immediate(build: Callable[[Expr, Expr], Expr], wide: bool) -> Callable[[list[str]], Compiled]:
    def handler(operands: list[str]) -> Compiled:
        target, left, right = _take(operands, 3, "two registers and a number")
        number = _number(right)
        source = _source(left)
        large = wide or not 0 <= number < 1 << 11
        if source == _ZERO and build in _KEEPING:
            return _assign(_register(target), Const(number), large)
        return _assign(_register(target), build(source, Const(number)), large)

    return handler


def _unary(build: Callable[[Expr], Expr], wide: bool) -> Callable[[list[str]], Compiled]:
    def handler(operands: list[str]) -> Compiled:
        target, source = _take(operands, 2, "two registers")
        return _assign(_register(target), build(_source(source)), wide)

    return handler


def _op(name: str, bits: int = 64) -> Callable[[Expr, Expr], Expr]:
    return lambda left, right: Op(name, (left, right), bits)


def _shift(name: str, bits: int) -> Callable[[Expr, Expr], Expr]:
    def build(left: Expr, right: Expr) -> Expr:
        if isinstance(right, Const):
            return Op(name, (left, Const(right.value & (bits - 1))), bits)
        return Op(name, (left, Op("and", (right, Const(bits - 1)))), bits)

    return build


def _quotient(name: str, bits: int) -> Callable[[Expr, Expr], Expr]:
    """Division by zero gives all ones on RISC-V, and 0 by the IR's operator."""

    def build(left: Expr, right: Expr) -> Expr:
        all_ones = Op("neg", (Op("eq", (right, _ZERO), bits),), bits)
        return Op("or", (Op(name, (left, right), bits), all_ones), bits)

    return build


def _load_immediate(operands: list[str]) -> Compiled:
    target, number = _take(operands, 2, "a register and a number")
    value = _number(number)
    return _assign(_register(target), Const(value), not 0 <= value < 1 << 31)


def _load_upper(operands: list[str]) -> Compiled:
    target, number = _take(operands, 2, "a register and a number")
    return _assign(_register(target), Op("sext", (Const(_number(number) << 12),), 32), True)


def _add_upper_to_counter(operands: list[str]) -> Compiled:
    target, number = _take(operands, 2, "a register and a number")
    name, offset = _register(target), _number(number) << 12

    def emit(builder: ThreadBuilder) -> None:
        builder.local(name, Const(CODE_BASE + 4 * builder.index + offset))

    return Compiled(emit if name != "x0" else lambda builder: None, True)


def _nothing(operands: list[str]) -> Compiled:
    _take(operands, 0, "no operands")
    return Compiled(lambda builder: None)


# -- branches and fences ---------------------------------------------------------------------------


def _branch(name: str, swapped: bool = False) -> Callable[[list[str]], Compiled]:
    def handler(operands: list[str]) -> Compiled:
        left, right, target = _take(operands, 3, "two registers and a label")
        pair = (_source(right), _source(left)) if swapped else (_source(left), _source(right))
        return _branching(Op(name, pair), _label(target))

    return handler


def _branch_zero(name: str, swapped: bool = False) -> Callable[[list[str]], Compiled]:
    def handler(operands: list[str]) -> Compiled:
        word, target = _take(operands, 2, "a register and a label")
        pair = (_ZERO, _source(word)) if swapped else (_source(word), _ZERO)
        return _branching(Op(name, pair), _label(target))

    return handler


def _branching(condition: Expr, target: str) -> Compiled:
    return Compiled(lambda builder: builder.branch(target, condition))


def _jump(operands: list[str]) -> Compiled:
    if len(operands) == 2 and _register(operands[0]) != "x0":
        raise BadOperands("a jump that links nothing (jal x0,label)")
    if len(operands) not in (1, 2):
        raise BadOperands("a label")
    target = _label(operands[-1])
    return Compiled(lambda builder: builder.branch(target))


def _fence(operands: list[str]) -> Compiled:
    before, after = operands if len(operands) == 2 else ("rw", "rw")
    if len(operands) not in (0, 2):
        raise BadOperands("what comes before and what comes after (fence rw,w)")
    tag = f"Fence.{_accesses(before)}.{_accesses(after)}"
    if ".." in tag or tag.endswith("."):
        return Compiled(lambda builder: None)  # orders input and output only
    return Compiled(lambda builder: builder.fence(tag))


def _accesses(word: str) -> str:
    """The memory accesses of a fence's operand: `iorw` -> `rw`."""
    lowered = word.lower()
    if not lowered or set(lowered) - set("iorw"):
        raise BadOperands(f"a set of i, o, r, w instead of '{word}'")
    return "".join(letter for letter in "rw" if letter in lowered)


def _simple_fence(tag: str) -> Callable[[list[str]], Compiled]:
    def handler(operands: list[str]) -> Compiled:
        _take(operands, 0, "no operands")
        return Compiled(lambda builder: builder.fence(tag))

    return handler


# -- memory ----------------------------------------------------------------------------------------

_BITS = {"b": 8, "h": 16, "w": 32, "d": 64}
_ORDERS = {"": (), ".aq": ("Acq",), ".rl": ("Rel",), ".aq.rl": ("AcqRel",), ".aqrl": ("AcqRel",)}


def _load(bits: int, unsigned: bool, tags: frozenset[str]) -> Callable[[list[str]], Compiled]:
    def handler(operands: list[str]) -> Compiled:
        word, where = _take(operands, 2, "a register and an address")
        target = _register(word)
        address, _ = _address(where)
        register = None if target == "x0" else target

        def emit(builder: ThreadBuilder) -> None:
            builder.load(register, address, tags, bits)
            if unsigned and register is not None:
                builder.local(register, Op("zext", (Reg(register),), bits))

        return Compiled(emit, unsigned or bits == 64)

    return handler


def _store(bits: int, tags: frozenset[str]) -> Callable[[list[str]], Compiled]:
    def handler(operands: list[str]) -> Compiled:
        word, where = _take(operands, 2, "a register and an address")
        value = _source(word)
        address, _ = _address(where)
        return Compiled(lambda builder: builder.store(address, value, tags, bits))

    return handler


def _load_reserved(bits: int, tags: frozenset[str]) -> Callable[[list[str]], Compiled]:
    def handler(operands: list[str]) -> Compiled:
        word, where = _take(operands, 2, "a register and an address")
        target = _register(word)
        address, _ = _address(where)
        register = None if target == "x0" else target
        return Compiled(lambda builder: builder.emit(Load(register, address, tags, bits, exclusive=True)))

    return handler


_STATUS_DEPENDS = frozenset(("write", "address"))


def _store_conditional(bits: int, tags: frozenset[str]) -> Callable[[list[str]], Compiled]:
    def handler(operands: list[str]) -> Compiled:
        result, word, where = _take(operands, 3, "two registers and an address")
        status = _register(result)
        status = "unused#" if status == "x0" else status
        value = _source(word)
        address, _ = _address(where)

        def emit(builder: ThreadBuilder) -> None:
            builder.emit(StoreExclusive(status, address, value, tags, bits, status_depends=_STATUS_DEPENDS))

        return Compiled(emit)

    return handler


_AMO_OPERATORS = {
    "amoadd": "add", "amoand": "and", "amoor": "or", "amoxor": "xor",
    "amomax": "smax", "amomin": "smin", "amomaxu": "umax", "amominu": "umin",
}  # fmt: skip


def _amo(operator: str | None, bits: int, tags: frozenset[str]) -> Callable[[list[str]], Compiled]:
    """`operator` None is a swap."""

    def handler(operands: list[str]) -> Compiled:
        result, word, where = _take(operands, 3, "two registers and an address")
        target = _register(result)
        value = _source(word)
        address, base = _address(where)
        # The old value goes to the target at once where neither address nor operand still need the target.
        old = "old#" if target in ("x0", base, _register(word)) else target
        stored = value if operator is None else Op(operator, (Reg(old), value), bits)

        def emit(builder: ThreadBuilder) -> None:
            builder.load(old, address, tags, bits, link=True)
            builder.store(address, stored, tags, bits, link=True)
            if old != target and target != "x0":
                builder.local(target, Reg(old))

        return Compiled(emit, operator == "add" or bits == 64)

    return handler


# -- the table -------------------------------------------------------------------------------------

Handler: TypeAlias = Callable[[list[str]], Compiled]
_OR, _ADD = _op("or"), _op("add")
_KEEPING = (_OR, _ADD)
"""With these `x0` as the first operand gives the second."""


def _computing() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for name, operator, wide in (
        ("add", "add", False), ("sub", "sub", True), ("and", "and", False), ("or", "or", False),
        ("xor", "xor", False), ("slt", "lt", False), ("sltu", "ult", False), ("mul", "mul", True),
        ("rem", "srem", True), ("remu", "urem", True),
    ):  # fmt: skip
        table[name] = _binary(_op(operator), wide)
    for name, operator in (("andi", "and"), ("xori", "xor"), ("slti", "lt"), ("sltiu", "ult")):
        table[name] = _immediate(_op(operator), False)
    table["ori"] = _immediate(_OR, False)
    table["addi"] = _immediate(_ADD, False)
    for name, operator in (("sll", "shl"), ("srl", "lshr"), ("sra", "ashr")):
        table[name] = _binary(_shift(operator, 64), True)
        table[name + "i"] = _immediate(_shift(operator, 64), True)
        table[name + "w"] = _binary(_shift(operator, 32), True)
        table[name + "iw"] = _immediate(_shift(operator, 32), True)
    for name, operator in (("addw", "add"), ("subw", "sub"), ("mulw", "mul"), ("remw", "srem"), ("remuw", "urem")):
        table[name] = _binary(_op(operator, 32), True)
    table["addiw"] = _immediate(_op("add", 32), True)
    for name, operator, bits in (("div", "sdiv", 64), ("divu", "udiv", 64), ("divw", "sdiv", 32), ("divuw", "udiv", 32)):
        table[name] = _binary(_quotient(operator, bits), True)
    table |= {
        "mv": _unary(lambda a: a, False),
        "not": _unary(lambda a: Op("not", (a,)), True),
        "neg": _unary(lambda a: Op("neg", (a,)), True),
        "negw": _unary(lambda a: Op("neg", (a,), 32), True),
        "seqz": _unary(lambda a: Op("eq", (a, _ZERO)), False),
        "snez": _unary(lambda a: Op("ne", (a, _ZERO)), False),
        "sltz": _unary(lambda a: Op("lt", (a, _ZERO)), False),
        "sgtz": _unary(lambda a: Op("gt", (a, _ZERO)), False),
        "sext.b": _unary(lambda a: Op("sext", (a,), 8), True),
        "sext.h": _unary(lambda a: Op("sext", (a,), 16), True),
        "sext.w": _unary(lambda a: Op("sext", (a,), 32), True),
        "zext.b": _unary(lambda a: Op("zext", (a,), 8), True),
        "zext.h": _unary(lambda a: Op("zext", (a,), 16), True),
        "zext.w": _unary(lambda a: Op("zext", (a,), 32), True),
        "li": _load_immediate, "lui": _load_upper, "auipc": _add_upper_to_counter, "nop": _nothing,
    }  # fmt: skip
    return table


def _controlling() -> dict[str, Handler]:
    table: dict[str, Handler] = {"j": _jump, "jal": _jump, "fence": _fence}
    table["fence.tso"] = _simple_fence("Fence.tso")
    table["fence.i"] = _simple_fence("Fence.i")
    for name, operator in (("eq", "eq"), ("ne", "ne"), ("lt", "lt"), ("ge", "ge"), ("ltu", "ult"), ("geu", "uge")):
        table["b" + name] = _branch(operator)
    for name, operator in (("gt", "lt"), ("le", "ge"), ("gtu", "ult"), ("leu", "uge")):
        table["b" + name] = _branch(operator, swapped=True)
    for name, operator in (("eqz", "eq"), ("nez", "ne"), ("lez", "le"), ("gez", "ge"), ("ltz", "lt"), ("gtz", "gt")):
        table["b" + name] = _branch_zero(operator)
    return table


def _accessing() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for suffix, annotations in _ORDERS.items():
        tags = frozenset(annotations)
        for letter, bits in _BITS.items():
            table[f"l{letter}{suffix}"] = _load(bits, False, tags)
            table[f"l{letter}u{suffix}"] = _load(bits, True, tags)
            table[f"s{letter}{suffix}"] = _store(bits, tags)
        for letter in "wd":
            bits = _BITS[letter]
            table[f"lr.{letter}{suffix}"] = _load_reserved(bits, tags | {"EX"})
            table[f"sc.{letter}{suffix}"] = _store_conditional(bits, tags | {"EX"})
            table[f"amoswap.{letter}{suffix}"] = _amo(None, bits, tags | {"X", "AMO"})
            for name, operator in _AMO_OPERATORS.items():
                table[f"{name}.{letter}{suffix}"] = _amo(operator, bits, tags | {"X", "AMO"})
    return table


_HANDLERS: dict[str, Handler] = _computing() | _controlling() | _accessing()
