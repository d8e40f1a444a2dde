"""The program IR: what every front end produces and every engine consumes.

A program is a list of threads over shared memory. A thread is a flat list of instructions over
registers, with labels. Values are Python ints; an operator wraps its result to a signed two's
complement number of its width. The address of a global is an int too (see `Program.addresses`), so
pointer arithmetic, comparison and dependencies through pointers need no special case.

Dependencies (addr, data, ctrl) are not stored here: they follow from which registers an expression
reads, and are computed where instructions become events. `Select` is the one operator whose first
argument gives a weaker ("pick") dependency, as AArch64's conditional select does; where it is a branch
instead, a thread says so (`Thread.selects_pick`).

Nothing here changes once it is made: front ends fill drafts (`programs.draft`), passes make other programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from treville.records import NamedTuple, dataclass, field, replace
from treville.results import Notice, Span
from treville.results.properties import Error

# -- expressions -----------------------------------------------------------------------------------


class Const(NamedTuple):
    """A number or an address."""

    value: int


class Reg(NamedTuple):
    """The value of a register (or local variable) of the thread."""

    name: str


class Op(NamedTuple):
    """An operator of `programs.operators` applied to arguments; the result is wrapped to `bits`."""

    name: str
    args: tuple[Expr, ...]
    bits: int = 64


class Select(NamedTuple):
    """`then` if the condition is not zero, else `otherwise`. Only the chosen argument passes its data
    dependencies on; the condition passes pick dependencies."""

    condition: Expr
    then: Expr
    otherwise: Expr


Expr: TypeAlias = Const | Reg | Op | Select


def plus(base: Expr, offset: int) -> Expr:
    """An address and a number of bytes."""
    if isinstance(base, Const):
        return Const(base.value + offset)
    return Op("add", (base, Const(offset)), 64) if offset else base


# -- instructions ----------------------------------------------------------------------------------

FREED = "FREE"  # the tag of what ends an object
BEGUN = "ALLOC"  # the tag of what begins one
FREEING = frozenset({"NA", "DATA", FREED})  # it conflicts with accesses like a write to ordinary data


@dataclass(frozen=True, slots=True)
class InstructionBase:
    """What all instructions have. `text` is the source form, `span` its place; `index` numbers the
    source instruction in its thread, so that several IR instructions can belong to one. The events of a
    `parallel` instruction are not in program order with earlier events of the same source instruction
    (the two accesses of a load pair)."""

    text: str = field(default="", kw_only=True)
    span: Span | None = field(default=None, kw_only=True)
    index: int = field(default=0, kw_only=True)
    parallel: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Local(InstructionBase):
    """`register := value`, no memory involved."""

    register: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Havoc(InstructionBase):
    """`register := ` any one of `values`, chosen freely."""

    register: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Assume(InstructionBase):
    """Executions in which the condition is zero do not count (they are dropped). With `waits` the thread
    waits here until the load before it finds what makes the condition hold: a lock, a barrier."""

    condition: Expr
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Load(InstructionBase):
    """`register := *address`: a read event. `register` None: the value is not kept.

    `tags` become sets of the model (`A`, `ACQ`, `Once`, ...). `link` (see Store) makes it the read half
    of a read-modify-write. `exclusive` opens a reservation for a later `StoreExclusive`. A `blind` read may
    find what nobody wrote: it only moves it. The register `unset`, which was set to 0 before, becomes the
    bits of what it found that nobody set, byte by byte; such a read may find some of these, a blind one all.
    Another one may look at some bytes only of the cell that it reads, those in `looks`. One that is `zeroed`
    asks whether anybody wrote: else it finds 0.
    """

    register: str | None
    address: Expr
    tags: frozenset[str] = frozenset()
    bits: int = 32
    link: bool = False
    exclusive: bool = False
    blind: bool = False
    unset: str = ""
    looks: tuple[int, int] | None = None
    zeroed: bool = False


@dataclass(frozen=True, slots=True)
class Store(InstructionBase):
    """`*address := value`: a write event, executed only if `when` is absent or not zero.

    `link` makes it the write half of the read-modify-write whose read half is the last linked load of
    the same source instruction (`index`); the pair enters `rmw` (and `amo`). The registers of `when`
    give a pick dependency on the write. `unset` are the bits of the value that nobody set: to read one of
    those is to read what nobody wrote.
    """

    address: Expr
    value: Expr
    tags: frozenset[str] = frozenset()
    bits: int = 32
    link: bool = False
    when: Expr | None = None
    unset: Expr | None = None


@dataclass(frozen=True, slots=True)
class StoreExclusive(InstructionBase):
    """A store conditional. If an open reservation of the same address exists it may succeed (a write event
    paired with the exclusive load in `rmw` and `lxsx`, `status := success`); it may always fail
    (`status := failure`, no event). Either way the reservation is closed.

    `status_depends` says on what the status register of a success depends: `write` (the write event
    itself), `address` (what the addresses of the store and of its exclusive load depend on), `data` (what
    the stored value depends on). A failure's status depends on nothing."""

    status: str
    address: Expr
    value: Expr
    tags: frozenset[str] = frozenset()
    bits: int = 32
    success: int = 0
    failure: int = 1
    status_depends: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Fence(InstructionBase):
    """A fence event with the given tags (`MFENCE`, `SYNC`, `DMB.SY`, `Rcu-lock`, ...).

    A fence with an `address` belongs to a location (`synchronize_srcu(s)`): it is in `loc` with the accesses
    of that address, and in `addr` as an access would be, but it is no access."""

    tags: frozenset[str]
    address: Expr | None = None


@dataclass(frozen=True, slots=True)
class Branch(InstructionBase):
    """Go to label `target` if the condition is not zero; `condition` None: always.

    Every event after the branch, up to label `until` (None: the end of the thread), is control-dependent
    on the reads that the condition depends on. `behind`: what comes after that label is noted too, as a
    relation of its own (`ctrl-behind`), for those who do not know where the ways of a branch meet.
    `reserved`: the branch is there only where a compare-exchange is a loop of load-reserve and
    store-conditional, which compares what it loaded (see `compile_to`).
    """

    target: str
    condition: Expr | None = None
    until: str | None = None
    behind: bool = False
    reserved: bool = False


@dataclass(frozen=True, slots=True)
class IndirectBranch(InstructionBase):
    """Go to the label whose code address the expression evaluates to (see `Thread.code_addresses`)."""

    target: Expr


# -- what only whole programs have (C, not litmus tests) ---------------------------------------------


@dataclass(frozen=True, slots=True)
class Nondet(InstructionBase):
    """`register := ` any number of `bits` bits, of which there are several; see `Havoc` for one of few."""

    register: str
    bits: int = 32


@dataclass(frozen=True, slots=True)
class Assert(InstructionBase):
    """The program is wrong if it gets here and the condition is zero; such a run ends here. `memory`: what
    would be wrong is an access to memory; `undefined`: it is something else that has no meaning. Not `fatal`:
    programs rely on what happens there all the same, so that where nobody asks for it they go on. `observes`:
    the run may end here or go on, since the test is none of the program's: nothing waits for its outcome."""

    condition: Expr
    message: str = ""
    memory: bool = False
    undefined: bool = False
    fatal: bool = True
    observes: bool = False


@dataclass(frozen=True, slots=True)
class Stop(InstructionBase):
    """The thread does not go on. `cut` says that this is a bound of the analysis (a recursion), not the
    program's own doing."""

    cut: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Spawn(InstructionBase):
    """Start a thread that runs `Program.functions[function]` with its first parameter bound to `argument`;
    `register` receives the thread's number. What precedes it in program order precedes the new thread."""

    register: str
    function: str
    argument: Expr


@dataclass(frozen=True, slots=True)
class Join(InstructionBase):
    """Wait until the thread of that number has ended. What it did precedes what follows."""

    thread: Expr


@dataclass(frozen=True, slots=True)
class Allocate(InstructionBase):
    """`register := ` the address of a fresh object of `size` bytes, filled with zeros if `zeroed` (else its
    contents are whatever). `name` is for people. `cells` lists (offset, bits) where the type is known.
    Objects of the `heap` can be freed. `begins`: other threads may know of it without an order, which is an
    error (see `passes.beginnings`)."""

    register: str
    size: Expr
    name: str = ""
    zeroed: bool = False
    cells: tuple[tuple[int, int], ...] = ()
    heap: bool = False
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Free(InstructionBase):
    """The object at `address` ends, unless that is null: a write event, after which its cell at `offset` may
    not be accessed. `passes.lifetimes` makes one of these for every cell that is accessed somewhere;
    `within` are the starts of the objects that have such a cell (None: all have). A `local` variable ends
    with its function; nothing can be wrong with that."""

    address: Expr
    offset: int = 0
    within: tuple[int, ...] | None = None
    local: bool = False
    tags: frozenset[str] = FREEING


@dataclass(frozen=True, slots=True)
class ReadPrivate(InstructionBase):
    """`register := ` a cell of an object that no other thread can reach: no event, like a register."""

    register: str
    object: str
    offset: Expr
    bits: int = 32


@dataclass(frozen=True, slots=True)
class WritePrivate(InstructionBase):
    """A cell of a private object `:= value`: no event."""

    object: str
    offset: Expr
    value: Expr
    bits: int = 32


@dataclass(frozen=True, slots=True)
class AtomicBegin(InstructionBase):
    """What follows, up to the matching `AtomicEnd`, is not interleaved with other threads."""


@dataclass(frozen=True, slots=True)
class AtomicEnd(InstructionBase):
    """End of an atomic block."""


# Every instruction there is: who looks at all kinds of them can prove that none is missing.
OnlyInPrograms: TypeAlias = (
    Nondet | Assert | Stop | Spawn | Join | Allocate | Free | ReadPrivate | WritePrivate | AtomicBegin
    | AtomicEnd
)  # fmt: skip
Instruction: TypeAlias = (
    Local | Havoc | Assume | Load | Store | StoreExclusive | Fence | Branch | IndirectBranch | OnlyInPrograms
)


def error_of(instruction: Instruction) -> Error:
    """What kind of error it is that an instruction fails."""
    match instruction:
        case Assert(memory=True):
            return Error.ACCESS
        case Assert(undefined=True):
            return Error.UNDEFINED
        case Assert():
            return Error.ASSERTION
        case Free():
            return Error.FREE
        case Allocate():
            return Error.LEAK
        case _:
            return Error.ACCESS


def place(instruction: Instruction, text: str, span: Span | None, index: int) -> None:
    """Say where an instruction comes from: for who has just made it, and before anybody else sees it. (A copy
    would cost front ends more than all else they do with an instruction.)"""
    put = object.__setattr__
    put(instruction, "text", text)
    put(instruction, "span", span)
    put(instruction, "index", index)


# -- programs --------------------------------------------------------------------------------------

# Each thread of a whole program finds its own number in this register.
OWN_NUMBER = "own number"
CODE_BASE = 0x1000_0000
LOCATION_BASE = 0x4000_0000
LOCATION_STRIDE = 0x0010_0000
MOST_NAMED_OBJECTS = 1000
NULL_PAGE = 4096  # what a null pointer to a struct or an array may reach


@dataclass(frozen=True, slots=True)
class Location:
    """A global: where it lies, how many cells of how many bits it has, and their initial values. Values are
    signed numbers everywhere; `unsigned` says how people want to see them."""

    name: str
    address: int
    bits: int = 32
    initial: tuple[int, ...] = (0,)
    parts: tuple[tuple[int, int, int], ...] = ()  # (offset, bits, initial value) of cells of mixed widths
    names: Mapping[int, str] = field(default_factory=dict)  # what people call the cells at these offsets
    unsigned: bool = False

    @property
    def cell_bytes(self) -> int:
        """Distance between two cells."""
        return self.bits // 8


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread: its instructions, where its labels point (an index into `instructions`, its length for
    the end), and the initial values of its registers (absent ones are 0). `private` lists the cells (offset,
    bits) of private objects, where they are known; those in `unset` hold any numbers at first, others 0.

    Without `selects_pick` (`updates_pick`) what selects (conditions of stores, those of compare-and-swap)
    depend on orders later writes and branches as it does where they are branches. Reads are left alone:
    neither a branch nor a conditional move holds them back everywhere."""

    name: str
    instructions: tuple[Instruction, ...] = ()
    labels: Mapping[str, int] = field(default_factory=dict)
    registers: Mapping[str, int] = field(default_factory=dict)
    code_addresses: Mapping[int, str] = field(default_factory=dict)
    parameter: str = ""
    private: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    unset: frozenset[str] = frozenset()
    selects_pick: bool = True
    updates_pick: bool = True

    def rewritten(self, parts: Iterable[Iterable[Instruction]]) -> Thread:
        """The thread in which each instruction in turn becomes some others, or none. Labels stay in front of
        what became of the instruction that they were in front of."""
        code: list[Instruction] = []
        starts: list[int] = []
        for _, part in zip(self.instructions, parts, strict=True):
            starts.append(len(code))
            code += part
        starts.append(len(code))
        labels = {name: starts[at] for name, at in self.labels.items()}
        return replace(self, instructions=tuple(code), labels=labels)


# A file and a line in it.
Place: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Program:
    """Threads over shared memory. `code_names` says how code addresses are shown. `functions` are the
    bodies of threads that `Spawn` starts, each with its parameter in the register `Thread.parameter`.
    `loop_bounds` are bounds of loops that differ from that of all others, by where their jumps back stand.
    `every_iteration`: iterations of loops that change nothing matter too, so none are left out. `notices` are
    what a front end assumed, and what users have to know of it."""

    threads: tuple[Thread, ...] = ()
    locations: Mapping[str, Location] = field(default_factory=dict)
    code_names: Mapping[int, str] = field(default_factory=dict)
    functions: Mapping[str, Thread] = field(default_factory=dict)
    loop_bounds: Mapping[Place, int] = field(default_factory=dict)
    every_iteration: bool = False
    notices: tuple[Notice, ...] = ()

    @property
    def bodies(self) -> list[Thread]:
        """The code of all threads: those that run from the start, and those that are started."""
        return [*self.threads, *self.functions.values()]

    def rewritten(self, change: Callable[[Thread], Thread]) -> Program:
        """The program with other code in place of that of each thread."""
        return replace(
            self,
            threads=tuple(map(change, self.threads)),
            functions={name: change(body) for name, body in self.functions.items()},
        )

    def instructions(self) -> Iterator[Instruction]:
        """All instructions of the program's code."""
        return (instruction for body in self.bodies for instruction in body.instructions)

    def has(self, *kinds: type[Instruction]) -> bool:
        """Is there an instruction of one of the kinds?"""
        return any(isinstance(instruction, kinds) for instruction in self.instructions())

    def location_at(self, address: int) -> tuple[Location, int] | None:
        """The global that covers the address and the cell's index in it, if any."""
        slot, offset = divmod(address - LOCATION_BASE, LOCATION_STRIDE)
        if not 0 <= slot < len(self.locations):
            return None
        location = list(self.locations.values())[slot]
        cell, rest = divmod(offset, location.cell_bytes)
        return (location, cell) if rest == 0 else None

    def show_value(self, value: int) -> str:
        """A value for people: a number, or the name of the global (`x`, `x[1]`) whose address it is."""
        slot, offset = divmod(value - LOCATION_BASE, LOCATION_STRIDE)
        whole = self.functions or any(location.parts for location in self.locations.values())
        if whole and 0 <= slot < len(self.locations) + MOST_NAMED_OBJECTS:
            return self._show_place(slot, offset)
        found = self.location_at(value)
        if found is None:
            return self.code_names.get(value) or str(value)
        location, cell = found
        return location.name if cell == 0 else f"{location.name}[{cell}]"

    def _show_place(self, slot: int, offset: int) -> str:
        """A cell of a global of a C program (`x`, `table[1][0]`, `node+8`) or of an allocated object."""
        if slot >= len(self.locations):
            name = f"object{slot - len(self.locations) + 1}"
        else:
            location = list(self.locations.values())[slot]
            name = location.name
            if offset in location.names:
                return name + location.names[offset]
        return f"{name}+{offset}" if offset else name
