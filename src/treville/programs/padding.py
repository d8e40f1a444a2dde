"""Copies of structs take the bytes between members along; where nobody looks at those, nothing is copied."""

from __future__ import annotations

from treville.programs import ir
from treville.programs.grids import Footprint, Grid, bytes_of, is_write
from treville.programs.places import Reached

PADDING = "(padding)"  # registers of this name hold nothing but what lies between members


def idle_padding(footprints: list[tuple[Reached, Footprint]]) -> set[tuple[int, int]]:
    """The accesses (body and position) that move padding that no other access reads."""
    moves: dict[tuple[int, str], list[tuple[Reached, Footprint]]] = {}
    seen: dict[int, list[tuple[int, int]]] = {}
    for reached, footprint in footprints:
        if name := _moved(reached):
            moves.setdefault((reached.body, name), []).append((reached, footprint))
        elif not is_write(reached):
            _see(seen, reached, footprint)
    waiting = dict(moves)
    changed = True
    while changed:
        needed = [key for key, move in waiting.items() if any(_is_seen(seen, *each) for each in move)]
        changed = bool(needed)
        for key in needed:
            for reached, footprint in waiting.pop(key):
                if not is_write(reached):
                    _see(seen, reached, footprint)
    return {(reached.body, reached.position) for move in waiting.values() for reached, _ in move}


def _moved(reached: Reached) -> str:
    """The register of an access that moves padding."""
    access = reached.access
    if isinstance(access, ir.Load | ir.ReadPrivate):
        name = access.register or ""
    else:
        name = access.value.name if isinstance(access.value, ir.Reg) else ""
    return name if name.startswith(f"{PADDING}~") else ""


def _see(seen: dict[int, list[tuple[int, int]]], reached: Reached, footprint: Footprint) -> None:
    for grid, start in footprint:
        seen.setdefault(id(grid), []).append((start, start + bytes_of(reached)))


def _is_seen(seen: dict[int, list[tuple[int, int]]], reached: Reached, footprint: Footprint) -> bool:
    """Does an access write what is read elsewhere?"""
    if not is_write(reached):
        return False
    size = bytes_of(reached)
    return any(_meets(grid, start, start + size, seen.get(id(grid), [])) for grid, start in footprint)


def _meets(grid: Grid, start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    return bool(grid.period and spans) or any(first < end and start < last for first, last in spans)
