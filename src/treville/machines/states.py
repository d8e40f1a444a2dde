"""What the machine with store buffers is made of: states, what happens in a step, answers.

Threads and memories are numbers here: `threads.Threads` and `memories.Memories` know what they stand for, so
that a state is small, and equal states are equal tuples.
"""

from __future__ import annotations

from treville.programs import ir
from treville.records import NamedTuple, dataclass, field
from treville.results.properties import Property
from treville.results.verdict import Verdict

# States between two looks at time and memory, which cost more than a state.
BETWEEN_LOOKS = 64
# More states than this do not fit into the memory of a small machine.
MOST_STATES = 400_000


class Log(NamedTuple):
    """What happened in a step, for witnesses: `R`, `W` (to the buffer), `D` (directly to memory), `F`, `C`
    (entry `address` of the buffer gets to memory), `S` and `J` (thread `address` is started or joined), `A`
    (an object is allocated at `address`), `H` (`value` is chosen freely).
    Events in a `block` belong to one atomic block as long as no other thread's come between. Where the order
    of writes is not that of the run, `place` is the place of the write that is read or written, and `X` says
    that the first `value` writes of the cell are counted no more."""

    kind: str
    thread: int
    address: int = 0
    value: int = 0
    instruction: ir.Instruction | None = None
    block: bool = False
    place: int = 0


class TooManyStates(Exception):
    """The program has too many states, or does something that the machine cannot do exactly."""


class LimitReached(TooManyStates):
    """There are more states than were asked for."""


USUAL_ERRORS = Property.SAFETY.errors


class Failed(Exception):
    """An assertion does not hold, or memory is used as it may not be (then `message` says how); `log` is the
    last transition up to there."""

    def __init__(self, instruction: ir.Instruction, log: list[Log], message: str = "") -> None:
        super().__init__()
        self.instruction = instruction
        self.log = log
        self.message = message


class Disabled(Exception):
    """The thread cannot take this step now: a lock is taken, an atomic block cannot be passed."""


class Entry(NamedTuple):
    """A store that waits in a buffer; entries of a later epoch stay behind those of an earlier one."""

    address: int
    value: int
    epoch: int


class Buffer(NamedTuple):
    """The stores of a thread that others do not see yet, the oldest first, and the epoch of the next."""

    entries: tuple[Entry, ...] = ()
    epoch: int = 0


EMPTY = Buffer()


class State(NamedTuple):
    """What each thread does next, its buffer, and memory."""

    threads: tuple[int, ...]
    buffers: tuple[Buffer, ...]
    memory: int


@dataclass
class Answer:
    """PASS, FAIL or UNKNOWN (some run was cut), how many states were seen, and for FAIL what happened."""

    verdict: Verdict
    states: int
    failed: ir.Instruction | None = None
    log: list[Log] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)  # what each thread of the failing run executes
    message: str = ""
