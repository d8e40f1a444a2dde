"""Logs in five formats, told apart by their content; wrong ones are refused with their place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treville.histories import Status, check, find_level, read_history
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
    "jepsen's console": """INFO  jepsen.core - Everything is set up
INFO  jepsen.util - 0	:invoke	:write	[x 1]
INFO  jepsen.util - 0	:ok	:write	[x 1]
INFO  jepsen.util - :nemesis	:info	:start	"partition [n1 n2]"
2015-01-01 10:00:00,123{GMT} INFO [jepsen worker 1] jepsen.util: 1 :invoke :read [x nil]
INFO  jepsen.util - 1	:ok	:read	[x 1]""",
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
    "{:process 0 :type :invoke :f :read}\n{:process 1 :type :invoke :f :txn :value [[:r x nil]]}": (
        2,
        "transaction",
    ),
    '{"process":0,"type":"txn","value":[["r","x",null]]}': (1, "transaction"),
    "0\t:invoke\t:read\tnil\n0\t:ok\t:read\t[1": (2, "]"),
    "0\t:invoke\t:read\tnil\n0\t:ok\t:read\t1 2": (2, "follows"),
    "0\t:invoke\t:read\tnil\n\t:ok\t:read\t1": (2, "process"),
    "0,w,x,1\n0,append,x,2\n": (2, "append, write"),
    "(w,x,1)\n|| (r,x)": (2, "operation"),
    "(w,x,1).(z,x,1)": (1, "operation"),
    "nothing of the kind": (1, "history"),
    "": (1, "operations"),
    "# only a comment": (1, "history"),
}


JEPSEN = """0	:invoke	:write	3
0	:info	:write	:timed-out
1	:invoke	:cas	[3 4]
1	:ok	:cas	[3 4]
2	:invoke	:cas	[7 8]
2	:fail	:cas	[7 8]
3	:invoke	:read	nil
3	:fail	:read	:timed-out
4	:invoke	:read	nil
4	:ok	:read	%s
5	:invoke	:write	9
"""


def test_what_did_not_return_may_have_happened_and_what_failed_did_not() -> None:
    """An unfinished write takes effect later, or never; the error in its place is no value."""
    history = read_history(JEPSEN % 4, "log")
    assert history.object_type == "register with compare-and-set"
    assert [(o.value, o.status) for o in history.operations] == [
        (3, Status.INFO),
        ("[3, 4]", Status.OK),
        ("[7, 8]", Status.FAIL),
        (None, Status.FAIL),
        (4, Status.OK),
        (9, Status.INFO),
    ]
    level = find_level("linearizability")
    for value, verdict in ((4, "PASS"), (9, "FAIL"), (3, "FAIL"), (8, "FAIL"), ("nil", "FAIL")):
        assert check(read_history(JEPSEN % value, "log"), level).verdict.value == verdict, value


def test_registers_of_jepsen_start_with_nil_where_somebody_reads_nil() -> None:
    text = "0\t:invoke\t:read\tnil\n0\t:ok\t:read\t%s\n1\t:invoke\t:read\tnil\n1\t:ok\t:read\t%s\n"
    for values, verdict in (((0, 0), "PASS"), (("nil", "nil"), "PASS"), (("nil", 0), "FAIL")):
        assert check(read_history(text % values, "log"), find_level("SC")).verdict.value == verdict


def test_a_list_that_is_read_is_no_key_with_a_value() -> None:
    phases = "0\t:invoke\t:append\t{0}1{1}\n0\t:ok\t:append\t{0}1{1}\n1\t:invoke\t:read\t{0}nil{1}\n"
    for key, end in (("", ""), ("[x ", "]")):
        text = phases.format(key, end) + f"1\t:ok\t:read\t{key}[1 2]{end}\n"
        history = read_history(text, "log")
        assert history.object_type == "list with append"
        assert [(o.key, o.value) for o in history.operations] == [
            ("x" if key else "register", 1),
            ("x" if key else "register", "[1, 2]"),
        ]


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
        "jepsen log",
        *("csv",) * 4,
        *("compact",) * 3,
    ]
