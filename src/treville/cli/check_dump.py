"""The stages of `treville check` as text, for `--dump`."""

from __future__ import annotations

from pathlib import Path

from treville.campaigns.check import read
from treville.campaigns.check_task import Options
from treville.campaigns.loading import load_model
from treville.cli.check_dump_encoding import encoding_text
from treville.engines.task import program_task
from treville.events.symbolic_whole import whole_program
from treville.passes.model import steps as model_steps
from treville.passes.program import Context, lower, steps
from treville.programs import ir
from treville.programs.c.compile import llvm_text
from treville.programs.loops import Loop, bounds_of_heads, loops_of, place_of
from treville.programs.spin import spin_jumps
from treville.programs.unroll import CUT, EXIT, WAIT, Unrolling, unroll
from treville.records import fields
from treville.results.defaults import BOUND
from treville.results.properties import Property
from treville.witness.naming import line_name

_COMMON = {field.name for field in fields(ir.InstructionBase)}


def dump(file: str, model: str, goal: Property, options: Options, stage: str) -> str:
    """The stage of one file; the names are those of `--dump`."""
    if stage == "llvm":
        read(file, options)  # refuses what is no program, with a plain sentence
        return llvm_text(Path(file), options.defines, options.includes, options.others)
    bound = options.bound or BOUND
    unit = read(file, options)
    if stage == "program":
        return program_text(unit.program(bound))
    used = load_model(model, options.variants, options.bell)
    context = Context(used, goal, compile_to=options.compile_to, loops=options.loops)
    if stage == "passes":
        return passes_text(unit.program(bound, goal.is_about_waiting), context)
    task = program_task(unit, context, bound)
    if stage == "loops":
        return loops_text(task.program, options.bound, file)
    if stage in ("events", "relations", "formula"):
        return encoding_text(task, bound, stage)
    return program_text(task.program) if stage == "compiled" else unrolled_text(task.program, bound)


def passes_text(program: ir.Program, context: Context) -> str:
    """Every pass in order, what it does, and what it made of this program and this model."""
    lines = program_steps_text(program, context)
    program = lower(program, context)
    lines.append("model:")
    model = context.model
    lines.append(f"  {model.name:<14}{len(model.axioms)} axioms")
    for step, derived in model_steps(model, program, context.property):
        changed = f"{len(derived.axioms)} axioms" if derived is not model else "the same"
        lines.append(f"  {step.name:<14}{changed:<22}  {step.does}")
        model = derived
    return "\n".join(lines)


def program_steps_text(program: ir.Program, context: Context) -> list[str]:
    """A line for each pass over the program."""
    lines = ["program:", f"  {'front end':<14}{_size(program)}"]
    for each, after in steps(program, context):
        changed = _size(after) if after is not program else "the same"
        lines.append(f"  {each.name:<14}{changed:<22}  {each.does}")
        program = after
    return lines


def _size(program: ir.Program) -> str:
    return f"{sum(1 for _ in program.instructions())} instructions"


def _bodies(program: ir.Program) -> list[tuple[str, ir.Thread]]:
    return [*((thread.name, thread) for thread in program.threads), *program.functions.items()]


def program_text(program: ir.Program) -> str:
    """Locations and threads, an instruction a line."""
    lines = [f"{location.name} at {location.address:#x}" for location in program.locations.values()]
    for name, thread in _bodies(program):
        lines += ["", f"{name}({thread.parameter}):"]
        labels: dict[int, list[str]] = {}
        for label, place in thread.labels.items():
            labels.setdefault(place, []).append(label)
        for number, instruction in enumerate(thread.instructions):
            lines += [f"  {label}:" for label in labels.get(number, [])]
            lines.append(f"    {instruction_text(instruction)}")
    return "\n".join(lines)


def instruction_text(instruction: ir.Instruction) -> str:
    """`Load register=r address=x tags=A  # line 3`."""
    parts = [type(instruction).__name__]
    for field in fields(instruction):
        value = getattr(instruction, field.name)
        if field.name not in _COMMON and value not in (None, False, "", ()):
            parts.append(f"{field.name}={_shown(value)}")
    place = f"  # line {instruction.span.line}" if instruction.span else ""
    return " ".join(parts) + place


def _shown(value: object) -> str:
    if isinstance(value, frozenset):
        return "{" + ",".join(sorted(map(str, value))) + "}"
    if isinstance(value, ir.Const):
        return str(value.value)
    if isinstance(value, ir.Reg):
        return value.name
    if isinstance(value, ir.Op):
        return f"{value.name}{value.bits}({', '.join(map(_shown, value.args))})"
    if isinstance(value, ir.Select):
        return f"({_shown(value.condition)} ? {_shown(value.then)} : {_shown(value.otherwise)})"
    return str(value)


def loops_text(program: ir.Program, bound: int, file: str) -> str:
    """Every loop with its line and its bound (0: until the answer is conclusive), and what was recognised:
    that it only waits, how often it goes round, that iterations which change nothing are left out; or why
    not."""
    cut, idle = _repeated(program, bound or BOUND)
    lines = []
    for loop in loops_of(program):
        where = f"{loop.thread}: loop in {_place_text(loop.place, file)}: "
        if loop.obstacle is None:
            what = "only waits, needs no unrolling"
        elif loop.place in cut:
            what = f"{_how_often(program, loop, bound)}: {_obstacle_text(loop, file)}"
            what += "; iterations that change nothing are left out" if loop.place in idle else ""
        elif loop.place in idle:
            what = "further iterations change nothing, needs no unrolling"
        else:
            what = "the number of its iterations is known, needs no bound"
        lines.append(where + what)
    return "\n".join(lines) or "no loops"


def _repeated(program: ir.Program, bound: int) -> tuple[set[ir.Place | None], set[ir.Place | None]]:
    """The places where loops are cut at the bound, and where iterations that change nothing are not
    repeated."""
    events = whole_program(program, bound)
    return set(map(place_of, events.cut_at)), {place_of(wait.instruction) for wait in events.waits}


def _how_often(program: ir.Program, loop: Loop, bound: int) -> str:
    own = None if loop.place is None else program.loop_bounds.get(loop.place)
    if own is not None:
        return f"unrolled {own} times (--loop)"
    return f"unrolled {bound} times (--bound)" if bound else "unrolled as far as needed (--bound auto)"


def _obstacle_text(loop: Loop, file: str) -> str:
    assert loop.obstacle is not None
    reason, instruction = loop.obstacle
    return f"{_place_text(place_of(instruction), file)} {reason}"


def _place_text(place: ir.Place | None, main: str) -> str:
    return "an unknown line" if place is None else line_name(*place, main)


def unrolled_text(program: ir.Program, bound: int) -> str:
    """Every thread as the graph of its instruction copies."""
    lines = []
    for name, thread in _bodies(program):
        lines += ["", f"{name}:"]
        own = bounds_of_heads(thread, program.loop_bounds)
        unrolling = Unrolling(thread, bound, own, anew=True, spins=spin_jumps(thread))
        for number, step in enumerate(unroll(thread, unrolling)):
            ends = {EXIT: "end", CUT: "cut", WAIT: "wait"}
            targets = ", ".join(ends.get(target, str(target)) for _, target in step.edges)
            lines.append(f"  {number}: {instruction_text(step.instruction)}  -> {targets}")
    return "\n".join(lines)
