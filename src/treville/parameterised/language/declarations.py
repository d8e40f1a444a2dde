"""The declarations of a file -> its types, symbols and predicates by name, with complaints at their place."""

from __future__ import annotations

import difflib
from typing import Any

from treville.parameterised.language import syntax
from treville.parameterised.system import Symbol, Type
from treville.results import InputError, Source, Span

BOOLEAN = Type("bool", "enum", ("False", "True"))
_BUILT_IN = (BOOLEAN, Type("int", "int"), Type("real", "real"), Type("proc", "proc"))
_MOST_PROCESSES = 64


class Declarations:
    """What the names of a file mean under one memory model."""

    def __init__(self, file: syntax.File, source: Source, model: str) -> None:
        self.file = file
        self.source = source
        self.model = model
        self.types = {type_.name: type_ for type_ in _BUILT_IN}
        self.constructors: dict[str, Type] = dict.fromkeys(BOOLEAN.values, BOOLEAN)
        self.symbols: dict[str, Symbol] = {}
        self.predicates: dict[str, syntax.Predicate] = {}
        # Does the file say #1?
        self.named = False
        self.declare()

    def span(self, at: int, length: int = 1) -> Span:
        """A place in the file."""
        return self.source.span(at, length)

    def error(self, message: str, at: int, hint: str = "", length: int = 1) -> InputError:
        """A complaint with its place."""
        return InputError(message, self.span(at, length), hint)

    def declare(self) -> None:
        """Take in all declarations."""
        if self.file.processes > _MOST_PROCESSES:
            raise InputError(f"number_procs can be {_MOST_PROCESSES} at most", self.span(0))
        for declaration in self.file.types:
            self.declare_type(declaration)
        for symbol in self.file.symbols:
            self.declare_symbol(symbol)
        for predicate in self.file.predicates:
            if predicate.name in self.predicates:
                raise self.error(f"predicate {predicate.name} is defined twice", predicate.at)
            self.predicates[predicate.name] = predicate

    def declare_type(self, declaration: syntax.TypeDeclaration) -> None:
        """An abstract type or an enumeration."""
        if declaration.name in self.types:
            raise self.error(f"type {declaration.name} is defined twice", declaration.at)
        values = tuple(constructor.text for constructor in declaration.constructors)
        made = Type(declaration.name, "enum" if values else "abstract", values)
        for constructor in declaration.constructors:
            if constructor.text in self.constructors:
                raise self.error(f"constructor {constructor.text} is defined twice", constructor.at)
            self.constructors[constructor.text] = made
        self.types[declaration.name] = made

    def declare_symbol(self, declaration: syntax.SymbolDeclaration) -> None:
        """A variable, array or constant; only weak variables are shared under weak models."""
        name = declaration.name
        if name in self.symbols or name in self.constructors:
            raise self.error(f"{name} is defined twice", declaration.at)
        if declaration.type.text not in self.types:
            hint = self.similar(declaration.type.text, self.types)
            raise self.error(f"unknown type {declaration.type.text}", declaration.type.at, hint)
        if self.model != "sc" and declaration.kind == "var" and not declaration.weak:
            raise self.error(
                f"variable {name} must be weak under {self.model.upper()}", declaration.at,
                "write 'weak var', make it an array, or choose --model sc",
            )  # fmt: skip
        rigid = declaration.kind == "const"
        weak = declaration.weak and self.model != "sc"
        self.symbols[name] = Symbol(name, self.types[declaration.type.text], declaration.arity, rigid, weak)

    @staticmethod
    def similar(name: str, known: Any) -> str:
        """A hint with the closest known name."""
        close = difflib.get_close_matches(name, list(known), 1)
        return f"did you mean {close[0]}?" if close else ""

    def known(self, name: str, at: int) -> Symbol:
        """The symbol of that name."""
        if name not in self.symbols:
            hint = self.similar(name, [*self.symbols, *self.constructors])
            raise self.error(f"unknown name {name}", at, hint, len(name))
        return self.symbols[name]
