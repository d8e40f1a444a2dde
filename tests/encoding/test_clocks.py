"""Clock constraints: the worked example of paper 000 constraint by constraint; architectures by states."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.asking import states, symbolic_outcomes

from treville.encoding.architectures import ARCHITECTURES, architecture_of
from treville.encoding.encoding import (
    Clock,
    ClockConstraint,
    EncodingName,
    PartialOrderEncoding,
)
from treville.encoding.partial_orders import encode_partial_orders
from treville.encoding.preserved_order import tautology
from treville.events.symbolic_terms import Condition
from treville.formulas.formula import TRUE
from treville.models.implied import implies_coherence
from treville.models.library import load_model
from treville.passes.bounded import facts_of_test
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Branch, Const, Fence, Instruction, Load, Reg, Store
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest, RegisterOf
from treville.results import Budget, Unsupported

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpora" / "litmus"
EXAMPLES = ROOT / "examples" / "litmus"
ONE = Const(1)


def iriw(fence: str = "") -> LitmusTest:
    """Figure 2: the reads (a), (b) and (c), (d), the writes (e) and (f); with a fence between the reads."""
    program = ProgramDraft()
    x, y = (Const(program.location(name).address) for name in ("x", "y"))
    between: list[Instruction] = [Fence(frozenset({fence}))] if fence else []
    program.threads = [
        ThreadDraft("P0", [Load("r1", x), *between, Load("r2", y)]),
        ThreadDraft("P1", [Load("r3", y), *between, Load("r4", x)]),
        ThreadDraft("P2", [Store(x, ONE)]),
        ThreadDraft("P3", [Store(y, ONE)]),
    ]
    observed = [RegisterOf(number // 2, f"r{number + 1}", f"r{number + 1}") for number in range(4)]
    return LitmusTest("IRIW", "C", program.finished(), observed=tuple(observed))


NON_SC = (1, 0, 1, 0)


def encoded(test: LitmusTest, model: str, encoding: str = "clocks") -> PartialOrderEncoding:
    chosen = load_model(model)
    facts = facts_of_test(test.program, 2, Budget(), implies_coherence(chosen), set())
    return encode_partial_orders(EncodingName(encoding), facts, chosen, Budget(), complete=True)


class Named:
    """The events of the worked example by their letters in the paper."""

    def __init__(self, encoding: PartialOrderEncoding) -> None:
        self.encoding = encoding
        facts = encoding.facts
        accesses = [event.number for event in facts.symbolic.events if event.kind != "F"]
        self.names = dict(zip(accesses, "abcdef", strict=False))
        self.names |= {number: f"i{index}" for index, number in enumerate(facts.initial_writes)}
        fences = [event.number for event in facts.symbolic.events if event.kind == "F"]
        self.names |= {number: f"s{index}" for index, number in enumerate(fences)}
        self.numbers = {name: number for number, name in self.names.items()}

    def pairs(self, relation: str, order: str = "ghb") -> set[str]:
        """All clock constraints of a relation in the paper's notation, c(ab) as `ab`."""
        return {
            self.shown(c)
            for c in self.encoding.constraints
            if c.relation == relation and c.before.order == order
        }

    def shown(self, constraint: ClockConstraint) -> str:
        return f"{self.clock(constraint.before)}{self.clock(constraint.after)}"

    def clock(self, clock: Clock) -> str:
        return self.names[clock.event] + (f"^{clock.part}" if clock.part else "")

    def match(self, write: str, read: str) -> int:
        """The literal s(wr)."""
        return self.encoding.memory.reads_from(self.numbers[write], self.numbers[read])

    def premise(self, relation: str, pair: str) -> int:
        found = [
            c.premise for c in self.encoding.constraints if c.relation == relation and self.shown(c) == pair
        ]
        assert len(found) == 1
        return found[0]


def test_iriw_on_sc_has_the_constraints_of_figure_4() -> None:
    named = Named(encoded(iriw(), "sc"))
    assert named.pairs("ppo") == {"ab", "cd"}
    assert named.pairs("grf") == {"i0a", "ea", "i0d", "ed", "i1b", "fb", "i1c", "fc"}
    assert named.pairs("ws") == {"i0e", "i1f"}
    assert named.pairs("fr") == {"ae", "de", "bf", "cf"}
    assert named.pairs("ab") == set()


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_from_read_is_quadratic_where_one_thread_writes_a_location(model: str) -> None:
    """Section 5.7: for each match of a read only the next write needs a constraint (and where the last write
    is read, none), in each of the orders."""
    for rounds in (2, 5, 9):
        program = ProgramDraft()
        x = Const(program.location("x").address)
        writes: list[Instruction] = [Store(x, Const(number + 1)) for number in range(rounds)]
        reads: list[Instruction] = [Load(f"r{number}", x) for number in range(rounds)]
        program.threads = [ThreadDraft("P0", writes), ThreadDraft("P1", reads)]
        encoding = encoded(LitmusTest("rounds", "C", program.finished()), model)
        found = [c for c in encoding.constraints if c.relation == "fr" and c.before.order == "ghb"]
        assert len(found) == rounds * rounds


def test_the_premises_of_figure_4_are_the_matches() -> None:
    named = Named(encoded(iriw(), "sc"))
    for pair in ("i0a", "ea", "i0d", "ed"):
        assert named.premise("grf", pair) == named.match(pair[:-1], pair[-1])
    # The initial write comes first, so a read that finds it comes before the other write.
    assert named.premise("ws", "i0e") == TRUE
    assert named.premise("fr", "ae") == named.match("i0", "a")
    assert named.premise("ppo", "ab") == TRUE


def test_every_read_of_figure_4_has_some_match() -> None:
    encoding = encoded(iriw(), "sc")
    named = Named(encoding)
    one, other = named.match("i0", "a"), named.match("e", "a")
    assert one == -other or tuple(sorted((-one, -other))) in [
        tuple(sorted(c)) for c in encoding.formula.forbidden
    ]


def test_iriw_on_tso_has_the_same_constraints_as_on_sc() -> None:
    strong, weak = Named(encoded(iriw(), "sc")), Named(encoded(iriw(), "tso"))
    for relation in ("ppo", "grf", "ws", "fr"):
        assert weak.pairs(relation) == strong.pairs(relation)


def test_iriw_on_power_has_neither_preserved_order_nor_safe_reads() -> None:
    named = Named(encoded(iriw(), "power2012"))
    assert named.pairs("ppo") == set()
    assert named.pairs("grf") == set()
    assert named.pairs("rf", "uniproc") == {"i0a", "ea", "i0d", "ed", "i1b", "fb", "i1c", "fc"}
    assert named.pairs("fr") == {"ae", "de", "bf", "cf"}


def test_sync_is_cumulative_as_in_section_5_5() -> None:
    named = Named(encoded(iriw("SYNC"), "power2012"))
    assert named.pairs("ab") == {"as0", "s0b", "cs1", "s1d"}
    assert named.pairs("ab-a") == {"i0s0", "es0", "i1s1", "fs1"}
    assert named.premise("ab-a", "es0") == named.match("e", "a")
    assert named.pairs("ab-b") == set()


def test_lwsync_has_two_clocks_as_in_figure_6() -> None:
    named = Named(encoded(iriw("LWSYNC"), "power2012"))
    assert named.pairs("ab") == {"as0^r", "s0^rb", "cs1^r", "s1^rd"}
    assert named.pairs("ab-a") == {"i0s0^w", "es0^w", "i1s1^w", "fs1^w"}


@pytest.mark.parametrize(
    ("model", "fence", "seen"),
    [
        ("sc", "", False), ("tso", "", False), ("pso", "", False), ("rmo", "", True), ("power2012", "", True),
        ("power2012", "LWSYNC", True), ("power2012", "SYNC", False), ("rmo", "MEMBAR.LL", False),
    ],
)  # fmt: skip
def test_iriw_is_seen_where_the_paper_says(model: str, fence: str, seen: bool) -> None:
    found = states(iriw(fence), load_model(model), 2, Budget(), "clocks")
    assert (NON_SC in found) == seen


def figure_6(fence: str) -> Named:
    """A thread that writes and reads before and after a fence: w1, r1, then w2, r2."""
    program = ProgramDraft()
    x, y, z, u = (Const(program.location(name).address) for name in "xyzu")
    fenced = Fence(frozenset({fence}))
    code: list[Instruction] = [Store(x, ONE), Load("r1", y), fenced, Store(z, ONE), Load("r2", u)]
    program.threads = [ThreadDraft("P0", code)]
    return Named(encoded(LitmusTest("figure 6", "C", program.finished()), "power2012"))


def test_figure_6_orders_all_pairs_but_the_write_and_the_later_read() -> None:
    named = figure_6("LWSYNC")  # a is w1, b is r1, c is w2, d is r2
    assert named.pairs("ab") == {"as0^w", "bs0^r", "s0^wc", "s0^rc", "s0^rd"}


# -- Algorithm 4 -----------------------------------------------------------------------------------------


def guarded(both_ways: bool) -> LitmusTest:
    """`if (e1) e2; e3`, or `if (e1) e2 else e2'; e3`."""
    program = ProgramDraft()
    x, y, z = (Const(program.location(name).address) for name in "xyz")
    code: list[Instruction] = [Load("r1", x), Branch("else", Reg("r1")), Store(y, ONE)]
    if both_ways:
        code += [Branch("end"), Store(z, ONE)]
    labels = {"else": 4 if both_ways else 3, "end": len(code)}
    code.append(Store(x, ONE))
    other = ThreadDraft("P1", [Store(x, ONE)])
    program.threads = [ThreadDraft("P0", code, labels), other]
    return LitmusTest("guarded", "C", program.finished())


def ordered(test: LitmusTest, model: str = "sc") -> set[tuple[int, int]]:
    found = encoded(test, model).constraints
    return {(c.before.event, c.after.event) for c in found if c.relation == "ppo"}


def test_a_guarded_event_between_two_others_does_not_make_their_order_redundant() -> None:
    assert ordered(guarded(both_ways=False)) == {(0, 1), (1, 2), (0, 2)}


def test_events_on_both_branches_make_it_redundant() -> None:
    assert ordered(guarded(both_ways=True)) == {(0, 1), (0, 2), (1, 3), (2, 3)}


def test_a_straight_thread_needs_one_constraint_for_each_neighbour() -> None:
    program = ProgramDraft()
    x = Const(program.location("x").address)
    program.threads = [ThreadDraft("P0", [Store(x, Const(n)) for n in range(5)])]
    assert ordered(LitmusTest("straight", "C", program.finished())) == {(n, n + 1) for n in range(4)}


@pytest.mark.parametrize(
    ("cubes", "always"),
    [([], False), ([{1}], False), ([{1}, {-1}], True), ([{1, 2}, {-1}], False), ([{1, 2}, {-1}, {-2}], True)],
)
def test_tautologies_of_cubes(cubes: list[set[int]], always: bool) -> None:
    assert tautology([frozenset(map(Condition, cube)) for cube in cubes]) == always


# -- states ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.litmus")), ids=lambda path: path.stem)
@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_examples_have_the_states_of_the_default_encoding(file: Path, model: str) -> None:
    test = parse(file.read_text(), str(file))
    chosen = load_model(model)
    expected = set(symbolic_outcomes(test, chosen, 2, Budget()).states)
    assert states(test, chosen, 2, Budget(), "clocks") == expected


def corpus(family: str, every: int) -> list[Path]:
    return sorted((CORPUS / family).rglob("*.litmus"))[::every]


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.litmus")), ids=lambda path: path.stem)
@pytest.mark.parametrize("model", ["rmo", "alpha", "power2012"])
def test_weak_architectures_have_the_states_of_their_models(file: Path, model: str) -> None:
    test = parse(file.read_text(), str(file))
    expected = set(symbolic_outcomes(test, load_model(model), 2, Budget()).states)
    assert states(test, load_model(model), 2, Budget(), "clocks") == expected


@pytest.mark.parametrize("file", corpus("PPC", 40), ids=lambda path: path.stem)
def test_power_clocks_have_the_states_of_the_model_in_cat(file: Path) -> None:
    test = parse(file.read_text(), str(file))
    expected = set(symbolic_outcomes(test, load_model("power2012"), 2, Budget()).states)
    assert states(test, load_model("power2012"), 2, Budget(), "clocks") == expected


def test_a_model_of_ones_own_has_no_architecture(tmp_path: Path) -> None:
    assert {architecture_of(load_model(name)).name for name in ARCHITECTURES} == set(ARCHITECTURES)
    own = tmp_path / "tso.cat"
    own.write_text('"tso"\nacyclic po | rf | co as all\n')
    for model in ("aarch64", "power", own):
        with pytest.raises(Unsupported, match="built in"):
            architecture_of(load_model(model))


def test_a_fence_without_a_meaning_is_refused() -> None:
    with pytest.raises(Unsupported, match=r"DSB\.ST"):
        encoded(iriw("DSB.ST"), "tso")
