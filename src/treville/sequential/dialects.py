"""How sequential programs assume, assert and guess: for CBMC, for the tools of SV-COMP, for compilers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

_GUESS = """\
unsigned guess(unsigned n)
{
    unsigned found = %s;
    assume(found < n);
    return found;
}
"""
_GUESSES = re.compile(r"^( *)uint (\w+) = guess\(([^;]*)\);\n((?: *assume\([^;]*\);\n)+)", re.MULTILINE)
_TRIES = 64


def _drawn(found: re.Match[str]) -> str:
    """A guess and what is assumed of it, as a loop that draws until it fits."""
    indent, name, argument, assumptions = found.groups()
    wanted = " && ".join(
        part.strip()[len("assume(") : -len(");")] for part in assumptions.strip().split("\n")
    )
    return (
        f"{indent}uint {name} = guess({argument});\n"
        f"{indent}for (int tries = 0; !({wanted}); tries++) {{\n"
        f"{indent}    assume(tries < {_TRIES});\n"
        f"{indent}    {name} = guess({argument});\n"
        f"{indent}}}\n"
    )


class Dialect(StrEnum):
    """Who reads the program."""

    CBMC = "cbmc"
    SVCOMP = "svcomp"
    C = "c"

    def prelude(self, widths: Mapping[str, str]) -> str:
        """Types and what the program is told by others."""
        match self:
            case Dialect.CBMC:
                return _cbmc(widths)
            case Dialect.SVCOMP:
                return (
                    f"{_types()}extern unsigned __VERIFIER_nondet_uint(void);\n"
                    "extern long long __VERIFIER_nondet_longlong(void);\n"
                    "extern void __VERIFIER_assume(int);\nextern void reach_error(void);\n"
                    "#define assume(c) __VERIFIER_assume(c)\n"
                    "#define any_number() __VERIFIER_nondet_longlong()\n"
                    + _GUESS
                    % "__VERIFIER_nondet_uint()"
                )
            case Dialect.C:
                return _plain()

    def check(self, condition: str, message: str) -> str:
        """An assertion."""
        said = message.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
        match self:
            case Dialect.CBMC:
                return f'__CPROVER_assert({condition}, "{said}");'
            case Dialect.SVCOMP:
                return f"if (!({condition})) reach_error(); /* {in_comment(message)} */"
            case Dialect.C:
                return f'check({condition}, "{said}");'

    def wait(self, condition: str, thread: int, step: int) -> str:
        """A thread that waits here until a condition holds: runs in which it goes on too early do not count;
        where a run is drawn by lot, the thread stops instead."""
        if self is Dialect.C:
            return f"if (!({condition})) {{ cs[{thread}] = {step}; goto T{thread}_end; }}"
        return f"assume({condition});"

    def turn(self, thread: int, steps: int) -> list[str]:
        """How far a thread gets in its turn."""
        if self is Dialect.C:
            to_the_end = f"guess(2) == 1 ? {steps}"  # else long threads hardly ever get there
            return [f"cs[{thread}] = {to_the_end} : pc[{thread}] + guess({steps + 1} - pc[{thread}]);"]
        return [f"cs[{thread}] = guess({steps + 1});", f"assume(cs[{thread}] >= pc[{thread}]);"]

    def guesses(self, text: str) -> str:
        """An abstraction's text; where numbers are drawn by lot, those that do not fit are drawn again."""
        return _GUESSES.sub(_drawn, text) if self is Dialect.C else text

    def main(self) -> list[str]:
        """How the driver begins."""
        if self is Dialect.C:
            return [
                "/* The first argument chooses the run. Ends with 1 if an assertion fails, with 2 at a guess",
                "   that does not count. */",
                "int main(int count, char **arguments)",
                "{",
                "    seed = count > 1 ? strtoull(arguments[1], 0, 10) : 0;",
            ]
        return ["int main(void)", "{"]

    def end(self) -> list[str]:
        """How it ends."""
        return ["    return 0;"]


def in_comment(text: str) -> str:
    """Text that does not end the comment around it, nor seems to begin another."""
    return text.replace("/*", "/ *").replace("*/", "* /")


def _types() -> str:
    return "typedef unsigned uint;\ntypedef unsigned counter;\ntypedef long long word;\n"


def _cbmc(widths: Mapping[str, str]) -> str:
    return (
        "#ifdef __CPROVER__\n"
        f"typedef unsigned __CPROVER_bitvector[{widths['uint']}] uint;\n"
        f"typedef unsigned __CPROVER_bitvector[{widths['counter']}] counter;\n"
        f"typedef signed __CPROVER_bitvector[{widths['word']}] word;\n"
        f"#else\n{_types()}"
        "void __CPROVER_assume(int);\nvoid __CPROVER_assert(int, const char *);\n#endif\n"
        "unsigned nondet_unsigned(void);\nlong long nondet_long_long(void);\n"
        "#define assume(c) __CPROVER_assume(c)\n#define any_number() nondet_long_long()\n"
        + _GUESS
        % "nondet_unsigned()"
    )


def _plain() -> str:
    return (
        "#include <stdio.h>\n#include <stdlib.h>\n"
        f"{_types()}"
        """\
static unsigned long long seed;

/* Numbers that follow from the seed (splitmix64). */
long long any_number(void)
{
    unsigned long long z = (seed += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (long long)(z ^ (z >> 31));
}

unsigned guess(unsigned n)
{
    return (unsigned)((unsigned long long)any_number() % n);
}

void assume(int condition)
{
    if (!condition)
        exit(2);
}

void check(int condition, const char *message)
{
    if (!condition) {
        puts(message);
        exit(1);
    }
}
"""
    )
