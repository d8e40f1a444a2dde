"""Which weak compare-exchanges may fail for no reason without any difference: those that are simply repeated.

A weak compare-exchange may fail although it found what it expected. Where the program then goes back to the
head of a loop with all that it had there, and only looked at memory on the way, leaving that iteration out
gives an execution of the same program with fewer events; so nothing is lost if it never fails in vain there.
What the failed exchange writes back to the variable with the expected value is what was there already; like
any ordinary data, nobody else accesses that variable meanwhile.
"""

from __future__ import annotations

from treville.programs.c.llvm import Block, Function, GlobalName, LlvmInstruction, LocalName, Number, Value
from treville.records import NamedTuple
from treville.relations.graphs import reachable

_MOST_BLOCKS = 40
_CASTS = frozenset(("zext", "sext", "trunc", "freeze", "ptrtoint", "inttoptr", "bitcast"))
_ARITHMETIC = frozenset(
    ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor", "icmp",
     "select", "getelementptr", "extractvalue", "insertvalue")
)  # fmt: skip
_HARMLESS = _CASTS | _ARITHMETIC | {"load", "fence", "phi", "br", "switch"}
_HARMLESS_CALLS = ("llvm.dbg", "llvm.lifetime", "sched_yield", "thrd_yield", "pthread_yield")


class _Same(NamedTuple):
    """The value that this name has in the iteration."""

    name: str


def is_only_repeated(function: Function, exchange: LlvmInstruction) -> bool:
    """Does the program do nothing but try again where the weak exchange fails in vain?"""
    blocks = {block.name: block for block in function.blocks}
    home = next(block for block in function.blocks if exchange in block.instructions)
    path = _FailingPath(function, exchange)
    block, position = home, home.instructions.index(exchange) + 1
    for _ in range(_MOST_BLOCKS):
        following = path.follow(block.instructions[position:])
        if following is None:
            return False
        entered, position = blocks[following], 0
        if _always_before(function, entered, home):
            unchanged = path.same_at(entered, block.name)
            return unchanged and _only_looks(function, entered, home, exchange)
        position = path.enter(entered, block.name)
        block = entered
    return False


class _FailingPath:
    """What is known of values after an exchange that failed in vain: its result is false, and what it read is
    what it expected."""

    def __init__(self, function: Function, exchange: LlvmInstruction) -> None:
        self.exchange = exchange
        self.expected = exchange.operands[1][1]
        self.known: dict[str, Value | _Same] = {}
        instructions = [i for block in function.blocks for i in block.instructions]
        self.kept_at = next(
            (i.operands[0][1] for i in instructions if i.opcode == "load" and _name(i) == self.expected), None
        )

    def value(self, value: Value) -> Value | _Same:
        """What a value is on the path."""
        if isinstance(value, LocalName):
            return self.known.get(value.name, _Same(value.name))
        return value

    def follow(self, instructions: list[LlvmInstruction]) -> str | None:
        """The block that comes next; None if that is not known, or if something happens before."""
        for instruction in instructions:
            if instruction.opcode == "br":
                return self._target(instruction)
            if not self._passes(instruction):
                return None
        return None

    def _target(self, branch: LlvmInstruction) -> str | None:
        if len(branch.labels) == 1:
            return branch.labels[0]
        condition = self.value(branch.operands[0][1])
        return branch.labels[0 if condition.value else 1] if isinstance(condition, Number) else None

    def _passes(self, instruction: LlvmInstruction) -> bool:
        opcode, result = instruction.opcode, instruction.result
        if opcode == "store":
            return self._writes_back(instruction)
        if opcode == "call" or opcode not in _HARMLESS:
            return _is_harmless(instruction)
        if result is not None:
            self.known[result] = self._computed(instruction)
        return True

    def _computed(self, instruction: LlvmInstruction) -> Value | _Same:
        values = [self.value(value) for _, value in instruction.operands]
        own = _Same(f"after {instruction.result}")
        if instruction.opcode == "extractvalue" and instruction.operands[0][1] == _name(self.exchange):
            return Number(0) if instruction.indices == (1,) else self.value(self.expected)
        if instruction.opcode in _CASTS and isinstance(values[0], Number):
            return values[0]
        if instruction.opcode in ("xor", "icmp") and all(isinstance(value, Number) for value in values):
            one, other = (value.value or 0 for value in values if isinstance(value, Number))
            tests = {"eq": one == other, "ne": one != other}
            if instruction.opcode == "xor":
                return Number((one ^ other) & 1) if {one, other} <= {0, 1, -1} else own
            test = tests.get(instruction.words[-1] if instruction.words else "")
            return own if test is None else Number(int(test))
        return own

    def _writes_back(self, store: LlvmInstruction) -> bool:
        """Is it the expected value that is written, to where it came from?"""
        (_, value), (_, place) = store.operands
        return self.value(value) == self.value(self.expected) and self.kept_at == place

    def enter(self, block: Block, origin: str) -> int:
        """Give the phis of a block their values; where what follows them begins."""
        phis = [instruction for instruction in block.instructions if instruction.opcode == "phi"]
        found = {phi.result or "": self.value(_incoming(phi, origin)) for phi in phis}
        self.known.update(found)
        return len(phis)

    def same_at(self, head: Block, origin: str) -> bool:
        """Do the phis of the loop's head get the values that they had in this iteration?"""
        phis = [instruction for instruction in head.instructions if instruction.opcode == "phi"]
        return all(self.value(_incoming(phi, origin)) == _Same(phi.result or "") for phi in phis)


def _name(instruction: LlvmInstruction) -> LocalName:
    return LocalName(instruction.result or "")


def _incoming(phi: LlvmInstruction, origin: str) -> Value:
    return next(value for value, block in phi.cases if block == origin)


def _is_harmless(instruction: LlvmInstruction) -> bool:
    if instruction.opcode != "call":
        return instruction.opcode in _HARMLESS
    callee = instruction.operands[0][1]
    return isinstance(callee, GlobalName) and callee.name.startswith(_HARMLESS_CALLS)


def _successors(block: Block) -> list[str]:
    last = block.instructions[-1]
    return [*last.labels, *(label for _, label in last.cases)] if last.opcode in ("br", "switch") else []


def _reachable(function: Function, start: str, without: str) -> set[str]:
    """The blocks on paths that do not go through (beyond) the block `without`."""
    blocks = {block.name: block for block in function.blocks}
    return reachable([start], lambda name: [] if name == without else _successors(blocks[name]))


def _always_before(function: Function, block: Block, home: Block) -> bool:
    """Does every path to `home` go through the block?"""
    first = function.blocks[0].name
    return block is home or block.name == first or home.name not in _reachable(function, first, block.name)


def _only_looks(function: Function, head: Block, home: Block, exchange: LlvmInstruction) -> bool:
    """Does nothing happen on the way from the loop's head to the exchange but reads?"""
    for block in function.blocks:
        if block is home:
            before = block.instructions[: block.instructions.index(exchange)]
            if not all(_is_harmless(instruction) for instruction in before):
                return False
        elif block.name in _reachable(function, head.name, home.name):
            leads_there = home.name in _reachable(function, block.name, head.name)
            if leads_there and not all(_is_harmless(instruction) for instruction in block.instructions):
                return False
    return True
