"""A half space over two places as a picture of the plane of markings (like Figure 7.3 of paper 004).

Every marking is a dot. The line is the border k . m = c; the shaded corner holds the markings that enable
the transition for which the half space is not trivial, those inside the half space are filled: firing
moves each of them along the arrow, and none of them across the line.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from treville.petri.halfspace import HalfSpace, triviality
from treville.petri.net import UNBOUNDED, Problem, Transition
from treville.petri.report import inequality

_STEP, _LEFT, _TOP, _EXTRA = 48, 56, 64, 3

_STYLE = (
    "text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:12px;fill:#1f2328}"
    ".card{fill:#fff;stroke:#d0d7de}.axis{stroke:#57606a;stroke-width:1.2}.dot{fill:#afb8c1}"
    ".active{fill:#ffd33d;fill-opacity:.28}.inside{fill:#0969da}.border{stroke:#cf222e;stroke-width:2}"
    ".start{fill:#1a7f37}.bad{stroke:#cf222e;stroke-width:2.4}.move{stroke:#0969da;stroke-width:1.6}"
    ".head{fill:#0969da}.title{font-size:14px;font-weight:600}.small{fill:#59636e;font-size:11px}"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.card{fill:#0d1117;stroke:#30363d}"
    ".axis{stroke:#9198a1}.dot{fill:#484f58}.inside{fill:#58a6ff}.move{stroke:#58a6ff}.head{fill:#58a6ff}"
    ".small{fill:#9198a1}}"
)


class _Plane:
    """Coordinates: markings up to `size` on both axes."""

    def __init__(self, problem: Problem, half_space: HalfSpace) -> None:
        self.problem, self.half_space = problem, half_space
        finite = [int(n) for n in problem.initial.high if n != UNBOUNDED]
        finite += [n for box in problem.targets for n in box.low]
        finite += [i.low for t in problem.net.transitions for i in t.guard.values()]
        self.size = min(24, max(finite, default=1) + _EXTRA)
        self.width = _LEFT + self.size * _STEP + 40
        self.height = _TOP + self.size * _STEP + 96

    def x(self, value: float) -> float:
        return round(_LEFT + value * _STEP, 1)

    def y(self, value: float) -> float:
        return round(_TOP + (self.size - value) * _STEP, 1)

    def border(self) -> tuple[float, float, float, float] | None:
        """The ends of the line k . m = c within the picture."""
        (a, b), c, top = self.half_space.k, self.half_space.c, self.size
        points = []
        if b:
            points += [(x, (c - a * x) / b) for x in (0.0, float(top))]
        if a:
            points += [((c - b * y) / a, y) for y in (0.0, float(top))]
        inside = sorted({(x, y) for x, y in points if -1e-9 <= x <= top + 1e-9 and -1e-9 <= y <= top + 1e-9})
        if len(inside) < 2:
            return None
        return (*inside[0], *inside[-1])


def draw_plane(problem: Problem, half_space: HalfSpace) -> str:
    """The SVG text of a half space of a net with two places."""
    plane = _Plane(problem, half_space)
    chosen = next((t for t in problem.net.transitions if triviality(half_space, t) is None), None)
    title = f"always {inequality(problem.net, half_space)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {plane.width} {plane.height}" '
        f'width="{plane.width}" height="{plane.height}" role="img" aria-label={quoteattr(title)}>',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" '
        'markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>',
        f'<rect class="card" x="0.5" y="0.5" width="{plane.width - 1}" height="{plane.height - 1}" rx="8"/>',
        f'<text class="title" x="16" y="26">{escape(title)}</text>',
    ]
    if chosen is not None:
        parts += _active(plane, chosen)
    parts += _axes(plane) + _dots(plane, chosen)
    if border := plane.border():
        x1, y1, x2, y2 = border
        ends = f'x1="{plane.x(x1)}" y1="{plane.y(y1)}" x2="{plane.x(x2)}" y2="{plane.y(y2)}"'
        parts.append(f'<line class="border" {ends}/>')
    if chosen is not None:
        parts += _moves(plane, chosen)
    parts += _marks(plane) + _legend(plane, chosen)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _active(plane: _Plane, transition: Transition) -> list[str]:
    left, low = plane.x(transition.low(0) - 0.3), plane.y(transition.low(1) - 0.3)
    right, high = plane.x(plane.size + 0.3), plane.y(plane.size + 0.3)
    return [
        f'<rect class="active" x="{left}" y="{high}" width="{round(right - left, 1)}" '
        f'height="{round(low - high, 1)}"/>'
    ]


def _axes(plane: _Plane) -> list[str]:
    names = plane.problem.net.places
    origin_x, origin_y, end = plane.x(0), plane.y(0), plane.size
    parts = [
        f'<line class="axis" x1="{origin_x}" y1="{origin_y}" x2="{plane.x(end + 0.5)}" y2="{origin_y}"/>',
        f'<line class="axis" x1="{origin_x}" y1="{origin_y}" x2="{origin_x}" y2="{plane.y(end + 0.4)}"/>',
        f'<text x="{plane.x(end + 0.2)}" y="{origin_y - 10}">{escape(names[0])}</text>',
        f'<text x="{origin_x + 10}" y="{plane.y(end + 0.2)}">{escape(names[1])}</text>',
    ]
    for value in range(end + 1):
        x, y = plane.x(value), plane.y(value) + 4
        parts.append(f'<text class="small" x="{x}" y="{origin_y + 20}" text-anchor="middle">{value}</text>')
        parts.append(f'<text class="small" x="{origin_x - 14}" y="{y}" text-anchor="end">{value}</text>')
    return parts


def _dots(plane: _Plane, transition: Transition | None) -> list[str]:
    parts = []
    for a in range(plane.size + 1):
        for b in range(plane.size + 1):
            inside = plane.half_space.contains((a, b)) and transition is not None
            filled = inside and transition is not None and transition.enabled((a, b))
            kind, radius = ("inside", 4.5) if filled else ("dot", 2.5)
            parts.append(f'<circle class="{kind}" cx="{plane.x(a)}" cy="{plane.y(b)}" r="{radius}"/>')
    return parts


def _moves(plane: _Plane, transition: Transition) -> list[str]:
    """The firing arrows of the markings nearest to the border."""
    parts = []
    k, c = plane.half_space.k, plane.half_space.c
    markings = [(a, b) for a in range(plane.size + 1) for b in range(plane.size + 1)]
    active = [m for m in markings if transition.enabled(m) and plane.half_space.contains(m)]
    for a, b in sorted(active, key=lambda m: k[0] * m[0] + k[1] * m[1] - c)[:4]:
        after = transition.fire((a, b))
        ends = f'x1="{plane.x(a)}" y1="{plane.y(b)}" x2="{plane.x(after[0])}" y2="{plane.y(after[1])}"'
        parts.append(f'<line class="move" {ends} marker-end="url(#tip)"/>')
    return parts


def _marks(plane: _Plane) -> list[str]:
    start = plane.problem.initial.low
    parts = [f'<circle class="start" cx="{plane.x(start[0])}" cy="{plane.y(start[1])}" r="7"/>']
    for target in plane.problem.targets:
        x, y = plane.x(target.low[0]), plane.y(target.low[1])
        parts.append(
            f'<path class="bad" d="M{x - 6} {y - 6}L{x + 6} {y + 6}M{x - 6} {y + 6}L{x + 6} {y - 6}"/>'
        )
    return parts


def _legend(plane: _Plane, transition: Transition | None) -> list[str]:
    lines = ["green: the initial marking; red cross: the target; red line: the border"]
    if transition is not None:
        lines.append(f"yellow: what enables {transition.name}; blue: of these, what the half space contains")
    y = plane.y(0) + 48
    return [
        f'<text class="small" x="16" y="{y + 18 * number}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    ]
