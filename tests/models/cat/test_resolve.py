"""Resolution: functions, recursion, tags, variants, includes and the errors with their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.models.cat.resolve import resolve_file, resolve_text
from treville.models.model import Kind, Model, NodeId, Operator
from treville.results import InputError, Unsupported


def formula(model: Model, name: str) -> str:
    """A definition written out over base names."""
    bodies = model.bodies()

    def write(node: NodeId, inside: frozenset[NodeId]) -> str:
        entry = model.nodes[node]
        if entry.op in (Operator.BASE, Operator.FIXPOINT):
            if entry.op is Operator.FIXPOINT and node not in inside:
                return f"fix {entry.name}. {write(bodies[node], inside | {node})}"
            return entry.name
        parts = [write(argument, inside) for argument in entry.args]
        return f"{entry.op}({', '.join(parts)})" if parts else str(entry.op)

    return write(model.definitions[name], frozenset())


def same(left: str, right: str, before: str = "") -> bool:
    """Do two expressions resolve to the same node?"""
    model = resolve_text(f"{before}\nlet left = {left}\nlet right = {right}")
    return model.definitions["left"] == model.definitions["right"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("po | 0", "po"),
        ("0 | po", "po"),
        ("po & 0", "rf; 0"),
        ("po \\ 0", "po"),
        ("po | po", "po"),
        ("rf | co", "co | rf"),
        ("[R]; [A]", "[R & A]"),
        ("[_]; po", "po"),
        ("id; po", "po"),
        ("po^-1^-1", "po"),
        ("(R * W)^-1", "W * R"),
        ("(po?)*", "po*"),
        ("(po+)?", "po*"),
        ("(po+)+", "po+"),
        ("~~po", "po"),
        ("[emptyset]; po", "0; po"),
        ("domain([R])", "R"),
        ("range(id)", "_"),
        ("toid(R)", "[R]"),
        ("fencerel(F)", "po; [F]; po"),
        ("fencerel(emptyset)", "po & 0"),
        ("inter_transitive(po, loc)", "po+ & loc"),
        ("nodetour(po, rf, co)", "po \\ (rf; co)"),
    ],
)
def test_equal_expressions_are_one_node(left: str, right: str) -> None:
    assert same(left, right)


def test_differences_are_not_lost_by_sharing() -> None:
    assert not same("po; rf", "rf; po")
    assert not same("R \\ W", "W \\ R")
    assert not same("po", "po+")


def test_functions_are_inlined() -> None:
    before = "let twice r = r; r\nlet pair (a, b) = a | b\nlet curried a b = a \\ b\nlet k = fun x -> x?"
    assert same("twice po", "po; po", before)
    assert same("pair (po, rf)", "po | rf", before)
    assert same("curried po rf", "po \\ rf", before)
    assert same("k rf", "rf?", before)


def test_functions_keep_the_names_of_their_definition() -> None:
    assert same("f rf", "rf | po", "let r = po\nlet f x = x | r\nlet r = co")


def test_tuples_are_taken_apart() -> None:
    assert same("a", "rf", "let (a, _) = (rf, co)")
    assert same("b", "co", "let a, b = rf, co")
    assert same("let a, b = rf, co in a; b", "rf; co")


def test_let_and_binds_at_once() -> None:
    assert same("b", "po", "let a = po\nlet a = rf and b = a")


def test_a_name_can_be_redefined() -> None:
    model = resolve_text("let W = W & M\nacyclic [W]; po")
    assert formula(model, "W") in ("inter(W, M)", "inter(M, W)")


@pytest.mark.parametrize(
    ("recursive", "closed"),
    [
        ("r = po | r; r", "po+"),
        ("r = po | r; rf", "po; rf*"),
        ("r = po | rf; r", "rf*; po"),
        ("r = po | rf; r | r; co", "rf*; po; co*"),
        ("r = po", "po"),
        ("r = r | po | r; r", "po+"),
    ],
)
def test_simple_recursions_become_closures(recursive: str, closed: str) -> None:
    assert same("r", closed, f"let rec {recursive}")


def test_other_recursions_become_groups() -> None:
    model = resolve_text("let rec a = po | b; a and b = rf | a; a\nacyclic a")
    (group,) = model.groups
    assert [model.nodes[v].name for v in group.variables] == ["a", "b"]
    assert group.monotone
    assert model.definitions["a"] == group.variables[0]


def test_names_that_do_not_depend_on_each_other_are_solved_apart() -> None:
    model = resolve_text("let rec a = b | rf and b = po | b; b and c = c | co\nacyclic a | c")
    assert model.groups == ()
    assert formula(model, "a") in ("union(rf, plus(po))", "union(plus(po), rf)")
    assert formula(model, "c") == "co"


def test_a_hard_recursion_does_not_hold_the_others() -> None:
    model = resolve_text("let rec a = a; b; a | rf and b = po | rf; b; rf and c = a | c; c\nacyclic c")
    assert [len(group.variables) for group in model.groups] == [1, 1]


def test_recursive_sets_are_recognised() -> None:
    model = resolve_text("let rec s = R & t and t = range([s]; po) | W\nempty s")
    assert model.nodes[model.definitions["s"]].kind is Kind.SET
    assert model.nodes[model.definitions["t"]].kind is Kind.SET


def test_a_recursion_that_only_grows_may_use_differences() -> None:
    model = resolve_text(
        "let rec free = W \\ range(m) and m = m | ([R]; po; [free]) \\ ([R]; po; [free]; po)\nempty m"
    )
    (group,) = model.groups
    assert not group.monotone
    assert len(group.variables) == 1


def test_a_recursion_without_solution_is_refused() -> None:
    with pytest.raises(InputError, match="negatively"):
        resolve_text("let rec r = po \\ r\nempty r")


def test_variants_choose_at_resolution() -> None:
    text = """let r = if "strong" && not "Weak" then po else rf
    if "strong" acyclic r as a else acyclic r as b end"""
    plain, strong = resolve_text(text), resolve_text(text, variants=["STRONG"])
    assert formula(plain, "r") == "rf"
    assert formula(strong, "r") == "po"
    assert [a.name for a in plain.axioms + strong.axioms] == ["b", "a"]


def test_try_goes_on_where_a_name_is_unknown() -> None:
    assert same("try nowhere with po", "po")
    assert same("try po; nowhere with rf", "rf")
    assert same("try po with rf", "po")
    assert same("try fail () with rf", "rf")


def test_try_does_not_hide_other_errors() -> None:
    with pytest.raises(InputError, match="cannot be combined"):
        resolve_text("let r = try po | R with rf")


def test_tags_are_matched() -> None:
    before = (
        "enum E = 'once || 'acquire\n"
        "let name t = match t with || 'once -> po || _ -> rf end\n"
        "let rec all S = match S with || {} -> 0 || t ++ S -> name t | all S end"
    )
    assert same("name 'once", "po", before)
    assert same("all E", "po | rf", before)
    assert same("all (E \\ {'once})", "rf", before)
    assert same("all ({'once} & E)", "po", before)
    assert same("tag2events 'once", "Once", before)
    assert same("tag2fenced 'acquire", "po; [Acquire]; po", before)
    assert same("if 'once in E then po else rf", "po", before)
    assert same("if {'once} subset E then po else rf", "po", before)
    assert same("if E = {'once} then po else rf", "rf", before)


def test_maps_over_known_sets_work() -> None:
    before = "let rec join S = match S with || {} -> 0 || r ++ S -> r | join S end"
    assert same("join (map (fun r -> r; po) {rf, co})", "rf; po | co; po", before)


def test_annotations_of_a_bell_file_become_sets(tmp_path: Path) -> None:
    (tmp_path / "m.cat").write_text("acyclic [Loud]; po; [Very-loud]\n")
    (tmp_path / "m.bell").write_text("enum Volume = 'loud || 'quiet\ninstructions R[{'very-loud}]\n")
    with pytest.raises(InputError, match="Loud is not defined"):
        resolve_file(tmp_path / "m.cat")
    model = resolve_file(tmp_path / "m.cat", bell=tmp_path / "m.bell")
    assert {"Loud", "Very-loud"} <= model.base_names()


def test_procedures_add_their_axioms() -> None:
    model = resolve_text(
        "procedure check (a, b) = acyclic a | b as both empty a & b end\n"
        "call check (po, rf)\ncall check (po, co) as named\n"
        "forall r in {rf, co} do irreflexive r; po as one end"
    )
    assert [a.name for a in model.axioms] == ["both", "empty a & b", "named", "named", "one", "one"]


def test_recursive_procedures_end_or_are_refused() -> None:
    model = resolve_text(
        "procedure rec each S = match (if S = {} then 'stop else 'go) with 'stop -> || 'go ->"
        " acyclic po as step call each {} end end\ncall each {po}"
    )
    assert [a.name for a in model.axioms] == ["step"]
    with pytest.raises(InputError, match="too deeply"):
        resolve_text("procedure rec p a = call p a end\ncall p po")


def test_axioms_keep_role_name_and_place() -> None:
    model = resolve_text(
        "acyclic po | rf\n~empty rf as some\nflag ~empty co as odd\nundefined_unless empty rf as race\n"
        "assert irreflexive rf as sane"
    )
    rows = [(str(a.kind), a.negated, a.name, a.flag, a.undefined) for a in model.axioms]
    assert rows == [
        ("acyclic", False, "acyclic po | rf", False, False),
        ("empty", True, "some", False, False),
        ("empty", True, "odd", True, False),
        ("empty", False, "race", False, True),
        ("irreflexive", True, "sane", True, False),
    ]
    assert [a.span.line for a in model.axioms if a.span] == [1, 2, 3, 4, 5]


def test_axioms_that_cannot_fail_are_dropped() -> None:
    model = resolve_text("empty 0\nacyclic [emptyset]\nflag ~empty po & 0 as never\nassert empty 0")
    assert model.axioms == ()
    assert len(resolve_text("~empty 0").axioms) == 1


def test_pictures_are_what_show_says() -> None:
    model = resolve_text("show rf, po, no-such-name\nshow po \\ id as step\nunshow po\nshow nowhere as x")
    assert model.shown == ("rf", "step")
    assert set(model.drawn) == {"rf", "step"}


def test_coherence_comes_with_the_execution() -> None:
    model = resolve_text('include "cos.cat"\nacyclic co | fr')
    assert formula(model, "co") == "co"
    assert formula(model, "fr") == "seq(inverse(rf), co)"
    assert len(model.axioms) == 1


def test_coherence_that_must_extend_more_gets_an_axiom() -> None:
    model = resolve_text('include "cross.cat"\nwith co from generate_cos(co0 | po)')
    (axiom,) = model.axioms
    assert (str(axiom.kind), axiom.name) == ("acyclic", "coherence-order")


def test_coherence_of_a_model_that_changes_co0_gets_an_axiom() -> None:
    model = resolve_text('let co0 = co0 | rf; rmw\ninclude "cos.cat"')
    assert [axiom.name for axiom in model.axioms] == ["coherence-order"]
    assert resolve_text('let co0 = co0 | [emptyset]; po\ninclude "cos.cat"').axioms == ()


def test_coherence_of_a_part_of_the_writes() -> None:
    model = resolve_text("with mo from generate_orders(W & (A | IW), co0)")
    assert formula(model, "mo").startswith("inter(co, product(")
    assert model.axioms == ()


def test_a_choice_of_one_is_no_choice() -> None:
    assert same("x", "po & rf", "with x from {po & rf}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("with s from linearisations(W, po)", "linearisations"),
        ("with s from {po, rf}", "only coherence orders"),
        ("let c = classes-loc W\nlet d = match W with {} -> po || w ++ S -> rf end", "classes-loc"),
        ("let d = match W with {} -> po || w ++ S -> rf end", "depends on the execution"),
        ("let d = if po = rf then po else rf", "depends on the execution"),
        ("let rmw-events = R & A & W", "linked by rmw"),
        ("forall e in W do acyclic po end", "depends on the execution"),
    ],
)
def test_what_needs_the_execution_is_refused(text: str, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        resolve_text(text)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("let x = poo", 1, 9, "did you mean po?"),
        ("let happens = po\nacyclic hapens", 2, 9, "did you mean happens?"),
        ("let x =\n  po | R", 2, 8, "a relation and a set"),
        ("let x = po; R", 1, 13, "expected a relation, found a set"),
        ("let x = [po]", 1, 10, "expected a set, found a relation"),
        ("let x = po * W", 1, 9, "expected a set"),
        ("let x = R+", 1, 9, "expected a relation"),
        ("acyclic R", 1, 9, "expected a relation"),
        ("let f (a, b) = a\nlet x = f po", 2, 9, "expected 2 values"),
        ("let x = po rf", 1, 9, "cannot be applied"),
        ("let f x = x\nlet x = f | po", 2, 13, "a function and a relation"),
        ("call nothing (po)", 1, 1, "not a procedure"),
        ("let x = R * W * M", 1, 17, "two sides"),
        ("let x = match po with 'a -> rf end", 1, 15, "needs a tag"),
        ("let x = match 'b with 'a -> rf end", 1, 15, "no clause"),
        ("let rec (a, b) = po", 1, 9, "names"),
        ("let rec a = po and a = rf", 1, 20, "twice"),
        ("let x = 'a | po", 1, 14, "a tag and a relation"),
        ('include "missing.cat"', 1, 9, "no such file"),
    ],
)
def test_errors_have_a_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve_text(text)
    span = caught.value.span
    assert span is not None
    assert (span.line, span.column) == (line, column)
    assert words in str(caught.value)


def test_an_error_inside_a_function_points_into_its_file(tmp_path: Path) -> None:
    (tmp_path / "part.cat").write_text("let f x = x; R\n")
    (tmp_path / "whole.cat").write_text('include "part.cat"\nlet y = f po\n')
    with pytest.raises(InputError) as caught:
        resolve_file(tmp_path / "whole.cat")
    assert caught.value.span is not None
    assert caught.value.span.file.endswith("part.cat")


DOUBLING = "let f0 x = x; po\n" + "".join(f"let f{i + 1} x = f{i} (f{i} x)\n" for i in range(60))
CHAIN = "let f0 x = [x]\n" + "".join(f"let f{i + 1} x = f{i} x\n" for i in range(400))


@pytest.mark.parametrize(
    "text",
    [
        "let rec f x = f x\nlet y = f po",
        DOUBLING + "let y = f60 po",
        CHAIN + "let y = f400 R",
        "let rec grow S = match S with {} -> po || x ++ R -> grow ('a ++ S) end\nlet y = grow {'a}",
    ],
)
def test_expansion_is_bounded(text: str) -> None:
    with pytest.raises(InputError):
        resolve_text(text)


def test_kinds_of_nodes_are_right() -> None:
    model = resolve_text("let a = R & A\nlet b = [a]; po\nlet c = domain(b) \\ IW\nlet d = ~b")
    kinds = {name: model.nodes[model.definitions[name]].kind for name in "abcd"}
    assert kinds == {"a": Kind.SET, "b": Kind.RELATION, "c": Kind.SET, "d": Kind.RELATION}


def test_arguments_come_before_what_uses_them() -> None:
    model = resolve_text("let rec a = po | rf; a; b and b = co | [W]; a\nacyclic (a | b)+; po")
    for index, node in enumerate(model.nodes):
        assert all(argument < index for argument in node.args)


def test_nodes_carry_names_of_the_model_not_of_functions() -> None:
    model = resolve_text("let f r = let inner = r; r in inner | po\nlet steps = f rf\nlet outer = rf; rf")
    assert model.nodes[model.definitions["steps"]].name == "steps"
    assert model.nodes[model.definitions["outer"]].name == "outer"


def test_many_definitions_are_refused_quickly() -> None:
    with pytest.raises(InputError, match="too many"):
        resolve_text("\n".join(f"let a{i} = po" for i in range(20_000)))
