"""Two models -> the dialect in which tests that tell them apart are written.

A model has the dialect of its architecture or language, or none (`sc`): it takes any. Models of one dialect
are compared by its tests; models of two architectures by tests of one of them, of which instructions that
either model does not understand are no part. Where a model of C or of the kernel is compared with hardware,
tests are in C, and what the hardware sees is compiled.
"""

from __future__ import annotations

from treville.models.model import Model
from treville.programs.compile_to import target_of
from treville.programs.litmus.writing import WRITERS
from treville.questions.comparison.alphabet import alphabet
from treville.results import InputError

_OF_TARGET = {
    "tso": "X86",
    "power": "PPC",
    "power2012": "PPC",
    "armv7": "AArch64",
    "aarch64": "AArch64",
    "riscv": "RISCV",
    "c11": "C",
    "rc11": "C",
    "imm": "C",
    "lkmm": "LKMM",
}
# Of two dialects the one that comes first; the last one is for models that have none.
_PREFERRED = ("C", "LKMM", "AArch64", "RISCV", "PPC", "X86")
_ANY = "AArch64"
_LANGUAGES = ("C", "LKMM")  # models of these take no other tests
_OTHERS = f"choose another --dialect: {', '.join(WRITERS)}"


def own_dialect(model: Model) -> str | None:
    """The dialect of what a model is about; None if it is about all, or tells nothing."""
    if model.shipped is not None:
        return _OF_TARGET.get(model.shipped)
    target = target_of(None, model.base_names())
    return None if target == "tso" else _OF_TARGET.get(target)  # what tells nothing is compiled as for tso


def dialect_for(left: Model, right: Model, asked: str | None = None) -> str:
    """The dialect of tests for two models. Raises `InputError` where they have nothing in common."""
    found = {own_dialect(left), own_dialect(right)} - {None}
    chosen = asked or next((dialect for dialect in _PREFERRED if dialect in found), _ANY)
    if chosen not in WRITERS:
        raise InputError(f"there is no dialect '{chosen}'", None, f"dialects: {', '.join(WRITERS)}")
    for model in (left, right):
        if own_dialect(model) in _LANGUAGES and own_dialect(model) != chosen:
            raise InputError(f"{chosen} tests have no meaning under {model.name}", None, _OTHERS)
    letters = alphabet(chosen, left, right).accesses
    reads = any(letter.spelling.reads for letter in letters)
    writes = any(letter.spelling.writes for letter in letters)
    if not (reads and writes):
        complaint = f"{left.name} and {right.name} have no reads and writes of {chosen} tests in common"
        raise InputError(complaint, None, _OTHERS)
    return chosen
