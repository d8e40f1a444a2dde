"""What is repaired: a program with sites, how to ask about an assignment, and how it is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from treville.models.model import Model
from treville.programs.ir import Program
from treville.questions.repair.sites import Assignment, Choice, Site
from treville.questions.repair.upgrading import Violation
from treville.records import dataclass
from treville.results import Budget, Verdict


@dataclass(frozen=True, slots=True)
class Asked:
    """Whether the property holds under one model. A FAIL comes with executions, if they could be had."""

    verdict: Verdict
    violations: tuple[Violation, ...] = ()
    reason: str = ""


class Subject(ABC):
    """A source that can be changed. `texts` are its files as they are; `usable` the sites that can be
    changed; `needs` are levels that the language has only together with one of some others;
    `liked` tags of fences that people expect in gaps, where others cost the same."""

    sites: Sequence[Site]
    usable: AbstractSet[int]
    needs: Sequence[tuple[Choice, Sequence[Choice]]] = ()
    liked: Mapping[int, str] = MappingProxyType({})
    texts: Mapping[str, str]

    @abstractmethod
    def ask(self, assignment: Assignment, model: Model, budget: Budget) -> Asked:
        """Does the property hold under the assignment? Budgets and what is not supported end in UNKNOWN."""

    @abstractmethod
    def made(self, assignment: Assignment, marked: bool) -> Program:
        """The program of an assignment; `marked`: with fences without meaning at usable sites."""

    @abstractmethod
    def again(self, texts: Mapping[str, str]) -> Program:
        """The program of changed files, read from the beginning."""

    @abstractmethod
    def patched(self, assignment: Assignment) -> dict[str, str]:
        """The files that the assignment changes, as they would be."""

    @abstractmethod
    def confirm(self, texts: Mapping[str, str], model: Model, budget: Budget) -> Asked:
        """The same question about changed files, read from the beginning."""

    @abstractmethod
    def written(self, site: Site, level: int) -> tuple[str, str]:
        """What stands at a site, and what would stand there with another level."""
