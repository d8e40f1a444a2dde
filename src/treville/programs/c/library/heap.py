"""The heap: objects that a program allocates, frees and resizes.

In a program that resizes objects, each has a word in front of it that says how large it is, so that as much
can be copied as there is. Elsewhere objects are as large as the program asked for.
"""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.accesses import PLAIN, VOLATILE
from treville.programs.c.library.calls import ZERO, Call, Handler
from treville.programs.c.library.layouts import repeated, used_as
from treville.programs.c.llvm import LocalName, Module, Number, size_of
from treville.programs.ir import plus

_IN_FRONT = 16
_SIZE_BITS = 64
_MOST_COPIED = 256  # bytes, where it is not known how many
_RESIZING = "realloc"


def resizes_objects(module: Module) -> bool:
    """Does the program call `realloc`?"""
    return _RESIZING in module.declared and _RESIZING not in module.functions


def _new(here: Call, size: ir.Expr, zeroed: bool = False, heap: bool = True) -> ir.Expr:
    """The address of a new object."""
    body, name = here.body, f"{here.name} in line {here.instruction.line}"
    _require_some_size(here, size)
    fresh = ir.Reg(body.fresh("allocated"))
    if not heap or not body.translation.resizes:
        body.emit(ir.Allocate(fresh.name, size, name, zeroed=zeroed, heap=heap))
        return fresh
    body.emit(ir.Allocate(fresh.name, plus(size, _IN_FRONT), name, zeroed=zeroed, heap=True))
    body.emit(ir.Store(fresh, size, VOLATILE, _SIZE_BITS))
    return plus(fresh, _IN_FRONT)


def _require_some_size(here: Call, size: ir.Expr) -> None:
    """Memory is never so large that its size is no positive number of type `ptrdiff_t`."""
    if not isinstance(size, ir.Const) or size.value < 0:
        possible = ir.Op("ge", (size, ZERO), 64)
        message = "an allocation of a negative size is reached"
        here.body.emit(ir.Assert(possible, message, undefined=True, fatal=False))


def _require_alignment(here: Call, alignment: ir.Expr) -> None:
    """An alignment is a power of two."""
    if not isinstance(alignment, ir.Const) or alignment.value.bit_count() != 1:
        others = ir.Op("and", (alignment, ir.Op("sub", (alignment, ir.Const(1)), 64)), 64)
        valid = ir.Select(ir.Op("eq", (others, ZERO), 64), ir.Op("ne", (alignment, ZERO), 64), ZERO)
        message = "an allocation with an alignment that is no power of two is reached"
        here.body.emit(ir.Assert(valid, message, undefined=True, fatal=False))


def _malloc(here: Call) -> None:
    here.returns(_new(here, here.argument(0)))


def _on_the_stack(here: Call) -> None:
    here.returns(_new(here, here.argument(0), heap=False))


def _aligned(here: Call) -> None:
    """Null for what is no alignment, which is an error, too; else an object. They lie far apart, at multiples
    of a power of two."""
    body, alignment = here.body, here.argument(0)
    if isinstance(alignment, ir.Const) and _is_alignment(alignment.value):
        here.returns(_new(here, here.argument(1)))
        return
    _require_alignment(here, alignment)
    allocated, none = body.fresh("aligned"), body.fresh("no alignment")
    result = body.set(body.fresh("object"), ZERO)
    shared = ir.Op("and", (alignment, ir.Op("sub", (alignment, ir.Const(1)), 64)), 64)
    body.emit(ir.Branch(none, shared))
    body.emit(ir.Branch(none, ir.Op("eq", (alignment, ZERO), 64)))
    body.emit(ir.Branch(allocated, ir.Op("ule", (alignment, ir.Const(ir.LOCATION_STRIDE)), 64)))
    body.emit(ir.Stop(cut=True, reason=f"an alignment of more than {ir.LOCATION_STRIDE} bytes"))
    body.label(allocated)
    body.set(result.name, _new(here, here.argument(1)))
    body.label(none)
    here.returns(result)


def _is_alignment(number: int) -> bool:
    """A power of two that all objects have."""
    return number.bit_count() == 1 and 0 < number <= ir.LOCATION_STRIDE


def _calloc(here: Call) -> None:
    size = ir.Op("mul", (here.argument(0), here.argument(1)), 64)
    here.returns(_new(here, size, zeroed=True))


def _posix_memalign(here: Call) -> None:
    here.write(0, _new(here, here.argument(2)), 64)
    here.nothing()


def _free(here: Call) -> None:
    pointer = here.argument(0)
    here.body.emit(ir.Free(_start(here, pointer)))


def _start(here: Call, pointer: ir.Expr) -> ir.Expr:
    """Where an object begins; null has none."""
    if not here.body.translation.resizes:
        return pointer
    return ir.Select(pointer, ir.Op("sub", (pointer, ir.Const(_IN_FRONT)), 64), ZERO)


def _realloc(here: Call) -> None:
    """A new object with what fits of the old one, which is freed."""
    body, old, size = here.body, here.argument(0), here.argument(1)
    new = body.set(body.fresh("resized"), _new(here, size))
    if here.operands[0][1] != Number(0):
        done = body.fresh("nothing before")
        body.emit(ir.Branch(done, ir.Op("eq", (old, ZERO), 64)))
        before = ir.Reg(body.fresh("size"))
        body.emit(ir.Load(before.name, _start(here, old), VOLATILE, _SIZE_BITS))
        _copy(here, new, ir.Select(ir.Op("ult", (before, size), 64), before, size))
        body.emit(ir.Free(_start(here, old)))
        body.label(done)
    here.returns(new)


def _copy(here: Call, new: ir.Expr, length: ir.Expr) -> None:
    """Copy what lies in the first `length` bytes, cell by cell."""
    body, old, size = here.body, here.argument(0), here.argument(1)
    found = [used_as(here, LocalName(here.instruction.result or "")), used_as(here, here.operands[0][1])]
    kind = next((kind for kind in found if kind is not None and size_of(kind)), None)
    if kind is None:
        raise body.unsupported("realloc of memory whose layout is not known")
    most = size.value if isinstance(size, ir.Const) else _MOST_COPIED
    whole = body.set(body.fresh("copied"), length)
    copied = body.fresh("all copied")
    for offset, bits in repeated(here, kind, most - most % size_of(kind)):
        value = body.fresh("copy")
        body.emit(ir.Branch(copied, ir.Op("ult", (whole, ir.Const(offset + bits // 8)), 64)))
        unset = body.memory.read_to_copy(value, plus(old, offset), bits, PLAIN)
        body.emit(ir.Store(plus(new, offset), ir.Reg(value), PLAIN, bits, unset=unset))
    if not isinstance(size, ir.Const):
        body.emit(ir.Branch(copied, ir.Op("ule", (whole, ir.Const(most)), 64)))
        body.emit(ir.Stop(cut=True, reason=f"a realloc of more than {most} bytes"))
    body.label(copied)


FUNCTIONS: dict[str, Handler] = {
    "malloc": _malloc, "valloc": _malloc, "calloc": _calloc, "realloc": _realloc, "free": _free,
    "alloca": _on_the_stack, "__builtin_alloca": _on_the_stack,
    "aligned_alloc": _aligned, "memalign": _aligned, "posix_memalign": _posix_memalign,
    # new and delete of C++, also of arrays, and with the size or the alignment
    "_Znwm": _malloc, "_Znam": _malloc, "_ZnwmSt11align_val_t": _malloc, "_ZdlPv": _free, "_ZdaPv": _free,
    "_ZdlPvm": _free, "_ZdaPvm": _free, "_ZdlPvmSt11align_val_t": _free,
}  # fmt: skip
