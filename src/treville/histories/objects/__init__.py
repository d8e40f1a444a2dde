"""What the keys of a history are: sequential specifications, one small file each.

A log with reads and writes alone is about registers, and every level knows those. A log with other functions
is about the first object of `OBJECTS` that has them all; its levels are `LEVELS_OF_OBJECTS`, and all others
are refused by name, because their definitions speak of reads and writes.
"""

from __future__ import annotations

from treville.histories.objects.append_list import AppendList
from treville.histories.objects.cas_register import CasRegister
from treville.histories.objects.register import Register
from treville.histories.objects.specification import SequentialObject

REGISTER = Register()
OBJECTS: dict[str, SequentialObject] = {
    specification.name: specification for specification in (REGISTER, CasRegister(), AppendList())
}
LEVELS_OF_OBJECTS = ("linearizability",)

__all__ = ["LEVELS_OF_OBJECTS", "OBJECTS", "REGISTER", "SequentialObject"]
