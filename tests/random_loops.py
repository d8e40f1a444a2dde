"""Random small C11 programs whose threads have loops: some go on for ever, some until a value is read, some a
few times. Each thread asserts at its end, or in each round, that it did not read certain values."""

from __future__ import annotations

from tests.random_views import RandomTest

from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft

ROUNDS = 2


class RandomLoops(RandomTest):
    """Threads as those of random tests, each with at most one loop."""

    def _thread(self, number: int, size: int) -> None:
        super()._thread(number, size)
        thread, known = self.threads[-1], [name for owner, name in self.observed if owner == number]
        kind = self.rng.choice(("straight", "for ever", "counted", "until", "until", "chosen"))
        if kind == "for ever":
            self._assert(thread, known)
        if kind != "straight":
            self._loop(thread, known, kind)
        if kind != "for ever":
            self._assert(thread, known)

    def _loop(self, thread: ThreadDraft, known: list[str], kind: str) -> None:
        code = thread.instructions
        starts = [at for at, each in enumerate(code) if not (isinstance(each, ir.Store) and each.link)]
        first = self.rng.choice(starts)
        ends = [at for at in (*starts, len(code)) if at > first]
        if kind == "for ever" and self.rng.random() < 0.4:
            first = len(code) - self.rng.choice((0, 0, 1))  # no more than its last step
        last = len(code) if kind == "for ever" else self.rng.choice(ends)
        choice = self.rng.random() < 0.5
        again: list[ir.Instruction] = [ir.Havoc("any", (0, 1))] if choice else []
        again.append(ir.Branch("again"))
        if kind == "counted":
            more = ir.Op("add", (ir.Reg("round"), ir.Const(1)), 32)
            few = ir.Op("lt", (ir.Reg("round"), ir.Const(ROUNDS)), 32)
            again = [ir.Local("round", more), ir.Branch("again", few)]
        elif kind == "chosen":
            again = [ir.Havoc("any", (0, 1)), ir.Branch("again", ir.Reg("any"))]
        elif kind == "until":
            read = [each.register for each in code[first:last] if isinstance(each, ir.Load) and each.register]
            if not read:
                return
            wanted = ir.Const(self.rng.choice((0, 1, 1, 2)))
            again = [ir.Branch("again", ir.Op("ne", (ir.Reg(self.rng.choice(read)), wanted), 32))]
        thread.labels["again"] = first
        code[last:last] = again

    def _assert(self, thread: ThreadDraft, known: list[str]) -> None:
        """Not all of up to three registers have certain values."""
        chosen = self.rng.sample(known, min(len(known), self.rng.choice((1, 2, 2, 3))))
        if not chosen:
            return
        same: ir.Expr = ir.Const(-1)
        for name in chosen:
            value = ir.Const(self.rng.choice((0, 1, 1, 2)))
            same = ir.Op("and", (same, ir.Op("eq", (ir.Reg(name), value), 32)), 32)
        thread.instructions.append(ir.Assert(ir.Op("eq", (same, ir.Const(0)), 32)))

    def looping(self) -> ir.Program:
        """The program; nobody waits for its threads."""
        program = ProgramDraft(locations=dict(self.places.locations))
        for thread in self.threads:
            program.functions[thread.name] = thread
        main: list[ir.Instruction] = [ir.Spawn(f"h{name}", name, ir.Const(0)) for name in program.functions]
        program.threads.append(ThreadDraft("main", main))
        return program.finished()
