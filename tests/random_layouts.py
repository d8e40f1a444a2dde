"""Random sequential C programs about what memory holds: structs, unions, bit-fields and arrays that are
initialised, passed, returned, copied, looked at as bytes and as words of other widths.

A program computes a checksum of all it has; it does nothing whose result C leaves open but for wrapping, so a
native run tells what the checksum is. Every name of a program begins with its own prefix, so that many
programs fit into one file.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TypeAlias

INTEGERS = {
    "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned": 4, "long": 8,
    "unsigned long": 8,
}  # fmt: skip
CONSTANTS = (
    "0",
    "1",
    "2",
    "-1",
    "7",
    "255",
    "256",
    "-128",
    "65535",
    "0x12345678",
    "-50",
    "0xdeadbeefu",
    "99",
)
OPERATORS = ("=", "=", "=", "+=", "-=", "^=", "|=", "&=")


@dataclass(frozen=True)
class Integer:
    """A number, in a struct maybe of some bits only."""

    name: str
    bits: int = 0

    def declare(self, what: str) -> str:
        """A declaration of that type."""
        return f"{self.name} {what}" + (f" : {self.bits}" if self.bits else "")


@dataclass(frozen=True)
class Array:
    """A few elements."""

    element: Type
    length: int

    def declare(self, what: str) -> str:
        """A declaration of that type."""
        return self.element.declare(f"{what}[{self.length}]")


@dataclass(frozen=True)
class Record:
    """A struct or a union."""

    name: str
    members: tuple[tuple[str, Type], ...]
    union: bool = False
    packed: bool = False

    @property
    def tag(self) -> str:
        """How C calls it."""
        return f"{'union' if self.union else 'struct'} {self.name}"

    def declare(self, what: str) -> str:
        """A declaration of that type."""
        return f"{self.tag} {what}"

    def definition(self) -> str:
        """Its members."""
        inside = " ".join(f"{kind.declare(name)};" for name, kind in self.members)
        return f"{self.tag} {{ {inside} }}{' __attribute__((packed))' if self.packed else ''};"


Type: TypeAlias = Integer | Array | Record


def align_of(kind: Type) -> int:
    """Alignment in bytes."""
    if isinstance(kind, Integer):
        return INTEGERS.get(kind.name, 1)
    if isinstance(kind, Array):
        return align_of(kind.element)
    return 1 if kind.packed else max(align_of(member) for _, member in kind.members)


def size_of(kind: Type) -> int:
    """Bytes; of records with bit-fields only whether it is none matters."""
    if isinstance(kind, Integer):
        return INTEGERS.get(kind.name, 1)
    if isinstance(kind, Array):
        return kind.length * size_of(kind.element)
    sizes = [size_of(member) for _, member in kind.members]
    if kind.union:
        whole = max(sizes)
    else:
        whole = 0
        for (_, member), size in zip(kind.members, sizes, strict=True):
            step = 1 if kind.packed else align_of(member)
            whole = (whole + step - 1) // step * step + size
    step = align_of(kind)
    return (whole + step - 1) // step * step


def is_solid(kind: Type) -> bool:
    """Are all bits of it bits of its members, whichever they are?"""
    if isinstance(kind, Integer):
        return not kind.bits and kind.name != "_Bool"
    if isinstance(kind, Array):
        return is_solid(kind.element)
    sizes = [size_of(member) for _, member in kind.members]
    whole = all(size == size_of(kind) for size in sizes) if kind.union else sum(sizes) == size_of(kind)
    return whole and all(is_solid(member) for _, member in kind.members)


def leaves(expression: str, kind: Type) -> list[str]:
    """The numbers in an object."""
    if isinstance(kind, Integer):
        return [expression]
    if isinstance(kind, Array):
        parts = [(f"{expression}[{number}]", kind.element) for number in range(kind.length)]
    else:
        parts = [(f"{expression}.{name}", member) for name, member in kind.members]
    return [leaf for part in parts for leaf in leaves(*part)]


@dataclass
class Layouts:
    """Makes one program. `threads`: another thread may do a part of the work, while the first one waits."""

    rng: random.Random
    prefix: str
    threads: bool = False
    records: list[Record] = field(default_factory=list)
    objects: list[tuple[str, Type]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def fresh(self, stem: str) -> str:
        """A new name."""
        self.count += 1
        return f"{self.prefix}{stem}{self.count}"

    # -- types -------------------------------------------------------------------------------------------

    def number(self) -> Integer:
        """A type of numbers."""
        return Integer(self.rng.choice(list(INTEGERS)))

    def record(self) -> Record:
        """A new struct or union, with those before as members maybe."""
        rng, name = self.rng, self.fresh("t")
        if rng.random() < 0.25:
            solid = [kind for kind in self.records if is_solid(kind)]
            kinds = [self._member(solid) for _ in range(rng.randint(2, 3))]
            return Record(name, tuple((f"u{n}", kind) for n, kind in enumerate(kinds)), union=True)
        kinds = [self._member(self.records, bits=True) for _ in range(rng.randint(1, 4))]
        members = tuple((f"m{n}", kind) for n, kind in enumerate(kinds))
        return Record(name, members, packed=rng.random() < 0.15)

    def _member(self, records: list[Record], bits: bool = False) -> Type:
        rng = self.rng
        kind = rng.random()
        if records and kind < 0.2:
            return rng.choice(records)
        if kind < 0.35:
            return Array(self.number(), rng.randint(2, 4))
        if bits and kind < 0.6:
            base = rng.choice(("int", "unsigned", "unsigned char", "short", "unsigned long"))
            return Integer(base, rng.randint(1, INTEGERS[base] * 8 - 1))
        return Integer("_Bool") if bits and kind < 0.65 else self.number()

    # -- values ------------------------------------------------------------------------------------------

    def initial(self, kind: Type, static: bool = False) -> str:
        """An initialiser, which may leave out the end. What it leaves out of a union is zero in `static`
        objects and anything elsewhere, so there the largest member is given."""
        if isinstance(kind, Integer):
            return self.rng.choice(("1", "3", "-1", "100", "0x7f", "0"))
        if isinstance(kind, Record) and kind.union:
            name, member = self.rng.choice(kind.members)
            if not static:
                name, member = max(kind.members, key=lambda each: size_of(each[1]))
            return f"{{ .{name} = {self.initial(member, static)} }}"
        if isinstance(kind, Array):
            parts: list[Type] = [kind.element] * kind.length
        else:
            parts = [member for _, member in kind.members]
        kept = self.rng.randint(1, len(parts))
        return f"{{ {', '.join(self.initial(part, static) for part in parts[:kept])} }}"

    def leaf(self) -> str:
        """A number of some object."""
        return self.rng.choice(leaves(*self.rng.choice(self.objects)))

    def value(self, depth: int = 2) -> str:
        """An expression."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.3:
            return self.leaf() if rng.random() < 0.7 else rng.choice(CONSTANTS)
        left, right = self.value(depth - 1), self.value(depth - 1)
        shapes = [f"({left} {operator} {right})" for operator in ("+", "-", "&", "|", "^", "<", "==")]
        shapes += [f"(({rng.choice(list(INTEGERS))}){left})", f"({left} ? {right} : 5)", f"({left} >> 3)"]
        return rng.choice(shapes)

    def solid(self) -> list[tuple[str, int]]:
        """Objects that may be looked at as bytes, with their sizes."""
        return [(name, size_of(kind)) for name, kind in self.objects if is_solid(kind)]

    def same(self, kind: Type) -> str:
        """An object of that type."""
        return self.rng.choice([name for name, other in self.objects if other == kind])

    # -- the program ---------------------------------------------------------------------------------------

    def program(self) -> str:
        """The source, with `void PREFIXmain(void)` that asserts the checksum, or prints it for `NATIVE`."""
        for _ in range(self.rng.randint(2, 4)):
            self.records.append(self.record())
            self.lines.append(self.records[-1].definition())
        self._declare("static", 2)
        self._declare("", 2)
        self._functions()
        self.lines.append(f"static unsigned long {self.prefix}work(unsigned long h) {{")
        outer = list(self.objects)
        self._locals()
        self.lines += [f"  {self._statement()}" for _ in range(self.rng.randint(3, 8))]
        self.lines += [f"  MIX(h, {leaf});" for leaf in self._all_leaves()]
        self.lines.append("  return h; }")
        self.objects = outer
        self._main()
        return "\n".join([*self.lines, ""])

    def _main(self) -> None:
        p = self.prefix
        if self.threads:
            self.lines.append(f"static unsigned long {p}h; static void *{p}run(void *given)")
            self.lines.append(f"{{ {p}h = {p}work((unsigned long)given); return 0; }}")
        self.lines.append(f"void {p}main(void) {{ unsigned long h = 3;")
        if self.threads:
            self.lines.append(f"  {self._statement()} pthread_t t; pthread_create(&t, 0, {p}run, (void *)h);")
            self.lines.append(f"  pthread_join(t, 0); h = {p}h;")
        else:
            self.lines.append(f"  h = {p}work(h);")
        self.lines += [f"  MIX(h, {leaf});" for leaf in self._all_leaves()]
        self.lines.append("  CHECK(h); }")

    def _all_leaves(self) -> list[str]:
        return [leaf for name, kind in self.objects for leaf in leaves(name, kind)]

    def _declare(self, words: str, count: int) -> None:
        for _ in range(count):
            kind: Type = self.rng.choice(self.records)
            if self.rng.random() < 0.3:
                kind = Array(self.rng.choice([kind, self.number()]), self.rng.randint(2, 3))
            name = self.fresh("g")
            given = f" = {self.initial(kind, static=True)}" if self.rng.random() < 0.75 else ""
            self.lines.append(f"{words} {kind.declare(name)}{given};")
            self.objects.append((name, kind))

    def _locals(self) -> None:
        for _ in range(2):
            kind = self.rng.choice(self.records)
            name = self.fresh("l")
            self.lines.append(f"  {kind.declare(name)}; memset(&{name}, 0, sizeof {name});")
            if self.rng.random() < 0.5:
                self.lines.append(f"  {name} = ({kind.tag}){self.initial(kind)};")
            self.objects.append((name, kind))

    def _functions(self) -> None:
        """For every record: one that takes it, one that returns it, one through a pointer, one with `...`."""
        for kind in self.records:
            t, tag = f"{self.prefix}{kind.name[len(self.prefix) :]}", kind.tag
            inner = Layouts(self.rng, self.prefix, objects=[("a", kind), ("n", Integer("int"))])
            change = f"{inner.leaf()} {self.rng.choice(OPERATORS)} {inner.value()};"
            parts = (f"((unsigned long){leaf} << {at})" for at, leaf in enumerate(leaves("a", kind)[:6]))
            total = " + ".join(parts)
            first, second, third = (self.initial(kind, static=True) for _ in range(3))
            self.lines += [
                f"static unsigned long take_{t}({tag} a, int n) {{ {change} return {total}; }}",
                f"static {tag} give_{t}({tag} a, int n) {{ {change} return a; }}",
                f"static unsigned long deep_{t}({tag} a, int n)",
                f"{{ if (n <= 0) return {total}; int k = n - 1; {change}",
                f"  return deep_{t}(a, k > 2 ? 2 : k) + 1; }}",
                f"static unsigned long more_{t}(int n, ...)",
                "{ va_list l; va_start(l, n); unsigned long s = 0;",
                f"  while (n-- > 0) {{ {tag} a = va_arg(l, {tag}); s += {total}; s ^= va_arg(l, int); }}",
                "  s += va_arg(l, unsigned long); va_end(l); return s; }",
                f"static unsigned long kept_{t}(int n) {{ static {tag} a = {first}; {change}",
                f"  return {total}; }}",
                f"static unsigned long (*take_p_{t})({tag}, int) = take_{t};",
                f"static {tag} (*give_p_{t}[2])({tag}, int) = {{ give_{t}, give_{t} }};",
                f"static const {tag} const_{t}[2] = {{ {second}, {third} }};",
            ]

    def _statement(self) -> str:
        rng, value = self.rng, self.value
        name, kind = rng.choice([(n, k) for n, k in self.objects if isinstance(k, Record)] or self.objects)
        shapes = [f"{self.leaf()} {rng.choice(OPERATORS)} {value()};"] * 2
        if isinstance(kind, Record):
            shapes += self._of_record(name, kind)
        if solid := self.solid():
            shapes += self._of_bytes(solid)
        arrays = [(n, k) for n, k in self.objects if isinstance(k, Array)]
        if arrays:
            array, of = rng.choice(arrays)
            at = f"{array}[(unsigned)({value(1)}) % {of.length}]"
            shapes.append(f"{rng.choice(leaves(at, of.element))} {rng.choice(OPERATORS)} {value(1)};")
        chosen = rng.choice(shapes)
        kind_of_block = rng.random()
        if kind_of_block < 0.12:
            return f"for (int i = 0; i < {rng.randint(1, 3)}; i++) {{ {chosen} }}"
        return f"if ({value(1)}) {{ {chosen} }}" if kind_of_block < 0.24 else chosen

    def _of_record(self, name: str, kind: Record) -> list[str]:
        value, tag = self.value, kind.tag
        t = f"{self.prefix}{kind.name[len(self.prefix) :]}"
        other, third = self.same(kind), self.same(kind)
        leaf = self.rng.choice(leaves("(*p)", kind))
        taken = self.rng.choice(
            (name, f"const_{t}[({value(1)}) & 1]", f"({tag}){self.initial(kind)}", f"give_{t}({other}, 2)")
        )
        return [
            f"{name} = {other};",
            f"{name} = const_{t}[({value(1)}) & 1];",
            f"h += take_{t}({taken}, {value(1)});",
            f"h ^= take_p_{t}({taken}, {value(1)});",
            f"{name} = give_{t}({taken}, {value(1)});",
            f"{name} = give_p_{t}[({value(1)}) & 1]({other}, {value(1)});",
            f"h += deep_{t}({taken}, ({value(1)}) & 3);",
            f"h += more_{t}(2, {taken}, (int){value(1)}, {third}, 5, 77ul);",
            f"h += kept_{t}({value(1)});",
            f"{{ {tag} *p = {value(1)} ? &{name} : &{other}; {leaf} += {value(1)}; }}",
            f"{{ {tag} *p = malloc(sizeof *p); *p = {taken}; {name} = *p; h += take_{t}(*p, 1); free(p); }}",
            f"memset(&{name}, 0, sizeof {name});",
            f"memcpy(&{name}, &{other}, sizeof {name});",
            f"{{ {tag} s; memcpy(&s, &{name}, sizeof s); {other} = s; }}",
        ]

    def _of_bytes(self, solid: list[tuple[str, int]]) -> list[str]:
        rng, value = self.rng, self.value
        (one, size), (two, other) = rng.choice(solid), rng.choice(solid)
        length = rng.randint(1, min(size, other))
        at = rng.randint(0, size - 1)
        wide = rng.choice([w for w in (1, 2, 4, 8) if w <= size])
        word = {1: "unsigned char", 2: "unsigned short", 4: "int", 8: "long"}[wide]
        place = f"*({word} *)((char *)&{one} + {rng.randrange(0, size - wide + 1, wide)})"
        shapes = [
            f"memset((char *)&{one} + {at}, {value(1)}, {rng.randint(0, size - at)});",
            f"h += memcmp(&{one}, &{two}, {length}) == 0;",
            f"((unsigned char *)&{one})[{at}] ^= {value(1)};",
            f"h += ((unsigned char *)&{one})[(unsigned)({value(1)}) % {size}];",
            f"((unsigned char *)&{one})[(unsigned)({value(1)}) % {size}] += {value(1)};",
            f"for (int i = {size} - 1; i >= 0; i--) MIX(h, ((unsigned char *)&{one})[i]);",
            f"{place} += {value(1)};",
            f"h ^= {place};",
            f"{{ {word} w; memcpy(&w, (char *)&{one} + {rng.randint(0, size - wide)}, {wide}); h += w; }}",
            f"{{ unsigned char b[{size}]; memcpy(b, &{one}, {size}); h += b[{at}] * 3 + b[0]; }}",
        ]
        if one != two:
            shapes.append(f"memcpy(&{one}, &{two}, {length});")
        moved = rng.randint(1, size)
        shapes.append(f"memmove((char *)&{one} + {size - moved}, &{one}, {moved});")
        return shapes


HEAD = """\
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#ifdef NATIVE
#include <stdio.h>
#define CHECK(h) printf("%lu\\n", h)
#else
unsigned long expected;
#define CHECK(h) assert((h) == expected)
#endif
#define MIX(h, leaf) h = (h << 7 | h >> 57) ^ (unsigned long)(leaf)
"""


def file_of(programs: list[tuple[str, str]]) -> str:
    """One file of programs, given by prefix and source."""
    calls = " ".join(f"{prefix}main();" for prefix, _ in programs)
    return "\n".join(
        [HEAD, *(source for _, source in programs), f"int main(void) {{ {calls} return 0; }}", ""]
    )
