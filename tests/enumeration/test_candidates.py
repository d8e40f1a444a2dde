"""The explicit engine on hand-made programs and models."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from tests.model_builder import ModelBuilder

from treville.enumeration.candidates import enumerate_outcomes
from treville.models.implied import implies_coherence
from treville.models.model import Model, NodeId
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Const, Instruction, Load, Reg, Store
from treville.programs.litmus.test import CellOf, LitmusTest, RegisterOf
from treville.results import Budget
from treville.solving.observed_states import State


class Builder(ModelBuilder):
    def communication(self) -> NodeId:
        rf, co = self.base("rf"), self.base("co")
        return self.union(rf, co, self.node("seq", self.node("inverse", rf), co))


def sequential_consistency() -> Model:
    b = Builder("made by hand")
    b.axiom("acyclic", b.union(b.base("po"), b.communication()), "sc")
    return b.model


def total_store_order() -> Model:
    b = Builder("made by hand")
    po, com = b.base("po"), b.communication()
    local = b.node("inter", po, b.base("loc"))
    b.axiom("acyclic", b.union(local, com), "uniproc")
    write_read = b.node("product", b.base("W", "set"), b.base("R", "set"))
    rfe = b.node("inter", b.base("rf"), b.base("ext"))
    co = b.base("co")
    fr = b.node("seq", b.node("inverse", b.base("rf")), co)
    b.axiom("acyclic", b.union(b.node("diff", po, write_read), rfe, co, fr), "ghb")
    return b.model


def store_buffering() -> LitmusTest:
    program = ProgramDraft()
    x, y = (Const(program.location(name).address) for name in "xy")
    for mine, theirs in ((x, y), (y, x)):
        code: list[Instruction] = [Store(mine, Const(1), index=0), Load("r", theirs, index=1)]
        program.threads.append(ThreadDraft(f"P{len(program.threads)}", code))
    observed = (RegisterOf(0, "r", "0:r"), RegisterOf(1, "r", "1:r"), CellOf(x.value, "x"))
    return LitmusTest("SB", "X86", program.finished(), observed=observed)


def coherence_of_reads() -> LitmusTest:
    program = ProgramDraft()
    x = Const(program.location("x").address)
    program.threads = [
        ThreadDraft("P0", [Store(x, Const(1))]),
        ThreadDraft("P1", [Load("a", x, index=0), Load("b", x, index=1)]),
    ]
    return LitmusTest(
        "CoRR", "X86", program.finished(), observed=(RegisterOf(1, "a", "1:a"), RegisterOf(1, "b", "1:b"))
    )


def states(test: LitmusTest, model: Model) -> dict[State, int]:
    return dict(enumerate_outcomes(test, model, 2, Budget()).states)


def test_store_buffering_needs_a_store_buffer() -> None:
    under_sc = states(store_buffering(), sequential_consistency())
    under_tso = states(store_buffering(), total_store_order())
    assert set(under_sc) == {(0, 1, 1), (1, 0, 1), (1, 1, 1)}
    assert set(under_tso) - set(under_sc) == {(0, 0, 1)}
    assert all(count == 1 for count in under_tso.values())


def test_a_model_without_coherence_lets_reads_go_back_in_time() -> None:
    lawless = Model("lawless")
    assert not implies_coherence(lawless)
    assert set(states(coherence_of_reads(), lawless)) == {(0, 0), (0, 1), (1, 0), (1, 1)}


@pytest.mark.parametrize("make", [sequential_consistency, total_store_order])
def test_coherence_is_recognised_and_enforced(make: Callable[[], Model]) -> None:
    model = make()
    assert implies_coherence(model)
    assert set(states(coherence_of_reads(), model)) == {(0, 0), (0, 1), (1, 1)}


def test_a_counter_does_not_feed_itself() -> None:
    """Two increments give 1 or 2, never more, although each thread's write enlarges the set of values."""
    from treville.programs.ir import Op, Reg

    program = ProgramDraft()
    x = Const(program.location("x").address)
    for _ in range(2):
        increment = Op("add", (Reg("r"), Const(1)), 32)
        program.threads.append(ThreadDraft("P", [Load("r", x, index=0), Store(x, increment, index=1)]))
    test = LitmusTest("inc", "X86", program.finished(), observed=(CellOf(x.value, "x"),))
    assert set(states(test, sequential_consistency())) == {(1,), (2,)}


def test_the_five_patterns_are_needed_for_coherence() -> None:
    """Dropping fr from the union leaves stale reads possible, and the recogniser says so."""
    b = Builder("made by hand")
    local = b.node("inter", b.base("po"), b.base("loc"))
    b.axiom("acyclic", b.union(local, b.base("rf"), b.base("co")), "almost")
    assert not implies_coherence(b.model)
    counts = [len(states(coherence_of_reads(), m)) for m in (sequential_consistency(), b.model)]
    assert all(a < b for a, b in pairwise(counts))


def test_values_do_not_justify_each_other() -> None:
    """Copies of x to y and back read what is written elsewhere, not only what they pass round."""
    program = ProgramDraft()
    x, y = (Const(program.location(name).address) for name in "xy")
    for source, target in ((x, y), (y, x)):
        code: list[Instruction] = [Load("r", source, index=0), Store(target, Reg("r"), index=1)]
        program.threads.append(ThreadDraft("copy", code))
    program.threads.append(ThreadDraft("once", [Store(x, Const(1), index=0)]))
    observed = (RegisterOf(0, "r", "0:r"), RegisterOf(1, "r", "1:r"))
    test = LitmusTest("circle", "X86", program.finished(), observed=observed)
    # Six choices of sources, less the one in which each copy reads the other; two orders of the writes to x.
    assert states(test, Model("lawless")) == {(0, 0): 6, (1, 0): 2, (1, 1): 2}
