"""Expressions of `.pts` programs -> IR terms.

Arithmetic over registers and numbers, comparisons, and their combinations. Which of several operators binds
tighter is said nowhere, and grammars of the language differ in it: parentheses have to say it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Const, Expr, Reg
from treville.programs.litmus.c.emitting import Emitter
from treville.programs.litmus.c.terms import ONE, ZERO, Tokens, negate, operate
from treville.programs.litmus.literals import parse_number
from treville.results import Unsupported

KEYWORDS = frozenset(
    ["thread", "while", "if", "then", "else", "and", "or", "not", "True", "true", "False", "false"]
)
_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}
_COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_CONNECTIVES = {"and": "and", "&&": "and", "or": "or", "||": "or"}
_CONSTANTS = {"True": ONE, "true": ONE, "False": ZERO, "false": ZERO}


class ExpressionReader(Emitter):
    """Reads expressions of one thread. `registers` are those that were set so far."""

    def __init__(self, tokens: Tokens, place: int, thread: ThreadDraft, program: ProgramDraft) -> None:
        super().__init__(tokens, place, thread)
        self.locations = program.locations
        self.registers: dict[str, None] = {}

    def arithmetic(self) -> Expr:
        """A number."""
        start = self.place
        value, is_truth = self._sum()
        if is_truth:
            raise self._error_at(start, "expected a number, found a comparison")
        return value

    def truth(self) -> Expr:
        """A condition."""
        start = self.place
        value, is_truth = self._formula()
        if not is_truth:
            raise self._error_at(start, "expected a comparison", "such as (r == 1)")
        return value

    # An expression is its term and whether it is a truth value.

    def _formula(self) -> tuple[Expr, bool]:
        if self.words[self.place] in ("not", "!"):
            self.place += 1
            start = self.place
            operand = self._comparison()
            self._demand(operand, True, start)
            if self.words[self.place] in _CONNECTIVES:
                raise self._ambiguous()
            return negate(operand[0]), True
        return self._chain(self._comparison, _CONNECTIVES, of_truths=True)

    def _comparison(self) -> tuple[Expr, bool]:
        start = self.place
        left = self._sum()
        name = _COMPARISONS.get(self.words[self.place])
        if name is None:
            return left
        self._demand(left, False, start)
        self.place += 1
        start = self.place
        right = self._sum()
        self._demand(right, False, start)
        if self.words[self.place] in _COMPARISONS:
            raise self._ambiguous()
        return operate(name, left[0], right[0]), True

    def _sum(self) -> tuple[Expr, bool]:
        return self._chain(self._atom, _ARITHMETIC, of_truths=False)

    def _chain(
        self, operand: Callable[[], tuple[Expr, bool]], operators: Mapping[str, str], *, of_truths: bool
    ) -> tuple[Expr, bool]:
        """Operands between operators that are all the same, from the left."""
        start = self.place
        value = operand()
        name = operators.get(self.words[self.place])
        if name is None:
            self._refuse_division()
            return value
        self._demand(value, of_truths, start)
        while (following := operators.get(self.words[self.place])) is not None:
            if following != name:
                raise self._ambiguous()
            self.place += 1
            start = self.place
            right = operand()
            self._demand(right, of_truths, start)
            value = operate(name, value[0], right[0]), of_truths
        return value

    def _refuse_division(self) -> None:
        if self.words[self.place] in ("/", "%"):
            raise Unsupported("division", self.where(), "its rounding is said nowhere")

    def _atom(self) -> tuple[Expr, bool]:
        word = self.words[self.place]
        if word == "(":
            self.enter()
            self.place += 1
            value = self._formula()
            self.expect(")")
            self.depth -= 1
            return value
        if word in _CONSTANTS:
            self.place += 1
            return _CONSTANTS[word], True
        if word == "-" and self.words[self.place + 1].isdecimal():
            self.place += 2
            return Const(-parse_number(self.words[self.place - 1])), False
        if word.isdecimal():
            self.place += 1
            return Const(parse_number(word)), False
        return self._register(word), False

    def _register(self, word: str) -> Expr:
        if word in self.locations:
            raise self.error(f"{word} is a location", f"load it first: r = {word}.load(_rx)")
        if word in self.registers:
            self.place += 1
            return Reg(word)
        if not (word[:1].isalpha() or word[:1] == "_") or word in KEYWORDS:
            raise self.error(f"expected a register or a number, found {self.found()}")
        raise self.error(f"the register {word} was never set")

    def _demand(self, value: tuple[Expr, bool], is_truth: bool, start: int) -> None:
        if value[1] is not is_truth:
            wanted, found = ("a comparison", "a number") if is_truth else ("a number", "a comparison")
            raise self._error_at(start, f"expected {wanted}, found {found}")

    def _ambiguous(self) -> Exception:
        word = self.words[self.place]
        return self.error(f"'{word}' behind another operator", "parentheses say what is meant")

    def _error_at(self, place: int, message: str, hint: str = "") -> Exception:
        self.place = place
        return self.error(message, hint)
