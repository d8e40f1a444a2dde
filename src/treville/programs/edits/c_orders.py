"""Calls in C sources that have a memory order, and how they are typed with another one.

C11's generic functions with and without `_explicit`, the builtins of GNU C, fences of both, and the Linux
kernel's primitives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from treville.programs.edits.c_tokens import CallText
from treville.programs.edits.text import Edit
from treville.records import NamedTuple

C11_WORDS = {
    "RLX": "relaxed", "CON": "consume", "ACQ": "acquire", "REL": "release", "ACQ_REL": "acq_rel",
    "SC": "seq_cst",
}  # fmt: skip
_GNU_WORDS = {order: f"__ATOMIC_{word.upper()}" for order, word in C11_WORDS.items()}
_STANDARD_WORDS = {order: f"memory_order_{word}" for order, word in C11_WORDS.items()}
_ORDER_OF = {
    word: order for words in (_GNU_WORDS, _STANDARD_WORDS) for order, word in words.items()
}  # fmt: skip
_STANDARD = re.compile(
    r"atomic_(?P<does>load|store|exchange|compare_exchange_(?:strong|weak)|fetch_(?:add|sub|or|xor|and)"
    r"|flag_test_and_set|flag_clear)(?P<explicit>_explicit)?$"
)
_BUILTIN = re.compile(
    r"__(?:c11_)?atomic_(?P<does>load|store|exchange|compare_exchange|fetch_(?:add|sub|or|xor|and|nand)"
    r"|(?:add|sub|or|xor|and|nand)_fetch|test_and_set|clear)(?:_n|_strong|_weak)?$"
)
_FENCE_NAMES = {"atomic_thread_fence": _STANDARD_WORDS, "__atomic_thread_fence": _GNU_WORDS}
FULL_FENCE = "__sync_synchronize"


class Ordered(NamedTuple):
    """A call with an order: what it does (`load`, `store`, `update`, `fence`), the order, where its word
    stands (None: there is none, and the call gets one), the words of its family. `compares`: another word
    gives the order of failure."""

    call: CallText
    does: str
    order: str
    word: tuple[int, int] | None
    words: Mapping[str, str]
    failure: tuple[int, int] | None = None
    failure_order: str = ""


def ordered(call: CallText, text: str, named: Mapping[str, str] = MappingProxyType({})) -> Ordered | None:
    """The order of a call of C11 or GNU C; None where it has none, or where a constant does not tell it.
    `named` are macros that stand for a word."""
    return _Reader(call, text, named).ordered()


class _Reader:
    """Reads one call."""

    def __init__(self, call: CallText, text: str, named: Mapping[str, str]) -> None:
        self.call = call
        self.words = [text[start:end] for start, end in call.arguments]
        self.words = [named.get(word, word) for word in self.words]

    def ordered(self) -> Ordered | None:
        """See the function."""
        name, last = self.call.name.text, len(self.words) - 1
        if name in _FENCE_NAMES:
            return self._with_order("fence", last, _FENCE_NAMES[name])
        if match := _STANDARD.match(name):
            return self._standard(match["does"], bool(match["explicit"]))
        match = _BUILTIN.match(name)
        if match is None or not self.words:
            return None
        words = _STANDARD_WORDS if self.words[-1].startswith("memory_order") else _GNU_WORDS
        if match["does"] == "compare_exchange":
            return self._compares(last - 1, words)
        return self._with_order(_kind(match["does"]), last, words)

    def _standard(self, does: str, explicit: bool) -> Ordered | None:
        compares = does.startswith("compare")
        if not explicit:
            failure = (0, 0) if compares else None
            return Ordered(self.call, _kind(does), "SC", None, _STANDARD_WORDS, failure)
        last = len(self.words) - 1
        if compares:
            return self._compares(last - 1, _STANDARD_WORDS)
        return self._with_order(_kind(does), last, _STANDARD_WORDS)

    def _with_order(self, does: str, argument: int, words: Mapping[str, str]) -> Ordered | None:
        order = _ORDER_OF.get(self.words[argument]) if argument >= 0 else None
        if order is None:
            return None
        return Ordered(self.call, does, order, self.call.arguments[argument], words)

    def _compares(self, argument: int, words: Mapping[str, str]) -> Ordered | None:
        found = self._with_order("update", argument, words)
        failure = _ORDER_OF.get(self.words[argument + 1]) if found else None
        if found is None or failure is None:
            return None
        return found._replace(failure=self.call.arguments[argument + 1], failure_order=failure)


def _kind(does: str) -> str:
    if does == "load":
        return "load"
    return "store" if does in ("store", "clear", "flag_clear") else "update"


def with_order(found: Ordered, order: str, file: str) -> list[Edit]:
    """The edits that give a call another order."""
    word = found.words[order]
    if found.word is not None:
        return [Edit(file, *found.word, word)]
    name, end = found.call.name, found.call.end
    compares = found.failure is not None
    failure = f", {found.words[failure_order(order)]}" if compares else ""
    return [
        Edit(file, name.end, name.end, "_explicit"),
        Edit(file, end - 1, end - 1, f", {word}{failure}"),
    ]


def failure_order(order: str) -> str:
    """The order of a failed exchange that C gives to one without a word of its own."""
    return {"ACQ_REL": "ACQ", "REL": "RLX"}.get(order, order)


# -- the kernel ------------------------------------------------------------------------------------------

_SUFFIXED = re.compile(
    r"(?P<stem>(?:try_)?(?:cmp)?xchg|atomic(?:64|_long)?_(?:(?:try_)?(?:cmp)?xchg"
    r"|fetch_(?:add|sub|inc|dec|and|or|xor|andnot)|(?:add|sub|inc|dec|and|or|xor|andnot)_return))"
    r"(?P<order>_relaxed|_acquire|_release)?$"
)
_PAIRS = {
    "atomic_read": "atomic_read_acquire", "atomic64_read": "atomic64_read_acquire",
    "atomic_long_read": "atomic_long_read_acquire", "smp_cond_load_relaxed": "smp_cond_load_acquire",
    "atomic_cond_read_relaxed": "atomic_cond_read_acquire",
}  # fmt: skip
_STORES = {f"atomic{kind}_set": f"atomic{kind}_set_release" for kind in ("", "64", "_long")}
KERNEL_FENCES = ("smp_rmb", "smp_wmb", "smp_mb")


class KernelCall(NamedTuple):
    """A primitive of the kernel: what it does, its order by the end of its name, and the names and forms of
    the others: name, and whether the first argument changes between a value and its address."""

    call: CallText
    does: str
    order: str
    names: Mapping[str, tuple[str, str]]


def kernel_call(call: CallText) -> KernelCall | None:
    """The primitive that a call is; None if there is none with another order."""
    name = call.name.text
    if match := _SUFFIXED.match(name):
        stem = match["stem"]
        names = {order: (f"{stem}{order}", "") for order in ("_relaxed", "_acquire", "_release", "")}
        return KernelCall(call, "update", match["order"] or "", names)
    for plain, ordered_name in (*_PAIRS.items(), *_STORES.items()):
        does, order = ("load", "_acquire") if plain in _PAIRS else ("store", "_release")
        if name in (plain, ordered_name):
            names = {"_relaxed": (plain, ""), order: (ordered_name, "")}
            return KernelCall(call, does, order if name == ordered_name else "_relaxed", names)
    match name:
        case "READ_ONCE":
            names = {"_relaxed": (name, ""), "_acquire": ("smp_load_acquire", "&")}
            return KernelCall(call, "load", "_relaxed", names)
        case "smp_load_acquire":
            names = {"_relaxed": ("READ_ONCE", "*"), "_acquire": (name, "")}
            return KernelCall(call, "load", "_acquire", names)
        case "WRITE_ONCE":
            names = {"_relaxed": (name, ""), "_release": ("smp_store_release", "&")}
            return KernelCall(call, "store", "_relaxed", names)
        case "smp_store_release":
            names = {"_relaxed": ("WRITE_ONCE", "*"), "_release": (name, "")}
            return KernelCall(call, "store", "_release", names)
        case _:
            return None


def with_kernel_order(found: KernelCall, order: str, file: str, text: str) -> list[Edit]:
    """The edits that make a call the primitive with another order."""
    name, change = found.names[order]
    edits = [Edit(file, found.call.name.start, found.call.name.end, name)]
    if change:
        start, end = found.call.arguments[0]
        edits.append(Edit(file, start, end, _turned(text[start:end], change)))
    return edits


_SIMPLE = re.compile(r"[\w.\[\]]+(?:->[\w.\[\]]+)*$")


def _turned(argument: str, change: str) -> str:
    """`x` for `&x`, or the other way round."""
    other = "*" if change == "&" else "&"
    if argument.startswith(other) and _SIMPLE.match(argument[1:].strip()):
        return argument[1:].strip()
    simple = _SIMPLE.match(argument) and (change == "&" or argument.isidentifier())
    return f"{change}{argument}" if simple else f"{change}({argument})"
