"""The C of litmus tests -> a program: functions `P0(int *x, ...) { ... }` over a library of primitives.

A pointer parameter is the address of the global of its name; every other name is a register of its thread, 0
until it is set. All cells and registers are 64 bits wide, as no litmus test depends on overflow. What the
dialects (`c11`, `linux`) add is a library: a function from the name of a primitive to its `Primitive`.
"""

from __future__ import annotations

import re

from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Const
from treville.programs.litmus.c.expressions import Library
from treville.programs.litmus.c.statements import END, BodyReader, ParameterAssigned
from treville.programs.litmus.c.terms import WIDTH, Tokens, is_name, tokenise
from treville.programs.litmus.condition.clauses import read_conditions
from treville.programs.litmus.initial import apply_initial, read_initial
from treville.programs.litmus.layout import Part, Sections
from treville.programs.litmus.test import LitmusTest
from treville.records import NamedTuple
from treville.results import InputError

_THREAD = re.compile(r"P(\d+)$")
_DEREFERENCED_ADDRESS = re.compile(r"\*\s*\(\s*&\s*(\w+)\s*\)")


class _Function(NamedTuple):
    """Where the parameters and the body of `P<number>` begin, as places among the words."""

    thread: ThreadDraft
    parameters: int
    body: int


def read_c(sections: Sections, dialect: str, library: Library) -> LitmusTest:
    """Read a C litmus test whose primitives are those of the library."""
    program = ProgramDraft()
    tokens = tokenise(sections.program.text, sections.program.offset, sections.source)
    functions = _functions(tokens, program)
    _initialise(sections, program)
    for function in functions:
        _read_function(tokens, function, program, library)
    return read_conditions(sections, program, dialect, _register)


def _register(_thread: int, name: str, _offset: int) -> tuple[str, str]:
    return name, name


def _initialise(sections: Sections, program: ProgramDraft) -> None:
    """Apply the initial state; types do not matter, and `*(&x)` is a way to write the address of x."""
    text, offset = sections.initial
    if "&" in text and "*" in text:
        text = _DEREFERENCED_ADDRESS.sub(lambda m: m.group(1).ljust(len(m.group())), text)
        sections.initial = Part(text, offset)
    entries = [entry._replace(type="", pointer=False) for entry in read_initial(sections)]
    apply_initial(sections, program, entries, _register, WIDTH)


def _functions(tokens: Tokens, program: ProgramDraft) -> list[_Function]:
    """Find the functions and give each a thread."""
    words = tokens.words
    functions: list[_Function] = []
    place = 0
    while words[place]:
        if words[place] == "regions" and functions:
            break
        while words[place] in ("static", "void", "int"):
            place += 1
        if _THREAD.match(words[place]) is None or words[place + 1] != "(":
            found = f"'{words[place]}'" if words[place] else "the end of the program"
            raise _error(tokens, place, f"expected a thread such as P0(int *x) {{ ... }}, found {found}")
        if any(thread.name == words[place] for thread in program.threads):
            raise _error(tokens, place, f"there is a thread {words[place]} already")
        thread = ThreadDraft(words[place])
        program.threads.append(thread)
        parameters = place + 2
        body = _closing(tokens, parameters, "(", ")")
        if words[body] != "{":
            raise _error(tokens, body, "expected '{'")
        functions.append(_Function(thread, parameters, body + 1))
        place = _closing(tokens, body + 1, "{", "}")
    if not functions:
        raise _error(
            tokens, place, "a C litmus test has at least one thread", "for example P0(int *x) { *x = 1; }"
        )
    return functions


def _error(tokens: Tokens, place: int, message: str, hint: str = "") -> InputError:
    span = tokens.source.span(tokens.base + tokens.offsets[place], max(1, len(tokens.words[place])))
    return InputError(message, span, hint)


def _closing(tokens: Tokens, place: int, opening: str, closing: str) -> int:
    """The place behind the bracket that closes the one before `place`."""
    words = tokens.words
    depth = 1
    while depth:
        word = words[place]
        if not word:
            raise _error(tokens, place, f"expected '{closing}', found the end of the program")
        depth += (word == opening) - (word == closing)
        place += 1
    return place


def _read_function(tokens: Tokens, function: _Function, program: ProgramDraft, library: Library) -> None:
    """Fill the function's thread. A pointer parameter is a constant, unless the body assigns to it."""
    thread = function.thread
    assigned: set[str] = set()
    while True:
        reader = BodyReader(tokens, function.body, thread, library)
        _read_parameters(tokens, function, program, reader, assigned)
        try:
            reader.block()
        except ParameterAssigned as change:
            assigned.add(change.name)
            thread.instructions.clear()
            thread.labels.clear()
            continue
        reader.place_label(END)
        return


def _read_parameters(
    tokens: Tokens, function: _Function, program: ProgramDraft, reader: BodyReader, assigned: set[str]
) -> None:
    words = tokens.words
    place = function.parameters
    name, pointer = "", False
    while True:
        word = words[place]
        if word in (",", ")"):
            if name and pointer:
                _bind_pointer(name, function.thread, program, reader, assigned)
            if word == ")":
                return
            name, pointer = "", False
        elif word in ("*", "["):
            pointer = True
        elif is_name(word):
            name = word
        place += 1


def _bind_pointer(
    name: str, thread: ThreadDraft, program: ProgramDraft, reader: BodyReader, assigned: set[str]
) -> None:
    location = program.locations.get(name)
    if location is None:
        location = program.location(name)
        location.bits = WIDTH
    if name in assigned or name in thread.registers:
        thread.registers.setdefault(name, location.address)
        reader.pointers.add(name)
        reader.locals.add(name)
    else:
        reader.parameters[name] = Const(location.address)
