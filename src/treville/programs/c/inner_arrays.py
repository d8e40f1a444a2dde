"""Indices that leave an array which is a part of something larger: undefined, although memory is there.

Engines see accesses outside of objects; `s.a[i]` with `i` behind `a` is one inside of `s`. So what C's text
says is asked at the index, as clang's `-fsanitize=array-bounds` does: an element that is accessed is one of
the array, a pointer may be to the one behind it. Arrays at the end of a struct may be longer than they are
declared, since programs allocate such structs with more memory. In LLVM IR that others optimised, types of
indexed arrays say nothing of this kind.
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.programs.c.llvm import (
    ArrayType,
    ConstantExpression,
    Function,
    GlobalName,
    LlvmInstruction,
    LocalName,
    Module,
    Number,
    StructType,
    Type,
    Value,
    size_of,
    struct_offsets,
)

OUTSIDE_ITS_ARRAY = "an index outside of its array is reached"


class InnerArrays:
    """The arrays of a module's functions."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._made: dict[int, dict[str, LlvmInstruction]] = {}

    def limits(self, function: Function, pointer: LlvmInstruction) -> Iterator[tuple[Type, Value, int]]:
        """For a getelementptr: the indices into such arrays, and what they are smaller than."""
        if not self.module.has_types_of_c:
            return
        kind, before = pointer.source_type, None
        for number, (index_type, index) in enumerate(pointer.operands[1:]):
            if not number:
                continue
            if isinstance(kind, StructType):
                assert isinstance(index, Number)
                before, kind = (kind, index.value or 0), kind.fields[index.value or 0]
            elif isinstance(kind, ArrayType):
                whole = number == 1 and self._is_whole(function, pointer.operands[0][1], kind)
                if kind.length and not whole and not self._ends_a_struct(function, pointer, number, before):
                    is_accessed = self._is_accessed(function, pointer.result or "")
                    yield index_type, index, kind.length + (not is_accessed)
                before, kind = None, kind.element

    def _definition(self, function: Function, value: Value) -> LlvmInstruction | None:
        made = self._made.get(id(function))
        if made is None:
            instructions = (i for block in function.blocks for i in block.instructions)
            made = self._made[id(function)] = {i.result: i for i in instructions if i.result}
        return made.get(value.name) if isinstance(value, LocalName) else None

    def _is_whole(self, function: Function, base: Value, kind: ArrayType) -> bool:
        """Is the array all of its object?"""
        if isinstance(base, GlobalName) and base.name in self.module.globals:
            return self.module.globals[base.name].type == kind
        made = self._definition(function, base)
        return made is not None and made.opcode == "alloca" and made.source_type == kind

    def _ends_a_struct(
        self, function: Function, pointer: LlvmInstruction, number: int, before: tuple[StructType, int] | None
    ) -> bool:
        """Is the array that is indexed the last member of a struct? One of one element whose struct is not
        known may be."""
        kind = pointer.source_type
        if before is not None:
            return before[1] == len(before[0].fields) - 1
        if number > 1:
            return False
        assert isinstance(kind, ArrayType)
        base = pointer.operands[0][1]
        made = self._definition(function, base)
        if made is not None and made.opcode == "getelementptr" and (inner := _last_member(made)) is not None:
            return inner
        if made is not None and made.opcode == "alloca" and made.source_type is not None:
            return _is_last_at(made.source_type, 0, kind)
        if (place := self._global(base)) is not None:
            return _is_last_at(*place, kind)
        return kind.length == 1

    def _global(self, value: Value) -> tuple[Type, int] | None:
        """The type of a global, and an offset into it."""
        if isinstance(value, GlobalName) and value.name in self.module.globals:
            return self.module.globals[value.name].type, 0
        if not isinstance(value, ConstantExpression) or value.op != "getelementptr" or value.args is None:
            return None
        (_, base), *indices = value.args
        found = self._global(base)
        steps = [index.value for _, index in indices if isinstance(index, Number)]
        if found is None or value.source_type is None or len(steps) != len(indices):
            return None
        return found[0], found[1] + _offset(value.source_type, [step or 0 for step in steps])

    def _is_accessed(self, function: Function, name: str) -> bool:
        """Is memory accessed where the pointer points, or at a member of what is there?"""
        for each in (i for block in function.blocks for i in block.instructions):
            places = {"load": (0,), "store": (1,), "cmpxchg": (0,), "atomicrmw": (0,)}.get(each.opcode, ())
            if any(each.operands[place][1] == LocalName(name) for place in places):
                return True
            derived = each.opcode == "getelementptr" and each.operands[0][1] == LocalName(name)
            if derived and self._is_accessed(function, each.result or ""):
                return True
        return False


def _last_member(pointer: LlvmInstruction) -> bool | None:
    """Does a getelementptr lead to the last member of a struct? None: to no member or element."""
    kind, last = pointer.source_type, None
    for _, index in pointer.operands[2:]:
        if isinstance(kind, StructType) and isinstance(index, Number):
            last, kind = (index.value or 0) == len(kind.fields) - 1, kind.fields[index.value or 0]
        elif isinstance(kind, ArrayType):
            last, kind = False, kind.element
    return last


def _is_last_at(whole: Type, offset: int, array: ArrayType) -> bool:
    """Is an array at an offset into a type the last member of a struct there?"""
    kind, is_last = whole, False
    while kind != array:
        if isinstance(kind, ArrayType) and size_of(kind.element):
            offset, kind, is_last = offset % size_of(kind.element), kind.element, False
        elif isinstance(kind, StructType) and kind.fields:
            starts = struct_offsets(kind)[:-1]
            number = max(n for n, start in enumerate(starts) if start <= offset)
            offset, is_last = offset - starts[number], number == len(starts) - 1
            kind = kind.fields[number]
        else:
            return array.length == 1
    return is_last


def _offset(kind: Type, steps: list[int]) -> int:
    total = steps[0] * size_of(kind)
    for step in steps[1:]:
        if isinstance(kind, StructType):
            total += struct_offsets(kind)[step]
            kind = kind.fields[step]
        elif isinstance(kind, ArrayType):
            kind = kind.element
            total += step * size_of(kind)
    return total
