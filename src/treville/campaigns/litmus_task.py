"""What `treville litmus` was asked: one file under one model, with options."""

from __future__ import annotations

from treville.analysis.alias_names import FLOW, Alias
from treville.campaigns.kind import Limits
from treville.campaigns.outputs import PictureName
from treville.records import dataclass, field

OWN_MODEL = ""


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville litmus` was asked to do with every test. Without a `bound` it grows while loops are cut;
    with one, and `as_herd`, what is within it is taken for all there is."""

    bound: int | None = None
    as_herd: bool = True
    limits: Limits = field(default_factory=Limits)
    variants: tuple[str, ...] = ()
    bell: str = ""
    engine: str = "auto"
    alias: Alias = FLOW
    explain: bool = False
    executions: str = ""
    svg: str = ""
    dot: str = ""
    show: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One file under one model (`OWN_MODEL`: the one of the file's dialect). `text` is what standard input
    held."""

    file: str
    model: str
    options: Options = field(default_factory=Options)
    picture: PictureName = field(default_factory=PictureName)
    text: str | None = None

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.options.limits
