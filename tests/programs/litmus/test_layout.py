"""Splitting litmus files into sections."""

from __future__ import annotations

import pytest

from treville.programs.litmus.layout import split
from treville.results import InputError

SB = """X86 SB
"Fre PodWR Fre PodWR"
Cycle=Fre PodWR
(* a comment (* nested *) with exists in it *)
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ; (* here { too *)
 MOV EAX,[y] | MOV EAX,[x] ;
locations [x;]
exists (0:EAX=0 /\\ 1:EAX=0)
<<
show 0
>>
"""


def test_every_section_is_found_with_its_offset() -> None:
    sections = split(SB, "SB.litmus")
    assert (sections.dialect, sections.name) == ("X86", "SB")
    assert sections.documentation == "Fre PodWR Fre PodWR"
    assert sections.information == {"Cycle": "Fre PodWR"}
    for part in (sections.initial, sections.conditions):
        assert SB[part.offset : part.offset + len(part.text)] == part.text
    assert sections.initial.text.split() == ["x=0;", "y=0;"]
    assert sections.program.text.split()[0] == "P0"
    assert sections.conditions.text.split()[0] == "locations"
    assert "show" not in sections.conditions.text


def test_comments_are_blanked_without_moving_anything() -> None:
    sections = split(SB, "SB.litmus")
    assert "here" not in sections.program.text
    at = sections.program.text.index("MOV EAX,[y]")
    assert SB[sections.program.offset + at :].startswith("MOV EAX,[y]")


def test_a_dereference_in_c_is_no_comment() -> None:
    body = "P0(int *x) { WRITE_ONCE(*x, 1); /* exists */ // exists\n}"
    text = f"C t\n(* one *)\n{{ x=0; }}\n{body}\n(* two *)\nexists (x=1)"
    sections = split(text, "t.litmus")
    assert "WRITE_ONCE(*x, 1);" in sections.program.text
    assert "two" not in sections.program.text
    assert sections.conditions.text == "exists (x=1)"


def test_an_unclosed_comment_in_the_header_ends_with_its_line() -> None:
    sections = split("X86 t\n(* never closed\n{ x=1; }\nP0 ;\nNOP ;\nexists (x=1)", "t.litmus")
    assert sections.initial.text.strip() == "x=1;"


def test_arrays_do_not_end_the_initial_state() -> None:
    assert split("X86 t\n{ int x[2]={1,2}; }\nP0 ;\n", "t").initial.text.strip() == "int x[2]={1,2};"


@pytest.mark.parametrize(
    ("text", "line"),
    [("", 1), ("X86", 1), ("X86 t\n", 2), ("X86 t\n{ x=1;\nP0 ;", 2), ("X86 t\n{}\nP0 ; (* open", 3)],
)
def test_broken_files_are_refused_at_their_place(text: str, line: int) -> None:
    with pytest.raises(InputError) as refused:
        split(text, "broken.litmus")
    assert refused.value.span is not None
    assert refused.value.span.line == line


def test_many_unclosed_comments_are_refused_quickly() -> None:
    with pytest.raises(InputError):
        split("X86 t\n{}\nP0 ;\n" + "(* " * 50_000, "t.litmus")
    split("C t\n{}\nP0(int *x) { " + "/* " * 50_000 + "}\nexists (x=1)", "t.litmus")
