"""ARM (ARMv7, and ARMv8 in AArch32) litmus tests -> IR.

All registers have 32 bits; the flags N, Z, C, V are registers of their own, of which only those that some
instruction of the test reads are written. Every instruction may be conditional: arithmetic becomes a
choice between the new and the old value, accesses are jumped over. The status of a store exclusive depends
on what its address and its value depend on, as herd7 has it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from treville.programs.ir import Const, Expr, IndirectBranch, Load, Op, Reg, Select, Store, StoreExclusive
from treville.programs.litmus.arm.operands import (
    Address,
    parse_address,
    parse_flexible,
    parse_list,
    register,
    register_namer,
    split_operands,
)
from treville.programs.litmus.assembly import PLAIN, ThreadBuilder, read_assembly
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.test import LitmusTest
from treville.records import NamedTuple
from treville.results import Source

EXCLUSIVE = frozenset(("X",))

_INSTRUCTION = re.compile(r"\s*([A-Za-z][\w.]*)\s*(.*)", re.DOTALL)
_DATA = {
    "ADD": "add", "SUB": "sub", "AND": "and", "ORR": "or", "EOR": "xor", "BIC": "and", "RSB": "sub",
    "MUL": "mul", "LSL": "shl", "LSR": "lshr", "ASR": "ashr",
}  # fmt: skip
_COMPARISONS = {"CMP": "sub", "CMN": "add", "TST": "and", "TEQ": "xor"}
_MOVES = frozenset(("MOV", "MVN", "MOVW", "MOVT"))
_EXTENSIONS = {"SXTB": ("sext", 8), "SXTH": ("sext", 16), "UXTB": ("zext", 8), "UXTH": ("zext", 16)}
_LOADS = {
    "LDR": PLAIN, "LDA": frozenset(("A",)), "LDREX": EXCLUSIVE, "LDAEX": frozenset(("A", "X")),
}  # fmt: skip
_STORES = {"STR": PLAIN, "STL": frozenset(("L",))}
_EXCLUSIVE_STORES = {"STREX": EXCLUSIVE, "STLEX": frozenset(("L", "X"))}
_MULTIPLE = re.compile(r"(LDM|STM)(IA|IB|DA|DB|FD|EA)?$")
_FENCES = frozenset(("DMB", "DSB", "ISB"))
_DOMAINS = {"": "", "SY": "", "ST": ".ST", "ISH": ".ISH", "OSH": ".OSH", "ISHST": ".ST", "OSHST": ".ST"}
_BRANCHES = frozenset(("B", "BX", "BL", "BLX", "CBZ", "CBNZ"))
_NARROWER = re.compile(r"(?:LDRS?[BH]|STR[BH]|LD[AR]EX[BHD]|ST[LR]EX[BHD]|LDA[BH]|STL[BH])$")
_BASES = frozenset(
    (*_DATA, *_COMPARISONS, *_MOVES, *_EXTENSIONS, *_LOADS, *_STORES, *_EXCLUSIVE_STORES, *_FENCES,
     *_BRANCHES, "LDRD", "STRD", "NOP", "MLA")
)  # fmt: skip
_CONDITIONS = frozenset(
    ("EQ", "NE", "CS", "HS", "CC", "LO", "MI", "PL", "VS", "VC", "HI", "LS", "GE", "LT", "GT", "LE", "AL")
)
_OTHER_FLAGS = re.compile(r"\b[A-Z]+(?:CS|HS|CC|LO|MI|PL|VS|VC|HI|LS|GE|LT|GT|LE)\b", re.IGNORECASE)
_LABEL = re.compile(r"[A-Za-z_.$][\w.$]*$")


class Mnemonic(NamedTuple):
    """An instruction's name taken apart: `ADDSEQ` sets flags, is executed when equal."""

    base: str
    sets_flags: bool
    condition: str


def read(sections: Sections, source: Source) -> LitmusTest:
    """Read an ARM test."""
    decoder = _Decoder(all_flags=bool(_OTHER_FLAGS.search(sections.program.text)))
    return read_assembly(sections, "ARM", decoder.decode, register_namer(source))


@lru_cache(maxsize=512)
def take_apart(word: str) -> Mnemonic | None:
    """The parts of a mnemonic in capitals, or None if it is none that is known."""
    for condition in ("", word[-2:]):
        if condition and condition not in _CONDITIONS:
            continue
        base = word[: len(word) - len(condition)]
        shown = "" if condition == "AL" else condition
        if base in _BASES or _MULTIPLE.match(base) or _NARROWER.match(base):
            return Mnemonic(base, False, shown)
        if base.endswith("S") and (base[:-1] in _DATA or base[:-1] in ("MOV", "MVN", "MLA")):
            return Mnemonic(base[:-1], True, shown)
    return None


class _Decoder:
    """Turns instructions into IR; one per test."""

    def __init__(self, all_flags: bool) -> None:
        self.all_flags = all_flags

    def decode(self, builder: ThreadBuilder, text: str) -> None:
        """The decoder of `assembly.read_assembly`."""
        match = _INSTRUCTION.match(text)
        if match is None:
            raise builder.error("expected an instruction")
        mnemonic = take_apart(match.group(1).upper())
        if mnemonic is None:
            raise builder.unsupported(f"the instruction '{match.group(1).upper()}'")
        operands = split_operands(match.group(2))
        base = mnemonic.base
        if base in _FENCES:
            self.fence(builder, base, operands)
        elif base in _BRANCHES:
            self.branch(builder, mnemonic, operands)
        elif _NARROWER.match(base):
            raise builder.unsupported(f"mixed-size accesses ('{base}')")
        elif base in _DATA or base in _MOVES or base in _EXTENSIONS or base in ("MLA", *_COMPARISONS):
            self.data(builder, mnemonic, operands)
        elif base != "NOP":
            self.memory(builder, mnemonic, operands)

    # -- memory ------------------------------------------------------------------------------------

    def memory(self, builder: ThreadBuilder, mnemonic: Mnemonic, operands: list[str]) -> None:
        """Any access; a conditional one is jumped over when its condition is false."""
        landing = ""
        if mnemonic.condition:
            landing = builder.skip_next(_not(_condition(mnemonic.condition)))
        base = mnemonic.base
        if base in _LOADS or base in _STORES:
            self.single(builder, base, operands)
        elif base in _EXCLUSIVE_STORES:
            self.store_exclusive(builder, base, operands)
        elif base in ("LDRD", "STRD"):
            self.double(builder, base, operands)
        else:
            self.multiple(builder, base, operands)
        if landing:
            builder.land(landing)

    def single(self, builder: ThreadBuilder, base: str, operands: list[str]) -> None:
        """One word, with or without write-back of the address."""
        if len(operands) < 2:
            raise builder.error("expected a register and an address")
        data = register(builder, operands[0])
        if base == "LDR" and operands[1].startswith("="):
            name = operands[1][1:].strip()
            if not _LABEL.match(name):
                raise builder.error("expected the name of a location")
            builder.local(data, Const(builder.program.location(name).address))
            return
        address = parse_address(builder, operands[1:])
        where = self.before(builder, address)
        if base in _STORES:
            builder.store(where, Reg(data), _STORES[base])
        else:
            builder.emit(Load(data, where, _LOADS[base], exclusive=base.endswith("EX")))
        self.after(builder, address)

    def before(self, builder: ThreadBuilder, address: Address) -> Expr:
        """The address of the access; kept aside where it is written back, as the access may change it."""
        if address.write_back is None:
            return address.access
        builder.local(kept := builder.fresh("address"), address.access)
        builder.local(new := builder.fresh("updated"), address.write_back)
        address.updated = new
        return Reg(kept)

    def after(self, builder: ThreadBuilder, address: Address) -> None:
        """Write the address back."""
        if address.write_back is not None:
            builder.local(address.base, Reg(address.updated))

    def store_exclusive(self, builder: ThreadBuilder, base: str, operands: list[str]) -> None:
        """`STREX status,value,[address]`."""
        if len(operands) != 3:
            raise builder.error("expected a status register, a value and an address")
        status, value = register(builder, operands[0]), Reg(register(builder, operands[1]))
        address = parse_address(builder, operands[2:]).access
        builder.local(
            read := builder.fresh("read"), Op("and", (Op("or", (value, address), 32), Const(0)), 32)
        )
        builder.emit(StoreExclusive(status, address, value, _EXCLUSIVE_STORES[base]))
        builder.local(status, Op("or", (Reg(status), Reg(read)), 32))

    def double(self, builder: ThreadBuilder, base: str, operands: list[str]) -> None:
        """`LDRD R0,R1,[R2]` and `LDRD R0,[R2]`: two words that are not ordered with each other."""
        first = register(builder, operands[0]) if operands else ""
        if len(operands) > 1 and not operands[1].startswith("["):
            second, rest = register(builder, operands[1]), operands[2:]
        else:
            if not re.fullmatch(r"R\d+", first) or int(first[1:]) > 11:
                raise builder.error(f"no register follows {first}")
            second, rest = f"R{int(first[1:]) + 1}", operands[1:]
        address = parse_address(builder, rest)
        where = self.before(builder, address)
        self.words(builder, base == "LDRD", [first, second], [where, Op("add", (where, Const(4)), 32)])
        self.after(builder, address)

    def multiple(self, builder: ThreadBuilder, base: str, operands: list[str]) -> None:
        """`LDMIB R0!,{R1,R2}`: words at rising addresses, not ordered with each other."""
        match = _MULTIPLE.match(base)
        if match is None or len(operands) != 2:
            raise builder.error("expected a register and a list of registers")
        pointer = register(builder, operands[0].rstrip("! "))
        registers = parse_list(builder, operands[1])
        load = match.group(1) == "LDM"
        mode = match.group(2) or "IA"
        mode = {"FD": "IA" if load else "DB", "EA": "DB" if load else "IA"}.get(mode, mode)
        count = len(registers)
        start = {"IA": 0, "IB": 4, "DA": 4 - 4 * count, "DB": -4 * count}[mode]
        builder.local(kept := builder.fresh("address"), Reg(pointer))
        addresses: list[Expr] = [
            Op("add", (Reg(kept), Const(start + 4 * i)), 32) if start + 4 * i else Reg(kept)
            for i in range(count)
        ]
        self.words(builder, load, registers, addresses)
        if operands[0].endswith("!"):
            moved = 4 * count if mode[0] == "I" else -4 * count
            builder.local(pointer, Op("add", (Reg(kept), Const(moved)), 32))

    def words(self, builder: ThreadBuilder, load: bool, registers: list[str], addresses: list[Expr]) -> None:
        """Several accesses of one instruction; registers change only when all of them are done."""
        loaded: list[tuple[str, str]] = []
        for number, (name, address) in enumerate(zip(registers, addresses, strict=True)):
            if load:
                loaded.append((name, builder.fresh("loaded")))
                builder.emit(Load(loaded[-1][1], address, parallel=number > 0))
            else:
                builder.emit(Store(address, Reg(name), parallel=number > 0))
        for name, fresh in loaded:
            builder.local(name, Reg(fresh))

    # -- registers ---------------------------------------------------------------------------------

    def data(self, builder: ThreadBuilder, mnemonic: Mnemonic, operands: list[str]) -> None:
        """Moves, arithmetic, logic, shifts and comparisons."""
        base, condition = mnemonic.base, ""
        if mnemonic.condition:
            # Kept aside, as the instruction may change the flags.
            builder.local(condition := builder.fresh("condition"), _condition(mnemonic.condition))
        if base in _COMPARISONS:
            if len(operands) < 2:
                raise builder.error("expected two operands")
            left: Expr = Reg(register(builder, operands[0]))
            right = parse_flexible(builder, operands[1:])
            self.set_flags(builder, _COMPARISONS[base], left, right, condition)
            return
        if not operands:
            raise builder.error("expected a register")
        target = register(builder, operands[0])
        operator, left, right = self.computation(builder, base, target, operands[1:])
        value = left if operator == "left" else Op(operator, (left, right), 32)
        if mnemonic.sets_flags:
            builder.local(kept := builder.fresh("result"), value)
            value = Reg(kept)
            if operator not in ("add", "sub"):
                operator, left, right = "or", value, Const(0)
            self.set_flags(builder, operator, left, right, condition)
        builder.local(target, Select(Reg(condition), value, Reg(target)) if condition else value)

    def computation(
        self, builder: ThreadBuilder, base: str, target: str, operands: list[str]
    ) -> tuple[str, Expr, Expr]:
        """Operator and operands of what is computed; the operator `left` passes the left operand on."""
        zero = Const(0)
        if base in _MOVES:
            value = parse_flexible(builder, operands)
            if base == "MOVT":
                upper = Op("shl", (value, Const(16)), 32)
                return "or", Op("and", (Reg(target), Const(0xFFFF)), 32), upper
            return "left", Op("not", (value,), 32) if base == "MVN" else value, zero
        if base in _EXTENSIONS:
            operator, bits = _EXTENSIONS[base]
            return "left", Op(operator, (parse_flexible(builder, operands),), bits), zero
        if len(operands) == 1:
            operands = [target, *operands]
        if len(operands) < 2:
            raise builder.error("expected three operands")
        left: Expr = Reg(register(builder, operands[0]))
        if base == "MLA":
            if len(operands) != 3:
                raise builder.error("expected four operands")
            product = Op("mul", (left, Reg(register(builder, operands[1]))), 32)
            return "add", product, Reg(register(builder, operands[2]))
        right = parse_flexible(builder, operands[1:])
        if base == "RSB":
            left, right = right, left
        elif base == "BIC":
            right = Op("not", (right,), 32)
        return _DATA[base], left, right

    def set_flags(
        self, builder: ThreadBuilder, operator: str, left: Expr, right: Expr, condition: str
    ) -> None:
        """Write the flags that the test reads, as the operation on the operands sets them."""
        zero = Const(0)
        result = Op(operator, (left, right), 32)
        flags: dict[str, Expr] = {"Z": Op("eq", (left, right) if operator == "sub" else (result, zero), 32)}
        if self.all_flags:
            negative = flags["N"] = Op("lt", (result, zero), 32)
            if operator == "sub":
                flags["C"] = Op("uge", (left, right), 32)
                flags["V"] = Op("xor", (Op("lt", (left, right), 32), negative), 32)
            elif operator == "add":
                flags["C"] = Op("ult", (result, left), 32)
                flags["V"] = Op("xor", (Op("lt", (result, left), 32), Op("lt", (right, zero), 32)), 32)
        for name, value in flags.items():
            builder.local(name, Select(Reg(condition), value, Reg(name)) if condition else value)

    # -- control and fences ------------------------------------------------------------------------

    def branch(self, builder: ThreadBuilder, mnemonic: Mnemonic, operands: list[str]) -> None:
        """Branches; `BX LR` leaves the thread where LR holds no label."""
        base = mnemonic.base
        if base in ("BL", "BLX"):
            raise builder.unsupported("calls")
        condition = _condition(mnemonic.condition) if mnemonic.condition else None
        if base in ("CBZ", "CBNZ") and len(operands) == 2:
            tested = Reg(register(builder, operands[0]))
            condition = Op("eq" if base == "CBZ" else "ne", (tested, Const(0)), 32)
            operands = operands[1:]
        if len(operands) != 1:
            raise builder.error("expected one operand")
        if base == "BX":
            self.indirect(builder, register(builder, operands[0]), condition)
        elif _LABEL.match(operands[0]):
            builder.branch(operands[0], condition)
        else:
            raise builder.error("expected a label")

    def indirect(self, builder: ThreadBuilder, target: str, condition: Expr | None) -> None:
        """`BX`."""
        if condition is not None:
            raise builder.unsupported("conditional indirect branches")
        if target == "LR" and target not in builder.thread.registers:
            builder.exit()
        else:
            builder.emit(IndirectBranch(Reg(target)))

    def fence(self, builder: ThreadBuilder, base: str, operands: list[str]) -> None:
        """`DMB`, `DSB` with an option, `ISB`."""
        option = operands[0].upper() if operands else ""
        if len(operands) > 1 or option not in _DOMAINS or (base == "ISB" and option not in ("", "SY")):
            raise builder.unsupported(f"'{base} {' '.join(operands)}'")
        builder.fence(base + _DOMAINS[option])


_N, _Z, _C, _V = Reg("N"), Reg("Z"), Reg("C"), Reg("V")
_LESS = Op("xor", (_N, _V), 32)
_POSITIVE: dict[str, Expr] = {
    "EQ": _Z, "CS": _C, "HS": _C, "MI": _N, "VS": _V, "LT": _LESS,
    "LE": Op("or", (_Z, _LESS), 32), "LS": Op("or", (_Z, Op("lnot", (_C,))), 32),
}  # fmt: skip
_NEGATIVE = {
    "NE": "EQ", "CC": "CS", "LO": "CS", "PL": "MI", "VC": "VS", "GE": "LT", "GT": "LE", "HI": "LS",
}  # fmt: skip


def _condition(name: str) -> Expr:
    """What a condition says about the flags."""
    opposite = _NEGATIVE.get(name)
    return Op("lnot", (_POSITIVE[opposite],)) if opposite else _POSITIVE[name]


def _not(condition: Expr) -> Expr:
    if isinstance(condition, Op) and condition.name == "lnot":
        return condition.args[0]
    return Op("lnot", (condition,))
