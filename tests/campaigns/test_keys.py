"""Two questions have the same key only if they must get the same answer."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from treville.campaigns.check import KIND as CHECK
from treville.campaigns.check import is_litmus
from treville.campaigns.check_task import Options, Question
from treville.campaigns.history import KIND as HISTORY
from treville.campaigns.history_task import Question as HistoryQuestion
from treville.campaigns.keys import program_key, text_key
from treville.campaigns.kind import Limits
from treville.campaigns.litmus import KIND as LITMUS
from treville.campaigns.litmus_task import Question as LitmusQuestion
from treville.campaigns.model_keys import model_key
from treville.campaigns.outputs import PictureName
from treville.campaigns.synth import KIND as SYNTH
from treville.campaigns.synth import Options as SynthOptions
from treville.campaigns.synth import Question as SynthQuestion


def test_a_header_that_changes_makes_another_question(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text('/* first */ #include \\\n"h.h"\nint main(void) { return X; }\n')
    (tmp_path / "h.h").write_text("#define X 0\n")
    asked = Question(str(tmp_path / "p.c"), "sc")
    before = CHECK.key(asked)
    assert CHECK.key(asked) == before
    (tmp_path / "h.h").write_text("#define X 1\n")
    assert CHECK.key(asked) != before


@pytest.mark.parametrize(
    "line", ['#define H "h.h"\n#include H', "%:include H", "#include_next H", "#import H"]
)
def test_headers_that_only_a_macro_names_are_asked_about_anew(tmp_path: Path, line: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"{line}\nint main(void) {{ return 0; }}\n")
    assert program_key((str(path),), ()) != program_key((str(path),), ())


def test_what_is_no_file_is_asked_about_anew(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "none"):
        assert text_key(str(tmp_path / name), None) != text_key(str(tmp_path / name), None)
    database = tmp_path / "compile_commands.json"
    database.write_text("[]")
    assert program_key((str(database),), ()) != program_key((str(database),), ())
    standard_input = Question("-", "sc", text="int main(void) { return 0; }")
    assert CHECK.key(standard_input) != CHECK.key(standard_input)


def test_options_make_another_question_and_limits_do_not(tmp_path: Path) -> None:
    path = tmp_path / "t.litmus"
    path.write_text("X86 t")
    asked = LitmusQuestion(str(path), "sc")
    same = replace(asked, options=replace(asked.options, limits=Limits(5, 7)))
    assert LITMUS.key(asked) == LITMUS.key(same)
    others = [
        replace(asked, model="tso"),
        replace(asked, picture=PictureName("other")),
        replace(asked, options=replace(asked.options, bound=3)),
        replace(asked, options=replace(asked.options, variants=("strong",))),
    ]
    assert len({LITMUS.key(each) for each in [asked, *others]}) == 5
    history = HistoryQuestion(str(path), "SC")
    assert HISTORY.key(history) != HISTORY.key(replace(history, asked=False))
    program = Question(str(path), "sc", options=Options())
    assert CHECK.key(program) != CHECK.key(replace(program, options=Options(loops=("3=4",))))


def test_a_model_is_what_it_says_and_names(tmp_path: Path) -> None:
    texts = {
        "plain": "acyclic po | rf as sc",
        "names": "acyclic po | rf as renamed",
        "unused": "let unused = [LWSYNC]\nacyclic po | rf as sc",
    }
    keys = set()
    for name, text in texts.items():
        path = tmp_path / f"{name}.cat"
        path.write_text(text)
        keys.add(model_key(str(path)).replace(str(path), ""))
    assert len(keys) == 3
    bell = tmp_path / "e.bell"
    bell.write_text("enum a = b")
    before = model_key("", (), str(bell))
    model_key.cache_clear()
    bell.write_text("enum a = c")
    assert model_key("", (), str(bell)) != before


def test_litmus_tests_on_standard_input_are_known_by_their_first_word() -> None:
    assert is_litmus("X86\tSB\n{}")
    assert is_litmus("(* a comment *)\n  PPC MP\n")
    assert not is_litmus("int main(void) { return 0; }")
    assert not is_litmus("")


def test_a_model_is_learnt_anew_where_a_test_or_a_model_changes(tmp_path: Path) -> None:
    results, test, oracle = tmp_path / "r.csv", tmp_path / "a.litmus", tmp_path / "o.cat"
    results.write_text(f"file,seen\nabsent,\n{test},allowed\n")
    test.write_text("X86 a\n")
    oracle.write_text("acyclic po\n")
    options = SynthOptions(expect=(str(results),), column="seen", oracle=str(oracle))
    asked = SynthQuestion("r", options)
    keys = [SYNTH.key(asked), SYNTH.key(asked)]
    test.write_text("X86 b\n")
    keys.append(SYNTH.key(asked))
    oracle.write_text("acyclic po | rf\n")
    model_key.cache_clear()
    keys.append(SYNTH.key(asked))
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3
