"""AArch64 branches, calls and barriers -> branches and fences of the IR (Arm ARM, part C3.1 and C3.2)."""

from __future__ import annotations

from treville.programs.ir import Const, IndirectBranch, Op, Reg
from treville.programs.litmus.aarch64.flags import CONDITIONS
from treville.programs.litmus.aarch64.operands import (
    ONE,
    ZERO,
    BadOperands,
    Builder,
    Compiled,
    Handler,
    label,
    number,
    register,
    take,
)

LINK = "X30"
_OPTIONS = (
    "sy", "ld", "st", "ish", "ishld", "ishst", "osh", "oshld", "oshst", "nsh", "nshld", "nshst",
)  # fmt: skip


def _barrier(kind: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        (word,) = take(operands, 1, f"one of {', '.join(option.upper() for option in _OPTIONS)}")
        if word.lower() not in _OPTIONS:
            raise BadOperands(f"one of {', '.join(option.upper() for option in _OPTIONS)}")
        tag = f"{kind}.{word.upper()}"
        return Compiled(lambda builder: builder.fence(tag))

    return handler


def _instruction_barrier(operands: list[str]) -> Compiled:
    if operands and [word.lower() for word in operands] != ["sy"]:
        raise BadOperands("no operand but SY")
    return Compiled(lambda builder: builder.fence("ISB"))


def _nothing(builder: Builder) -> None:
    """No effect."""


def _no_operation(operands: list[str]) -> Compiled:
    take(operands, 0, "no operands")
    return Compiled(_nothing)


# -- branches --------------------------------------------------------------------------------------


def _branch(operands: list[str]) -> Compiled:
    (word,) = take(operands, 1, "a label")
    target = label(word)
    return Compiled(lambda builder: builder.go_to(target))


def _branch_if(code: str) -> Handler:
    holds, read = CONDITIONS[code]

    def handler(operands: list[str]) -> Compiled:
        (word,) = take(operands, 1, "a label")
        target = label(word)
        return Compiled(lambda builder: builder.go_to(target, holds), flags=read)

    return handler


def _compare_and_branch(operator: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, place = take(operands, 2, "a register and a label")
        tested, target = register(word), label(place)
        holds = Op(operator, (tested.value, ZERO), tested.bits)
        return Compiled(lambda builder: builder.go_to(target, holds))

    return handler


def _test_and_branch(operator: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, bit, place = take(operands, 3, "a register, a bit number and a label")
        tested, target, shift = register(word), label(place), number(bit)
        if not 0 <= shift < tested.bits:
            raise BadOperands(f"a bit number below {tested.bits}")
        holds = Op(operator, (Op("and", (Op("lshr", (tested.value, Const(shift))), ONE)), ZERO))
        return Compiled(lambda builder: builder.go_to(target, holds))

    return handler


# -- calls and code addresses ----------------------------------------------------------------------


def _link(builder: Builder) -> str:
    """Put the address behind the current instruction into the link register; the label to be placed there."""
    name = f"return#{builder.line}"
    builder.local(LINK, builder.code_address(name))
    return builder.prefix + name


def _call(operands: list[str]) -> Compiled:
    (word,) = take(operands, 1, "a label")
    target = label(word)

    def emit(builder: Builder) -> None:
        behind = _link(builder)
        builder.go_to(target)
        builder.land(behind)

    return Compiled(emit, indirect=True)


def _call_register(operands: list[str]) -> Compiled:
    (word,) = take(operands, 1, "a register")
    target = register(word).value

    def emit(builder: Builder) -> None:
        builder.local("target#", target)
        behind = _link(builder)
        builder.emit(IndirectBranch(Reg("target#")))
        builder.land(behind)

    return Compiled(emit, indirect=True)


def _branch_register(operands: list[str]) -> Compiled:
    (word,) = take(operands, 1, "a register")
    target = register(word).value
    return Compiled(lambda builder: builder.emit(IndirectBranch(target)), indirect=True)


def _return(operands: list[str]) -> Compiled:
    return _branch_register(operands or [LINK])


def _code_address(operands: list[str]) -> Compiled:
    word, place = take(operands, 2, "a register and a label")
    target, name = register(word), label(place)
    return Compiled(lambda builder: builder.write(target, builder.code_address(name)), indirect=True)


# -- the table -------------------------------------------------------------------------------------


def handlers() -> dict[str, Handler]:
    """The handler of each instruction for control and ordering."""
    table: dict[str, Handler] = {
        "dmb": _barrier("DMB"), "dsb": _barrier("DSB"), "isb": _instruction_barrier, "nop": _no_operation,
        "b": _branch, "bl": _call, "blr": _call_register, "br": _branch_register, "ret": _return,
        "adr": _code_address, "cbz": _compare_and_branch("eq"), "cbnz": _compare_and_branch("ne"),
        "tbz": _test_and_branch("eq"), "tbnz": _test_and_branch("ne"),
    }  # fmt: skip
    for code in CONDITIONS:
        table[f"b.{code}"] = table[f"b{code}"] = _branch_if(code)
    return table
