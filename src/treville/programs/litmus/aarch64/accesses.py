"""AArch64 instructions that access memory -> loads, stores and read-modify-writes of the IR.

Tags are the set names of the model: `A` acquire, `Q` acquirePC, `L` release, `X` atomic, `EX` exclusive,
`NoRet` for reads whose value no register gets. Which register depends on what inside an instruction follows
the Arm ARM (DDI 0487, section B2.3.4, intrinsic dependencies): a compare-and-swap that succeeds may take its
result from the compared register or from memory, one that fails may write the old value back, and these
choices are made freely.
"""

from __future__ import annotations

from treville.programs.ir import Assume, Const, Expr, Havoc, Load, Op, Reg, Select, Store, StoreExclusive
from treville.programs.litmus.aarch64.operands import (
    Address,
    BadOperands,
    Builder,
    Compiled,
    Handler,
    Register,
    address,
    register,
    take,
)

Tags = frozenset[str]
_PLAIN: Tags = frozenset()
_OLD, _WHERE, _CHOICE, _EQUAL = "old#", "where#", "choice#", "equal#"


# -- loads and stores ------------------------------------------------------------------------------


def _put(builder: Builder, target: Register, bits: int, signed: bool) -> None:
    """Extend what was just loaded into the target."""
    if target.name is None:
        return
    if signed:
        builder.write(target, Op("sext", (Reg(target.name),), bits))
    elif bits < 64 and builder.exact:
        builder.local(target.name, Op("zext", (Reg(target.name),), bits))


def _load(bits: int, tags: Tags, signed: bool = False, exclusive: bool = False) -> Handler:
    """`bits` 0 stands for the width of the register."""

    def handler(operands: list[str]) -> Compiled:
        if len(operands) < 2:
            raise BadOperands("a register and an address")
        target, where = register(operands[0]), address(operands[1:])
        width = bits or target.bits

        def emit(builder: Builder) -> None:
            where.open(builder)
            builder.emit(Load(target.name, where.where, tags, width, exclusive=exclusive))
            _put(builder, target, width, signed)
            where.close(builder)

        return Compiled(emit, signed or width in (8, 16), bits=width)

    return handler


def _store(bits: int, tags: Tags) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        if len(operands) < 2:
            raise BadOperands("a register and an address")
        source, where = register(operands[0]), address(operands[1:])
        width = bits or source.bits

        def emit(builder: Builder) -> None:
            where.open(builder)
            builder.store(where.where, source.value, tags, width)
            where.close(builder)

        return Compiled(emit, bits=width)

    return handler


# -- pairs -----------------------------------------------------------------------------------------


def _second(where: Expr, bits: int) -> Expr:
    return Op("add", (where, Const(bits // 8)))


def _load_pair(
    tags: Tags, *, ordered: bool = False, signed_words: bool = False, exclusive: bool = False
) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        if len(operands) < 3:
            raise BadOperands("two registers and an address")
        first, second, where = register(operands[0]), register(operands[1]), address(operands[2:])
        bits = 32 if signed_words else first.bits

        def emit(builder: Builder) -> None:
            where.open(builder)
            base = _kept_address(builder, where, first)
            builder.emit(Load(first.name, base, tags, bits, exclusive=exclusive))
            builder.emit(Load(second.name, _second(base, bits), tags, bits, parallel=not ordered))
            for target in (first, second):
                _put(builder, target, bits, signed_words)
            where.close(builder)

        return Compiled(emit, signed_words, bits=bits)

    return handler


def _kept_address(builder: Builder, where: Address, *targets: Register) -> Expr:
    """The address, in a register of its own where a target is the base register."""
    if where.base.name not in [target.name for target in targets]:
        return where.where
    builder.local(_WHERE, where.where)
    return Reg(_WHERE)


def _store_pair(tags: Tags, *, ordered: bool = False) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        if len(operands) < 3:
            raise BadOperands("two registers and an address")
        first, second, where = register(operands[0]), register(operands[1]), address(operands[2:])
        bits = first.bits

        def emit(builder: Builder) -> None:
            where.open(builder)
            halves = [(where.where, first.value), (_second(where.where, bits), second.value)]
            if ordered and where.before is not None:
                halves.reverse()
            for place, (at, value) in enumerate(halves):
                builder.emit(Store(at, value, tags, bits, parallel=place == 1 and not ordered))
            where.close(builder)

        return Compiled(emit, bits=bits)

    return handler


# -- exclusives ------------------------------------------------------------------------------------


def _store_exclusive(bits: int, tags: Tags) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        result, word, place = take(operands, 3, "two registers and an address")
        status, source, where = register(result), register(word), address([place])
        width = bits or source.bits
        name = status.name or "unused#"

        def emit(builder: Builder) -> None:
            builder.emit(StoreExclusive(name, where.where, source.value, tags, width))

        return Compiled(emit, bits=width)

    return handler


def _store_exclusive_pair(tags: Tags) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        result, word, other, place = take(operands, 4, "three registers and an address")
        status, first, second = register(result), register(word), register(other)
        where, bits = address([place]), first.bits
        name = status.name or "unused#"

        def emit(builder: Builder) -> None:
            builder.emit(StoreExclusive(name, where.where, first.value, tags, bits))
            succeeded = Op("eq", (Reg(name), Const(0)))
            at = _second(where.where, bits)
            builder.emit(Store(at, second.value, tags, bits, when=succeeded, parallel=True))

        return Compiled(emit, bits=bits)

    return handler


# -- single atomic instructions --------------------------------------------------------------------


def _atomic_tags(order: str, returns: bool) -> tuple[Tags, Tags]:
    """The tags of the read and of the write; an acquire that returns nothing acquires nothing."""
    read = {"X"} | ({"A"} if "a" in order and returns else set()) | (set() if returns else {"NoRet"})
    return frozenset(read), frozenset({"X", "L"} if "l" in order else {"X"})


_OPERATORS = {"add": "add", "eor": "xor", "set": "or"} | {o: o for o in ("smax", "smin", "umax", "umin")}


def _fetch(operation: str, order: str, bits: int, returns: bool) -> Handler:
    """LDADD, STADD, SWP and their kin; `operation` `swp` stores the operand itself."""

    def handler(operands: list[str]) -> Compiled:
        words = take(operands, 3 if returns else 2, "registers and an address")
        source, where = register(words[0]), address(words[-1:])
        target = register(words[1]) if returns else Register(None, source.bits)
        width = bits or source.bits
        read, write = _atomic_tags(order, target.name is not None)
        # The old value goes to the target at once where neither address nor operand still need the target.
        busy = target.name is None or target.name in (where.base.name, source.name)
        old = _OLD if busy or target.name is None else target.name
        stored = _stored(operation, Reg(old), source.value, width)

        def emit(builder: Builder) -> None:
            builder.load(old, where.where, read, width, link=True)
            builder.store(where.where, stored, write, width, link=True)
            if old == _OLD and target.name is not None:
                builder.local(target.name, Reg(_OLD))
            _put(builder, target, width, False)

        return Compiled(emit, width < 32, bits=width)

    return handler


def _stored(operation: str, old: Expr, operand: Expr, bits: int) -> Expr:
    if operation == "swp":
        return operand
    if operation == "clr":
        return Op("and", (old, Op("not", (operand,), bits)), bits)
    return Op(_OPERATORS[operation], (old, operand), bits)


def _compare_and_swap(order: str, bits: int) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, new, place = take(operands, 3, "two registers and an address")
        compared, source, where = register(word), register(new), address([place])
        width = bits or compared.bits
        read, write = _atomic_tags(order, compared.name is not None)
        equal = Op("eq", (Reg(_OLD), compared.value), width)

        def emit(builder: Builder) -> None:
            base = _kept_address(builder, where, compared)
            _choose(builder)
            builder.load(_OLD, base, read, width, link=True)
            _restrict(builder, equal)
            writes_back = _written_back(equal)
            builder.emit(Store(base, source.value, write, width, link=True, when=equal))
            builder.emit(Store(base, Reg(_OLD), write, width, link=True, when=writes_back))
            _conclude(builder, equal, width, [(compared, _OLD)])

        return Compiled(emit, width < 32, bits=width)

    return handler


def _choose(builder: Builder) -> None:
    """Pick one of the instruction's behaviours, before its read: nothing comes between that and its write."""
    builder.emit(Havoc(_CHOICE, (0, 1, 2)))


def _restrict(builder: Builder, equal: Expr) -> None:
    """There are two behaviours where the comparison succeeds, three where it fails."""
    builder.emit(Assume(Op("or", (Op("lnot", (equal,)), Op("ne", (Reg(_CHOICE), Const(2)))))))


def _written_back(equal: Expr) -> Expr:
    return Op("and", (Op("lnot", (equal,)), Op("eq", (Reg(_CHOICE), Const(2)))))


def _conclude(builder: Builder, equal: Expr, bits: int, results: list[tuple[Register, str]]) -> None:
    """Give the compared registers their results: from memory, or what memory was compared with."""
    builder.local(_EQUAL, equal)
    first = Op("eq", (Reg(_CHOICE), Const(0)))
    for target, old in results:
        if target.name is not None:
            value = Select(first, Select(Reg(_EQUAL), target.value, Reg(old)), Reg(old))
            builder.local(target.name, value)
            _put(builder, target, bits, False)


def _compare_and_swap_pair(order: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        words = take(operands, 5, "four registers and an address")
        compared = [register(word) for word in words[:2]]
        sources = [register(word) for word in words[2:4]]
        where, bits = address(words[4:]), compared[0].bits
        read, write = _atomic_tags(order, True)
        olds = [_OLD, _OLD + "2"]
        equals = [Op("eq", (Reg(old), r.value), bits) for old, r in zip(olds, compared, strict=True)]
        equal = Op("and", (equals[0], equals[1]))

        def emit(builder: Builder) -> None:
            base = _kept_address(builder, where, *compared)
            places = [base, _second(base, bits)]
            _choose(builder)
            for half, at in enumerate(places):
                builder.emit(Load(olds[half], at, read, bits, link=half == 0, parallel=half == 1))
            _restrict(builder, equal)
            back = _written_back(equal)
            for half, at in enumerate(places):
                linked, beside = half == 0, half == 1
                new = sources[half].value
                builder.emit(Store(at, new, write, bits, link=linked, when=equal, parallel=beside))
                builder.emit(Store(at, Reg(olds[half]), write, bits, link=linked, when=back, parallel=beside))
            _conclude(builder, equal, bits, list(zip(compared, olds, strict=True)))

        return Compiled(emit, bits=bits)

    return handler


# -- the table -------------------------------------------------------------------------------------

_SIZES = {"": 0, "b": 8, "h": 16}


def handlers() -> dict[str, Handler]:
    """The handler of each accessing instruction."""
    acquire, weaker, release = frozenset({"A"}), frozenset({"Q"}), frozenset({"L"})
    exclusive = frozenset({"X", "EX"})
    table: dict[str, Handler] = {}
    for suffix, bits in _SIZES.items():
        for name in ("ldr", "ldur", "ldtr"):
            table[name + suffix] = _load(bits, _PLAIN)
        for name in ("str", "stur", "sttr"):
            table[name + suffix] = _store(bits, _PLAIN)
        table["ldar" + suffix] = _load(bits, acquire)
        table["ldapr" + suffix] = table["ldapur" + suffix] = _load(bits, weaker)
        table["stlr" + suffix] = table["stlur" + suffix] = _store(bits, release)
        table["ldxr" + suffix] = _load(bits, exclusive, exclusive=True)
        table["ldaxr" + suffix] = _load(bits, exclusive | acquire, exclusive=True)
        table["stxr" + suffix] = _store_exclusive(bits, exclusive)
        table["stlxr" + suffix] = _store_exclusive(bits, exclusive | release)
        for order in ("", "a", "l", "al"):
            table[f"cas{order}{suffix}"] = _compare_and_swap(order, bits)
            table[f"swp{order}{suffix}"] = _fetch("swp", order, bits, True)
            for operation in (*_OPERATORS, "clr"):
                table[f"ld{operation}{order}{suffix}"] = _fetch(operation, order, bits, True)
                if "a" not in order:
                    table[f"st{operation}{order}{suffix}"] = _fetch(operation, order, bits, False)
    for suffix, bits in (("sb", 8), ("sh", 16), ("sw", 32)):
        table["ldr" + suffix] = table["ldur" + suffix] = _load(bits, _PLAIN, signed=True)
        table["ldapur" + suffix] = _load(bits, weaker, signed=True)
    for order in ("", "a", "l", "al"):
        table["casp" + order] = _compare_and_swap_pair(order)
    table |= {
        "ldp": _load_pair(_PLAIN), "ldnp": _load_pair(_PLAIN), "ldpsw": _load_pair(_PLAIN, signed_words=True),
        "stp": _store_pair(_PLAIN), "stnp": _store_pair(_PLAIN),
        "ldiapp": _load_pair(weaker, ordered=True), "stilp": _store_pair(release, ordered=True),
        "ldxp": _load_pair(exclusive, exclusive=True),
        "ldaxp": _load_pair(exclusive | acquire, exclusive=True),
        "stxp": _store_exclusive_pair(exclusive), "stlxp": _store_exclusive_pair(exclusive | release),
    }  # fmt: skip
    return table
