"""C statements -> IR instructions.

One pass, no tree: statements emit instructions as they are read. As herd7 has it, what an `if` or a loop
controls ends with that statement: events behind it do not depend on its condition, hence `Branch.until` is
always set.
"""

from __future__ import annotations

from collections.abc import Callable

from treville.programs.draft import ThreadDraft
from treville.programs.ir import Branch, Const, Expr, Load, Local, Reg, place
from treville.programs.litmus.c.expressions import ExpressionReader, Library
from treville.programs.litmus.c.terms import (
    BINARY,
    ONE,
    PLAIN,
    TYPE_WORDS,
    Cell,
    Tokens,
    is_name,
    negate,
    operate,
)
from treville.records import replace
from treville.results import InputError, Unsupported

END = ".end"
_STATEMENT_WORDS = frozenset(
    ["if", "else", "while", "do", "for", "return", "break", "continue", "goto", "switch", "case", "default"]
)


class ParameterAssigned(Exception):
    """A pointer parameter is assigned to, so it has to be a register."""

    def __init__(self, name: str) -> None:
        self.name = name


class BodyReader(ExpressionReader):
    """Reads the body of one function."""

    def __init__(self, tokens: Tokens, place: int, thread: ThreadDraft, library: Library) -> None:
        super().__init__(tokens, place, thread, library)
        self.loops: list[tuple[str, str]] = []

    def block(self) -> None:
        """Statements up to and including the closing brace."""
        while not self.take("}"):
            if not self.words[self.place]:
                raise self.error("the function is never closed", "end it with }")
            self.statement()

    def statement(self) -> None:
        """Any one statement."""
        words, place = self.words, self.place
        word = words[place]
        self.index += 1
        self.span = self.where()
        self.text = ""
        if word == "{":
            self.enter()
            self.place += 1
            self.block()
            self.depth -= 1
        elif word in _STATEMENT_WORDS and words[place + 1] != "=" and self.control(word):
            pass
        elif word != ";":
            self.simple_statement()
            self.expect(";")
            self.name_instructions(place)
        else:
            self.place += 1

    def name_instructions(self, start: int) -> None:
        """Give the instructions of the statement that began at word `start` its source text."""
        first, last = self.offsets[start], self.offsets[self.place - 1]
        text = self.source.text[self.base + first : self.base + last]
        instructions = self.instructions
        at = len(instructions) - 1
        while at >= 0 and instructions[at].index == self.index:
            place(instructions[at], text, instructions[at].span, self.index)
            at -= 1

    def control(self, word: str) -> bool:
        """A statement that begins with a keyword; false if it turns out to be a name (`continue`)."""
        self.place += 1
        if word in ("break", "continue"):
            if self.words[self.place] != ";":
                self.place -= 1
                self.simple_statement()
                self.expect(";")
                return True
            if not self.loops:
                raise self.error(f"'{word}' outside of a loop")
            self.emit(Branch(self.loops[-1][word == "break"]))
            self.expect(";")
            return True
        handler = {
            "if": self.if_statement,
            "while": self.while_loop,
            "do": self.do_loop,
            "for": self.for_loop,
        }
        if word in handler:
            self.enter()
            handler[word]()
            self.depth -= 1
        elif word == "return":
            if self.words[self.place] != ";":
                self.expression()
            self.emit(Branch(END))
            self.expect(";")
        else:
            raise Unsupported(f"'{word}'", self.where(self.place - 1))
        return True

    def condition(self) -> Expr:
        """A condition in parentheses."""
        start = self.place - 1
        self.expect("(")
        value = self.expression()
        self.expect(")")
        self.name_instructions(start)
        return value

    def branch_unless(self, condition: Expr, target: str, until: str) -> None:
        """Go to `target` where the condition is zero; a constant condition needs no choice."""
        if type(condition) is not Const:
            self.emit(Branch(target, negate(condition), until))
        elif condition.value == 0:
            self.emit(Branch(target))

    def if_statement(self) -> None:
        """`if (c) s else s`; its condition controls both branches and nothing behind them."""
        condition = self.condition()
        otherwise, end = self.new_label(), self.new_label()
        self.branch_unless(condition, otherwise, end)
        self.statement()
        if self.words[self.place] == "else":
            self.place += 1
            self.emit(Branch(end))
            self.place_label(otherwise)
            self.statement()
        else:
            self.place_label(otherwise)
        self.place_label(end)

    def while_loop(self) -> None:
        """`while (c) s`"""
        head, exit_label = self.new_label(), self.new_label()
        self.place_label(head)
        self.branch_unless(self.condition(), exit_label, exit_label)
        self.loops.append((head, exit_label))
        self.statement()
        self.loops.pop()
        self.emit(Branch(head))
        self.place_label(exit_label)

    def do_loop(self) -> None:
        """`do s while (c);`"""
        head, test, exit_label = self.new_label(), self.new_label(), self.new_label()
        self.place_label(head)
        self.loops.append((test, exit_label))
        self.statement()
        self.loops.pop()
        self.expect("while")
        self.place_label(test)
        condition = self.condition()
        self.branch_unless(condition, exit_label, exit_label)
        self.emit(Branch(head))
        self.expect(";")
        self.place_label(exit_label)

    def for_loop(self) -> None:
        """`for (s; c; s) s`: the words of the step are read after the body."""
        head, step, exit_label = self.new_label(), self.new_label(), self.new_label()
        self.expect("(")
        if self.words[self.place] != ";":
            self.simple_statement()
        self.expect(";")
        self.place_label(head)
        condition: Expr = ONE if self.words[self.place] == ";" else self.expression()
        self.expect(";")
        self.branch_unless(condition, exit_label, exit_label)
        step_place = self.place
        self.skip_to_closing()
        self.loops.append((step, exit_label))
        self.statement()
        self.loops.pop()
        end, self.place = self.place, step_place
        self.place_label(step)
        if self.words[self.place] != ")":
            self.simple_statement()
        self.expect(")")
        self.place = end
        self.emit(Branch(head))
        self.place_label(exit_label)

    def skip_to_closing(self) -> None:
        """Step over words up to and including the parenthesis that closes the current one."""
        depth = 1
        while depth:
            word = self.words[self.place]
            if not word:
                raise self.error("expected ')', found the end of the program")
            depth += (word == "(") - (word == ")")
            self.place += 1

    def simple_statement(self) -> None:
        """A declaration, an assignment, or an expression for its effects."""
        words, place = self.words, self.place
        word, following = words[place], words[place + 1]
        if word in TYPE_WORDS or self.declares(word, following):
            self.declaration()
        elif following == "=":
            self.place += 2
            self.assign(word, self.expression(), place)
        elif following in ("++", "--"):
            self.place += 2
            self.assign(word, operate("add" if following == "++" else "sub", self.name(word), ONE), place)
        elif (following == "(" and is_name(word)) or word in ("++", "--"):
            self.expression_statement()
        else:
            self.store_statement()

    def declares(self, word: str, following: str) -> bool:
        """Is this the beginning of a declaration with a type that is not a keyword?"""
        if not is_name(word) or word in self.locals:
            return False
        return is_name(following) or (
            following == "*"
            and is_name(self.words[self.place + 2])
            and self.words[self.place + 3] in ("=", ";", ",")
        )

    def declaration(self) -> None:
        """`int a, *b = e;`"""
        self.skip_type()
        while True:
            pointer = False
            while self.take("*") or self.take("const") or self.take("volatile"):
                pointer = True
            place = self.place
            name = self.words[place]
            if not is_name(name):
                raise self.error(f"expected a name to declare, found {self.found()}")
            self.place += 1
            if self.words[self.place] == "[":
                raise Unsupported("an array among the local variables", self.where())
            self.locals.add(name)
            self.parameters.pop(name, None)
            if pointer:
                self.pointers.add(name)
            if self.take("="):
                self.assign(name, self.expression(), place)
            if not self.take(","):
                return

    def assign(self, name: str, value: Expr, place: int) -> None:
        """`name = value`: a read that was emitted for the value alone writes the register itself."""
        if not is_name(name):
            raise InputError(f"'{name}' cannot be assigned to", self.where(place))
        if name in self.parameters:
            raise ParameterAssigned(name)
        if type(value) is Reg and value.name[0] == "$" and self.instructions:
            last = self.instructions[-1]
            if type(last) is Load and last.register == value.name:
                self.instructions[-1] = replace(last, register=name)
                return
        self.emit(Local(name, value))

    def expression_statement(self) -> None:
        """`++r` or an expression for its effects."""
        word = self.words[self.place]
        if word in ("++", "--"):
            place = self.place + 1
            self.place += 2
            name = self.words[place]
            self.assign(name, operate("add" if word == "++" else "sub", self.name(name), ONE), place)
        else:
            self.expression(effects=True)

    def store_statement(self) -> None:
        """`*p = e`, `p[i] = e`, `r += e`, `(void)e`, or an expression that begins with another sign."""
        start = self.place
        target = self.unary()
        word = self.words[self.place]
        operator = (
            BINARY.get(word[:-1]) if word.endswith("=") and word not in ("==", "<=", ">=", "!=") else None
        )
        if operator is not None:
            self.place += 1
            if isinstance(target, Cell):
                old: Expr = self.load(target.address, PLAIN)
                self.store(target.address, operate(operator[1], old, self.expression()), PLAIN)
            else:
                name = self.words[start]
                self.assign(name, operate(operator[1], target, self.expression()), start)
        elif isinstance(target, Cell) and self.take("="):
            self.store(target.address, self.expression(), PLAIN)
        else:
            if isinstance(target, Cell):
                self.load(target.address, PLAIN)
            if self.words[self.place] != ";":
                raise self.error(f"expected '=' or ';', found {self.found()}")


_NESTED: dict[str, Callable[[BodyReader], None]] = {
    "if": BodyReader.if_statement,
    "while": BodyReader.while_loop,
    "do": BodyReader.do_loop,
    "for": BodyReader.for_loop,
}
