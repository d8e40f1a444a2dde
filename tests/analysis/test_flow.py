"""The order in which values of writes are computed."""

from tests.analysis.test_values import X, Y, analysed, thread

from treville.analysis.flow import groups_of_writes
from treville.programs.ir import Const, Load, Op, Reg, Store

ONE_MORE = Op("add", (Reg("r"), Const(1)))


def test_writes_come_behind_those_that_their_values_depend_on_and_together_only_in_cycles() -> None:
    from_y_to_x = thread(Load("r", Y), Store(X, ONE_MORE))
    symbolic, values = analysed(from_y_to_x, thread(Store(Y, Const(1))))
    groups = groups_of_writes(symbolic, values)
    assert [[write.instruction for write in group] for group in groups] == [
        [Store(Y, Const(1))],
        [Store(X, ONE_MORE)],
    ]
    symbolic, values = analysed(from_y_to_x, thread(Load("r", X), Store(Y, ONE_MORE)))
    assert [len(group) for group in groups_of_writes(symbolic, values)] == [2]
