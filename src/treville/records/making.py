"""A class with annotated fields -> the class with the methods that they imply.

A question needs about a hundred such classes before it starts. The standard library compiles half a dozen
functions for each of them, half a millisecond a class, once a third of all start-up; here `__init__` alone
is compiled, when the first object of a class is made (most classes have none in one run), and the other
methods are closures over the names of the fields. What is not used anywhere (`InitVar`, `KW_ONLY`, `asdict`,
inherited defaults that are not fields) is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Any, TypeAlias

Class: TypeAlias = type[Any]

_MISSING: Any = object()
_NO_METADATA: Mapping[Any, Any] = MappingProxyType({})
_FIELDS = "__record_fields__"


class FrozenInstanceError(AttributeError):
    """A field of a frozen record was assigned or deleted."""


class Field:
    """A field: its name, its type as it is written, and how it begins."""

    __slots__ = ("compare", "default", "factory", "init", "kw_only", "metadata", "name", "repr", "type")

    def __init__(
        self,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,  # noqa: A002 - the standard library's names
        compare: bool = True,
        metadata: Mapping[Any, Any] | None = None,
        kw_only: bool | None = None,
    ) -> None:
        self.default, self.factory = default, default_factory
        self.init, self.repr, self.compare, self.kw_only = init, repr, compare, kw_only
        self.metadata = _NO_METADATA if metadata is None else MappingProxyType(metadata)
        self.name = self.type = ""

    @property
    def is_required(self) -> bool:
        """Must it be given?"""
        return self.default is _MISSING and self.factory is _MISSING


def field(**how: Any) -> Any:
    """A field with more than a default."""
    return Field(**how)


def dataclass(cls: Class | None = None, /, **how: Any) -> Any:
    """The class with its methods; a decorator with or without arguments."""
    return _made(cls, **how) if cls is not None else lambda cls: _made(cls, **how)


def is_dataclass(value: object) -> bool:
    """Is it a record, or a class of records?"""
    return hasattr(value if isinstance(value, type) else type(value), _FIELDS)


def fields(value: object) -> tuple[Field, ...]:
    """The fields of a record, or of a class of records."""
    return tuple(getattr(value, _FIELDS).values())


def replace(value: Any, /, **changes: Any) -> Any:
    """A copy with other values for some fields."""
    for each in fields(value):
        if each.init:
            changes.setdefault(each.name, getattr(value, each.name))
        elif each.name in changes:
            raise ValueError(f"field {each.name} is declared with init=False: it cannot be replaced")
    return value.__class__(**changes)


# -- making a class --------------------------------------------------------------------------------------


def _made(
    cls: Class,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    order: bool = False,
    kw_only: bool = False,
) -> Class:
    own, every = _fields_of(cls, kw_only)
    cls = _with_slots(cls, own, frozen) if slots else _with_defaults(cls, own)
    setattr(cls, _FIELDS, every)
    cls.__dataclass_fields__ = _STANDARD
    compared = [each.name for each in every.values() if each.compare]
    methods = _construction(cls, list(every.values()), frozen)
    methods["__repr__"] = _representation([each.name for each in every.values() if each.repr])
    if eq:
        methods |= _equality(compared, frozen)
    for name, method in methods.items():
        # A class that has `__eq__` itself has None as `__hash__`, whether it wants to or not.
        if name not in cls.__dict__ or (name == "__hash__" and cls.__dict__[name] is None):
            setattr(cls, name, method)
    if order:
        cls.__lt__, cls.__le__ = _order(compared)
    if frozen:
        type.__setattr__(cls, "__setattr__", _refuse_setting)
        type.__setattr__(cls, "__delattr__", _refuse_deleting)
    return cls


def _fields_of(cls: Class, kw_only: bool) -> tuple[dict[str, Field], dict[str, Field]]:
    """The fields that the class itself declares, and all with those of its bases, in order."""
    every: dict[str, Field] = {}
    for base in cls.__mro__[-1:0:-1]:
        every |= base.__dict__.get(_FIELDS, {})
    own: dict[str, Field] = {}
    for name, written in vars(cls).get("__annotations__", {}).items():
        if written.startswith("ClassVar"):
            continue
        given = cls.__dict__.get(name, _MISSING)
        each = given if isinstance(given, Field) else Field(given)
        each.name, each.type = name, written
        each.kw_only = kw_only if each.kw_only is None else each.kw_only
        own[name] = each
    return own, every | own


def _with_defaults(cls: Class, own: Mapping[str, Field]) -> Class:
    """The class whose attributes are the fields' defaults, not their descriptions."""
    for name, each in own.items():
        if each.default is not _MISSING:
            setattr(cls, name, each.default)
        elif name in cls.__dict__:
            delattr(cls, name)
    return cls


def _with_slots(cls: Class, own: Mapping[str, Field], frozen: bool) -> Class:
    """The class once more, with slots for its fields."""
    content = {name: value for name, value in cls.__dict__.items() if name not in own}
    content.pop("__dict__", None)
    content.pop("__weakref__", None)
    inherited = {slot for base in cls.__mro__[1:-1] for slot in base.__dict__.get("__slots__", ())}
    content["__slots__"] = tuple(name for name in own if name not in inherited)
    if frozen:
        content.setdefault("__getstate__", _state)
        content.setdefault("__setstate__", _set_state)
    metaclass: Any = type(cls)
    made: Class = metaclass(cls.__name__, cls.__bases__, content)
    made.__qualname__ = cls.__qualname__
    return made


class _StandardFields:
    """`__dataclass_fields__`, made when somebody asks: the standard library and msgspec look for it."""

    def __get__(self, instance: object, owner: Class) -> dict[str, Any]:
        import dataclasses

        made: dict[str, Any] = {}
        for each in fields(owner):
            how = {name: getattr(each, name) for name in ("init", "repr", "compare", "metadata", "kw_only")}
            if each.default is not _MISSING:
                how["default"] = each.default
            if each.factory is not _MISSING:
                how["default_factory"] = each.factory
            made[each.name] = standard = dataclasses.field(**how)
            standard.name, standard.type = each.name, each.type
            standard._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
        return made


_STANDARD = _StandardFields()


# -- its methods -----------------------------------------------------------------------------------------


def _construction(cls: Class, every: list[Field], frozen: bool) -> dict[str, Any]:
    """`__init__`, compiled for these fields by its first call, and `__match_args__`."""

    def __init__(self: Any, *given: Any, **named: Any) -> None:  # noqa: N807
        cls.__init__ = compiled = _compiled(cls, every, frozen)
        compiled(self, *given, **named)

    positional = tuple(each.name for each in every if each.init and not each.kw_only)
    return {"__init__": __init__, "__match_args__": positional}


def _compiled(cls: Class, every: list[Field], frozen: bool) -> Any:
    """The `__init__` of a class."""
    scope: dict[str, Any] = {"_missing": _MISSING, "_set": object.__setattr__}
    body: list[str] = []
    for each in every:
        if not each.is_required:
            scope[f"_of_{each.name}"] = each.default if each.factory is _MISSING else each.factory
        if (value := _beginning(each)) is not None:
            target = f"_set(self, {each.name!r}, {value})" if frozen else f"self.{each.name} = {value}"
            body.append(f" {target}")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    given = [each for each in every if each.init]
    positional = [_parameter(each) for each in given if not each.kw_only]
    by_name = [_parameter(each) for each in given if each.kw_only]
    parameters = ["self", *positional, *(["*", *by_name] if by_name else [])]
    exec(f"def __init__({', '.join(parameters)}):\n" + ("\n".join(body) or " pass"), scope)
    made = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _beginning(each: Field) -> str | None:
    """What a field begins with, as Python; None: nothing, before `__post_init__`."""
    name = each.name
    if each.init:
        return name if each.factory is _MISSING else f"_of_{name}() if {name} is _missing else {name}"
    if each.is_required:
        return None
    return f"_of_{name}" if each.factory is _MISSING else f"_of_{name}()"


def _parameter(each: Field) -> str:
    if each.is_required:
        return each.name
    return f"{each.name}=_of_{each.name}" if each.factory is _MISSING else f"{each.name}=_missing"


def _representation(names: list[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:  # noqa: N807
        told = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{self.__class__.__qualname__}({told})"

    return __repr__


def _values(names: list[str]) -> Callable[[Any], Any]:
    """What the fields of an object hold."""
    return attrgetter(*names) if names else lambda _: ()


def _equality(names: list[str], frozen: bool) -> dict[str, Any]:
    values = _values(names)

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _order(names: list[str]) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Less, and less or equal; Python turns them round for the other two."""
    values = _values(names)

    def __lt__(self: Any, other: Any) -> Any:  # noqa: N807
        return values(self) < values(other) if other.__class__ is self.__class__ else NotImplemented

    def __le__(self: Any, other: Any) -> Any:  # noqa: N807
        return values(self) <= values(other) if other.__class__ is self.__class__ else NotImplemented

    return __lt__, __le__


def _refuse_setting(_: object, name: str, value: object) -> None:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(_: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: object) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: object, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
