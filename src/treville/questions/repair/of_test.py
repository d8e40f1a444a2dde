"""The text of a litmus test -> what to repair."""

from __future__ import annotations

from treville.programs.litmus import dialect_of, layout
from treville.questions.repair.litmus import AssemblySubject, LitmusSubject
from treville.questions.repair.litmus_c import CLitmusSubject


def litmus_subject(text: str, file: str, races: bool = False, bound: int | None = None) -> LitmusSubject:
    """The subject of a test. With `races` data races must not be either, under models that know them; without
    a `bound` loops are unrolled until the answer is conclusive."""
    dialect = dialect_of(layout.split(text.removeprefix("\ufeff"), file))
    kind = CLitmusSubject if dialect in ("C", "LKMM") else AssemblySubject
    return kind(text, file, races, bound)
