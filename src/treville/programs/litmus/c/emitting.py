"""Words of a C function and the instructions that they become: where a reader stands, and what it emitted."""

from __future__ import annotations

from treville.programs.draft import ThreadDraft
from treville.programs.ir import (
    Expr,
    Instruction,
    Load,
    Reg,
    Store,
    place,
)
from treville.programs.litmus.c.terms import (
    WIDTH,
    Tokens,
)
from treville.results import InputError, Span

_DEEPEST = 100


class Emitter:
    """Steps through the words of one function; the emitted instructions are in `thread`."""

    def __init__(self, tokens: Tokens, place: int, thread: ThreadDraft) -> None:
        self.words, self.offsets = tokens.words, tokens.offsets
        self.source, self.base = tokens.source, tokens.base
        self.place, self.thread = place, thread
        self.instructions = thread.instructions
        self.temporaries = self.label_count = self.index = self.depth = 0
        self.span: Span | None = None
        self.text = ""

    # -- emitting ----------------------------------------------------------------------------------

    def emit(self, instruction: Instruction) -> None:
        """Append an instruction of the current source statement."""
        place(instruction, self.text, self.span, self.index)
        self.instructions.append(instruction)

    def temporary(self) -> str:
        """A fresh register, which no program can name."""
        self.temporaries += 1
        return f"${self.temporaries}"

    def load(self, address: Expr, tags: frozenset[str], *, link: bool = False) -> Reg:
        """Emit a read and return the register that holds its value."""
        register = self.temporary()
        self.emit(Load(register, address, tags, WIDTH, link))
        return Reg(register)

    def store(self, address: Expr, value: Expr, tags: frozenset[str], *, link: bool = False) -> None:
        """Emit a write."""
        self.emit(Store(address, value, tags, WIDTH, link))

    def new_label(self) -> str:
        """A fresh label, to be placed with `place_label`."""
        self.label_count += 1
        return f".{self.label_count}"

    def place_label(self, label: str) -> None:
        """Let the label point behind what has been emitted so far."""
        self.thread.labels[label] = len(self.instructions)

    # -- tokens ------------------------------------------------------------------------------------

    def take(self, word: str) -> bool:
        """Step over the next word if it is this one."""
        if self.words[self.place] == word:
            self.place += 1
            return True
        return False

    def expect(self, word: str) -> None:
        """Step over this word, which must come next."""
        if self.words[self.place] != word:
            raise self.error(f"expected '{word}', found {self.found()}")
        self.place += 1

    def found(self) -> str:
        """The next word for messages."""
        word = self.words[self.place]
        return f"'{word}'" if word else "the end of the program"

    def where(self, place: int | None = None) -> Span:
        """The place of a word in the file, by default of the next one."""
        place = self.place if place is None else place
        return self.source.span(self.base + self.offsets[place], max(1, len(self.words[place])))

    def error(self, message: str, hint: str = "") -> InputError:
        """An error at the next word, for the caller to raise."""
        return InputError(message, self.where(), hint)

    def enter(self) -> None:
        """Count a level of nesting."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error(f"more than {_DEEPEST} levels of nesting")
