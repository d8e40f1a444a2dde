"""A program and a model -> the search for its graphs; and which models have what the search relies on."""

from __future__ import annotations

from treville.machines.graphs.clocks import Clocks, Order
from treville.machines.graphs.consistency import Bits, Consistency
from treville.machines.graphs.explore import Explorer
from treville.machines.graphs.space import Space
from treville.machines.threads import Threads
from treville.models.model import Model
from treville.programs import ir
from treville.results.properties import Error

_ORDERS = {
    "sc": Order.CAUSAL,
    "svcomp": Order.CAUSAL,
    "tso": Order.PROGRAM,
    "pso": Order.PROGRAM,
    "rc11": Order.C11,
}
_CAUSAL = ("sc", "svcomp")
_C11 = "rc11"


def suits_graphs(model: Model) -> bool:
    """Can graphs be built event by event? See docs/how-it-works/graphs.md."""
    return model.shipped in _ORDERS


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
    order = _ORDERS[model.shipped]
    coherent = model.shipped == _C11 and not _has_ordered(program)
    consistency = Consistency(model, bits, model.shipped in _CAUSAL, coherent)
    return Explorer(
        Threads(program, bound), Space(program), Clocks(program, order), consistency, bits, errors,
        _uncounted, reduced,
    )  # fmt: skip


def _has_ordered(program: ir.Program) -> bool:
    """Are there seq_cst events?"""
    return any("SC" in getattr(instruction, "tags", ()) for instruction in program.instructions())


def _uncounted(units: int) -> None:
    del units
