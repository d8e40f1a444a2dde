"""C expressions -> IR expressions, with instructions emitted for the reads and calls inside them.

Pointers count cells: `p + 1` is the next cell of an array, also where a register of another type is
dereferenced. Reads in the two operands of an operator are unordered, as in C. `&&`, `||` skip their right
operand; where it has no reads or effects they become plain operators.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from treville.fences import PLACE
from treville.programs.draft import ThreadDraft
from treville.programs.ir import (
    LOCATION_BASE,
    Branch,
    Const,
    Expr,
    Fence,
    Load,
    Local,
    Op,
    Reg,
    Select,
)
from treville.programs.litmus.c.emitting import Emitter
from treville.programs.litmus.c.terms import (
    BINARY,
    CELL_BYTES,
    ONE,
    PLAIN,
    TYPE_WORDS,
    WIDTH,
    ZERO,
    Cell,
    Tokens,
    is_name,
    negate,
    operate,
    truth,
)
from treville.programs.operators import OPERATORS
from treville.records import NamedTuple, replace
from treville.results import InputError, Unsupported

_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*$")
_CONSTANTS = {"NULL": ZERO, "false": ZERO, "true": ONE}


class Primitive(NamedTuple):
    """A function that C programs call.

    `arguments` has a letter for each argument: `l` an lvalue (its address is passed), `p` a pointer, `v` a
    value, `w` a word such as `memory_order_relaxed`. `build` emits its instructions and returns its value.
    """

    arguments: str
    build: Build


Build: TypeAlias = "Callable[[ExpressionReader, list[Expr], list[str]], Expr | None]"
Library: TypeAlias = "Callable[[str], Primitive | None]"


def _place(reader: ExpressionReader, _arguments: list[Expr], words: list[str]) -> None:
    reader.emit(Fence(frozenset({PLACE, f"site {words[0]}"})))


class ExpressionReader(Emitter):
    """Reads expressions of one function."""

    def __init__(self, tokens: Tokens, place: int, thread: ThreadDraft, library: Library) -> None:
        super().__init__(tokens, place, thread)
        self.library = library
        self.parameters: dict[str, Const] = {}
        self.pointers: set[str] = set()
        self.locals: set[str] = set()

    def expression(self, *, effects: bool = False) -> Expr:
        """An expression; reads are emitted. With `effects` it may be a call without a value."""
        self.enter()
        value = self.binary(1, effects)
        if self.words[self.place] == "?":
            value = self.conditional(value)
        self.depth -= 1
        return value

    def binary(self, lowest: int, effects: bool = False) -> Expr:
        """Operators that bind at least as tightly as `lowest`."""
        return self.operators(self.value_of(self.unary(effects=effects)), lowest)

    def operators(self, left: Expr, lowest: int) -> Expr:
        """What follows the left operand."""
        while True:
            found = BINARY.get(self.words[self.place])
            if found is None or found[0] < lowest:
                return left
            self.place += 1
            before = len(self.instructions)
            self.enter()
            right = self.binary(found[0] + 1)
            self.depth -= 1
            if found[0] > 2 and len(self.instructions) == before + 1:
                self.unsequence()
            if found[0] <= 2:
                left = self.logical(found[1], left, right, before)
            elif found[0] == 9:
                left = self.add_or_subtract(found[1], left, right)
            else:
                left = operate(found[1], left, right)

    def unsequence(self) -> None:
        """C does not order a read in a right operand with the reads in the left one."""
        last = self.instructions[-1]
        if type(last) is Load and not last.link:
            self.instructions[-1] = replace(last, parallel=True)

    def logical(self, operator: str, left: Expr, right: Expr, before: int) -> Expr:
        """`&&` and `||`; if the right operand has reads or effects, they happen only where it counts."""
        left, right = truth(left), truth(right)
        if len(self.instructions) == before:
            return operate(operator, left, right)
        result, end = self.temporary(), self.new_label()
        skip = negate(left) if operator == "and" else left
        tail = self.instructions[before:]
        del self.instructions[before:]
        self.emit(Local(result, left))
        self.emit(Branch(end, skip, end))
        self.instructions.extend(tail)
        for label, target in self.thread.labels.items():
            if target > before:
                self.thread.labels[label] = target + 2
        self.emit(Local(result, right))
        self.place_label(end)
        return Reg(result)

    def conditional(self, condition: Expr) -> Expr:
        """`c ? a : b`, both sides without reads or effects."""
        question = self.place
        self.place += 1
        before = len(self.instructions)
        then = self.expression()
        self.expect(":")
        otherwise = self.expression()
        if len(self.instructions) != before:
            raise Unsupported("'?:' with memory accesses in its branches", self.where(question), "use if")
        return Select(truth(condition), then, otherwise)

    def add_or_subtract(self, operator: str, left: Expr, right: Expr) -> Expr:
        """Sums; what is added to a pointer counts cells."""
        if self.is_pointer(left):
            if self.is_pointer(right):
                return operate("sdiv", operate("sub", left, right), Const(CELL_BYTES))
            right = operate("mul", right, Const(CELL_BYTES))
        elif self.is_pointer(right):
            left = operate("mul", left, Const(CELL_BYTES))
        return operate(operator, left, right)

    def is_pointer(self, value: Expr) -> bool:
        """Does the expression hold an address, as far as its declarations say?"""
        if isinstance(value, Const):
            return value.value >= LOCATION_BASE
        if isinstance(value, Reg):
            return value.name in self.pointers
        if isinstance(value, Op) and value.name in ("add", "sub"):
            return any(self.is_pointer(argument) for argument in value.args)
        return False

    def as_address(self, value: Expr) -> Expr:
        """A value that is used as an address: in `r + 1` the register holds a pointer, whatever its type."""
        if type(value) is Op and value.name in ("add", "sub") and not self.is_pointer(value):
            return Op(value.name, (value.args[0], operate("mul", value.args[1], Const(CELL_BYTES))), WIDTH)
        return value

    def value_of(self, operand: Expr | Cell) -> Expr:
        """The operand, read from memory if it is a cell."""
        return self.load(operand.address, PLAIN) if isinstance(operand, Cell) else operand

    def unary(self, *, effects: bool = False) -> Expr | Cell:
        """A prefix operator, a cast, or a primary with its subscripts."""
        word = self.words[self.place]
        if word == "*":
            self.place += 1
            self.enter()
            address = self.as_address(self.value_of(self.unary()))
            self.depth -= 1
            return Cell(address)
        if word in ("-", "!", "~", "+"):
            self.place += 1
            self.enter()
            operand = self.value_of(self.unary())
            self.depth -= 1
            return negate(operand) if word == "!" else self.signed(word, operand)
        if word == "&":
            self.place += 1
            return self.address_of()
        if word == "(":
            return self.parenthesised(effects)
        return self.primary(word, effects)

    def signed(self, word: str, operand: Expr) -> Expr:
        """`+e`, `-e` or `~e`."""
        return operand if word == "+" else operate("neg" if word == "-" else "not", operand)

    def address_of(self) -> Expr:
        """`&e` for an operand in memory."""
        place = self.place
        self.enter()
        operand = self.unary()
        self.depth -= 1
        if isinstance(operand, Cell):
            return operand.address
        raise Unsupported("the address of a local variable", self.where(place), "write &*p or p")

    def parenthesised(self, effects: bool) -> Expr | Cell:
        """A cast, or an expression in parentheses; `(*p)` keeps being a cell."""
        following = self.words[self.place + 1]
        if following in TYPE_WORDS or (
            is_name(following)
            and self.words[self.place + 2] == "*"
            and self.words[self.place + 3] in ("*", ")")
        ):
            self.place += 1
            self.skip_type()
            while self.take("*") or self.take("const") or self.take("volatile"):
                pass
            self.expect(")")
            self.enter()
            operand = self.unary(effects=effects)
            self.depth -= 1
            return operand
        self.place += 1
        self.enter()
        operand = self.unary(effects=effects)
        if not self.take(")"):
            value = self.operators(self.value_of(operand), 1)
            operand = self.conditional(value) if self.words[self.place] == "?" else value
            self.expect(")")
        self.depth -= 1
        return self.subscripts(operand)

    def skip_type(self) -> None:
        """Step over the words of a type, which does not include `*`."""
        words = self.words
        if words[self.place] in ("struct", "union", "enum"):
            self.place += 2
            return
        known = False
        while words[self.place] in TYPE_WORDS:
            known = True
            self.place += 1
            if words[self.place - 1] in ("struct", "union", "enum"):
                self.place += 1
        if not known:
            self.place += 1

    def primary(self, word: str, effects: bool) -> Expr | Cell:
        """A name with its subscripts, a call, or a number."""
        if is_name(word):
            self.place += 1
            if self.words[self.place] == "(":
                return self.call(word, effects)
            return self.subscripts(self.name(word))
        number = _NUMBER.match(word)
        if number is None:
            raise self.error(f"expected an expression, found {self.found()}")
        self.place += 1
        return Const(OPERATORS["add"]((int(number.group(1), 0 if "x" in word.lower() else 10), 0), WIDTH))

    def subscripts(self, base: Expr | Cell) -> Expr | Cell:
        """`base[i]...`"""
        while self.words[self.place] == "[":
            self.place += 1
            index = operate("mul", self.expression(), Const(CELL_BYTES))
            self.expect("]")
            base = Cell(operate("add", self.value_of(base), index))
        if self.words[self.place] in (".", "->"):
            raise Unsupported("a structure's field", self.where())
        return base

    def name(self, word: str) -> Expr:
        """What a name means: a parameter's address, a constant, or a register."""
        address = self.parameters.get(word)
        if address is not None:
            return address
        if (
            word in ("NULL", "true", "false")
            and word not in self.locals
            and word not in self.thread.registers
        ):
            return ONE if word == "true" else ZERO
        return Reg(word)

    # -- calls -------------------------------------------------------------------------------------

    def call(self, name: str, effects: bool) -> Expr:
        """A call of a primitive of the library; `place` is at the opening parenthesis."""
        name_place = self.place - 1
        primitive = _ROOM if name == "treville_place" else self.library(name)
        if primitive is None:
            raise Unsupported(f"the function '{name}'", self.where(name_place))
        self.place += 1
        arguments: list[Expr] = []
        words: list[str] = []
        for kind in primitive.arguments:
            if arguments or words:
                if self.words[self.place] != ",":
                    raise self.error(
                        f"{name} takes {len(primitive.arguments)} arguments, found {self.found()}"
                    )
                self.place += 1
            if kind == "w":
                words.append(self.words[self.place])
                self.place += 1
            else:
                arguments.append(self.argument(kind))
        self.expect(")")
        result = primitive.build(self, arguments, words)
        if result is None:
            if not effects:
                raise InputError(f"{name} has no value", self.where(name_place))
            return ZERO
        return result

    def argument(self, kind: str) -> Expr:
        """One argument: an lvalue's address, a pointer or a value."""
        if kind == "v":
            return self.expression()
        if kind == "p":
            return self.as_address(self.expression())
        place = self.place
        operand = self.unary()
        if isinstance(operand, Cell):
            return operand.address
        operand = self.operators(operand, 1)
        if self.is_pointer(operand):
            return operand
        raise InputError("expected a memory location", self.where(place), "dereference a pointer, as in *x")


# Room for a fence: the number tells which (`questions.repair`).
_ROOM = Primitive("w", _place)
