"""C11-level IR -> the IR of a target architecture: tags rewritten, fences inserted (paper 004, Table 2.1).

The C front end tags accesses with their C11 order (`NA` for plain ones). A hardware model knows nothing of
these, so each operation becomes what the compiler emits for it. Language models take the program as it is.
Fences of inline assembly stay what they are; whether a model understands them is for `passes.fences`.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from treville.fences import FULL_FENCES, PARTIAL_FENCES, PLACE
from treville.programs.compile_to.assembly import at_home, elsewhere, is_assembly
from treville.programs.compile_to.kernel import is_kernel_access, without_kernel
from treville.programs.compile_to.mappings import HARDWARE, NOTHING, Mapping, Tags, mapping_of
from treville.programs.ir import (
    AtomicBegin,
    AtomicEnd,
    Branch,
    Fence,
    Free,
    Instruction,
    Load,
    Program,
    Store,
    StoreExclusive,
    Thread,
)
from treville.records import replace
from treville.results import InputError, Unsupported

LANGUAGES = ("c11", "rc11", "imm")
KERNEL = "lkmm"
TARGETS = (*HARDWARE, *LANGUAGES, KERNEL)
LANGUAGE_OF = {"C": LANGUAGES, "PTS": LANGUAGES, "LKMM": (KERNEL,)}
"""The dialects of litmus tests that are compiled, and the targets that take them as they are."""
TO_THE_END = "imm"
"""The model of C in which a branch controls all that follows in its thread, as on hardware (A. Podkopaev,
O. Lahav, V. Vafeiadis, POPL 2019: control dependencies are closed under program order)."""

C11_ORDERS = frozenset({"RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"})
C11_TAGS = C11_ORDERS | {"NA", "A", "RMW"}


def target_of(shipped: str | None, mentioned: AbstractSet[str]) -> str:
    """The target that a model is about: the shipped model that it is, or what the base names that it mentions
    tell; the name of its file tells nothing. Who mentions all partial fences (`partialfences.cat`) tells
    nothing by them."""
    if shipped is not None and shipped in TARGETS:
        return shipped
    if mentioned >= PARTIAL_FENCES.keys():
        mentioned = mentioned - PARTIAL_FENCES.keys()
    return next((target for target, characteristic in _CHARACTERISTIC if mentioned & characteristic), "tso")


_CHARACTERISTIC: tuple[tuple[str, frozenset[str]], ...] = (
    ("lkmm", frozenset({"Once", "Acquire", "Release", "Plain", "Rcu-lock", "Rmb", "Wmb", "Noreturn", "LKR"})),
    ("rc11", frozenset({"RLX", "REL", "ACQ", "ACQ_REL", "SC"})),
    ("riscv", frozenset({"Fence.r.r", "Fence.r.rw", "Fence.rw.w", "Acq", "AcqRel"})),
    ("power", frozenset({"LWSYNC", "EIEIO", "ISYNC"})),
    ("aarch64", frozenset({"DMB.LD", "DMB.ISHLD", "Q"})),
    ("armv7", frozenset({"DMB.ST", "DMB.ISHST", "ISB"})),
    ("rmo", frozenset({"MEMBAR.LL", "MEMBAR.LS"})),
    ("pso", frozenset({"MEMBAR.SS"})),
    ("alpha", frozenset({"WMB"})),
)


def compile_program(program: Program, target: str) -> Program:
    """The program as compiled for the target; the given one is not changed."""
    if target not in TARGETS:
        raise InputError(f"unknown target '{target}'", None, f"targets are {', '.join(TARGETS)}")
    compiler: _Compiler
    if target in LANGUAGES:
        compiler = _LanguageCompiler(target == TO_THE_END)
    elif target == KERNEL:
        compiler = _KernelCompiler()
    else:
        compiler = _HardwareCompiler(mapping_of(target))
    return program.rewritten(compiler.thread)


def without_reservations(program: Program) -> Program:
    """The program where compare-exchanges are no loops of load-reserve and store-conditional, but one
    instruction that branches nowhere."""

    def kept(instruction: Instruction) -> list[Instruction]:
        return [] if isinstance(instruction, Branch) and instruction.reserved else [instruction]

    return program.rewritten(lambda thread: thread.rewritten(map(kept, thread.instructions)))


def order_of(tags: Tags) -> str | None:
    """The C11 order among the tags, if any."""
    return next((tag for tag in tags if tag in C11_ORDERS), None)


def _has_order(instruction: Instruction) -> bool:
    """Is it an access of C11? Its mutexes have the tags of the kernel's locks, and orders of their own."""
    return isinstance(instruction, Load | Store) and order_of(instruction.tags) is not None


def _is_full(instruction: Instruction | None) -> bool:
    return isinstance(instruction, Fence) and bool(instruction.tags & FULL_FENCES)


class _Compiler:
    """Rewrites threads instruction by instruction, keeping labels in place. AArch64 has a conditional select
    and a compare-and-swap of one instruction; elsewhere there are branches, or what C says is the order that
    a language keeps. The kernel's compare-and-exchange is left as its model has it."""

    selects_pick = False
    updates_pick = False

    def thread(self, thread: Thread) -> Thread:
        """The compiled copy of a thread."""
        thread = replace(thread, selects_pick=self.selects_pick, updates_pick=self.updates_pick)
        code, targets = thread.instructions, set(thread.labels.values())
        before = [None if at in targets else each for at, each in enumerate(code[:-1], 1)]
        around = zip([None, *before], [*code[1:], None], strict=False)
        return thread.rewritten(map(self.instruction, code, around))

    def instruction(
        self, instruction: Instruction, around: tuple[Instruction | None, Instruction | None]
    ) -> list[Instruction]:
        """What an instruction becomes; `around` are its neighbours that run whenever it does."""
        raise NotImplementedError


class _HardwareCompiler(_Compiler):
    """Applies a mapping. A fence that would stand next to a full one is left out."""

    def __init__(self, mapping: Mapping) -> None:
        self.mapping = mapping
        self.selects_pick = self.updates_pick = mapping.name == "aarch64"

    def instruction(
        self, instruction: Instruction, around: tuple[Instruction | None, Instruction | None]
    ) -> list[Instruction]:
        """See `_Compiler`."""
        if isinstance(instruction, Branch):
            if instruction.reserved and not self.mapping.reserves:
                return []
            return [replace(instruction, until=None, reserved=False)]
        if (own := at_home(instruction, self.mapping.name)) is not None:
            return own
        instruction = elsewhere(instruction)
        known = without_kernel(instruction, self.mapping.name)
        if known is None:
            return []
        instruction = known
        if isinstance(instruction, Fence):
            return self._fence(instruction)
        if isinstance(instruction, AtomicBegin):
            return [*self._inserted(self.mapping.full, instruction, around[0]), instruction]
        if isinstance(instruction, AtomicEnd):
            return [instruction, *self._inserted(self.mapping.full, instruction, around[1])]
        if not isinstance(instruction, Load | Store | StoreExclusive):
            return [instruction]
        before, tags, after = self._access(instruction)
        kept = instruction.tags - C11_TAGS
        return [
            *self._inserted(before, instruction, around[0]),
            replace(instruction, tags=kept | tags),
            *self._inserted(after, instruction, around[1]),
        ]

    def _access(self, instruction: Load | Store | StoreExclusive) -> tuple[Tags, Tags, Tags]:
        order = order_of(instruction.tags)
        if order is None:
            return NOTHING, NOTHING, NOTHING
        if not isinstance(instruction, StoreExclusive) and instruction.link:
            update = self.mapping.updates.get(order)
            if update is None:
                return NOTHING, NOTHING, NOTHING
            if isinstance(instruction, Load):
                return update.before, update.read, NOTHING
            return NOTHING, update.write, update.after
        table = self.mapping.loads if isinstance(instruction, Load) else self.mapping.stores
        access = table.get(order)
        return (access.before, access.tags, access.after) if access else (NOTHING, NOTHING, NOTHING)

    def _fence(self, fence: Fence) -> list[Instruction]:
        order = order_of(fence.tags)
        if not self.mapping.full:
            return []
        if order is None:
            return [fence]
        return self._inserted(self.mapping.fences.get(order, NOTHING), fence, None)

    def _inserted(self, tags: Tags, origin: Instruction, neighbour: Instruction | None) -> list[Instruction]:
        if not tags or _is_full(neighbour):
            return []
        return [Fence(tags, text=origin.text, span=origin.span, index=origin.index)]


class _LanguageCompiler(_Compiler):
    """C11 models: full fences of any architecture are seq_cst fences; partial ones mean nothing there."""

    def __init__(self, to_the_end: bool) -> None:
        self.to_the_end = to_the_end

    def instruction(
        self, instruction: Instruction, around: tuple[Instruction | None, Instruction | None]
    ) -> list[Instruction]:
        """See `_Compiler`."""
        del around
        if isinstance(instruction, Branch):
            if instruction.reserved:
                return []
            return [replace(instruction, until=None) if self.to_the_end else instruction]
        instruction = elsewhere(instruction)
        full = Fence(frozenset({"SC"}), text=instruction.text, span=instruction.span, index=instruction.index)
        if isinstance(instruction, AtomicBegin):
            return [full, instruction]
        if isinstance(instruction, AtomicEnd):
            return [instruction, full]
        if is_kernel_access(instruction) and not _has_order(instruction):
            raise Unsupported(
                "the Linux kernel's macros have no meaning under a model of C",
                instruction.span,
                "check under the kernel's model (--model lkmm), or under one of hardware",
            )
        if not isinstance(instruction, Fence):
            return [instruction]
        if PLACE in instruction.tags:
            return [instruction]
        if order_of(instruction.tags):
            return [replace(instruction, tags=instruction.tags - FULL_FENCES)]
        if not _is_full(instruction):
            raise Unsupported(
                f"the fence '{', '.join(sorted(instruction.tags))}' has no meaning under a model of C",
                instruction.span,
                "use atomic_thread_fence, or check under the model of the fence's architecture",
            )
        return [full]


class _KernelCompiler(_Compiler):
    """The Linux kernel model: its own macros, plain accesses and what pthreads need; no C11 atomics."""

    updates_pick = True

    def instruction(
        self, instruction: Instruction, around: tuple[Instruction | None, Instruction | None]
    ) -> list[Instruction]:
        """See `_Compiler`."""
        if is_assembly(instruction):
            raise Unsupported(
                "accesses of inline assembly have no meaning under the Linux kernel's model", instruction.span
            )
        if isinstance(instruction, Branch) and instruction.reserved:
            return []
        full = Fence(
            frozenset({"Mb", "MB"}), text=instruction.text, span=instruction.span, index=instruction.index
        )
        if isinstance(instruction, AtomicBegin):
            return [full, instruction]
        if isinstance(instruction, AtomicEnd):
            return [instruction, full]
        if isinstance(instruction, Fence) and instruction.tags & FULL_FENCES:
            return [full]
        if isinstance(instruction, Free):
            return [replace(instruction, tags=instruction.tags - C11_TAGS | {"Plain"})]
        if not isinstance(instruction, Load | Store | Fence) or not instruction.tags & C11_TAGS:
            return [instruction]
        if isinstance(instruction, Fence) or not self._of_pthreads(instruction, around):
            raise Unsupported(
                "C11 atomics have no meaning under the Linux kernel's model",
                instruction.span,
                "use its macros (READ_ONCE, smp_mb, ...), or another model",
            )
        kept = instruction.tags - C11_TAGS
        if "DATA" in instruction.tags and "VOLATILE" not in instruction.tags:
            kept |= {"Plain"}
        else:  # volatile accesses are what the kernel makes READ_ONCE of
            kept |= {"Once", "ONCE"} | (instruction.tags & {"RMW"})
        return [replace(instruction, tags=kept)]

    def _of_pthreads(
        self, instruction: Load | Store, around: tuple[Instruction | None, Instruction | None]
    ) -> bool:
        """Plain, or an access that the translation of a pthread function put next to a full fence."""
        order = order_of(instruction.tags)
        return order is None or (order == "SC" and any(_is_full(neighbour) for neighbour in around))
