"""What models are made of: names and short expressions of cat, resolved once and evaluated on all executions.

Every dialect has a file of the library with its fences, so that names such as `mfence` or `ctrlisync` can be
used; models that are written include the same file.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

from treville.models.base import base_names
from treville.models.cat.resolve import resolve_text
from treville.models.model import SET, Model
from treville.questions.synthesis.by_size import Known
from treville.questions.synthesis.evaluation import Evaluator
from treville.questions.synthesis.listing import Executions, Value
from treville.questions.synthesis.terms import leaf
from treville.records import dataclass
from treville.results import InputError

_FENCE_FILES = {
    "X86": "x86fences.cat",
    "X86_64": "x86fences.cat",
    "PPC": "ppcfences.cat",
    "ARM": "armfences.cat",
    "AArch64": "aarch64fences.cat",
    "RISCV": "riscv-defs.cat",
}
# Relations that are in every dialect, and those that are there if some test has a pair of them.
_COMMON = ("po", "po-loc", "rf", "rfe", "co", "fr")
_WHERE_USED = ("rmw", "addr", "data", "ctrl")
FENCES: dict[str, tuple[str, ...]] = {
    "X86": ("mfence", "sfence", "lfence"),
    "X86_64": ("mfence", "sfence", "lfence"),
    "PPC": ("sync", "lwsync", "eieio", "ctrlisync"),
    "ARM": ("dmb", "dsb", "dmb.st", "dsb.st", "ctrlisb"),
    "AArch64": (
        "fencerel(dmb.full)", "fencerel(dmb.ld)", "fencerel(dmb.st)", "fencerel(dsb.st)", "ctrlcfence(ISB)",
    ),
    "RISCV": (
        "fence.r.r", "fence.r.w", "fence.r.rw", "fence.w.r", "fence.w.w", "fence.w.rw", "fence.rw.r",
        "fence.rw.w", "fence.rw.rw", "fence.tso",
    ),
    "LKMM": ("fencerel(Mb)", "fencerel(Rmb)", "fencerel(Wmb)"),
    "C": ("fencerel(F & SC)", "fencerel(F & acquiring)", "fencerel(F & releasing)"),
    "PTS": ("fencerel(F & SC)",),
}  # fmt: skip
# Sets of accesses with an order of their own, where some test has them.
ORDERS: dict[str, tuple[str, ...]] = {
    "X86": ("X",),
    "X86_64": ("X",),
    "AArch64": ("A", "L", "Q"),
    "RISCV": ("AQ", "RL", "RCsc"),
    "LKMM": ("Acquire", "Release"),
    "C": ("acquiring", "releasing", "SC"),
    "PTS": ("acquiring", "releasing", "SC"),
}


# A model that does not mention ordered accesses refuses tests of them, or has them compiled for hardware
# without them: they could not teach it anything.
_LANGUAGE = "let acquiring = ACQ | ACQ_REL | SC\nlet releasing = REL | ACQ_REL | SC\n"
_MENTIONED = {
    "AArch64": "let acquire = A | Q\nlet release = L\n",
    "LKMM": "let ordered = Acquire | Release\n",
    "C": _LANGUAGE,
    "PTS": _LANGUAGE,
}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a dialect has, and those of a `known` model's text: `prelude` is what a file must begin
    with to use them, and `folder` where the known text has its includes from."""

    dialect: str
    known: str = ""
    folder: Path | None = None

    @property
    def includes(self) -> tuple[str, ...]:
        """Files of the library."""
        fences = _FENCE_FILES.get(self.dialect)
        return ("cos.cat", fences) if fences else ("cos.cat",)

    @property
    def prelude(self) -> str:
        """The beginning of a model."""
        includes = "".join(f'include "{name}"\n' for name in self.includes)
        return includes + _MENTIONED.get(self.dialect, "") + self.known

    def given(self) -> Model:
        """What is known of every model: the names that files begin with, and the axioms of the known text.
        Tests are seen by it as they are by every model that is written."""
        return resolve_text(self.prelude, "known.cat", self.folder)

    def resolved(self, texts: Sequence[str], option: str = "--base") -> tuple[Model, list[str]]:
        """A model that defines each expression, and the names of the definitions."""
        names = [f"leaf-{number}" for number in range(len(texts))]
        lines = [f"let {name} = {text}" for name, text in zip(names, texts, strict=True)]
        try:
            return resolve_text(self.prelude + "\n".join(lines), option, self.folder), names
        except InputError:
            for text in texts:  # which one is it?
                self._check(text, option)
            raise

    def _check(self, text: str, option: str) -> None:
        try:
            resolve_text(f"{self.prelude}let leaf = {text}", option, self.folder)
        except InputError as error:
            known = [*resolve_text(self.prelude, option, self.folder).definitions, *base_names()]
            close = difflib.get_close_matches(text, known, 1)
            hint = f"did you mean {close[0]}?" if close else error.message
            raise InputError(
                f"{option}: there is no base relation or set {text!r} in tests of {self.dialect}", None, hint
            ) from None

    def values(self, texts: Sequence[str], world: Executions, option: str = "--base") -> list[Known]:
        """The leaves of these texts with their values; sets as identities."""
        model, names = self.resolved(texts, option)
        nodes = [model.definitions[name] for name in names]
        evaluator = Evaluator(model, world, nodes)
        evaluator.run()
        kinds = [model.nodes[node].kind for node in nodes]
        return [
            Known(leaf(f"[{text}]" if kind is SET else text), evaluator.values[node])
            for text, node, kind in zip(texts, nodes, kinds, strict=True)
        ]

    def default_base(self, world: Executions) -> list[str]:
        """A base that suits the tests."""
        optional = [*_WHERE_USED, *FENCES.get(self.dialect, ())]
        used = [
            text
            for text, known in zip(optional, self.values(optional, world), strict=True)
            if any(known.value)
        ]
        return [*_COMMON, *used]


def merged(values: Iterable[Value], nothing: Value) -> Value:
    """The union of some values."""
    out = nothing
    for value in values:
        out = tuple(a | b for a, b in zip(out, value, strict=True))
    return out
