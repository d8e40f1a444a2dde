"""The grammar of cat: every construct, the precedences, and the places of errors."""

from __future__ import annotations

import pytest

from treville.models.cat import syntax
from treville.models.cat.parser import parse
from treville.results import InputError, Source


def show(expression: syntax.Expression) -> str:
    """An expression with all brackets written."""
    if isinstance(expression, syntax.Name):
        return expression.name
    if isinstance(expression, syntax.Nary):
        return "(" + f" {expression.operator} ".join(map(show, expression.operands)) + ")"
    if isinstance(expression, syntax.Unary):
        inner = show(expression.operand)
        if expression.operator == "[]":
            return f"[{inner}]"
        return f"~{inner}" if expression.operator == "~" else f"{inner}{expression.operator}"
    if isinstance(expression, syntax.Apply):
        return f"{show(expression.function)}<{show(expression.argument)}>"
    if isinstance(expression, syntax.Tuple):
        return "(" + ", ".join(map(show, expression.items)) + ")"
    signs: dict[type[syntax.Expression], str] = {syntax.Empty: "0", syntax.Universe: "_"}
    return signs.get(type(expression), type(expression).__name__)


def value(text: str) -> str:
    file = parse(Source("m.cat", f"let x = {text}"))
    (let,) = file.instructions
    assert isinstance(let, syntax.Let)
    return show(let.bindings[0].value)


def instruction(text: str) -> syntax.Instruction:
    (only,) = parse(Source("m.cat", text)).instructions
    return only


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a | b | c", "(a | b | c)"),
        ("a | b ; c", "(a | (b ; c))"),
        ("a ; b | c", "((a ; b) | c)"),
        ("a ; b \\ c", "(a ; (b \\ c))"),
        ("a \\ b \\ c", "(a \\ b \\ c)"),
        ("a \\ b & c", "(a \\ (b & c))"),
        ("a & b \\ c", "((a & b) \\ c)"),
        ("a & B * C", "(a & (B * C))"),
        ("a ++ b | c", "((a ++ b) | c)"),
        ("a ++ b ; c", "(a ++ (b ; c))"),
        ("a+ ; b* ; c?", "(a+ ; b* ; c?)"),
        ("a* & B", "(a* & B)"),
        ("A * B", "(A * B)"),
        ("a*", "a*"),
        ("(a | b)*; c", "((a | b)* ; c)"),
        ("~a^-1", "~a^-1"),
        ("~a & b", "(~a & b)"),
        ("a^-1?", "a^-1?"),
        ("(rf) ^ -1", "rf^-1"),
        ("[A]; r; [B | C]", "([A] ; r ; [(B | C)])"),
        ("f x y", "f<x><y>"),
        ("f (a, b); c", "(f<(a, b)> ; c)"),
        ("f [A] | b", "(f<[A]> | b)"),
        ("begin a | b end; c", "((a | b) ; c)"),
        ("a, b", "(a, b)"),
        ("po-loc.x' | _RMW", "(po-loc.x' | _RMW)"),
        ("0 | _ * _", "(0 | (_ * _))"),
        ("{}", "0"),
    ],
)
def test_operators_bind_as_in_herd7(text: str, expected: str) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("let a = b and c = d in", syntax.Let),
        ("let rec a = b | a;a when acyclic a", syntax.Let),
        ("let f (x, y) = x | y", syntax.Let),
        ("let f x _ = x", syntax.Let),
        ("let (a, b) = c", syntax.Let),
        ("let a, _ = c", syntax.Let),
        ("acyclic a as name", syntax.Test),
        ("~irreflexive a", syntax.Test),
        ("flag ~empty a as n", syntax.Test),
        ("undefined_unless empty a as n", syntax.Test),
        ("assert empty a", syntax.Test),
        ("show a, b", syntax.Show),
        ("unshow a", syntax.Show),
        ("show a \\ id as a", syntax.ShowAs),
        ('include "cos.cat"', syntax.Include),
        ("procedure p (a, b) = acyclic a empty b end", syntax.Procedure),
        ("procedure rec p a = call p a end", syntax.Procedure),
        ("call p (a, b) as n", syntax.Call),
        ("enum E = 'a || 'b", syntax.Enumeration),
        ("enum E = || 'a", syntax.Enumeration),
        ("instructions R[{'a, 'b}, E]", syntax.Annotations),
        ("default R[E]", syntax.Annotations),
        ("forall x in E do show x end", syntax.Forall),
        ("with co from generate_cos(co0)", syntax.WithFrom),
        ('if "a" && not "b" || "c" acyclic a else empty b end', syntax.Choose),
        ('if variant "a" then acyclic a end', syntax.Choose),
        ("match t with 'a -> empty b || _ -> empty c end", syntax.MatchInstruction),
        ("debug a", syntax.Debug),
    ],
)
def test_every_instruction_is_read(text: str, kind: type) -> None:
    assert isinstance(instruction(text), kind)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let rec a = b and c = d in a", "LetIn"),
        ("fun x -> x", "Function"),
        ("fun (x, y) -> x", "Function"),
        ("try a with b", "Try"),
        ('if "v" then a else b', "If"),
        ('if ("v" || not "w") && "u" then a else b', "If"),
        ("if a subset b then a else b", "If"),
        ("if 't in S then a else b", "If"),
        ("match t with || 'a -> b || 'c -> d || _ -> e end", "MatchTag"),
        ("match S with {} -> a || x ++ S -> b end", "MatchSet"),
        ("match S with x ++ _ -> b || {} -> a end", "MatchSet"),
        ("match S with || {} -> a || before | x ++ after -> b end", "MatchSet"),
        ("'tag", "Tag"),
        ("{'a, 'b}", "Braces"),
        ("()", "()"),
    ],
)
def test_every_form_of_expression_is_read(text: str, expected: str) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("X86 TSO\nlet a = b", "X86 TSO"),
        ('"A title" catdep let a = b', "A title"),
        ('"Old" withoutco withinit let a = b', "Old"),
        ('C "C++11"', "C C++11"),
        ("", ""),
        ("(* (* nested *) *) # line\n// line\nPSO", "PSO"),
    ],
)
def test_the_title_comes_before_the_instructions(text: str, title: str) -> None:
    assert parse(Source("m.cat", text)).title == title


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("let x =\n  a |\n", 2, 6, "end of the file"),
        ("let x = a |\n  ) b", 2, 3, "')'"),
        ("let = a", 1, 5, "a name"),
        ("acyclic (a; b", 1, 14, "expected ')'"),
        ("show a | b", 1, 11, "'as'"),
        ("let x = a $ b", 1, 11, "'$'"),
        ("let x = a (* open", 1, 11, "not closed"),
        ('include "cos.cat', 1, 9, "not closed"),
        ("include cos", 1, 9, "file name"),
        ("let x = r^2", 1, 11, "'2'"),
        ("flag let", 1, 6, "acyclic"),
        ("match a with 'b -> show c", 1, 26, "'end'"),
        ("let x = match S with {} -> a end", 1, 30, "'||'"),
        ("title then", 1, 7, "an instruction"),
        ("let x = let y = a", 1, 18, "'in'"),
        ("enum E = a", 1, 10, "a tag"),
        ("let x = if a then b else c", 1, 14, "'subset'"),
    ],
)
def test_errors_say_where_and_what(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(Source("m.cat", text))
    span = caught.value.span
    assert span is not None
    assert (span.line, span.column) == (line, column)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "~" * 5000 + "a",
        "a" + "+" * 5000,
        "{" * 5000,
        "a " * 5000,
        "let x = " * 5000,
        "if not " + "not " * 5000,
        "fun x -> " * 5000,
        "0 let f" + " x" * 5000 + " = x",
    ],
)
def test_deep_nesting_is_an_error_not_a_crash(text: str) -> None:
    with pytest.raises(InputError):
        parse(Source("m.cat", f"let x = {text}"))


def test_long_chains_are_not_deep() -> None:
    file = parse(Source("m.cat", "let x = " + " | ".join(["a"] * 5000)))
    assert isinstance(file.instructions[0], syntax.Let)
