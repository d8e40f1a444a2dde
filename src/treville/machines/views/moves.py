"""What the threads of the machine with views can do next: at once, or in several ways, or after others.

All steps of different threads commute, unless one reads what the other writes, both update the same write, or
both are seq_cst events that have to do with each other.
"""

from __future__ import annotations

from treville.machines.states import TooManyStates
from treville.machines.threads import Action, Does
from treville.machines.views import seq_cst
from treville.machines.views.future import ATOMIC
from treville.machines.views.state import Message
from treville.machines.views.step import Step
from treville.programs import ir
from treville.records import NamedTuple

_LATER = (Does.UPDATE, Does.CHOOSE, Does.END, Does.BLOCKED, Does.CUT, Does.FAIL)
_ENDS = (Does.END, Does.BLOCKED, Does.CUT, Does.FAIL, Does.JOIN)


class Place(NamedTuple):
    """A cell that a thread may read now: its lane, its writes, and the ranks of those that it may read, each
    with whether the read is `in_place` (see `seq_cst`)."""

    lane: int
    history: tuple[Message, ...]
    ranks: list[tuple[int, bool]]


class Choice(NamedTuple):
    """A thread that can go on. `waits`: it makes a difference what others do first."""

    number: int
    action: Action
    place: Place | None
    waits: bool


# -- reading and writing --------------------------------------------------------------------------------


def readable(step: Step, number: int, action: Action, refused: int) -> Place:
    """What a thread may read now and does not refuse."""
    lane, history = step.history(action.address)
    view, tags = step.views[number], action.instruction.tags  # type: ignore[union-attr]
    ranks = range(step.parts.lanes.rank(view, lane), len(history))
    if "SC" not in tags:
        return Place(lane, history, [(rank, False) for rank in ranks if not refused >> rank & 1])
    lanes, past, found = step.parts.lanes, step.knows[number].past, []
    least = lanes.rank(step.order, step.parts.future.binding(lane))
    for rank in ranks:
        message = history[rank]
        known = view | (seq_cst.gained(step, message, action.address, tags) if tags & ATOMIC else 0)
        in_place = seq_cst.access_in_place(step, past | message.past, known)
        if not refused >> rank & 1 and (rank >= least or not in_place):
            found.append((rank, in_place))
    return Place(lane, history, found)


def writable(step: Step, number: int, action: Action) -> tuple[int, bool, list[int]]:
    """The lane that a thread writes, whether the write is in place, and as the how-manieth it may come."""
    lane, history = step.history(action.address)
    view = step.views[number]
    in_place = seq_cst.is_ordered(action) and seq_cst.access_in_place(step, step.knows[number].past, view)
    lanes, first, end = step.parts.lanes, step.parts.lanes.rank(view, lane) + 1, len(history)
    if in_place:
        first = max(first, lanes.rank(step.order, step.parts.future.binding(lane)) + 1)
    return lane, in_place, [at for at in range(first, end + 1) if at == end or not history[at].updates]


def others_may_write(step: Step, number: int, lane: int) -> bool:
    """May another thread still write the cell?"""
    bit = 1 << lane * step.parts.lanes.width
    for other, ahead in enumerate(step.ahead):
        if ahead.writes & bit and other != number:
            break
    else:
        return False
    return True


# -- what can be done at once ---------------------------------------------------------------------------


def settle(step: Step, most: int) -> Step:
    """Do all that makes no difference when it is done, unless an assertion fails."""
    actions = step.parts.threads.actions
    again = True
    while again and failed(step) is None:
        again = False
        for number in range(len(step.threads)):
            while actions[step.threads[number]].does not in _LATER and _quietly(step, number):
                again = True
                if step.events > most:
                    raise TooManyStates("a loop that goes on for ever")
    return step


def failed(step: Step) -> ir.Instruction | None:
    """The assertion that does not hold, or the access that comes too early."""
    actions = step.parts.threads.actions
    if step.early is not None:
        return step.early
    for thread in step.threads:
        if actions[thread].does is Does.FAIL:
            return actions[thread].instruction
    return None


def _quietly(step: Step, number: int) -> bool:
    """Do what the thread does next if it makes no difference when that is done."""
    action = step.action(number)
    does = action.does
    if does is Does.LOAD:
        return _load_quietly(step, number, action)
    if does is Does.STORE:
        return _store_quietly(step, number, action)
    if does is Does.JOIN:
        return step.join(number, action)
    if does is Does.SPAWN:
        step.spawn(number, action)
    elif does is Does.ALLOCATE:
        step.allocate(number, action)
    elif does is Does.FENCE:
        if step.asleep[number] or seq_cst.matters(step, number, action):
            return False
        step.fence(number, action)
    else:
        raise TooManyStates(f"the machine with views does not know {does.value}")
    return True


def _load_quietly(step: Step, number: int, action: Action) -> bool:
    """Read if there is one write to read, and there will be no other. What the thread refuses makes no
    difference to that, so that a run can be repeated without."""
    if others_may_write(step, number, step.lane(action.address)):
        return False
    place = readable(step, number, action, 0)
    if len(place.ranks) != 1:
        return False
    rank, in_place = place.ranks[0]
    if step.asleep[number] >> rank & 1 or _goes_back(step, number, place.history[rank].value or 0):
        return False
    step.read(number, action, place.lane, rank, place.history[rank], in_place)
    return True


def _store_quietly(step: Step, number: int, action: Action) -> bool:
    if step.asleep[number] or seq_cst.matters(step, number, action) or _goes_back(step, number):
        return False
    lane, in_place, places = writable(step, number, action)
    if len(places) != 1:
        return False
    step.write(number, action, lane, places[0], in_place)
    return True


def _goes_back(step: Step, number: int, result: int = 0) -> bool:
    """Does a loop begin again? Then others may not be left out for ever."""
    frames, now = step.parts.threads.frames, step.threads[number]
    return frames[step.parts.threads.after(now, result)].position <= frames[now].position


# -- choices --------------------------------------------------------------------------------------------


def choices(step: Step) -> list[Choice]:
    """The threads that can go on. None at all if one refused all that there is and nothing more will come:
    what the others do then can be done as well after that thread went on."""
    found, actions = [], step.parts.threads.actions
    for number, thread in enumerate(step.threads):
        action = actions[thread]
        refused, does = step.asleep[number], action.does
        if does in (Does.LOAD, Does.UPDATE):
            place = readable(step, number, action, refused)
            waits = others_may_write(step, number, place.lane) or seq_cst.matters(step, number, action)
            if place.ranks:
                found.append(Choice(number, action, place, waits))
                continue
        elif does in (Does.STORE, Does.FENCE, Does.CHOOSE):
            waits = does is not Does.CHOOSE and seq_cst.matters(step, number, action)
            if not refused:
                found.append(Choice(number, action, None, waits))
                continue
        elif does in _ENDS:
            continue
        else:
            raise TooManyStates(f"the machine with views does not know {does.value}")
        if refused and not waits:
            return []
    return found


def taken(step: Step, choice: Choice) -> tuple[list[Step], int]:
    """All that can follow from a choice, and what the thread refuses if others come first."""
    number, action, place, waits = choice
    found: list[Step] = []
    if place is not None:
        for rank, in_place in place.ranks:
            other = step.copy()
            if _reads_from(other, number, action, place, rank, in_place):
                found.append(other)
        return found, (1 << len(place.history)) - 1 if waits else 0
    if action.does is Does.CHOOSE:
        for value in step.parts.threads.choices(step.threads[number]):
            found.append(step.copy())
            found[-1].note("H", number, action, 0, value)
            found[-1].goes_on(number, value)
    elif action.does is Does.FENCE:
        found.append(step.copy())
        found[-1].fence(number, action)
    else:
        lane, in_place, places = writable(step, number, action)
        for at in places:
            found.append(step.copy())
            found[-1].write(number, action, lane, at, in_place)
    return found, -1 if waits else 0


def _reads_from(step: Step, number: int, action: Action, place: Place, rank: int, in_place: bool) -> bool:
    """Read that write, and write if it is an update; False if the thread cannot go on then."""
    lane, history = place.lane, place.history
    step.read(number, action, lane, rank, history[rank], in_place)
    following = step.action(number)
    if following.does in (Does.BLOCKED, Does.CUT):
        return False
    if action.does is Does.LOAD or following.does is Does.FAIL:
        return True
    if following.does is Does.STORE and following.instruction.link:  # type: ignore[union-attr]
        if rank + 1 < len(history) and history[rank + 1].updates:
            return False
        step.write(number, following, lane, rank + 1, in_place, history[rank])
        return True
    if following.does is Does.SKIP:
        step.goes_on(number)
        return step.action(number).does is not Does.BLOCKED
    if following.does is Does.END:
        return False
    raise TooManyStates(f"{following.does.value} inside a read-modify-write")
