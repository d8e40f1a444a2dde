"""`treville port`: does a program behave under one model as it does under another? (paper 004, chapter 5)"""

from treville.questions.portability.decide import observed_test, portability, program_portability
from treville.questions.portability.question import Finding, Portability, Question
from treville.questions.portability.subjects import ProgramSubject, program_subject

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
