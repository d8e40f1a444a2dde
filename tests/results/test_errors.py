"""Errors point at their place and show nothing that steers a terminal."""

import pickle

from treville.results import InputError, Source, Unsupported


def test_an_error_names_file_line_and_column_with_a_caret() -> None:
    source = Source("a.litmus", "X86 A\nMOV EAX,$x\n")
    error = InputError("expected a number", source.span(14, 2), "write $1")
    assert str(error).splitlines() == [
        "a.litmus:2:9: error: expected a number",
        "  MOV EAX,$x",
        "          ^^",
        "  write $1",
    ]


def test_control_characters_of_an_input_are_not_echoed() -> None:
    source = Source("evil", "\x1b[2Jboom\x07")
    shown = str(InputError("unknown word '\x1b[2J'", source.span(0, 3)))
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "boom" in shown


def test_errors_survive_the_way_between_processes() -> None:
    error = InputError("wrong", Source("f", "text").span(1), "hint")
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.span, again.hint) == (error.message, error.span, error.hint)


def test_of_a_long_line_only_the_surroundings_of_the_place_are_shown() -> None:
    text = "a" * 500 + "!" + "b" * 5_000
    _, line, caret = str(InputError("wrong", Source("f", text).span(500))).splitlines()
    assert len(line) < 200
    assert line[caret.index("^")] == "!"


def test_a_refusal_says_that_it_is_one() -> None:
    assert str(Unsupported("the instruction 'HLT'")) == "error: not supported: the instruction 'HLT'"
    assert pickle.loads(pickle.dumps(Unsupported("vectors"))).complaint == "not supported: vectors"
