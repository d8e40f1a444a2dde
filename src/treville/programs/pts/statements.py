"""Instructions of `.pts` programs -> IR instructions.

One pass, no tree, as for the C of litmus tests: what an `if` or a loop controls ends with it.
"""

from __future__ import annotations

from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Branch, Const, Expr, Fence, Load, Local, place
from treville.programs.litmus.c.terms import PLAIN, WIDTH, Tokens, negate
from treville.programs.pts.expressions import KEYWORDS, ExpressionReader
from treville.results import Span, Unsupported

_ORDERS = {"_rx": "RLX", "_con": "CON", "_acq": "ACQ", "_rel": "REL", "_sc": "SC"}
_OF_LOADS = ("_na", "_rx", "_con", "_acq", "_sc")
_OF_STORES = ("_na", "_rx", "_rel", "_sc")
_FENCES = {"mfence": "MFENCE", "sync": "SYNC", "lwsync": "LWSYNC", "isync": "ISYNC"}
_MOST_INSTRUCTIONS = 50_000


class ThreadReader(ExpressionReader):
    """Reads the body of a thread. `left` are the loops that are left after so many rounds."""

    def __init__(
        self, tokens: Tokens, place: int, thread: ThreadDraft, program: ProgramDraft, leave_after: int | None
    ) -> None:
        super().__init__(tokens, place, thread, program)
        self.leave_after = leave_after
        self.left: list[Span] = []

    def block(self) -> None:
        """`{ i; i; ... }`: a semicolon between instructions, also behind the last one and behind blocks."""
        self.enter()
        self.expect("{")
        while not self.take("}"):
            self._statement()
        self.depth -= 1

    def _statement(self) -> None:
        word = self.words[self.place]
        self.index += 1
        self.span = self.where()
        self.text = ""
        if word == "while":
            self._while()
            self.take(";")
        elif word == "if":
            self._if()
            self.take(";")
        else:
            self._instruction()
            if self.words[self.place] != "}":
                self.expect(";")

    def _instruction(self) -> None:
        start, first = self.place, len(self.instructions)
        word, following = self.words[start], self.words[start + 1]
        if word in _FENCES:
            self.place += 1
            self.emit(Fence(frozenset({_FENCES[word]})))
        elif not (word[:1].isalpha() or word[:1] == "_") or word in KEYWORDS:
            raise self.error(f"expected an instruction, found {self.found()}")
        elif following in (":=", "."):
            self._store()
        elif following in ("<-", "<:-", "="):
            self._assign(word, following)
        else:
            self.place += 1
            raise self.error(f"expected '<-', '=', ':=' or '.', found {self.found()}")
        text = self.source.text[self.offsets[start] : self.offsets[self.place]].strip()
        for instruction in self.instructions[first:]:
            place(instruction, text, instruction.span, self.index)
        if len(self.instructions) > _MOST_INSTRUCTIONS:
            raise Unsupported("loops in loops that become so long", self.span, "lower --bound")

    # -- accesses ----------------------------------------------------------------------------------

    def _assign(self, register: str, sign: str) -> None:
        """`r <- e`, `r <- x`, `r <:- x`, `r = x.load(_rx)`"""
        if register in self.locations:
            raise self.error(f"{register} is a location", f"store to it: {register}.store(_rx, 1)")
        self.place += 2
        location = self.words[self.place]
        if sign == "<-" and location not in self.locations:
            self.emit(Local(register, self.arithmetic()))
        else:
            address = self._location()
            tags = PLAIN
            if sign == "=":
                self.expect(".")
                self.expect("load")
                self.expect("(")
                tags = self._order(_OF_LOADS, "load")
                self.expect(")")
            self.emit(Load(register, address, tags, WIDTH))
        self.registers[register] = None

    def _store(self) -> None:
        """`x := e`, `x.store(_rx, e)`"""
        name = self.words[self.place]
        address = self._location()
        if self.take(":="):
            self.store(address, self.arithmetic(), PLAIN)
            return
        self.expect(".")
        if self.words[self.place] == "load":
            raise self.error("a load needs a register", f"r = {name}.load(...)")
        self.expect("store")
        self.expect("(")
        tags = self._order(_OF_STORES, "store")
        self.expect(",")
        self.store(address, self.arithmetic(), tags)
        self.expect(")")

    def _location(self) -> Expr:
        found = self.locations.get(self.words[self.place])
        if found is None:
            hint = f"the file begins with {{{', '.join(self.locations)}}}"
            raise self.error(f"expected a location, found {self.found()}", hint)
        self.place += 1
        return Const(found.address)

    def _order(self, known: tuple[str, ...], access: str) -> frozenset[str]:
        word = self.words[self.place]
        if word not in known:
            raise self.error(f"expected the order of a {access}, found {self.found()}", ", ".join(known))
        self.place += 1
        return PLAIN if word == "_na" else frozenset((_ORDERS[word], "A"))

    # -- control -----------------------------------------------------------------------------------

    def _if(self) -> None:
        self.place += 1
        otherwise, end = self.new_label(), self.new_label()
        self._unless(otherwise, end)
        self.take("then")
        self.block()
        if self.take("else"):
            self.emit(Branch(end))
            self.place_label(otherwise)
            self.block()
        else:
            self.place_label(otherwise)
        self.place_label(end)

    def _while(self) -> None:
        self.place += 1
        head, behind = self.new_label(), self.new_label()
        start, span = self.place, self.span
        self.place_label(head)
        for _ in range(self.leave_after or 1):
            self.place = start
            self._unless(behind, behind)
            self.block()
        if self.leave_after is None:
            self.span = span
            self.emit(Branch(head))
        elif span is not None:
            self.left.append(span)
        self.place_label(behind)

    def _unless(self, target: str, until: str) -> None:
        """Go to `target` where the condition that comes next is false; a constant needs no choice."""
        start = self.place - 1
        condition = self.truth()
        if not isinstance(condition, Const):
            self.emit(Branch(target, negate(condition), until))
            text = self.source.text[self.offsets[start] : self.offsets[self.place]].strip()
            place(self.instructions[-1], text, self.span, self.index)
        elif condition.value == 0:
            self.emit(Branch(target))
