"""Which plain writes can stay in a store buffer while their process goes on (what PSO needs to know).

A transition that writes weak memory without reading it is a plain write. Under PSO one can reach memory after
a write to the same cell that was issued later, but only if its process did something else in between:
anything but a fence, or another write to that cell.
"""

from __future__ import annotations

from treville.parameterised.system import System, Term, Transition, Update

# A cell that a transition writes: its parameters as indices, None where it does not say which.
WrittenCell = tuple[Term | None, ...]


def written_alone(system: System) -> set[str]:
    """Weak symbols whose plain writes touch one cell and no other."""
    weak = {name for name, symbol in system.symbols.items() if symbol.weak}
    together: set[str] = set()
    for transition in system.transitions:
        updates = [update for update in transition.updates if update.symbol.weak]
        one = len(updates) == 1 and _one_cell(updates[0])
        if not transition.reads and not one:
            together |= {update.symbol.name for update in updates}
    return weak - together


def _one_cell(update: Update) -> bool:
    """Do all cases that change a cell name the same one?"""
    cells = _cells(update)
    return len(cells) <= 1 and all(index is not None for cell in cells for index in cell)


def late_writers(system: System) -> dict[str, list[int | None]]:
    """For every plain write to a weak symbol that can stay pending: the index that is its process, if any."""
    found: dict[str, list[int | None]] = {name: [] for name, symbol in system.symbols.items() if symbol.weak}
    for transition in system.transitions:
        for update in transition.updates:
            if update.symbol.weak and not transition.reads and _can_wait(system, transition, update):
                own = ("p", transition.actor)
                cells = _cells(update)
                places = [at for at in range(update.symbol.arity) if all(cell[at] == own for cell in cells)]
                found[update.symbol.name].append(places[0] if places else None)
    return found


def contested(system: System) -> set[str]:
    """Weak symbols with a cell that a process can write while an older write of another is still pending.

    Under PSO the writes to all other cells reach memory in the order in which they are issued.
    """
    late = late_writers(system)
    found: set[str] = set()
    for transition in system.transitions:
        own = ("p", transition.actor)
        for update in transition.updates:
            name = update.symbol.name
            if update.symbol.weak and late[name]:
                at = late[name][0]
                one = at is not None and all(place == at for place in late[name])
                if at is None or not one or any(cell[at] != own for cell in _cells(update)):
                    found.add(name)
    return found


def _can_wait(system: System, transition: Transition, update: Update) -> bool:
    """Can the process go on with something else than a fence or writes of the same cell?"""
    waiting, seen = [transition], {id(transition)}
    while waiting:
        first = waiting.pop()
        for second in system.transitions:
            if second.fence or not _may_follow(first, second):
                continue
            if not _same_cell(transition, update, second):
                return True
            if not second.reads and id(second) not in seen:
                seen.add(id(second))
                waiting.append(second)
    return False


def _same_cell(transition: Transition, update: Update, other: Transition) -> bool:
    """Does the other transition of the same process write the cell of the update for sure?"""
    for second in other.updates:
        if second.symbol == update.symbol and _one_cell(second) and _one_cell(update):
            mine, yours = _by_process(transition, update), _by_process(other, second)
            return mine == yours and mine is not None and _keeps_nothing(second)
    return False


def _by_process(transition: Transition, update: Update) -> tuple[bool, ...] | None:
    """The one cell of an update as far as it is told by the process alone: None when it is not."""
    cells = _cells(update)
    own = ("p", transition.actor)
    if any(index != own for cell in cells for index in cell):
        return None
    return (True,) * update.symbol.arity


def _keeps_nothing(update: Update) -> bool:
    """Is the cell written in every case? Cells that are not meant by the index are kept anyway."""
    keep: Term = ("a", update.symbol.name, tuple(range(-1, -1 - update.symbol.arity, -1)))
    if not update.symbol.arity:
        keep = ("v", update.symbol.name)
        return all(branch.value != keep for branch in update.branches)
    return len(update.branches) == 2 and sum(branch.value == keep for branch in update.branches) == 1


def _may_follow(first: Transition, second: Transition) -> bool:
    """Does the second's guard allow the local state of the process that the first leaves behind?"""
    left = _local_values(first)
    for literal in second.guard:
        if literal[0] not in "=!":
            continue
        term, constant = (literal[2], literal[1]) if literal[1][0] == "k" else (literal[1], literal[2])
        own = constant[0] == "k" and term[0] == "a" and term[2] == (second.actor,)
        if own and term[1] in left and (left[term[1]] == constant) != (literal[0] == "="):
            return False
    return True


def _local_values(transition: Transition) -> dict[str, Term]:
    """Constants that a transition puts into cells of its own process."""
    found = {}
    own = ("p", transition.actor)
    for update in transition.updates:
        if update.symbol.arity == 1 and not update.symbol.weak and _cells(update) == {(own,)}:
            keep = ("a", update.symbol.name, (-1,))
            values = [branch.value for branch in update.branches if branch.value != keep]
            if len(values) == 1 and values[0] is not None and values[0][0] == "k" and _keeps_nothing(update):
                found[update.symbol.name] = values[0]
    return found


def _cells(update: Update) -> set[WrittenCell]:
    """The cells that the cases change."""
    bound = tuple(("p", -1 - position) for position in range(update.symbol.arity))
    keep = ("a", update.symbol.name, tuple(index for _, index in bound))
    cells: set[WrittenCell] = set()
    for branch in update.branches:
        if bound and branch.value != keep:
            for cube in branch.when:
                equal = {literal[1]: literal[2] for literal in cube if literal[0] == "="}
                cells.add(tuple(equal.get(index) for index in bound))
    return cells
