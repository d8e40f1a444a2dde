"""A number that may be any -> the few numbers that make a difference.

A program that asks for any number mostly only tests it: `if (nondet())`, `switch`, `assume(n < 5)`. Between
two neighbouring constants that a number is compared with, all tests of it come out the same; so one number of
each such range stands for all of them. Where the number itself is used (stored, added to another) a range is
no longer one case: it is tried number by number if it is small, it does not matter if the thread ends at once
(an assumption does not hold), and else a few numbers are a sample, which can show mistakes but no absence of
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from treville.programs import ir
from treville.programs.operators import OPERATORS, wrap
from treville.programs.spin import field_names, used_registers
from treville.records import dataclass, field

_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge"})
_REMAINDERS = ("srem", "urem")
_MOST_ALIASES = 64
_LONGEST_PERIOD = 64
_SMALL = 16  # a range of so many numbers is tried number by number


@dataclass
class Choice:
    """What becomes of any number of `bits` bits: the starts of the ranges within which no test of it changes,
    the tests, as expressions over its register. If it is not only tested it is `used`: where (`uses`), and
    what is computed from it (`tainted`). `names` are the registers where it, or something from it, may be."""

    register: str
    bits: int
    starts: list[int] = field(default_factory=list)
    tests: list[ir.Expr] = field(default_factory=list)
    tainted: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    uses: set[int] = field(default_factory=set)
    constants: list[int] = field(default_factory=list)
    period: int = 1  # numbers of a range whose distance is a multiple of it are not told apart either
    used: bool = False

    def ranges(self) -> Iterator[tuple[int, int]]:
        """The first and the last number of each range."""
        last = (1 << (self.bits - 1)) - 1
        for start, following in zip(self.starts, [*self.starts[1:], last + 1], strict=True):
            yield start, following - 1

    def kinds(self) -> Iterator[range]:
        """The numbers that no test tells apart, kind by kind; remainders are tests, too."""
        for first, last in self.ranges():
            for start in range(first, min(first + self.period, last + 1)):
                yield range(start, last + 1, self.period)

    def answers(self, value: int) -> tuple[int, ...]:
        """How the tests come out for a number."""
        return tuple(_evaluate(test, value) for test in self.tests)

    def sample(self, kind: range, count: int) -> tuple[int, ...]:
        """So many numbers of a kind: small ones, and those that the thread compares anything with."""
        after_zero = -(kind.start // kind.step) if kind.start < 0 else 0
        at = min(after_zero, _count(kind) - 1)
        compared = [number for number in self.constants if number in kind]
        return tuple(dict.fromkeys([kind[at], *compared, *kind[at : at + count]]))[:count]


def all_numbers(kind: range) -> tuple[int, ...] | None:
    """The numbers of a kind if they are few."""
    return tuple(kind) if _count(kind) <= _SMALL else None


def _count(kind: range) -> int:
    """How many numbers there are, which `len` refuses to tell if they are very many."""
    return (kind.stop - 1 - kind.start) // kind.step + 1


def choice_of(thread: ir.Thread, instruction: ir.Nondet) -> Choice:
    """What the thread does with the number that the instruction gives."""
    return _Uses(thread, instruction).choice


class _Uses:
    """Follows a number through a thread: `aliases` are the expressions over it that registers hold."""

    def __init__(self, thread: ir.Thread, source: ir.Nondet) -> None:
        self.thread = thread
        self.choice = Choice(source.register, source.bits)
        self.aliases: dict[str, list[ir.Expr]] = {source.register: [ir.Reg(source.register)]}
        self.starts = {-(1 << (source.bits - 1))}
        self.tainted: set[str] = set()
        self._close()
        self.choice.starts = sorted(self.starts)
        self.choice.tainted = frozenset(self.tainted)
        self.choice.names = frozenset(self.tainted | self.aliases.keys())
        self.choice.constants = list(_compared(thread))

    def _close(self) -> None:
        """Until nothing new is found: what registers hold, then what is done with them."""
        before = -1
        while before != (before := self._size()):
            for position, instruction in enumerate(self.thread.instructions):
                self._look(position, instruction)

    def _size(self) -> int:
        return sum(map(len, self.aliases.values())) + len(self.tainted) + len(self.choice.tests)

    def _look(self, position: int, instruction: ir.Instruction) -> None:
        if isinstance(instruction, ir.Local) and self._is_alias(instruction):
            return
        known = used_registers(instruction) & (self.aliases.keys() | self.tainted)
        if isinstance(instruction, ir.ReadPrivate) and instruction.object in self.tainted:
            known.add(instruction.object)
        if not known:
            return
        truth = isinstance(instruction, ir.Branch | ir.Assume | ir.Assert)
        if all(self._only_tests(part, truth or name == "when") for name, part in _expressions(instruction)):
            if not known & self.tainted:
                return
        else:
            self.choice.used = True
            self.choice.uses.add(position)
        self._taint(instruction)

    def _taint(self, instruction: ir.Instruction) -> None:
        if isinstance(instruction, ir.Local | ir.ReadPrivate):
            self.tainted.add(instruction.register)
        elif isinstance(instruction, ir.WritePrivate):
            self.tainted.add(instruction.object)

    def _is_alias(self, instruction: ir.Local) -> bool:
        """A register that holds the number, widened or with a constant added."""
        images = self._images(instruction.value)
        if not images:
            return False
        held = self.aliases.setdefault(instruction.register, [])
        held += [image for image in images if image not in held]
        if sum(map(len, self.aliases.values())) > _MOST_ALIASES:
            self.tainted.add(instruction.register)
            self.choice.used = True
            del self.aliases[instruction.register][8:]
        return True

    def _images(self, expression: ir.Expr) -> list[ir.Expr]:
        """The expressions over the number that an expression may be; none if it is something else."""
        if isinstance(expression, ir.Reg):
            return list(self.aliases.get(expression.name, ()))
        if not isinstance(expression, ir.Op):
            return []
        wide = expression.bits >= self.choice.bits
        if expression.name in ("zext", "sext") and wide:
            images = self._images(expression.args[0])
            return [ir.Op(expression.name, (image,), expression.bits) for image in images]
        constant = expression.args[-1]
        if not isinstance(constant, ir.Const) or not wide:
            return []
        remainder = expression.name in _REMAINDERS and 0 < constant.value <= _LONGEST_PERIOD
        if expression.name in ("add", "sub") or remainder:
            images = self._images(expression.args[0])
            return [ir.Op(expression.name, (image, constant), expression.bits) for image in images]
        return []

    def _only_tests(self, expression: ir.Expr, truth: bool) -> bool:
        """Does the number occur in tests only? They are noted. `truth`: zero or not is all that matters."""
        images = self._images(expression)
        if images and all(_has_remainder(image) for image in images):
            self._note(iter(images))
            return True
        if images:
            if truth:
                self._note(ir.Op("ne", (image, ir.Const(0)), 64) for image in images)
            return truth
        if isinstance(expression, ir.Select):
            chosen = (expression.then, expression.otherwise)
            return self._only_tests(expression.condition, True) and all(
                self._only_tests(part, truth) for part in chosen
            )
        if not isinstance(expression, ir.Op):
            return True
        if expression.name in _COMPARISONS and self._is_test(expression):
            return True
        inside = expression.name == "lnot"
        return all(self._only_tests(part, inside) for part in expression.args)

    def _is_test(self, expression: ir.Op) -> bool:
        """A comparison of the number with a constant."""
        one, other = expression.args
        if expression.bits < self.choice.bits:
            return False
        if isinstance(other, ir.Const) and (images := self._images(one)):
            self._note(ir.Op(expression.name, (image, other), expression.bits) for image in images)
            return True
        if isinstance(one, ir.Const) and (images := self._images(other)):
            self._note(ir.Op(expression.name, (one, image), expression.bits) for image in images)
            return True
        return False

    def _note(self, tests: Iterator[ir.Expr]) -> None:
        for test in tests:
            if test in self.choice.tests:
                continue
            self.choice.tests.append(test)
            assert isinstance(test, ir.Op)
            constants = [a.value for a in test.args if isinstance(a, ir.Const)]
            if test.name in _COMPARISONS:
                self._cut_along(next(a for a in test.args if not isinstance(a, ir.Const)), constants[0])
            else:
                self._cut_along(test, 0)

    def _cut_along(self, image: ir.Expr, number: int) -> None:
        """Where a test of what was computed from the number, or its remainder, may come out differently."""
        shift = 0
        while isinstance(image, ir.Op):
            self._cut(number, shift)
            constant = image.args[-1]
            if image.name in _REMAINDERS and isinstance(constant, ir.Const):
                shift, self.choice.period = 0, lcm(self.choice.period, constant.value)
            elif image.name in ("add", "sub") and isinstance(constant, ir.Const):
                shift += constant.value if image.name == "add" else -constant.value
            image = image.args[0]
        self._cut(number, shift)

    def _cut(self, number: int, shift: int) -> None:
        """A test that comes out differently from `number` on, or from where numbers wrap around."""
        half = 1 << (self.choice.bits - 1)
        for at in (number, number + 1, 0, half):
            self.starts.add(wrap(at - shift, self.choice.bits))


def _expressions(instruction: ir.Instruction) -> Iterator[tuple[str, ir.Expr]]:
    for name in field_names(instruction):
        value = getattr(instruction, name)
        if isinstance(value, ir.Const | ir.Reg | ir.Op | ir.Select):
            yield name, value


def _has_remainder(image: ir.Expr) -> bool:
    """Is it the same for all numbers of a kind?"""
    while isinstance(image, ir.Op):
        if image.name in _REMAINDERS:
            return True
        image = image.args[0]
    return False


def _compared(thread: ir.Thread) -> Iterator[int]:
    """The constants in comparisons."""
    pending = [part for instruction in thread.instructions for _, part in _expressions(instruction)]
    for part in pending:
        if isinstance(part, ir.Select):
            pending += [part.condition, part.then, part.otherwise]
        elif isinstance(part, ir.Op):
            pending += part.args
            if part.name in _COMPARISONS:
                yield from (argument.value for argument in part.args if isinstance(argument, ir.Const))


def _evaluate(expression: ir.Expr, value: int) -> int:
    if isinstance(expression, ir.Const):
        return expression.value
    if not isinstance(expression, ir.Op):
        return value
    return OPERATORS[expression.name](tuple(_evaluate(a, value) for a in expression.args), expression.bits)
