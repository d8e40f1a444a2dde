"""The initial state of a litmus test -> entries, and entries -> initial memory and registers.

Accepts `x=1`, `[x]=1`, `int x`, `uint64_t x[2]={1,2}`, `0:EAX=1`, `0:r1=x`, `0:X2=x+4`, `int *p=&x`,
`atomic_t v = ATOMIC_INIT(1)`, `%reg=x`, `0:X1=P0:L0` and their typed forms, numbers decimal or hexadecimal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from treville.programs.draft import ProgramDraft
from treville.programs.ir import CODE_BASE
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.literals import bits_of_type, is_unsigned, parse_number
from treville.programs.operators import wrap
from treville.records import NamedTuple
from treville.results import InputError, Unsupported

# -- what an entry says ----------------------------------------------------------------------------


class Number(NamedTuple):
    """A plain number."""

    value: int


class AddressOf(NamedTuple):
    """The address of a global, of its cell number `cell`, or `distance` bytes behind it."""

    name: str
    cell: int = 0
    distance: int = 0


class LabelOf(NamedTuple):
    """The code address of a label of a thread (`P0:L0`)."""

    thread: int
    label: str


class InstructionText(NamedTuple):
    """An instruction as a value (`instr:"NOP"`, `NOP`), for self-modifying code."""

    text: str


InitialValue: TypeAlias = Number | AddressOf | LabelOf | InstructionText


class Entry(NamedTuple):
    """One entry. `thread` is None for a global; a name that starts with `%` is a symbolic register of every
    thread. `length` is the number of cells of an array. `values` is empty for a mere declaration."""

    thread: int | None
    name: str
    type: str
    pointer: bool
    length: int | None
    values: tuple[InitialValue, ...]
    offset: int


# -- reading ---------------------------------------------------------------------------------------

_SIMPLE = re.compile(r"\s*(?:(?:P?(\d+)\s*:\s*)?([A-Za-z_]\w*))\s*=\s*(?:(-?\d+)|([A-Za-z_]\w*))\s*(?:;|$)")
_SPACE = re.compile(r"[\s;]*")
_TOKEN = re.compile(
    r'\s*(?:(-?0[xX][0-9a-fA-F][0-9a-fA-F_]*|-?\d+)|(instr:\s*"[^"]*")|(label:\s*"[^"]*")|(%?[A-Za-z_.$][\w.$/]*)|(\S))'
)
_THREAD = re.compile(r"P\d+$")
_COLON = re.compile(r"\s*:")
_NUMBER, _INSTRUCTION, _LABEL, _NAME, _SIGN = 1, 2, 3, 4, 5
_RESERVED_VALUES = frozenset(("PTE", "TTD", "PA", "TAG", "tag", "NOP", "nop", "ATOMIC_INIT"))


def read_initial(sections: Sections) -> list[Entry]:
    """All entries of the initial state, in order."""
    text, base = sections.initial
    entries: list[Entry] = []
    position = 0
    length = len(text)
    while True:
        position = _SPACE.match(text, position).end()  # type: ignore[union-attr]
        if position >= length:
            return entries
        simple = _SIMPLE.match(text, position)
        if simple is not None and simple.group(4) not in _RESERVED_VALUES:
            thread, name, number, address = simple.groups()
            value: InitialValue = Number(parse_number(number)) if number is not None else AddressOf(address)
            where = parse_number(thread) if thread is not None else None
            entries.append(Entry(where, name, "", False, None, (value,), base + position))
            position = simple.end()
        else:
            reader = _EntryReader(sections, text, position, base)
            entries.append(reader.entry())
            position = reader.position


class _EntryReader:
    """Reads one entry of any form, token by token."""

    def __init__(self, sections: Sections, text: str, position: int, base: int) -> None:
        self.sections, self.text, self.base = sections, text, base
        self.position = self.start = position
        self.kind = 0
        self.word = ""
        self.advance()

    def advance(self) -> None:
        """Go to the next token; `kind` 0 is the end of the section."""
        self.token_start = self.position
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            self.kind, self.word = 0, ""
            return
        self.kind = match.lastindex or 0
        self.word = match.group(self.kind)
        self.token_start = match.start(self.kind)
        self.position = match.end()

    def fail(self, expected: str) -> InputError:
        found = repr(self.word) if self.word else "the end"
        return self.sections.error(
            f"initial state: expected {expected}, found {found}",
            self.base + self.token_start,
            max(1, len(self.word)),
        )

    def unsupported(self, construct: str) -> Unsupported:
        span = self.sections.source.span(self.base + self.token_start, max(1, len(self.word)))
        return Unsupported(f"{construct} in the initial state", span)

    def take(self, sign: str) -> bool:
        if self.kind == _SIGN and self.word == sign:
            self.advance()
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            raise self.fail(f"'{sign}'")

    def entry(self) -> Entry:
        """The whole entry up to its semicolon."""
        offset = self.base + self.token_start
        type_name, pointer = self.type_words()
        thread, name = self.target()
        length: int | None = None
        if thread is None and self.take("["):
            length = self.number()
            self.expect("]")
            if not 0 <= length <= 65536:
                raise self.sections.error(f"array of {length} cells", offset, hint="0 to 65536 cells")
        values: tuple[InitialValue, ...] = ()
        if self.take("="):
            self.take("&")
            values = self.values()
        if self.kind and self.word != ";":
            raise self.fail("';'")
        if self.word != ";":
            self.position = len(self.text)
        return Entry(thread, name, type_name, pointer, length, values, offset)

    def type_words(self) -> tuple[str, bool]:
        """The type in front of the target, if there is one, and whether it is a pointer."""
        words: list[str] = []
        while self.kind == _NAME and self.word[0] != "%" and self.followed_by_target():
            words.append(self.word)
            self.advance()
        pointer = False
        while self.take("*"):
            pointer = True
        return " ".join(words), pointer

    def followed_by_target(self) -> bool:
        """Is the current name a word of a type: does a name, number, `*` or `[name]` come next?"""
        following = _TOKEN.match(self.text, self.position)
        if following is None:
            return False
        kind, word = following.lastindex, following.group().strip()
        if kind in (_NAME, _NUMBER) or word == "*":
            return True
        if word != "[":
            return False
        after = _TOKEN.match(self.text, following.end())
        return after is not None and after.lastindex == _NAME

    def target(self) -> tuple[int | None, str]:
        if self.take("["):
            name = self.name("a location")
            if self.word in (":", "("):
                raise self.unsupported(f"'{name}{self.word}'")
            self.expect("]")
            return None, name
        if self.kind == _NUMBER or (self.kind == _NAME and self.is_thread()):
            thread = parse_number(self.word.lstrip("P"))
            self.advance()
            self.expect(":")
            return thread, self.name("a register")
        name = self.name("a location or a register")
        if self.kind == _SIGN and self.word in "(:":
            raise self.unsupported(f"'{name}{self.word}'")
        return None, name

    def is_thread(self) -> bool:
        return bool(_THREAD.match(self.word)) and _COLON.match(self.text, self.position) is not None

    def name(self, what: str) -> str:
        if self.kind != _NAME:
            raise self.fail(what)
        word = self.word
        self.advance()
        return word

    def number(self) -> int:
        if self.kind != _NUMBER:
            raise self.fail("a number")
        value = parse_number(self.word)
        self.advance()
        return value

    def values(self) -> tuple[InitialValue, ...]:
        if not self.take("{"):
            return (self.value(),)
        values: list[InitialValue] = []
        while not self.take("}"):
            values.append(self.value())
            if not self.take(",") and self.word != "}":
                raise self.fail("',' or '}'")
        return tuple(values)

    def value(self) -> InitialValue:
        if self.kind == _NUMBER:
            return self.number_or_label()
        if self.kind == _INSTRUCTION:
            text = self.word.split('"')[1]
            self.advance()
            return InstructionText(text)
        if self.kind == _LABEL:
            thread, _, label = self.word.split('"')[1].partition(":")
            if not thread.lstrip("P").isdecimal():
                raise self.fail('label:"P0:name"')
            self.advance()
            return LabelOf(parse_number(thread.lstrip("P")), label)
        self.take("&")
        if self.kind == _SIGN and self.word == "(":
            raise self.unsupported("a page-table entry")
        if self.kind == _SIGN and self.word == ":":
            raise self.unsupported("a memory tag")
        return self.named_value(self.name("a value"))

    def number_or_label(self) -> InitialValue:
        number = self.number()
        if not self.take(":"):
            return Number(number)
        return LabelOf(number, self.name("a label"))

    def named_value(self, name: str) -> InitialValue:
        if name == "ATOMIC_INIT":
            self.expect("(")
            value = self.value()
            self.expect(")")
            return value
        if name in ("NOP", "nop"):
            return InstructionText("NOP")
        if self.kind == _SIGN and self.word == "(":
            raise self.unsupported(f"'{name}(...)'")
        if self.take(":"):
            if _THREAD.match(name) and self.kind == _NAME:
                return LabelOf(parse_number(name[1:]), self.name("a label"))
            raise self.unsupported(f"the tagged address '{name}:{self.word}'")
        if self.take("["):
            index = self.number()
            self.expect("]")
            return AddressOf(name, index)
        if self.take("+"):
            return AddressOf(name, 0, self.number())
        return AddressOf(name)


# -- from entries to the program -------------------------------------------------------------------

RegisterNamer: TypeAlias = Callable[[int, str, int], tuple[str, str]]
"""(thread index, name as written, offset in the file) -> (name in the IR, name in printed states)."""

RegisterTypes: TypeAlias = dict[tuple[int, str], tuple[int, bool]]
"""(thread index, register) -> its declared width and whether it is unsigned."""


def thread_index(sections: Sections, program: ProgramDraft, number: int, offset: int) -> int:
    """The index of thread `P<number>`."""
    if 0 <= number < len(program.threads) and program.threads[number].name == f"P{number}":
        return number
    for index, thread in enumerate(program.threads):
        if thread.name == f"P{number}":
            return index
    raise sections.error(f"there is no thread P{number}", offset)


def apply_initial(
    sections: Sections,
    program: ProgramDraft,
    entries: list[Entry],
    register: RegisterNamer,
    default_bits: int = 32,
) -> RegisterTypes:
    """Give globals their widths and cells first, then give globals and registers their values.

    The threads must exist already (their instructions need not). `default_bits` is the width of globals
    without a type. Returns the types of the registers that have one.
    """
    types: RegisterTypes = {}
    for entry in entries:
        if entry.thread is None and entry.name[0] != "%":
            location = program.location(entry.name)
            location.bits = bits_of_type(entry.type, entry.pointer, 32) if entry.type else default_bits
            location.unsigned = is_unsigned(entry.type) and not entry.pointer
            location.initial = [0] * (entry.length or max(1, len(entry.values)))
    for entry in entries:
        numbers = [_number_of(sections, program, entry, value, default_bits) for value in entry.values]
        if entry.thread is None and entry.name[0] != "%":
            _initialise_location(sections, program, entry, numbers)
        elif len(numbers) > 1:
            raise sections.error("a register holds one value", entry.offset)
        elif entry.thread is None:
            for index, thread in enumerate(program.threads):
                thread.registers[register(index, entry.name, entry.offset)[0]] = numbers[0] if numbers else 0
        else:
            index = thread_index(sections, program, entry.thread, entry.offset)
            name = register(index, entry.name, entry.offset)[0]
            program.threads[index].registers[name] = numbers[0] if numbers else 0
            if entry.type or entry.pointer:
                types[index, name] = (bits_of_type(entry.type, entry.pointer), is_unsigned(entry.type))
    return types


def _initialise_location(sections: Sections, program: ProgramDraft, entry: Entry, numbers: list[int]) -> None:
    location = program.locations[entry.name]
    if entry.length is not None and numbers and len(numbers) != entry.length:
        raise sections.error(
            f"array of {entry.length} cells, but {len(numbers)} values", entry.offset, len(entry.name)
        )
    if entry.type and not entry.pointer:
        numbers = [wrap(number, location.bits) for number in numbers]
    location.initial[: len(numbers)] = numbers


def _number_of(
    sections: Sections, program: ProgramDraft, entry: Entry, value: InitialValue, default_bits: int
) -> int:
    if isinstance(value, Number):
        return value.value
    if isinstance(value, AddressOf):
        location = program.locations.get(value.name)
        if location is None:
            location = program.location(value.name)
            location.bits = default_bits
        return location.address + value.cell * location.cell_bytes + value.distance
    if isinstance(value, LabelOf):
        index = thread_index(sections, program, value.thread, entry.offset)
        return code_address(program, index, value.label)
    raise Unsupported("instructions as values (self-modifying code)", sections.source.span(entry.offset))


def code_address(program: ProgramDraft, thread: int, label: str) -> int:
    """The number that stands for a label of a thread; the same each time."""
    addresses = program.threads[thread].code_addresses
    for address, known in addresses.items():
        if known == label:
            return address
    address = CODE_BASE + (thread << 20) + 4 * len(addresses)
    addresses[address] = label
    return address
