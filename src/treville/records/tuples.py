"""A class with annotated fields -> a tuple whose elements have names, as `typing.NamedTuple` makes it.

The standard library compiles every annotation and the constructor, a quarter of a millisecond a class. Here
annotations stay text, and the constructor is compiled by its first call.
"""

from __future__ import annotations

from collections import _tuplegetter  # type: ignore[attr-defined]
from collections.abc import Iterable
from typing import Any

Class = type[Any]
_new = tuple.__new__


class _Making(type):
    """What makes the classes: they are plain subclasses of `tuple`."""

    def __new__(cls, name: str, _bases: tuple[Class, ...], content: dict[str, Any]) -> Any:
        names = tuple(content.get("__annotations__", ()))
        defaults = {field: content.pop(field) for field in names if field in content}
        if tuple(defaults) != names[len(names) - len(defaults) :]:
            raise TypeError(f"{name}: fields without a default come first")
        if clash := content.keys() & _METHODS.keys():
            raise AttributeError(f"{name} cannot define {', '.join(sorted(clash))}")
        content |= _METHODS | {field: _tuplegetter(at, None) for at, field in enumerate(names)}
        content.setdefault("__repr__", _representation)
        content["__slots__"] = ()
        content["_fields"] = content["__match_args__"] = names
        content["_field_defaults"] = defaults

        def __new__(cls: Class, *given: Any, **named: Any) -> Any:  # noqa: N807
            compiled = _compiled(names, defaults)
            made.__new__ = staticmethod(compiled)
            return compiled(cls, *given, **named)

        content["__new__"] = __new__
        made: Class = type(name, (tuple,), content)
        return made


def _compiled(names: tuple[str, ...], defaults: dict[str, Any]) -> Any:
    """The constructor of a class with these fields."""
    elements = "".join(f"{name}, " for name in names)
    made = eval(f"lambda _cls, {elements}: _new(_cls, ({elements}))", {"_new": _new})
    made.__name__ = made.__qualname__ = "__new__"
    made.__defaults__ = tuple(defaults.values())
    return made


# -- methods -----------------------------------------------------------------------------------------------


def _make(cls: Class, values: Iterable[Any]) -> Any:
    """A tuple of these values."""
    made = _new(cls, values)
    if len(made) != len(cls._fields):
        raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
    return made


def _replace(self: Any, /, **changes: Any) -> Any:
    """The tuple with other values for some fields."""
    made = self._make(map(changes.pop, self._fields, self))
    if changes:
        raise ValueError(f"Got unexpected field names: {list(changes)!r}")
    return made


def _asdict(self: Any) -> dict[str, Any]:
    """The values by name."""
    return dict(zip(self._fields, self, strict=True))


def _representation(self: Any) -> str:
    told = ", ".join([f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)])
    return f"{self.__class__.__name__}({told})"


def _arguments(self: Any) -> tuple[Any, ...]:
    """What copies are made of."""
    return tuple(self)


_METHODS: dict[str, Any] = {
    "_make": classmethod(_make), "_replace": _replace, "_asdict": _asdict, "__getnewargs__": _arguments,
}  # fmt: skip
NamedTuple = type.__new__(_Making, "NamedTuple", (), {})
