"""C litmus tests with C11 atomics -> IR.

Tags are those of herd7's C models: the memory orders `RLX`, `CON`, `ACQ`, `REL`, `ACQ_REL`, `SC`, with `A`
on atomic and `NA` on plain accesses. A read-modify-write is a linked read and write which both carry its
order and `RMW`. A compare-exchange reads the expected value from memory with a plain read; where it fails
it is an atomic read with the failure order, and stores what it read with a plain write. A mutex is a word:
`lock` is an acquire read-modify-write that finds 0, `unlock` a release write of 0.
"""

from __future__ import annotations

import re
from functools import cache

from treville.programs.ir import Assume, Branch, Expr, Fence, Havoc, Load, Local, Reg
from treville.programs.litmus.c.expressions import Build, ExpressionReader, Primitive
from treville.programs.litmus.c.reader import read_c
from treville.programs.litmus.c.terms import ONE, PLAIN, WIDTH, ZERO, negate, operate
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.test import LitmusTest
from treville.results import InputError, Source

_ORDERS = {
    "memory_order_relaxed": "RLX",
    "memory_order_consume": "CON",
    "memory_order_acquire": "ACQ",
    "memory_order_release": "REL",
    "memory_order_acq_rel": "ACQ_REL",
    "memory_order_seq_cst": "SC",
}
_DEFAULT = "memory_order_seq_cst"
_MODIFY = re.compile(r"atomic_fetch_(add|sub|or|xor|and)(_explicit)?$")
_COMPARE = re.compile(r"atomic_compare_exchange_(strong|weak)(_explicit)?$")


def read(sections: Sections, _source: Source) -> LitmusTest:
    """Read a C litmus test that uses C11 atomics."""
    return read_c(sections, "C", primitive)


@cache
def primitive(name: str) -> Primitive | None:
    """The function of that name of <stdatomic.h>, or `lock` and `unlock` of a mutex."""
    modify = _MODIFY.match(name)
    if modify is not None:
        return Primitive("pvw" if modify.group(2) else "pv", _modify(modify.group(1)))
    compare = _COMPARE.match(name)
    if compare is not None:
        build = _compare_exchange(compare.group(1) == "strong")
        return Primitive("ppvww" if compare.group(2) else "ppv", build)
    found = _FUNCTIONS.get(name.removesuffix("_explicit"))
    if found is None or name not in (found[0], found[0] + "_explicit"):
        return None
    _, arguments, build, ordered = found
    return Primitive(
        arguments + "w" if ordered and (name.endswith("_explicit") or not arguments) else arguments, build
    )


def _order(reader: ExpressionReader, words: list[str], which: int = 0) -> str:
    """The tag of the memory order that word `which` gives, `SC` if there is none."""
    word = words[which] if which < len(words) else _DEFAULT
    tag = _ORDERS.get(word)
    if tag is None:
        raise InputError(f"'{word}' is no memory order", reader.span, "one of " + ", ".join(_ORDERS))
    return tag


def _access(order: str) -> frozenset[str]:
    return frozenset((order, "A"))


def _rmw(order: str) -> frozenset[str]:
    return frozenset((order, "A", "RMW"))


# -- what the functions do -------------------------------------------------------------------------


def _load(reader: ExpressionReader, arguments: list[Expr], words: list[str]) -> Expr:
    return reader.load(arguments[0], _access(_order(reader, words)))


def _store(reader: ExpressionReader, arguments: list[Expr], words: list[str]) -> None:
    reader.store(arguments[0], arguments[1], _access(_order(reader, words)))


def _initialise(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> None:
    reader.store(arguments[0], arguments[1], PLAIN)


def _fence(reader: ExpressionReader, _arguments: list[Expr], words: list[str]) -> None:
    reader.emit(Fence(frozenset({_order(reader, words)})))


def _exchange(reader: ExpressionReader, arguments: list[Expr], words: list[str]) -> Expr:
    tags = _rmw(_order(reader, words))
    old = reader.load(arguments[0], tags, link=True)
    reader.store(arguments[0], arguments[1], tags, link=True)
    return old


def _modify(operator: str) -> Build:
    def build(reader: ExpressionReader, arguments: list[Expr], words: list[str]) -> Expr:
        tags = _rmw(_order(reader, words))
        old = reader.load(arguments[0], tags, link=True)
        reader.store(arguments[0], operate(operator, old, arguments[1]), tags, link=True)
        return old

    return build


def _compare_exchange(strong: bool) -> Build:
    def build(reader: ExpressionReader, arguments: list[Expr], words: list[str]) -> Expr:
        cell, expected_cell, desired = arguments
        success, failure = _rmw(_order(reader, words)), _access(_order(reader, words, 1))
        expected = reader.load(expected_cell, PLAIN)
        found, result, choice = reader.temporary(), reader.temporary(), reader.temporary()
        failed, end = reader.new_label(), reader.new_label()
        reader.emit(Havoc(choice, (0, 1)))
        reader.emit(Branch(failed, negate(Reg(choice)), end))
        reader.emit(Load(found, cell, success, WIDTH, True))
        reader.emit(Assume(operate("eq", Reg(found), expected)))
        reader.store(cell, desired, success, link=True)
        reader.emit(Local(result, operate("eq", Reg(found), expected)))
        reader.emit(Branch(end))
        reader.place_label(failed)
        reader.emit(Load(found, cell, failure, WIDTH))
        if strong:
            reader.emit(Assume(operate("ne", Reg(found), expected)))
        reader.store(expected_cell, Reg(found), PLAIN)
        reader.emit(Local(result, operate("and", Reg(found), ZERO)))
        reader.place_label(end)
        return Reg(result)

    return build


def _test_and_set(reader: ExpressionReader, arguments: list[Expr], words: list[str]) -> Expr:
    return _exchange(reader, [arguments[0], ONE], words)


def _clear(reader: ExpressionReader, arguments: list[Expr], words: list[str]) -> None:
    _store(reader, [arguments[0], ZERO], words)


def _lock(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> None:
    tags = frozenset(("ACQ", "A", "RMW", "LK"))
    found = reader.load(arguments[0], tags, link=True)
    reader.emit(Assume(operate("eq", found, ZERO)))
    reader.store(arguments[0], ONE, tags, link=True)


def _unlock(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> None:
    reader.store(arguments[0], ZERO, frozenset(("REL", "A", "UL")))


# Name, arguments without the memory order, builder, and whether `_explicit` takes an order.
_FUNCTIONS: dict[str, tuple[str, str, Build, bool]] = {
    name: (name, arguments, build, ordered)
    for name, arguments, build, ordered in (
        ("atomic_load", "p", _load, True),
        ("atomic_store", "pv", _store, True),
        ("atomic_exchange", "pv", _exchange, True),
        ("atomic_thread_fence", "", _fence, True),
        ("atomic_init", "pv", _initialise, False),
        ("atomic_flag_test_and_set", "p", _test_and_set, True),
        ("atomic_flag_clear", "p", _clear, True),
        ("lock", "p", _lock, False),
        ("unlock", "p", _unlock, False),
        ("mtx_lock", "p", _lock, False),
        ("mtx_unlock", "p", _unlock, False),
    )
}
