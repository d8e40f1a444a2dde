"""LLVM IR's text -> `llvm.Module`. Reads what LLVM itself printed, so it is lenient about attributes.

Opaque pointers only (LLVM 15 and later print no others). Lines of source come from `!dbg` metadata.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from treville.programs.c.llvm import (
    Aggregate,
    ArrayType,
    Block,
    ConstantExpression,
    Function,
    GlobalName,
    GlobalVariable,
    InlineAsm,
    IntType,
    LlvmInstruction,
    LocalName,
    Module,
    Number,
    Opaque,
    OtherType,
    PointerType,
    StructType,
    Type,
    Value,
    VoidType,
    Zero,
)
from treville.results import InputError

_TOKEN = re.compile(
    r"""\s*(?:;[^\n]*)?(?:
      (?P<local>%(?:"[^"]*"|[\w.$-]+))
    | (?P<global>@(?:"[^"]*"|[\w.$-]+))
    | (?P<metadata>!\w*(?:"[^"]*")?)
    | (?P<bytes>c"(?:[^"\\]|\\[0-9A-Fa-f]{2}|\\\\)*")
    | (?P<string>"[^"]*")
    | (?P<number>-?\d+(?![\w.]))
    | (?P<word>\#?[-\w.$]+(?:(?<=[0-9]e)[+-]\d+)?)
    | (?P<mark>\.\.\.|[\[\](){}<>,=*|:])
    )""",
    re.VERBOSE,
)
_LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+), column: (\d+), scope: !(\d+)")
_FILE = re.compile(r'^!(\d+) = (?:distinct )?!DIFile\(filename: "([^"]*)"')
_SCOPE = re.compile(
    r"^!(\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlock|LexicalBlockFile)\(.*\bfile: !(\d+)"
)
_ATTRIBUTE_WITH_ARGUMENT = frozenset(
    ("align", "dereferenceable", "dereferenceable_or_null", "byval", "sret", "allocsize", "range", "captures",
     "initializes", "memory", "nofpclass", "elementtype", "preallocated", "addrspace", "syncscope",
     "inalloca")
)  # fmt: skip
_ATTRIBUTES = frozenset(
    ("noundef", "nonnull", "signext", "zeroext", "nocapture", "readonly", "readnone", "writeonly", "noalias",
     "returned", "immarg", "inreg", "nest", "nofree", "noext", "writable", "dead_on_unwind", "dso_local",
     "local_unnamed_addr", "unnamed_addr", "fastcc", "ccc", "coldcc", "tail", "musttail", "notail", "nuw",
     "nsw", "exact", "inbounds", "disjoint", "nneg", "samesign", "nusw", "swiftself", "swifterror")
)  # fmt: skip
_CASTS = frozenset(
    ("trunc", "zext", "sext", "ptrtoint", "inttoptr", "bitcast", "addrspacecast", "ptrtoaddr", "fptrunc",
     "fpext",     "fptoui", "fptosi", "uitofp", "sitofp")
)  # fmt: skip
_ORDERINGS = frozenset(("unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"))


class _Tokens:
    """The tokens of one top-level entity or instruction."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.items: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None or match.lastgroup is None:
                if not text[at:].strip() or text[at:].lstrip().startswith(";"):
                    break
                raise InputError(f"LLVM IR that cannot be read: {text[at : at + 40].strip()!r}")
            self.items.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.items[place][1] if place < len(self.items) else ""

    def kind(self) -> str:
        return self.items[self.at][0] if self.at < len(self.items) else ""

    def next(self) -> str:
        token = self.peek()
        if not token:
            raise InputError(f"LLVM IR ends too early: {self.text.strip()[:80]!r}")
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise InputError(f"LLVM IR: expected {token!r} in {self.text.strip()[:120]!r}")

    def skip_balanced(self) -> None:
        """Skip a parenthesis with all it contains."""
        depth = 0
        while True:
            token = self.next()
            depth += token in "([{<"
            depth -= token in ")]}>"
            if depth == 0:
                return


class Reader:
    """Reads one module."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.named: dict[str, Type] = {}
        self.definitions: dict[str, _Tokens] = {}
        self.module = Module()
        self.locations: dict[str, tuple[int, int, str]] = {}  # line, column, scope
        self.files: dict[str, str] = {}
        self.scopes: dict[str, str] = {}  # the file of each

    def read(self) -> Module:
        """The module of the text."""
        lines = self.text.split("\n")
        self._metadata(lines)
        for line in lines:
            if line.startswith("%"):
                self._named_type(line)
        at = 0
        while at < len(lines):
            line = lines[at]
            if line.startswith("@"):
                self._global(line)
            elif line.startswith("declare"):
                name = re.search(r'@("[^"]*"|[\w.$-]+)', line)
                if name:
                    self.module.declared.add(name.group(1).strip('"'))
            elif line.startswith("define"):
                end = lines.index("}", at)
                self._function(lines[at], lines[at + 1 : end])
                at = end
            at += 1
        self.module.types = [self._defined_type(name) for name in self.definitions]
        return self.module

    def _metadata(self, lines: list[str]) -> None:
        for line in lines:
            if line.startswith("!"):
                if match := _LOCATION.match(line):
                    number, at, column, scope = match.groups()
                    self.locations[number] = (int(at), int(column), scope)
                elif match := _FILE.match(line):
                    self.files[match.group(1)] = match.group(2)
                    self.module.file = self.module.file or match.group(2)
                elif match := _SCOPE.match(line):
                    self.scopes[match.group(1)] = match.group(2)

    # -- types and values ------------------------------------------------------------------------------

    def _named_type(self, line: str) -> None:
        tokens = _Tokens(line)
        name = tokens.next()[1:].strip('"')
        tokens.expect("=")
        tokens.expect("type")
        self.definitions[name] = tokens

    def _defined_type(self, name: str) -> Type:
        """A named type; it may be defined behind the types that use it."""
        if name not in self.named:
            tokens = self.definitions.get(name)
            self.named[name] = OtherType("opaque")
            if tokens is not None and tokens.peek() != "opaque":
                self.named[name] = self._type(tokens)
        return self.named[name]

    def _type(self, tokens: _Tokens) -> Type:
        token = tokens.next()
        if re.fullmatch(r"i\d+", token):
            return IntType(int(token[1:]))
        if token == "ptr":
            if tokens.peek() == "addrspace":
                tokens.next()
                tokens.skip_balanced()
            return PointerType()
        if token in ("void", "label", "metadata"):
            return VoidType()
        if token == "[":
            length = int(tokens.next())
            tokens.expect("x")
            element = self._type(tokens)
            tokens.expect("]")
            return ArrayType(length, element)
        if token == "{":
            return StructType(self._fields(tokens, "}"))
        if token == "<":
            if tokens.accept("{"):
                fields = self._fields(tokens, "}")
                tokens.expect(">")
                return StructType(fields, packed=True)
            tokens.at -= 1
            start = tokens.at
            tokens.skip_balanced()
            return OtherType("".join(t for _, t in tokens.items[start : tokens.at]))
        if token.startswith("%"):
            return self._defined_type(token[1:].strip('"'))
        return OtherType(token)

    def _fields(self, tokens: _Tokens, end: str) -> tuple[Type, ...]:
        fields: list[Type] = []
        while not tokens.accept(end):
            fields.append(self._type(tokens))
            tokens.accept(",")
        return tuple(fields)

    def _typed(self, tokens: _Tokens) -> tuple[Type, Value]:
        kind = self._type(tokens)
        self._skip_attributes(tokens)
        return kind, self._value(tokens)

    def _skip_attributes(self, tokens: _Tokens) -> None:
        while True:
            token = tokens.peek()
            if token in _ATTRIBUTE_WITH_ARGUMENT:
                tokens.next()
                if tokens.peek() == "(":
                    tokens.skip_balanced()
                elif tokens.kind() == "number":
                    tokens.next()
            elif token in _ATTRIBUTES or token.startswith("#"):
                tokens.next()
            else:
                return

    def _value(self, tokens: _Tokens) -> Value:
        kind, token = tokens.kind(), tokens.next()
        if kind == "local":
            return LocalName(token[1:].strip('"'))
        if kind == "global":
            return GlobalName(token[1:].strip('"'))
        if kind == "number":
            return Number(int(token))
        if kind == "bytes":
            data = _unescape(token[2:-1])
            return Aggregate(tuple((IntType(8), Number(byte)) for byte in data))
        simple: dict[str, Value] = {
            "null": Number(0), "false": Number(0), "true": Number(1), "undef": Number(None),
            "poison": Number(None), "zeroinitializer": Zero(), "none": Number(0),
        }  # fmt: skip
        if token in simple:
            return simple[token]
        if token == "asm":
            return self._asm(tokens)
        if token in ("[", "{", "<"):
            return self._aggregate(tokens, token)
        if tokens.peek() in ("(", "inbounds", "nuw", "nusw", "inrange"):
            return self._constant_expression(tokens, token)
        return Opaque(token)

    def _asm(self, tokens: _Tokens) -> InlineAsm:
        while tokens.kind() == "word":
            tokens.next()
        template = tokens.next().strip('"')
        tokens.expect(",")
        return InlineAsm(template, tokens.next().strip('"'))

    def _aggregate(self, tokens: _Tokens, opening: str) -> Value:
        closing = {"[": "]", "{": "}", "<": ">"}[opening]
        if opening == "<" and tokens.accept("{"):
            value = self._aggregate(tokens, "{")
            tokens.expect(">")
            return value
        items = []
        while not tokens.accept(closing):
            items.append(self._typed(tokens))
            tokens.accept(",")
        return Aggregate(tuple(items))

    def _constant_expression(self, tokens: _Tokens, op: str) -> Value:
        while tokens.peek() != "(":
            tokens.next()
            if tokens.peek() == "(" and tokens.peek(-1) == "inrange":
                tokens.skip_balanced()
        tokens.expect("(")
        source = None
        if op == "getelementptr":
            source = self._type(tokens)
            tokens.expect(",")
        args = []
        while not tokens.accept(")"):
            args.append(self._typed(tokens))
            if tokens.accept("to"):
                source = self._type(tokens)
            tokens.accept(",")
        return ConstantExpression(op, source, tuple(args))

    # -- globals and functions -------------------------------------------------------------------------

    def _global(self, line: str) -> None:
        tokens = _Tokens(line)
        name = tokens.next()[1:].strip('"')
        tokens.expect("=")
        words = set()
        while tokens.peek() not in ("global", "constant", "alias", "ifunc", ""):
            words.add(tokens.next())
            if tokens.peek() == "(":
                tokens.skip_balanced()
        role = tokens.next()
        if role not in ("global", "constant"):
            return
        kind = self._type(tokens)
        external = "external" in words or "extern_weak" in words
        initial = None if external else self._value(tokens)
        self.module.globals[name] = GlobalVariable(
            name, kind, initial, "thread_local" in words, role == "constant"
        )

    def _function(self, head: str, body: list[str]) -> None:
        tokens = _Tokens(head)
        while tokens.kind() != "global":
            if tokens.peek() == "(":
                tokens.skip_balanced()
            else:
                tokens.next()
        name = tokens.next()[1:].strip('"')
        function = Function(name, [], VoidType())
        tokens.expect("(")
        while not tokens.accept(")"):
            if tokens.accept("..."):
                continue
            kind = self._type(tokens)
            self._skip_attributes(tokens)
            parameter = (
                tokens.next()[1:].strip('"') if tokens.kind() == "local" else str(len(function.parameters))
            )
            function.parameters.append((kind, parameter))
            tokens.accept(",")
        self.module.functions[name] = function
        self._body(function, body)

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

    # -- instructions ----------------------------------------------------------------------------------

    def _instruction(self, text: str) -> LlvmInstruction:
        tokens = _Tokens(text)
        result = None
        if tokens.kind() == "local":
            result = tokens.next()[1:].strip('"')
            tokens.expect("=")
        while tokens.peek() in ("tail", "musttail", "notail"):
            tokens.next()
        opcode = tokens.next()
        read = _READERS.get(opcode, Reader._unknown)
        instruction = read(self, tokens, opcode)
        instruction.result = result
        instruction.text = text.split(", !dbg")[0]
        place = re.search(r"!dbg !(\d+)", text)
        scope = ""
        if place:
            instruction.line, instruction.column, scope = self.locations.get(place.group(1), (0, 0, ""))
        instruction.file = self.files.get(self.scopes.get(scope, ""), self.module.file)
        return instruction

    def _unknown(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        return LlvmInstruction(opcode, None, OtherType(opcode), [], words=tuple(t for _, t in tokens.items))

    def _words(self, tokens: _Tokens) -> tuple[str, ...]:
        words = []
        while tokens.kind() == "word" and not re.fullmatch(
            r"i\d+|ptr|void|label|float|double|half", tokens.peek()
        ):
            word = tokens.next()
            words.append(word)
            if tokens.peek() == "(":
                tokens.skip_balanced()
        return tuple(words)

    def _binary(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        words = self._words(tokens)
        kind = self._type(tokens)
        left = self._value(tokens)
        tokens.expect(",")
        right = self._value(tokens)
        result = IntType(1) if opcode == "icmp" else kind
        return LlvmInstruction(opcode, None, result, [(kind, left), (kind, right)], words)

    def _cast(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        words = self._words(tokens)
        operand = self._typed(tokens)
        tokens.expect("to")
        return LlvmInstruction(opcode, None, self._type(tokens), [operand], words)

    def _load(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        words = self._words(tokens)
        kind = self._type(tokens)
        tokens.expect(",")
        address = self._typed(tokens)
        return LlvmInstruction(opcode, None, kind, [address], words + self._words(tokens))

    def _store(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        words = self._words(tokens)
        value = self._typed(tokens)
        tokens.expect(",")
        address = self._typed(tokens)
        return LlvmInstruction(opcode, None, VoidType(), [value, address], words + self._words(tokens))

    def _atomicrmw(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        words = self._words(tokens)
        address = self._typed(tokens)
        tokens.expect(",")
        value = self._typed(tokens)
        return LlvmInstruction(opcode, None, value[0], [address, value], words + self._words(tokens))

    def _cmpxchg(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        words = self._words(tokens)
        operands = [self._typed(tokens)]
        for _ in range(2):
            tokens.expect(",")
            operands.append(self._typed(tokens))
        kind = StructType((operands[1][0], IntType(1)))
        return LlvmInstruction(opcode, None, kind, operands, words + self._words(tokens))

    def _fence(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        return LlvmInstruction(opcode, None, VoidType(), [], self._words(tokens))

    def _alloca(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        tokens.accept("inalloca")
        kind = self._type(tokens)
        operands = []
        if tokens.accept(",") and tokens.peek().startswith("i") and tokens.peek() != "inalloca":
            operands.append(self._typed(tokens))
        return LlvmInstruction(opcode, None, PointerType(), operands, source_type=kind)

    def _getelementptr(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        while tokens.peek() in ("inbounds", "nuw", "nusw"):
            tokens.next()
        source = self._type(tokens)
        operands = []
        while tokens.accept(","):
            if tokens.kind() == "metadata":
                break
            operands.append(self._typed(tokens))
        return LlvmInstruction(opcode, None, PointerType(), operands, source_type=source)

    def _select(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        operands = [self._typed(tokens)]
        for _ in range(2):
            tokens.expect(",")
            operands.append(self._typed(tokens))
        return LlvmInstruction(opcode, None, operands[1][0], operands)

    def _phi(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        kind = self._type(tokens)
        cases = []
        while tokens.accept("["):
            value = self._value(tokens)
            tokens.expect(",")
            cases.append((value, tokens.next()[1:].strip('"')))
            tokens.expect("]")
            tokens.accept(",")
        return LlvmInstruction(opcode, None, kind, [], cases=tuple(cases))

    def _br(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        if tokens.accept("label"):
            return LlvmInstruction(opcode, None, VoidType(), [], labels=(tokens.next()[1:].strip('"'),))
        condition = self._typed(tokens)
        labels = []
        while tokens.accept(",") and tokens.accept("label"):
            labels.append(tokens.next()[1:].strip('"'))
        return LlvmInstruction(opcode, None, VoidType(), [condition], labels=tuple(labels))

    def _switch(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        value = self._typed(tokens)
        tokens.expect(",")
        tokens.expect("label")
        default = tokens.next()[1:].strip('"')
        tokens.expect("[")
        cases = []
        while not tokens.accept("]"):
            case = self._typed(tokens)[1]
            tokens.expect(",")
            tokens.expect("label")
            cases.append((case, tokens.next()[1:].strip('"')))
        return LlvmInstruction(opcode, None, VoidType(), [value], labels=(default,), cases=tuple(cases))

    def _ret(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        if tokens.peek() == "void":
            return LlvmInstruction(opcode, None, VoidType(), [])
        return LlvmInstruction(opcode, None, VoidType(), [self._typed(tokens)])

    def _unreachable(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        del tokens
        return LlvmInstruction(opcode, None, VoidType(), [])

    def _extractvalue(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        operands = [self._typed(tokens)]
        if opcode == "insertvalue":
            tokens.expect(",")
            operands.append(self._typed(tokens))
        indices = []
        while tokens.accept(",") and tokens.kind() == "number":
            indices.append(int(tokens.next()))
        return LlvmInstruction(opcode, None, operands[0][0], operands, indices=tuple(indices))

    def _freeze(self, tokens: _Tokens, opcode: str) -> LlvmInstruction:
        operand = self._typed(tokens)
        return LlvmInstruction(opcode, None, operand[0], [operand])

    def _call(self, tokens: _Tokens, _opcode: str) -> LlvmInstruction:
        """The callee is the first operand."""
        self._skip_attributes(tokens)
        kind = self._type(tokens)
        if tokens.peek() == "(":  # the type of a function with variable arguments
            tokens.skip_balanced()
        self._skip_attributes(tokens)
        callee = self._value(tokens)
        tokens.expect("(")
        operands: list[tuple[Type, Value]] = [(PointerType(), callee)]
        while not tokens.accept(")"):
            if tokens.peek() == "metadata":
                while tokens.peek() not in (",", ")"):
                    if tokens.next() == "(":
                        tokens.at -= 1
                        tokens.skip_balanced()
            else:
                operands.append(self._typed(tokens))
            tokens.accept(",")
        return LlvmInstruction("call", None, kind, operands)


_READERS: dict[str, Callable[[Reader, _Tokens, str], LlvmInstruction]] = {
    **dict.fromkeys(
        ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
         "icmp",         "fadd", "fsub", "fmul", "fdiv", "frem", "fcmp"),
        Reader._binary,
    ),
    **dict.fromkeys(_CASTS, Reader._cast),
    "load": Reader._load, "store": Reader._store, "atomicrmw": Reader._atomicrmw, "cmpxchg": Reader._cmpxchg,
    "fence": Reader._fence, "alloca": Reader._alloca, "getelementptr": Reader._getelementptr,
    "select": Reader._select, "phi": Reader._phi, "br": Reader._br, "switch": Reader._switch,
    "ret": Reader._ret, "unreachable": Reader._unreachable, "extractvalue": Reader._extractvalue,
    "insertvalue": Reader._extractvalue, "freeze": Reader._freeze, "call": Reader._call,
}  # fmt: skip


def _unescape(text: str) -> bytes:
    out = bytearray()
    at = 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1] != "\\":
            out.append(int(text[at + 1 : at + 3], 16))
            at += 3
        else:
            at += 2 if text[at] == "\\" else 1
            out.append(ord(text[at - 1]) & 255)
    return bytes(out)


def read_module(text: str) -> Module:
    """Read LLVM IR as LLVM prints it."""
    return Reader(text).read()
