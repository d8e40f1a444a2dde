"""A program and a model -> the search for its graphs; and which models have what the search relies on."""

from __future__ import annotations

from treville.machines.graphs.clocks import Clocks, Order
from treville.machines.graphs.consistency import Bits, Consistency
from treville.machines.graphs.early import EarlyWrites
from treville.machines.graphs.explore import Explorer
from treville.machines.graphs.forbidden import Forbidden
from treville.machines.graphs.local import Dependencies
from treville.machines.graphs.relations import uncounted
from treville.machines.graphs.space import Space
from treville.machines.threads import Threads
from treville.models.model import Model
from treville.models.races import is_about_parts
from treville.programs import ir
from treville.results.properties import Error

_ORDERS = {
    "sc": Order.CAUSAL,
    "svcomp": Order.CAUSAL,
    "tso": Order.PROGRAM,
    "pso": Order.PROGRAM,
    "rc11": Order.C11,
    "imm": Order.C11,  # whose own happens-before has more
}
# Definitions of what each model preserves of program order, whatever is read.
_PRESERVED = {
    "aarch64": ("lob",),
    "armv7": ("ppo", "strong", "light"),
    "imm": ("ppo", "bob"),
    "power": ("ppo", "strong", "light"),
    "riscv": ("static-order",),
}
# Models for which a quick look tells most of what they forbid, and what their fences are.
_QUICKLY_FORBIDDEN: dict[str, tuple[str, ...]] = {
    "aarch64": (), "armv7": ("strong", "light"), "power": ("strong", "light"),
}  # fmt: skip
_CAUSAL = ("sc", "svcomp")
_C11, _IMM = "rc11", "imm"


def suits_graphs(model: Model) -> bool:
    """Can graphs be built event by event? See docs/how-it-works/graphs.md."""
    return model.shipped in _ORDERS or model.shipped in _PRESERVED


def knows_races(model: Model) -> bool:
    """Is what happens before what in its races that of the search?"""
    return model.shipped == _C11 and not is_about_parts(model)


def excludes_races(model: Model) -> bool:
    """Does all that happens before something in the search do so in its races? Then a search that meets no
    race proves that there are none. IMM's happens-before has all of RC11's: longer release sequences."""
    return model.shipped in (_C11, _IMM) and not is_about_parts(model)


def explorer_for(
    program: ir.Program,
    model: Model,
    errors: frozenset[Error],
    bound: int | None = None,
    reduced: bool = True,
) -> Explorer:
    """The search, which has not begun."""
    bits = Bits()
    assert model.shipped is not None
    order = _ORDERS.get(model.shipped, Order.PROGRAM)
    coherent = model.shipped == _C11 and not _has_ordered_threads(program)
    threads, preserved = Threads(program, bound), _PRESERVED.get(model.shipped)
    depends = None if preserved is None else Dependencies(threads)
    consistency = Consistency(model, bits, model.shipped in _CAUSAL, coherent, depends)
    explorer = Explorer(
        threads, Space(program), Clocks(program, order), consistency, bits, errors, uncounted, reduced
    )
    if preserved is not None and depends is not None:
        explorer.early = EarlyWrites(model, preserved, depends)
        if model.shipped in _QUICKLY_FORBIDDEN:
            consistency.forbidden = Forbidden(explorer.early, _QUICKLY_FORBIDDEN[model.shipped])
    return explorer


def _has_ordered_threads(program: ir.Program) -> bool:
    """Are there seq_cst events in threads other than main? Those of one thread are in an order anyhow."""
    bodies = program.functions.values()
    return any("SC" in getattr(each, "tags", ()) for body in bodies for each in body.instructions)
