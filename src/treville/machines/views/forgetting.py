"""A state of the machine with views, without what makes no difference any more.

A write that every thread which may still access its cell knows to be overwritten cannot be read again, nor
can anything be written before it. So writes are counted from there, and states that differ in older ones
only are the same. Cells that nobody will access are forgotten as a whole."""

from __future__ import annotations

from treville.machines.states import Log
from treville.machines.threads import Does
from treville.machines.views.future import Ahead
from treville.machines.views.state import NOTHING, UNTOUCHED, Knows
from treville.machines.views.step import Step

_GONE = (Does.BLOCKED, Does.CUT)


def forget(step: Step) -> None:
    """Leave out what makes no difference."""
    future, floor, joined = step.parts.future, step.parts.lanes.all(), False
    for view, ahead in zip(step.views, step.ahead, strict=True):
        floor &= view | ~ahead.cells
        joined = joined or ahead.joins
    actions = step.parts.threads.actions
    for number, thread in enumerate(step.threads):
        does, knows = actions[thread].does, step.knows[number]
        if does in _GONE or (does is Does.END and not joined):
            step.views[number], step.knows[number] = 0, NOTHING
        elif does is not Does.END and knows is not NOTHING and knows != NOTHING:
            step.knows[number] = _needed(step, number, knows, step.ahead[number])
    if future.loose:
        # both lanes of seq_cst accesses count alike
        floor = floor & ~future.loose | floor & floor >> step.parts.lanes.width & future.loose
        floor = floor & ~future.strict | (floor & future.loose) << step.parts.lanes.width
    if future.before:
        floor = floor & ~future.before | floor << step.parts.lanes.width & future.before
    if floor:
        _lower(step, floor)


def _needed(step: Step, number: int, knows: Knows, ahead: Ahead) -> Knows:
    """What a thread can still make use of."""
    pending = knows.pending & ~step.views[number] if ahead.acquires else 0
    released = tuple(
        [item for item in knows.released if ahead.relaxed >> item[0] * step.parts.lanes.width & 1]
    )
    return Knows(pending, knows.fenced if ahead.relaxed else 0, released, knows.past)


def _lower(step: Step, floor: int) -> None:
    """Count writes from what the floor knows."""
    lanes = step.parts.lanes
    forgotten, lowered = lanes.forgetting(floor)
    for lane, count in forgotten:
        history = step.memory[lane] if lane < len(step.memory) else UNTOUCHED
        if not history:
            continue
        left = history[count:]
        if left and left[0].updates:
            left = (left[0]._replace(updates=False), *left[1:])
        step.memory[lane] = left
        if step.log is not None and lanes.keys[lane] >= 0:
            step.log.append(Log("X", 0, lanes.keys[lane], len(history) - len(left)))
        for number, refused in enumerate(step.asleep):
            if step.sleeps_at(number, lane):
                step.asleep[number] = refused >> count
    step.change_views(lambda view: lowered(view | floor))
