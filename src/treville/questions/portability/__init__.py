"""`treville port`: does a program behave under one model as it does under another? (paper 004, chapter 5)"""

from treville.engines.differences.subjects import ProgramSubject, program_subject
from treville.engines.differences.task import Finding
from treville.questions.portability.decide import observed_test, portability, program_portability
from treville.questions.portability.question import Portability, Question

__all__ = [
    "Finding",
    "Portability",
    "ProgramSubject",
    "Question",
    "observed_test",
    "portability",
    "program_portability",
    "program_subject",
]
