"""cat files -> `Model`: runs the instructions of a file and collects axioms, definitions and pictures.

The standard library (`stdlib.cat`) is read before every model, as herd7 does. `with co from ...` does not
enumerate anything: coherence is a base relation, and what the orders must extend becomes an axiom.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from treville.models.cat import syntax
from treville.models.cat.algebra import GraphError
from treville.models.cat.choices import Chooser
from treville.models.cat.evaluation import NotDefined
from treville.models.cat.files import LIBRARY, find_include, parse_file
from treville.models.cat.parser import parse
from treville.models.cat.primitives import PRIMITIVES, set_of_tag
from treville.models.cat.values import (
    EMPTY,
    CoherenceOrders,
    Environment,
    Nothing,
    Primitive,
    ProcedureValue,
    StaticSet,
    TagValue,
    Value,
    describe,
)
from treville.models.model import RELATION, SET, Axiom, AxiomKind, Model, NodeId, Operator
from treville.records import replace
from treville.results import InputError, Source, Unsupported

MAX_INCLUDES = 500
MAX_INCLUDE_DEPTH = 20
_LONGEST_NAME = 60


def resolve_file(path: Path, variants: Iterable[str] = (), bell: Path | None = None) -> Model:
    """The model in a cat file; `bell` is a file with annotations to read first."""
    source, file = parse_file(path)
    return _resolve(source, file, path.parent, variants, bell, path.stem)


def resolve_text(
    text: str,
    name: str = "model.cat",
    folder: Path | None = None,
    variants: Iterable[str] = (),
    holes: Iterable[str] = (),
) -> Model:
    """The model in a text; includes come from `folder` (if given) and the library. `holes` are names of
    relations that the text does not define and executions do not give."""
    source = Source(name, text)
    return _resolve(source, parse(source), folder, variants, None, Path(name).stem, holes)


def _resolve(
    source: Source,
    file: syntax.File,
    folder: Path | None,
    variants: Iterable[str],
    bell: Path | None,
    name: str,
    holes: Iterable[str] = (),
) -> Model:
    resolver = _Resolver(folder, frozenset(variant.lower() for variant in variants))
    resolver.annotations.update(dict.fromkeys(holes, RELATION))
    try:
        resolver.run_file(LIBRARY / "stdlib.cat")
        resolver.implied = resolver.env.get("co0")
        if bell is not None:
            resolver.run_file(bell)
        resolver.source = source
        resolver.stack.append(source.name)
        resolver.run(file.instructions)
        return resolver.finish(name, file.title, source.name)
    except GraphError as problem:
        raise InputError(str(problem), resolver.source.span(0)) from None
    except RecursionError:
        raise InputError("nested too deeply", source.span(0)) from None


class _Resolver(Chooser):
    """The state of a model that is being read. `implied` is what every coherence order contains anyway."""

    def __init__(self, folder: Path | None, variants: frozenset[str]) -> None:
        super().__init__(variants)
        self.folder = folder
        self.env: Environment = {name: Primitive(name, apply) for name, apply in PRIMITIVES.items()}
        self.axioms: list[Axiom] = []
        self.drawn: dict[str, NodeId] = {}
        self.stack: list[str] = []
        self.includes = 0
        self.implied: Value | None = None
        self.prefix = ""

    # -- running ---------------------------------------------------------------------------------

    def run(self, instructions: tuple[syntax.Instruction, ...]) -> None:
        """Run instructions in order; each sees the names of those before it."""
        for instruction in instructions:
            self.count_step(instruction.at)
            _RUNNERS[type(instruction)](self, instruction)

    def run_file(self, path: Path) -> None:
        """Run the instructions of another file as if they stood here."""
        source, file = parse_file(path)
        outer = self.source
        self.source = source
        self.stack.append(str(path))
        self.run(file.instructions)
        self.stack.pop()
        self.source = outer

    def _include(self, instruction: syntax.Include) -> None:
        span = self.source.span(instruction.at, len(instruction.file) + 2)
        path = find_include(instruction.file, self.folder, span)
        if str(path) in self.stack:
            raise InputError(f'include "{instruction.file}" goes in a cycle', span)
        self.includes += 1
        if len(self.stack) > MAX_INCLUDE_DEPTH or self.includes > MAX_INCLUDES:
            raise InputError("too many includes, or too deep", span)
        self.run_file(path)

    def _let(self, instruction: syntax.Let) -> None:
        self.env = self.let(instruction.recursive, instruction.bindings, self.env)
        if instruction.when is not None:
            self._test(instruction.when)

    # -- axioms ----------------------------------------------------------------------------------

    def _test(self, test: syntax.Test) -> None:
        value = self.evaluate(test.expression, self.env)
        if test.kind is AxiomKind.EMPTY:
            node = self.as_node(value, test.expression.at)
        else:
            node = self.as_kind(value, RELATION, test.expression.at)
        name = self.prefix or test.name or _name_of(self.source.text[test.at : test.end])
        self._add_axiom(test, node, name)

    def _add_axiom(self, test: syntax.Test, node: NodeId, name: str) -> None:
        flag = test.role in ("flag", "assert")
        # `assert t` complains where t fails: it is the flag of the opposite.
        negated = test.negated != (test.role == "assert")
        if self.graph.is_empty(node) and flag == negated:
            return  # an axiom that always holds, or a flag that never does
        span = self.source.span(test.at, test.end - test.at)
        self.axioms.append(Axiom(test.kind, negated, node, name, flag, test.role == "undefined_unless", span))

    def _with_from(self, instruction: syntax.WithFrom) -> None:
        value = self.evaluate(instruction.expression, self.env)
        if isinstance(value, StaticSet) and len(value.items) == 1:
            chosen = value.items[0]
        elif isinstance(value, CoherenceOrders):
            chosen = self._choose_coherence(value, instruction.at)
        else:
            raise Unsupported(
                f"with {instruction.variable} from {describe(value, self.graph.kinds)}",
                self.source.span(instruction.at),
                "only coherence orders, as cos.cat generates them, can be chosen",
            )
        self.env = self.env | {instruction.variable: chosen}

    def _choose_coherence(self, orders: CoherenceOrders, at: int) -> NodeId:
        """The execution's coherence order on a set, with an axiom for what it must extend beyond the initial
        and final writes, and a flag where the set has events that coherence does not order."""
        graph = self.graph
        span = self.source.span(at)
        pairs = graph.inter(graph.product(orders.writes, orders.writes), graph.base("loc", RELATION))
        order = graph.base("co", RELATION)
        if orders.writes != graph.base("W", SET):
            order = graph.inter(order, graph.product(orders.writes, orders.writes))
            if graph.base("W", SET) not in graph.conjuncts(orders.writes):
                ordered = graph.union(graph.union(order, graph.inverse(order)), graph.id())
                unordered = graph.diff(pairs, ordered)
                self.axioms.append(
                    Axiom(AxiomKind.EMPTY, True, unordered, "unordered-by-coherence", True, span=span)
                )
        implied = self.implied
        extra = graph.empty(RELATION)
        for part in graph.disjuncts(orders.extending):
            if part not in (implied, order):
                extra = graph.union(extra, part)
        if orders.extending != implied and not graph.is_empty(extra):
            constraint = graph.union(order, graph.inter(extra, pairs))
            self.axioms.append(Axiom(AxiomKind.ACYCLIC, False, constraint, "coherence-order", span=span))
        return order

    # -- pictures --------------------------------------------------------------------------------

    def _show(self, instruction: syntax.Show) -> None:
        for name in instruction.names:
            self.drawn.pop(name, None)
            # herd7 ignores names that are not defined here; so shared files can list what they like.
            value = self.env.get(name)
            if value is None and not instruction.hide:
                try:
                    value = self.base(name, instruction.at)
                except InputError:
                    continue
            if isinstance(value, int) and not instruction.hide and self.graph.kinds[value] is RELATION:
                self.drawn[name] = value

    def _show_as(self, instruction: syntax.ShowAs) -> None:
        try:
            value = self.evaluate(instruction.expression, self.env)
        except NotDefined:
            return
        self.drawn.pop(instruction.name, None)
        if isinstance(value, int) and self.graph.kinds[value] is RELATION:
            self.drawn[instruction.name] = value

    # -- procedures and control ------------------------------------------------------------------

    def _procedure(self, instruction: syntax.Procedure) -> None:
        env = dict(self.env)
        procedure = ProcedureValue(instruction.pattern, instruction.body, env, self.source)
        if instruction.recursive:
            env[instruction.name] = procedure
        self.env = self.env | {instruction.name: procedure}

    def _call(self, instruction: syntax.Call) -> None:
        procedure = self.env.get(instruction.procedure)
        if not isinstance(procedure, ProcedureValue):
            self.error(f"{instruction.procedure} is not a procedure", instruction.at)
        argument = self.evaluate(instruction.argument, self.env)
        outer = (self.env, self.source, self.prefix)
        self.env = dict(procedure.environment)
        self.bind(procedure.pattern, argument, self.env, instruction.argument.at)
        self.source = procedure.source
        self.prefix = instruction.name or self.prefix
        self._nested(procedure.body, instruction.at)
        self.env, self.source, self.prefix = outer

    def _nested(self, instructions: tuple[syntax.Instruction, ...], at: int) -> None:
        """Run a block one level deeper; procedures may recurse."""
        self.depth += 5
        if self.depth > 100:
            self.error("procedures call each other too deeply", at)
        self.run(instructions)
        self.depth -= 5

    def _choose(self, instruction: syntax.Choose) -> None:
        chosen = self.condition(instruction.condition, self.env)
        self._nested(instruction.then if chosen else instruction.otherwise, instruction.at)

    def _match(self, instruction: syntax.MatchInstruction) -> None:
        body = self.matching(instruction.subject, instruction.clauses, instruction.default, self.env)
        self._nested(body, instruction.at)

    def _forall(self, instruction: syntax.Forall) -> None:
        domain = self.evaluate(instruction.domain, self.env)
        if not isinstance(domain, StaticSet | Nothing):
            raise Unsupported(
                "forall over a set that depends on the execution", self.source.span(instruction.domain.at)
            )
        outer = self.env
        for item in domain.items if isinstance(domain, StaticSet) else ():
            self.env = outer | {instruction.variable: item}
            self._nested(instruction.body, instruction.at)
        self.env = outer

    # -- bell ------------------------------------------------------------------------------------

    def _enumeration(self, instruction: syntax.Enumeration) -> None:
        tags = tuple(TagValue(tag) for tag in instruction.tags)
        self.env = self.env | {instruction.name: StaticSet(tags)}
        for tag in instruction.tags:
            self.annotations[set_of_tag(tag)] = SET

    def _annotations(self, instruction: syntax.Annotations) -> None:
        for expression in instruction.sets:
            value = self.evaluate(expression, self.env)
            for item in value.items if isinstance(value, StaticSet) else (value,):
                if isinstance(item, TagValue):
                    self.annotations[set_of_tag(item.name)] = SET

    def _debug(self, _instruction: syntax.Debug) -> None:
        """herd7 prints the value; a library does not print."""

    # -- the result ------------------------------------------------------------------------------

    def finish(self, name: str, title: str, file: str) -> Model:
        """Everything collected, renumbered."""
        definitions = {
            key: self.graph.empty(RELATION) if value is EMPTY else value
            for key, value in self.env.items()
            if isinstance(value, int) or value is EMPTY
        }
        known: dict[str, NodeId] = {key: node for key, node in definitions.items() if isinstance(node, int)}
        self._prefer_names(known)
        roots = [axiom.node for axiom in self.axioms] + list(known.values()) + list(self.drawn.values())
        nodes, groups, place = self.graph.compact(roots)
        return Model(
            name=name,
            nodes=nodes,
            groups=groups,
            axioms=tuple(replace(axiom, node=place[axiom.node]) for axiom in self.axioms),
            definitions=MappingProxyType({key: place[node] for key, node in known.items()}),
            shown=tuple(self.drawn),
            file=file,
            title=title or name,
            drawn=MappingProxyType({key: place[node] for key, node in self.drawn.items()}),
        )

    def _prefer_names(self, definitions: dict[str, NodeId]) -> None:
        """Where a node has a name of the whole model, show that rather than one inside a function."""
        names = self.graph.names
        for name, node in definitions.items():
            if self.graph.ops[node] is not Operator.BASE and names[node] not in definitions:
                names[node] = name


def _name_of(text: str) -> str:
    """A name for an axiom that has none: its own text, in short."""
    text = re.sub(r"\(\*.*?\*\)", " ", text, flags=re.DOTALL)
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST_NAME else words[: _LONGEST_NAME - 3] + "..."


_Runner = Callable[[_Resolver, Any], None]
_RUNNERS: dict[type, _Runner] = {
    syntax.Let: _Resolver._let,
    syntax.Test: _Resolver._test,
    syntax.Show: _Resolver._show,
    syntax.ShowAs: _Resolver._show_as,
    syntax.Include: _Resolver._include,
    syntax.Procedure: _Resolver._procedure,
    syntax.Call: _Resolver._call,
    syntax.Enumeration: _Resolver._enumeration,
    syntax.Annotations: _Resolver._annotations,
    syntax.Forall: _Resolver._forall,
    syntax.WithFrom: _Resolver._with_from,
    syntax.Choose: _Resolver._choose,
    syntax.MatchInstruction: _Resolver._match,
    syntax.Debug: _Resolver._debug,
}
