"""The table of an assembly test: columns, labels, jumps."""

from __future__ import annotations

import pytest

from treville.programs.ir import Branch
from treville.programs.litmus import parse
from treville.programs.litmus.assembly import split_table
from treville.programs.litmus.layout import split
from treville.results import InputError, Unsupported


def table(program: str) -> list[tuple[str, list[tuple[tuple[str, ...], str]]]]:
    columns = split_table(split(f"X86 t\n{{}}\n{program}", "t.litmus"))
    return [(name, [(line.labels, line.text) for line in lines]) for name, lines in columns]


def test_cells_go_to_their_columns() -> None:
    found = table("P0 | P1 ;\n A 1,2 | B ;\n | C ;\n D | ;\n")
    assert found == [("P0", [((), "A 1,2"), ((), "D")]), ("P1", [((), "B"), ((), "C")])]


def test_labels_stand_alone_or_in_front() -> None:
    assert table("P0 ;\n L0: ;\n L1: L2: A ;") == [("P0", [(("L0",), ""), (("L1", "L2"), "A")])]


def test_offsets_lead_back_to_the_file() -> None:
    text = "X86 t\n{}\n P0 | P1 ;\n A | L0: B ;\n"
    ((_, first), (_, second)) = split_table(split(text, "t"))
    assert text[first[0].offset] == "A"
    assert text[second[0].offset] == "B"


def test_a_label_is_an_index_into_the_instructions() -> None:
    test = parse("X86 t\n{}\nP0 ;\nJMP L1 ;\nMOV EAX,$1 ;\nL1: MOV EBX,$1 ;\nL2: ;\nexists (0:EAX=0)", "t")
    thread = test.program.threads[0]
    assert thread.labels == {"L1": 2, "L2": 3}
    jump = thread.instructions[0]
    assert isinstance(jump, Branch)
    assert (jump.target, jump.text) == ("L1", "JMP L1")
    assert jump.span is not None
    assert (jump.span.line, jump.span.column) == (4, 1)


@pytest.mark.parametrize(
    ("program", "line", "message"),
    [
        ("Q0 ;\n", 3, "expected a thread"),
        ("P0 | P0 ;\n", 3, "twice"),
        ("P0 ;\n NOP | NOP ;\n", 4, "columns"),
        ("P0 ;\n NOP\n", 4, "';'"),
        ("P0 ;\n L0: ;\n L0: ;\n", 5, "twice"),
        ("P0 ;\n JMP L9 ;\n", 4, "no label L9"),
    ],
)
def test_wrong_tables_are_refused_with_their_place(program: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        parse(f"X86 t\n{{}}\n{program}exists (x=1)", "t.litmus")
    assert refused.value.span is not None
    assert refused.value.span.line == line


def test_fault_handlers_are_refused_by_name() -> None:
    with pytest.raises(Unsupported, match=r"P0\.F"):
        table("P0 | P0.F ;\n")
