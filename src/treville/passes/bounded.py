"""A program and a bound -> what is known of its events: the passes that need the bound, in one place.

Loops are unrolled, threads become events, values and addresses are analysed; a program that frees objects is
rewritten so that each cell has its own end, one that hands objects on without an order so that each cell has
its own beginning, and analysed again. Every engine that solves formulas starts from
these facts, whichever encoding it uses.
"""

from __future__ import annotations

from treville.analysis.alias_names import FLOW, Alias
from treville.analysis.facts import Facts, gather_facts
from treville.analysis.possible import Values
from treville.analysis.values import analyse_values
from treville.events.symbolic import StaticAccess, SymbolicProgram, symbolic_program
from treville.events.symbolic_whole import whole_program
from treville.passes.beginnings import with_beginnings
from treville.passes.lifetimes import with_ends_of_cells
from treville.programs.ir import Program
from treville.results import Budget, Unsupported

# Above so many numbers, bit-vectors are smaller than tables (bench/check.py).
MOST_NUMBERS = 24


def facts_of_program(
    program: Program, bound: int, budget: Budget, coherent: bool, alias: Alias = FLOW
) -> Facts:
    """What is known of the events of a whole program. `coherent`: the model implies coherence per location.
    `alias`: see `analysis.aliases`."""
    with budget.stage("events"):
        symbolic = whole_program(program, bound)
    budget.check()
    with budget.stage("values"):
        values = analyse_values(symbolic, coherent, most=MOST_NUMBERS)
        split = with_ends_of_cells(symbolic, values) if symbolic.frees else None
        split = with_beginnings(split or symbolic.program, symbolic, values) or split
        if split is not None:
            symbolic = whole_program(split, bound)
            values = analyse_values(symbolic, coherent, most=MOST_NUMBERS)
        facts = gather_facts(symbolic, values, coherent, set(), alias)
    budget.check()
    return facts


def facts_of_test(
    program: Program, bound: int, budget: Budget, coherent: bool, observed: set[int], alias: Alias = FLOW
) -> Facts:
    """What is known of the events of a litmus test. `observed`: addresses whose last write matters."""
    symbolic = symbolic_program(program, bound)
    values = analyse_values(symbolic, coherent)
    _refuse_accesses_to_code(symbolic, values)
    facts = gather_facts(symbolic, values, coherent, observed, alias)
    budget.check()
    return facts


def _refuse_accesses_to_code(symbolic: SymbolicProgram, values: Values) -> None:
    """Instructions are no data: a test that reads or writes them means something else."""
    code = {address for thread in symbolic.program.threads for address in thread.code_addresses}
    accesses = [event for event in symbolic.events if isinstance(event, StaticAccess)] if code else []
    for event in accesses:
        known = values.live >> event.number & 1 and event.address not in values.ranged
        if known and values.listed(event.address) & code:
            raise Unsupported("an access to instructions (self-modifying code)", event.instruction.span)
