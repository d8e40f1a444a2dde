"""Tests and models that campaigns are about, found by name."""

from __future__ import annotations

from treville.models import library
from treville.models.model import Model
from treville.programs.litmus import DIALECTS, parse
from treville.programs.litmus.test import LitmusTest
from treville.programs.pts import SUFFIX as PTS
from treville.programs.pts import parse as parse_pts
from treville.results import InputError

TEST_SUFFIXES = (".litmus", PTS)


def load_test(text: str, name: str, leave_after: int | None = None) -> LitmusTest:
    """Parse a litmus test, or a `.pts` program as one; the name is for messages too. With `leave_after` the
    loops of the latter are left after so many rounds."""
    if name.endswith(PTS):
        return parse_pts(text, name, leave_after)
    if leave_after is not None:
        raise cannot_leave_loops(name)
    return parse(text, name)


def cannot_leave_loops(name: str) -> InputError:
    """Why loops of other files are not left, for the caller to raise."""
    return InputError(f"{name}: only loops of {PTS} programs can be left", hint="leave out --leave-loops")


def own_model(test: LitmusTest) -> str:
    """The model of the test's dialect."""
    return DIALECTS[test.dialect]


def load_model(name: str, variants: tuple[str, ...] = (), bell: str = "") -> Model:
    """A shipped model by name, or a `.cat` file; the library resolves each once per process."""
    try:
        return library.load_model(name, variants, bell or None)
    except OSError as error:
        raise InputError(f"cannot read the model: {error}") from None
