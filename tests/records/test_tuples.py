"""Tuples with names behave as those of the standard library do, in all that Treville uses of them."""

from __future__ import annotations

import copy
import pickle
import typing
from typing import Any

import pytest

from treville.records.tuples import NamedTuple as Ours


def shapes(base: Any) -> dict[str, Any]:
    """Classes of every shape that occurs, made by one of the two."""

    class Plain(base):  # type: ignore[misc]
        """Its documentation."""

        a: int
        b: str = "b"
        c: tuple[int, ...] = ()

        @property
        def doubled(self) -> int:
            return 2 * self.a

        @classmethod
        def of(cls, a: int) -> Any:
            return cls(a, "of")

        def length(self) -> int:
            return len(self) + len(self._fields)

    class Empty(base):  # type: ignore[misc]
        pass

    class Own(base):  # type: ignore[misc]
        a: int

        def __repr__(self) -> str:
            return "own"

    return {kind.__name__: kind for kind in (Plain, Empty, Own)}


OURS, THEIRS = shapes(Ours), shapes(typing.NamedTuple)
ARGUMENTS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Plain", (1,), {}), ("Plain", (1, "x"), {"c": (1,)}), ("Plain", (), {"a": 1}), ("Plain", (), {}),
    ("Plain", (1, 2, 3, 4), {}), ("Plain", (1,), {"d": 1}), ("Empty", (), {}), ("Own", (1,), {}),
    ("Own", (), {"b": 1}),
]  # fmt: skip


def told(make: Any) -> Any:
    try:
        value = make()
        return repr(value), tuple(value), value._asdict(), hash(value), bool(value), value == tuple(value)
    except TypeError as error:
        return str(error).rpartition(".")[2]


@pytest.mark.parametrize("case", ARGUMENTS, ids=str)
def test_they_are_made_shown_and_compared_as_those_of_the_standard_library(case: Any) -> None:
    name, given, named = case
    ours, theirs = (told(lambda kinds=kinds: kinds[name](*given, **named)) for kinds in (OURS, THEIRS))
    assert ours == theirs
    assert told(lambda: OURS[name](*given, **named)) == theirs  # not by the first call alone


def test_classes_know_their_fields() -> None:
    for name in OURS:
        for fact in ("_fields", "_field_defaults", "__match_args__", "__doc__", "__slots__", "__module__"):
            ours = getattr(OURS[name], fact)
            assert ours == getattr(THEIRS[name], fact) or (fact == "__doc__" and ours is None)
        assert OURS[name].__bases__ == (tuple,)
        assert not hasattr(OURS[name].__new__(OURS[name], *([1] if OURS[name]._fields else [])), "__dict__")


def test_methods_are_there() -> None:
    first = OURS["Plain"].of(2)
    assert (first.a, first.b, first.doubled, first.length()) == (2, "of", 4, 6)
    assert first._replace(a=3) == (3, "of", ())
    assert OURS["Plain"]._make([1, 2, 3]) == (1, 2, 3)
    with pytest.raises(ValueError, match="nothing"):
        first._replace(nothing=1)
    with pytest.raises(TypeError):
        OURS["Plain"]._make([1])
    with pytest.raises(AttributeError):
        first.a = 3
    assert copy.deepcopy(first) == first


def test_what_would_not_work_is_refused() -> None:
    with pytest.raises(TypeError, match="come first"):
        type(Ours)("Late", (Ours,), {"__annotations__": {"a": "int", "b": "int"}, "a": 1})
    with pytest.raises(AttributeError, match="_replace"):
        type(Ours)("Own", (Ours,), {"__annotations__": {}, "_replace": None})


class Sent(Ours):  # type: ignore[valid-type,misc]
    """Pickled by its name, so it stands on its own."""

    a: int
    b: tuple[str, ...] = ()


def test_they_travel_between_processes() -> None:
    sent = Sent(1, ("x",))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(sent, protocol))
        assert again == sent
        assert type(again) is Sent
    match again:
        case Sent(a, b=("x",)):
            assert a == 1
        case _:
            pytest.fail("it matches")
