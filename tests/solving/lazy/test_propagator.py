"""Clauses that the lazy engine learns forbid no more than what violates the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.formulas.formula import Literal
from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.questions.outcomes import outcomes
from treville.results import Budget
from treville.solving.lazy.propagator import LazyModel
from treville.solving.solution import IsTrue

TEST = """X86 both-read
{ x=0; y=0; }
 P0         | P1          ;
 MOV [x],$1 | MOV EAX,[y] ;
 MOV [y],$1 | MOV EBX,[x] ;
exists (1:EAX=1 /\\ 1:EBX=1)
"""
# Whether a write is read depends on the execution: that it is not in the set is not known beforehand.
READ = """"every write is read"
include "cos.cat"
let unread = (W \\ IW) \\ domain(rf)
irreflexive [unread];(po | loc)+ as all-read
"""


# Nor is it known of two writes whether somebody reads one after the other.
LINKED = """"every two writes are read in turn"
include "cos.cat"
let linked = rf;po;rf^-1
irreflexive (([W \\ IW];po^-1;[W \\ IW]) \\ linked);(po | loc)+ as both-read
"""


@pytest.mark.parametrize("engine", ["enumerate", "eager", "lazy"])
@pytest.mark.parametrize("text", [READ, LINKED], ids=["set", "relation"])
def test_what_depends_on_the_execution_is_no_known_fact(text: str, engine: str, tmp_path: Path) -> None:
    (tmp_path / "read.cat").write_text(text)
    model = load_model(tmp_path / "read.cat")
    found = outcomes(parse(TEST, "test.litmus"), model, 2, Budget(), engine)
    assert list(found.states) == [(1, 1)]


def test_only_whole_assignments_are_executions(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a clause clingo asks again while literals are neither true nor false."""
    blame, judged = LazyModel._blame, []

    def watched(self: LazyModel, is_true: IsTrue) -> list[Literal] | None:
        atoms = [Literal(atom) for atom in range(2, self.encoding.formula.atoms + 1)]
        judged.append(all(is_true(atom) != is_true(Literal(-atom)) for atom in atoms))
        return blame(self, is_true)

    monkeypatch.setattr(LazyModel, "_blame", watched)
    lock = Path(__file__).parents[3] / "examples" / "litmus" / "lock.litmus"
    outcomes(parse(lock.read_text(), lock.name), load_model("aarch64"), 2, Budget(), "lazy")
    assert len(judged) > 3
    assert all(judged)
