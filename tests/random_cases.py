"""Random small tests and random models, for comparing engines with each other."""

from __future__ import annotations

from tests.model_builder import ModelBuilder
from tests.seeds import generator

from treville.models.model import Model, NodeId
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import (
    Assume,
    Branch,
    Const,
    Expr,
    Fence,
    Havoc,
    Instruction,
    Load,
    Local,
    Op,
    Reg,
    Select,
    Store,
    StoreExclusive,
)
from treville.programs.litmus.test import CellOf, LitmusTest, RegisterOf

REGISTERS = ("r0", "r1", "r2")


class Programs:
    """Draws tests with branches, loops, selects, computed addresses and exclusives."""

    def __init__(self, seed: int) -> None:
        self.random = generator(seed)
        self.program = ProgramDraft()
        self.cells = [self.program.location(name).address for name in ("x", "y")]

    def test(self) -> LitmusTest:
        count = self.random.choice((2, 2, 3))
        self.program.threads = [self._thread(index, 4 if count == 2 else 2) for index in range(count)]
        observed = [RegisterOf(t, r, f"{t}:{r}") for t in range(count) for r in REGISTERS[:2]]
        cells = [CellOf(address, name) for address, name in zip(self.cells, "xy", strict=True)]
        return LitmusTest("random", "C", self.program.finished(), observed=(*observed, *cells))

    def _thread(self, index: int, length: int) -> ThreadDraft:
        thread = ThreadDraft(f"P{index}", registers={"r2": self.random.choice([0, *self.cells])})
        depth_left = 1
        for number in range(length):
            if depth_left and self.random.random() < 0.3:
                depth_left -= 1
                self._if(thread, number)
            else:
                thread.instructions.append(self._simple(number))
        return thread

    def _if(self, thread: ThreadDraft, number: int) -> None:
        label = f"L{number}"
        until = self.random.choice((label, None))
        thread.instructions.append(Branch(label, self._expression(1), until, index=number))
        thread.instructions.append(self._simple(number + 10))
        if self.random.random() < 0.5:
            thread.instructions.append(self._simple(number + 20))
        thread.labels[label] = len(thread.instructions)
        if self.random.random() < 0.2:
            thread.instructions.append(Load("r1", Const(self.cells[0]), index=number + 30))
            thread.instructions.append(Branch(label, Reg("r1"), index=number + 31))

    def _simple(self, number: int) -> Instruction:
        draw = self.random.random()
        register = self.random.choice(REGISTERS)
        if draw < 0.35:
            exclusive = self.random.random() < 0.3
            return Load(register, self._address(), self._tags(), exclusive=exclusive, index=number)
        if draw < 0.65:
            when = self._expression(1) if self.random.random() < 0.2 else None
            return Store(self._address(), self._expression(2), self._tags(), when=when, index=number)
        if draw < 0.75:
            return Fence(frozenset({"F"}), index=number)
        if draw < 0.85:
            return Local(register, self._expression(2), index=number)
        if draw < 0.92:
            return StoreExclusive(register, self._address(), self._expression(1), index=number)
        if draw < 0.96:
            return Havoc(register, (0, 1), index=number)
        return Assume(Op("eq", (Reg("r0"), Reg("r1"))), index=number)

    def _tags(self) -> frozenset[str]:
        return frozenset(tag for tag in ("A", "L") if self.random.random() < 0.3)

    def _address(self) -> Expr:
        if self.random.random() < 0.75:
            return Const(self.random.choice(self.cells))
        condition = Reg(self.random.choice(REGISTERS))
        return Select(condition, Const(self.cells[0]), Const(self.cells[1]))

    def _expression(self, depth: int) -> Expr:
        draw = self.random.random()
        if depth == 0 or draw < 0.4:
            return Const(self.random.randint(0, 2))
        if draw < 0.75:
            return Reg(self.random.choice(REGISTERS[:2]))
        left, right = self._expression(depth - 1), self._expression(depth - 1)
        if draw < 0.85:
            return Select(left, right, Reg("r1"))
        return Op(self.random.choice(("xor", "eq", "and")), (left, right), 32)


BASE_RELATIONS = (
    "po", "rf", "co", "fr", "loc", "addr", "data", "ctrl", "rmw", "int", "ext", "pick-data", "si",
)  # fmt: skip
BASE_SETS = ("R", "W", "M", "F", "A", "L", "IW", "FW", "RMW")


class Models(ModelBuilder):
    """Draws models: random definitions over the base relations, also recursive ones, and random axioms."""

    def __init__(self, seed: int) -> None:
        super().__init__("random")
        self.random = generator(seed)

    def draw(self, definitions: int = 8) -> Model:
        relations = [self.node("base", name=name) for name in BASE_RELATIONS]
        sets = [self.node("base", kind="set", name=name) for name in BASE_SETS]
        for _ in range(definitions):
            if self.random.random() < 0.15:
                sets.append(self._set(relations, sets))
            elif self.random.random() < 0.15:
                relations.append(self._recursion(relations))
            else:
                relations.append(self._relation(relations, sets))
        fresh = relations[len(BASE_RELATIONS) :] or relations
        for number in range(2):
            kind = self.random.choice(("acyclic", "acyclic", "irreflexive", "empty"))
            node = self.random.choice(fresh)
            self.axiom(kind, node, f"axiom {number}", negated=self.random.random() < 0.1)
        kind = self.random.choice(("acyclic", "irreflexive", "empty"))
        self.axiom(kind, self.random.choice(fresh), "flagged", negated=True, flag=True)
        return self.model

    def _relation(self, relations: list[NodeId], sets: list[NodeId]) -> NodeId:
        op = self.random.choice(
            ("union", "union", "inter", "diff", "seq", "seq", "seq", "inverse", "opt", "plus", "star",
             "identity", "product", "complement", "id", "universe")
        )  # fmt: skip
        if op in ("id", "universe"):
            return self.node(op)
        if op == "identity":
            return self.node(op, self.random.choice(sets))
        if op == "product":
            return self.node(op, self.random.choice(sets), self.random.choice(sets))
        arity = 2 if op in ("union", "inter", "diff", "seq") else 1
        return self.node(op, *(self.random.choice(relations) for _ in range(arity)))

    def _set(self, relations: list[NodeId], sets: list[NodeId]) -> NodeId:
        op = self.random.choice(("domain", "range", "union", "inter", "diff", "complement"))
        if op in ("domain", "range"):
            return self.node(op, self.random.choice(relations), kind="set")
        arity = 1 if op == "complement" else 2
        return self.node(op, *(self.random.choice(sets) for _ in range(arity)), kind="set")

    def _recursion(self, relations: list[NodeId]) -> NodeId:
        """`let rec v = base | (v ; other) & third` or two definitions that need each other."""
        variable = self.node("fixpoint", name="v")
        mutual = self.random.random() < 0.4
        second = self.node("fixpoint", name="w") if mutual else variable
        step = self.node("seq", *self.random.sample([second, self.random.choice(relations)], 2))
        if self.random.random() < 0.5:
            step = self.node("inter", step, self.random.choice(relations))
        body = self.node("union", self.random.choice(relations), step)
        variables, bodies = [variable], [body]
        if mutual:
            other = self.node("seq", variable, self.random.choice(relations))
            bodies.append(self.node("union", other, self.random.choice(relations)))
            variables.append(second)
        self.fixpoint(tuple(variables), tuple(bodies))
        return variable
