"""What `treville check` was asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from treville.analysis.alias_names import FLOW, Alias
from treville.campaigns.outputs import PictureName
from treville.results.properties import Property

AUTO = 0


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville check` was asked to do with every file. `bound` AUTO deepens until conclusive; `loops`
    are bounds of single loops, as `programs.loops` reads them."""

    bound: int = AUTO
    loops: tuple[str, ...] = ()
    seconds: float | None = None
    memory: int | None = None
    compile_to: str = ""
    properties: tuple[Property, ...] = (Property.SAFETY,)
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    engine: str = "auto"
    alias: Alias = FLOW
    encoding: str = "acyclicity"
    solver: str = "clasp"
    svg: str = ""
    dot: str = ""
    graphml: str = ""
    variants: tuple[str, ...] = ()
    bell: str = ""
    picture: PictureName = field(default_factory=PictureName)
