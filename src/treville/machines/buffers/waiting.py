"""All states of the machine with store buffers -> a run on which threads wait for ever, or that there is
none.

A run that never ends stays in a strongly connected set of states from some point on. It is fair if every
thread that can take a step somewhere in the set takes one there, and every buffer that holds a store
somewhere in it lets one out (strong fairness; such sets are found by removing states until that is so, as for
the emptiness of Streett automata). In a deadlock moreover nobody changes memory; and a state that nobody can
leave is one, too, unless all threads have ended.
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.machines.buffers.machine import Machine
from treville.machines.states import BETWEEN_LOOKS, Answer, Failed, LimitReached, State, TooManyStates
from treville.machines.threads import Does
from treville.programs import ir
from treville.records import dataclass, field
from treville.relations.graphs import components
from treville.results.properties import Property
from treville.results.verdict import Verdict


@dataclass
class Graph:
    """The states that were found, what is before each, and who leads from each to which."""

    states: list[State] = field(default_factory=list)
    numbers: dict[State, int] = field(default_factory=dict)
    before: dict[State, State | None] = field(default_factory=dict)
    edges: list[list[tuple[int, int]]] = field(default_factory=list)


class WaitingSearch:
    """Explores the states of a program in which runs end at assertions that do not hold: such runs do not
    count here."""

    def __init__(self, machine: Machine, goal: Property) -> None:
        machine.leaves_idle = False
        self.machine = machine
        self.goal = goal
        self.graph = Graph()
        self.waiting: list[tuple[int, ir.Instruction]] = []
        self._done = 0

    def explore(self) -> Answer:
        """Look for a run that violates `deadlock` or `liveness`; `waiting` then says who waits where. Raises
        `TooManyStates`; after `LimitReached` it can be asked again, with a larger limit of the machine, and
        goes on."""
        machine, graph = self.machine, self.graph
        try:
            self._make_graph()
        except Failed:
            raise TooManyStates("runs that use memory as they may not") from None
        if machine.threads.was_cut:
            return Answer(Verdict.UNKNOWN, len(graph.states))
        found = _stuck(machine, graph)
        if found is None:
            found = _fair(machine, graph, self.goal)
        if found is None:
            return Answer(Verdict.PASS, len(graph.states))
        last = graph.states[found]
        self.waiting = list(_waiting_in(machine, last))
        return Answer(Verdict.FAIL, len(graph.states), None, *machine.run_to(last, graph.before))

    def _make_graph(self) -> None:
        machine, graph = self.machine, self.graph
        if not graph.states:
            for state, _ in machine.first():
                _add(graph, state, None)
        while self._done < len(graph.states):
            if len(graph.states) > machine.limit:
                raise LimitReached("too many states")
            if self._done % BETWEEN_LOOKS == 0:
                machine.budget.look(self._done, "states")
            current = graph.states[self._done]
            for actor, step in machine.moves(current):
                for following, _ in machine.settle(step):
                    if not _looks_again(machine, following):
                        graph.edges[self._done].append((actor, _add(graph, following, current)))
            self._done += 1


def _add(graph: Graph, state: State, origin: State | None) -> int:
    number = graph.numbers.get(state)
    if number is None:
        number = graph.numbers[state] = len(graph.states)
        graph.states.append(state)
        graph.before[state] = origin
        graph.edges.append([])
    return number


def _looks_again(machine: Machine, state: State) -> bool:
    """Did a thread look at something that it waits for, in vain? It will look again, so nothing happened."""
    actions = (machine.threads.actions[thread] for thread in state.threads)
    return any(isinstance(action.instruction, ir.Assume) and action.instruction.waits for action in actions)


def _is_over(machine: Machine, graph: Graph, number: int) -> bool:
    """Has the program ended (`exit`), or is this no run at all (an assumption does not hold)?"""
    state, able = graph.states[number], {actor for actor, _ in graph.edges[number]}
    for at, thread in enumerate(state.threads):
        does = machine.threads.actions[thread].does
        if does is Does.BLOCKED or (does is Does.UPDATE and at not in able and _assumes(machine, thread)):
            return True
    return False


def _assumes(machine: Machine, thread: int) -> bool:
    """Does a read-modify-write assume what it reads? An exchange whose outcome was chosen before does."""
    frame = machine.threads.frames[thread]
    following = machine.threads.bodies[frame.body].instructions[frame.position + 1]
    return isinstance(following, ir.Assume) and not following.waits


# -- runs that never end --------------------------------------------------------------------------------


def _stuck(machine: Machine, graph: Graph) -> int | None:
    """A state that nobody leaves although not all threads have ended."""
    for number, state in enumerate(graph.states):
        unfinished = any(machine.threads.actions[t].does is not Does.END for t in state.threads)
        if unfinished and not graph.edges[number] and not _is_over(machine, graph, number):
            return number
    return None


def _fair(machine: Machine, graph: Graph, goal: Property) -> int | None:
    """A state from which a fair run need not end."""
    states = {n for n in range(len(graph.states)) if not _is_over(machine, graph, n)}
    allowed = [
        [(actor, to) for actor, to in edges if to in states and _idle(graph, number, to, goal)]
        for number, edges in enumerate(graph.edges)
    ]
    pending = [states]
    while pending:
        machine.budget.check()
        for component in _components(pending.pop(), allowed):
            inside = {actor for n in component for actor, to in allowed[n] if to in component}
            if not inside:
                continue
            left_out = {actor for n in component for actor, _ in graph.edges[n]} - inside
            if not left_out:
                return min(component)
            kept = {n for n in component if not any(actor in left_out for actor, _ in graph.edges[n])}
            pending.append(kept)
    return None


def _idle(graph: Graph, one: int, other: int, goal: Property) -> bool:
    """May a deadlock go on by this step?"""
    first, second = graph.states[one], graph.states[other]
    same = first.memory == second.memory and first.buffers == second.buffers
    return goal != Property.DEADLOCK or same


def _components(states: set[int], edges: list[list[tuple[int, int]]]) -> Iterator[set[int]]:
    """The strongly connected components of the states."""
    numbers = sorted(states)
    place = {number: index for index, number in enumerate(numbers)}
    inside = [[place[to] for _, to in edges[number] if to in states] for number in numbers]
    for members in components(inside):
        yield {numbers[index] for index in members}


def _waiting_in(machine: Machine, state: State) -> Iterator[tuple[int, ir.Instruction]]:
    """The threads that have not ended, each with where it is."""
    for number, thread in enumerate(state.threads):
        action = machine.threads.actions[thread]
        if action.does is not Does.END and action.instruction is not None:
            yield number, action.instruction
