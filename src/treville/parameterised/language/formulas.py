"""Formulas and terms of a clause -> shapes (see `normal_form`) over typed terms, with static rules checked.

Negations are pushed inwards on the way: a negated `forall` is an `exists` and the other way round.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from treville.parameterised.language import syntax
from treville.parameterised.language.declarations import Declarations
from treville.parameterised.logic.normal_form import Shape, negation
from treville.parameterised.logic.terms import difference
from treville.parameterised.system import NAMED, Symbol, Term, Type, equality, linear
from treville.results import Source, Unsupported

_MOST_STEPS = 200_000
# Processes of `exists` are numbered from here until they become parameters.
_EXISTENTIAL = 1000

Scope = dict[str, Any]


class Formulas(Declarations):
    """Formulas and terms of one clause after the other; `place` says what the clause at hand allows."""

    def __init__(self, file: syntax.File, source: Source, model: str) -> None:
        super().__init__(file, source, model)
        self.steps = 0
        # transition, init, unsafe
        self.place = ""
        self.actor = -1
        self.read_something = False
        self.fresh = 0

    # Formulas: nested ("and", parts), ("or", parts), ("all", Universal), ("any", index, body), ("fence",)

    def formula(self, node: syntax.Formula, scope: Scope, *, holds: bool = True) -> Shape:
        """The shape of a formula, or of its negation where it must not hold."""
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise self.error("the predicates of this file expand to too much", node.at)
        if isinstance(node, syntax.Truth):
            return node.value == holds
        if isinstance(node, syntax.Fence):
            return self.fence(node, holds=holds)
        if isinstance(node, syntax.Comparison):
            shape = self.comparison(node, scope)
            return shape if holds else negation(shape)
        if isinstance(node, syntax.Not):
            return self.formula(node.body, scope, holds=not holds)
        if isinstance(node, syntax.Joined):
            return self.joined(node, scope, holds=holds)
        if isinstance(node, syntax.Conditional):
            chosen = (node.condition, True, node.then, holds)
            return self.alternatives([chosen, (node.condition, False, node.otherwise, holds)], scope)
        if isinstance(node, syntax.Quantified):
            return self.quantified(node, scope, holds=holds)
        return self.call(node, scope, holds=holds)

    def fence(self, node: syntax.Fence, *, holds: bool) -> Shape:
        """`fence()`, which only a guard can ask for."""
        if self.place != "transition":
            raise self.error(f"fence() is not allowed in {self.place}", node.at)
        if not holds:
            raise Unsupported("fence() below a negation", self.span(node.at, len("fence")))
        return ("fence",)

    def joined(self, node: syntax.Joined, scope: Scope, *, holds: bool) -> Shape:
        """A formula with a connective."""
        if node.operator in ("&&", "||"):
            parts = tuple(self.formula(part, scope, holds=holds) for part in node.parts)
            return ("and" if (node.operator == "&&") == holds else "or", parts)
        left, right = node.parts
        if node.operator == "=>":
            parts = (self.formula(left, scope, holds=not holds), self.formula(right, scope, holds=holds))
            return ("or" if holds else "and", parts)
        return self.alternatives([(left, True, right, holds), (left, False, right, not holds)], scope)

    def alternatives(self, pairs: list[tuple[Any, bool, Any, bool]], scope: Scope) -> Shape:
        """One of the pairs of formulas has these truth values."""
        made = []
        for left, left_holds, right, right_holds in pairs:
            first = self.formula(left, scope, holds=left_holds)
            made.append(("and", (first, self.formula(right, scope, holds=right_holds))))
        return ("or", tuple(made))

    def quantified(self, node: syntax.Quantified, scope: Scope, *, holds: bool) -> Shape:
        """A quantifier over distinct processes."""
        other = node.kind.endswith("_other")
        if node.kind.startswith("forall") == holds:
            inner = dict(scope)
            for position, name in enumerate(node.variables):
                inner[name.text] = ("p", -1 - position)
            return ("all", len(node.variables), other, self.formula(node.body, inner, holds=holds))
        return self.existential(node.variables, node.body, scope, other=other, holds=holds)

    def existential(
        self, names: tuple[syntax.Name, ...], body: syntax.Formula, scope: Scope, *, other: bool, holds: bool
    ) -> Shape:
        """A fresh process, or (without _other) a parameter that no earlier name took, for each name."""
        if not names:
            return self.formula(body, scope, holds=holds)
        known = {} if other else {v[1]: None for v in scope.values() if v and v[0] == "p" and v[1] >= 0}
        taken = scope.get("<>", ())
        choices: list[Shape] = []
        for index in known:
            if index not in taken:
                inner = {**scope, names[0].text: ("p", index), "<>": (*taken, index)}
                choices.append(self.existential(names[1:], body, inner, other=other, holds=holds))
        self.fresh += 1
        index = _EXISTENTIAL + self.fresh
        inner = {**scope, names[0].text: ("p", index), "<>": (*taken, index)}
        choices.append(("any", index, self.existential(names[1:], body, inner, other=other, holds=holds)))
        return ("or", tuple(choices))

    def call(self, node: syntax.Call, scope: Scope, *, holds: bool) -> Shape:
        """A predicate with its arguments put in, or a formula that stands for a parameter."""
        held = scope.get(node.name)
        if held is not None and held[0] == "formula" and not node.arguments:
            return self.formula(held[1], held[2], holds=holds)
        predicate = self.predicates.get(node.name)
        if predicate is None or predicate.at > node.at:
            hint = self.similar(node.name, self.predicates)
            raise self.error(f"unknown predicate {node.name}", node.at, hint, len(node.name))
        if len(predicate.parameters) != len(node.arguments):
            raise self.error(f"{node.name} has {len(predicate.parameters)} parameters", node.at)
        inner: Scope = {}
        for parameter, argument in zip(predicate.parameters, node.arguments, strict=True):
            inner[parameter.text] = self.argument(argument, scope)
        return self.formula(predicate.body, inner, holds=holds)

    def argument(self, argument: syntax.Term | syntax.Formula, scope: Scope) -> Any:
        """What a parameter of a predicate stands for: a process, a term or a formula."""
        if isinstance(argument, syntax.Name):
            held = scope.get(argument.text)
            if held is not None:
                return held
        if isinstance(argument, syntax.Term):
            term, type_ = self.term(argument, scope)
            return term if term[0] == "p" else ("let", term, type_)
        return ("formula", argument, scope)

    def comparison(self, node: syntax.Comparison, scope: Scope) -> Shape:
        """A comparison in normal form, or its truth value."""
        left, left_type = self.term(node.left, scope)
        right, right_type = self.term(node.right, scope)
        if not compatible(left_type, right_type, node.right) and not compatible(
            right_type, left_type, node.left
        ):
            raise self.error(f"{left_type.name} is compared with {right_type.name}", node.at)
        operator = node.operator
        if operator in (">", ">="):
            left, right, operator = right, left, "<" if operator == ">" else "<="
        if left_type.kind in ("int", "real"):
            op = {"=": "=", "<>": "!", "<": "<", "<=": "<="}[operator]
            terms, constant = difference(left, right)
            return linear(op, terms, constant, integral="real" not in (left_type.kind, right_type.kind))
        if operator in ("=", "<>"):
            return equality("=" if operator == "=" else "!", left, right)
        if left_type.kind != "proc":
            raise self.error(f"values of type {left_type.name} are not ordered", node.at)
        if left == right:
            return operator == "<="
        before: Shape = ("<", left, right)
        return before if operator == "<" else ("or", (before, equality("=", left, right)))

    # Terms

    def term(self, node: syntax.Term, scope: Scope) -> tuple[Term, Type]:
        """A term with its type."""
        if isinstance(node, syntax.Number):
            kind = "real" if node.real else "int"
            return ("s", (), Fraction(node.text) if node.real else int(node.text)), self.types[kind]
        if isinstance(node, syntax.Sum):
            return self.sum(node, scope)
        if isinstance(node, syntax.ProcessNumber):
            return self.process(node, scope), self.types["proc"]
        if isinstance(node, syntax.ReadBy):
            return self.read_by(node, scope)
        if isinstance(node, syntax.Cell):
            return self.cell(node, scope, None)
        held = scope.get(node.text)
        if held is not None:
            if held[0] == "formula":
                raise self.error(f"{node.text} is a formula here", node.at)
            return (held[1], held[2]) if held[0] == "let" else (held, self.types["proc"])
        if node.text in self.constructors:
            return ("k", node.text), self.constructors[node.text]
        return self.variable(node, None)

    def variable(self, node: syntax.Name, reader: int | None) -> tuple[Term, Type]:
        """A variable or constant, as `reader` sees it."""
        symbol = self.known(node.text, node.at)
        if symbol.arity:
            raise self.error(f"{symbol.name} has {symbol.arity} indices", node.at, "", len(node.text))
        return self.seen(symbol, (), reader, node.at), symbol.type

    def cell(self, node: syntax.Cell, scope: Scope, reader: int | None) -> tuple[Term, Type]:
        """A cell of an array, as `reader` sees it."""
        symbol = self.known(node.array, node.at)
        if symbol.arity != len(node.indices):
            raise self.error(f"{symbol.name} has {symbol.arity} indices", node.at, "", len(node.array))
        indices = tuple(self.process(index, scope)[1] for index in node.indices)
        self.strong_access(symbol, indices, node.at)
        return self.seen(symbol, indices, reader, node.at), symbol.type

    def strong_access(self, symbol: Symbol, indices: tuple[int, ...], at: int) -> None:
        """Under weak models transitions touch only their own cells of strong arrays."""
        if self.model == "sc" or symbol.weak or symbol.rigid or self.place != "transition":
            return
        if self.actor not in indices and not all(index < 0 for index in indices):
            raise self.error(
                f"only the acting process's own cells of {symbol.name} can be accessed", at,
                f"declare it 'weak array {symbol.name}' if processes share it", len(symbol.name),
            )  # fmt: skip

    def seen(self, symbol: Symbol, indices: tuple[int, ...], reader: int | None, at: int) -> Term:
        """The term for a symbol; in `unsafe` weak ones are read by a named process at one event."""
        if symbol.weak and self.place == "unsafe":
            if reader is None:
                raise self.error(f"which process sees {symbol.name}?", at, f"write p@{symbol.name}")
            return ("r", 0, reader, symbol.name, indices)
        self.read_something |= symbol.weak
        return ("a", symbol.name, indices) if symbol.arity else ("v", symbol.name)

    def read_by(self, node: syntax.ReadBy, scope: Scope) -> tuple[Term, Type]:
        """What a named process sees."""
        reader = self.process(node.process, scope)[1]
        if self.place == "init":
            raise self.error("all processes see the same at the start: no '@' in init", node.at)
        if self.model != "sc" and self.place == "transition" and reader != self.actor:
            raise self.error("a transition reads as its acting process only", node.at)
        if isinstance(node.of, syntax.Cell):
            return self.cell(node.of, scope, reader)
        if node.of.text in self.constructors:
            raise self.error(f"{node.of.text} is a constructor", node.of.at)
        return self.variable(node.of, reader)

    def process(self, node: syntax.Name | syntax.ProcessNumber, scope: Scope) -> Term:
        """A parameter, a bound variable or a named process."""
        if isinstance(node, syntax.ProcessNumber):
            if not 1 <= node.number <= self.file.processes:
                hint = f"number_procs is {self.file.processes}" if self.file.processes else "add number_procs"
                raise self.error(f"there is no process #{node.number}", node.at, hint)
            self.named = True
            return ("p", NAMED + node.number - 1)
        held = scope.get(node.text)
        if held is None or held[0] != "p":
            raise self.error(f"unknown process {node.text}", node.at, self.similar(node.text, scope))
        return tuple(held)

    def sum(self, node: syntax.Sum, scope: Scope) -> tuple[Term, Type]:
        """A term plus constants."""
        factor: Any = Fraction(node.factor) if node.real else int(node.factor)
        type_ = self.types["real" if node.real else "int"]
        terms: dict[Term, Any] = {}
        constant: Any = 0
        if node.base is not None:
            base, type_ = self.term(node.base, scope)
            if type_.kind not in ("int", "real"):
                raise self.error(f"values of type {type_.name} cannot be added", node.base.at)
            terms, constant = difference(base, ("s", (), 0))
        if node.name is None:
            constant += factor
        else:
            added, added_type = self.term(node.name, scope)
            if added_type.kind not in ("int", "real") or node.name.text not in self.symbols:
                raise self.error(f"{node.name.text} is not a number", node.name.at)
            if not self.symbols[node.name.text].rigid:
                raise self.error(f"{node.name.text} is not a constant", node.name.at, "only t + constant")
            terms[added] = terms.get(added, 0) + factor
            type_ = added_type if node.base is None else type_
        if len(terms) == 1 and constant == 0 and list(terms.values()) == [1]:
            return next(iter(terms)), type_
        return ("s", tuple(sorted(terms.items())), constant), type_


def compatible(found: Type, wanted: Type, node: syntax.Term) -> bool:
    """Can a term of one type stand where the other is wanted?"""
    if found == wanted:
        return True
    # A whole number may stand for a real one.
    return wanted.kind == "real" and found.kind == "int" and isinstance(node, syntax.Number)
