"""The stages of `treville check` as text, for `--dump`."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from treville.campaigns.check import Loaded, Options, compiled
from treville.campaigns.litmus import load_model
from treville.programs import ir
from treville.programs.loops import bounds_of_heads, loops_of
from treville.results import InputError

DEFAULT_BOUND = 2
_COMMON = {field.name for field in fields(ir.Instruction)}


def dump(file: str, model: str, options: Options, stage: str) -> str:
    """The stage of one file; the names are those of `--dump`."""
    if stage == "llvm":
        from treville.programs.c.compile import llvm_text

        try:
            return llvm_text(Path(file), options.defines, options.includes)
        except OSError as error:
            raise InputError(f"cannot read {file}: {error.strerror or error}") from None
    bound = options.bound or DEFAULT_BOUND
    if stage == "program":
        return program_text(Loaded().program(file, bound, options, signals=False))
    used = load_model(model, options.variants, options.bell)
    program = compiled(file, used, bound, options)
    if stage == "loops":
        return loops_text(program, options.bound)
    if stage in ("events", "relations", "formula"):
        from treville.cli.check_dump_encoding import encoding_text

        return encoding_text(program, used, bound, stage)
    return program_text(program) if stage == "compiled" else unrolled_text(program, bound)


def program_text(program: ir.Program) -> str:
    """Locations and threads, an instruction a line."""
    lines = [f"{location.name} at {location.address:#x}" for location in program.locations.values()]
    for name, thread in [("main", program.threads[0]), *program.functions.items()]:
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


def loops_text(program: ir.Program, bound: int) -> str:
    """Every loop with its line and its bound (0: until the answer is conclusive): those that only wait need
    no unrolling."""
    lines = []
    for loop in loops_of(program):
        own = None if loop.place is None else program.loop_bounds.get(loop.place)
        if loop.waits:
            what = "only waits, needs no unrolling"
        elif own is not None:
            what = f"unrolled {own} times (--loop)"
        elif bound:
            what = f"unrolled {bound} times (--bound)"
        else:
            what = "unrolled as far as needed (--bound auto)"
        lines.append(f"{loop.thread}: loop in {_place_text(loop.place)}: {what}")
    return "\n".join(lines) or "no loops"


def _place_text(place: ir.Place | None) -> str:
    if place is None:
        return "an unknown line"
    return f"line {place[1]}" if place[0].endswith((".c", ".i")) else f"line {place[1]} of {place[0]}"


def unrolled_text(program: ir.Program, bound: int) -> str:
    """Every thread as the graph of its instruction copies."""
    from treville.programs.spin import spin_jumps
    from treville.programs.unroll import CUT, EXIT, WAIT, Unrolling, unroll

    lines = []
    for name, thread in [("main", program.threads[0]), *program.functions.items()]:
        lines += ["", f"{name}:"]
        own = bounds_of_heads(thread, program.loop_bounds)
        unrolling = Unrolling(thread, bound, own, anew=True, spins=spin_jumps(thread))
        for number, step in enumerate(unroll(thread, unrolling)):
            ends = {EXIT: "end", CUT: "cut", WAIT: "wait"}
            targets = ", ".join(ends.get(target, str(target)) for _, target in step.edges)
            lines.append(f"  {number}: {instruction_text(step.instruction)}  -> {targets}")
    return "\n".join(lines)
