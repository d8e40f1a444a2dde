"""Types and values in LLVM IR's text."""

from __future__ import annotations

import re

from treville.programs.c.llvm import (
    Aggregate,
    ArrayType,
    ConstantExpression,
    GlobalName,
    InlineAsm,
    IntType,
    LocalName,
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
from treville.programs.c.tokens import Tokens

_ATTRIBUTE_WITH_ARGUMENT = frozenset(
    ("align", "dereferenceable", "dereferenceable_or_null", "byval", "sret", "allocsize", "range", "captures",
     "initializes", "memory", "nofpclass", "elementtype")
)  # fmt: skip
_ATTRIBUTES = frozenset(
    ("noundef", "nonnull", "signext", "zeroext", "nocapture", "readonly", "readnone", "writeonly", "noalias",
     "returned", "immarg", "inreg", "nest", "nofree", "noext", "writable", "dead_on_unwind", "dso_local",
     "local_unnamed_addr", "unnamed_addr", "fastcc", "ccc", "coldcc", "tail", "musttail", "notail", "nuw",
     "nsw", "exact", "inbounds", "disjoint", "nneg", "samesign", "nusw")
)  # fmt: skip


class Terms:
    """Reads types and values; knows the named types of a module."""

    def __init__(self) -> None:
        self.named: dict[str, Type] = {}
        self.definitions: dict[str, Tokens] = {}
        self.aliases: dict[str, Value] = {}  # other names of globals and functions

    def define(self, line: str) -> None:
        """Note the definition of a named type."""
        tokens = Tokens(line)
        name = tokens.next()[1:].strip('"')
        tokens.expect("=")
        tokens.expect("type")
        self.definitions[name] = tokens

    def defined_type(self, name: str) -> Type:
        """A named type; it may be defined behind the types that use it."""
        if name not in self.named:
            tokens = self.definitions.get(name)
            self.named[name] = OtherType("opaque")
            if tokens is not None and tokens.peek() != "opaque":
                self.named[name] = self.type(tokens)
        return self.named[name]

    def type(self, tokens: Tokens) -> Type:
        """Read a type."""
        token = tokens.next()
        if re.fullmatch(r"i\d{1,8}", token):
            return IntType(int(token[1:]))
        if token == "ptr":
            return self._pointer(tokens)
        if token in ("void", "label", "metadata"):
            return VoidType()
        if token == "[":
            length = tokens.number()
            tokens.expect("x")
            element = self.type(tokens)
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
            return self.defined_type(token[1:].strip('"'))
        return OtherType(token)

    def _pointer(self, tokens: Tokens) -> Type:
        """A pointer to ordinary memory; another address space is something else (thread-local, a device)."""
        if not tokens.accept("addrspace"):
            return PointerType()
        tokens.expect("(")
        number = tokens.next()
        tokens.expect(")")
        return PointerType() if number == "0" else OtherType(f"ptr addrspace({number})")

    def _fields(self, tokens: Tokens, end: str) -> tuple[Type, ...]:
        fields: list[Type] = []
        while not tokens.accept(end):
            fields.append(self.type(tokens))
            tokens.accept(",")
        return tuple(fields)

    def typed(self, tokens: Tokens) -> tuple[Type, Value]:
        """Read a type and a value."""
        kind = self.type(tokens)
        self.skip_attributes(tokens)
        return kind, self.value(tokens)

    def skip_attributes(self, tokens: Tokens) -> Type | None:
        """Step over what says nothing about values. The type of what a pointer is given as a copy of."""
        copied = None
        while True:
            token = tokens.peek()
            if token == "byval" and tokens.peek(1) == "(":
                tokens.next()
                tokens.expect("(")
                copied = self.type(tokens)
                tokens.expect(")")
            elif token in _ATTRIBUTE_WITH_ARGUMENT:
                tokens.next()
                if tokens.peek() == "(":
                    tokens.skip_balanced()
                elif tokens.kind() == "number":
                    tokens.next()
            elif token in _ATTRIBUTES or token.startswith("#"):
                tokens.next()
            else:
                return copied

    def value(self, tokens: Tokens) -> Value:
        """Read a value of a type that was read before."""
        kind, token = tokens.kind(), tokens.next()
        if kind == "local":
            return LocalName(token[1:].strip('"'))
        if kind == "global":
            name = token[1:].strip('"')
            return self.aliases.get(name, GlobalName(name))
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
        if token == "blockaddress":
            tokens.skip_balanced()
            return Opaque("address of a label")
        if tokens.peek() in ("(", "inbounds", "nuw", "nusw", "inrange"):
            return self._constant_expression(tokens, token)
        return Opaque(token)

    def _asm(self, tokens: Tokens) -> InlineAsm:
        while tokens.kind() == "word":
            tokens.next()
        template = tokens.next().strip('"')
        tokens.expect(",")
        return InlineAsm(template, tokens.next().strip('"'))

    def _aggregate(self, tokens: Tokens, opening: str) -> Value:
        closing = {"[": "]", "{": "}", "<": ">"}[opening]
        if opening == "<" and tokens.accept("{"):
            value = self._aggregate(tokens, "{")
            tokens.expect(">")
            return value
        items = []
        while not tokens.accept(closing):
            items.append(self.typed(tokens))
            tokens.accept(",")
        return Aggregate(tuple(items))

    def _constant_expression(self, tokens: Tokens, op: str) -> Value:
        while tokens.peek() != "(":
            tokens.next()
            if tokens.peek() == "(" and tokens.peek(-1) == "inrange":
                tokens.skip_balanced()
        tokens.expect("(")
        source = None
        if op == "getelementptr":
            source = self.type(tokens)
            tokens.expect(",")
        args = []
        while not tokens.accept(")"):
            args.append(self.typed(tokens))
            if tokens.accept("to"):
                source = self.type(tokens)
            tokens.accept(",")
        return ConstantExpression(op, source, tuple(args))


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
