"""Parsing of cat and bell files: text -> `syntax.File`. The grammar is herd7's."""

from __future__ import annotations

from treville.models.cat import syntax
from treville.models.cat.expressions import ExpressionParser
from treville.models.model import AxiomKind
from treville.results import Source

_TEST_KINDS = tuple(kind.value for kind in AxiomKind)
_ROLES = ("flag", "undefined_unless", "assert")


def parse(source: Source) -> syntax.File:
    """The whole file; raises InputError with the place of the first thing that does not fit."""
    return FileParser(source).file()


class FileParser(ExpressionParser):
    """The grammar of instructions."""

    def file(self) -> syntax.File:
        """Title and instructions."""
        title = self._title()
        instructions = []
        while self.kind != "eof":
            instructions.append(self.instruction())
        return syntax.File(title, tuple(instructions))

    def _title(self) -> str:
        """Names and strings before the first instruction; old options such as `withoutco` are dropped."""
        words = []
        while self.kind in ("name", "string", "catdep"):
            text = self.texts[self.position]
            if self.kind == "string" or (self.kind == "name" and not text.startswith("with")):
                words.append(text)
            self.position += 1
        return " ".join(words)

    def instruction(self) -> syntax.Instruction:
        """One instruction."""
        kind = self.kind
        if kind in _TEST_KINDS or kind == "~" or kind in _ROLES:
            return self._test()
        reader = _INSTRUCTIONS.get(kind)
        if reader is None:
            self.fail("an instruction such as let, include, acyclic or show")
        self.enter()
        at = self.at
        self.position += 1
        result = reader(self, at)
        self.nesting -= 1
        return result

    def _block(self, *closing: str) -> tuple[syntax.Instruction, ...]:
        """Instructions up to one of the closing tokens, which stays under the cursor."""
        instructions = []
        while self.kind not in closing and self.kind != "eof":
            instructions.append(self.instruction())
        return tuple(instructions)

    def _optional_name(self) -> str | None:
        return self.expect("name", "a name") if self.accept("as") else None

    # -- the instructions; each starts behind its keyword ----------------------------------------

    def _test(self) -> syntax.Test:
        at = self.at
        role = "check"
        if self.kind in _ROLES:
            role = self.kind
            self.position += 1
        negated = self.accept("~")
        if self.kind not in _TEST_KINDS:
            self.fail("acyclic, irreflexive or empty")
        kind = AxiomKind(self.kind)
        self.position += 1
        expression = self.expression()
        end = self.offsets[self.position - 1] + len(self.texts[self.position - 1])
        return syntax.Test(at, end, role, kind, negated, expression, self._optional_name())

    def _let_instruction(self, at: int) -> syntax.Instruction:
        recursive = self.accept("rec")
        bindings = self.bindings()
        when = self._test() if self.accept("when") else None
        self.accept("in")
        return syntax.Let(at, recursive, bindings, when)

    def _show(self, at: int) -> syntax.Instruction:
        first = self.operators(1)
        if self.accept("as"):
            return syntax.ShowAs(at, first, self.expect("name", "a name"))
        if not isinstance(first, syntax.Name):
            self.fail("'as' and a name")
        names = [first.name]
        while self.accept(","):
            names.append(self.expect("name", "a name"))
        return syntax.Show(at, tuple(names), False)

    def _unshow(self, at: int) -> syntax.Instruction:
        names = [self.expect("name", "a name")]
        while self.accept(","):
            names.append(self.expect("name", "a name"))
        return syntax.Show(at, tuple(names), True)

    def _include(self, _at: int) -> syntax.Instruction:
        at = self.at
        return syntax.Include(at, self.expect("string", "a file name in double quotes"))

    def _procedure(self, at: int) -> syntax.Instruction:
        recursive = self.accept("rec")
        name = self.expect("name", "the procedure's name")
        pattern = self.parameter()
        self.expect("=")
        body = self._block("end")
        self.expect("end")
        return syntax.Procedure(at, name, pattern, body, recursive)

    def _call(self, at: int) -> syntax.Instruction:
        name = self.expect("name", "a procedure's name")
        return syntax.Call(at, name, self.argument(), self._optional_name())

    def _enumeration(self, at: int) -> syntax.Instruction:
        name = self.expect("name", "the enumeration's name")
        self.expect("=")
        self.accept("||")
        tags = [self.expect("tag", "a tag such as 'once")]
        while self.accept("||"):
            tags.append(self.expect("tag", "a tag such as 'once"))
        return syntax.Enumeration(at, name, tuple(tags))

    def _annotations(self, at: int) -> syntax.Instruction:
        default = self.kinds[self.position - 1] == "default"
        event = self.expect("name", "a kind of instruction")
        self.expect("[")
        sets = []
        if self.kind != "]":
            sets.append(self.operators(1))
            while self.accept(","):
                sets.append(self.operators(1))
        self.expect("]")
        return syntax.Annotations(at, event, tuple(sets), default)

    def _debug(self, at: int) -> syntax.Instruction:
        self.expression()
        return syntax.Debug(at)

    def _forall(self, at: int) -> syntax.Instruction:
        variable = self.expect("name", "a name")
        self.expect("in")
        domain = self.expression()
        self.expect("do")
        body = self._block("end")
        self.expect("end")
        return syntax.Forall(at, variable, domain, body)

    def _with(self, at: int) -> syntax.Instruction:
        variable = self.expect("name", "a name")
        self.expect("from")
        return syntax.WithFrom(at, variable, self.expression())

    def _choose(self, at: int) -> syntax.Instruction:
        condition = self.condition()
        self.accept("then")
        then = self._block("else", "end")
        otherwise = self._block("end") if self.accept("else") else ()
        self.expect("end")
        return syntax.Choose(at, condition, then, otherwise)

    def _match_instruction(self, at: int) -> syntax.Instruction:
        subject = self.expression()
        self.expect("with")
        self.accept("||")
        clauses = []
        default = None
        while default is None:
            if self.accept("_"):
                self.expect("->")
                default = self._block("end")
                break
            tag = self.expect("tag", "a tag or '_'")
            self.expect("->")
            clauses.append((tag, self._block("||", "end")))
            if not self.accept("||"):
                break
        self.expect("end")
        return syntax.MatchInstruction(at, subject, tuple(clauses), default)


_INSTRUCTIONS = {
    "let": FileParser._let_instruction,
    "show": FileParser._show,
    "unshow": FileParser._unshow,
    "include": FileParser._include,
    "procedure": FileParser._procedure,
    "call": FileParser._call,
    "enum": FileParser._enumeration,
    "instructions": FileParser._annotations,
    "default": FileParser._annotations,
    "debug": FileParser._debug,
    "forall": FileParser._forall,
    "with": FileParser._with,
    "if": FileParser._choose,
    "match": FileParser._match_instruction,
}
