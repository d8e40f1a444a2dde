"""Readers take time in proportion to their inputs, also where these are long runs of blanks and brackets."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from treville.campaigns.loading import load_test
from treville.histories import read_history
from treville.programs.c.tokens import Tokens
from treville.programs.includes import included
from treville.results import InputError

_BLANKS = " " * 20_000
_SECONDS = 1.0  # of this process: what was quadratic took minutes


def _history() -> None:
    read_history(f"(w,x,{_BLANKS},", "log")


def _test() -> None:
    load_test(f"X86 t\n{{ }}\n P0 ;\n mov eax,[{_BLANKS}[ ;\nexists (x=0)\n", "t.litmus")


def _array() -> None:
    Tokens("[ x ptr]").number()


def _long_array() -> None:
    Tokens(f"{'1' * 5_000} x ptr]").number()


@pytest.mark.parametrize("read", [_history, _test, _array, _long_array])
def test_long_runs_of_blanks_are_refused_at_once(read: Callable[[], None]) -> None:
    started = time.process_time()
    with pytest.raises(InputError):
        read()
    assert time.process_time() - started < _SECONDS


@pytest.mark.parametrize("text", ["\n" * 50_000, "#" + "/**/" * 40 + "x", "#/*" * 50_000, "# " * 50_000])
def test_what_a_file_includes_is_known_at_once(text: str) -> None:
    started = time.process_time()
    assert included(text.encode()) in ([], None)
    assert time.process_time() - started < _SECONDS


def test_comments_inside_of_directives_hide_nothing() -> None:
    assert included(b'# /* a */ include /* b\n */ "x.h"') == [(True, "x.h")]
    assert included(b"#include /*" + b"*" * 5_000 + b"*/ <x.h>") is None
