"""What `treville history` was asked: one history, one level or model, with options."""

from __future__ import annotations

from treville.campaigns.kind import Limits
from treville.histories.history import Value
from treville.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville history` was asked to do with every history. `svg` is the file of the picture."""

    limits: Limits = field(default_factory=Limits)
    algorithm: str = "auto"
    initial: tuple[tuple[str, Value], ...] = ()
    explain: bool = True
    svg: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A history and a level, or a model. `asked`: the level was asked for, not all of them."""

    file: str
    level: str | None
    model: str = ""
    options: Options = field(default_factory=Options)
    asked: bool = True
    text: str | None = None

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.options.limits
