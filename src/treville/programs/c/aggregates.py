"""Structs and arrays as values: the scalars that they are made of, and the registers that hold those."""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.llvm import ArrayType, StructType, Type


def leaves(kind: Type, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Type]]:
    """The scalar parts of a type with the indices that lead to each, in the order of `llvm.scalars`."""
    if isinstance(kind, ArrayType):
        parts: list[Type] = [kind.element] * kind.length
    elif isinstance(kind, StructType):
        parts = list(kind.fields)
    else:
        return [(path, kind)]
    return [leaf for number, part in enumerate(parts) for leaf in leaves(part, (*path, number))]


def member_type(kind: Type, indices: tuple[int, ...]) -> Type:
    """The type of a part of a struct or array."""
    for index in indices:
        assert isinstance(kind, (StructType, ArrayType))
        kind = kind.fields[index] if isinstance(kind, StructType) else kind.element
    return kind


def registers_of(name: str, kind: Type) -> list[ir.Reg]:
    """The registers that hold a value of some name: one, or one for each scalar of a struct."""
    return [ir.Reg(".".join([name, *map(str, path)])) for path, _ in leaves(kind)]
