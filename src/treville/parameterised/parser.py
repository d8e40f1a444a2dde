"""Tokens of a `.cub` file -> its syntax tree, by recursive descent with one token of look-ahead.

The weakest operators bind first: quantifier bodies, `=>` and `<=>`, `||`, `&&`, `if`, `not`. Nesting is
bounded, so that no input exhausts the stack.
"""

from __future__ import annotations

from treville.parameterised.lexer import Token, tokens
from treville.parameterised.syntax import (
    Action,
    Call,
    Cell,
    Clause,
    Comparison,
    Conditional,
    Fence,
    File,
    Formula,
    Joined,
    Name,
    Not,
    Number,
    Predicate,
    ProcessNumber,
    Quantified,
    ReadBy,
    Sum,
    SymbolDeclaration,
    Term,
    TransitionDeclaration,
    Truth,
    TypeDeclaration,
)
from treville.results import InputError, Source

_DEEPEST = 60
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_QUANTIFIERS = ("forall", "exists", "forall_other", "exists_other")


def parse(text: str, name: str) -> File:
    """The syntax tree of a whole file; complaints carry their place."""
    return _Parser(Source(name, text)).file()


class _Parser:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokens(source)
        self.position = 0
        self.depth = 0

    # Looking at tokens

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def sees(self, *texts: str) -> bool:
        token = self.token
        return token.kind in ("keyword", "symbol") and token.text in texts

    def accept(self, text: str) -> bool:
        if self.sees(text):
            self.position += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        if not self.sees(text):
            raise self.unexpected(f"'{text}'")
        return self.advance()

    def advance(self) -> Token:
        token = self.token
        self.position += token.kind != "end"
        return token

    def unexpected(self, wanted: str, hint: str = "") -> InputError:
        token = self.token
        shown = token.text if token.kind == "end" else f"'{token.text}'"
        return InputError(
            f"{wanted} expected, not {shown}", self.source.span(token.at, max(1, len(token.text))), hint
        )

    def name(self, *kinds: str) -> Name:
        words = {"upper": "a name with a capital letter", "lower": "a name with a small letter"}
        if self.token.kind not in kinds:
            raise self.unexpected(" or ".join(words[kind] for kind in kinds))
        token = self.advance()
        return Name(token.text, token.at)

    # Files and declarations

    def file(self) -> File:
        processes = 0
        if self.accept("number_procs"):
            if self.token.kind != "integer" or int(self.token.text) < 1:
                raise self.unexpected("a positive number of processes")
            processes = int(self.advance().text)
        types, symbols = [], []
        while self.sees("type"):
            types.append(self.type_declaration())
        while self.sees("var", "const", "array", "weak"):
            symbols.append(self.symbol_declaration())
        clauses, predicates, transitions = [], [], []
        while self.token.kind != "end":
            if self.sees("init", "unsafe", "invariant"):
                clauses.append(self.clause())
            elif self.sees("predicate"):
                predicates.append(self.predicate())
            elif self.sees("transition"):
                transitions.append(self.transition())
            else:
                hint = "types come first, then variables and arrays, then the rest"
                raise self.unexpected("init, unsafe, invariant, predicate or transition", hint)
        return File(
            processes, tuple(types), tuple(symbols), tuple(clauses), tuple(predicates), tuple(transitions)
        )

    def type_declaration(self) -> TypeDeclaration:
        at = self.advance().at
        name = self.name("lower")
        constructors: list[Name] = []
        if self.accept("="):
            self.accept("|")
            constructors.append(self.name("upper"))
            while self.accept("|"):
                constructors.append(self.name("upper"))
        return TypeDeclaration(name.text, tuple(constructors), at)

    def symbol_declaration(self) -> SymbolDeclaration:
        at = self.token.at
        weak = self.accept("weak")
        if not self.sees("var", "const", "array") or (weak and self.sees("const")):
            raise self.unexpected("'var' or 'array'")
        kind = self.advance().text
        name = self.name("upper")
        arity = 0
        if self.sees("["):
            if kind == "var":
                raise self.unexpected("':'", "declare an array with 'array'")
            arity = self.dimensions()
        elif kind == "array":
            raise self.unexpected("'['")
        self.expect(":")
        return SymbolDeclaration(kind, name.text, arity, self.name("lower"), weak, at)

    def dimensions(self) -> int:
        self.expect("[")
        arity = 0
        while True:
            index = self.name("lower")
            if index.text != "proc":
                place = self.source.span(index.at, len(index.text))
                raise InputError(f"arrays are indexed by 'proc', not by '{index.text}'", place)
            arity += 1
            if not self.accept(","):
                break
        self.expect("]")
        return arity

    def clause(self) -> Clause:
        token = self.advance()
        name = ""
        if token.text != "init" and self.token.kind in ("lower", "upper"):
            name = self.advance().text
        parameters = self.parameters()[0] if self.sees("(") else ()
        self.expect("{")
        body = self.formula()
        self.expect("}")
        return Clause(token.text, name, parameters, body, token.at)

    def parameters(self, *, actor_allowed: bool = False) -> tuple[tuple[Name, ...], int]:
        self.expect("(")
        found: list[Name] = []
        actor = -1
        while not self.accept(")"):
            if actor_allowed and actor < 0 and self.accept("["):
                actor = len(found)
                found.append(self.name("lower"))
                self.expect("]")
            elif self.token.kind == "lower":
                found.append(self.name("lower"))
            else:
                raise self.unexpected("a parameter or ')'", "parameters are separated by blanks")
        return tuple(found), actor

    def predicate(self) -> Predicate:
        at = self.advance().at
        name = self.name("lower")
        self.expect("(")
        parameters: list[Name] = []
        while not self.accept(")"):
            if parameters:
                self.expect(",")
            parameters.append(self.name("lower"))
        self.expect("{")
        body = self.formula()
        self.expect("}")
        return Predicate(name.text, tuple(parameters), body, at)

    def transition(self) -> TransitionDeclaration:
        at = self.advance().at
        name = self.name("lower", "upper")
        parameters, actor = self.parameters(actor_allowed=True)
        guard: Formula = Truth(True, at)
        if self.accept("requires"):
            self.expect("{")
            guard = self.formula()
            self.expect("}")
        self.expect("{")
        lets: list[tuple[Name, Term]] = []
        while self.accept("let"):
            bound = self.name("lower")
            self.expect("=")
            lets.append((bound, self.term()))
            self.expect("in")
        actions: list[Action] = []
        while not self.accept("}"):
            if actions:
                self.expect(";")
                if self.accept("}"):
                    break
            actions.append(self.action())
        return TransitionDeclaration(name.text, parameters, actor, guard, tuple(lets), tuple(actions), at)

    def action(self) -> Action:
        target = self.name("upper")
        indices = self.indices() if self.sees("[") else None
        self.expect(":=")
        if self.sees("?", "."):
            if indices is not None:
                raise self.unexpected("a value", "only plain variables can be given an arbitrary value")
            self.advance()
            return Action(target.text, None, (), False, target.at)
        if not self.accept("case"):
            return Action(target.text, indices, ((None, self.term()),), False, target.at)
        cases: list[tuple[Formula | None, Term]] = []
        while self.accept("|"):
            if cases and cases[-1][0] is None:
                raise InputError("'_' must be the last case", self.source.span(self.token.at))
            condition = None if self.accept("_") else self.formula()
            self.expect(":")
            cases.append((condition, self.term()))
        if not cases:
            raise self.unexpected("'|'")
        return Action(target.text, indices, tuple(cases), True, target.at)

    # Formulas

    def formula(self) -> Formula:
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
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InputError(
                f"formulas may be nested {_DEEPEST} deep, not deeper", self.source.span(self.token.at)
            )

    def quantified(self) -> Formula:
        kind = self.advance()
        variables = [self.name("lower")]
        while self.accept("<>"):
            variables.append(self.name("lower"))
        self.expect(".")
        if kind.text.endswith("_other") and len(variables) > 1:
            raise InputError(f"{kind.text} binds one variable", self.source.span(variables[1].at))
        return Quantified(kind.text, tuple(variables), self.formula(), kind.at)

    def disjunction(self) -> Formula:
        return self.joined("||")

    def conjunction(self) -> Formula:
        return self.joined("&&")

    def joined(self, operator: str) -> Formula:
        at = self.token.at
        read = self.conjunction if operator == "||" else self.conditional
        parts = [read()]
        while self.accept(operator):
            # A quantifier takes everything behind it, so it ends the chain.
            parts.append(self.formula() if self.sees(*_QUANTIFIERS) else read())
        return parts[0] if len(parts) == 1 else Joined(operator, tuple(parts), at)

    def conditional(self) -> Formula:
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
        if not self.sees("not"):
            return self.atom()
        at = self.advance().at
        self.deeper()
        body = self.formula() if self.sees(*_QUANTIFIERS) else self.negation()
        self.depth -= 1
        return Not(body, at)

    def atom(self) -> Formula:
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
        base = self.simple_term()
        while self.sees("+", "-"):
            base = self.sum(base)
        return base

    def sum(self, base: Term | None) -> Term:
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
        if self.token.kind == "process":
            token = self.advance()
            return ProcessNumber(int(token.text[1:]), token.at)
        return self.name("lower")

    def access(self) -> Name | Cell:
        if self.token.kind != "upper":
            raise self.unexpected("a term")
        name = self.name("upper")
        return Cell(name.text, self.indices(), name.at) if self.sees("[") else name

    def indices(self) -> tuple[Name | ProcessNumber, ...]:
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
