"""Names for events: letters `a`, `b`, ... thread by thread, and short descriptions such as `W x=1`."""

from __future__ import annotations

from treville.events.execution import INIT_THREAD, Event, Execution
from treville.programs.ir import BEGUN, FREED, Program
from treville.records import dataclass
from treville.relations import Relation

# Tags that say what every event of the kind is anyway, or that only the model's bookkeeping needs.
_SILENT_TAGS = frozenset(
    ("R", "W", "F", "M", "IW", "FW", "I", "B", "memory", "_", "DATA", "PART", "VOLATILE", "COND")
)

# In C every atomic access has one of these, so that it is atomic need not be said.
_C11_ORDERS = frozenset({"NA", "RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"})


def letters(number: int) -> str:
    """`a` .. `z`, then `aa`, `ab`, ...

    >>> letters(0), letters(25), letters(26), letters(701), letters(702)
    ('a', 'z', 'aa', 'zz', 'aaa')
    """
    out = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        out = chr(ord("a") + digit) + out
    return out


def thread_name(number: int, name: str) -> str:
    """A thread for people: its number and what it runs; the threads of a litmus test have only a number.

    >>> thread_name(1, "worker"), thread_name(1, "P1")
    ('P1 worker', 'P1')
    """
    return f"P{number}" if name == f"P{number}" else f"P{number} {name}"


def line_name(file: str | None, line: int | None, main: str | None) -> str:
    """A line for people; the file's name is left out where they know that it is the main file.

    >>> line_name("lock.c", 7, "lock.c"), line_name("lock.h", 7, "lock.c"), line_name(None, None, "lock.c")
    ('line 7', 'lock.h:7', '')
    """
    if not line:
        return ""
    return f"line {line}" if file is None or file == main else f"{file}:{line}"


@dataclass(slots=True)
class Names:
    """How the events of one execution are called; `label[e]` is a letter, or `init x` for initial writes."""

    label: list[str]
    brief: list[str]
    column: dict[int, list[int]]

    def full(self, event: int) -> str:
        """`a: W x=1`, or `init x=0`."""
        return self.brief[event] if self.label[event] == "" else f"{self.label[event]}: {self.brief[event]}"


def name_events(execution: Execution, program: Program) -> Names:
    """Letters in thread order; the threads' events in program order, for columns."""
    columns: dict[int, list[int]] = {}
    for event in execution.events:
        if event.thread != INIT_THREAD:
            columns.setdefault(event.thread, []).append(event.number)
    ordered = _program_order(execution)
    label = [""] * len(execution.events)
    position = 0
    for thread in sorted(columns):
        columns[thread].sort(key=lambda number: ordered[number])
        for number in columns[thread]:
            label[number] = letters(position)
            position += 1
    brief = [describe(event, program) for event in execution.events]
    return Names(label, brief, {thread: columns[thread] for thread in sorted(columns)})


def _program_order(execution: Execution) -> list[tuple[int, int, int]]:
    """A sort key for every event: how many events precede it in program order, then its own place."""
    program_order = execution.relations.get("po", Relation.empty(len(execution.events)))
    before = [row.bit_count() for row in program_order.inverse().rows]
    return [(before[event.number], event.order, event.number) for event in execution.events]


def describe(event: Event, program: Program) -> str:
    """`R x=0`, `W[REL] y=1`, `MFENCE`, `free object1`, `init x=0`."""
    if event.thread == INIT_THREAD:
        return f"init {_place(event, program)}"
    if FREED in event.tags and event.address is not None:
        return f"free {program.show_value(event.address)}"
    if BEGUN in event.tags and event.address is not None:
        return f"allocate {program.show_value(event.address)}"
    tags = _informative_tags(event.tags)
    if event.address is None:
        return ",".join(tags) or event.kind
    shown = f"[{','.join(tags)}]" if tags else ""
    return f"{event.kind}{shown} {_place(event, program)}"


def _informative_tags(tags: frozenset[str]) -> list[str]:
    """Without tags that all events of the kind have, or that repeat another one in other words."""
    spoken = {tag for tag in tags if tag not in _SILENT_TAGS}
    if spoken & _C11_ORDERS:
        spoken -= {"A", "Plain"}
    lowered = {tag for tag in spoken if not tag.isupper()}
    repeated = {tag.upper() for tag in lowered}
    return sorted(tag for tag in spoken if tag in lowered or tag not in repeated)


def _place(event: Event, program: Program) -> str:
    where = "?" if event.address is None else program.show_value(event.address)
    value = "?" if event.value is None else program.show_value(event.value)
    return f"{where}={value}"
