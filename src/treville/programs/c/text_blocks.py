"""The text of an LLVM function as basic blocks: line numbers, and the blocks that may follow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from treville.records import dataclass, field

NAME = r'%(?:[-\w.$]+|"[^"]*")'
NAMES = re.compile(NAME)
_LABEL = re.compile(r'^("[^"]*"|[-\w.$]+):')
_TARGET = re.compile(rf"label ({NAME})")


@dataclass
class TextBlock:
    """Numbers of the lines of a basic block, and the names of blocks that may follow."""

    lines: list[int] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)


def text_blocks(lines: Sequence[str], inside: Iterable[int]) -> dict[str, TextBlock]:
    """The blocks of a function by name, in their order; `inside` are the numbers of its lines."""
    blocks: dict[str, TextBlock] = {}
    current = blocks.setdefault("%", TextBlock())
    for n in inside:
        if label := _LABEL.match(lines[n]):
            current = blocks[f"%{label[1]}"] = TextBlock()
        elif lines[n].strip():
            current.lines.append(n)
            current.targets += _TARGET.findall(lines[n])
    if not blocks["%"].lines:
        del blocks["%"]
    return blocks


def reaches(
    blocks: dict[str, TextBlock],
    starts: Iterable[int],
    finds: Callable[[int], bool],
    stops: Callable[[int], bool],
) -> bool:
    """Does a way from one of the lines come to one that is looked for, and to none before that ends it?"""
    place = {line: (block, at) for block in blocks.values() for at, line in enumerate(block.lines)}
    work = [place[start] for start in starts]
    seen: set[int] = set()
    while work:
        block, at = work.pop()
        for line in block.lines[at:]:
            if finds(line):
                return True
            if stops(line):
                break
        else:
            following = [blocks[target] for target in block.targets if target in blocks]
            work += [(each, 0) for each in following if id(each) not in seen]
            seen |= {id(each) for each in following}
    return False
