"""Accesses of inline assembly: what they are to a model of another architecture, or of C, and to their own.

They carry both: the order that C has for such an instruction, and the tags of their architecture's litmus
tests behind its name (`AArch64:L`). Under their own model the second count; elsewhere an access is what the
first is compiled to. An x86 instruction with a lock is a full fence too, which C has to be told.
"""

from __future__ import annotations

from collections.abc import Iterable

from treville.programs.ir import Fence, Instruction, Load, Store, StoreExclusive
from treville.records import replace

_HOMES = {"X86_64": "tso", "AArch64": "aarch64", "ARM": "armv7", "PPC": "power", "RISCV": "riscv"}
_MARK = ":"
_ACQUIRING = frozenset({"A", "Q", "Acq", "AcqRel"})
_RELEASING = frozenset({"L", "Rel", "AcqRel"})
_FULL = frozenset({"SC", "MFENCE"})


def update_orders(code: Iterable[Instruction]) -> dict[int, str]:
    """The orders that C has for updates, by the numbers of their instructions: of both halves together."""
    halves: dict[int, set[str]] = {}
    for access in code:
        if isinstance(access, Load | Store) and access.link:
            halves.setdefault(access.index, set()).add(_order(access))
    both, one = {"ACQ", "REL"}, ("ACQ", "REL")
    return {
        index: "ACQ_REL" if both <= found else next((order for order in one if order in found), "RLX")
        for index, found in halves.items()
    }


def in_c(instruction: Instruction, dialect: str, order: str) -> list[Instruction]:
    """An instruction of a litmus reader with C's order and with its own; `order` is that of its update."""
    if not isinstance(instruction, Load | Store | StoreExclusive):
        return [instruction]
    own = {f"{dialect}{_MARK}{tag}" for tag in instruction.tags} | {f"{dialect}{_MARK}"}
    update = isinstance(instruction, StoreExclusive) or instruction.link
    locked = dialect == "X86_64" and update and bool(instruction.tags)
    linked = not isinstance(instruction, StoreExclusive) and instruction.link
    order = "SC" if locked else order if linked else _order(instruction)
    tags = frozenset({order, "A", *own} | ({"RMW"} if update else set()))
    access = replace(instruction, tags=tags)
    if not locked:
        return [access]
    fence = Fence(
        _FULL | {f"{dialect}{_MARK}"}, text=instruction.text, span=instruction.span, index=instruction.index
    )
    return [fence, access] if isinstance(instruction, Load) else [access, fence]


def _order(instruction: Load | Store | StoreExclusive) -> str:
    """The order that C has for such an access."""
    if isinstance(instruction, Load):
        return "ACQ" if instruction.tags & _ACQUIRING else "RLX"
    return "REL" if instruction.tags & _RELEASING else "RLX"


def is_assembly(instruction: Instruction) -> bool:
    """Does it come from inline assembly?"""
    tags: frozenset[str] = getattr(instruction, "tags", frozenset())
    return any(_MARK in tag for tag in tags)


def at_home(instruction: Instruction, target: str) -> list[Instruction] | None:
    """What an access of inline assembly is under the model of its architecture; None elsewhere."""
    tags: frozenset[str] = getattr(instruction, "tags", frozenset())
    dialect = next((tag.split(_MARK)[0] for tag in tags if _MARK in tag), "")
    if _HOMES.get(dialect) != target or not isinstance(instruction, Load | Store | StoreExclusive | Fence):
        return None
    if isinstance(instruction, Fence):
        return []  # the access that it belongs to orders as much by itself
    own = {tag.split(_MARK)[1] for tag in tags if _MARK in tag} - {""}
    return [replace(instruction, tags=frozenset(own))]


def elsewhere(instruction: Instruction) -> Instruction:
    """The instruction as C has it."""
    if not isinstance(instruction, Load | Store | StoreExclusive | Fence):
        return instruction
    return replace(instruction, tags=frozenset(tag for tag in instruction.tags if _MARK not in tag))
