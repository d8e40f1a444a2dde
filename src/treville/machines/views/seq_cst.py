"""Seq_cst events in the machine with views: how much of the model's `psc` the order of a run respects.

RC11 wants some order of all seq_cst events that contains `psc`. Here the order of the run is taken. Such a
write raises what every later such access of the cell has to know, and a seq_cst fence exchanges what it knows
with what all earlier seq_cst writes and fences made known (`Step.order`).

A run follows program order and reads-from, which `psc` need not contain: between two seq_cst events there
may be relaxed accesses of other threads. So an event takes part only if it is *in place*: if all seq_cst
events before it in program order and reads-from (`past`) surely come before it by `psc`, too. Then the
events in place have an order that suits both. All others are treated as release and acquire alone, which
allows too much rather than too little.

What a fence knows binds later fences as a whole (`psc_F` takes what was read into account), but a later
access only as far as the writes happen before the fence: `[SC]; (mo | rb); hb?; [F & SC]`. So where a program
has both, each cell has a second lane next to its own (`Future.before`) for writes that happen before: a
thread's own, and those that come with what it acquires; not those that it only read.

What surely comes before is a part of views: each thread has three lanes that count its seq_cst fences, and
its seq_cst accesses (twice). Happens-before is enough from a fence, and to a fence (`loose`: not through a
relaxed read of a seq_cst write). From one access to another it is not enough (`strict`), where the first
synchronises by a cell that seq_cst accesses share with others: `po-other; hb; po-other` in the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treville.machines.threads import Action, Does
from treville.machines.views.future import ACQUIRING
from treville.machines.views.state import Knows, Message
from treville.programs import ir

if TYPE_CHECKING:
    from treville.machines.views.step import Step

_WRITING = (Does.STORE, Does.UPDATE)


def is_ordered(action: Action) -> bool:
    """Is it a seq_cst event?"""
    instruction = action.instruction
    return isinstance(instruction, ir.Load | ir.Store | ir.Fence) and "SC" in instruction.tags


def gained(step: Step, message: Message, address: int, tags: frozenset[str]) -> int:
    """The view that comes with a write."""
    future = step.parts.future
    if address not in future.ordered or (message.ordered and "SC" in tags):
        return message.view
    if tags & ACQUIRING:
        return message.view & ~future.strict
    return message.view & ~(future.strict | future.loose)


def access_in_place(step: Step, past: int, view: int) -> bool:
    """Is an access in place that has these seq_cst events before it, and surely those of the view?"""
    future = step.parts.future
    return not past & ~view & (future.fences | future.strict)


def fence_in_place(step: Step, number: int) -> bool:
    """Is a fence in place, after it acquired what it can?"""
    future, knows = step.parts.future, step.knows[number]
    view = step.views[number] | knows.pending
    return not knows.past & ~view & (future.fences | future.loose)


def access(step: Step, number: int, address: int) -> None:
    """A seq_cst access in place."""
    lane = step.parts.future.count_of(number) + 1
    _count(step, number, lane, 2)
    for other, refused in enumerate(step.asleep):
        if refused and other != number:
            action = step.action(other)
            fence = action.does is Does.FENCE
            if fence or (action.does in _WRITING and action.address == address and is_ordered(action)):
                step.asleep[other] = 0


def fence(step: Step, number: int) -> None:
    """A seq_cst fence."""
    future = step.parts.future
    in_place = fence_in_place(step, number)
    step.views[number] |= (step.views[number] & future.loose) << step.parts.lanes.width
    if not in_place or is_idle(step, number):
        return
    _count(step, number, future.count_of(number), 1)
    step.views[number] |= step.order
    step.order = step.views[number] & ~(future.fences | future.loose | future.strict | future.begun)
    for other, refused in enumerate(step.asleep):
        if refused and other != number:
            action = step.action(other)
            if action.does is not Does.LOAD and is_ordered(action):
                step.asleep[other] = 0


def is_idle(step: Step, number: int) -> bool:
    """Is a seq_cst fence followed by another one before anything that it could order?"""
    threads = step.parts.threads
    following = threads.actions[threads.after(step.threads[number])]
    if following.does in (Does.JOIN, Does.END, Does.BLOCKED):
        return True
    return following.does is Does.FENCE and is_ordered(following)


def matters(step: Step, number: int, action: Action) -> bool:
    """Does it make a difference which seq_cst events of others come before this one?"""
    if action.does is Does.LOAD or not is_ordered(action):
        return False
    if action.does is Does.FENCE:
        return _fence_matters(step, number)
    bit = 1 << step.lane(action.address) * step.parts.lanes.width
    return any(ahead.ordered & bit for other, ahead in enumerate(step.ahead) if other != number)


def _fence_matters(step: Step, number: int) -> bool:
    """A fence that has nothing to tell can as well come at once: it only learns more if it is later."""
    future = step.parts.future
    counted = future.fences | future.loose | future.strict | future.begun
    view = step.views[number] | step.knows[number].pending
    if not view & ~step.order & ~counted or is_idle(step, number):
        return False
    if not fence_in_place(step, number):
        return False
    return any(ahead.has_ordered for other, ahead in enumerate(step.ahead) if other != number)


def _count(step: Step, number: int, lane: int, copies: int) -> None:
    """One more seq_cst event of a thread. Nobody can tell it from the last one unless the thread was seen
    between the two, so waiting in a loop counts once. What the thread knew between the two and will still
    release is then no longer sure to come after both."""
    lanes, knows = step.parts.lanes, step.knows[number]
    rank = lanes.rank(step.views[number], lane)
    last = 1 << lane * lanes.width + rank - 1 if rank else 0
    if rank == 0 or _was_seen(step, number, last):
        rank += 1
    else:
        knows = _without(knows, last if copies == 1 else last | last << lanes.width)
    bits = lanes.upto(lane, rank)
    if copies == 2:
        bits |= bits << lanes.width
    step.views[number] |= bits
    step.knows[number] = knows._replace(past=knows.past | bits)


def _without(knows: Knows, bits: int) -> Knows:
    """What a thread knows, if what it will release does not hold these bits."""
    released = tuple((lane, view & ~bits) for lane, view in knows.released)
    return knows._replace(fenced=knows.fenced & ~bits, released=released)


def _was_seen(step: Step, number: int, bit: int) -> bool:
    for other, knows in enumerate(step.knows):
        if other != number and knows.past & bit:
            return True
    return any(message.past & bit for history in step.memory for message in history)
