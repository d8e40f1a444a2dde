"""A syntax tree -> a `System` under one memory model: names, types, static rules, disjunctive form.

The rules for weak models are those of section 3 of paper 002: plain variables must be weak, every
transition names its acting process, and only that process's cells of strong arrays may be touched.
"""

from __future__ import annotations

import difflib
from fractions import Fraction
from typing import Any

from treville.parameterised import syntax
from treville.parameterised.normal_form import Shape, disjuncts, negation
from treville.parameterised.parser import parse
from treville.parameterised.system import (
    NAMED,
    Branch,
    InitialConstraint,
    Property,
    Symbol,
    System,
    Term,
    Transition,
    Type,
    Update,
    equality,
    linear,
    literal_processes,
    terms_of,
)
from treville.results import InputError, Source, Span, Unsupported

MODELS = ("sc", "tso", "pso")
_BUILT_IN = (
    Type("bool", "enum", ("False", "True")),
    Type("int", "int"),
    Type("real", "real"),
    Type("proc", "proc"),
)
_MOST_STEPS = 200_000
_MOST_PROCESSES = 64
# Processes of `exists` are numbered from here until they become parameters.
_EXISTENTIAL = 1000

Scope = dict[str, Any]


def read_system(text: str, name: str, model: str | None = None) -> System:
    """The system of a file; without a model TSO where the file says `weak`, else SC."""
    file = parse(text, name)
    weak = any(symbol.weak for symbol in file.symbols)
    return _Resolver(file, Source(name, text), model or ("tso" if weak else "sc")).system()


class _Resolver:
    def __init__(self, file: syntax.File, source: Source, model: str) -> None:
        self.file = file
        self.source = source
        self.model = model
        self.types = {type_.name: type_ for type_ in _BUILT_IN}
        self.constructors: dict[str, Type] = dict.fromkeys(_BUILT_IN[0].values, _BUILT_IN[0])
        self.symbols: dict[str, Symbol] = {}
        self.predicates: dict[str, syntax.Predicate] = {}
        self.named = False
        self.steps = 0
        # What the clause at hand allows: transition, init, unsafe.
        self.place = ""
        self.actor = -1
        self.read_something = False
        self.fresh = 0

    def span(self, at: int, length: int = 1) -> Span:
        return self.source.span(at, length)

    def error(self, message: str, at: int, hint: str = "", length: int = 1) -> InputError:
        return InputError(message, self.span(at, length), hint)

    # The whole file

    def system(self) -> System:
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
        clauses: dict[str, list[syntax.Clause]] = {"init": [], "unsafe": [], "invariant": []}
        for clause in self.file.clauses:
            clauses[clause.kind].append(clause)
        if len(clauses["init"]) != 1:
            at = clauses["init"][1].at if clauses["init"] else len(self.source.text)
            raise self.error("exactly one init is needed", at)
        initial = self.initial(clauses["init"][0])
        invariants = self.properties(clauses["invariant"])
        unsafe = self.properties(clauses["unsafe"])
        transitions = tuple(t for declaration in self.file.transitions for t in self.transition(declaration))
        return System(
            self.source.name, self.model, self.file.processes, self.named, tuple(self.types.values()),
            self.symbols, initial, unsafe, invariants, transitions,
        )  # fmt: skip

    def declare_type(self, declaration: syntax.TypeDeclaration) -> None:
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
        close = difflib.get_close_matches(name, list(known), 1)
        return f"did you mean {close[0]}?" if close else ""

    # Clauses

    def parameters(self, names: tuple[syntax.Name, ...]) -> Scope:
        scope: Scope = {}
        for position, name in enumerate(names):
            if name.text in scope:
                raise self.error(f"parameter {name.text} occurs twice", name.at)
            scope[name.text] = ("p", position)
        self.fresh = len(names)
        if self.file.processes and len(names) > self.file.processes:
            raise self.error("more parameters than processes", names[0].at)
        return scope

    def initial(self, clause: syntax.Clause) -> tuple[InitialConstraint, ...]:
        self.place, self.actor = "init", -1
        shape = self.formula(clause.body, self.parameters(clause.parameters))
        constraints: list[InitialConstraint] = []
        for part in shape[1] if isinstance(shape, tuple) and shape[0] == "and" else (shape,):
            constraints += self.initial_parts(part, clause.at)
        return tuple(constraints)

    def initial_parts(self, part: Shape, at: int) -> list[InitialConstraint]:
        """One conjunct holds for all tuples of the processes that it mentions itself."""
        made = []
        if isinstance(part, tuple) and part[0] == "and":
            return [c for inner in part[1] for c in self.initial_parts(inner, at)]
        for existential, universals, fence, _ in disjuncts(part, self.span(at)):
            if universals or fence or existential:
                raise Unsupported("quantifiers inside init are not handled", self.span(at))
        cubes = tuple(cube for _, _, _, cube in disjuncts(part, self.span(at)))
        used = sorted({i for cube in cubes for literal in cube for i in literal_processes(literal)})
        place = {old: new for new, old in enumerate(used)}
        renamed = tuple(tuple(rename_literal(literal, place) for literal in cube) for cube in cubes)
        made.append(InitialConstraint(len(used), renamed))
        return made

    def properties(self, clauses: list[syntax.Clause]) -> tuple[Property, ...]:
        made: list[Property] = []
        for number, clause in enumerate(clauses, 1):
            self.place, self.actor = "unsafe", -1
            count = len(clause.parameters)
            shape = self.formula(clause.body, self.parameters(clause.parameters))
            name = clause.name or f"{clause.kind}[{number}]"
            for existential, universals, fence, cube in disjuncts(shape, self.span(clause.at)):
                if universals:
                    raise Unsupported(f"forall inside {clause.kind} is not handled", self.span(clause.at))
                if fence:
                    raise self.error(f"fence() is not allowed in {clause.kind}", clause.at)
                place = _placed(count, existential)
                renamed = tuple(rename_literal(literal, place) for literal in cube)
                made.append(Property(name, count + len(existential), renamed, self.span(clause.at, 6)))
        return tuple(made)

    # Transitions

    def transition(self, declaration: syntax.TransitionDeclaration) -> list[Transition]:
        self.place, self.actor = "transition", declaration.actor
        self.read_something = False
        scope = self.parameters(declaration.parameters)
        if self.model != "sc" and declaration.actor < 0:
            raise self.error(
                f"transition {declaration.name} does not say which process acts", declaration.at,
                "put that parameter in brackets: ([p] q)", len("transition"),
            )  # fmt: skip
        shape = self.formula(declaration.guard, scope)
        bound = dict(scope)
        for name, term in declaration.lets:
            bound[name.text] = ("let", *self.term(term, bound))
        updates: list[Update] = []
        for action in declaration.actions:
            update = self.update(action, bound, updates)
            updates.append(update)
        names = tuple(name.text for name in declaration.parameters)
        span = self.span(declaration.at, len("transition"))
        writes = any(update.symbol.weak for update in updates)
        made = []
        for existential, universals, fence, cube in disjuncts(shape, span):
            place = _placed(len(names), existential)
            guard = tuple(rename_literal(literal, place) for literal in cube)
            every = names + tuple(f"x{i}" for i in range(1, len(existential) + 1))
            reads = (writes and self.read_something) or any(
                self.is_weak_read(term)
                for some in (guard, *(c for u in universals for c in u.cubes))
                for literal in some for term in terms_of(literal)
            ) or self.update_reads(updates)  # fmt: skip
            made.append(
                Transition(
                    declaration.name, every, declaration.actor, guard, universals,
                    fence and self.model != "sc", tuple(updates), span, bool(reads), writes,
                )
            )  # fmt: skip
        return made

    def update_reads(self, updates: list[Update]) -> bool:
        return any(
            self.is_weak_read(term)
            for update in updates
            for branch in update.branches
            for term in _branch_terms(update, branch)
        )

    def is_weak_read(self, term: Term) -> bool:
        return term[0] in "va" and self.symbols[term[1]].weak

    def update(self, action: syntax.Action, scope: Scope, before: list[Update]) -> Update:
        symbol = self.known(action.target, action.at)
        if symbol.rigid:
            raise self.error(f"{symbol.name} is a constant", action.at)
        if any(update.symbol.name == symbol.name for update in before):
            raise self.error(f"{symbol.name} is assigned twice", action.at, "use a case construct")
        if (action.indices is None) != (symbol.arity == 0) or len(action.indices or ()) != symbol.arity:
            raise self.error(f"{symbol.name} has {symbol.arity} indices", action.at)
        inner, header = dict(scope), []
        fresh = action.is_case and action.indices is not None
        for position, index in enumerate(action.indices or ()):
            target = ("p", -1 - position)
            if fresh:
                if isinstance(index, syntax.ProcessNumber) or index.text in scope:
                    hint = "A[j] := case ... changes all cells; j must not be a parameter"
                    raise self.error("a case needs fresh index names", index.at, hint)
                inner[index.text] = target
            else:
                header.append(equality("=", target, self.process(index, scope)))
        if not fresh and symbol.arity:
            self.strong_access(
                symbol, tuple(self.process(i, scope)[1] for i in action.indices or ()), action.at
            )
        return Update(symbol, tuple(self.branches(action, symbol, inner, header)))

    def branches(
        self, action: syntax.Action, symbol: Symbol, scope: Scope, header: list[Any]
    ) -> list[Branch]:
        """The cases of an action, each with the negations of those before; an unmatched cell is kept."""
        own: Term = ("a", symbol.name, tuple(range(-1, -1 - symbol.arity, -1)))
        keep = own if symbol.arity else ("v", symbol.name)
        if not action.cases:
            return [Branch(((),), None)]
        made: list[Branch] = []
        excluded: list[Shape] = []
        cases: list[tuple[Shape, Term | None]] = []
        for condition, value in action.cases:
            wanted: Shape = True if condition is None else self.formula(condition, scope)
            if header:
                wanted = ("and", (*header, wanted))
            cases.append((wanted, self.value(value, symbol, scope)))
        if header or action.cases[-1][0] is not None:
            cases.append((True, keep))
        for wanted, value_term in cases:
            shape: Shape = ("and", (wanted, *excluded))
            found = disjuncts(shape, self.span(action.at))
            if any(universals or fence or extra for extra, universals, fence, _ in found):
                raise Unsupported("quantifiers and fences in a case are not handled", self.span(action.at))
            if found:
                made.append(Branch(tuple(cube for *_, cube in found), value_term))
            excluded.append(negation(wanted))
        return made

    def value(self, term: syntax.Term, symbol: Symbol, scope: Scope) -> Term:
        made, type_ = self.term(term, scope)
        if not _compatible(type_, symbol.type, term):
            raise self.error(
                f"{symbol.name} has type {symbol.type.name}, this has type {type_.name}", term.at
            )
        return made

    # Formulas: nested ("and", parts), ("or", parts), ("all", Universal), ("any", index, body), ("fence",)

    def formula(self, node: syntax.Formula, scope: Scope) -> Shape:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise self.error("the predicates of this file expand to too much", node.at)
        if isinstance(node, syntax.Truth):
            return node.value
        if isinstance(node, syntax.Fence):
            if self.place != "transition":
                raise self.error(f"fence() is not allowed in {self.place}", node.at)
            return ("fence",)
        if isinstance(node, syntax.Comparison):
            return self.comparison(node, scope)
        if isinstance(node, syntax.Not):
            return negation(self.formula(node.body, scope), self.span(node.at))
        if isinstance(node, syntax.Joined):
            return self.joined(node, scope)
        if isinstance(node, syntax.Conditional):
            condition = self.formula(node.condition, scope)
            then, otherwise = self.formula(node.then, scope), self.formula(node.otherwise, scope)
            refuted = negation(condition, self.span(node.at))
            return ("or", (("and", (condition, then)), ("and", (refuted, otherwise))))
        if isinstance(node, syntax.Quantified):
            return self.quantified(node, scope)
        return self.call(node, scope)

    def joined(self, node: syntax.Joined, scope: Scope) -> Shape:
        parts = tuple(self.formula(part, scope) for part in node.parts)
        if node.operator in ("&&", "||"):
            return ("and" if node.operator == "&&" else "or", parts)
        left, right = parts
        span = self.span(node.at)
        if node.operator == "=>":
            return ("or", (negation(left, span), right))
        both, neither = ("and", (left, right)), ("and", (negation(left, span), negation(right, span)))
        return ("or", (both, neither))

    def quantified(self, node: syntax.Quantified, scope: Scope) -> Shape:
        other = node.kind.endswith("_other")
        if node.kind.startswith("forall"):
            inner = dict(scope)
            for position, name in enumerate(node.variables):
                inner[name.text] = ("p", -1 - position)
            body = self.formula(node.body, inner)
            return ("all", len(node.variables), other, body)
        return self.existential(node.variables, node.body, scope, other=other)

    def existential(
        self, names: tuple[syntax.Name, ...], body: syntax.Formula, scope: Scope, *, other: bool
    ) -> Shape:
        """A fresh process, or (without _other) a parameter that no earlier name took, for each name."""
        if not names:
            return self.formula(body, scope)
        known = {} if other else {v[1]: None for v in scope.values() if v and v[0] == "p" and v[1] >= 0}
        taken = scope.get("<>", ())
        choices: list[Shape] = []
        for index in known:
            if index not in taken:
                inner = {**scope, names[0].text: ("p", index), "<>": (*taken, index)}
                choices.append(self.existential(names[1:], body, inner, other=other))
        self.fresh += 1
        index = _EXISTENTIAL + self.fresh
        inner = {**scope, names[0].text: ("p", index), "<>": (*taken, index)}
        choices.append(("any", index, self.existential(names[1:], body, inner, other=other)))
        return ("or", tuple(choices))

    def call(self, node: syntax.Call, scope: Scope) -> Shape:
        held = scope.get(node.name)
        if held is not None and held[0] == "formula" and not node.arguments:
            return self.formula(held[1], held[2])
        predicate = self.predicates.get(node.name)
        if predicate is None or predicate.at > node.at:
            hint = self.similar(node.name, self.predicates)
            raise self.error(f"unknown predicate {node.name}", node.at, hint, len(node.name))
        if len(predicate.parameters) != len(node.arguments):
            raise self.error(f"{node.name} has {len(predicate.parameters)} parameters", node.at)
        inner: Scope = {}
        for parameter, argument in zip(predicate.parameters, node.arguments, strict=True):
            inner[parameter.text] = self.argument(argument, scope)
        return self.formula(predicate.body, inner)

    def argument(self, argument: syntax.Term | syntax.Formula, scope: Scope) -> Any:
        if isinstance(argument, syntax.Name):
            held = scope.get(argument.text)
            if held is not None:
                return held
        if isinstance(argument, syntax.Term):
            term, type_ = self.term(argument, scope)
            return term if term[0] == "p" else ("let", term, type_)
        return ("formula", argument, scope)

    def comparison(self, node: syntax.Comparison, scope: Scope) -> Shape:
        left, left_type = self.term(node.left, scope)
        right, right_type = self.term(node.right, scope)
        if not _compatible(left_type, right_type, node.right) and not _compatible(
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

    def known(self, name: str, at: int) -> Symbol:
        if name not in self.symbols:
            hint = self.similar(name, [*self.symbols, *self.constructors])
            raise self.error(f"unknown name {name}", at, hint, len(name))
        return self.symbols[name]

    def variable(self, node: syntax.Name, reader: int | None) -> tuple[Term, Type]:
        symbol = self.known(node.text, node.at)
        if symbol.arity:
            raise self.error(f"{symbol.name} has {symbol.arity} indices", node.at, "", len(node.text))
        return self.seen(symbol, (), reader, node.at), symbol.type

    def cell(self, node: syntax.Cell, scope: Scope, reader: int | None) -> tuple[Term, Type]:
        symbol = self.known(node.array, node.at)
        if symbol.arity != len(node.indices):
            raise self.error(f"{symbol.name} has {symbol.arity} indices", node.at, "", len(node.array))
        indices = tuple(self.process(index, scope)[1] for index in node.indices)
        self.strong_access(symbol, indices, node.at)
        return self.seen(symbol, indices, reader, node.at), symbol.type

    def strong_access(self, symbol: Symbol, indices: tuple[int, ...], at: int) -> None:
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


def difference(left: Term, right: Term) -> tuple[dict[Term, Any], Any]:
    """left - right as factors of terms and a constant."""
    terms: dict[Term, Any] = {}
    constant: Any = 0
    for term, sign in ((left, 1), (right, -1)):
        if term[0] == "s":
            constant += sign * term[2]
            for inner, factor in term[1]:
                terms[inner] = terms.get(inner, 0) + sign * factor
        else:
            terms[term] = terms.get(term, 0) + sign
    return terms, constant


def rename_term(term: Term, place: dict[int, int]) -> Term:
    """The term with its processes renamed; processes that are not in `place` stay."""
    tag = term[0]
    if tag == "a":
        return ("a", term[1], tuple(place.get(i, i) for i in term[2]))
    if tag == "p":
        return ("p", place.get(term[1], term[1]))
    if tag == "r":
        reader = place.get(term[2], term[2])
        return ("r", term[1], reader, term[3], tuple(place.get(i, i) for i in term[4]))
    if tag == "s":
        return ("s", tuple((rename_term(inner, place), factor) for inner, factor in term[1]), term[2])
    return term


def rename_literal(literal: Any, place: dict[int, int]) -> Any:
    """The literal with its processes renamed, without normalising it again."""
    if literal[0] == "L":
        return ("L", literal[1], tuple((rename_term(t, place), f) for t, f in literal[2]), literal[3])
    return (literal[0], rename_term(literal[1], place), rename_term(literal[2], place))


def _placed(count: int, existential: tuple[int, ...]) -> dict[int, int]:
    return {old: count + new for new, old in enumerate(existential)}


def _branch_terms(update: Update, branch: Branch) -> list[Term]:
    """The terms that a case reads; keeping a cell's own value reads nothing."""
    found = [term for cube in branch.when for literal in cube for term in terms_of(literal)]
    value = branch.value
    own = ("a", update.symbol.name, tuple(range(-1, -1 - update.symbol.arity, -1)))
    if value is not None and value not in (own, ("v", update.symbol.name)):
        found += [inner for inner, _ in value[1]] if value[0] == "s" else [value]
    return found


def _compatible(found: Type, wanted: Type, node: syntax.Term) -> bool:
    if found == wanted:
        return True
    # A whole number may stand for a real one.
    return wanted.kind == "real" and found.kind == "int" and isinstance(node, syntax.Number)
