"""An interpreter of syntax trees for a fixed number of processes under SC: slow, direct, and independent.

It shares the parser with the tool and nothing else: formulas are evaluated as they are written, without
normal forms, quantifiers by trying all processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations, product
from math import prod
from typing import Any

from treville.parameterised.language import syntax
from treville.parameterised.language.parser import parse

State = tuple[tuple[Any, Any], ...]
Environment = dict[str, Any]


@dataclass
class Reference:
    """One instance of a file. Cells are keys (name, indices) of a state."""

    text: str
    processes: int
    states: dict[State, State | None] = field(default_factory=dict)
    complete: bool = True
    lowest: int = -2
    highest: int = 4

    def __post_init__(self) -> None:
        self.file = parse(self.text, "reference")
        self.values: dict[str, tuple[Any, ...]] = {
            "bool": ("False", "True"), "int": (-1, 0, 1, 2), "real": (0, 1),
            "proc": tuple(range(self.processes)),
        }  # fmt: skip
        for declared in self.file.types:
            names = tuple(constructor.text for constructor in declared.constructors)
            self.values[declared.name] = names or ("*0", "*1")
        self.constructors = {v for values in self.values.values() for v in values if isinstance(v, str)}
        self.types = {symbol.name: symbol.type.text for symbol in self.file.symbols}
        self.arity = {symbol.name: symbol.arity for symbol in self.file.symbols}
        self.predicates = {predicate.name: predicate for predicate in self.file.predicates}

    def cells(self) -> list[tuple[str, tuple[int, ...]]]:
        """All variables and array cells."""
        everyone = range(self.processes)
        return [(name, at) for name, arity in self.arity.items() for at in product(everyone, repeat=arity)]

    # Meaning

    def term(self, node: Any, env: Environment, state: dict[Any, Any]) -> Any:
        """The value of a term."""
        if isinstance(node, syntax.Number):
            return int(float(node.text))
        if isinstance(node, syntax.ProcessNumber):
            return node.number - 1
        if isinstance(node, syntax.Sum):
            value = 0 if node.base is None else self.term(node.base, env, state)
            factor = int(float(node.factor))
            return value + (factor if node.name is None else factor * self.term(node.name, env, state))
        if isinstance(node, syntax.ReadBy):
            return self.term(node.of, env, state)
        if isinstance(node, syntax.Cell):
            return state[node.array, tuple(self.term(i, env, state) for i in node.indices)]
        if node.text in env:
            return env[node.text]
        return node.text if node.text in self.constructors else state[node.text, ()]

    def holds(self, node: Any, env: Environment, state: dict[Any, Any]) -> bool:
        """Is a formula true?"""
        if isinstance(node, syntax.Truth):
            return node.value
        if isinstance(node, syntax.Fence):
            return True
        if isinstance(node, syntax.Not):
            return not self.holds(node.body, env, state)
        if isinstance(node, syntax.Comparison):
            left = self.term(node.left, env, state)
            return _compare(node.operator, left, self.term(node.right, env, state))
        if isinstance(node, syntax.Joined):
            return self.joined(node, env, state)
        if isinstance(node, syntax.Conditional):
            chosen = node.then if self.holds(node.condition, env, state) else node.otherwise
            return self.holds(chosen, env, state)
        if isinstance(node, syntax.Quantified):
            return self.quantified(node, env, state)
        predicate = self.predicates[node.name]
        inner = {"": env[""]}
        for parameter, argument in zip(predicate.parameters, node.arguments, strict=True):
            inner[parameter.text] = self.term(argument, env, state)
        return self.holds(predicate.body, inner, state)

    def joined(self, node: syntax.Joined, env: Environment, state: dict[Any, Any]) -> bool:
        """A formula with a connective."""
        parts = [self.holds(part, env, state) for part in node.parts]
        if node.operator == "&&":
            return all(parts)
        if node.operator == "||":
            return any(parts)
        return (not parts[0] or parts[1]) if node.operator == "=>" else parts[0] == parts[1]

    def quantified(self, node: syntax.Quantified, env: Environment, state: dict[Any, Any]) -> bool:
        """Distinct processes; with _other they are also none of the clause's parameters."""
        pool = [
            i for i in range(self.processes) if not node.kind.endswith("_other") or i not in env.get("", ())
        ]
        names = [name.text for name in node.variables]
        every = all if node.kind.startswith("forall") else any
        return every(
            self.holds(node.body, {**env, **dict(zip(names, chosen, strict=True))}, state)
            for chosen in permutations(pool, len(names))
        )

    def choices(self, parameters: Any) -> Iterator[Environment]:
        """Distinct processes for a parameter list."""
        names = [name.text for name in parameters]
        for chosen in permutations(range(self.processes), len(names)):
            yield {**dict(zip(names, chosen, strict=True)), "": chosen}

    # Behaviour

    @property
    def init(self) -> syntax.Clause:
        """The initial states' clause."""
        (found,) = [clause for clause in self.file.clauses if clause.kind == "init"]
        return found

    def possible(self) -> list[tuple[Any, ...]]:
        """Per cell the values to try at the start."""
        fixed = self.fixed(self.init.body, list(self.choices(self.init.parameters)))
        return [(fixed[c],) if c in fixed else self.values[self.types[c[0]]] for c in self.cells()]

    def starts(self) -> int:
        """How many states are tried at the start."""
        return prod(len(values) for values in self.possible())

    def starts_with(self, state: State) -> bool:
        """Is the state initial, and do process variables name processes of this instance?"""
        held = dict(state)
        if any(not 0 <= v < self.processes for (name, _), v in state if self.types[name] == "proc"):
            return False
        return all(self.holds(self.init.body, env, held) for env in self.choices(self.init.parameters))

    def initial(self) -> Iterator[State]:
        """All initial states, by trying all values."""
        cells = self.cells()
        for values in product(*self.possible()):
            state = tuple(zip(cells, values, strict=True))
            if self.starts_with(state):
                yield state

    def fixed(self, body: Any, environments: list[Environment]) -> dict[Any, Any]:
        """Cells that a conjunct of `init` equates with a constant; only to try fewer values."""
        found = {}
        parts = body.parts if isinstance(body, syntax.Joined) and body.operator == "&&" else (body,)
        for part in parts:
            if isinstance(part, syntax.Comparison) and part.operator == "=" and self.constant(part.right):
                for env in environments:
                    if isinstance(part.left, syntax.Cell):
                        cell = (part.left.array, tuple(self.term(i, env, {}) for i in part.left.indices))
                        found[cell] = self.term(part.right, env, {})
                    elif isinstance(part.left, syntax.Name) and part.left.text in self.arity:
                        found[part.left.text, ()] = self.term(part.right, env, {})
        return found

    def constant(self, node: Any) -> bool:
        """A number or a constructor."""
        return isinstance(node, syntax.Number) or (
            isinstance(node, syntax.Name) and node.text in self.constructors
        )

    def unsafe(self, state: State) -> bool:
        """Does the state satisfy an unsafe clause?"""
        held = dict(state)
        return any(
            self.holds(clause.body, env, held)
            for clause in self.file.clauses
            if clause.kind == "unsafe"
            for env in self.choices(clause.parameters)
        )

    def after(self, state: State) -> Iterator[State]:
        """All next states; those with numbers outside the bounds make the exploration incomplete."""
        held = dict(state)
        for transition in self.file.transitions:
            for env in self.choices(transition.parameters):
                if self.holds(transition.guard, env, held):
                    yield from self.fired(transition, env, held)

    def fired(
        self, transition: syntax.TransitionDeclaration, env: Environment, held: dict[Any, Any]
    ) -> Iterator[State]:
        """The states after one transition instance."""
        for name, term in transition.lets:
            env = {**env, name.text: self.term(term, env, held)}
        new = dict(held)
        arbitrary = []
        for action in transition.actions:
            if not action.cases:
                arbitrary.append(action.target)
            elif action.is_case and action.indices is not None:
                names = []
                for index in action.indices:
                    assert isinstance(index, syntax.Name)
                    names.append(index.text)
                for at in product(range(self.processes), repeat=len(names)):
                    inner = {**env, **dict(zip(names, at, strict=True))}
                    self.assign(action, (action.target, at), inner, held, new)
            else:
                at = tuple(self.term(index, env, held) for index in action.indices or ())
                self.assign(action, (action.target, at), env, held, new)
        numbers = (v for (name, _), v in new.items() if self.types[name] in ("int", "real"))
        if not all(self.lowest <= value <= self.highest for value in numbers):
            self.complete = False
            return
        for values in product(*(self.values[self.types[name]] for name in arbitrary)):
            made = {**new, **{(name, ()): value for name, value in zip(arbitrary, values, strict=True)}}
            yield tuple(made.items())

    def assign(self, action: syntax.Action, cell: Any, env: Environment, held: Any, new: Any) -> None:
        """The first case that matches; a cell that none matches is kept."""
        for condition, value in action.cases:
            if condition is None or self.holds(condition, env, held):
                new[cell] = self.term(value, env, held)
                return

    def explore(self, most: int) -> bool:
        """Is an unsafe state reachable? `complete` tells whether all states were seen."""
        waiting: deque[State] = deque()
        for state in self.initial():
            self.states[state] = None
            waiting.append(state)
        while waiting:
            state = waiting.popleft()
            if self.unsafe(state):
                return True
            if len(self.states) > most:
                self.complete = False
                return False
            for new in self.after(state):
                if new not in self.states:
                    self.states[new] = state
                    waiting.append(new)
        return False


def _compare(operator: str, left: Any, right: Any) -> bool:
    if operator in ("=", "<>"):
        return bool((left == right) == (operator == "="))
    if operator in ("<", "<="):
        return bool(left < right or (operator == "<=" and left == right))
    return bool(left > right or (operator == ">=" and left == right))
