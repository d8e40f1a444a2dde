"""Questions that are answered on other machines: packed with all that they read, and unpacked there.

Both are kinds of question themselves, so that workers do them within the limits: what a compiler does with a
file can take as long as any answer, and can end its process. A group of questions about one file shares one
tape (`results/disk.py`).
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Generic

from treville.campaigns.kind import Kind, Limits, Q, R, Telling, nobody
from treville.records import dataclass, field
from treville.results import disk
from treville.results.disk import Tape
from treville.results.progress import READING, Progress
from treville.results.reports.report import PRIVATE, Report


@dataclass(frozen=True, slots=True)
class Parcel(Generic[Q]):
    """A question, and what it reads."""

    question: Q
    tape: Tape

    @property
    def file(self) -> str:
        """What it is about."""
        return self.question.file

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.question.limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed(Report):
    """A report that is pickled already: those who only hand it on need not open it."""

    content: bytes = field(default=b"", metadata=PRIVATE)


def sealed(report: Report) -> Sealed:
    """The report, pickled."""
    return Sealed(file=report.file, content=pickle.dumps(report, pickle.HIGHEST_PROTOCOL))


def pickled(report: Report) -> bytes:
    """The report as it travels: a sealed one is what it holds."""
    return report.content if isinstance(report, Sealed) else pickle.dumps(report, pickle.HIGHEST_PROTOCOL)


class Unpacking(Kind[Parcel[Q], Report]):
    """Questions that came with what they read."""

    report = Report

    def __init__(self, kind: Kind[Q, R]) -> None:
        self.kind = kind
        self.name = kind.name

    def blank(self, question: Parcel[Q]) -> Report:
        """As of the question itself."""
        return self.kind.blank(question.question)

    def answers(self, questions: Sequence[Parcel[Q]], telling: Telling[Report]) -> Iterator[Report]:
        """The answers to the questions, which see no other disk, sealed."""
        with disk.playing(questions[0].tape):
            asked = [parcel.question for parcel in questions]
            for report in self.kind.answers(asked, Telling(telling.progress, telling.provisional)):
                yield sealed(report)

    def key(self, question: Parcel[Q]) -> str:
        """That of the question itself."""
        return self.kind.key(question.question)

    def warm_up(self) -> None:
        """Import what questions need."""
        self.kind.warm_up()


@dataclass(frozen=True, slots=True)
class Unpacked(Generic[Q]):
    """Numbered questions about one file that are to be packed."""

    questions: tuple[tuple[int, Q], ...]

    @property
    def file(self) -> str:
        """What they are about."""
        return self.questions[0][1].file

    @property
    def limits(self) -> Limits:
        """When packing is given up."""
        return self.questions[0][1].limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed(Report):
    """Numbered parcels about one file, pickled together, and reports of questions whose inputs cannot be
    read."""

    parcels: bytes = field(default=b"", metadata=PRIVATE)
    carried: tuple[int, ...] = field(default=(), metadata=PRIVATE)
    answered: tuple[tuple[int, Report], ...] = field(default=(), metadata=PRIVATE)


class Packing(Kind[Unpacked[Q], Report]):
    """Questions become parcels: `Packed`, sealed."""

    name = "packing"
    report = Report

    def __init__(self, kind: Kind[Q, R]) -> None:
        self.kind = kind

    def blank(self, question: Unpacked[Q]) -> Packed:
        """Nothing is packed."""
        return Packed(file=question.file)

    def answers(self, questions: Sequence[Unpacked[Q]], telling: Telling[Report]) -> Iterator[Report]:
        """The parcels; whatever happens here happens while reading."""
        for question in questions:
            telling.progress(Progress(READING))
            yield sealed(self._packed(question))

    def _packed(self, group: Unpacked[Q]) -> Packed:
        carried: list[tuple[int, Parcel[Q]]] = []
        answered: list[tuple[int, Report]] = []
        with disk.recording() as tape:
            for number, question in group.questions:
                try:
                    self.kind.read(question)
                    carried.append((number, Parcel(question, tape)))
                except Exception:
                    answered += [(number, report) for report in self.kind.answers([question], nobody())]
        data = pickle.dumps(carried, pickle.HIGHEST_PROTOCOL) if carried else b""
        numbers = tuple(number for number, _ in carried)
        return Packed(file=group.file, parcels=data, carried=numbers, answered=tuple(answered))

    def key(self, question: Unpacked[Q]) -> str:
        """Parcels are not kept."""
        return ""
