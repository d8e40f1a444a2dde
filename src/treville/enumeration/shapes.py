"""The static base sets and relations of one selection of traces, as packed relations.

Only shapes matter here, not values, so the result is shared by all selections with equal shapes.
"""

from __future__ import annotations

from treville.enumeration.packed import Kernel, kernel
from treville.events.kinds import WRITE
from treville.events.trace import NO_PAIR, Shape

# `FW` holds the last writes of what the test observes; this static set is what it chooses from.
OBSERVED_WRITES = "W of FW"
DEPENDENCIES = ("addr", "data", "ctrl", "pick-addr", "pick-data", "pick-ctrl", "ctrl-behind")


class Layout:
    """The events of a selection: initial writes first (one per address), then thread after thread."""

    def __init__(
        self, threads: tuple[tuple[Shape, ...], ...], observed: frozenset[int] = frozenset()
    ) -> None:
        self.threads = threads
        self.observed = observed
        addresses = {s.address for shapes in threads for s in shapes if s.address is not None}
        self.addresses = sorted(addresses)
        self.starts = []
        start = len(self.addresses)
        for shapes in threads:
            self.starts.append(start)
            start += len(shapes)
        self.n = start
        self.kernel: Kernel = kernel(self.n)

    def everything(self) -> dict[str, int]:
        """All base sets and relations but those that depend on rf and co."""
        return {**self._sets(), **self._relations()}

    def upper_bounds(self, base: dict[str, int], coherent: bool) -> dict[str, int]:
        """What rf, co and fr may contain: accesses of one location, for coherent models none against
        program order."""
        ops, here = self.kernel, base["loc"]
        if coherent:
            here &= ~ops.inverse(base["po"])
        reads, writes, initial = base["R"], base["W"], base["IW"]
        return {
            "may rf": ops.product(writes, reads) & here,
            "may co": ops.product(writes, writes & ~initial) & here & ~ops.diagonal,
            "may fr": ops.product(reads, writes & ~initial) & here,
        }

    def _sets(self) -> dict[str, int]:
        initial = (1 << len(self.addresses)) - 1
        kinds = {"R": 0, "W": initial, "F": 0, "IW": initial}
        tags: dict[str, int] = {}
        for start, shapes in zip(self.starts, self.threads, strict=True):
            for i, shape in enumerate(shapes):
                bit = 1 << (start + i)
                kinds[shape.kind] |= bit
                for tag in shape.tags:
                    tags[tag] = tags.get(tag, 0) | bit
        tags.update(kinds)
        tags["M"] = kinds["R"] | kinds["W"]
        tags[OBSERVED_WRITES] = self._observed_writes()
        return tags

    def _observed_writes(self) -> int:
        out = 0
        for i, address in enumerate(self.addresses):
            if address in self.observed:
                out |= 1 << i
        for start, shapes in zip(self.starts, self.threads, strict=True):
            for i, shape in enumerate(shapes):
                if shape.kind is WRITE and shape.address in self.observed:
                    out |= 1 << (start + i)
        return out

    def _relations(self) -> dict[str, int]:
        n, ops = self.n, self.kernel
        initial = (1 << len(self.addresses)) - 1
        po = 0
        internal = same_instruction = ops.identity(initial)
        rmw = exclusive = amo = 0
        deps = dict.fromkeys(DEPENDENCIES, 0)
        for start, shapes in zip(self.starts, self.threads, strict=True):
            members = ((1 << len(shapes)) - 1) << start
            internal |= ops.product(members, members)
            for i, shape in enumerate(shapes):
                at = start + i
                later = members & ~((2 << at) - 1)
                for j in range(i + 1, len(shapes)):
                    other = shapes[j]
                    if other.parallel and other.instruction == shape.instruction and other.pair != i:
                        later &= ~(1 << (start + j))
                po |= later << (at * n)
                self._dependencies(deps, start, at, shape)
                if shape.pair != NO_PAIR:
                    bit = 1 << ((start + shape.pair) * n + at)
                    rmw |= bit
                    if shape.exclusive:
                        exclusive |= bit
                    else:
                        amo |= bit
                for j, other in enumerate(shapes):
                    if other.instruction == shape.instruction:
                        same_instruction |= 1 << (at * n + start + j)
        return {
            "po": po,
            "int": internal,
            "ext": ops.full ^ internal,
            "loc": self._same_location(),
            "si": same_instruction,
            "rmw": rmw,
            "lxsx": exclusive,
            "amo": amo,
            **deps,
        }

    def _dependencies(self, deps: dict[str, int], start: int, at: int, shape: Shape) -> None:
        n = self.n
        for name, mask in (
            ("addr", shape.addr),
            ("data", shape.data),
            ("ctrl", shape.ctrl),
            ("pick-addr", shape.pick_addr),
            ("pick-data", shape.pick_data),
            ("pick-ctrl", shape.pick_ctrl),
            ("ctrl-behind", shape.behind),
        ):
            while mask:
                low = mask & -mask
                deps[name] |= 1 << ((start + low.bit_length() - 1) * n + at)
                mask ^= low

    def _same_location(self) -> int:
        by_address = {address: 1 << i for i, address in enumerate(self.addresses)}
        for start, shapes in zip(self.starts, self.threads, strict=True):
            for i, shape in enumerate(shapes):
                if shape.address is not None:
                    by_address[shape.address] |= 1 << (start + i)
        out = 0
        for members in by_address.values():
            out |= self.kernel.product(members, members)
        return out
