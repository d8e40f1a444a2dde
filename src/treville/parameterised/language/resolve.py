"""A syntax tree -> a `System` under one memory model: clauses and transitions in disjunctive form.

The rules for weak models are those of section 3 of paper 002: plain variables must be weak, every
transition names its acting process, and only that process's cells of strong arrays may be touched.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from treville.parameterised.language import syntax
from treville.parameterised.language.formulas import Formulas, Scope, compatible
from treville.parameterised.language.parser import parse
from treville.parameterised.logic.normal_form import Disjunct, Shape, disjuncts, negation
from treville.parameterised.logic.terms import rename_literal
from treville.parameterised.system import (
    Branch,
    InitialConstraint,
    Property,
    Symbol,
    System,
    Term,
    Transition,
    Update,
    equality,
    literal_processes,
    terms_of,
)
from treville.results import Source, Unsupported

MODELS = ("sc", "tso", "pso")


def read_system(text: str, name: str, model: str | None = None) -> System:
    """The system of a file; without a model TSO where the file says `weak`, else SC."""
    file = parse(text, name)
    weak = any(symbol.weak for symbol in file.symbols)
    return _Resolver(file, Source(name, text), model or ("tso" if weak else "sc")).system()


class _Resolver(Formulas):
    def system(self) -> System:
        """Everything about the file."""
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
        return tuple(self.initial_parts(shape, clause))

    def initial_parts(self, part: Shape, clause: syntax.Clause) -> list[InitialConstraint]:
        """One conjunct holds for all tuples of the processes that it mentions itself."""
        if isinstance(part, tuple) and part[0] == "and":
            return [c for inner in part[1] for c in self.initial_parts(inner, clause)]
        if isinstance(part, tuple) and part[0] == "all":
            bodies = _instances(part, len(clause.parameters))
            return [c for body in bodies for c in self.initial_parts(body, clause)]
        found = disjuncts(part, self.span(clause.at))
        if any(existential or universals for existential, universals, _, _ in found):
            what = "exists, nested quantifiers and forall in alternatives inside init"
            raise Unsupported(what, self.span(clause.at, len("init")))
        cubes = tuple(cube for *_, cube in found)
        used = sorted({i for cube in cubes for literal in cube for i in literal_processes(literal)})
        place = {old: new for new, old in enumerate(used)}
        renamed = tuple(tuple(rename_literal(literal, place) for literal in cube) for cube in cubes)
        return [InitialConstraint(len(used), renamed)]

    def properties(self, clauses: list[syntax.Clause]) -> tuple[Property, ...]:
        made: list[Property] = []
        for number, clause in enumerate(clauses, 1):
            self.place, self.actor = "unsafe", -1
            count = len(clause.parameters)
            shape = self.formula(clause.body, self.parameters(clause.parameters))
            name = clause.name or f"{clause.kind}[{number}]"
            for existential, universals, _, cube in disjuncts(shape, self.span(clause.at)):
                if universals:
                    raise Unsupported(f"forall inside {clause.kind}", self.span(clause.at, len(clause.kind)))
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
        found = [item for disjunct in disjuncts(shape, span) for item in _with_witnesses(disjunct)]
        for existential, universals, fence, cube in found:
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
                raise Unsupported("quantifiers and fences in a case", self.span(action.at))
            if found:
                made.append(Branch(tuple(cube for *_, cube in found), value_term))
            excluded.append(negation(wanted, self.span(action.at)))
        return made

    def value(self, term: syntax.Term, symbol: Symbol, scope: Scope) -> Term:
        made, type_ = self.term(term, scope)
        if not compatible(type_, symbol.type, term):
            raise self.error(
                f"{symbol.name} has type {symbol.type.name}, this has type {type_.name}", term.at
            )
        return made


def _instances(universal: Shape, parameters: int) -> list[Shape]:
    """The bodies of a universal part of `init`, with its processes fresh or, where allowed, parameters."""
    _, count, other, body = universal
    made = []
    for chosen in product((*(() if other else range(parameters)), None), repeat=count):
        taken = [i for i in chosen if i is not None]
        if len(set(taken)) == len(taken):
            place = {-1 - k: parameters + k if i is None else i for k, i in enumerate(chosen)}
            made.append(_renamed(body, place))
    return made


def _renamed(shape: Shape, place: dict[int, int]) -> Shape:
    if isinstance(shape, bool):
        return shape
    if shape[0] in ("and", "or"):
        return (shape[0], tuple(_renamed(part, place) for part in shape[1]))
    if shape[0] in ("all", "any"):
        # Refused by whoever looks at the parts.
        return shape
    return rename_literal(shape, place)


def _with_witnesses(disjunct: Disjunct) -> list[Disjunct]:
    """The witnesses of `exists` become parameters, but `forall_other` speaks of them as well."""
    existential, universals, fence, cube = disjunct
    cubes = [cube]
    for witness in existential:
        for universal in universals:
            if universal.other:
                said = [tuple(rename_literal(lit, {-1: witness}) for lit in c) for c in universal.cubes]
                cubes = [tuple(dict.fromkeys((*before, *more))) for before in cubes for more in said]
    return [(existential, universals, fence, made) for made in cubes]


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
