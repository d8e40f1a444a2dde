"""The clauses behind a litmus program -> condition, filter and observables.

Accepts herd7's grammar: `locations [...]`, `filter P`, then `exists P`, `~exists P`, `forall P`, `final P`,
`observed ...` or nothing, which means `forall true`. Propositions use `/\\`, `\\/`, `=>`, `~`, `not`, `true`,
`false`, `=`, `==`, `!=`, `<>`; negation binds tightest, then `=>`, `/\\`, `\\/`.
"""

from __future__ import annotations

from treville.programs.draft import ProgramDraft
from treville.programs.litmus.condition.observables import ObservableReader
from treville.programs.litmus.condition.tokens import (
    AND,
    DIFFERENT,
    EQUAL,
    IMPLIES,
    NAME,
    NOT,
    NUMBER,
    OR,
    SIGN,
)
from treville.programs.litmus.initial import (
    RegisterNamer,
)
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.observed_registers import Observation
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
    Quantifier,
    SameValue,
)
from treville.programs.operators import wrap
from treville.records import NamedTuple

_DEEPEST = 120


def read_conditions(
    sections: Sections,
    program: ProgramDraft,
    dialect: str,
    register: RegisterNamer,
    observation: Observation | None = None,
) -> LitmusTest:
    """The litmus test of a program whose threads and initial state are complete.

    Without an `observation` registers are seen as they are.
    """
    _check_code_addresses(sections, program)
    reader = _ConditionReader(sections, program, register, observation)
    asked = reader.read()
    observed = tuple(reader.observables())
    return LitmusTest(
        sections.name, dialect, program.finished(), asked.quantifier, asked.condition, asked.text, observed,
        asked.filter, sections.source.name,
    )  # fmt: skip


class _Asked(NamedTuple):
    """What the clauses behind a program say."""

    quantifier: Quantifier
    condition: Condition
    text: str
    filter: Condition | None


def _check_code_addresses(sections: Sections, program: ProgramDraft) -> None:
    """Every label whose address the initial state mentions must exist."""
    for thread in program.threads:
        for label in thread.code_addresses.values():
            if label not in thread.labels:
                place = max(0, sections.initial.text.find(label))
                message = f"no label {label} in {thread.name}"
                raise sections.error(message, sections.initial.offset + place, len(label))


class _ConditionReader(ObservableReader):
    """A recursive-descent reader over the tokens of the clauses."""

    depth = 0

    # -- clauses -----------------------------------------------------------------------------------

    def read(self) -> _Asked:
        """Read all clauses."""
        dropped = None
        while self.word == "locations":
            self.step()
            self.locations()
        kept = list(self.found)
        if self.word == "filter":
            self.step()
            dropped = self.proposition()
        # What only the filter mentions is not part of the printed states.
        self.filter_only = [o for o in self.found if o not in kept]
        self.found = dict.fromkeys(kept)
        start = self.tokens[self.place][2]
        quantifier, condition = self.quantified()
        text = self.text[start : self.tokens[self.place][2]].strip()
        self.take(";")
        if self.kind and self.word != "with":
            raise self.fail("the end of the condition")
        return _Asked(quantifier, condition, text, dropped)

    def quantified(self) -> tuple[Quantifier, Condition]:
        kind, word, _ = self.tokens[self.place]
        if kind == 0:
            return Quantifier.FORALL, TRUE
        if word == "(":
            return Quantifier.EXISTS, self.proposition()
        self.step()
        if word == "forall":
            return Quantifier.FORALL, self.proposition()
        if word in ("exists", "final"):
            return Quantifier.EXISTS, self.proposition()
        if word in ("observed", "Observed"):
            return Quantifier.EXISTS, self.observed()
        if kind == NOT and self.word == "exists":
            self.step()
            return Quantifier.NOT_EXISTS, self.proposition()
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
