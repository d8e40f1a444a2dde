"""Models by terms of growing size: the thesis's own sets, and brute force over all terms."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import pytest
from tests.questions.synthesis.given import CORPORA, examples_of, labelled, reached_states
from tests.seeds import generator

from treville.campaigns.expectations import given_tests
from treville.campaigns.inputs import expand
from treville.campaigns.loading import load_model, load_test
from treville.models.cat.resolve import resolve_text
from treville.models.model import Operator
from treville.questions.synthesis.answer import judge
from treville.questions.synthesis.by_template import fill_templates
from treville.questions.synthesis.by_terms import enumerate_terms
from treville.questions.synthesis.cover import kinds_of
from treville.questions.synthesis.listing import list_executions
from treville.questions.synthesis.problem import Dropping, Problem, Requirement, Space
from treville.questions.synthesis.terms import Term, leaf, made
from treville.questions.synthesis.vocabulary import Vocabulary
from treville.results import Budget
from treville.results.verdict import Verdict

BASE = ("po", "rf", "co", "fr")
needs_corpora = pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora are not here")


def _given(folder: str) -> list[Requirement]:
    at = CORPORA / "synthesis" / folder
    allowed = given_tests(expand([str(at / "allowed")], (".litmus",)), True)
    return allowed + given_tests(expand([str(at / "forbidden")], (".litmus",)), False)


@needs_corpora
@pytest.mark.parametrize(("folder", "executions"), [("sc-21-30", 110), ("sc-21-50", 327)])
def test_executions_to_forbid_are_those_of_the_thesis(folder: str, executions: int) -> None:
    evidence = list_executions(_given(folder), resolve_text(""), Budget())
    assert evidence.executions == executions


@needs_corpora
@pytest.mark.parametrize("dropping", [Dropping.OBSERVED, Dropping.NORMAL])
def test_sequential_consistency_is_found(dropping: Dropping) -> None:
    problem = Problem("X86", tuple(_given("sc-21-30")), Space(base=BASE, dropping=dropping))
    answer = enumerate_terms(problem, Vocabulary("X86"), Budget(), lambda _: None)
    assert answer.found is not None
    assert "acyclic po | rf | co | fr" in answer.found.body or dropping is Dropping.NORMAL
    assert answer.found.size == 4
    assert answer.found.smallest
    assert not judge(answer.found.resolved(), problem.requirements, Budget(), "").wrong


def _all_terms(size: int, base: tuple[str, ...]) -> list[Term]:
    """Every term of that size, without any equivalence."""
    if size == 1:
        return [leaf(name) for name in base]
    out = [
        made(op, term)
        for op in (Operator.PLUS, Operator.STAR, Operator.INVERSE)
        for term in _all_terms(size - 1, base)
    ]
    for left in range(1, size):
        for op in (Operator.UNION, Operator.INTERSECTION, Operator.COMPOSITION):
            out += [
                made(op, one, other)
                for one, other in product(_all_terms(left, base), _all_terms(size - left, base))
            ]
    return out


@pytest.mark.parametrize("seed", range(6))
def test_no_smaller_model_exists(seed: int) -> None:
    """Against all models of total size 3 over three base relations, each judged by `treville litmus`."""
    pick = generator(seed)
    base = ("po", "rf", "fr") if seed % 2 else ("po", "rfe", "fr")
    planted = pick.choice([term for size in (1, 2, 3) for term in _all_terms(size, base)])
    tests = examples_of(("SB", "MP", "LB", "S", "CoRR", "CoWR"))
    try:
        model = resolve_text(f"acyclic {planted}")
    except Exception:  # a term of which nothing is left
        pytest.skip("trivial")
    requirements = labelled(tests, model)
    answer = enumerate_terms(
        Problem("X86", tuple(requirements), Space(base=base, size=3)),
        Vocabulary("X86"),
        Budget(),
        lambda _: None,
    )
    assert answer.found is not None
    found = answer.found.size if any(not each.allowed for each in requirements) else 0
    for size in range(1, min(found, 4)):
        for axioms in _models(size, base):
            text = "\n".join(axioms)
            states = {test.name: reached_states(test, text) for test in tests}
            explains = all(states[each.name] == each.allowed for each in requirements)
            assert not explains, f"{text} is smaller than {answer.found.body}"


def _models(size: int, base: tuple[str, ...]) -> list[tuple[str, ...]]:
    """All sets of axioms of a total size, up to 2 (larger ones are too many to be judged one by one)."""
    if size > 2:
        return []
    singles = {
        n: [f"{kind} {term}" for term in _all_terms(n, base) for kind in kinds_of(term)] for n in (1, 2)
    }
    out: list[tuple[str, ...]] = [(line,) for line in singles[size]]
    if size == 2:
        out += list(combinations(singles[1], 2))
    return out


def test_a_test_that_no_model_explains() -> None:
    """The same graph allowed and forbidden."""
    sb = examples_of(("SB",))[0]
    requirements = [Requirement(sb, sb.condition, True, "a"), Requirement(sb, sb.condition, False, "b")]
    problem = Problem("X86", tuple(requirements), Space(base=BASE))
    answer = enumerate_terms(problem, Vocabulary("X86"), Budget(), lambda _: None)
    assert answer.verdict is Verdict.FAIL
    assert len(answer.contradiction) == 2


def test_a_larger_graph_that_contains_a_forbidden_one() -> None:
    """Fences are not in the base: what forbids SB forbids SB with fences."""
    sb, fenced = examples_of(("SB", "SB+fences"))
    requirements = [
        Requirement(fenced, fenced.condition, True, "a"),
        Requirement(sb, sb.condition, False, "b"),
    ]
    monotone = Problem("X86", tuple(requirements), Space(base=BASE))
    answer = enumerate_terms(monotone, Vocabulary("X86"), Budget(), lambda _: None)
    assert answer.verdict is Verdict.FAIL
    assert [each.name for each in answer.contradiction] == ["SB+fences", "SB"]
    other_way = [Requirement(each.test, each.condition, not each.allowed, each.file) for each in requirements]
    weaker = Problem("X86", tuple(other_way), Space(base=(*BASE, "mfence")))
    found = enumerate_terms(weaker, Vocabulary("X86"), Budget(), lambda _: None)
    assert found.verdict is not Verdict.FAIL
    assert found.found is not None


def test_what_may_be_subtracted_must_agree() -> None:
    """With nothing subtracted SB+fences cannot be allowed where SB is forbidden; with fences subtracted it
    can."""
    sb, fenced = examples_of(("SB", "SB+fences"))
    requirements = (
        Requirement(fenced, fenced.condition, True, "a"),
        Requirement(sb, sb.condition, False, "b"),
    )
    space = Space(base=(*BASE, "mfence"), minus=("mfence",), size=4)
    answer = enumerate_terms(Problem("X86", requirements, space), Vocabulary("X86"), Budget(), lambda _: None)
    assert answer.found is not None
    assert not judge(answer.found.resolved(), requirements, Budget(), "").wrong


def test_examples_are_here() -> None:
    assert Path("examples/litmus/SB.litmus").is_file()


@needs_corpora
def test_templates_find_sequential_consistency() -> None:
    problem = Problem("X86", tuple(_given("sc-21-30")), Space(base=BASE))
    answer = fill_templates(problem, Vocabulary("X86"), Budget())
    assert answer.found is not None
    assert answer.found.size == 4
    assert not judge(answer.found.resolved(), problem.requirements, Budget(), "").wrong


@pytest.mark.parametrize("name", ["sc", "tso"])
@pytest.mark.parametrize("minus", [(), ("mfence",)])
def test_templates_explain_examples(name: str, minus: tuple[str, ...]) -> None:
    tests = examples_of(("SB", "MP", "LB", "S", "CoRR", "SB+fences", "2+2W"))
    requirements = tuple(labelled(tests, load_model(name)))
    base = ("po", "rf", "co", "fr") if name == "sc" else ("po", "rfe", "co", "fr", "mfence", "[W]", "[R]")
    space = Space(base=tuple(each.strip("[]") for each in base), minus=minus, size=3)
    answer = fill_templates(Problem("X86", requirements, space), Vocabulary("X86"), Budget())
    assert answer.found is not None, answer.reason
    assert not judge(answer.found.resolved(), requirements, Budget(), "").wrong


def test_a_default_base_does_not_make_a_contradiction() -> None:
    """What tells two tests apart may be a set that is not in the default base: locked instructions here."""
    plain = load_test(_PLAIN, "plain.litmus")
    locked = load_test(_LOCKED, "locked.litmus")
    requirements = (
        Requirement(plain, plain.condition, True, "plain"),
        Requirement(locked, locked.condition, False, "locked"),
    )
    answer = enumerate_terms(Problem("X86", requirements), Vocabulary("X86"), Budget(), lambda _: None)
    assert answer.verdict is not Verdict.FAIL


_PLAIN = """X86 plain
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
_LOCKED = """X86 locked
{ }
 P0           | P1           ;
 MOV EBX,$1   | MOV EBX,$1   ;
 XCHG [x],EBX | XCHG [y],EBX ;
 MOV EAX,[y]  | MOV EAX,[x]  ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
