"""Lines of assembly -> IR instructions, by the reader of the architecture's litmus tests.

A piece of assembly is read as a test of one thread. Loops that only try a store exclusive again, or look at
memory until they like what they see, become assumptions: as for weak compare-exchanges (`programs.c.weak`), a
round that changes nothing can be left out.
"""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.assembly.template import Line
from treville.programs.flow import defined_register, used_registers
from treville.programs.litmus import read_sections
from treville.programs.litmus.layout import Part, Sections
from treville.programs.operators import OPERATORS
from treville.records import dataclass, replace
from treville.results import Source, Unsupported

_BEHIND = "behind#"
_KNOWN = (
    ir.Local, ir.Load, ir.Store, ir.StoreExclusive, ir.Fence, ir.Branch, ir.Havoc, ir.Assume,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Code:
    """Instructions, and where labels point."""

    instructions: tuple[ir.Instruction, ...]
    labels: dict[str, int]


def assemble(dialect: str, lines: list[Line]) -> Code:
    """The IR of lines of assembly. Raises what the reader of litmus tests raises."""
    rows = "".join(f" {''.join(f'{label}: ' for label in line.labels)}{line.text} ;\n" for line in lines)
    text = f" P0 ;\n{rows}"
    source = Source("inline assembly", text)
    sections = Sections(source, dialect.upper(), "assembly", program=Part(text, 0), fragment=True)
    program = read_sections(sections, dialect).program
    (thread,) = program.threads
    if program.locations:
        raise Unsupported(f"the variable {next(iter(program.locations))} by its name")
    strange = next((i for i in thread.instructions if not isinstance(i, _KNOWN)), None)
    if strange is not None:
        raise Unsupported(f"'{strange.text}'")
    return _without_retries(Code(tuple(thread.instructions), dict(thread.labels)))


# -- registers that have no value --------------------------------------------------------------------


def unset_registers(code: Code, given: set[str]) -> tuple[set[str], set[str]]:
    """The registers that may be read before they are written, and those that are surely written at the end,
    if the given ones have values at first."""
    count = len(code.instructions)
    known: list[set[str] | None] = [None] * (count + 1)
    known[0] = set(given)
    unset: set[str] = set()
    pending = [0]
    while pending:
        at = pending.pop()
        if at == count:
            continue
        before, instruction = known[at] or set(), code.instructions[at]
        unset |= used_registers(instruction) - before
        register = defined_register(instruction)
        after = before if register is None else before | {register}
        for following in _successors(code, at):
            merged = after if known[following] is None else (known[following] or set()) & after
            if merged != known[following]:
                known[following] = merged
                pending.append(following)
    return unset, known[count] or set()


def _successors(code: Code, at: int) -> list[int]:
    instruction = code.instructions[at]
    if not isinstance(instruction, ir.Branch):
        return [at + 1]
    target = code.labels[instruction.target]
    return [target] if instruction.condition is None else [target, at + 1]


# -- loops that only try again -----------------------------------------------------------------------


def _without_retries(code: Code) -> Code:
    """Assumptions in place of the jumps back of loops whose rounds change nothing."""
    at = 0
    while at < len(code.instructions):
        jump = code.instructions[at]
        condition = jump.condition if isinstance(jump, ir.Branch) else None
        if isinstance(jump, ir.Branch) and condition is not None and code.labels[jump.target] <= at:
            shorter = _only_tries_again(code, code.labels[jump.target], at, condition)
            code = _with_assumption(code, at, jump, condition) if shorter else code
            at += shorter
        at += 1
    return code


def _with_assumption(code: Code, at: int, jump: ir.Branch, condition: ir.Expr) -> Code:
    """The jump at a place is not taken. What follows still depends on it, as on a branch to what follows."""
    tries = code.instructions[code.labels[jump.target] : at]
    waits = not any(isinstance(instruction, ir.StoreExclusive) for instruction in tries)
    goes_on = ir.Assume(ir.Op("lnot", (condition,)), waits, text=jump.text, span=jump.span, index=jump.index)
    behind = f"{_BEHIND}{at}"
    labels = {name: place + (place > at) for name, place in code.labels.items()} | {behind: at + 2}
    both = (goes_on, replace(jump, target=behind))
    return Code((*code.instructions[:at], *both, *code.instructions[at + 1 :]), labels)


def _only_tries_again(code: Code, head: int, last: int, condition: ir.Expr) -> bool:
    """Do all rounds that go back at `last` change nothing but registers that the next one sets anew? Nobody
    jumps into the loop; a store exclusive fails in such rounds."""
    body = code.instructions[head:last]
    harmless = (ir.Load, ir.Local, ir.StoreExclusive, ir.Fence, ir.Branch, ir.Assume)
    if not all(isinstance(i, harmless) and not (isinstance(i, ir.Load) and i.link) for i in body):
        return False
    inside = [at for at in range(len(code.instructions)) if head <= at <= last]
    for at, other in enumerate(code.instructions):
        if isinstance(other, ir.Branch):
            target = code.labels[other.target]
            if (at not in inside and head < target <= last) or (at in inside and target <= at and at != last):
                return False
    stores = [at for at in inside if isinstance(code.instructions[at], ir.StoreExclusive)]
    if stores and not (len(stores) == 1 and _leaves_on_success(code, head, stores[0], last, condition)):
        return False
    written = {name for i in body if (name := defined_register(i)) is not None}
    part = Code(body, {n: min(max(p, head), last) - head for n, p in code.labels.items()})
    outside = {name for i in (*body, ir.Assume(condition)) for name in used_registers(i)} - written
    unset, _ = unset_registers(part, outside)
    return not unset & written


def _leaves_on_success(code: Code, head: int, store: int, last: int, condition: ir.Expr) -> bool:
    """Does the loop end whenever its store exclusive succeeds, whatever else is the case?"""
    known: dict[str, int] = {}
    for at in range(head, last):
        instruction = code.instructions[at]
        if isinstance(instruction, ir.Local):
            value = _value(instruction.value, known)
            known.pop(instruction.register, None)
            if value is not None:
                known[instruction.register] = value
        elif isinstance(instruction, ir.StoreExclusive):
            known[instruction.status] = instruction.success
        elif at > store and not isinstance(instruction, ir.Fence):
            return False
        elif isinstance(instruction, ir.Branch) and code.labels[instruction.target] in range(
            at + 2, last + 1
        ):
            return False  # two ways: what is known of one need not hold on the other
        if isinstance(instruction, ir.Load) and instruction.register is not None:
            known.pop(instruction.register, None)
    return _value(condition, known) == 0


def _value(expression: ir.Expr, known: dict[str, int]) -> int | None:
    """What an expression is, as far as it can be told."""
    match expression:
        case ir.Const():
            return expression.value
        case ir.Reg():
            return known.get(expression.name)
        case ir.Select():
            condition = _value(expression.condition, known)
            if condition is None:
                return None
            return _value(expression.then if condition else expression.otherwise, known)
        case ir.Op():
            values = [_value(arg, known) for arg in expression.args]
            if expression.name == "and" and 0 in values:
                return 0
            if None in values:
                return None
            return OPERATORS[expression.name](tuple(v for v in values if v is not None), expression.bits)
