"""The clauses behind a litmus program -> condition, filter and observables.

Accepts herd7's grammar: `locations [...]`, `filter P`, then `exists P`, `~exists P`, `forall P`, `final P`,
`observed ...` or nothing, which means `forall true`. Propositions use `/\\`, `\\/`, `=>`, `~`, `not`, `true`,
`false`, `=`, `==`, `!=`, `<>`; negation binds tightest, then `=>`, `/\\`, `\\/`.
"""

from __future__ import annotations

import re

from treville.programs.ir import Program
from treville.programs.litmus.condition_tokens import (
    AND,
    DIFFERENT,
    EQUAL,
    IMPLIES,
    INSTRUCTION,
    LABEL,
    NAME,
    NOT,
    NUMBER,
    OR,
    SIGN,
    Tokens,
)
from treville.programs.litmus.initial import (
    LabelOf,
    RegisterNamer,
    code_address,
    thread_index,
)
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.literals import parse_number
from treville.programs.litmus.observation import Observation
from treville.programs.litmus.test import (
    TRUE,
    And,
    ArrayOf,
    CellOf,
    Condition,
    Equals,
    LitmusTest,
    Not,
    Observable,
    Or,
    RegisterOf,
    SameValue,
)
from treville.programs.operators import wrap

_THREAD = re.compile(r"P\d+$")
_NUMBERED = re.compile(r"\d+:(\D+)(\d{1,9})$")
_DEEPEST = 120
_NOWHERE = -0x7FFF_FFF1  # the address of a label that does not exist: no register ever holds it


def _register_order(register: RegisterOf) -> tuple[int, str, int]:
    """Numbered registers by number; the others first, in the order in which they are mentioned."""
    name = _NUMBERED.match(register.shown)
    return (register.thread, name.group(1), int(name.group(2))) if name else (register.thread, "", 0)


def read_conditions(
    sections: Sections,
    program: Program,
    dialect: str,
    register: RegisterNamer,
    observation: Observation | None = None,
) -> LitmusTest:
    """The litmus test of a program whose threads and initial state are complete.

    Without an `observation` registers are seen as they are.
    """
    _check_code_addresses(sections, program)
    test = LitmusTest(sections.name, dialect, program, file=sections.source.name)
    reader = _ConditionReader(sections, program, register, observation)
    reader.read(test)
    test.observed = reader.observables()
    return test


def _check_code_addresses(sections: Sections, program: Program) -> None:
    """Every label whose address the initial state mentions must exist."""
    for thread in program.threads:
        for label in thread.code_addresses.values():
            if label not in thread.labels:
                place = max(0, sections.initial.text.find(label))
                message = f"no label {label} in {thread.name}"
                raise sections.error(message, sections.initial.offset + place, len(label))


class _ConditionReader(Tokens):
    """A recursive-descent reader over the tokens of the clauses; collects the observables it meets."""

    def __init__(
        self,
        sections: Sections,
        program: Program,
        register: RegisterNamer,
        observation: Observation | None = None,
    ) -> None:
        super().__init__(sections)
        self.program, self.register = program, register
        self.depth = 0
        self.observation = observation
        self.widths: dict[Observable, int] = {}
        self.seen: dict[tuple[int, str, str], RegisterOf] = {}
        self.found: dict[Observable, None] = {}

    # -- clauses -----------------------------------------------------------------------------------

    def read(self, test: LitmusTest) -> None:
        """Read all clauses into the test."""
        while self.word == "locations":
            self.step()
            self.locations()
        kept = list(self.found)
        if self.word == "filter":
            self.step()
            test.filter = self.proposition()
        # What only the filter mentions is not part of the printed states.
        self.filter_only = [o for o in self.found if o not in kept]
        self.found = dict.fromkeys(kept)
        start = self.tokens[self.place][2]
        test.quantifier, test.condition = self.quantified()
        test.condition_text = self.text[start : self.tokens[self.place][2]].strip()
        self.take(";")
        if self.word == "with":
            return
        if self.kind:
            raise self.fail("the end of the condition")

    def quantified(self) -> tuple[str, Condition]:
        kind, word, _ = self.tokens[self.place]
        if kind == 0:
            return "forall", TRUE
        if word == "(":
            return "exists", self.proposition()
        self.step()
        if word == "forall":
            return "forall", self.proposition()
        if word in ("exists", "final"):
            return "exists", self.proposition()
        if word in ("observed", "Observed"):
            return "exists", self.observed()
        if kind == NOT and self.word == "exists":
            self.step()
            return "~exists", self.proposition()
        self.place -= 1
        raise self.fail("exists, ~exists or forall")

    def locations(self) -> None:
        """`[x; 0:r1; t[2]; y int*]`"""
        self.expect("[")
        while not self.take("]"):
            if self.word in ("fault", "Fault"):
                raise self.unsupported("faults")
            self.observe(self.observable())
            while self.kind == NAME:
                self.step()
            while self.take("*"):
                pass
            if not self.take(";") and not self.take(",") and self.word != "]":
                raise self.fail("';' or ']'")

    def observed(self) -> Condition:
        """`0:R1=1; x=2; and 0:R1=0; x=1;`: the states of a log, one of which is to be seen."""
        states: list[Condition] = []
        while True:
            atoms: list[Condition] = []
            while self.kind in (NUMBER, NAME, SIGN) and self.word not in ("and", "with"):
                atoms.append(self.atom())
                self.expect(";")
            states.append(And(tuple(atoms)))
            if self.word != "and":
                return Or(tuple(states))
            self.step()

    # -- propositions ------------------------------------------------------------------------------

    def proposition(self) -> Condition:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.fail(f"at most {_DEEPEST} levels of nesting")
        operands = [self.conjunction()]
        while self.kind == OR:
            self.step()
            operands.append(self.conjunction())
        self.depth -= 1
        return operands[0] if len(operands) == 1 else Or(tuple(operands))

    def conjunction(self) -> Condition:
        operands = [self.implication()]
        while self.kind == AND:
            self.step()
            operands.append(self.implication())
        return operands[0] if len(operands) == 1 else And(tuple(operands))

    def implication(self) -> Condition:
        premises: list[Condition] = []
        result = self.negation()
        while self.kind == IMPLIES:
            self.step()
            premises.append(result)
            result = self.negation()
        if len(premises) > _DEEPEST:
            raise self.fail(f"at most {_DEEPEST} levels of nesting")
        for premise in reversed(premises):
            result = Or((Not(premise), result))
        return result

    def negation(self) -> Condition:
        negated = False
        while self.kind == NOT:
            self.step()
            negated = not negated
        result = self.primary()
        return Not(result) if negated else result

    def primary(self) -> Condition:
        word = self.word
        if word == "(" and self.kind == SIGN:
            self.step()
            inner = self.proposition()
            self.expect(")")
            return inner
        if word in ("true", "false"):
            self.step()
            return TRUE if word == "true" else Or(())
        if word in ("fault", "Fault"):
            raise self.unsupported("faults")
        return self.atom()

    # -- atoms -------------------------------------------------------------------------------------

    def atom(self) -> Condition:
        left = self.observable()
        if self.kind not in (EQUAL, DIFFERENT):
            raise self.fail("'=' or '!='")
        different = self.kind == DIFFERENT
        self.step()
        result = self.comparison(left)
        return Not(result) if different else result

    def comparison(self, left: Observable) -> Condition:
        other = self.other_observable()
        if other is not None:
            self.observe(left)
            self.observe(other)
            return SameValue(left, other)
        if self.take("{"):
            values: list[int] = []
            while not self.take("}"):
                values.append(self.value())
                if not self.take(",") and self.word != "}":
                    raise self.fail("',' or '}'")
            return self.array_equals(left, tuple(values))
        value = self.value()
        self.observe(left)
        return Equals(left, wrap(value, self.bits_of(left)))

    def array_equals(self, left: Observable, values: tuple[int, ...]) -> Condition:
        if isinstance(left, CellOf) and "[" not in left.shown:
            left = ArrayOf((left.address,), left.shown, left.unsigned)
        if not isinstance(left, ArrayOf):
            raise self.fail("a single value")
        if len(values) != len(left.addresses):
            raise self.fail(f"{len(left.addresses)} values")
        self.observe(left)
        bits = self.bits_of(left)
        return Equals(left, tuple(wrap(value, bits) for value in values))

    def bits_of(self, observable: Observable) -> int:
        """The width at which a number is compared with the observable."""
        return self.widths.get(observable, 64)

    def other_observable(self) -> Observable | None:
        """A right-hand side that is not a constant: `1:r2`, `[y]`, `*y`."""
        kind, word, _ = self.tokens[self.place]
        following = self.tokens[self.place + 1] if kind else (0, "", 0)
        if word == "*" and kind == SIGN:
            self.step()
            return self.observable()
        if word == "[" and kind == SIGN:
            return self.observable()
        if (kind == NUMBER or (kind == NAME and _THREAD.match(word))) and following[1] == ":":
            return self.observable()
        return None

    def value(self) -> int:
        kind, word, offset = self.tokens[self.place]
        if kind == NUMBER:
            self.step()
            return parse_number(word)
        if kind == LABEL:
            self.step()
            return self.label_value(word, offset)
        if kind == INSTRUCTION or word in ("NOP", "nop"):
            raise self.unsupported("instructions as values (self-modifying code)")
        self.take("&")
        if self.kind != NAME:
            if self.word in ("(", ":"):
                raise self.unsupported("page-table entries and memory tags")
            raise self.fail("a value")
        name = self.word
        self.step()
        location = self.program.location(name)
        if self.word == "[":
            self.step()
            index = self.number()
            self.expect("]")
            return location.address + index * location.cell_bytes
        if self.word in (":", "("):
            raise self.unsupported(f"'{name}{self.word}'")
        return location.address

    def label_value(self, word: str, offset: int) -> int:
        thread, _, label = word.split('"')[1].partition(":")
        if not thread.lstrip("P").isdecimal():
            raise self.fail('label:"P0:name"')
        place = LabelOf(parse_number(thread.lstrip("P")), label)
        index = thread_index(self.sections, self.program, place.thread, self.base + offset)
        if place.label not in self.program.threads[index].labels:
            return _NOWHERE
        return code_address(self.program, index, place.label)

    def observable(self) -> Observable:
        """`0:r1`, `P0:r1`, `x`, `[x]`, `x[1]`"""
        kind, word, offset = self.tokens[self.place]
        if kind == NUMBER or (kind == NAME and _THREAD.match(word) and self.tokens[self.place + 1][1] == ":"):
            self.step()
            self.expect(":")
            return self.register_of(parse_number(word.lstrip("P")), offset)
        if self.take("["):
            found = self.cell(self.identifier(), offset)
            self.expect("]")
            return found
        if kind == NAME and word[0] == "%":
            return self.symbolic_register()
        return self.cell(self.identifier(), offset)

    def register_of(self, number: int, offset: int) -> RegisterOf:
        index = thread_index(self.sections, self.program, number, self.base + offset)
        at = self.tokens[self.place][2]
        name, shown = self.register(index, self.identifier(), self.base + at)
        return self.seen_register(index, name, f"{number}:{shown}")

    def seen_register(self, thread: int, name: str, shown: str) -> RegisterOf:
        """The register at the width at which states show it."""
        found = self.seen.get((thread, name, shown))
        if found is None:
            how = self.observation
            if how is None:
                found = RegisterOf(thread, name, shown)
            else:
                found = RegisterOf(thread, how.register(thread, name), shown, how.unsigned(thread, name))
                self.widths[found] = how.bits(thread, name)
            self.seen[thread, name, shown] = found
        return found

    def symbolic_register(self) -> RegisterOf:
        word, offset = self.word, self.base + self.tokens[self.place][2]
        self.step()
        for index, thread in enumerate(self.program.threads):
            name, shown = self.register(index, word, offset)
            if name in thread.registers:
                return self.seen_register(index, name, f"{index}:{shown}")
        raise self.sections.error(f"no thread uses the register {word}", offset, len(word))

    def cell(self, name: str, offset: int) -> Observable:
        if self.word == "(" or self.word == ":":
            raise self.unsupported(f"'{name}{self.word}'")
        location = self.program.location(name)
        if self.take("["):
            index = self.number()
            self.expect("]")
            cells = len(location.initial)
            if not 0 <= index < cells:
                message = f"{name} has {cells} cells, no cell {index}"
                raise self.sections.error(message, self.base + offset, len(name))
            unsigned = location.bits if location.unsigned else 0
            cell = CellOf(location.address + index * location.cell_bytes, f"{name}[{index}]", unsigned)
            self.widths[cell] = location.bits
            return cell
        found: Observable
        unsigned = location.bits if location.unsigned else 0
        if len(location.initial) > 1:
            size = location.cell_bytes
            addresses = tuple(location.address + size * i for i in range(len(location.initial)))
            found = ArrayOf(addresses, name, unsigned)
        else:
            found = CellOf(location.address, name, unsigned)
        self.widths[found] = location.bits
        return found

    # -- observables -------------------------------------------------------------------------------

    def observe(self, observable: Observable) -> None:
        self.found[observable] = None

    def observables(self) -> list[Observable]:
        """Each observable once: registers by thread and number, then memory by name."""
        registers = [found for found in self.found if isinstance(found, RegisterOf)]
        memory = [found for found in self.found if not isinstance(found, RegisterOf)]
        if len(registers) > 1:
            registers.sort(key=_register_order)
        if len(memory) > 1:
            memory.sort(key=lambda found: found.shown)
        return [*registers, *memory]
