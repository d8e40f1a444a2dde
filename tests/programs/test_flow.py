"""What instructions read and set is found, whatever fields they have."""

from __future__ import annotations

from typing import get_args, get_origin, get_type_hints

import pytest

from treville.programs import ir
from treville.programs.flow import defined_register, operands, successors, used_registers

KINDS: tuple[type[ir.Instruction], ...] = get_args(ir.Instruction)
SET = ("register", "status")  # what fields that name the register that is set are called


def made(kind: type[ir.Instruction]) -> ir.Instruction:
    """An instruction with an expression over a register of its own in each field that may have one."""
    values: dict[str, object] = {}
    for name, hint in get_type_hints(kind).items():
        if hint == ir.Expr or hint == ir.Expr | None:
            chosen = ir.Select(ir.Reg(f"{name} 2"), ir.Const(1), ir.Const(2))
            values[name] = ir.Op("add", (ir.Reg(name), chosen))
        elif name in SET:
            values[name] = "set here"
        elif hint is str:
            values[name] = "something"
        elif get_origin(hint) in (tuple, frozenset):
            values[name] = get_origin(hint)()
    return kind(**values)  # type: ignore[arg-type]


def mentions_expressions(hint: object) -> bool:
    return hint in get_args(ir.Expr) or any(map(mentions_expressions, get_args(hint)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_all_expressions_are_operands(kind: type[ir.Instruction]) -> None:
    """An expression inside a tuple would be read by nobody."""
    hidden = {name for name, hint in get_type_hints(kind).items() if mentions_expressions(hint)}
    instruction = made(kind)
    assert {name for name, _ in operands(instruction)} == hidden
    assert used_registers(instruction) == {f"{name}{more}" for name in hidden for more in ("", " 2")}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_is_set_is_in_a_field_of_that_name(kind: type[ir.Instruction]) -> None:
    sets = any(name in kind.__dataclass_fields__ for name in SET)
    assert defined_register(made(kind)) == ("set here" if sets else None)


def test_threads_go_on_behind_instructions_and_at_labels() -> None:
    code = (ir.Branch("end"), ir.Branch("end", ir.Reg("r")), ir.IndirectBranch(ir.Reg("r")), ir.Stop())
    thread = ir.Thread("P0", code, {"end": 4, "first": 0}, code_addresses={7: "first", 8: "end"})
    assert [successors(thread, at) for at in range(4)] == [[4], [4, 2], [0, 4], [4]]


def test_labels_stay_in_front_of_what_became_of_an_instruction() -> None:
    code = (ir.Stop(), ir.AtomicBegin(), ir.AtomicEnd())
    thread = ir.Thread("P0", code, {"a": 0, "b": 1, "c": 2, "end": 3})
    other = thread.rewritten([[code[0], code[0]], [], [code[2]]])
    assert other.instructions == (code[0], code[0], code[2])
    assert other.labels == {"a": 0, "b": 2, "c": 2, "end": 3}
    with pytest.raises(ValueError, match="zip"):
        thread.rewritten([[code[0]]])
