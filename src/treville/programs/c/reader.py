"""LLVM IR's text -> `llvm.Module`. Reads what LLVM itself printed, so it is lenient about attributes.

Opaque pointers only (LLVM 15 and later print no others). Lines of source come from `!dbg` metadata.
"""

from __future__ import annotations

import os
import re
from pathlib import PurePath

from treville.programs.c.instructions import read_instruction
from treville.programs.c.llvm import (
    Block,
    Declaration,
    Function,
    GlobalVariable,
    LlvmInstruction,
    Module,
    VoidType,
)
from treville.programs.c.marks import TYPES_OF_C
from treville.programs.c.terms import Terms
from treville.programs.c.tokens import Tokens
from treville.programs.c.unset_values import without_idle_marks
from treville.results import Unsupported

_PRODUCER = re.compile(r'"([^"]*clang version [\d.]+)')
_LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+), column: (\d+), scope: !(\d+)")
_FILE = re.compile(r'^!(\d+) = (?:distinct )?!DIFile\(filename: "([^"]*)"(?:, directory: "([^"]*)")?')
_UNIT = re.compile(r"^!\d+ = distinct !DICompileUnit\(.*\bfile: !(\d+)")
_SCOPE = re.compile(
    r"^!(\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlock|LexicalBlockFile)\(.*\bfile: !(\d+)"
)


def _unescaped(name: str) -> str:
    """A file's name without LLVM's escapes: it writes bytes that are not plain as `\\C3`."""
    plain = re.sub(rb"\\([0-9A-F]{2})", lambda match: bytes.fromhex(match[1].decode()), name.encode())
    return os.fsdecode(plain)


def _check_layout(layout: str) -> None:
    """Memory is laid out here as on machines of 64 bits with the lowest byte first."""
    if layout.startswith("E"):
        raise Unsupported("programs for machines with the highest byte first")
    if re.search(r"(?:^|-)p:(?!64)\d+", layout):
        raise Unsupported("programs for machines whose pointers have not 64 bits")


# A name that the assembler gets as it is: `\01`, the `_` of all names of C on a Mac, at times a variant.
_MAC_NAME = re.compile(r'@"\\01_([^"$]*)(?:\$[^"]*)?"')
_ASSEMBLER_NAME = re.compile(r'@"\\01([^"]*)"')


def _with_names_of_c(text: str) -> str:
    """The module with functions under the names that C knows them by, also where its headers name symbols."""
    if re.search(r'^target triple = "[^"]*(?:apple|darwin)', text, re.MULTILINE):
        text = _MAC_NAME.sub(r'@"\1"', text)
    return _ASSEMBLER_NAME.sub(r'@"\1"', text)


class Reader:
    """Reads one module."""

    def __init__(self, text: str) -> None:
        self.text = _with_names_of_c(text)
        self.terms = Terms()
        self.module = Module()
        self.locations: dict[str, tuple[int, int, str]] = {}  # line, column, scope
        self.files: dict[str, str] = {}
        self.folder = ""  # where the compiler was started
        self.scopes: dict[str, str] = {}  # the file of each

    def read(self) -> Module:
        """The module of the text."""
        lines = self.text.split("\n")
        self._metadata(lines)
        for line in lines:
            if line.startswith("%"):
                self.terms.define(line)
        for line in lines:
            if line.startswith("@"):
                self._alias(line)
            elif line.startswith("target triple"):
                self.module.target = line.split('"')[1]
            elif line.startswith("module asm"):
                raise Unsupported(f"assembly outside functions: {line.split(maxsplit=2)[2][:60]}")
            elif line.startswith("target datalayout"):
                _check_layout(line.split('"')[1])
            elif line == TYPES_OF_C:
                self.module.has_types_of_c = True
        at = 0
        while at < len(lines):
            line = lines[at]
            if line.startswith("@"):
                self._global(line)
            elif line.startswith("declare"):
                self._declaration(line)
            elif line.startswith("define"):
                end = lines.index("}", at)
                self._function(lines[at], lines[at + 1 : end])
                at = end
            at += 1
        without_idle_marks(self.module)
        self.module.types = [self.terms.defined_type(name) for name in self.terms.definitions]
        return self.module

    def _metadata(self, lines: list[str]) -> None:
        files: dict[str, tuple[str, str]] = {}
        unit = ""
        for line in lines:
            if line.startswith("!"):
                if not self.module.compiler and (told := _PRODUCER.search(line)):
                    self.module.compiler = told.group(1)
                if match := _LOCATION.match(line):
                    number, at, column, scope = match.groups()
                    self.locations[number] = (int(at), int(column), scope)
                elif match := _FILE.match(line):
                    files[match.group(1)] = _unescaped(match.group(2)), _unescaped(match.group(3) or "")
                elif match := _UNIT.match(line):
                    unit = unit or match.group(1)
                elif match := _SCOPE.match(line):
                    self.scopes[match.group(1)] = match.group(2)
        if files:
            self.module.file, self.folder = files.get(unit) or next(iter(files.values()))
        self.files = {number: self._file(*parts) for number, parts in files.items()}

    def _file(self, name: str, folder: str) -> str:
        """A file as people named it: the program's own as it was given to the compiler in the folder where
        that ran (LLVM may cut it into folder and name elsewhere), others there by their names."""
        whole = str(PurePath(folder, name))
        if whole == str(PurePath(self.folder, self.module.file)):
            return self.module.file
        return name if folder == self.folder else whole

    # -- globals and functions -------------------------------------------------------------------------

    def _alias(self, line: str) -> None:
        """Another name for a global or a function."""
        tokens = Tokens(line)
        name, role, _ = _declared(tokens)
        if role == "ifunc":
            raise Unsupported(f"the function {name}, which is chosen when the program is loaded (ifunc)")
        if role == "alias":
            self.terms.type(tokens)
            if tokens.peek() == "(":  # of a function
                tokens.skip_balanced()
            tokens.expect(",")
            self.terms.aliases[name] = self.terms.typed(tokens)[1]

    def _global(self, line: str) -> None:
        tokens = Tokens(line)
        name, role, words = _declared(tokens)
        if role not in ("global", "constant"):
            return
        kind = self.terms.type(tokens)
        external = "external" in words or "extern_weak" in words
        initial = None if external else self.terms.value(tokens)
        self.module.globals[name] = GlobalVariable(
            name, kind, initial, "thread_local" in words, role == "constant", "extern_weak" in words
        )

    def _declaration(self, line: str) -> None:
        function, words = self._head(line)
        declared = Declaration(len(function.parameters), "..." in words, "extern_weak" in words)
        self.module.declared[function.name] = declared

    def _function(self, head: str, body: list[str]) -> None:
        function, _ = self._head(head)
        self.module.functions[function.name] = function
        self._body(function, body)

    def _head(self, line: str) -> tuple[Function, set[str]]:
        """The name and the parameters of a function, and the words in front of it."""
        tokens, words = Tokens(line), set()
        while tokens.kind() != "global":
            if tokens.peek() == "(":
                tokens.skip_balanced()
            else:
                words.add(tokens.next())
        function = Function(tokens.next()[1:].strip('"'), [], VoidType())
        tokens.expect("(")
        while not tokens.accept(")"):
            if tokens.accept("..."):
                words.add("...")
                continue
            kind = self.terms.type(tokens)
            copied = self.terms.skip_attributes(tokens)
            parameter = (
                tokens.next()[1:].strip('"') if tokens.kind() == "local" else str(len(function.parameters))
            )
            if copied is not None:
                function.copied[parameter] = copied
            function.parameters.append((kind, parameter))
            tokens.accept(",")
        return function, words

    def _body(self, function: Function, lines: list[str]) -> None:
        numbered = sum(parameter.isdigit() for _, parameter in function.parameters)
        block = Block(str(numbered))
        pending = ""
        for line in lines:
            stripped = line.strip()
            if not stripped or stripped.startswith((";", "#dbg")):
                continue
            label = re.match(r'^("[^"]*"|[-\w.$]+):(?:\s|$)', line)
            if label and not pending:
                if block.instructions:
                    function.blocks.append(block)
                block = Block(label.group(1).strip('"'))
                continue
            pending = f"{pending} {stripped}" if pending else stripped
            if pending.startswith("switch ") and "]" not in pending:
                continue
            block.instructions.append(self._instruction(pending))
            pending = ""
        function.blocks.append(block)

    def _instruction(self, text: str) -> LlvmInstruction:
        instruction = read_instruction(self.terms, text)
        place = re.search(r"!dbg !(\d+)", text)
        scope = ""
        if place:
            instruction.line, instruction.column, scope = self.locations.get(place.group(1), (0, 0, ""))
        instruction.file = self.files.get(self.scopes.get(scope, ""), self.module.file)
        return instruction


def _declared(tokens: Tokens) -> tuple[str, str, set[str]]:
    """The name that a line declares, as what (`global`, `alias`), and the words between."""
    name = tokens.next()[1:].strip('"')
    tokens.expect("=")
    words = set()
    while tokens.peek() not in ("global", "constant", "alias", "ifunc", ""):
        words.add(tokens.next())
        if tokens.peek() == "(":
            tokens.skip_balanced()
    return name, tokens.next(), words


def read_module(text: str) -> Module:
    """Read LLVM IR as LLVM prints it."""
    return Reader(text).read()
