"""A `.cub` file -> its syntax tree: types, variables, properties and transitions in order."""

from __future__ import annotations

from treville.parameterised.language.formula_parser import FormulaParser
from treville.parameterised.language.syntax import (
    Action,
    Clause,
    File,
    Formula,
    Name,
    Predicate,
    SymbolDeclaration,
    Term,
    TransitionDeclaration,
    Truth,
    TypeDeclaration,
)
from treville.results import InputError, Source


def parse(text: str, name: str) -> File:
    """The syntax tree of a whole file; complaints carry their place."""
    return _Parser(Source(name, text)).file()


class _Parser(FormulaParser):
    """Reads declarations."""

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
