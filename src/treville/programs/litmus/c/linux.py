"""C litmus tests with the Linux kernel's primitives -> IR.

Which events a primitive has, and with which tags, follows the kernel's tools/memory-model (linux-kernel.def
and Documentation/herd-representation.txt): a full-barrier read-modify-write stands between two `Mb` fences;
one that fails is a single relaxed read; `spin_lock` is a read `LKR` that finds the lock free and a write
`LKW`, `spin_unlock` a write `UL`; SRCU readers read and write their `srcu_struct`, and `synchronize_srcu`
is a fence with its location.

Accesses carry the capitalised annotations of the models up to Linux 6.13 (`Once`, `Acquire`, `Mb` fences)
and the upper-case ones of later models (`ONCE`, `ACQUIRE`, `MB` accesses), so that either kind of model
works.
"""

from __future__ import annotations

import re
from functools import cache

from treville.programs.ir import Assume, Branch, Expr, Fence, Havoc, Load, Local, Reg
from treville.programs.litmus.c.expressions import Build, ExpressionReader, Primitive
from treville.programs.litmus.c.reader import read_c
from treville.programs.litmus.c.terms import ONE, WIDTH, ZERO, negate, operate
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.test import LitmusTest
from treville.results import Source

ONCE = frozenset({"Once", "ONCE"})
ACQUIRE = frozenset({"Acquire", "ACQUIRE"})
RELEASE = frozenset({"Release", "RELEASE"})
MB = frozenset({"Mb", "MB"})
SURROUNDING_MB = frozenset({"Mb"})
FAILED = frozenset({"Once", "ONCE", "RMW"})

# For each order of a read-modify-write: the tags of its read and of its write.
RMW_TAGS = {
    "": (frozenset({"Once", "MB", "RMW"}), frozenset({"Once", "MB", "RMW"})),
    "_relaxed": (FAILED, FAILED),
    "_acquire": (frozenset({"Acquire", "ACQUIRE", "RMW"}), frozenset({"Once", "ACQUIRE", "RMW"})),
    "_release": (frozenset({"Once", "RELEASE", "RMW"}), frozenset({"Release", "RELEASE", "RMW"})),
    "noreturn": (frozenset({"Noreturn", "NORETURN", "RMW"}), frozenset({"Once", "NORETURN", "RMW"})),
}

_FENCES = {
    "smp_mb": MB,
    "smp_rmb": frozenset({"Rmb"}),
    "smp_wmb": frozenset({"Wmb"}),
    # After a branch on a read: together with the branch an acquire (include/asm-generic/barrier.h).
    "smp_acquire__after_ctrl_dep": frozenset({"Rmb"}),
    "smp_mb__before_atomic": frozenset({"Before-atomic"}),
    "smp_mb__after_atomic": frozenset({"After-atomic"}),
    "smp_mb__after_spinlock": frozenset({"After-spinlock"}),
    "smp_mb__after_unlock_lock": frozenset({"After-unlock-lock"}),
    "smp_mb__after_srcu_read_unlock": frozenset({"After-srcu-read-unlock"}),
    "barrier": frozenset({"Barrier"}),
    "rcu_read_lock": frozenset({"Rcu-lock"}),
    "rcu_read_unlock": frozenset({"Rcu-unlock"}),
    "synchronize_rcu": frozenset({"Sync-rcu"}),
    "synchronize_rcu_expedited": frozenset({"Sync-rcu"}),
}

_READS = {
    "READ_ONCE": ("l", ONCE),
    "rcu_dereference": ("l", ONCE),
    "rcu_access_pointer": ("l", ONCE),
    "lockless_dereference": ("l", ONCE),
    "smp_load_acquire": ("p", ACQUIRE),
    "atomic_read": ("p", ONCE),
    "atomic_read_acquire": ("p", ACQUIRE),
    "srcu_read_lock": ("p", frozenset({"Srcu-lock"})),
    "srcu_down_read": ("p", frozenset({"Srcu-lock"})),
    "spin_is_locked": ("p", frozenset({"RL", "RU"})),
}

_WRITES = {
    "WRITE_ONCE": ("lv", ONCE),
    "RCU_INIT_POINTER": ("lv", ONCE),
    "rcu_assign_pointer": ("lv", RELEASE),
    "smp_store_release": ("pv", RELEASE),
    "atomic_set": ("pv", ONCE),
    "atomic_set_release": ("pv", RELEASE),
    "srcu_read_unlock": ("pv", frozenset({"Srcu-unlock"})),
    "srcu_up_read": ("pv", frozenset({"Srcu-unlock"})),
}

_ATOMIC = re.compile(
    r"atomic(?:64|_long)?_(fetch_)?(add|sub|inc|dec|andnot|and|or|xor)(_return|_and_test|_negative)?"
    r"(_relaxed|_acquire|_release)?$"
)
_EXCHANGE = re.compile(r"(?:atomic(?:64|_long)?_)?(cmp)?xchg(_relaxed|_acquire|_release)?$")
_LONG = re.compile(r"atomic(?:64|_long)_")
_OPERATORS = {"inc": "add", "dec": "sub"}


def read(sections: Sections, _source: Source) -> LitmusTest:
    """Read a C litmus test that uses the kernel's primitives."""
    return read_c(sections, "LKMM", primitive)


@cache
def primitive(name: str) -> Primitive | None:
    """The primitive of that name, if the kernel model knows it."""
    fence = _FENCES.get(name)
    if fence is not None:
        return Primitive("", _fence(fence))
    short = _LONG.sub("atomic_", name)
    found = _READS.get(short)
    if found is not None:
        return Primitive(found[0], _read(found[1]))
    found = _WRITES.get(short)
    if found is not None:
        return Primitive(found[0], _write(found[1]))
    exchange = _EXCHANGE.match(name)
    if exchange is not None:
        order = exchange.group(2) or ""
        return (
            Primitive("pvv", _compare_exchange(order)) if exchange.group(1) else Primitive("pv", _swap(order))
        )
    atomic = _ATOMIC.match(name)
    if atomic is not None:
        return _arithmetic(*atomic.groups())
    return _OTHERS.get(short)


# -- accesses and fences ---------------------------------------------------------------------------


def _fence(tags: frozenset[str]) -> Build:
    def build(reader: ExpressionReader, _arguments: list[Expr], _words: list[str]) -> None:
        reader.emit(Fence(tags))

    return build


def _read(tags: frozenset[str]) -> Build:
    def build(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> Expr:
        return reader.load(arguments[0], tags)

    return build


def _write(tags: frozenset[str]) -> Build:
    def build(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> None:
        reader.store(arguments[0], arguments[1], tags)

    return build


def _store_mb(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> None:
    reader.store(arguments[0], arguments[1], ONCE)
    reader.emit(Fence(MB))


def _synchronize_srcu(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> None:
    reader.emit(Fence(frozenset({"Sync-srcu"}), arguments[0]))


def _nothing(_reader: ExpressionReader, _arguments: list[Expr], _words: list[str]) -> None:
    """The barriers for Alpha that `READ_ONCE` has included since Linux 4.15."""


# -- read-modify-writes ----------------------------------------------------------------------------


def _full(reader: ExpressionReader, order: str) -> None:
    """The barrier on either side of a read-modify-write with full ordering."""
    if order == "":
        reader.emit(Fence(SURROUNDING_MB))


def _swap(order: str) -> Build:
    read_tags, write_tags = RMW_TAGS[order]

    def build(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> Expr:
        address, value = arguments
        _full(reader, order)
        old = reader.load(address, read_tags, link=True)
        reader.store(address, value, write_tags, link=True)
        _full(reader, order)
        return old

    return build


def _arithmetic(
    fetch: str | None, operator: str, returned: str | None, order: str | None
) -> Primitive | None:
    """`atomic_add(v, x)`, `atomic_fetch_or_acquire(v, x)`, `atomic_dec_and_test(x)`, ..."""
    bare = not fetch and not returned
    if (fetch and returned) or (bare and order):
        return None
    if returned == "_and_test" and (order or operator not in ("inc", "dec", "sub")):
        return None
    build = _modify(bool(fetch), operator, returned or "", "noreturn" if bare else order or "")
    return Primitive("p" if operator in _OPERATORS else "vp", build)


def _modify(fetch: bool, operator: str, returned: str, order: str) -> Build:
    read_tags, write_tags = RMW_TAGS[order]

    def build(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> Expr:
        operand = ONE if operator in _OPERATORS else arguments[0]
        address = arguments[-1]
        _full(reader, order)
        old = reader.load(address, read_tags, link=True)
        new = (
            operate("and", old, operate("not", operand))
            if operator == "andnot"
            else operate(_OPERATORS.get(operator, operator), old, operand)
        )
        reader.store(address, new, write_tags, link=True)
        _full(reader, order)
        if fetch:
            return old
        if returned == "_and_test":
            return operate("eq", new, ZERO)
        return operate("lt", new, ZERO) if returned == "_negative" else new

    return build


def choose(reader: ExpressionReader) -> tuple[str, str]:
    """Emit a free choice between success, which follows, and failure; the labels of failure and end."""
    choice, failure, end = reader.temporary(), reader.new_label(), reader.new_label()
    reader.emit(Havoc(choice, (0, 1)))
    reader.emit(Branch(failure, negate(Reg(choice)), end))
    return failure, end


def _compare_exchange(order: str) -> Build:
    read_tags, write_tags = RMW_TAGS[order]

    def build(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> Expr:
        address, expected, new = arguments
        found = reader.temporary()
        failure, end = choose(reader)
        _full(reader, order)
        reader.emit(Load(found, address, read_tags, WIDTH, True))
        reader.emit(Assume(operate("eq", Reg(found), expected)))
        reader.store(address, new, write_tags, link=True)
        _full(reader, order)
        reader.emit(Branch(end))
        reader.place_label(failure)
        reader.emit(Load(found, address, FAILED, WIDTH))
        reader.emit(Assume(operate("ne", Reg(found), expected)))
        reader.place_label(end)
        return Reg(found)

    return build


def _add_unless(old_returned: bool, arguments_given: str = "pvv") -> Primitive:
    read_tags, write_tags = RMW_TAGS[""]

    def build(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> Expr:
        address, addend, unless = arguments if len(arguments) == 3 else (arguments[0], ONE, ZERO)
        found = reader.temporary()
        failure, end = choose(reader)
        _full(reader, "")
        reader.emit(Load(found, address, read_tags, WIDTH, True))
        reader.emit(Assume(operate("ne", Reg(found), unless)))
        reader.store(address, operate("add", Reg(found), addend), write_tags, link=True)
        _full(reader, "")
        reader.emit(Branch(end))
        reader.place_label(failure)
        reader.emit(Load(found, address, FAILED, WIDTH))
        reader.emit(Assume(operate("eq", Reg(found), unless)))
        reader.place_label(end)
        return Reg(found) if old_returned else operate("ne", Reg(found), unless)

    return Primitive(arguments_given, build)


# -- spinlocks -------------------------------------------------------------------------------------


def _take_lock(reader: ExpressionReader, lock: Expr) -> Reg:
    """A lock that is held blocks: only executions in which it is found free count."""
    found = reader.load(lock, frozenset({"LKR"}), link=True)
    reader.emit(Assume(operate("eq", found, ZERO)))
    reader.store(lock, ONE, frozenset({"LKW"}), link=True)
    return found


def _lock(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> None:
    _take_lock(reader, arguments[0])


def _unlock(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> None:
    reader.store(arguments[0], ZERO, frozenset({"UL"}))


def _unlock_wait(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> None:
    _take_lock(reader, arguments[0])
    reader.store(arguments[0], ZERO, frozenset({"UL"}))


def _try_lock(reader: ExpressionReader, arguments: list[Expr], _words: list[str]) -> Expr:
    result = reader.temporary()
    failure, end = choose(reader)
    reader.emit(Local(result, operate("lnot", _take_lock(reader, arguments[0]))))
    reader.emit(Branch(end))
    reader.place_label(failure)
    found = reader.load(arguments[0], frozenset({"LF"}))
    reader.emit(Assume(operate("ne", found, ZERO)))
    reader.emit(Local(result, operate("lnot", found)))
    reader.place_label(end)
    return Reg(result)


_OTHERS = {
    "smp_store_mb": Primitive("lv", _store_mb),
    "synchronize_srcu": Primitive("p", _synchronize_srcu),
    "synchronize_srcu_expedited": Primitive("p", _synchronize_srcu),
    "smp_read_barrier_depends": Primitive("", _nothing),
    "read_barrier_depends": Primitive("", _nothing),
    "atomic_add_unless": _add_unless(False),
    "atomic_inc_not_zero": _add_unless(False, "p"),
    "atomic_fetch_add_unless": _add_unless(True),
    "__atomic_add_unless": _add_unless(True),
    "spin_lock": Primitive("p", _lock),
    "spin_unlock": Primitive("p", _unlock),
    "spin_unlock_wait": Primitive("p", _unlock_wait),
    "spin_trylock": Primitive("p", _try_lock),
}
