"""`treville port`: does a program behave under one model as it does under another? (paper 004, chapter 5)"""

from treville.questions.portability.decide import observed_test, portability
from treville.questions.portability.question import Finding, Portability, Question

__all__ = ["Finding", "Portability", "Question", "observed_test", "portability"]
