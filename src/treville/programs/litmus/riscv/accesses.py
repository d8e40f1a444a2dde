"""RISC-V instructions that access memory -> loads, stores and read-modify-writes of the IR (RV64A).

Tags are the set names of riscv.cat: `Acq`, `Rel`, `AcqRel` for annotations, `X` and `AMO` for AMOs, `EX` for
load-reserved and store-conditional. An AMO is a linked load and store that both carry all its annotations;
the model treats the two halves as the one operation they are.
"""

from __future__ import annotations

from treville.programs.ir import Load, Op, Reg, StoreExclusive
from treville.programs.litmus.assembly import ThreadBuilder
from treville.programs.litmus.riscv.operands import Compiled, Handler, address, register, source, take

_BITS = {"b": 8, "h": 16, "w": 32, "d": 64}
_ORDERS = {"": (), ".aq": ("Acq",), ".rl": ("Rel",), ".aq.rl": ("AcqRel",), ".aqrl": ("AcqRel",)}


def _target(word: str) -> str | None:
    """The register to be written; None for `x0`, which ignores it."""
    name = register(word)
    return None if name == "x0" else name


def _load(bits: int, unsigned: bool, tags: frozenset[str]) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, place = take(operands, 2, "a register and an address")
        target, where = _target(word), address(place)[0]

        def emit(builder: ThreadBuilder) -> None:
            builder.load(target, where, tags, bits)
            if unsigned and target is not None:
                builder.local(target, Op("zext", (Reg(target),), bits))

        return Compiled(emit, unsigned or bits == 64, bits)

    return handler


def _store(bits: int, tags: frozenset[str]) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, place = take(operands, 2, "a register and an address")
        value, where = source(word), address(place)[0]
        return Compiled(lambda builder: builder.store(where, value, tags, bits), bits=bits)

    return handler


def _load_reserved(bits: int, tags: frozenset[str]) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, place = take(operands, 2, "a register and an address")
        target, where = _target(word), address(place)[0]

        def emit(builder: ThreadBuilder) -> None:
            builder.emit(Load(target, where, tags, bits, exclusive=True))

        return Compiled(emit, bits == 64, bits)

    return handler


_STATUS_DEPENDS = frozenset(("write", "address"))


def _store_conditional(bits: int, tags: frozenset[str]) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        result, word, place = take(operands, 3, "two registers and an address")
        status, value, where = _target(result) or "unused#", source(word), address(place)[0]

        def emit(builder: ThreadBuilder) -> None:
            builder.emit(StoreExclusive(status, where, value, tags, bits, status_depends=_STATUS_DEPENDS))

        return Compiled(emit, bits=bits)

    return handler


_AMO_OPERATORS = {
    "amoadd": "add", "amoand": "and", "amoor": "or", "amoxor": "xor",
    "amomax": "smax", "amomin": "smin", "amomaxu": "umax", "amominu": "umin",
}  # fmt: skip


def _amo(operator: str | None, bits: int, tags: frozenset[str]) -> Handler:
    """`operator` None is a swap."""

    def handler(operands: list[str]) -> Compiled:
        result, word, place = take(operands, 3, "two registers and an address")
        target, value = register(result), source(word)
        where, base = address(place)
        # The old value goes to the target at once where neither address nor operand still need the target.
        old = "old#" if target in ("x0", base, register(word)) else target
        stored = value if operator is None else Op(operator, (Reg(old), value), bits)

        def emit(builder: ThreadBuilder) -> None:
            builder.load(old, where, tags, bits, link=True)
            builder.store(where, stored, tags, bits, link=True)
            if old != target and target != "x0":
                builder.local(target, Reg(old))

        return Compiled(emit, operator == "add" or bits == 64, bits)

    return handler


def handlers() -> dict[str, Handler]:
    """The handler of each accessing instruction."""
    table: dict[str, Handler] = {}
    for suffix, order in _ORDERS.items():
        tags = frozenset(order)
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
