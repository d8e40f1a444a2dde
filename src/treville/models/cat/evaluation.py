"""Expressions of cat -> nodes of the graph and static values, by partial evaluation.

Functions are inlined, tags are matched, variants are decided; what remains is relation algebra over
base sets and relations. Steps and depth are bounded, so that no input can run away.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from treville.models.base import SAME_SETS, base_kind, base_names
from treville.models.cat import syntax
from treville.models.cat.algebra import GraphError
from treville.models.cat.graph import Graph
from treville.models.cat.kinds import guess_kinds
from treville.models.cat.values import (
    EMPTY,
    Closure,
    Environment,
    Nothing,
    Primitive,
    StaticSet,
    TagValue,
    TupleValue,
    Value,
    describe,
)
from treville.models.model import RELATION, SET, ClosureOperator, Kind, NodeId, Operator
from treville.results import InputError, Source, Unsupported

_CLOSURES: dict[str, ClosureOperator] = {"?": Operator.OPTIONAL, "+": Operator.PLUS, "*": Operator.STAR}

MAX_STEPS = 200_000
MAX_DEPTH = 150
MAX_DEFINITIONS = 5_000


class NotDefined(InputError):
    """A name or a primitive has no meaning here; `try` goes on with its alternative."""


class Evaluator:
    """Evaluates expressions of one model; `source` is the file that is being read. `readers` maps each form
    of expression to its method; `choices.Chooser` adds those that decide something."""

    readers: ClassVar[dict[type, Callable[[Any, Any, Environment], Value]]]

    def __init__(self, variants: frozenset[str] = frozenset()) -> None:
        self.graph = Graph()
        self.variants = variants
        self.source = Source("", "")
        self.annotations: dict[str, Kind] = {}
        self.visible: Environment = {}
        self.steps = 0
        self.depth = 0

    # -- errors and limits -----------------------------------------------------------------------

    def problem(self, message: str, at: int, hint: str = "") -> InputError:
        """An error at an offset of the current file."""
        return InputError(message, self.source.span(at), hint)

    def error(self, message: str, at: int, hint: str = "") -> NoReturn:
        """Raise it."""
        raise self.problem(message, at, hint)

    def count_step(self, at: int) -> None:
        """Bound the work: function calls and includes may not multiply without end."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            self.error("the model grows too large while its functions and includes are expanded", at)

    # -- expressions -----------------------------------------------------------------------------

    def evaluate(self, expression: syntax.Expression, env: Environment) -> Value:
        """The value of any expression."""
        self.count_step(expression.at)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.error("nested or recursive too deeply", expression.at)
        try:
            return self.readers[type(expression)](self, expression, env)
        except GraphError as problem:
            self.error(str(problem), expression.at)
        finally:
            self.depth -= 1

    def events(self, expression: syntax.Expression, env: Environment, kind: Kind) -> NodeId:
        """The node of an expression that must be a set or must be a relation."""
        value = self.evaluate(expression, env)
        return self.as_kind(value, kind, expression.at)

    def as_kind(self, value: Value, kind: Kind, at: int) -> NodeId:
        """Check a value to be a set of events or a relation."""
        if isinstance(value, Nothing):
            return self.graph.empty(kind)
        if isinstance(value, int) and self.graph.kinds[value] is kind:
            return value
        found = describe(value, self.graph.kinds)
        hint = ""
        if isinstance(value, int):
            hint = "[S] turns a set into a relation" if kind is RELATION else "domain and range give sets"
        raise self.problem(f"expected a {kind}, found {found}", at, hint)

    def as_node(self, value: Value, at: int) -> NodeId:
        """Check a value to be a set of events or a relation, either of them."""
        if isinstance(value, int):
            return value
        if isinstance(value, Nothing):
            return self.graph.empty(RELATION)
        raise self.problem(f"expected a set or a relation, found {describe(value, self.graph.kinds)}", at)

    def _suggest(self, name: str) -> str:
        close = difflib.get_close_matches(name, {*self.visible, *base_names()}, 1)
        return f"did you mean {close[0]}?" if close else ""

    def _name(self, expression: syntax.Name, env: Environment) -> Value:
        value = env.get(expression.name)
        if value is not None:
            return value
        self.visible = env
        return self.base(expression.name, expression.at)

    def base(self, name: str, at: int) -> NodeId:
        """The node of a base set or relation."""
        if name == "id":
            return self.graph.id()
        name = SAME_SETS.get(name, name)
        kind = self.annotations.get(name) or base_kind(name)
        if kind is None:
            raise NotDefined(f"{name} is not defined", self.source.span(at, len(name)), self._suggest(name))
        return self.graph.base(name, kind)

    def _tag(self, expression: syntax.Tag, _env: Environment) -> Value:
        return TagValue(expression.name)

    def _empty(self, _expression: syntax.Empty, _env: Environment) -> Value:
        return EMPTY

    def _universe(self, _expression: syntax.Universe, _env: Environment) -> Value:
        return self.graph.universe(SET)

    def _braces(self, expression: syntax.Braces, env: Environment) -> Value:
        items: dict[Value, None] = {}
        for item in expression.items:
            items[self.evaluate(item, env)] = None
        return StaticSet(tuple(items))

    def _tuple(self, expression: syntax.Tuple, env: Environment) -> Value:
        return TupleValue(tuple(self.evaluate(item, env) for item in expression.items))

    # -- operators -------------------------------------------------------------------------------

    def _nary(self, expression: syntax.Nary, env: Environment) -> Value:
        operator = expression.operator
        operands = expression.operands
        if operator == ";":
            nodes = [self.events(operand, env, RELATION) for operand in operands]
            result = nodes[-1]
            for node in reversed(nodes[:-1]):
                result = self.graph.seq(node, result)
            return result
        if operator == "*":
            if len(operands) > 2:
                self.error("a product has two sides", operands[2].at, hint="write brackets")
            sources = self.events(operands[0], env, SET)
            return self.graph.product(sources, self.events(operands[1], env, SET))
        if operator == "++":
            return self._insert(operands, env)
        value = self.evaluate(operands[0], env)
        for operand in operands[1:]:
            value = self._combine(operator, value, self.evaluate(operand, env), operand.at)
        return value

    def _combine(self, operator: str, left: Value, right: Value, at: int) -> Value:
        if isinstance(left, int) and isinstance(right, int):
            kinds = self.graph.kinds
            if kinds[left] is not kinds[right]:
                self.error(
                    f"a {kinds[left]} and a {kinds[right]} cannot be combined with {operator}",
                    at,
                    hint="[S] turns a set into a relation",
                )
            if operator == "|":
                return self.graph.union(left, right)
            if operator == "&":
                self._refuse_single_event_updates(left, right, at)
                return self.graph.inter(left, right)
            if operator == "\\":
                return self.graph.diff(left, right)
        if operator not in _BOOLEAN:
            raise AssertionError(f"nobody knows what {operator} means")
        if isinstance(left, Nothing):
            return right if operator == "|" else EMPTY
        if isinstance(right, Nothing):
            return EMPTY if operator == "&" else left
        if isinstance(left, StaticSet) and isinstance(right, StaticSet):
            return _combine_static(operator, left, right)
        found = f"{describe(left, self.graph.kinds)} and {describe(right, self.graph.kinds)}"
        raise self.problem(f"{found} cannot be combined with {operator}", at)

    def _refuse_single_event_updates(self, left: NodeId, right: NodeId, at: int) -> None:
        """In herd7 an event of C can be a read and a write; a model that relies on that would be misread."""
        graph = self.graph
        reads, writes = graph.base("R", SET), graph.base("W", SET)
        here, there = graph.conjuncts(left), graph.conjuncts(right)
        if (reads in here and writes in there) or (writes in here and reads in there):
            raise Unsupported(
                "R & W: a read-modify-write is a read and a write here, linked by rmw",
                self.source.span(at),
                "use domain(rmw) and range(rmw)",
            )

    def _insert(self, operands: tuple[syntax.Expression, ...], env: Environment) -> Value:
        """`x ++ S`, from the right."""
        values = [self.evaluate(operand, env) for operand in operands]
        result = values[-1]
        for value, operand in zip(reversed(values[:-1]), reversed(operands[:-1]), strict=True):
            if isinstance(result, Nothing):
                result = StaticSet((value,))
            elif isinstance(result, StaticSet):
                result = result if value in result.items else StaticSet((value, *result.items))
            else:
                found = describe(result, self.graph.kinds)
                self.error(f"++ adds to a set of tags or of relations, not to {found}", operand.at)
        return result

    def _unary(self, expression: syntax.Unary, env: Environment) -> Value:
        operator = expression.operator
        operand = expression.operand
        graph = self.graph
        if operator == "~":
            return graph.complement(self.as_node(self.evaluate(operand, env), operand.at))
        if operator == "[]":
            return graph.identity(self.events(operand, env, SET))
        relation = self.events(operand, env, RELATION)
        if operator == "^-1":
            return graph.inverse(relation)
        return graph.closure(_CLOSURES[operator], relation)

    # -- functions and bindings ------------------------------------------------------------------

    def _function(self, expression: syntax.Function, env: Environment) -> Value:
        return Closure(expression.pattern, expression.body, env, self.source)

    def _apply(self, expression: syntax.Apply, env: Environment) -> Value:
        function = self.evaluate(expression.function, env)
        argument = self.evaluate(expression.argument, env)
        return self.apply(function, argument, expression.function.at)

    def apply(self, function: Value, argument: Value, at: int) -> Value:
        """A function's value for an argument."""
        if isinstance(function, Primitive):
            return function.apply(self, argument, at)
        if not isinstance(function, Closure):
            self.error(f"{describe(function, self.graph.kinds)} cannot be applied to an argument", at)
        env = dict(function.environment)
        self.bind(function.pattern, argument, env, at)
        caller = self.source
        self.source = function.source
        result = self.evaluate(function.body, env)
        self.source = caller
        return result

    def bind(self, pattern: syntax.Pattern, value: Value, env: Environment, at: int) -> None:
        """Add the names of a pattern to an environment."""
        if not pattern.tuple:
            if pattern.names[0] is not None:
                env[pattern.names[0]] = value
            return
        items = value.items if isinstance(value, TupleValue) else None
        if items is None or len(items) != len(pattern.names):
            found = f"{len(items)}" if items is not None else describe(value, self.graph.kinds)
            self.error(f"expected {len(pattern.names)} values, found {found}", at)
        for name, item in zip(pattern.names, items, strict=True):
            if name is not None:
                env[name] = item

    def _label(self, name: str, value: Value) -> None:
        """Remember the first name of a node, for people."""
        if isinstance(value, int) and not self.graph.names[value]:
            self.graph.names[value] = name

    def let(self, recursive: bool, bindings: tuple[syntax.Binding, ...], env: Environment) -> Environment:
        """The environment extended by a `let` or `let rec`."""
        extended = dict(env)
        if recursive:
            self._let_rec(bindings, extended)
            return extended
        for binding in bindings:
            value = self.evaluate(binding.value, env)
            self.bind(binding.pattern, value, extended, binding.at)
            if not binding.pattern.tuple and binding.pattern.names[0] is not None:
                self._label(binding.pattern.names[0], value)
        if len(extended) > MAX_DEFINITIONS:
            self.error("too many definitions", bindings[0].at)
        return extended

    def _let_rec(self, bindings: tuple[syntax.Binding, ...], env: Environment) -> None:
        relational = []
        defined: set[str] = set()
        for binding in bindings:
            name = binding.pattern.names[0] if not binding.pattern.tuple else None
            if name is None:
                self.error("let rec defines names, not tuples", binding.at)
            if name in defined:
                self.error(f"{name} is defined twice", binding.at)
            defined.add(name)
            if isinstance(binding.value, syntax.Function):
                # The function sees itself because its environment is the one being extended.
                env[name] = Closure(binding.value.pattern, binding.value.body, env, self.source)
            else:
                relational.append((name, binding.value))
        for name, _ in relational:
            env.pop(name, None)
        kinds = guess_kinds(dict(relational), env, self.graph.kinds)
        names = [name for name, _ in relational]
        variables = [self.graph.variable(name, kind) for name, kind in zip(names, kinds, strict=True)]
        env.update(zip(names, variables, strict=True))
        bodies = [self.events(value, env, kind) for (_, value), kind in zip(relational, kinds, strict=True)]
        try:
            solutions = self.graph.close(variables, bodies)
        except GraphError as problem:
            self.error(str(problem), bindings[0].at)
        for name, solution in zip(names, solutions, strict=True):
            env[name] = solution
            self._label(name, solution)

    def _let_in(self, expression: syntax.LetIn, env: Environment) -> Value:
        return self.evaluate(expression.body, self.let(expression.recursive, expression.bindings, env))


_BOOLEAN = ("|", "&", "\\")


def _combine_static(operator: str, left: StaticSet, right: StaticSet) -> Value:
    if operator == "|":
        return StaticSet(tuple(dict.fromkeys(left.items + right.items)))
    keep = operator == "&"
    items = tuple(item for item in left.items if (item in right.items) == keep)
    return StaticSet(items) if items else EMPTY


Evaluator.readers = {
    syntax.Name: Evaluator._name,
    syntax.Tag: Evaluator._tag,
    syntax.Empty: Evaluator._empty,
    syntax.Universe: Evaluator._universe,
    syntax.Braces: Evaluator._braces,
    syntax.Tuple: Evaluator._tuple,
    syntax.Nary: Evaluator._nary,
    syntax.Unary: Evaluator._unary,
    syntax.Function: Evaluator._function,
    syntax.Apply: Evaluator._apply,
    syntax.LetIn: Evaluator._let_in,
}
