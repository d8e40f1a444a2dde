"""Instructions in LLVM IR's text -> `llvm.LlvmInstruction`.

Every word of an instruction is known (`keywords`), or the instruction is marked as one to be refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from treville.programs.c.keywords import FLAGS, refuse, refuse_leftovers, scope
from treville.programs.c.llvm import (
    GlobalName,
    IntType,
    LlvmInstruction,
    OtherType,
    PointerType,
    StructType,
    Type,
    Value,
    VoidType,
)
from treville.programs.c.terms import Terms
from treville.programs.c.tokens import Tokens

_CASTS = frozenset(
    ("trunc", "zext", "sext", "ptrtoint", "inttoptr", "bitcast", "addrspacecast", "ptrtoaddr", "fptrunc",
     "fpext",     "fptoui", "fptosi", "uitofp", "sitofp")
)  # fmt: skip


_TYPE = re.compile(r"i\d+|ptr|void|label|half|bfloat|float|double|x86_fp80|fp128|ppc_fp128|x86_amx|token")


def read_instruction(terms: Terms, text: str) -> LlvmInstruction:
    """Read one instruction."""
    tokens = Tokens(text)
    result = None
    if tokens.kind() == "local":
        result = tokens.next()[1:].strip('"')
        tokens.expect("=")
    while tokens.peek() in ("tail", "musttail", "notail"):
        tokens.next()
    opcode = tokens.next()
    instruction = _READERS.get(opcode, _unknown)(terms, tokens, opcode)
    instruction.result = result
    instruction.text = text.split(", !dbg")[0]
    if opcode in _READERS:
        _refuse_unknown(tokens, instruction)
    return instruction


def _refuse_unknown(tokens: Tokens, instruction: LlvmInstruction) -> None:
    """Mark the instruction if it says something that is not known."""
    callee = instruction.operands[0][1] if instruction.opcode == "call" else None
    refuse_leftovers(tokens, instruction, callee.name if isinstance(callee, GlobalName) else "")
    for word in instruction.words:
        if word not in FLAGS.get(instruction.opcode, ()):
            refuse(instruction, f"the keyword '{word}'")
    for kind in (instruction.type, *(kind for kind, _ in instruction.operands)):
        if isinstance(kind, OtherType) and kind.text.startswith("ptr addrspace"):
            refuse(instruction, f"a pointer '{kind.text}'")


def _unknown(_terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    return LlvmInstruction(opcode, None, OtherType(opcode), [], words=tuple(t for _, t in tokens.items))


def _words(tokens: Tokens) -> tuple[str, ...]:
    words = []
    while tokens.kind() == "word" and not _TYPE.fullmatch(tokens.peek()):
        if tokens.peek() in ("syncscope", "align", "addrspace"):
            break
        words.append(tokens.next())
        if tokens.peek() == "(":
            words.append(f"{words.pop()}(...)")
            tokens.skip_balanced()
    return tuple(words)


def _binary(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    words = _words(tokens)
    kind = terms.type(tokens)
    left = terms.value(tokens)
    tokens.expect(",")
    right = terms.value(tokens)
    result = IntType(1) if opcode == "icmp" else kind
    return LlvmInstruction(opcode, None, result, [(kind, left), (kind, right)], words)


def _cast(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    words = _words(tokens)
    operand = terms.typed(tokens)
    tokens.expect("to")
    return LlvmInstruction(opcode, None, terms.type(tokens), [operand], words)


def _load(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    words = _words(tokens)
    kind = terms.type(tokens)
    tokens.expect(",")
    address = terms.typed(tokens)
    about = scope(tokens)
    return LlvmInstruction(opcode, None, kind, [address], words + _words(tokens), scope=about)


def _store(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    words = _words(tokens)
    value = terms.typed(tokens)
    tokens.expect(",")
    address = terms.typed(tokens)
    about = scope(tokens)
    return LlvmInstruction(opcode, None, VoidType(), [value, address], words + _words(tokens), scope=about)


def _atomicrmw(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    words = _words(tokens)
    address = terms.typed(tokens)
    tokens.expect(",")
    value = terms.typed(tokens)
    about = scope(tokens)
    return LlvmInstruction(opcode, None, value[0], [address, value], words + _words(tokens), scope=about)


def _cmpxchg(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    words = _words(tokens)
    operands = [terms.typed(tokens)]
    for _ in range(2):
        tokens.expect(",")
        operands.append(terms.typed(tokens))
    kind = StructType((operands[1][0], IntType(1)))
    about = scope(tokens)
    return LlvmInstruction(opcode, None, kind, operands, words + _words(tokens), scope=about)


def _fence(_terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    about = scope(tokens)
    return LlvmInstruction(opcode, None, VoidType(), [], _words(tokens), scope=about)


def _alloca(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    words = tuple(word for word in ("inalloca", "swifterror") if tokens.accept(word))
    kind = terms.type(tokens)
    operands = []
    if tokens.accept(",") and re.fullmatch(r"i\d+", tokens.peek()):
        operands.append(terms.typed(tokens))
    return LlvmInstruction(opcode, None, PointerType(), operands, words, source_type=kind)


def _getelementptr(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    words = []
    while tokens.peek() in FLAGS[opcode]:
        words.append(tokens.next())
    source = terms.type(tokens)
    operands = []
    while tokens.accept(","):
        if tokens.kind() == "metadata":
            tokens.at -= 1
            break
        operands.append(terms.typed(tokens))
    return LlvmInstruction(opcode, None, PointerType(), operands, tuple(words), source_type=source)


def _select(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    words = _words(tokens)
    operands = [terms.typed(tokens)]
    for _ in range(2):
        tokens.expect(",")
        operands.append(terms.typed(tokens))
    return LlvmInstruction(opcode, None, operands[1][0], operands, words)


def _phi(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    words = _words(tokens)
    kind = terms.type(tokens)
    cases = []
    while tokens.accept("["):
        value = terms.value(tokens)
        tokens.expect(",")
        cases.append((value, tokens.next()[1:].strip('"')))
        tokens.expect("]")
        tokens.accept(",")
    return LlvmInstruction(opcode, None, kind, [], words, cases=tuple(cases))


def _br(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    if tokens.accept("label"):
        return LlvmInstruction(opcode, None, VoidType(), [], labels=(tokens.next()[1:].strip('"'),))
    condition = terms.typed(tokens)
    labels = []
    while tokens.peek() == "," and tokens.peek(1) == "label":
        tokens.at += 2
        labels.append(tokens.next()[1:].strip('"'))
    return LlvmInstruction(opcode, None, VoidType(), [condition], labels=tuple(labels))


def _switch(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    value = terms.typed(tokens)
    tokens.expect(",")
    tokens.expect("label")
    default = tokens.next()[1:].strip('"')
    tokens.expect("[")
    cases = []
    while not tokens.accept("]"):
        case = terms.typed(tokens)[1]
        tokens.expect(",")
        tokens.expect("label")
        cases.append((case, tokens.next()[1:].strip('"')))
    return LlvmInstruction(opcode, None, VoidType(), [value], labels=(default,), cases=tuple(cases))


def _ret(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    if tokens.accept("void"):
        return LlvmInstruction(opcode, None, VoidType(), [])
    return LlvmInstruction(opcode, None, VoidType(), [terms.typed(tokens)])


def _unreachable(_terms: Terms, _tokens: Tokens, opcode: str) -> LlvmInstruction:
    return LlvmInstruction(opcode, None, VoidType(), [])


def _extractvalue(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    operands = [terms.typed(tokens)]
    if opcode == "insertvalue":
        tokens.expect(",")
        operands.append(terms.typed(tokens))
    indices = []
    while tokens.peek() == "," and re.fullmatch(r"\d+", tokens.peek(1)):
        tokens.at += 1
        indices.append(int(tokens.next()))
    return LlvmInstruction(opcode, None, operands[0][0], operands, indices=tuple(indices))


def _freeze(terms: Terms, tokens: Tokens, opcode: str) -> LlvmInstruction:
    operand = terms.typed(tokens)
    return LlvmInstruction(opcode, None, operand[0], [operand])


def _call(terms: Terms, tokens: Tokens, _opcode: str) -> LlvmInstruction:
    """The callee is the first operand."""
    terms.skip_attributes(tokens)
    kind = terms.type(tokens)
    if tokens.peek() == "(":  # the type of a function with variable arguments
        tokens.skip_balanced()
    terms.skip_attributes(tokens)
    callee = terms.value(tokens)
    tokens.expect("(")
    operands: list[tuple[Type, Value]] = [(PointerType(), callee)]
    elements: dict[tuple[Type, Value], Type] = {}
    copied: dict[int, Type] = {}
    while not tokens.accept(")"):
        if tokens.peek() == "metadata":
            while tokens.peek() not in (",", ")"):
                if tokens.next() == "(":
                    tokens.at -= 1
                    tokens.skip_balanced()
        else:
            start = tokens.at
            given = terms.type(tokens)
            if (copy := terms.skip_attributes(tokens)) is not None:
                copied[len(operands)] = copy
            operands.append((given, terms.value(tokens)))
            if (element := _element(terms, tokens, start)) is not None:
                elements[operands[-1]] = element
        tokens.accept(",")
    return LlvmInstruction("call", None, kind, operands, elements=elements, copied=copied)


def _element(terms: Terms, tokens: Tokens, start: int) -> Type | None:
    """The type behind a pointer argument that was just read: `ptr elementtype(i32) %p`."""
    end = tokens.at
    at = next((n for n in range(start, end) if tokens.items[n][1] == "elementtype"), None)
    if at is None:
        return None
    tokens.at = at + 2
    element = terms.type(tokens)
    tokens.at = end
    return element


_READERS: dict[str, Callable[[Terms, Tokens, str], LlvmInstruction]] = {
    **dict.fromkeys(
        ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
         "icmp",         "fadd", "fsub", "fmul", "fdiv", "frem", "fcmp"),
        _binary,
    ),
    **dict.fromkeys(_CASTS, _cast),
    "load": _load, "store": _store, "atomicrmw": _atomicrmw, "cmpxchg": _cmpxchg,
    "fence": _fence, "alloca": _alloca, "getelementptr": _getelementptr,
    "select": _select, "phi": _phi, "br": _br, "switch": _switch,
    "ret": _ret, "unreachable": _unreachable, "extractvalue": _extractvalue,
    "insertvalue": _extractvalue, "freeze": _freeze, "call": _call,
}  # fmt: skip
