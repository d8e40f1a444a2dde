"""The colours, fonts and letter widths that pictures share, and rules with colour names -> a style sheet.

A picture has no background of its own but a card, which is light, or dark where the reader prefers that;
every colour has enough contrast on both.
"""

from __future__ import annotations

import re
from string import Template

# Name -> the colour on the light card and on the dark one.
COLOURS = {
    "card": ("#ffffff", "#0d1117"),
    "line": ("#d0d7de", "#30363d"),
    "box": ("#f6f8fa", "#161b22"),
    "ink": ("#1f2328", "#e6edf3"),
    "faint": ("#59636e", "#9198a1"),
    "pale": ("#afb8c1", "#484f58"),
    "grey": ("#7a828e", "#8b949e"),
    "slate": ("#57606a", "#c9d1d9"),
    "red": ("#cf222e", "#ff7b72"),
    "orange": ("#bc4c00", "#f0883e"),
    "yellow": ("#ffd33d", "#ffd33d"),
    "green": ("#1a7f37", "#3fb950"),
    "mint": ("#dafbe1", "#12261e"),
    "blue": ("#0969da", "#58a6ff"),
    "sky": ("#ddf4ff", "#121d2f"),
    "violet": ("#8250df", "#b083f0"),
    "pink": ("#bf3989", "#f778ba"),
}
SANS = "system-ui,'Segoe UI','DejaVu Sans',sans-serif"
MONOSPACED = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

# The width of a letter by the size of the font: exact for monospaced ones, plenty for the others.
_MONOSPACED_LETTER = {11: 6.7, 13: 7.9}
_LETTER = {11: 6.7, 12: 7.4, 13: 7.6, 15: 8.6}

_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


def stylesheet(rules: str) -> str:
    """CSS in which `$name` stands for a colour, for light cards and again for dark ones.

    >>> light, dark = stylesheet(".box{fill:$box;rx:2}.thin{rx:1}").split("@media ")
    >>> light, dark
    ('.box{fill:#f6f8fa;rx:2}.thin{rx:1}', '(prefers-color-scheme:dark){.box{fill:#161b22}}')
    """
    light, dark = ({name: shades[shade] for name, shades in COLOURS.items()} for shade in (0, 1))
    coloured = Template("".join(_coloured(*rule) for rule in _RULE.findall(rules)))
    again = f"@media (prefers-color-scheme:dark){{{coloured.substitute(dark)}}}"
    return Template(rules).substitute(light) + again


def _coloured(selector: str, declarations: str) -> str:
    """What of a rule depends on the card."""
    kept = ";".join(part for part in declarations.split(";") if "$" in part)
    return f"{selector}{{{kept}}}" if kept else ""


def width_of(words: str, size: int, monospaced: bool = False) -> float:
    """How wide a line of text is at most."""
    return len(words) * (_MONOSPACED_LETTER if monospaced else _LETTER)[size]


def shortened(words: str, most: int) -> str:
    """The text, cut where it is longer than so many letters.

    >>> shortened("transition", 6)
    'trans…'
    """
    return words if len(words) <= most else f"{words[: most - 1]}…"
