"""A plan -> one sequential C program: the abstraction, a function for each thread, the driver of rounds.

Paper 001, sections III to VI. Threads stop and go on at labels, one for each step that others can notice; a
program counter says where a thread is, a guessed one how far it gets in this turn. Branches were decided when
the steps before them were done, so that each step has a guard instead of jumps around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treville.encoding.bitvectors import constant_bits
from treville.events.symbolic_data import Mark, MarkKind
from treville.events.symbolic_terms import Any, Constant, Unknown
from treville.programs.ir import Assert, Instruction, Load
from treville.programs.narrow import WIDTH
from treville.records import dataclass
from treville.results import Unsupported
from treville.sequential.abstraction import BUFFERS, LISTS, abstraction
from treville.sequential.c_terms import WIDTHS, CannotSay, Expressions, ThreadExpressions
from treville.sequential.dialects import Dialect, in_comment
from treville.sequential.locations import Locations
from treville.sequential.plan import Does, Plan, Step, ends, largest, reads_of
from treville.sequential.rounds import Bounds


@dataclass(frozen=True, slots=True)
class Emission:
    """How a program is to be written: bounds, abstraction, dialect; `bound` is that of loops, `bits` those of
    an int. `addresses` locations behind pointers are tracked, `blocks` objects allocated (0: all of them)."""

    bounds: Bounds
    bound: int
    bits: int
    dialect: Dialect
    kind: str = LISTS
    source: str = ""
    addresses: int = 0
    blocks: int = 0


def emitted(plan: Plan, how: Emission) -> str:
    """The whole text."""
    return _Writer(plan, how).text()


class _Writer:
    """Writes one program."""

    def __init__(self, plan: Plan, how: Emission) -> None:
        self.plan, self.how = plan, how
        self.expressions = Expressions(plan.symbolic.terms)
        self.threads = [ThreadExpressions(self.expressions, t) for t in range(len(plan.threads))]
        self.sc = plan.model == "sc" or not plan.listed
        self.locations = Locations(plan, not self.sc, how.addresses)
        self.blocks = how.blocks if how.blocks < len(plan.symbolic.heap) else 0
        self._numbers = {step: number for thread in plan.threads for number, step in enumerate(thread.steps)}
        self.marks: dict[tuple[int, int], list[Mark]] = {}
        for mark, before in plan.marks:
            self.marks.setdefault((mark.thread, before), []).append(mark)

    def text(self) -> str:
        functions = ["\n".join(self._thread(thread)) for thread in range(len(self.plan.threads))]
        reads = sorted(self.expressions.reads | set(reads_of(self.plan)))
        parts = [
            self._header(),
            self._bounds(),
            self.how.dialect.prelude(self._widths()),
            self.how.dialect.guesses(self.locations.text()),
            self._abstraction(),
            self.how.dialect.guesses(self._interface()),
            *([WIDTHS] if self.expressions.operators or reads else []),
            *self.expressions.functions(),
            self._variables(reads),
            *functions,
            self._driver(),
        ]
        return "\n".join(part.rstrip() + "\n" for part in parts if part)

    # -- above the threads ---------------------------------------------------------------------------------

    def _header(self) -> str:
        plan, bounds = self.plan, self.how.bounds
        model = plan.model.upper()
        bounded = [f"at most {bounds.rounds} rounds (ROUNDS)"]
        if self.how.kind == BUFFERS and not self.sc:
            bounded.append(f"{bounds.nodes} writes in the store buffer of a thread (N)")
        elif not self.sc:
            bounded.append(f"timestamps below {bounds.timestamps} (K)")
            bounded.append(f"{bounds.nodes} writes of a location in its list (N)")
        if self.locations.slots:
            bounded.append(f"{self.locations.slots} locations behind pointers, of {self.locations.behind}")
        if self.blocks:
            bounded.append(f"{self.blocks} allocated objects")
        if self.how.bits < WIDTH:
            bounded.append(f"ints of {self.how.bits} bits")
        cuts = any(mark.kind is MarkKind.CUT for mark, _ in plan.marks)
        bounded.append(f"loops and recursion that go round {self.how.bound} times" if cuts else "no loop cut")
        narrow = " Ints are narrow: try it at full width." if self.how.bits < WIDTH else ""
        listed = "\n".join(f"     - {bound}" for bound in bounded)
        return f"""\
/* {self.how.source} under {model} as a sequential program.

   Its runs are those of the {len(plan.threads)} threads within these bounds:
{listed}

   What fails here fails within the bounds.{narrow}
   That nothing does says nothing about runs beyond them.
   Asserted are the program's own assertions, that accesses are to objects, and that what is freed is one
   of the heap; uses of memory that was freed, or never written, are not. */
"""

    def _bounds(self) -> str:
        macros = {"ROUNDS": self.how.bounds.rounds, **self._counted()}
        changeable = [f"#ifndef {name}\n#define {name} {value}\n#endif" for name, value in macros.items()]
        where = self.locations
        fixed = [
            f"#define T {len(self.plan.threads)} /* threads */",
            f"#define V {max(1, where.lists)} /* locations{'' if self.sc else ' with lists'} */",
        ]
        if not self.sc:
            fixed.append(f"#define PLAIN {len(where.last)} /* locations where no write is ever pending */")
        if self.blocks:
            fixed.append(f"#define BLOCKS {self.blocks} /* objects that may be allocated */")
        return "\n".join([*changeable, *fixed])

    def _counted(self) -> dict[str, int]:
        """The macros that the abstraction counts to, with their values."""
        if self.sc:
            return {}
        nodes = {"N": self.how.bounds.nodes}
        return nodes if self.how.kind == BUFFERS else {"K": self.how.bounds.timestamps, **nodes}

    def _widths(self) -> dict[str, str]:
        """Bits of the numbers of the abstraction, of values in memory and of program counters. Who sets the
        macros to more than these bits hold gets all bits."""
        bounds, values = self.how.bounds, self.plan.facts.values
        most = largest(self.plan, bounds.timestamps, bounds.nodes)
        word = max((len(constant_bits(values.initial.get(cell, 0))) for cell in self.plan.cells), default=1)
        for thread in self.plan.threads:
            for step in thread.steps:
                if step.access is not None and step.access.value is not None:
                    numbers = values.numbers[step.access.value]
                    ends_of = (numbers[0], numbers[-1]) if isinstance(numbers, range) else numbers
                    word = max([word, *(len(constant_bits(number)) for number in ends_of)])
        counted = max(*(len(thread.steps) + 1 for thread in self.plan.threads), self.blocks)
        bits = most.bit_length()
        small = " && ".join(f"{name} < {1 << bits}" for name in self._counted())
        uint = f"{small} ? {bits + 1} : 32" if small else f"{bits + 1}"
        return {"uint": uint, "word": f"{min(64, word)}", "counter": f"{counted.bit_length() + 1}"}

    def _abstraction(self) -> str:
        return self.how.dialect.guesses(abstraction("sc" if self.sc else self.plan.model, self.how.kind))

    def _interface(self) -> str:
        """What threads call."""
        plain = bool(self.locations.last)
        read = "    if (v >= V)\n        return plain[v - V];\n" if plain else ""
        write = "    if (v >= V) {\n        plain[v - V] = val;\n        return;\n    }\n" if plain else ""
        time = "" if self.sc else "    clock_update();\n"
        parts = [
            f"word read_shared(uint v, uint t)\n{{\n{read}{time}    return look(v, t);\n}}\n",
            f"void write_now(uint v, word val, uint t)\n{{\n{write}    store_now(v, val, t);\n}}\n",
        ]
        if not self.sc:
            parts += [
                f"word read_now(uint v, uint t)\n{{\n{read}    return look(v, t);\n}}\n",
                "void write_shared(uint v, word val, uint t)\n{\n    clock_update();\n"
                "    store(v, val, t);\n}\n",
                "void fence(uint t)\n{\n    clock_update();\n    flush(t);\n}\n",
            ]
        if self.locations.by_address:
            count = self.locations.count
            parts.append(
                "/* The location at an address, which must be one of those that the access may go to. */\n"
                f"uint where(long long a)\n{{\n    uint v = guess({count});\n    assume(address[v] == a);\n"
                "    return v;\n}\n"
            )
        return "\n".join(parts)

    def _variables(self, reads: Sequence[int]) -> str:
        lines = ["/* Where each thread is, and how far it gets in this turn. */"]
        lines += ["static counter pc[T];", "static counter cs[T];"]
        if self.blocks:
            lines += ["/* Objects that were allocated. */", "static counter blocks;"]
        lines.append("#define TURN(t, step, next) if (pc[t] > step || step >= cs[t]) goto next;")
        if reads:
            lines.append("/* What was read; what was computed from it. */")
        lines += [f"static long long r{event};" for event in reads]
        for value, name in self.expressions.unknowns.items():
            del value
            lines.append(f"static long long {name}; /* chosen freely */")
        for thread in self.threads:
            lines += thread.declared
        return "\n".join(lines)

    # -- threads -------------------------------------------------------------------------------------------

    def _thread(self, thread: int) -> Iterator[str]:
        plan = self.plan.threads[thread]
        yield f"/* {plan.name} */"
        yield f"void thread_{thread}(void)"
        yield "{"
        first = list(self._marks(thread, 0))
        if first:
            yield f"    if (pc[{thread}] == 0) {{"
            yield from (f"        {line}" for line in first)
            yield "    }"
        groups = _groups(plan.steps)
        for place, (start, steps) in enumerate(groups):
            last = place == len(groups) - 1
            label = "" if place == 0 else f"T{thread}_{start}: "
            following = f"T{thread}_end" if last else f"T{thread}_{groups[place + 1][0]}"
            yield f"{label or '    '}TURN({thread}, {start}, {following})"
            for offset, step in enumerate(steps):
                yield from (f"    {line}" for line in self._step(step))
                yield from (f"    {line}" for line in self._marks(thread, start + offset + 1))
        if groups:
            yield f"T{thread}_end:;"
        yield "}"
        yield ""

    def _step(self, step: Step) -> Iterator[str]:
        code = self.threads[step.thread]
        try:
            guard = code.condition(step.guard)
            call = list(self._calls(step, code))
        except CannotSay as what:
            raise Unsupported(f"{what} in a sequential program", step.instruction.span) from None
        yield from filter(None, (_comment(step.instruction), *code.take()))
        if not call:
            return
        if guard == "1":
            yield from call
        elif len(call) == 1:
            yield f"if ({guard})"
            yield f"    {call[0]}"
        else:
            yield f"if ({guard}) {{"
            yield from (f"    {line}" for line in call)
            yield "}"

    def _calls(self, step: Step, code: ThreadExpressions) -> Iterator[str]:
        thread = step.thread
        match step.does:
            case Does.FLUSH:
                yield f"fence({thread});"
            case Does.ORDER:
                yield f"order_writes({thread});"
            case Does.JOIN:
                yield from self._join(step, code)
            case Does.READ | Does.WRITE | Does.WRITE_NOW:
                if ends(step):
                    return
                yield from self._outside(step, code)
                if step.flushes:
                    yield f"fence({thread});"
                yield self._access(step, code)

    def _access(self, step: Step, code: ThreadExpressions) -> str:
        access = step.access
        assert access is not None
        one = len(step.cells) == 1
        if not step.cells:
            return "assume(0);"
        place = self.locations.names[step.cells[0]] if one else f"where({code.value(access.address)})"
        inside = (step.glued or step.flushes) and not self.sc
        if step.does is Does.READ:
            bits = step.instruction.bits if isinstance(step.instruction, Load) else 64
            call = f"{'read_now' if inside else 'read_shared'}({place}, {step.thread})"
            return f"r{access.number} = wrap({call}, {bits});"
        function = "write_shared" if step.does is Does.WRITE else "write_now"
        return f"{function}({place}, {code.value(access.value)}, {step.thread});"

    def _outside(self, step: Step, code: ThreadExpressions) -> Iterator[str]:
        """An access to what is no object fails."""
        assert step.access is not None
        outside = self.plan.facts.values.outside(step.access)
        if outside == frozenset():
            return
        address = code.value(step.access.address)
        cells = self.plan.facts.values.addresses(step.access)
        inside = " || ".join(f"{address} == {cell}" for cell in sorted(cells)) or "0"
        yield self.how.dialect.check(inside, f"{_place(step.instruction)}: an access outside every object")

    def _join(self, step: Step, code: ThreadExpressions) -> Iterator[str]:
        assert step.mark is not None
        assert step.mark.value is not None
        value = code.value(step.mark.value)
        known = isinstance(self.plan.symbolic.terms.values[step.mark.value], Constant)
        for thread in step.threads:
            done = self.how.dialect.wait(self._ended(thread), step.thread, self._numbers[step])
            flush = [] if self.sc else [f"fence({thread});"]
            if known:
                yield from (done, *flush)
            else:
                yield f"if ({value} == {thread}) {{ {' '.join((done, *flush))} }}"

    def _ended(self, thread: int) -> str:
        return f"pc[{thread}] == {len(self.plan.threads[thread].steps)}"

    def _marks(self, thread: int, before: int) -> Iterator[str]:
        """What is asserted, allocated and freed after so many steps."""
        code = self.threads[thread]
        for mark in self.marks.get((thread, before), ()):
            try:
                said = self._mark(mark, code)
            except CannotSay as what:
                raise Unsupported(f"{what} in a sequential program", mark.instruction.span) from None
            yield from filter(None, (*code.take(), said))

    def _mark(self, mark: Mark, code: ThreadExpressions) -> str:
        """What a mark says; nothing where it says nothing."""
        if mark.kind is MarkKind.ASSERT:
            return self.how.dialect.check(f"!({code.condition(mark.condition)})", _told(mark.instruction))
        if mark.kind is MarkKind.FREE and not getattr(mark.instruction, "local", False):
            assert mark.value is not None
            there, freed = code.condition(mark.condition), code.value(mark.value)
            starts = " || ".join(f"{freed} == {start}" for start in (0, *self.plan.symbolic.heap))
            told = f"{_place(mark.instruction)}: what is freed is no object of the heap"
            return self.how.dialect.check(f"!({there}) || {starts}", told)
        if mark.kind is MarkKind.ALLOCATE and self.blocks:
            # In front of its first step a thread may be called again.
            there = code.condition(mark.condition)
            return f"if ({there} && cs[{mark.thread}] > 0) {{ assume(blocks < BLOCKS); blocks++; }}"
        return ""

    # -- the driver ----------------------------------------------------------------------------------------

    def _driver(self) -> str:
        choose = ["    choose_locations();"] if self.locations.slots else []
        lines = [*self.how.dialect.main(), *choose, "    init();"]
        terms = self.plan.symbolic.terms
        for value, name in self.expressions.unknowns.items():
            term = terms.values[value]
            if isinstance(term, Unknown):
                lines.append(f"    {name} = wrap(any_number(), {term.bits});")
            elif isinstance(term, Any):
                among = " || ".join(f"{name} == {number}" for number in term.numbers)
                lines += [f"    {name} = any_number();", f"    assume({among});"]
        lines.append("    for (int turn = 0; turn < ROUNDS; turn++) {")
        for thread in range(len(self.plan.threads)):
            lines += [f"        {line}" for line in self._turn(thread)]
        lines += ["    }", *(f"    {line}" for line in self._turn(0))]
        lines += [*self.how.dialect.end(), "}"]
        return "\n".join(lines)

    def _turn(self, thread: int) -> list[str]:
        steps = len(self.plan.threads[thread].steps)
        own = [
            *self.how.dialect.turn(thread, steps),
            f"thread_{thread}();",
            f"pc[{thread}] = cs[{thread}];",
        ]
        start = self._started(thread)
        return own if not start else [f"if ({start}) {{", *(f"    {line}" for line in own), "}"]

    def _started(self, thread: int) -> str:
        """The condition that a thread was started: how far the one is that starts it."""
        plan = self.plan.threads[thread]
        if not thread:
            return ""
        return f"pc[{plan.parent}] >= {plan.after}" if plan.after else self._started(plan.parent)


def _groups(steps: Sequence[Step]) -> list[tuple[int, list[Step]]]:
    """The steps of each turn, and the number of the first."""
    groups: list[tuple[int, list[Step]]] = []
    for number, step in enumerate(steps):
        if step.glued and groups:
            groups[-1][1].append(step)
        else:
            groups.append((number, [step]))
    return groups


def _place(instruction: Instruction) -> str:
    span = instruction.span
    return f"{span.file}:{span.line}" if span is not None else "in the end"


def _comment(instruction: Instruction) -> str:
    text = in_comment(instruction.text.strip().split("\n")[0])
    line = instruction.span.line if instruction.span is not None else 0
    return f"/* line {line}: {text} */" if line else f"/* {text} */" if text else ""


def _told(instruction: Instruction) -> str:
    message = instruction.message if isinstance(instruction, Assert) else ""
    return f"{_place(instruction)}: {' '.join(message.split()) or 'an assertion fails'}"
