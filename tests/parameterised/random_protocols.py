"""Random systems that use the whole language under SC: numbers, processes as values, cases, quantifiers."""

from __future__ import annotations

from tests.seeds import generator

LOCATIONS = ("L1", "L2", "L3")
SMALL = ("A", "B", "C")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.choose = generator(seed)
        chance = self.choose.random
        self.numbers = chance() < 0.4
        self.pointers = chance() < 0.4
        self.pairs = chance() < 0.25
        self.constant = self.numbers and chance() < 0.3
        self.ordered = chance() < 0.2
        self.nested = chance() < 0.5

    def one(self, *options: str) -> str:
        return self.choose.choice(options)

    def often(self, chance: float) -> bool:
        return self.choose.random() < chance

    # Formulas over the given processes

    def literal(self, processes: list[str]) -> str:
        options = ["X", "X", "Y"]
        if processes:
            options += ["PC", "PC", "W", "R", "same"]
        if self.numbers:
            options += ["N", "N"] + (["M", "order"] if processes else [])
        if self.pointers and processes:
            options += ["P", "Q"]
        if self.pairs and len(processes) > 1:
            options += ["E", "E"]
        if self.ordered and len(processes) > 1:
            options.append("before")
        if len(processes) > 1:
            options.append("distinct")
        return self.written(self.one(*options), processes)

    def written(self, kind: str, processes: list[str]) -> str:
        i = self.one(*processes) if processes else ""
        j = self.one(*processes) if processes else ""
        equal = self.one("=", "=", "<>")
        compare = self.one("=", "<>", "<", "<=", ">", ">=")
        number = self.one("0", "1", "2") if not self.constant else self.one("0", "1", "K")
        return {
            "X": f"X {equal} {self.one(*SMALL)}",
            "Y": f"Y = {self.one('True', 'False')}",
            "PC": f"PC[{i}] {equal} {self.one(*LOCATIONS)}",
            "W": f"W[{i}] = {self.one('True', 'False', 'Y')}",
            "R": f"R[{i}] {equal} {self.one(*SMALL, 'X', f'R[{j}]')}",
            "same": f"{i} {equal} {j}",
            "N": f"N {compare} {number}",
            "M": f"M[{i}] {compare} {number}",
            "order": f"M[{i}] {compare} {self.one('N', f'M[{j}]', 'N - 1', f'M[{j}] + 1')}",
            "P": f"P {equal} {i}",
            "Q": f"Q[{i}] {equal} {self.one(i, j, 'P')}",
            "E": f"E[{i},{j}] = {self.one('True', 'False')}",
            "before": f"{i} {self.one('<', '<=')} {j}",
            "distinct": f"{i} {equal} {j}",
        }[kind]

    def formula(self, processes: list[str], depth: int) -> str:
        if depth == 0 or self.often(0.5):
            return self.literal(processes)
        left, right = self.formula(processes, depth - 1), self.formula(processes, depth - 1)
        kind = self.choose.random()
        if kind < 0.15:
            return f"not ({left})"
        if kind < 0.3:
            return f"(if {left} then ({right}) else ({self.literal(processes)}))"
        return f"({left} {self.one('&&', '&&', '||', '||', '=>', '<=>')} {right})"

    def universal(self, processes: list[str]) -> str:
        if self.often(0.15):
            return f"not (exists{self.one('', '_other')} k. {self.formula([*processes, 'k'], 1)})"
        if self.often(0.75):
            return f"(forall_other k. {self.formula([*processes, 'k'], 1)})"
        return f"(forall k. {self.formula([*processes, 'k'], 1)})"

    def existential(self, processes: list[str]) -> str:
        if self.often(0.2):
            return f"not (forall{self.one('', '_other')} e. {self.formula([*processes, 'e'], 1)})"
        quantifier = self.one("exists_other", "exists")
        return f"({quantifier} e. {self.formula([*processes, 'e'], 1)})"

    # Declarations

    def system(self) -> str:
        lines = [f"type loc = {' | '.join(LOCATIONS)}", f"type small = {' | '.join(SMALL)}"]
        lines += ["var X : small", "var Y : bool", "array PC[proc] : loc", "array W[proc] : bool"]
        lines.append("array R[proc] : small")
        start = ["PC[p] = L1", "W[p] = False", "X = A"]
        free = ["R[p] = A", "Y = False", self.one("R[p] <> B", "(Y = True || X = A)", "R[p] = X")]
        start += [part for part in free if self.often(0.7)]
        if self.numbers:
            lines += ["var N : int", "array M[proc] : int"]
            start += ["N = 0", self.one("M[p] = 0", "M[p] = N", "M[p] = 1", "M[p] = N + 1")]
        if self.constant:
            lines.append("const K : int")
        if self.pointers:
            lines += ["var P : proc", "array Q[proc] : proc"]
            start.append(self.one("Q[p] = p", "Q[p] = P"))
        pair = ""
        if self.pairs:
            lines.append("array E[proc,proc] : bool")
            pair = " q" if self.often(0.4) else ""
            every = self.one("E[p,p]", "(forall q. E[p,q]", "(forall_other q. E[p,q]") + " = False"
            every += ")" * every.count("(")
            start.append("E[p,q] = False" if pair else every)
        lines.append(f"init (p{pair}) {{ {' && '.join(start)} }}")
        if self.often(0.4):
            lines.append(f"predicate busy (x, y) {{ {self.formula(['x', 'y'], 1)} }}")
            self.predicate = True
        for _ in range(self.choose.choice((1, 1, 2, 3))):
            lines.append(self.unsafe())
        lines += [self.transition(number) for number in range(self.choose.randint(2, 6))]
        return "\n".join(lines) + "\n"

    predicate = False

    def unsafe(self) -> str:
        processes = self.choose.choice((["a", "b"], ["a", "b"], ["a"], ["a", "b", "c"]))
        parts = [f"PC[{i}] = {self.one(*LOCATIONS[1:])}" for i in processes]
        if self.often(0.5):
            parts.append(self.formula(processes, 1))
        if self.often(0.15):
            parts.append(self.existential(processes))
        return f"unsafe ({' '.join(processes)}) {{ {' && '.join(parts)} }}"

    def transition(self, number: int) -> str:
        processes = ["p", "q"] if self.often(0.35) else ["p"]
        guard = [f"PC[p] = {self.one(*LOCATIONS)}"]
        for _ in range(self.choose.choice((0, 1, 1, 2))):
            guard.append(self.formula(processes, 2 if self.nested else 0))
        if self.often(0.35):
            guard.append(self.universal(processes))
        if self.often(0.15):
            guard.append(self.existential(processes))
        if self.predicate and self.often(0.3):
            guard.append(f"busy(p, {processes[-1]})")
        let = f"let old = {self.one('X', 'R[p]')} in " if self.often(0.2) else ""
        actions = self.actions(processes, "old" if let else "X")
        head = f"transition t{number} ({' '.join(processes)})"
        return f"{head}\nrequires {{ {' && '.join(guard)} }}\n{{ {let}{'; '.join(actions)} }}"

    def actions(self, processes: list[str], old: str) -> list[str]:
        made = [f"PC[p] := {self.one(*LOCATIONS)}"]
        other = processes[-1]
        if self.often(0.5):
            made.append(f"X := {self.one(*SMALL, '?', f'R[{other}]', self.cases(processes, SMALL))}")
        if self.often(0.3):
            made.append(f"Y := {self.one('True', 'False', '?', f'W[{other}]')}")
        if self.often(0.4):
            target = self.one(*processes)
            every = f"W[j] := {self.cases([*processes, 'j'], ('True', 'False', 'W[j]', 'W[p]'))}"
            made.append(self.one(f"W[{target}] := {self.one('True', 'False')}", every))
        if self.often(0.4):
            every = f"R[j] := {self.cases([*processes, 'j'], (*SMALL, 'R[j]', 'X'))}"
            made.append(self.one(f"R[{other}] := {self.one(*SMALL, old)}", every))
        if self.numbers and self.often(0.6):
            made.append(f"N := {self.one('N + 1', 'N - 1', '0', '1', 'M[p]', 'M[p] + 1')}")
        if self.numbers and self.often(0.4):
            every = f"M[j] := {self.cases([*processes, 'j'], ('0', 'N', 'M[j]', 'M[j] + 1', 'M[p]'))}"
            made.append(self.one(f"M[p] := {self.one('N', 'N + 1', '0', 'M[p] - 1')}", every))
        if self.pointers and self.often(0.4):
            made.append(f"P := {self.one(*processes, 'Q[p]', '?')}")
        if self.pointers and self.often(0.3):
            every = f"Q[j] := {self.cases([*processes, 'j'], (*processes, 'Q[j]', 'j'))}"
            made.append(self.one(f"Q[p] := {self.one(*processes, 'P')}", every))
        if self.pairs and self.often(0.5):
            every = f"E[i,j] := {self.cases([*processes, 'i', 'j'], ('True', 'False', 'E[i,j]', 'E[j,i]'))}"
            made.append(self.one(f"E[p,{other}] := True", every))
        return made

    def cases(self, processes: list[str], values: tuple[str, ...]) -> str:
        text = "case "
        for _ in range(self.choose.choice((1, 1, 2))):
            text += f"| {self.formula(processes, 1)} : {self.one(*values)} "
        return text + (f"| _ : {self.one(*values)}" if self.often(0.8) else "")


def random_protocol(seed: int) -> str:
    """A system with two to six transitions; numbers may grow, so that not every search ends."""
    return _Writer(seed).system()
