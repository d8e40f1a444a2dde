"""The pictures of docs/how-it-works/sequential.md: store buffers, a list of writes, and threads in rounds.

python bench/sequential_pictures.py docs/pictures
"""

from __future__ import annotations

import sys
from pathlib import Path

INK, PALE, HEAD, WAIT = "#222", "#eee", "#cfe8cf", "#fde6c8"
STYLE = "font-family='sans-serif' font-size='13'"


def svg(width: int, height: int, body: list[str]) -> str:
    """A picture."""
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' {STYLE}>"
    arrow = (
        "<defs><marker id='a' markerWidth='8' markerHeight='8' refX='7' refY='4' orient='auto'>"
        f"<path d='M0,0 L8,4 L0,8 z' fill='{INK}'/></marker></defs>"
    )
    ground = f"<rect width='{width}' height='{height}' fill='white'/>"
    return "\n".join([head, arrow, ground, *body, "</svg>\n"])


def text(x: int, y: int, words: str) -> str:
    """Words, centred."""
    return f"<text x='{x}' y='{y}' text-anchor='middle' fill='{INK}'>{words}</text>"


def line(x1: int, y1: int, x2: int, y2: int) -> str:
    """An arrow."""
    return f"<path d='M{x1},{y1} L{x2},{y2}' stroke='{INK}' fill='none' marker-end='url(#a)'/>"


def box(x: int, y: int, width: int, fill: str) -> str:
    """A box."""
    return f"<rect x='{x}' y='{y}' width='{width}' height='44' rx='5' fill='{fill}' stroke='{INK}'/>"


def buffers() -> str:
    """Figure 1: what threads write waits in buffers, what they read comes from there or from memory."""
    body = [box(60, 190, 480, HEAD), text(300, 217, "memory")]
    for place, name in enumerate(("t1", "t2", "t3")):
        x = 60 + place * 180
        body += [box(x, 15, 120, "white"), text(x + 60, 42, f"thread {name}")]
        body += [box(x, 100, 80, WAIT), text(x + 40, 118, "buffer"), text(x + 40, 136, "FIFO")]
        body += [line(x + 40, 59, x + 40, 98), line(x + 40, 144, x + 40, 188)]
        body += [line(x + 105, 190, x + 105, 61), line(x + 80, 122, x + 103, 122)]
        body += [text(x + 16, 82, "writes"), text(x + 132, 82, "reads")]
    return svg(600, 250, body)


def a_list() -> str:
    """Figure 2: clock 11, the head at 10, pending writes at 23 and 30, the sentinel at K."""
    nodes = [
        ("value 3", "time 4", PALE, "free"),
        ("value 7", "time 10", HEAD, "head: memory"),
        ("value 1", "time 23", WAIT, "pending"),
        ("value 5", "time 30", WAIT, "pending"),
        ("sentinel", "time K", "white", ""),
    ]
    body = [text(300, 20, "clock = 11")]
    for place, (value, time, fill, says) in enumerate(nodes):
        x = 20 + place * 125
        body += [
            box(x, 40, 85, fill),
            text(x + 42, 58, value),
            text(x + 42, 76, time),
            text(x + 42, 104, says),
        ]
        if place:
            body.append(line(x - 40, 62, x - 2, 62))
    body.append(f"<path d='M562,84 V125 H62 V88' stroke='{INK}' fill='none' marker-end='url(#a)'/>")
    return svg(640, 140, body)


def rounds() -> str:
    """Threads that go on in rounds, the first one once more."""
    widths = {"main": (40, 20, 70), "t1": (90, 50), "t2": (30, 100)}
    body = [text(150, 20, "round 1"), text(350, 20, "round 2"), text(510, 20, "in the end")]
    for row, (name, turns) in enumerate(widths.items()):
        y = 35 + row * 55
        body.append(text(35, y + 27, name))
        for place, width in enumerate(turns):
            x = 75 + place * 200
            body.append(box(x, y, width, WAIT if row else HEAD))
            if place:
                end = 75 + (place - 1) * 200 + turns[place - 1]
                body.append(line(end, y + 22, x - 2, y + 22))
    return svg(600, 205, body)


def main() -> None:
    """Write all of them."""
    folder = Path(sys.argv[1])
    (folder / "sequential-buffers.svg").write_text(buffers(), encoding="utf-8")
    (folder / "sequential-list.svg").write_text(a_list(), encoding="utf-8")
    (folder / "sequential-rounds.svg").write_text(rounds(), encoding="utf-8")


if __name__ == "__main__":
    main()
