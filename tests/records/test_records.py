"""Records behave as the standard library's classes of data do, in all that Treville uses of them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import msgspec
import pytest

from treville.records import FrozenInstanceError, dataclass, field, fields, is_dataclass, making

Decorator = Callable[..., Any]


def shapes(dataclass: Decorator, field: Decorator) -> dict[str, Any]:
    """Classes of every shape that occurs, made by one of the two."""

    @dataclass
    class Plain:
        a: int
        b: str = "b"

    @dataclass(frozen=True, slots=True)
    class Frozen:
        kind: ClassVar[str] = "frozen"
        a: int
        b: tuple[int, ...] = ()
        c: list[int] = field(default_factory=list, compare=False, repr=False)

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Named:
        b: int = 2
        a: int

    @dataclass(frozen=True, slots=True)
    class Derived(Frozen):
        b: tuple[int, ...] = (1,)
        d: int = 4
        e: int = field(default=5, kw_only=True)

    @dataclass(slots=True)
    class Computed:
        a: int
        double: int = field(init=False)
        seen: list[int] = field(init=False, default_factory=list)

        def __post_init__(self) -> None:
            self.double = 2 * self.a

    @dataclass(frozen=True, order=True)
    class Ordered:
        a: int
        b: int = 0

    @dataclass(frozen=True, slots=True, eq=False)
    class ByIdentity:
        a: int

    @dataclass(frozen=True, slots=True)
    class Own:
        a: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __hash__(self) -> int:
            return 1

        def __repr__(self) -> str:
            return "own"

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    kinds = (Plain, Frozen, Named, Derived, Computed, Ordered, ByIdentity, Own, Empty)
    return {kind.__name__: kind for kind in kinds}


OURS, THEIRS = shapes(making.dataclass, making.field), shapes(dataclasses.dataclass, dataclasses.field)
ARGUMENTS: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "Plain": [((1,), {}), ((1, "x"), {}), ((2,), {"b": "x"})],
    "Frozen": [((1,), {}), ((1, (2,)), {}), ((1, (2,), [3]), {}), ((2,), {"c": [1]})],
    "Named": [((), {"a": 1}), ((), {"a": 1, "b": 3})],
    "Derived": [((1,), {}), ((1, (), [], 3), {}), ((1,), {"e": 6}), ((1,), {"d": 7})],
    "Computed": [((1,), {}), ((3,), {})],
    "Ordered": [((1, 2), {}), ((1,), {}), ((0, 9), {})],
    "ByIdentity": [((1,), {})],
    "Own": [((1,), {}), ((2,), {})],
    "Empty": [((), {})],
}


def made(kinds: dict[str, Any], name: str) -> list[Any]:
    return [kinds[name](*given, **named) for given, named in ARGUMENTS[name]]


@pytest.mark.parametrize("name", OURS)
def test_objects_show_compare_and_hash_as_those_of_the_standard_library(name: str) -> None:
    ours, theirs = made(OURS, name), made(THEIRS, name)
    shown = [repr(each).replace("shapes.<locals>.", "") for each in theirs]
    assert [repr(each).replace("shapes.<locals>.", "") for each in ours] == shown
    equal = [[a == b for b in theirs] for a in theirs]
    assert [[a == b for b in ours] for a in ours] == equal
    assert OURS[name].__match_args__ == THEIRS[name].__match_args__
    assert (OURS[name].__hash__ is None) == (THEIRS[name].__hash__ is None)
    if OURS[name].__hash__ is not None:
        assert all(hash(a) == hash(b) for a in ours for b in ours if a == b)
    assert [each.name for each in fields(ours[0])] == [each.name for each in dataclasses.fields(theirs[0])]
    assert is_dataclass(OURS[name])
    assert is_dataclass(ours[0])


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("given", [(), (1, 2, 3, 4, 5, 6), (1, 2)])
def test_wrong_arguments_are_refused_alike(name: str, given: tuple[int, ...]) -> None:
    refused = []
    for kinds in (OURS, THEIRS):
        try:
            kinds[name](*given)
            refused.append(False)
        except TypeError:
            refused.append(True)
    assert refused[0] == refused[1]


def test_order() -> None:
    ours, theirs = made(OURS, "Ordered"), made(THEIRS, "Ordered")
    assert list(map(repr, sorted(ours))) == list(map(repr, sorted(theirs)))
    assert ours[0] > ours[1]
    assert ours[0] >= ours[0]
    with pytest.raises(TypeError):
        assert ours[0] < 1


def test_a_copy_has_other_values() -> None:
    first = OURS["Derived"](1, (2,), [3], 4, e=5)
    other = making.replace(first, d=9)
    assert (other.a, other.b, other.c, other.d, other.e) == (1, (2,), [3], 9, 5)
    assert dataclasses.replace(first, d=9) == other
    assert making.replace(OURS["Computed"](2), a=3).double == 6
    with pytest.raises(ValueError, match="double"):
        making.replace(OURS["Computed"](2), double=3)
    with pytest.raises(TypeError):
        making.replace(first, nothing=1)


@pytest.mark.parametrize("name", ["Frozen", "Named", "Derived", "Ordered"])
def test_frozen_means_frozen(name: str) -> None:
    [first, *_] = made(OURS, name)
    with pytest.raises(FrozenInstanceError, match="'a'"):
        first.a = 7
    with pytest.raises(FrozenInstanceError):
        del first.a
    assert first.a in (0, 1)


def test_slots_leave_no_room_for_other_attributes() -> None:
    assert not hasattr(made(OURS, "Frozen")[0], "__dict__")
    assert not hasattr(made(OURS, "Derived")[0], "__dict__")
    with pytest.raises(AttributeError):
        made(OURS, "Computed")[0].other = 1
    assert OURS["Frozen"].kind == "frozen"


def test_defaults_that_are_made_are_not_shared() -> None:
    first, second = OURS["Frozen"](1), OURS["Frozen"](1)
    first.c.append(1)
    assert second.c == []


@dataclass(frozen=True, slots=True)
class Sent:
    """Pickled by its name, so it stands on its own."""

    a: int
    b: tuple[str, ...] = ()
    c: dict[str, int] = field(default_factory=dict)


def test_records_travel_between_processes() -> None:
    sent = Sent(1, ("x",), {"y": 2})
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(sent, protocol)) == sent
    assert copy.deepcopy(sent) == sent


def test_others_take_records_for_classes_of_data() -> None:
    assert msgspec.convert({"a": 1, "b": ["x"]}, Sent) == Sent(1, ("x",))
    assert msgspec.to_builtins(Sent(1)) == {"a": 1, "b": (), "c": {}}
    assert dataclasses.is_dataclass(Sent)
    assert dataclasses.asdict(Sent(1)) == {"a": 1, "b": (), "c": {}}
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"b": []}, Sent)
