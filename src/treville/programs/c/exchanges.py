"""Compare-exchanges that write what they found to a variable where they failed: without a branch.

Without optimisation clang makes `if (!exchanged) expected = found;` of it. Where nobody else sees `expected`,
other compilers write what was found in any case: an exchange that is done found what was expected. So on a
machine whose compare-and-swap is one instruction (AArch64, x86) no branch of the program is left that could
hold back later writes; what a loop of load-reserve and store-conditional compares is a branch of its own
(`ir.Branch.reserved`).
"""

from __future__ import annotations

from collections.abc import Iterable

from treville.programs.c.llvm import Block, Function, LlvmInstruction, LocalName, Value


def failing_way(function: Function, block: Block, private: Iterable[str]) -> str | None:
    """The block that a compare-exchange at the end of this one goes to where it failed, if it may go there
    in any case; `private` are the names that point to variables that nobody else sees."""
    branch = block.instructions[-1]
    exchange, found = _exchange(block, branch.operands[0][1])
    meeting, failed = (_named(function, label) for label in branch.labels)
    if exchange is None or failed.name == meeting.name or _ways_to(function, failed.name) != 1:
        return None
    *writes, end = failed.instructions
    if end.opcode != "br" or end.labels != branch.labels[:1] or len(writes) > 1:
        return None
    expected = exchange.operands[1][1]
    if any(not _writes_back(block, each, expected, found, private) for each in writes):
        return None
    phis = (i for i in meeting.instructions if i.opcode == "phi")
    return failed.name if all(_is_same(phi, block, failed, expected, found) for phi in phis) else None


def _exchange(block: Block, tested: Value) -> tuple[LlvmInstruction | None, set[str]]:
    """The exchange of a block whose success is tested, and the names of what it found."""
    made = {i.result: i for i in block.instructions if i.result}
    test = made.get(tested.name) if isinstance(tested, LocalName) else None
    if test is None or test.opcode != "extractvalue" or tuple(test.indices) != (1,):
        return None, set()
    pair = test.operands[0][1]
    exchange = made.get(pair.name) if isinstance(pair, LocalName) else None
    if exchange is None or exchange.opcode != "cmpxchg":
        return None, set()
    found = (i for i in made.values() if i.opcode == "extractvalue" and tuple(i.indices) == (0,))
    return exchange, {i.result for i in found if i.operands[0][1] == pair and i.result}


def _writes_back(
    block: Block, write: LlvmInstruction, expected: Value, found: set[str], private: Iterable[str]
) -> bool:
    """Is it a write of what was found to where the expected value was read just before?"""
    if write.opcode != "store" or write.words:
        return False
    value, place = (operand for _, operand in write.operands)
    if not isinstance(place, LocalName) or place.name not in private or not _is_found(value, found):
        return False
    read = next((n for n, i in enumerate(block.instructions) if LocalName(i.result or "") == expected), None)
    if read is None or block.instructions[read].opcode != "load":
        return False
    later = (i.opcode for i in block.instructions[read + 1 :])
    return block.instructions[read].operands[0][1] == place and not {"store", "call"}.intersection(later)


def _is_same(phi: LlvmInstruction, block: Block, failed: Block, expected: Value, found: set[str]) -> bool:
    """Is a phi the same whether one comes from the exchange or from its failing way?"""
    values = {origin: value for value, origin in phi.cases}
    here, there = values.get(block.name), values.get(failed.name)
    return here == there or (here == expected and _is_found(there, found))


def _is_found(value: Value | None, found: set[str]) -> bool:
    return isinstance(value, LocalName) and value.name in found


def _named(function: Function, label: str) -> Block:
    return next(block for block in function.blocks if block.name == label)


def _ways_to(function: Function, label: str) -> int:
    """How many jumps there are to a block."""
    ends = [block.instructions[-1] for block in function.blocks if block.instructions]
    chosen = sum(target == label for end in ends if end.opcode == "switch" for _, target in end.cases)
    return chosen + sum(end.labels.count(label) for end in ends)
