"""The flags, attributes and metadata of LLVM instructions that say nothing which Treville would have to heed.

What is in no table here, an instruction is refused for: a keyword that nobody thought about may change what
an instruction means (`syncscope`, address spaces, non-temporal stores). See the LLVM language reference.
"""

from __future__ import annotations

from treville.programs.c.llvm import LlvmInstruction
from treville.programs.c.tokens import Tokens

ORDERS = frozenset(("unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"))
UPDATES = frozenset(
    ("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "fadd", "fsub", "fmax",
     "fmin", "fmaximum", "fminimum", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat")
)  # fmt: skip
PREDICATES = frozenset(("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"))
_FLOAT_PREDICATES = frozenset(
    ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
     "uno", "true")
)  # fmt: skip
_FAST = frozenset(("nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast"))
_WRAPPING = frozenset(("nuw", "nsw"))  # arithmetic wraps, which is one of the things that overflow may do
_EXACT = frozenset(("exact",))

FLAGS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("add", "sub", "mul", "shl"), _WRAPPING),
    **dict.fromkeys(("udiv", "sdiv", "lshr", "ashr"), _EXACT),
    **dict.fromkeys(("urem", "srem", "and", "xor"), frozenset[str]()),
    "or": frozenset(("disjoint",)), "icmp": PREDICATES | {"samesign"}, "fcmp": _FLOAT_PREDICATES | _FAST,
    **dict.fromkeys(
        ("fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "select", "phi", "fptrunc", "fpext"), _FAST
    ),
    **dict.fromkeys(("zext", "uitofp"), frozenset(("nneg",))), "trunc": _WRAPPING,
    **dict.fromkeys(
        ("sext", "ptrtoint", "inttoptr", "bitcast", "addrspacecast", "ptrtoaddr", "fptoui", "fptosi",
         "sitofp"),
        frozenset[str](),
    ),
    "load": ORDERS | {"atomic", "volatile"}, "store": ORDERS | {"atomic", "volatile"},
    "atomicrmw": ORDERS | UPDATES | {"volatile"}, "cmpxchg": ORDERS | {"weak", "volatile"}, "fence": ORDERS,
    "alloca": frozenset(), "getelementptr": frozenset(("inbounds", "nuw", "nusw")),
}  # fmt: skip
"""The words between the name of an instruction and its operands, or behind them."""

_METADATA = frozenset(
    ("dbg", "tbaa", "tbaa.struct", "srcloc", "llvm.loop", "range", "nonnull", "noundef", "align", "prof",
     "unpredictable", "annotation", "nosanitize", "alias.scope", "noalias", "invariant.load",
     "invariant.group", "access.group", "llvm.access.group", "callees", "dereferenceable",
     "dereferenceable_or_null", "heapallocsite", "fpmath", "DIAssignID", "absolute_symbol", "kcfi_type",
     "pcsections", "llvm.mem.parallel_loop_access", "nofree", "auto-init")
)  # fmt: skip
_BUNDLES_OF = ("llvm.assume",)  # what these are told may be left out
SIGNAL_FENCE = "singlethread"


def scope(tokens: Tokens) -> str:
    """`syncscope("singlethread")`: the name of the scope, where there is one."""
    if not tokens.accept("syncscope"):
        return ""
    tokens.expect("(")
    name = tokens.next().strip('"')
    tokens.expect(")")
    return name


def refuse_leftovers(tokens: Tokens, instruction: LlvmInstruction, callee: str = "") -> None:
    """Step over what stands behind the operands of an instruction; note what is not known."""
    while tokens.peek():
        token = tokens.next()
        if token == "align" and tokens.kind() == "number":
            tokens.next()
        elif token.startswith("!"):
            if token[1:].replace("\\", "") not in _METADATA:
                refuse(instruction, f"the metadata {token}")
            tokens.next()
        elif token == "addrspace":
            address_space(tokens, instruction)
        elif token == "[" and callee.startswith(_BUNDLES_OF):
            tokens.at -= 1
            tokens.skip_balanced()
        elif token != "," and not token.startswith("#"):
            refuse(instruction, f"the keyword '{token}'")


def address_space(tokens: Tokens, instruction: LlvmInstruction) -> None:
    """`(0)` is ordinary memory; another number another kind of it."""
    tokens.expect("(")
    if (number := tokens.next()) != "0":
        refuse(instruction, f"memory of address space {number}")
    tokens.expect(")")


def refuse(instruction: LlvmInstruction, what: str) -> None:
    """Whoever translates the instruction says that this is not supported, and where."""
    instruction.refused = instruction.refused or f"{what} of the LLVM instruction '{instruction.opcode}'"
