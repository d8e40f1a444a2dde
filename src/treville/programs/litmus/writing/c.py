"""Programs -> litmus tests in C: with C11's atomics, or with the Linux kernel's primitives.

A branch asks for the value that was read, and all that follows in the thread is inside it.
"""

from __future__ import annotations

from treville.programs.litmus.writing.program import (
    AND,
    LOCATIONS,
    Access,
    Barrier,
    Role,
    Spelling,
    WrittenProgram,
)

_LOAD = "{register} = atomic_load_explicit({location}, memory_order_%s);"
_STORE = "atomic_store_explicit({location}, {stored}, memory_order_%s);"
_EXCHANGE = "{register} = atomic_exchange_explicit({location}, {stored}, memory_order_%s);"
_RELAXED = ("xchg.rlx",)
_FENCE = "atomic_thread_fence(memory_order_%s);"


class CWriter:
    """C11."""

    dialect = "C"
    two_ways = True
    dependencies = frozenset({"data", "ctrl"})
    spellings: tuple[Spelling, ...] = (
        Spelling("r", Role.READ, _LOAD % "relaxed"),
        Spelling("w", Role.WRITE, _STORE % "relaxed"),
        Spelling("acq", Role.READ, _LOAD % "acquire", 1, ("r", "con")),
        Spelling("con", Role.READ, _LOAD % "consume", 3, ("r",)),
        Spelling("sc", Role.READ, _LOAD % "seq_cst", 2, ("r", "con", "acq")),
        Spelling("rel", Role.WRITE, _STORE % "release", 1, ("w",)),
        Spelling("sc", Role.WRITE, _STORE % "seq_cst", 2, ("w", "rel")),
        Spelling("na", Role.READ, "{register} = *{location};", 2, plain=True),
        Spelling("na", Role.WRITE, "*{location} = {stored};", 2, plain=True),
        Spelling("xchg", Role.EXCHANGE, _EXCHANGE % "relaxed", 1),
        Spelling("xchg.acq", Role.EXCHANGE, _EXCHANGE % "acquire", 2, ("xchg",)),
        Spelling("xchg.rel", Role.EXCHANGE, _EXCHANGE % "release", 2, ("xchg",)),
        Spelling("xchg.acqrel", Role.EXCHANGE, _EXCHANGE % "acq_rel", 3, ("xchg", "xchg.acq", "xchg.rel")),
        Spelling(
            "xchg.sc",
            Role.EXCHANGE,
            _EXCHANGE % "seq_cst",
            4,
            ("xchg", "xchg.acq", "xchg.rel", "xchg.acqrel"),
        ),
        Spelling("f.acq", Role.FENCE, _FENCE % "acquire", 2),
        Spelling("f.rel", Role.FENCE, _FENCE % "release", 2),
        Spelling("f.acqrel", Role.FENCE, _FENCE % "acq_rel", 3, ("f.acq", "f.rel")),
        Spelling("f.sc", Role.FENCE, _FENCE % "seq_cst", 4, ("f.acq", "f.rel", "f.acqrel")),
    )

    def write(self, program: WrittenProgram) -> str:
        """The text of the test."""
        parts = [f"C {program.name}", *([f'"{program.comment}"'] if program.comment else []), "{ }", ""]
        plain = {
            access.location
            for thread in range(len(program.threads))
            for access in program.accesses(thread)
            if access.spelling.plain
        }
        for thread in range(len(program.threads)):
            parts += [*self._thread(program, thread, plain), ""]
        return "\n".join([*parts, self._condition(program), ""])

    def declared(self, plain: bool) -> str:
        """The type of a location."""
        return "int" if plain else "atomic_int"

    def _thread(self, program: WrittenProgram, thread: int, plain: set[int]) -> list[str]:
        accesses = program.accesses(thread)
        used = sorted({access.location for access in accesses})
        parameters = ", ".join(f"{self.declared(place in plain)} *{LOCATIONS[place]}" for place in used)
        lines = [f"P{thread}({parameters}) {{"]
        lines += [f"  int r{number};" for number in range(sum(access.spelling.reads for access in accesses))]
        depth, number = 1, 0
        for item in program.threads[thread]:
            if isinstance(item, Access):
                text = self._access(item, number)
                number += item.spelling.reads
            elif isinstance(item, Barrier):
                text = item.spelling.text
            else:
                text = f"if (r{item.read} == {item.value}) {{"
            lines.append("  " * depth + text)
            depth += not isinstance(item, Access | Barrier)
        return [*lines, *("  " * level + "}" for level in reversed(range(depth)))]

    def _access(self, access: Access, number: int) -> str:
        nothing = " + ".join(f"(r{read} & 0)" for read in access.data)
        stored = f"{nothing} + {access.value}" if nothing else str(access.value)
        location = LOCATIONS[access.location]
        if access.address:
            offset = " + ".join(f"(r{read} & 0)" for read in access.address)
            location = f"({location} + {offset})"
        return access.spelling.text.format(register=f"r{number}", location=location, stored=stored)

    def _condition(self, program: WrittenProgram) -> str:
        outcome = program.outcome
        parts = [f"{thread}:r{number}={value}" for thread, number, value in outcome.registers]
        parts += [f"{LOCATIONS[place]}={value}" for place, value in outcome.memory]
        return f"exists ({AND.join(parts)})"


class LinuxWriter(CWriter):
    """The Linux kernel's primitives."""

    dependencies = frozenset({"addr", "data", "ctrl"})
    spellings = (
        Spelling("r", Role.READ, "{register} = READ_ONCE(*{location});"),
        Spelling("w", Role.WRITE, "WRITE_ONCE(*{location}, {stored});"),
        Spelling("acq", Role.READ, "{register} = smp_load_acquire({location});", 1, ("r",)),
        Spelling("rel", Role.WRITE, "smp_store_release({location}, {stored});", 1, ("w",)),
        Spelling("xchg.rlx", Role.EXCHANGE, "{register} = xchg_relaxed({location}, {stored});", 1),
        Spelling("xchg.acq", Role.EXCHANGE, "{register} = xchg_acquire({location}, {stored});", 2, _RELAXED),
        Spelling("xchg.rel", Role.EXCHANGE, "{register} = xchg_release({location}, {stored});", 2, _RELAXED),
        Spelling(
            "xchg",
            Role.EXCHANGE,
            "{register} = xchg({location}, {stored});",
            3,
            (*_RELAXED, "xchg.acq", "xchg.rel"),
        ),
        Spelling("rmb", Role.FENCE, "smp_rmb();", 1),
        Spelling("wmb", Role.FENCE, "smp_wmb();", 1),
        Spelling("mb", Role.FENCE, "smp_mb();", 2, ("rmb", "wmb")),
    )

    def declared(self, plain: bool) -> str:
        """The type of a location."""
        del plain
        return "int"
