"""Parsing of cat expressions: tokens -> `syntax.Expression`, by precedence climbing.

Precedences from loose to tight are those of herd7: `|`, `++`, `;`, `\\`, `&`, the product `*`, prefix `~`,
the postfix operators, application. A `*` is the product when something that can be an operand follows, else
the closure. Where herd7 wants brackets (`~r+`, `a * b * c`) the tighter operator is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from treville.models.cat import syntax
from treville.models.cat.lexer import Tokens, tokenise
from treville.results import InputError, Source

MAX_NESTING = 60

_OPERAND_STARTS = frozenset({"name", "tag", "0", "{", "_", "(", "begin", "[", "~"})
_ARGUMENT_STARTS = _OPERAND_STARTS - {"~"}
_LEVELS: dict[syntax.Infix, int] = {"|": 1, "++": 2, ";": 3, "\\": 4, "&": 5, "*": 6}
_INFIX: dict[str, syntax.Infix] = {operator: operator for operator in _LEVELS}
_POSTFIX = frozenset({"+", "?", "^", "*"})


class ExpressionParser:
    """A cursor over the tokens of one file and the grammar of expressions."""

    def __init__(self, source: Source) -> None:
        self.source = source
        tokens: Tokens = tokenise(source)
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.offsets = tokens.offsets
        self.position = 0
        self.nesting = 0

    # -- cursor ----------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """Kind of the token under the cursor."""
        return self.kinds[self.position]

    @property
    def at(self) -> int:
        """Offset of the token under the cursor."""
        return self.offsets[self.position]

    def accept(self, kind: str) -> bool:
        """Step over the token if it has that kind."""
        if self.kinds[self.position] == kind:
            self.position += 1
            return True
        return False

    def expect(self, kind: str, what: str = "") -> str:
        """Step over a token of that kind and return its text."""
        if self.kinds[self.position] != kind:
            self.fail(what or f"'{kind}'")
        self.position += 1
        return self.texts[self.position - 1]

    def fail(self, expected: str) -> NoReturn:
        """Complain about the token under the cursor."""
        kind = self.kind
        text = self.texts[self.position]
        found = "the end of the file" if kind == "eof" else f"'{text}'"
        span = self.source.span(self.at, max(1, len(text)))
        raise InputError(f"unexpected {found}, expected {expected}", span)

    def enter(self) -> None:
        """Count a level of nesting; the way out is `self.nesting -= 1`."""
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            here = self.source.span(self.at)
            raise InputError(f"nested more than {MAX_NESTING} levels deep", here, "name the inner parts")

    # -- expressions -----------------------------------------------------------------------------

    def expression(self) -> syntax.Expression:
        """Any expression, tuples without brackets included."""
        reader = _KEYWORD_FORMS.get(self.kinds[self.position])
        self.enter()
        if reader is not None:
            result = reader(self)
        else:
            at = self.at
            result = self.operators(1)
            if self.kind == ",":
                items = [result]
                while self.accept(","):
                    items.append(self.operators(1))
                result = syntax.Tuple(at, tuple(items))
        self.nesting -= 1
        return result

    def operators(self, lowest: int) -> syntax.Expression:
        """Binary operators that bind at least as tightly as `lowest`; chains of one operator stay flat."""
        at = self.at
        left = self.prefixed()
        while True:
            operator = _INFIX.get(self.kinds[self.position])
            if operator is None or (level := _LEVELS[operator]) < lowest:
                return left
            operands = [left]
            while self.kinds[self.position] == operator:
                self.position += 1
                operands.append(self.operators(level + 1))
            left = syntax.Nary(at, operator, tuple(operands))

    def prefixed(self) -> syntax.Expression:
        """Complements and what they apply to."""
        signs = []
        while self.kinds[self.position] == "~":
            signs.append(self.at)
            self.position += 1
        if len(signs) > MAX_NESTING:
            raise InputError("too many '~' in a row", self.source.span(signs[0]))
        result = self.postfixed()
        for at in reversed(signs):
            result = syntax.Unary(at, "~", result)
        return result

    def postfixed(self) -> syntax.Expression:
        """An operand with its closures and inverses."""
        result = self.operand()
        count = 0
        while (operator := self.kinds[self.position]) in _POSTFIX:
            at = self.at
            if operator == "*" and self.kinds[self.position + 1] in _OPERAND_STARTS:
                break
            self.position += 1
            if operator == "^":
                self.expect("-1", "'-1' after '^'")
                operator = "^-1"
            result = syntax.Unary(at, operator, result)
            count += 1
            if count > MAX_NESTING:
                raise InputError("too many postfix operators in a row", self.source.span(at))
        return result

    def operand(self) -> syntax.Expression:
        """A variable with its arguments, or a simple expression."""
        if self.kinds[self.position] != "name":
            return self.simple()
        result: syntax.Expression = syntax.Name(self.at, self.texts[self.position])
        self.position += 1
        count = 0
        while self.kinds[self.position] in _ARGUMENT_STARTS:
            at = self.at
            result = syntax.Apply(at, result, self.argument())
            count += 1
            if count > MAX_NESTING:
                raise InputError("too many arguments", self.source.span(at))
        return result

    def argument(self) -> syntax.Expression:
        """What a function can be applied to without brackets."""
        if self.kinds[self.position] == "name":
            self.position += 1
            return syntax.Name(self.offsets[self.position - 1], self.texts[self.position - 1])
        return self.simple()

    def simple(self) -> syntax.Expression:
        """Constants, tags and everything in brackets."""
        kind = self.kinds[self.position]
        at = self.offsets[self.position]
        if kind not in _ARGUMENT_STARTS or kind == "name":
            self.fail("a set or a relation")
        self.position += 1
        if kind == "0":
            return syntax.Empty(at)
        if kind == "_":
            return syntax.Universe(at)
        if kind == "tag":
            return syntax.Tag(at, self.texts[self.position - 1])
        if kind == "{":
            return self._braces(at)
        if kind == "(" and self.accept(")"):
            return syntax.Tuple(at, ())
        inner = self.expression()
        self.expect({"(": ")", "begin": "end", "[": "]"}[kind])
        return syntax.Unary(at, "[]", inner) if kind == "[" else inner

    def _braces(self, at: int) -> syntax.Expression:
        if self.accept("}"):
            return syntax.Empty(at)
        self.enter()
        items = [self.operators(1)]
        while self.accept(","):
            items.append(self.operators(1))
        self.nesting -= 1
        self.expect("}")
        return syntax.Braces(at, tuple(items))

    # -- bindings --------------------------------------------------------------------------------

    def pattern_name(self) -> str | None:
        """A name, or `_` for None."""
        if self.accept("_"):
            return None
        return self.expect("name", "a name")

    def formals(self, closing: str) -> tuple[str | None, ...]:
        """Names separated by commas up to the closing token, which is consumed."""
        if self.accept(closing):
            return ()
        names = [self.pattern_name()]
        while self.accept(","):
            names.append(self.pattern_name())
        self.expect(closing)
        return tuple(names)

    def parameter(self) -> syntax.Pattern:
        """One parameter of a function: a name or a bracketed tuple of names."""
        if self.accept("("):
            names = self.formals(")")
            return syntax.Pattern(names, len(names) != 1)
        return syntax.Pattern((self.pattern_name(),), False)

    def binding(self) -> syntax.Binding:
        """`x = e`, `(x, y) = e`, `x, y = e`, `f x = e` or `f (x, y) = e`."""
        at = self.at
        if self.kind == "(":
            pattern = self.parameter()
            self.expect("=")
            return syntax.Binding(at, pattern, self.expression())
        first = self.pattern_name()
        if self.kind in ("=", ","):
            names = [first]
            while self.accept(","):
                names.append(self.pattern_name())
            self.expect("=")
            return syntax.Binding(at, syntax.Pattern(tuple(names), len(names) > 1), self.expression())
        if first is None:
            self.fail("'='")
        parameters = [self.parameter()]
        while self.kind != "=":
            parameters.append(self.parameter())
            if len(parameters) > MAX_NESTING:
                raise InputError("too many parameters", self.source.span(at))
        self.expect("=")
        body = self.expression()
        for pattern in reversed(parameters):
            body = syntax.Function(at, pattern, body)
        return syntax.Binding(at, syntax.Pattern((first,), False), body)

    def bindings(self) -> tuple[syntax.Binding, ...]:
        """Bindings joined by `and`."""
        result = [self.binding()]
        while self.accept("and"):
            result.append(self.binding())
        return tuple(result)

    # -- forms that start with a keyword ---------------------------------------------------------

    def _let(self) -> syntax.Expression:
        at = self.at
        self.position += 1
        recursive = self.accept("rec")
        bindings = self.bindings()
        self.expect("in")
        return syntax.LetIn(at, recursive, bindings, self.expression())

    def _function(self) -> syntax.Expression:
        at = self.at
        self.position += 1
        pattern = self.parameter()
        self.expect("->")
        return syntax.Function(at, pattern, self.expression())

    def _try(self) -> syntax.Expression:
        at = self.at
        self.position += 1
        attempt = self.expression()
        self.expect("with")
        return syntax.Try(at, attempt, self.expression())

    def _if(self) -> syntax.Expression:
        at = self.at
        self.position += 1
        condition = self.condition()
        self.expect("then")
        then = self.expression()
        self.expect("else")
        return syntax.If(at, condition, then, self.expression())

    def _match(self) -> syntax.Expression:
        at = self.at
        self.position += 1
        subject = self.expression()
        self.expect("with")
        self.accept("||")
        following = self.kinds[self.position + 1]
        if self.kind == "tag" or (self.kind == "_" and following == "->"):
            return self._match_tags(at, subject)
        return self._match_set(at, subject)

    def _match_tags(self, at: int, subject: syntax.Expression) -> syntax.Expression:
        clauses = []
        default = None
        while default is None:
            if self.accept("_"):
                self.expect("->")
                default = self.expression()
                break
            tag = self.expect("tag", "a tag or '_'")
            self.expect("->")
            clauses.append((tag, self.expression()))
            if not self.accept("||"):
                break
        self.expect("end")
        return syntax.MatchTag(at, subject, tuple(clauses), default)

    def _match_set(self, at: int, subject: syntax.Expression) -> syntax.Expression:
        empty: syntax.Expression | None = None
        cons: tuple[str | None, str, str, syntax.Expression] | None = None
        for index in range(2):
            if index:
                self.expect("||", "'||' and the other clause")
            if empty is None and self.accept("{"):
                self.expect("}")
                self.expect("->")
                empty = self.expression()
            else:
                cons = self._element_clause()
        if empty is None or cons is None:
            self.fail("a clause for the empty set and one for 'x ++ rest'")
        self.expect("end")
        return syntax.MatchSet(at, subject, empty, cons[0], cons[1], cons[2], cons[3])

    def _element_clause(self) -> tuple[str | None, str, str, syntax.Expression]:
        before = None
        element = self.pattern_name()
        if self.accept("|"):
            before, element = element or "_", self.pattern_name()
        self.expect("++")
        rest = self.pattern_name()
        self.expect("->")
        return before, element or "_", rest or "_", self.expression()

    # -- conditions ------------------------------------------------------------------------------

    def condition(self) -> syntax.Condition:
        """What `if` decides on: variants with `not`, `&&` and `||`, or one comparison."""
        return self._any_of("||", lambda: self._any_of("&&", self._plain_condition))

    def _any_of(self, operator: str, part: Callable[[], syntax.Condition]) -> syntax.Condition:
        at = self.at
        parts = [part()]
        while self.accept(operator):
            parts.append(part())
        return parts[0] if len(parts) == 1 else syntax.Logic(at, operator, tuple(parts))

    def _plain_condition(self) -> syntax.Condition:
        at = self.at
        self.accept("variant")
        if self.kind == "string":
            return syntax.Variant(at, self.expect("string"))
        if self.accept("not"):
            self.enter()
            inner = self._plain_condition()
            self.nesting -= 1
            return syntax.Logic(at, "not", (inner,))
        if self.kind == "(" and self._holds_condition():
            self.position += 1
            self.enter()
            inner = self.condition()
            self.nesting -= 1
            self.expect(")")
            return inner
        left = self.expression()
        if self.kind not in ("=", "subset", "in"):
            self.fail("'=', 'subset' or 'in'")
        operator = self.kind
        self.position += 1
        return syntax.Compare(at, operator, left, self.expression())

    def _holds_condition(self) -> bool:
        """Does the bracket under the cursor open a condition rather than an expression?"""
        ahead = self.position
        while self.kinds[ahead] == "(":
            ahead += 1
        return self.kinds[ahead] in ("string", "not", "variant")


_KEYWORD_FORMS = {
    "let": ExpressionParser._let,
    "fun": ExpressionParser._function,
    "try": ExpressionParser._try,
    "if": ExpressionParser._if,
    "match": ExpressionParser._match,
}
