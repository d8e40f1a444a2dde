"""The colours of relations and events, and the style sheet of the SVG pictures (light and dark)."""

from __future__ import annotations

# Relations by family: colour on the light card, colour on the dark card, dash pattern.
FAMILIES: dict[str, tuple[str, str, str]] = {
    "po": ("#7a828e", "#8b949e", ""),
    "rf": ("#1a7f37", "#3fb950", ""),
    "co": ("#8250df", "#b083f0", ""),
    "fr": ("#bc4c00", "#f0883e", ""),
    "dependency": ("#0969da", "#58a6ff", "5 3"),
    "rmw": ("#bf3989", "#f778ba", ""),
    "other": ("#57606a", "#c9d1d9", "2 3"),
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
KINDS = {"R": ("#0969da", "#58a6ff"), "W": ("#bc4c00", "#f0883e"), "F": ("#7a828e", "#8b949e")}


def family(label: str) -> str:
    """The family of relations that a label belongs to; it decides the colour."""
    plain = label.removesuffix("^-1")
    return _FAMILY.get(plain, "po" if plain.startswith("po-") else "other")


def colour_of(label: str) -> str:
    """The colour of a relation on a light background."""
    return FAMILIES[family(label)][0]


def _theme(shade: int) -> str:
    """The colours of the light (0) or the dark (1) card."""
    card, line, box, ink, faint, guilty = (
        ("#ffffff", "#d0d7de", "#f6f8fa", "#1f2328", "#59636e", "#cf222e"),
        ("#0d1117", "#30363d", "#161b22", "#e6edf3", "#9198a1", "#ff7b72"),
    )[shade]
    rules = [
        f".trv-card{{fill:{card};stroke:{line}}}",
        f".trv-box{{fill:{box};stroke:{line}}}",
        f".trv-guilty{{stroke:{guilty}}}",
        f".trv-halo{{fill:{card}}}",
        f".trv-title,.trv-event{{fill:{ink}}}",
        f".trv-small,.trv-thread{{fill:{faint}}}",
    ]
    for name, style in FAMILIES.items():
        rules.append(f".trv-{name}{{stroke:{style[shade]}}}")
        rules.append(f".trv-text-{name},.trv-head-{name} path{{fill:{style[shade]}}}")
    rules += [f".trv-kind-{kind}{{fill:{colours[shade]}}}" for kind, colours in KINDS.items()]
    return "".join(rules)


_SHAPES = (
    ".trv-mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    ".trv-title,.trv-small,.trv-thread{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif}"
    ".trv-small.trv-mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    ".trv-title{font-size:15px;font-weight:600}.trv-event{font-size:13px}.trv-small{font-size:11px}"
    ".trv-thread{font-size:12px;font-weight:600}.trv-label{font-size:12px}"
    ".trv-box{stroke-width:1}.trv-guilty{stroke-width:2}"
    ".trv-edge{fill:none;stroke-width:1.3}.trv-edge.trv-strong{stroke-width:2.6}"
    ".trv-label.trv-strong{font-weight:700}"
    + "".join(f".trv-{name}{{stroke-dasharray:{style[2]}}}" for name, style in FAMILIES.items() if style[2])
)
STYLESHEET = f"{_SHAPES}{_theme(0)}@media (prefers-color-scheme:dark){{{_theme(1)}}}"
