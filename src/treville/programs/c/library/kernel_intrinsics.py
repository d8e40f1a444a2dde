"""Dartagnan's interface for kernels, `__LKMM_load(address, bytes, order)` etc. -> the kernel's primitives.

Its own `<lkmm.h>` makes such calls of READ_ONCE, atomic_add and the like, with a number for the order and one
for the operation; programs that were compiled with that header have nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping

from treville.programs import ir
from treville.programs.c.library.calls import Call

PREFIX = "__LKMM_"
_ONCE, _ACQUIRE, _RELEASE, _MB = range(4)
_SUFFIXES = {_ONCE: "_relaxed", _ACQUIRE: "_acquire", _RELEASE: "_release", _MB: ""}
_LOADS = {_ONCE: "READ_ONCE", _ACQUIRE: "smp_load_acquire"}
_STORES = {_ONCE: "WRITE_ONCE", _RELEASE: "smp_store_release", _MB: "smp_store_mb"}
_FENCES = dict(
    enumerate(
        ("smp_mb", "smp_wmb", "smp_rmb", "rcu_read_lock", "rcu_read_unlock", "synchronize_rcu",
         "smp_mb__before_atomic", "smp_mb__after_atomic", "smp_mb__after_spinlock", "barrier"),
        _MB,
    )
)  # fmt: skip
_OPERATIONS = dict(enumerate(("add", "sub", "and", "or")))


def meant(here: Call) -> tuple[str, list[ir.Expr], int]:
    """The primitive that a call stands for, its arguments, and the bits of its access."""
    name = here.name.removeprefix(PREFIX)
    arguments = [here.argument(number) for number in range(len(here.operands))]
    if name == "fence":
        return _chosen(here, 0, _FENCES), [], 32
    if name in ("SPIN_LOCK", "SPIN_UNLOCK"):
        return name.lower(), arguments, 32
    address, bits = arguments[0], 8 * _number(here, 1)
    if name == "load":
        return _chosen(here, 2, _LOADS), [address], bits
    if name == "store":
        return _chosen(here, 3, _STORES), [address, arguments[2]], bits
    if name == "xchg":
        return f"xchg{_chosen(here, 3, _SUFFIXES)}", [address, arguments[2]], bits
    if name == "cmpxchg" and _number(here, 4) == _number(here, 5):
        return f"cmpxchg{_chosen(here, 4, _SUFFIXES)}", [address, *arguments[2:4]], bits
    if name == "atomic_op":
        return f"atomic_{_chosen(here, 3, _OPERATIONS)}", [arguments[2], address], bits
    if name in ("atomic_op_return", "atomic_fetch_op"):
        operation = _chosen(here, 4, _OPERATIONS)
        stem = f"fetch_{operation}" if "fetch" in name else f"{operation}_return"
        return f"atomic_{stem}{_chosen(here, 3, _SUFFIXES)}", [arguments[2], address], bits
    raise here.body.unsupported(f"{here.name} with these orders")


def _chosen(here: Call, number: int, among: Mapping[int, str]) -> str:
    value = _number(here, number)
    if value not in among:
        raise here.body.unsupported(f"{here.name} with the number {value} as order or operation")
    return among[value]


def _number(here: Call, number: int) -> int:
    value = here.argument(number)
    if not isinstance(value, ir.Const):
        raise here.body.unsupported(f"{here.name} with an order, operation or size that is no constant")
    return value.value
