"""Bit counts, checked arithmetic, minimum and maximum of LLVM (and of C), and what has no effect."""

from __future__ import annotations

from collections.abc import Callable

from treville.programs import ir
from treville.programs.c.escaping import BEGIN_OF_LIFE, END_OF_LIFE
from treville.programs.c.library.calls import ONE, ZERO, Call, Handler
from treville.programs.c.llvm import Number, StructType

# They return nothing, and what they say of memory or of values may be left out.
_NO_EFFECT = (
    "llvm.dbg.", "llvm.stackrestore", "llvm.va_end", "llvm.prefetch", "llvm.assume",
    "llvm.var.annotation", "llvm.experimental.noalias.scope.decl", "llvm.invariant.end", "llvm.donothing",
    "llvm.sideeffect",
)  # fmt: skip
_HINTS = ("llvm.x86.sse2.pause", "llvm.aarch64.hint")
_BARRIERS = {
    "llvm.x86.sse2.mfence": "MFENCE", "llvm.x86.sse2.lfence": "LFENCE", "llvm.x86.sse.sfence": "SFENCE",
    "llvm.ppc.sync": "SYNC", "llvm.ppc.lwsync": "LWSYNC", "llvm.ppc.isync": "ISYNC",
    "llvm.ppc.eieio": "EIEIO",
}  # fmt: skip
_DOMAINS = {
    15: "SY", 14: "ST", 13: "LD", 11: "ISH", 10: "ISHST", 9: "ISHLD", 3: "OSH", 2: "OSHST", 1: "OSHLD",
}  # fmt: skip
_SELECTIONS = {"umin": "ult", "umax": "ugt", "smin": "lt", "smax": "gt"}


def intrinsic(here: Call) -> bool:
    """Translate a call of an LLVM function that does not access memory; False if it is none."""
    name = here.name.split(".")
    if here.name.startswith(_NO_EFFECT) or here.name in _HINTS:
        return True
    if (tag := _barrier(here)) is not None:
        here.body.emit(ir.Fence(frozenset({tag})))
        return True
    if here.name.startswith((BEGIN_OF_LIFE, END_OF_LIFE)):
        memory, begins = here.body.memory, here.name.startswith(BEGIN_OF_LIFE)
        (memory.begin_life if begins else memory.end_life)(here.frame, here.operands[-1][1])
    elif name[1] in ("trap", "debugtrap", "ubsantrap"):
        here.body.emit(ir.Stop(reason=here.name))
    elif name[2:4] == ["with", "overflow"]:
        _checked(here, name[1])
    elif name[1] == "threadlocal":
        here.body.memory.point_to_thread_local(here.frame, here.instruction)
    elif (value := _meaning(here.name)) is not None:
        here.returns(value(here, here.body.bits(here.instruction.type)))
    else:
        return False
    return True


def _barrier(here: Call) -> str | None:
    """The tag of a barrier; None if it is none."""
    _, architecture, kind, *_ = (*here.name.split("."), "", "")
    if architecture in ("aarch64", "arm") and kind in ("dmb", "dsb"):
        domain = here.argument(0)
        if not isinstance(domain, ir.Const) or domain.value not in _DOMAINS:
            raise here.body.unsupported(f"{here.name} of a domain that is not known")
        return f"{kind.upper()}.{_DOMAINS[domain.value]}"
    if architecture in ("aarch64", "arm") and kind == "isb":
        return "ISB"
    return _BARRIERS.get(here.name)


def _meaning(name: str) -> Callable[[Call, int], ir.Expr] | None:
    """What a function computes: LLVM puts the types of its arguments behind its name."""
    parts = name.split(".")
    stems = (".".join(parts[1:end]) for end in range(len(parts), 1, -1))
    return next((_VALUES[stem] for stem in stems if stem in _VALUES), None)


def _select(here: Call, bits: int) -> ir.Expr:
    left, right = here.argument(0), here.argument(1)
    return ir.Select(ir.Op(_SELECTIONS[here.name.split(".")[1]], (left, right), bits), left, right)


def _absolute(here: Call, bits: int) -> ir.Expr:
    value = here.argument(0)
    return ir.Select(ir.Op("lt", (value, ZERO), bits), ir.Op("neg", (value,), bits), value)


def _ones(here: Call, bits: int) -> ir.Expr:
    return _count(here.argument(0), bits)


def _count(value: ir.Expr, bits: int) -> ir.Expr:
    total: ir.Expr = ZERO
    for at in range(bits):
        bit = ir.Op("and", (ir.Op("lshr", (value, ir.Const(at)), bits), ONE), bits)
        total = ir.Op("add", (total, bit), bits)
    return total


def _trailing_zeros(here: Call, bits: int) -> ir.Expr:
    """The ones below the lowest one of the value."""
    value = here.argument(0)
    below = ir.Op("and", (ir.Op("not", (value,), bits), ir.Op("sub", (value, ONE), bits)), bits)
    return _count(below, bits)


def _first_set(here: Call, bits: int) -> None:
    """The place of the lowest one, counted from 1; 0 if there is none."""
    none = ir.Op("eq", (here.argument(0), ZERO), bits)
    here.returns(ir.Select(none, ZERO, ir.Op("add", (_trailing_zeros(here, bits), ONE), bits)))


def _of_no_zero(count: Callable[[Call, int], ir.Expr]) -> Callable[[Call, int], ir.Expr]:
    """Zeros of a number that must not be 0, if the call says so. What compilers make of `ffs` says so too and
    asks for 0 elsewhere: such functions are believed."""

    def value(here: Call, bits: int) -> ir.Expr:
        number = here.operands[0][1]
        code = (each for block in here.frame.function.blocks for each in block.instructions)
        asked = any(each.opcode == "icmp" and each.operands[0][1] == number for each in code)
        if here.operands[1][1] != Number(0) and not asked:
            told = "the first bit that is set, of 0, is reached"
            here.body.emit(ir.Assert(ir.Op("ne", (here.argument(0), ZERO), bits), told, undefined=True))
        return count(here, bits)

    return value


def _leading_zeros(here: Call, bits: int) -> ir.Expr:
    return ir.Op("leading_zeros", (here.argument(0),), bits)


def _reversed_bytes(here: Call, bits: int) -> ir.Expr:
    return ir.Op("reverse_bytes", (here.argument(0), ZERO), bits)


def _reversed_bits(here: Call, bits: int) -> ir.Expr:
    return ir.Op("reverse_bits", (here.argument(0),), bits)


def _first(here: Call, _bits: int) -> ir.Expr:
    return here.argument(0)


def _zero(_here: Call, _bits: int) -> ir.Expr:
    """What is not known to be constant is not, and a place on the stack that nobody looks at is any."""
    return ZERO


def _masked(here: Call, bits: int) -> ir.Expr:
    """A pointer without some of its low bits."""
    return ir.Op("and", (here.argument(0), here.argument(1)), bits)


def _object_size(here: Call, _bits: int) -> ir.Expr:
    """Nobody knows: as large as can be, or as small, as the second argument asks."""
    return ZERO if here.argument(1) == ONE else ir.Const(-1)


def _funnel(left: bool) -> Callable[[Call, int], ir.Expr]:
    """The upper or the lower half of two numbers side by side that are shifted together."""

    def value(here: Call, bits: int) -> ir.Expr:
        high, low, amount = (here.argument(number) for number in range(3))
        most = ir.Const(bits)
        by = ir.Op("urem", (amount, most), bits)
        back = ir.Op("sub", (most, by), bits)
        first, second = (by, back) if left else (back, by)
        joined = ir.Op("or", (ir.Op("shl", (high, first), bits), ir.Op("lshr", (low, second), bits)), bits)
        return ir.Select(ir.Op("eq", (by, ZERO), bits), high if left else low, joined)

    return value


def _saturating(operation: str, signed: bool) -> Callable[[Call, int], ir.Expr]:
    """The nearest number that there is to what arithmetic gives."""

    def value(here: Call, bits: int) -> ir.Expr:
        left, right = here.argument(0), here.argument(1)
        wrapped, result = wraps(here, operation, signed, left, right, bits)
        if not signed:
            return ir.Select(wrapped, ir.Const(-1) if operation == "add" else ZERO, result)
        least, most = ir.Const(-1 << (bits - 1)), ir.Const((1 << (bits - 1)) - 1)
        return ir.Select(wrapped, ir.Select(ir.Op("lt", (left, ZERO), bits), least, most), result)

    return value


def _compared(less: str, more: str) -> Callable[[Call, int], ir.Expr]:
    """-1, 0 or 1."""

    def value(here: Call, _bits: int) -> ir.Expr:
        left, right = here.argument(0), here.argument(1)
        width = here.body.bits(here.operands[0][0])
        above = ir.Op(more, (left, right), width)
        return ir.Op("sub", (above, ir.Op(less, (left, right), width)), 64)

    return value


def _any_number(here: Call, bits: int) -> ir.Expr:
    number = ir.Reg(here.body.fresh("counter"))
    here.body.emit(ir.Nondet(number.name, bits))
    return number


FUNCTIONS: dict[str, Handler] = {
    "ffs": lambda here: _first_set(here, 32), "ffsl": lambda here: _first_set(here, 64),
    "ffsll": lambda here: _first_set(here, 64),
}  # fmt: skip
_VALUES: dict[str, Callable[[Call, int], ir.Expr]] = {
    **dict.fromkeys(_SELECTIONS, _select),
    "abs": _absolute, "ctpop": _ones, "cttz": _of_no_zero(_trailing_zeros),
    "ctlz": _of_no_zero(_leading_zeros),
    "bswap": _reversed_bytes, "bitreverse": _reversed_bits, "fshl": _funnel(left=True),
    "fshr": _funnel(left=False), "uadd.sat": _saturating("add", signed=False),
    "usub.sat": _saturating("sub", signed=False), "sadd.sat": _saturating("add", signed=True),
    "ssub.sat": _saturating("sub", signed=True), "scmp": _compared("lt", "gt"),
    "ucmp": _compared("ult", "ugt"),
    "expect": _first, "expect.with.probability": _first, "annotation": _first, "ptr.annotation": _first,
    "launder.invariant.group": _first, "strip.invariant.group": _first, "is.constant": _zero,
    "ptrmask": _masked, "objectsize": _object_size, "stacksave": _zero, "invariant.start": _zero,
    "readcyclecounter": _any_number, "readsteadycounter": _any_number,
}  # fmt: skip


def wraps(
    here: Call, operation: str, signed: bool, left: ir.Expr, right: ir.Expr, bits: int
) -> tuple[ir.Expr, ir.Expr]:
    """Whether arithmetic leaves the numbers of so many bits, and what it wraps to: computed at twice the
    width, or from the signs, or by dividing again."""
    result = here.body.set(here.body.fresh("wrapped"), ir.Op(operation, (left, right), bits))
    if bits <= 32:
        extended = [value if signed else ir.Op("zext", (value,), bits) for value in (left, right, result)]
        exact = ir.Op(operation, (extended[0], extended[1]), 64)
        return ir.Op("ne", (exact, extended[2]), 64), result
    if operation == "mul":
        return _product_wraps(signed, left, right, result, bits), result
    if not signed:
        smaller = (result, left) if operation == "add" else (left, right)
        return ir.Op("ult", smaller, bits), result
    other = right if operation == "add" else ir.Op("not", (right,), bits)
    same = ir.Op("not", (ir.Op("xor", (left, other), bits),), bits)
    return ir.Op("lt", (ir.Op("and", (same, ir.Op("xor", (left, result), bits)), bits), ZERO), bits), result


def _product_wraps(signed: bool, left: ir.Expr, right: ir.Expr, result: ir.Expr, bits: int) -> ir.Expr:
    """A product that does not wrap gives the other factor when it is divided by one."""
    back = ir.Op("ne", (ir.Op("sdiv" if signed else "udiv", (result, left), bits), right), bits)
    if signed:  # the least number divided by -1 wraps by itself
        least = ir.Op("eq", (right, ir.Const(-1 << (bits - 1))), bits)
        minus = ir.Op("and", (ir.Op("eq", (left, ir.Const(-1)), bits), least))
        back = ir.Op("or", (back, minus))
    return ir.Select(ir.Op("eq", (left, ZERO), bits), ZERO, back)


def _checked(here: Call, operation: str) -> None:
    """The wrapped result, and whether it was wrapped."""
    kind = here.instruction.type
    if not isinstance(kind, StructType):
        raise here.body.unsupported(f"the LLVM intrinsic {here.name}")
    bits, name = here.body.bits(kind.fields[0]), here.body.name(here.frame, here.instruction)
    wrapped, result = wraps(
        here, operation[1:], operation[0] == "s", here.argument(0), here.argument(1), bits
    )
    here.body.set(f"{name}.0", result)
    here.body.set(f"{name}.1", wrapped)
