"""The colours of relations and events, and the style sheet of pictures of executions."""

from __future__ import annotations

from treville.drawing.style import COLOURS, MONOSPACED, SANS, stylesheet

# Relations by family: colour, dash pattern.
FAMILIES: dict[str, tuple[str, str]] = {
    "po": ("grey", ""),
    "rf": ("green", ""),
    "co": ("violet", ""),
    "fr": ("orange", ""),
    "dependency": ("blue", "5 3"),
    "rmw": ("pink", ""),
    "other": ("slate", "2 3"),
}
_FAMILY = {
    **dict.fromkeys(("po", "po-loc"), "po"),
    **dict.fromkeys(("rf", "rfe", "rfi"), "rf"),
    **dict.fromkeys(("co", "coe", "coi"), "co"),
    **dict.fromkeys(("fr", "fre", "fri"), "fr"),
    **dict.fromkeys(
        ("addr", "data", "ctrl", "pick-addr-dep", "pick-data-dep", "pick-ctrl-dep"), "dependency"
    ),
    **dict.fromkeys(("rmw", "amo", "lxsx"), "rmw"),
}
KINDS = {"R": "blue", "W": "orange", "F": "grey"}


def family(label: str) -> str:
    """The family of relations that a label belongs to; it decides the colour."""
    plain = label.removesuffix("^-1")
    return _FAMILY.get(plain, "po" if plain.startswith("po-") else "other")


def colour_of(label: str) -> str:
    """The colour of a relation on a light background."""
    return COLOURS[FAMILIES[family(label)][0]][0]


def _family_rules(name: str, colour: str, dashes: str) -> str:
    dashed = f";stroke-dasharray:{dashes}" if dashes else ""
    return f".trv-{name}{{stroke:${colour}{dashed}}}.trv-text-{name},.trv-head-{name}{{fill:${colour}}}"


# The classes have a prefix because pictures of executions are put into pages beside other pictures.
STYLESHEET = stylesheet(
    f".trv-mono{{font-family:{MONOSPACED}}}.trv-title,.trv-small,.trv-thread{{font-family:{SANS}}}"
    f".trv-small.trv-mono{{font-family:{MONOSPACED}}}"
    ".trv-title{font-size:15px;font-weight:600}.trv-event{font-size:13px}.trv-small{font-size:11px}"
    ".trv-thread{font-size:12px;font-weight:600}.trv-label{font-size:12px}"
    ".trv-card{fill:$card;stroke:$line}.trv-box{fill:$box;stroke:$line;stroke-width:1}"
    ".trv-guilty{stroke:$red;stroke-width:2}.trv-halo{fill:$card}"
    ".trv-edge{fill:none;stroke-width:1.3}.trv-edge.trv-strong{stroke-width:2.6}"
    ".trv-label.trv-strong{font-weight:700}"
    ".trv-title,.trv-event{fill:$ink}.trv-small,.trv-thread{fill:$faint}"
    + "".join(_family_rules(name, *style) for name, style in FAMILIES.items())
    + "".join(f".trv-kind-{kind}{{fill:${colour}}}" for kind, colour in KINDS.items())
)
