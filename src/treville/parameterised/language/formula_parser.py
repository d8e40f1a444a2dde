"""Tokens of a `.cub` file -> formulas and terms, by recursive descent with one token of look-ahead.

The weakest operators bind first: quantifier bodies, `=>` and `<=>`, `||`, `&&`, `if`, `not`. Nesting is
bounded, so that no input exhausts the stack.
"""

from __future__ import annotations

from treville.parameterised.language.lexer import Token, tokens
from treville.parameterised.language.syntax import (
    Call,
    Cell,
    Comparison,
    Conditional,
    Fence,
    Formula,
    Joined,
    Name,
    Not,
    Number,
    ProcessNumber,
    Quantified,
    ReadBy,
    Sum,
    Term,
    Truth,
)
from treville.results import InputError, Source

_DEEPEST = 60
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_QUANTIFIERS = ("forall", "exists", "forall_other", "exists_other")


class FormulaParser:
    """Reads what stands in guards, values and properties."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokens(source)
        self.position = 0
        self.depth = 0

    # Looking at tokens

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.position]

    def sees(self, *texts: str) -> bool:
        """Is the next token one of these words or signs?"""
        token = self.token
        return token.kind in ("keyword", "symbol") and token.text in texts

    def accept(self, text: str) -> bool:
        """Step over the next token if it is this one."""
        if self.sees(text):
            self.position += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        """Step over this token, which must come next."""
        if not self.sees(text):
            raise self.unexpected(f"'{text}'")
        return self.advance()

    def advance(self) -> Token:
        """Step over the next token and return it."""
        token = self.token
        self.position += token.kind != "end"
        return token

    def unexpected(self, wanted: str, hint: str = "") -> InputError:
        """An error at the next token, for the caller to raise."""
        token = self.token
        shown = token.text if token.kind == "end" else f"'{token.text}'"
        return InputError(
            f"{wanted} expected, not {shown}", self.source.span(token.at, max(1, len(token.text))), hint
        )

    def name(self, *kinds: str) -> Name:
        """A name of one of these kinds."""
        words = {"upper": "a name with a capital letter", "lower": "a name with a small letter"}
        if self.token.kind not in kinds:
            raise self.unexpected(" or ".join(words[kind] for kind in kinds))
        token = self.advance()
        return Name(token.text, token.at)

    # Formulas

    def formula(self) -> Formula:
        """A whole formula."""
        self.deeper()
        if self.sees(*_QUANTIFIERS):
            result = self.quantified()
        else:
            result = self.disjunction()
            if self.sees("=>", "<=>"):
                operator = self.advance()
                result = Joined(operator.text, (result, self.formula()), operator.at)
        self.depth -= 1
        return result

    def deeper(self) -> None:
        """Count a level of nesting."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InputError(
                f"formulas may be nested {_DEEPEST} deep, not deeper", self.source.span(self.token.at)
            )

    def quantified(self) -> Formula:
        """A quantifier takes all that follows."""
        kind = self.advance()
        variables = [self.name("lower")]
        while self.accept("<>"):
            variables.append(self.name("lower"))
        self.expect(".")
        if kind.text.endswith("_other") and len(variables) > 1:
            raise InputError(f"{kind.text} binds one variable", self.source.span(variables[1].at))
        return Quantified(kind.text, tuple(variables), self.formula(), kind.at)

    def disjunction(self) -> Formula:
        """Parts joined by `||`."""
        return self.joined("||")

    def conjunction(self) -> Formula:
        """Parts joined by `&&`."""
        return self.joined("&&")

    def joined(self, operator: str) -> Formula:
        """Parts joined by the operator, or the only part."""
        at = self.token.at
        read = self.conjunction if operator == "||" else self.conditional
        parts = [read()]
        while self.accept(operator):
            # A quantifier takes everything behind it, so it ends the chain.
            parts.append(self.formula() if self.sees(*_QUANTIFIERS) else read())
        return parts[0] if len(parts) == 1 else Joined(operator, tuple(parts), at)

    def conditional(self) -> Formula:
        """`if ... then ... else ...`, or what binds tighter."""
        if not self.sees("if"):
            return self.negation()
        at = self.advance().at
        condition = self.formula()
        self.expect("then")
        then = self.formula()
        self.expect("else")
        self.deeper()
        otherwise = self.conditional()
        self.depth -= 1
        return Conditional(condition, then, otherwise, at)

    def negation(self) -> Formula:
        """`not ...`, or what binds tighter."""
        if not self.sees("not"):
            return self.atom()
        at = self.advance().at
        self.deeper()
        body = self.formula() if self.sees(*_QUANTIFIERS) else self.negation()
        self.depth -= 1
        return Not(body, at)

    def atom(self) -> Formula:
        """A comparison, a truth value, a fence, a predicate, or a formula in parentheses."""
        token = self.token
        if self.accept("("):
            body = self.formula()
            self.expect(")")
            return body
        if self.sees("true", "false"):
            return Truth(self.advance().text == "true", token.at)
        if self.accept("fence"):
            self.expect("(")
            self.expect(")")
            return Fence(token.at)
        following = self.tokens[min(self.position + 1, len(self.tokens) - 1)]
        if token.kind == "lower" and following.kind == "symbol" and following.text == "(":
            return self.call()
        left = self.term()
        if not self.sees(*_COMPARISONS):
            if isinstance(left, Name) and left.text[0].islower():
                return Call(left.text, (), left.at)
            raise self.unexpected("a comparison")
        operator = self.advance()
        return Comparison(operator.text, left, self.term(), token.at)

    def call(self) -> Formula:
        """A predicate with its arguments."""
        name = self.advance()
        self.expect("(")
        arguments: list[Term | Formula] = []
        while not self.accept(")"):
            if arguments:
                self.expect(",")
            arguments.append(self.argument())
        return Call(name.text, tuple(arguments), name.at)

    def argument(self) -> Term | Formula:
        """A term where a term ends at `,` or `)`, else a formula."""
        start = self.position
        if self.token.kind in ("lower", "upper", "process", "integer", "real"):
            term = self.term()
            if self.sees(",", ")"):
                return term
            self.position = start
        return self.formula()

    # Terms

    def term(self) -> Term:
        """A term with what is added to it."""
        base = self.simple_term()
        while self.sees("+", "-"):
            base = self.sum(base)
        return base

    def sum(self, base: Term | None) -> Term:
        """`+ 1`, `- N`, `+ 2 * N` behind a term, or on its own."""
        operator = self.advance()
        sign = "-" if operator.text == "-" else ""
        token = self.token
        if token.kind in ("integer", "real") and not token.text.startswith("-"):
            self.advance()
            name = self.name("upper") if self.accept("*") else None
            return Sum(base, sign + token.text, token.kind == "real", name, operator.at)
        if token.kind == "upper":
            name = self.name("upper")
            factor = "1"
            if self.accept("*"):
                if self.token.kind != "integer":
                    raise self.unexpected("a number")
                factor = self.advance().text
            return Sum(base, _negated(factor) if sign else factor, False, name, operator.at)
        raise self.unexpected("a number or a constant", "only 'term + constant' can be written")

    def simple_term(self) -> Term:
        """A number, a process, a variable or cell, or what a process sees of it."""
        token = self.token
        if token.kind in ("integer", "real"):
            self.advance()
            if self.accept("*"):
                return Sum(None, token.text, token.kind == "real", self.name("upper"), token.at)
            return Number(token.text, token.kind == "real", token.at)
        if self.sees("-"):
            return self.sum(None)
        if token.kind in ("lower", "process"):
            process = self.process()
            if not self.accept("@"):
                return process
            return ReadBy(process, self.access(), token.at)
        return self.access()

    def process(self) -> Name | ProcessNumber:
        """A process variable, or a process by number."""
        if self.token.kind == "process":
            token = self.advance()
            return ProcessNumber(int(token.text[1:]), token.at)
        return self.name("lower")

    def access(self) -> Name | Cell:
        """A variable or a cell of an array."""
        if self.token.kind != "upper":
            raise self.unexpected("a term")
        name = self.name("upper")
        return Cell(name.text, self.indices(), name.at) if self.sees("[") else name

    def indices(self) -> tuple[Name | ProcessNumber, ...]:
        """The processes in brackets."""
        self.expect("[")
        found: list[Name | ProcessNumber] = []
        while True:
            if self.token.kind not in ("lower", "process"):
                hint = "to index by the value of X, add a parameter k and the guard X = k"
                raise self.unexpected("a process", hint)
            found.append(self.process())
            if not self.accept(","):
                break
        self.expect("]")
        return tuple(found)


def _negated(number: str) -> str:
    return number[1:] if number.startswith("-") else "-" + number
