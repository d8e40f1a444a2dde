"""Logs in four formats, told apart by their content; wrong ones are refused with their place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treville.histories import Status, read_history
from treville.histories.formats.detection import detect
from treville.results import InputError

COMPACT = "(w,x,1) || (r,x,1)"
SAME = {
    "json lines": """{"process":0,"type":"write","key":"x","value":1}

{"process":1,"type":"read","key":"x","value":1}
""",
    "json array": """[{"process":0,"type":"write","key":"x","value":1},
  {"process":1,"type":"r","key":"x","value":1}]""",
    "json with aliases": """{"thread":"a","op":"put","loc":"x","val":1}
{"thread":"b","op":"get","loc":"x","val":1}""",
    "edn": """{:process 0, :type :write, :key :x, :value 1}
; a comment
{:process 1 :type :read :key :x :value 1}""",
    "edn vector": """[{:process 0, :type :write, :key x, :value 1}
  #_ {:a 1} {:process 1 :type :read :key x :value 1}]""",
    "jepsen": """{:process 0, :type :invoke, :f :write, :value [x 1]}
{:process 0, :type :ok, :f :write, :value [x 1]}
{:process :nemesis, :type :info, :f :start, :value nil}
{:process 1, :type :invoke, :f :read, :value [x nil]}
{:process 1, :type :ok, :f :read, :value [x 1]}""",
    "csv": "process,type,key,value\n0,write,x,1\n1,read,x,1\n",
    "csv without header": "0,w,x,1\n1,r,x,1\n",
    "semicolons": "0;w;x;1\n1;r;x;1\n",
    "tabs": "0\tw\tx\t1\n1\tr\tx\t1\n",
    "compact": COMPACT,
    "compact with lines": "p: (w,x,1)\nq: (r,x,1)\n",
    "compact with names": "# two threads\np: (w, x, 1) ∥ q: (r,x,1)",
}


@pytest.mark.parametrize("name", SAME)
def test_every_format_says_the_same(name: str) -> None:
    assert read_history(SAME[name], "whatever.bin").compact() == COMPACT


def test_times_and_status_are_read() -> None:
    history = read_history("0,write,x,1,1.5,2\n1,read,x,1,3,4,ok\n2,write,x,9,3,,info\n", "h")
    assert [(o.start, o.end, o.status) for o in history.operations] == [
        (1.5, 2.0, Status.OK),
        (3.0, 4.0, Status.OK),
        (3.0, None, Status.INFO),
    ]
    assert history.has_times


def test_program_order_follows_the_start_of_operations() -> None:
    history = read_history("0,r,x,0,5,6\n0,w,x,1,1,2\n", "h")
    assert history.events.threads == ((1, 0),)


def test_initial_values_come_from_the_log_and_from_the_caller() -> None:
    text = '{"initial": {"x": 5}}\n{"process":0,"type":"read","key":"x","value":5}'
    assert read_history(text, "h").initial_value("x") == 5
    assert read_history(text, "h", {"x": 6, "*": 7}).initial_value("x") == 6
    assert read_history(text, "h", {"*": 7}).initial_value("y") == 7
    assert read_history("init x=3\n(r,x,3)", "h").initial_value("x") == 3


def test_a_read_of_nothing_is_a_read_of_the_initial_value() -> None:
    for text in ("(r,x,⊥)", '{"process":0,"type":"read","key":"x","value":null}', "0,r,x,\n1,w,x,1\n"):
        events = read_history(text, "h").events
        assert events.values[0] == 0


WRONG = {
    '{"process":0,"type":"write","key":"x","value":1}\n{"process":0,"type":"wriet","key":"x","value":1}': (
        2,
        "write",
    ),
    '{"process":0,"type":"write","key":"x","value":1}\n{"process":0,': (2, "JSON"),
    '{"type":"write","key":"x","value":1}': (1, "process"),
    '{"process":0,"type":"write","key":"x"}': (1, "value"),
    '{"process":0,"key":"x","value":1}': (1, "type"),
    '{"process":0,"type":"read","key":"x","value":1,"invoke":"soon"}': (1, "time"),
    '{"process":0,"type":"read","key":"x","value":1,"invoke":5,"complete":4}': (1, "completes"),
    '{"process":0,"type":"read","key":"x","value":1,"status":"maybe"}': (1, "status"),
    "{:process 0 :type :write :key x :value 1}\n{:process 0 :type :write :key": (2, "}"),
    "{:process 0 :type :ok :f :write :value [x 1]}": (1, "invocation"),
    "0,w,x,1\n1,r,x\n": (2, "columns"),
    "(w,x,1)\n|| (r,x)": (2, "operation"),
    "(w,x,1).(z,x,1)": (1, "operation"),
    "nothing of the kind": (1, "history"),
    "": (1, "operations"),
    "# only a comment": (1, "history"),
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_lines_are_named(text: str) -> None:
    line, word = WRONG[text]
    with pytest.raises(InputError) as caught:
        read_history(text, "log")
    assert caught.value.span is not None
    assert caught.value.span.line == line
    assert word in str(caught.value)


@pytest.mark.parametrize(
    "text", ["[" * 50_000, '{"a":' * 50_000, "{:a " * 50_000, "#_" * 50_000 + "{:a 1}", "#a " * 5000]
)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_history(text, "log")


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='{}[]():,"\\;#|.rwxyz01_- \n\tok', max_size=60))
def test_any_text_is_a_history_or_an_input_error(text: str) -> None:
    try:
        history = read_history(text, "log")
    except InputError:
        return
    assert history.operations
    assert history.events.count <= len(history.operations)


def test_the_format_is_told_by_content() -> None:
    assert [detect(text) for text in SAME.values()] == [
        *("json",) * 3,
        *("edn",) * 3,
        *("csv",) * 4,
        *("compact",) * 3,
    ]
