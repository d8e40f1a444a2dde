"""All engines by name. To add one: a class in its own file, and a line here (docs/how-it-works/recipes.md).

Names map to functions that make an engine, since an engine object serves one task; modules are imported when
an engine is made, so that a question pays only for the engines that work on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias, cast

from treville.engines.contract import Decision, Engine, States
from treville.engines.task import OutcomeTask, ProgramTask
from treville.solving.back_ends.by_name import BackEnd

if TYPE_CHECKING:
    from treville.engines.differences.task import Comparison, DifferenceTask

DecideEngine: TypeAlias = Engine[ProgramTask, Decision]
OutcomeEngine: TypeAlias = Engine[OutcomeTask, States]
DifferenceEngine: TypeAlias = "Engine[DifferenceTask, Comparison]"

AUTO = "auto"
# Names that stand for several engines, or for what suits.
STATES = "states"


def _decide(module: str, cls: str, *arguments: object) -> Callable[[], DecideEngine]:
    def make() -> DecideEngine:
        found = import_module(f"treville.engines.decide.{module}")
        return cast(DecideEngine, getattr(found, cls)(*arguments))

    return make


def _outcome(module: str, cls: str, *arguments: object, **named: object) -> Callable[[], OutcomeEngine]:
    def make() -> OutcomeEngine:
        found = import_module(f"treville.engines.outcomes.{module}")
        return cast(OutcomeEngine, getattr(found, cls)(*arguments, **named))

    return make


def _difference(module: str, cls: str, *arguments: object) -> Callable[[], DifferenceEngine]:
    def make() -> DifferenceEngine:
        found = import_module(f"treville.engines.differences.{module}")
        return cast("DifferenceEngine", getattr(found, cls)(*arguments))

    return make


# The encodings of papers 000 and 003.
_PARTIAL_ORDERS = ("clocks", "conflicts")
_OTHERS = (BackEnd.Z3, BackEnd.SAT, BackEnd.CADICAL)
# The other encodings have no recursive definitions.
_OF_ANY_FIXPOINT = (BackEnd.Z3_ANY, BackEnd.SAT_ANY)

# Who decides whether a program can violate a property.
DECIDE: Mapping[str, Callable[[], DecideEngine]] = {
    "buffers": _decide("buffers", "StoreBuffers"),
    "waiting": _decide("waiting", "WaitingByStates"),
    "apart": _decide("apart", "Apart"),
    "races": _decide("races", "RacesByStates"),
    "views": _decide("views", "Views"),
    "robustness": _decide("robustness", "Robustness"),
    "view-abstraction": _decide("view_abstraction", "ViewAbstraction"),
    "graphs": _decide("graphs", "Graphs"),
    "rounds": _decide("rounds", "InRounds"),
    "interleavings": _decide("interleavings", "Interleavings"),
    "formulas": _decide("acyclicity", "Acyclicity"),
    "eager": _decide("acyclicity", "Acyclicity", "eager"),
    "lazy": _decide("acyclicity", "Acyclicity", "lazy"),
    **{
        f"eager:{solver}": _decide("acyclicity", "Acyclicity", "eager", solver)
        for solver in (*_OTHERS, *_OF_ANY_FIXPOINT)
    },
    **{name: _decide("partial_orders", "PartialOrders", name) for name in _PARTIAL_ORDERS},
    **{
        f"{name}:{solver}": _decide("partial_orders", "PartialOrders", name, solver)
        for name in _PARTIAL_ORDERS
        for solver in _OTHERS
    },
}

# Those that take what is known of pointers from `--alias`.
OF_FORMULAS = ("formulas", "eager", "lazy")

# What `treville check --engine` may name; other solvers and encodings have options of their own.
NAMED = (AUTO, STATES, *(name for name in DECIDE if ":" not in name and name not in _PARTIAL_ORDERS))

# Who looks for what one model allows and another forbids.
DIFFERENCES: Mapping[str, Callable[[], DifferenceEngine]] = {
    "enumerate": _difference("listing", "Listing"),
    "judged": _difference("listing", "Judging"),
    "formulas": _difference("formulas", "Differences"),
    "eager": _difference("formulas", "Differences", False),
    "lazy": _difference("formulas", "Differences", True),
    **{
        f"eager:{solver}": _difference("formulas", "Differences", False, solver)
        for solver in ("certificates", BackEnd.Z3, BackEnd.SAT)
    },
}

# Who lists the final states of a litmus test.
OUTCOMES: Mapping[str, Callable[[], OutcomeEngine]] = {
    "enumerate": _outcome("enumerate", "Enumerate"),
    "eager": _outcome("symbolic", "Symbolic"),
    "lazy": _outcome("symbolic", "Symbolic", lazy=True),
    **{
        f"eager:{solver}": _outcome("symbolic", "Symbolic", back_end=solver)
        for solver in (*_OTHERS, *_OF_ANY_FIXPOINT)
    },
    **{name: _outcome("partial_orders", "PartialOrderStates", name) for name in _PARTIAL_ORDERS},
    **{
        f"{name}:{solver}": _outcome("partial_orders", "PartialOrderStates", name, solver)
        for name in _PARTIAL_ORDERS
        for solver in _OTHERS
    },
}

# What `treville litmus --engine` may name.
NAMED_OUTCOMES = (AUTO, *(name for name in OUTCOMES if ":" not in name))


def engine_name(encoding: str, solver: str) -> str:
    """The engine of an encoding and a solver, as `--encoding` and `--solver` name them."""
    base = "eager" if encoding == "acyclicity" else encoding
    return base if solver == BackEnd.CLASP else f"{base}:{solver}"
