"""Random memory models, as cat text: unions, compositions, closures, differences and recursion over the base
relations, under axioms of every kind."""

from __future__ import annotations

from functools import lru_cache

from tests.seeds import generator

from treville.models.cat.resolve import resolve_text
from treville.models.model import Model

_BASE = ("po", "po-loc", "rf", "rfe", "rfi", "co", "coe", "fr", "fre", "addr", "data", "ctrl", "rmw")
_ORDER = (
    "po-loc",
    "[R]; po; [M]",
    "po; [W]",
    "[W]; po; [W]",
    "po; [MFENCE]; po",
    "addr",
    "data",
    "ctrl; [W]",
)
_COHERENT = "acyclic po-loc | rf | fr | co as coherent"
# Whether values may justify each other is not what is compared here.
_FOUNDED = "acyclic rf | rmw | addr | data | ctrl | pick-addr | pick-data | pick-ctrl as founded"


class _Writer:
    def __init__(self, seed: int) -> None:
        self.pick = generator(seed)

    def text(self, seed: int) -> str:
        """A model; half of them are coherent, as real ones are."""
        lines = [f'"random {seed}"', f"let kept = {self._union(_ORDER)}", *self._recursion(), _FOUNDED]
        if self.pick.random() < 0.5:
            lines.append(_COHERENT)
        lines.append(f"acyclic kept | rfe | {self._union(('co', 'coe', 'fr', 'fre', 'chain'))} as main")
        for number in range(self.pick.choice((0, 1, 1, 2))):
            lines.append(self._axiom(number))
        return "\n".join(lines) + "\n"

    def _recursion(self) -> list[str]:
        """Two relations that are defined by each other, so that only least fixpoints are right."""
        start, step = self._union(_ORDER), self.pick.choice(_BASE)
        other = self.pick.choice(("chain", "link; link", f"chain; {self.pick.choice(_BASE)}"))
        return [f"let rec chain = {start} | (link; {step})", f"and link = {step} | ({other})"]

    def _axiom(self, number: int) -> str:
        kind = self.pick.choice(("acyclic", "irreflexive", "empty"))
        if kind == "empty":
            body = f"rmw & ({self.pick.choice(('fre; coe', 'fr; co', 'fre'))})"
        else:
            body = f"({self._expression(2)}); ({self._expression(1)})"
        return f"{kind} {body} as other{number}"

    def _expression(self, depth: int) -> str:
        if depth == 0:
            return self.pick.choice((*_BASE, "kept", "chain", "link"))
        one, other = self._expression(depth - 1), self._expression(depth - 1)
        shape = self.pick.choice(
            ("{0} | {1}", "({0}); ({1})", "({0}) & ({1})", "({0}) \\ ({1})", "({0})+", "({0})?; ({1})")
        )
        return shape.format(one, other)

    def _union(self, names: tuple[str, ...]) -> str:
        chosen = self.pick.sample(names, self.pick.randint(1, 3))
        return " | ".join(f"({name})" for name in chosen)


@lru_cache(maxsize=256)
def random_model(seed: int) -> Model:
    """The random model of a seed."""
    return resolve_text(_Writer(seed).text(seed), f"random{seed}.cat")
