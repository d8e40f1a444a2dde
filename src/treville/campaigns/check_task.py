"""What `treville check` was asked: one program, one model, one property, with options."""

from __future__ import annotations

from treville.analysis.alias_names import FLOW, Alias
from treville.campaigns.kind import Limits
from treville.campaigns.outputs import PictureName
from treville.records import dataclass, field
from treville.results.properties import Property

AUTO = 0


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville check` was asked to do with every file. `bound` AUTO deepens until conclusive; `loops`
    are bounds of single loops, as `programs.loops` reads them."""

    bound: int = AUTO
    loops: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    compile_to: str = ""
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


@dataclass(frozen=True, slots=True)
class Question:
    """A program under a model (empty: the one of a litmus test's dialect), and what it must not violate.
    `text` is what standard input held."""

    file: str
    model: str
    goal: Property = Property.SAFETY
    options: Options = field(default_factory=Options)
    picture: PictureName = field(default_factory=PictureName)
    text: str | None = None

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.options.limits
