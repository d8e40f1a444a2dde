"""Random programs of one thread: integers of all widths, arrays, structures, bit-fields, pointers, casts,
loops, switches and calls through pointers compute a checksum."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

TYPES = (
    "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long",
    "_Bool",
)  # fmt: skip
GLOBALS = ("gc", "guc", "gs", "gus", "gi", "gu", "gl", "gul", "gb")
CONSTANTS = (
    "0", "1", "2", "-1", "7", "255", "256", "-128", "32767", "65536", "2147483647", "(-2147483647-1)",
    "0xdeadbeefu", "123456789012L", "'a'", "-50", "13",
)  # fmt: skip
DECLARED = """\
struct inner { signed char c; unsigned short d; };
struct outer { int a; struct inner in; unsigned b1 : 3; int b2 : 5; long l; };
signed char gc = 5; unsigned char guc; short gs = -3; unsigned short gus; int gi = 9; unsigned gu; long gl;
unsigned long gul = 77; _Bool gb;
int arr[4] = {1, 2, 3}, arr2[4]; short mat[2][2] = {{1}, {2, -3}}; int *ptr = &arr[1];
struct outer st = {1, {2, 3}, 1, -1, 4}, st2, *sp = &st;
"""
FIELDS = ("st.a", "st.in.c", "st.in.d", "st.l", "st2.a", "(*ptr)", "st.b1", "st.b2", "sp->a", "arr[0]")
FINAL = (
    *GLOBALS, "arr[0]", "arr[1]", "arr[2]", "arr[3]", "arr2[1]", "mat[0][0]", "mat[0][1]", "mat[1][0]",
    "mat[1][1]", "st.a", "st.in.c", "st.in.d", "st.b1", "st.b2", "st.l", "st2.a", "st2.in.d", "*ptr", "wide",
    "narrow",
)  # fmt: skip
_OWN = re.compile(
    rf"\b({'|'.join(GLOBALS)}|arr2?|mat|ptr|st2?|sp|f[0-2]|fp|inner|outer)\b"
)  # fmt: skip


@dataclass
class Arithmetic:
    """Makes one program, whose names begin with a prefix."""

    rng: random.Random
    prefix: str
    variables: tuple[str, ...] = GLOBALS
    functions: tuple[str, ...] = ()
    loops: int = 0

    def program(self) -> str:
        """The source."""
        lines = [DECLARED]
        for name in ("f0", "f1"):
            self.variables = ("p", "gi", "gu", "gc")
            lines.append(f"static int {name}(int p) {{ {self.statement(0)} return {self.expression(2)}; }}")
        lines.append("static int f2(int n) { return n <= 0 ? gi : f2((n > 3 ? 3 : n) - 1) + n; }")
        lines.append("static int (*fp)(int) = f0;")
        self.functions = ("f0", "f1", "f2")
        self.variables = (*GLOBALS, *FIELDS, "wide", "narrow")
        lines.append(f"void {self.prefix}main(void) {{ long wide = 3; unsigned char narrow = 9;")
        lines += [f"  {self.statement(2)}" for _ in range(self.rng.randint(3, 7))]
        lines.append("  unsigned long h = 0;")
        lines += [f"  h = h * 31 + (unsigned long){name};" for name in FINAL]
        return _OWN.sub(rf"{self.prefix}\1", "\n".join([*lines, "  CHECK(h); }", ""]))

    def expression(self, depth: int = 3) -> str:
        """An expression without undefined behaviour, but for wrapping."""
        pick = self.rng.choice
        if depth == 0 or self.rng.random() < 0.2:
            return pick(self.variables) if self.rng.random() < 0.65 else pick(CONSTANTS)
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        shapes = [f"({left} {operator} {right})" for operator in ("+", "-", "*", "&", "|", "^", "&&", "||")]
        shapes += [f"({left} {operator} {right})" for operator in ("<", ">", "<=", ">=", "==", "!=")]
        shapes += [
            f"({left} {pick(('<<', '>>'))} ({right} & 7))",
            f"({left} {pick('/%')} (({right} & 15) + 1))",
        ]
        shapes += [f"({pick('-~!')} {left})", f"(({pick(TYPES)}){left})", f"arr[{left} & 3]"]
        shapes += [f"({left} ? {right} : {self.expression(depth - 1)})", f"mat[{left} & 1][{right} & 1]"]
        shapes += [f"{pick(self.functions)}({left})"] if self.functions else []
        return pick(shapes)

    def statement(self, depth: int) -> str:
        """A statement, with others inside up to the depth."""
        pick, some = self.rng.choice, self.expression
        assigns = [f"{pick(self.variables)} {pick(('=', '=', '+=', '-=', '*=', '&=', '|=', '^='))} {some()};"]
        if depth == 0:
            return assigns[0]
        shapes = [*assigns * 4, f"{pick(self.variables)}{pick(('++', '--'))};"]
        shapes += [f"arr[{some(2)} & 3] = {some()};", f"mat[{some(1)} & 1][{some(1)} & 1] += {some()};"]
        shapes += [f"ptr = &arr[{some(1)} & 3];", f"ptr = {some(1)} ? &gi : &arr[2];", f"*ptr = {some(2)};"]
        shapes += ["memset(&st, 0, sizeof st);", "st2 = st;", "memcpy(arr2, arr, sizeof arr);"]
        shapes += [f"fp = {some(1)} ? f0 : f1;", f"gu ^= fp({some(1)});", f"sp = {some(1)} ? &st : &st2;"]
        shapes += [f"{{ {pick(TYPES)} t = {some(2)}; {pick(self.variables)} = t; }}"]
        if self.rng.random() < 0.4:
            return self.compound(depth)
        return pick(shapes)

    def compound(self, depth: int) -> str:
        """A branch, a loop or a switch."""
        some, inner = self.expression, self.block
        self.loops += 1
        counter = f"i{self.loops}"
        leave = f"if ({some(1)}) {self.rng.choice(('break', 'continue'))};" if self.rng.random() < 0.4 else ""
        return self.rng.choice(
            (
                f"if ({some(2)}) {{ {inner(depth)} }} else {{ {inner(depth)} }}",
                f"for (int {counter} = 0; {counter} < {self.rng.randint(1, 4)}; {counter}++)"
                f" {{ {inner(depth)} {leave} {self.statement(0)} }}",
                f"{{ int {counter} = {self.rng.randint(0, 3)}; while ({counter}-- > 0)"
                f" {{ {leave} {inner(depth)} }} }}",
                f"switch ({some(1)} & 3) {{ case 0: {inner(depth)} case 1: {inner(depth)} break;"
                f" case 3: {inner(depth)} default: {self.statement(0)} }}",
            )
        )

    def block(self, depth: int) -> str:
        """A few statements."""
        return " ".join(self.statement(depth - 1) for _ in range(self.rng.randint(1, 3)))
