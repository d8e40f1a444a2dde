"""A net as an SVG picture: places with tokens, transitions, arcs; a counterexample plays step by step.

The picture is one file without scripts. Steps are SMIL animations with discrete values, so a viewer that
does not animate shows the initial marking. Colours follow the reader's light or dark setting.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from xml.sax.saxutils import escape, quoteattr

from treville.petri.answers import Evidence, FiringSequence, Invariant
from treville.petri.checking import replay
from treville.petri.layout import layers
from treville.petri.net import UNBOUNDED, Problem, Transition, describe_box
from treville.petri.report import inequality

_COLUMN, _ROW, _RADIUS, _MARGIN = 118, 74, 17, 56
_SECONDS_PER_STEP = 1.4
_MAX_STEPS = 150
_CAPTION_LINES = 8

_STYLE = (
    "text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:11px;fill:#1f2328}"
    ".card{fill:#fff;stroke:#d0d7de}.place{fill:#f6f8fa;stroke:#0969da;stroke-width:1.6}"
    ".bar{fill:#57606a}.fired{fill:#cf222e}.arc{fill:none;stroke:#7a828e;stroke-width:1.1}"
    ".bulk{stroke-dasharray:6 3;stroke-width:1.8}.head{fill:#7a828e}.ring{fill:#fff;stroke:#7a828e}"
    ".token,.count{fill:#1f2328}.count{font-weight:600;font-size:12px}.small{fill:#59636e}"
    ".title{font-size:14px;font-weight:600}.weight{font-size:10px;fill:#8250df}"
    "@media (prefers-color-scheme:dark){text,.token,.count{fill:#e6edf3}"
    ".card,.ring{fill:#0d1117;stroke:#30363d}"
    ".place{fill:#161b22;stroke:#58a6ff}.bar{fill:#9198a1}.fired{fill:#ff7b72}.arc,.ring{stroke:#8b949e}"
    ".head{fill:#8b949e}.small{fill:#9198a1}.weight{fill:#b083f0}}"
)


@dataclass(frozen=True, slots=True)
class _Point:
    x: float
    y: float


def draw(problem: Problem, evidence: Evidence | None = None) -> str:
    """The SVG text of the net, with the invariant below it or the counterexample playing in it."""
    return _Picture(problem, evidence).svg()


class _Picture:
    def __init__(self, problem: Problem, evidence: Evidence | None) -> None:
        self.problem, self.net, self.evidence = problem, problem.net, evidence
        self.points: dict[int, _Point] = {}
        rows = layers(problem)
        tallest = max((len(row) for row in rows), default=1)
        for column, row in enumerate(rows):
            top = (tallest - len(row)) * _ROW / 2
            for index, node in enumerate(row):
                self.points[node] = _Point(_MARGIN + column * _COLUMN, 78 + top + index * _ROW)
        self.width = max(2 * _MARGIN + (len(rows) - 1) * _COLUMN, 460)
        self.bottom = 78 + tallest * _ROW
        self.frames: list[tuple[int, ...]] = []
        self.steps: tuple[int, ...] = ()
        if isinstance(evidence, FiringSequence):
            self.steps = evidence.steps[:_MAX_STEPS]
            self.frames = replay(problem, FiringSequence(evidence.initial, self.steps))

    def svg(self) -> str:
        captions = self._captions()
        height = self.bottom + 18 * len(captions) + 24
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" '
            f'width="{self.width}" height="{height}" role="img" aria-label={quoteattr(self._title())}>',
            f"<style>{_STYLE}</style>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" '
            'markerUnits="userSpaceOnUse" '
            'orient="auto-start-reverse"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>',
            f'<rect class="card" x="0.5" y="0.5" width="{self.width - 1}" height="{height - 1}" rx="8"/>',
            f'<text class="title" x="16" y="26">{escape(self._title())}</text>',
            *self._status(),
        ]
        for index, transition in enumerate(self.net.transitions):
            parts += self._arcs(index, transition)
        parts += [part for place in range(len(self.net.places)) for part in self._place(place)]
        parts += [part for index in range(len(self.net.transitions)) for part in self._bar(index)]
        for number, line in enumerate(captions):
            y = self.bottom + 14 + 18 * number
            parts.append(f'<text class="small" x="16" y="{y}">{escape(line)}</text>')
        return "\n".join([*parts, "</svg>"]) + "\n"

    # --- words

    def _title(self) -> str:
        name = self.problem.name.replace("\\", "/").rpartition("/")[2]
        if isinstance(self.evidence, FiringSequence):
            return f"{name}: a target is reached"
        return f"{name}: no target is reachable" if self.evidence is not None else name

    def _captions(self) -> list[str]:
        lines = [f"target: {_short(describe_box(self.net, box), 100)}" for box in self.problem.targets]
        if isinstance(self.evidence, Invariant):
            lines += [f"always {_short(inequality(self.net, h), 100)}" for h in self.evidence.half_spaces]
            lines += [f"never {_short(describe_box(self.net, box), 100)}" for box in self.evidence.boxes]
        if len(lines) > _CAPTION_LINES:
            rest = len(lines) - _CAPTION_LINES + 1
            lines = [*lines[: _CAPTION_LINES - 1], f"... and {rest} more"]
        return lines

    def _status(self) -> list[str]:
        if not self.frames:
            return []
        total = len(self.steps)
        words = ["start"]
        words += [
            f"step {i + 1} of {total}: {self.net.transitions[t].name}" for i, t in enumerate(self.steps)
        ]
        return [
            f'<text class="small" x="16" y="46"{_hidden(frame)}>{escape(text)}'
            f"{self._visible([i == frame for i in range(len(self.frames))])}</text>"
            for frame, text in enumerate(words)
        ]

    # --- animation

    def _animate(self, attribute: str, values: list[str]) -> str:
        """A discrete animation over all frames; only the frames where the value changes are listed."""
        if len(values) < 2 or len(set(values)) == 1:
            return ""
        changes = [i for i, value in enumerate(values) if i == 0 or value != values[i - 1]]
        times = ";".join(f"{i / len(values):.5g}" for i in changes)
        shown = ";".join(values[i] for i in changes)
        seconds = f"{len(values) * _SECONDS_PER_STEP:.1f}s"
        return (
            f'<animate attributeName="{attribute}" calcMode="discrete" dur="{seconds}" '
            f'repeatCount="indefinite" keyTimes="{times}" values="{shown}"/>'
        )

    def _visible(self, frames: list[bool]) -> str:
        return self._animate("visibility", ["visible" if shown else "hidden" for shown in frames])

    # --- nodes

    def _place(self, place: int) -> list[str]:
        point, name = self.points[place], self.net.places[place]
        circle = f'<circle class="place" cx="{point.x}" cy="{point.y}" r="{_RADIUS}"/>'
        parts = [f"<g><title>{escape(name)}</title>{circle}"]
        if self.frames:
            counts = [marking[place] for marking in self.frames]
            for count in sorted({*counts} - {0}):
                visible = self._visible([count == c for c in counts])
                hidden = _hidden(0 if counts[0] == count else 1)
                parts.append(f"<g{hidden}>{_tokens(point, count)}{visible}</g>")
        else:
            low, high = self.problem.initial.low[place], self.problem.initial.high[place]
            if low == high:
                parts.append(_tokens(point, low))
            else:
                text = f"≥{low}" if high == UNBOUNDED else f"{low}..{high}"
                parts.append(_text("count", point.x, point.y + 4, text))
        parts.append(_text("", point.x, point.y + _RADIUS + 13, _short(name, 16)) + "</g>")
        return parts

    def _bar(self, index: int) -> list[str]:
        point = self.points[len(self.net.places) + index]
        name = self.net.transitions[index].name
        box = f'x="{point.x - 5}" y="{point.y - 16}" width="10" height="32" rx="2"'
        parts = [f'<g><title>{escape(name)}</title><rect class="bar" {box}/>']
        fired = [False, *(step == index for step in self.steps)]
        if any(fired):
            parts.append(f'<rect class="fired" visibility="hidden" {box}>{self._visible(fired)}</rect>')
        parts.append(_text("small", point.x, point.y + 29, _short(name, 16)) + "</g>")
        return parts

    # --- arcs

    def _arcs(self, index: int, transition: Transition) -> list[str]:
        node = len(self.net.places) + index
        parts = []
        moved = {s for p, u in transition.updates.items() for s in u.sources if s != p}
        for place in sorted({*transition.guard, *transition.updates}):
            parts += self._arcs_of(place, node, transition)
        for place, update in sorted(transition.updates.items()):
            if update.sources == (place,):
                continue
            for source in sorted(set(update.sources) - {place}):
                parts.append(self._arc(source, node, "bulk", ("", "head"), "all"))
            if update.sources or update.constant:
                text = "all" if update.sources else ""
                text += f"+{update.constant}" if update.constant > 0 else ""
                parts.append(self._arc(node, place, "bulk", ("", "head"), text))
            if place not in update.sources and place not in moved:
                parts.append(self._arc(place, node, "bulk", ("", "head"), "empties"))
        return parts

    def _arcs_of(self, place: int, node: int, transition: Transition) -> list[str]:
        """The token arcs between a place and a transition, and the mark of an upper guard."""
        parts = []
        low, high = transition.low(place), transition.high(place)
        if high != UNBOUNDED:
            text = f"={low}" if low == high else f"≤{high}"
            parts.append(self._arc(place, node, "", ("", "ring"), text))
        shift = transition.updates.get(place)
        change = shift.constant if shift is not None and shift.sources == (place,) else 0
        after = low + change if shift is None or shift.sources == (place,) else 0
        if low and after:
            text = "" if low == after == 1 else str(low) if low == after else f"{low}/{after}"
            parts.append(self._arc(place, node, "", ("head", "head"), text))
        elif low and (shift is None or shift.sources == (place,)):
            parts.append(self._arc(place, node, "", ("", "head"), "" if low == 1 else str(low)))
        elif after:
            parts.append(self._arc(node, place, "", ("", "head"), "" if after == 1 else str(after)))
        elif low:
            parts.append(self._arc(place, node, "", ("", "head"), f"≥{low}"))
        return parts

    def _arc(self, start: int, end: int, extra: str, ends: tuple[str, str], text: str) -> str:
        a, b = self.points[start], self.points[end]
        length = hypot(b.x - a.x, b.y - a.y) or 1.0
        ux, uy = (b.x - a.x) / length, (b.y - a.y) / length
        # Forward arcs between neighbouring columns are nearly straight; others bow out of the way.
        bow = 10.0 if 0 < b.x - a.x <= _COLUMN else min(70.0, 0.16 * length + 14)
        mid = _Point((a.x + b.x) / 2 + uy * bow, (a.y + b.y) / 2 - ux * bow)
        first, last = self._edge(start, mid), self._edge(end, mid)
        marks = "".join(
            f' marker-{side}="url(#head)"'
            for side, mark in zip(("start", "end"), ends, strict=True)
            if mark == "head"
        )
        path = f"M{first.x:.1f} {first.y:.1f}Q{mid.x:.1f} {mid.y:.1f} {last.x:.1f} {last.y:.1f}"
        parts = [f'<path class="{f"arc {extra}".strip()}" d="{path}"{marks}/>']
        if ends[1] == "ring":
            parts.append(f'<circle class="ring" cx="{last.x:.1f}" cy="{last.y:.1f}" r="4"/>')
        if text:
            x, y = (first.x + 2 * mid.x + last.x) / 4, (first.y + 2 * mid.y + last.y) / 4
            parts.append(_text("weight", round(x, 1), round(y - 3, 1), text))
        return "".join(parts)

    def _edge(self, node: int, towards: _Point) -> _Point:
        """Where an arc meets the outline of a node."""
        point = self.points[node]
        dx, dy = towards.x - point.x, towards.y - point.y
        length = hypot(dx, dy) or 1.0
        if node < len(self.net.places):
            reach = _RADIUS + 1.5
        else:
            reach = min(6.5 / abs(dx / length) if dx else 99.0, 17.5 / abs(dy / length) if dy else 99.0)
        return _Point(point.x + dx / length * reach, point.y + dy / length * reach)


def _hidden(frame: int) -> str:
    """Only the first frame is visible where nothing animates."""
    return "" if frame == 0 else ' visibility="hidden"'


def _text(kind: str, x: float, y: float, text: str) -> str:
    css = f' class="{kind}"' if kind else ""
    return f'<text{css} x="{x}" y="{y}" text-anchor="middle">{escape(text)}</text>'


def _tokens(point: _Point, count: int) -> str:
    """Dots for up to four tokens, a number beyond."""
    offsets = {
        1: ((0, 0),),
        2: ((-5, 0), (5, 0)),
        3: ((-5, 4), (5, 4), (0, -5)),
        4: ((-5, -5), (5, -5), (-5, 5), (5, 5)),
    }
    if count == 0:
        return ""
    if count not in offsets:
        return _text("count", point.x, point.y + 4, str(count))
    return "".join(
        f'<circle class="token" cx="{point.x + dx}" cy="{point.y + dy}" r="3.2"/>'
        for dx, dy in offsets[count]
    )


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
