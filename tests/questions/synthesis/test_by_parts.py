"""Models by parts: shipped models found again from what they say of tests, planted ones likewise."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.questions.synthesis.given import ROOT, examples_of, labelled
from tests.seeds import generator

from treville.campaigns.loading import load_model, load_test
from treville.models.cat.resolve import resolve_text
from treville.models.model import Model
from treville.programs.litmus.test import LitmusTest
from treville.questions.comparison import Scope, smallest_difference
from treville.questions.synthesis.answer import Answer, judge
from treville.questions.synthesis.by_parts import fill, fill_built_in
from treville.questions.synthesis.choosing import Chooser
from treville.questions.synthesis.filling import Filling, Recursion, Slot
from treville.questions.synthesis.listing import list_executions
from treville.questions.synthesis.parts import parts_of
from treville.questions.synthesis.problem import Method, Problem, Requirement, Space
from treville.questions.synthesis.sketches import ASSUMED, built_in, read_sketch
from treville.questions.synthesis.terms import leaf
from treville.questions.synthesis.uniqueness import Learner
from treville.questions.synthesis.vocabulary import Vocabulary
from treville.questions.synthesis.writing import tidy
from treville.results import Budget, InputError, Unsupported
from treville.results.verdict import Verdict

X86 = Vocabulary("X86")
FRAMEWORK = """
acyclic po-loc | rmw | rf | co | fr as coherence
empty rmw & (fre; coe) as atomic
acyclic ppo | grf | co | fr | fences as agreement
"""


def _examples() -> list[LitmusTest]:
    tests = [load_test(path.read_text(), str(path)) for path in sorted((ROOT / "examples/litmus").iterdir())]
    return [test for test in tests if test.dialect == "X86"]


def _differs(one: Model, other: Model, events: int, dialect: str = "X86") -> object:
    scope = Scope(dialect, events)
    return smallest_difference(one, other, scope) or smallest_difference(other, one, scope)


@pytest.mark.parametrize("name", ["sc", "tso", "pso"])
def test_a_shipped_model_explains_itself(name: str) -> None:
    requirements = labelled(_examples(), load_model(name))
    assert len(requirements) > 15
    answer = fill_built_in(Problem("X86", tuple(requirements)), X86, Budget())
    assert answer.found is not None
    judged = judge(answer.found.resolved(), requirements, Budget(), "")
    assert (judged.right, judged.wrong, judged.unknown) == (len(requirements), (), ())


def test_a_framework_is_filled() -> None:
    requirements = labelled(_examples(), load_model("tso"))
    sketch = read_sketch(X86.prelude, FRAMEWORK, "framework.cat", None)
    assert set(sketch.holes) == {"ppo", "grf", "fences"}
    answer = fill(Problem("X86", tuple(requirements), Space(size=1)), X86, sketch, Budget())
    assert answer.found is not None
    assert not judge(answer.found.resolved(), requirements, Budget(), "").wrong


def test_a_recursive_hole_is_defined_recursively() -> None:
    """What a write knows goes between threads: three steps in MP and five in ISA2, so that parts of size
    1 need a closure, and a definition that is unrolled once is too short for ISA2."""
    sketch = read_sketch(X86.prelude, "irreflexive steps; fre as known\n", "steps.cat", None)
    tests = examples_of(("MP", "ISA2", "SB"))
    requirements = [Requirement(test, test.condition, test.name == "SB", test.name) for test in tests]

    def filled(recursion: int) -> Answer:
        space = Space(base=("po", "rfe"), size=1, recursion=recursion)
        return fill(Problem("X86", tuple(requirements), space), X86, sketch, Budget())

    assert filled(0).verdict is Verdict.FAIL
    found = filled(1).found
    assert found is not None
    assert "let rec steps = " in found.body
    assert not judge(found.resolved(), requirements, Budget(), "").wrong
    closed = resolve_text(f"{X86.prelude}irreflexive (po | rfe)+; fre as known\n")
    assert _differs(found.resolved(), closed, 4) is None


def test_a_space_that_is_exhausted_is_a_verdict_with_its_tests() -> None:
    """Without fences in the holes TSO's fenced tests cannot be told from the others."""
    requirements = labelled(_examples(), load_model("tso"))
    sketch = read_sketch(X86.prelude, "acyclic po-loc | rf | co | fr\nacyclic order\n", "one.cat", None)
    space = Space(base=("po", "rf", "co", "fr"), size=1)
    answer = fill(Problem("X86", tuple(requirements), space), X86, sketch, Budget())
    assert answer.verdict is Verdict.FAIL
    assert {each.allowed for each in answer.contradiction} == {True, False}
    for left_out in answer.contradiction:  # minimal: without any of them there is a model
        rest = tuple(each for each in answer.contradiction if each is not left_out)
        assert fill(Problem("X86", rest, space), X86, sketch, Budget()).found is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("acyclic po | rf\n", "no holes"),
        ("acyclic po-locc | rf\n", "did you mean po-loc?"),
        ("acyclic po \\ hole\n", "right of a difference"),
        ("acyclic ~hole\n", "complement"),
    ],
)
def test_wrong_sketches_are_refused_with_their_place(text: str, words: str) -> None:
    with pytest.raises((InputError, Unsupported)) as caught:
        read_sketch(X86.prelude, text, "wrong.cat", None)
    assert words in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.file == "wrong.cat"


@pytest.mark.parametrize(("name", "most"), [("sc", 8), ("tso", 20)])
def test_an_oracle_teaches_its_model(name: str, most: int) -> None:
    problem = Problem("X86", (), Space(method=Method.PARTS))
    learnt = Learner(problem, X86, None, 4, Budget()).from_model(load_model(name))
    assert learnt.unique
    assert len(learnt.asked) <= most
    assert learnt.answer.found is not None
    assert _differs(learnt.answer.found.resolved(), load_model(name), 4) is None


_PARTS = ("po & (R * R)", "po & (R * W)", "po & (W * W)", "po & (W * R)", "mfence")
_COMMUNICATION = ("rfe", "fre", "coe", "rfi", "fri", "coi")


def _planted(seed: int) -> Model:
    pick = generator(seed)
    order = [part for part in _PARTS if pick.random() < 0.5]
    order += [part for part in _COMMUNICATION if pick.random() < 0.7]
    body = " | ".join(f"({part})" for part in order) or "0"
    coherence = "acyclic po-loc | rmw | rf | co | fr\nempty rmw & (fre; coe)\n"
    return resolve_text(f"{X86.prelude}{coherence}acyclic {body} as planted\n", f"planted{seed}.cat")


def _is_recovered(seed: int) -> None:
    planted = _planted(seed)
    problem = Problem("X86", (), Space(method=Method.PARTS))
    learnt = Learner(problem, X86, None, 4, Budget()).from_model(planted)
    assert learnt.unique, learnt.answer.reason
    assert learnt.answer.found is not None
    assert _differs(learnt.answer.found.resolved(), planted, 4) is None


@pytest.mark.parametrize("seed", range(6))
def test_planted_models_are_recovered(seed: int) -> None:
    _is_recovered(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_many_planted_models_are_recovered(seed: int) -> None:
    _is_recovered(seed)


def test_tests_that_do_not_determine_a_model() -> None:
    tests = [test for test in _examples() if test.name in ("SB", "MP")]
    requirements = labelled(tests, load_model("tso"))
    learner = Learner(Problem("X86", tuple(requirements), Space(method=Method.PARTS)), X86, None, 4, Budget())
    learnt = learner.by_asking(lambda _: None)
    assert not learnt.unique
    assert len(learnt.asked) == 1
    assert learnt.alternative is not None
    assert learnt.answer.found is not None
    both = [learnt.answer.found.resolved(), learnt.alternative.resolved()]
    for model in both:  # both explain what was given, and disagree on what is missing
        assert not judge(model, requirements, Budget(), "").wrong
    missing = learnt.asked[0].difference.test
    assert len({each.allowed for model in both for each in labelled([missing], model)}) == 2


MP = """PPC MP
{{ 0:r20=x; 0:r21=y; 1:r20=x; 1:r21=y; }}
 P0             | P1            ;
 li r12,1       |               ;
 stw r12,0(r20) | lwz r1,0(r21) ;
 {fence:<14} |               ;
 stw r12,0(r21) | lwz r2,0(r20) ;
exists (1:r1=1 /\\ 1:r2=0)
"""


def test_a_fence_that_no_test_mentions_orders_what_it_orders_at_home() -> None:
    """PSO from tests of lwsync: it orders writes with eieio, too, and nothing else."""
    tests = [load_test(MP.format(fence=fence), "MP.litmus") for fence in ("", "lwsync")]
    answer = fill_built_in(
        Problem("PPC", tuple(labelled(tests, load_model("pso")))), Vocabulary("PPC"), Budget()
    )
    assert answer.found is not None
    with_eieio = load_test(MP.format(fence="eieio"), "MP.litmus")
    without = load_test(MP.format(fence="isync"), "MP.litmus")
    found = [each.allowed for each in labelled([with_eieio, without], answer.found.resolved())]
    assert found == [False, True]


SB = """AArch64 SB
{{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }}
 P0          | P1          ;
 MOV W0,#1   | MOV W0,#1   ;
 STR W0,[X1] | STR W0,[X1] ;
 DMB SY      | {fence:<11} ;
 LDR W2,[X3] | LDR W2,[X3] ;
exists (0:X2=0 /\\ 1:X2=0)
"""


def test_stores_that_are_complete_are_told_from_stores_in_order() -> None:
    """`dsb st` orders a write before a read on AArch64, `dmb st` does not."""
    tests = [load_test(SB.format(fence=fence), "SB.litmus") for fence in ("DMB ST", "DSB ST", "DMB SY")]
    requirements = labelled(tests, load_model("aarch64"))
    assert [each.allowed for each in requirements] == [True, False, False]
    answer = fill_built_in(Problem("AArch64", tuple(requirements)), Vocabulary("AArch64"), Budget())
    assert answer.found is not None
    assert not judge(answer.found.resolved(), requirements, Budget(), "").wrong


def test_parts_are_written_as_they_were_computed() -> None:
    """Also where program order is composed: a fence is no access in between."""
    tests = [load_test(SB.format(fence=fence), "SB.litmus") for fence in ("DMB ST", "LDR W4,[X3]")]
    vocabulary = Vocabulary("AArch64")
    world = list_executions(labelled(tests, load_model("aarch64")), resolve_text(""), Budget()).world
    parts = parts_of(vocabulary, world, 2, Budget())
    both = {str(part.term): part.value for part in parts}
    assert "rfe" in both or "fre" in both
    accesses = vocabulary.values(["M * M"], world)[0].value
    for text, known in zip(both, vocabulary.values(list(both), world), strict=True):
        inside = tuple(a & b for a, b in zip(known.value, accesses, strict=True))
        assert inside == both[text], text


def test_unions_in_a_part_are_not_taken_for_its_ends() -> None:
    fences = "lwsync & (R * M | M * W) | eieio & (W * W)"
    terms = tidy([leaf(fences), leaf("po & (R * W)"), leaf("po & (R * R)")])
    assert [(term.text, term.size) for term in terms] == [(fences, 1), ("po & (R * M)", 2)]


@pytest.mark.parametrize("name", ["tso", "pso", "power"])
def test_without_effort_cheaper_parts_take_the_places_of_dear_ones(name: str) -> None:
    requirements = labelled(_examples(), load_model(name))
    sketch = built_in(X86.prelude, ASSUMED[0], 1)
    evidence = list_executions(requirements, sketch.least, Budget(), settled=True)
    parts = parts_of(X86, evidence.world, 2, Budget())
    slots = [Slot("order", each.term, each.value) for each in parts]

    def cost(effort: int) -> int:
        chooser = Chooser(sketch.model, sketch.holes, slots, evidence, Budget(), _effort=effort)
        chosen = chooser.run()
        assert isinstance(chosen, list)
        return sum(slot.cost for slot in chosen)

    best = cost(2_000)
    assert best <= cost(0) <= best + 3


def test_growing_a_choice_agrees_with_asking_for_each_execution() -> None:
    """For each execution: the slots inside still allow it, and each one outside would not."""
    requirements = labelled(_examples(), load_model("tso"))
    sketch = read_sketch(X86.prelude, FRAMEWORK, "framework.cat", None)
    evidence = list_executions(requirements, sketch.least, Budget())
    parts = parts_of(X86, evidence.world, 1, Budget(), ("po", "rf", "po-loc", "mfence"))
    slots = [Slot(hole, each.term, each.value) for hole in sketch.holes for each in parts]
    slots += [Slot("grf", each.term, each.value, Recursion.BEFORE) for each in parts]
    filling = Filling(sketch.model, sketch.holes, evidence.world, slots)
    everything = evidence.world.all
    allowed = evidence.world.numbers(everything & ~filling.forbidden({0: everything}))
    for number, outside in enumerate(filling.grown([0])):
        if number in allowed:
            inside = {each: everything for each in range(len(slots)) if each not in outside}
            assert not filling.forbidden(inside) >> (8 * number) & 1
            assert all(
                filling.forbidden({**inside, each: everything}) >> (8 * number) & 1 for each in outside
            )


def test_the_framework_of_the_examples_has_holes() -> None:
    path = Path(ROOT / "examples/models/framework.cat")
    sketch = read_sketch(X86.prelude, path.read_text(), str(path), path.parent)
    assert set(sketch.holes) == {"local", "causal", "barrier", "before", "after", "around"}
