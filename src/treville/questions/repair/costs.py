"""What a level costs on an architecture: the sum of what compilers make of it, by a table of data.

`costs.toml` beside this file is the default; files of users have the same form and need to say only what they
want otherwise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path
from typing import TypeAlias

from treville.fences import FULL_FENCES
from treville.passes.program import Context, map_to_architecture
from treville.programs.ir import Const, Fence, Instruction, Load, Program, Store, Thread
from treville.questions.repair.applying import at_level
from treville.questions.repair.sites import Choice, Level, Site, SiteKind
from treville.results import InputError, disk

Table: TypeAlias = Mapping[str, Mapping[str, Mapping[str, int]]]
_DEFAULT = Path(__file__).parent / "costs.toml"
_PARTS = ("fences", "accesses")


@cache
def _default() -> Table:
    return tomllib.loads(_DEFAULT.read_text(encoding="utf-8"))


def read_costs(file: str = "") -> Table:
    """The default costs, with those of a file in their places."""
    if not file:
        return _default()
    try:
        own = tomllib.loads(disk.read_text(file))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"--cost: cannot read {file}: {reason}") from None
    table = {name: {part: dict(costs) for part, costs in parts.items()} for name, parts in _default().items()}
    for name, parts in own.items():
        if name not in table:
            raise InputError(f"--cost: {file}: no architecture is called '{name}'", hint=", ".join(table))
        _merge(table[name], parts, f"--cost: {file}: {name}")
    return table


def _merge(table: dict[str, dict[str, int]], own: object, where: str) -> None:
    if not isinstance(own, dict) or set(own) - set(_PARTS):
        raise InputError(f"{where}: expected the tables 'fences' and 'accesses'")
    for part, costs in own.items():
        good = isinstance(costs, dict) and all(
            isinstance(cost, int) and not isinstance(cost, bool) and 0 <= cost <= 10_000
            for cost in costs.values()
        )
        if not good:
            raise InputError(f"{where}.{part}: costs are whole numbers from 0 to 10000")
        table.setdefault(part, {}).update(costs)


class Costs:
    """Costs of levels under models: with several, their sum."""

    def __init__(self, table: Table, contexts: Sequence[Context]) -> None:
        self.table = table
        self.contexts = contexts
        self._known: dict[Choice, int] = {}

    def of(self, site: Site, level: int) -> int:
        """What a level of a site costs."""
        choice = site.number, level
        if choice not in self._known:
            costs = [self._under(site, site.levels[level], context) for context in self.contexts]
            self._known[choice] = sum(costs)
        return self._known[choice]

    def extra(self, site: Site, level: int) -> int:
        """What it costs more than what is there."""
        return max(0, self.of(site, level) - self.of(site, site.present))

    def code(self, site: Site, level: int) -> tuple[tuple[Instruction, ...], ...]:
        """What compilers make of a level under each model: levels with the same code do the same."""
        return tuple(_compiled(site, site.levels[level], context) for context in self.contexts)

    def _under(self, site: Site, level: Level, context: Context) -> int:
        table = self.table.get(architecture(context), {})
        fences, accesses = table.get("fences", {}), table.get("accesses", {})
        total, seen = 0, frozenset[str]()
        for made in _compiled(site, level, context):
            if isinstance(made, Fence):
                total += _of_fence(made.tags, fences)
            elif isinstance(made, Load | Store):
                total += max((accesses.get(tag, 0) for tag in made.tags - seen), default=0)
                seen |= made.tags
        return total


def _of_fence(tags: AbstractSet[str], fences: Mapping[str, int]) -> int:
    """A full fence by another name, as the kernel's is, costs what the architecture's own does."""
    known = fences.keys() & tags
    if not known and tags & FULL_FENCES:
        known = fences.keys() & FULL_FENCES
    return max((fences[tag] for tag in known), default=0)


def _compiled(site: Site, level: Level, context: Context) -> tuple[Instruction, ...]:
    code: list[Instruction]
    if site.kind is not SiteKind.ACCESS:
        code = [Fence(level.tags)] if level.tags else []
    else:
        code = [made for access in _accesses(site) for made in at_level(access, level)]
    return map_to_architecture(Program((Thread("", tuple(code)),)), context).threads[0].instructions


def architecture(context: Context) -> str:
    """Whose costs count: those of the dialect's own architecture, or of the one that is compiled for."""
    own = _OF_DIALECT.get(context.dialect)
    return own or context.target()


_OF_DIALECT = {
    "X86": "tso", "X86_64": "tso", "PPC": "power", "ARM": "armv7", "AArch64": "aarch64", "RISCV": "riscv",
}  # fmt: skip


def _accesses(site: Site) -> list[Load | Store]:
    """Accesses as those of a site are."""
    reads, updates = "reads" in site.does, "updates" in site.does
    tags = frozenset({site.tag, "A"} if _is_c11(site) else {site.tag})
    load = Load("r", Const(0), tags, link=updates)
    store = Store(Const(0), Const(0), tags, link=updates)
    return [load, store] if updates else [load] if reads else [store]


def _is_c11(site: Site) -> bool:
    return any(level.order.isupper() and len(level.order) > 1 for level in site.levels)

