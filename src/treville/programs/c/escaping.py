"""A module -> the local and thread-local variables whose address may be known for longer than they live.

Such an address is stored somewhere, returned, or given to another thread, by the function itself or by one
that it hands the address to. Locals of `main` end with the program, unless it calls `pthread_exit`. What only
threads under a function's own eyes get (started and joined there) is among them too: whether it is used too
late the engines tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from treville.programs.c.control import blocks_in_loops
from treville.programs.c.llvm import Function, GlobalName, LlvmInstruction, LocalName, Module, Value
from treville.programs.c.marks import KNOWN

Outliving = Mapping[str, frozenset[str]]
_Escaping = set[tuple[str, str]]  # functions, and names of their locals and parameters, or of globals

# Which arguments of library functions are kept; all others are only used during the call.
_KEPT_ARGUMENTS = {
    "pthread_create": {3}, "thrd_create": {2}, "pthread_setspecific": {1}, "tss_set": {1},
    "pthread_exit": {0}, KNOWN: {0}, "realloc": set[int](),
}  # fmt: skip
_INITIALISING = frozenset(
    f"@{name}" for name in ("pthread_mutex_init", "mtx_init", "pthread_barrier_init")
)
_DERIVING = ("getelementptr", "bitcast", "addrspacecast", "ptrtoint", "inttoptr", "phi", "select", "freeze")
_COMPARING = {"cmpxchg": {0, 1}, "atomicrmw": {0}, "store": {1}, "load": {0}, "icmp": {0, 1}}


THREAD_LOCALS = ""  # who has those whose thread ends
BEGIN_OF_LIFE, END_OF_LIFE = "llvm.lifetime.start", "llvm.lifetime.end"


def outliving_locals(module: Module) -> Outliving:
    """By the name of each function: its locals that may be known after it ended; those of threads, too."""
    escaping = _escaping(module)
    let_out = {name for _, name in escaping}
    own = {name for name, variable in module.globals.items() if variable.thread_local}
    found = {THREAD_LOCALS: frozenset(name for name in own if f"@{name}" in let_out)}
    for name, function in module.functions.items():
        locals_ = [i.result for i in _instructions(function) if i.opcode == "alloca" and i.result]
        ending = locals_ if name != "main" or _exits(function) else marked_locals(function)
        found[name] = frozenset(each for each in ending if (name, each) in escaping)
        found[name] |= _locks_in_loops(function)
    return found


def _locks_in_loops(function: Function) -> frozenset[str]:
    """The locals of blocks in loops that are locks, or have some: each time they are others, which were not
    initialised."""
    calls = [i for block in blocks_in_loops(function) for i in block.instructions if i.opcode == "call"]
    made = [call for call in calls if _name_of(call.operands[0][1]) in _INITIALISING]
    roots = _roots(function) if made else {}
    marked = marked_locals(function)
    return frozenset(
        root for call in made for root in _known(roots, _name_of(call.operands[1][1])) if root in marked
    )


def _exits(function: Function) -> bool:
    calls = (i for i in _instructions(function) if i.opcode == "call")
    return any(_name_of(call.operands[0][1]) in ("@pthread_exit", "@thrd_exit") for call in calls)


def marked_locals(function: Function) -> frozenset[str]:
    """The locals whose lives begin and end at marks inside the function, as those of inlined ones do."""
    calls = (i for i in _instructions(function) if i.opcode == "call")
    marks = (i for i in calls if _name_of(i.operands[0][1]).startswith(f"@{BEGIN_OF_LIFE}"))
    return frozenset(_name_of(mark.operands[-1][1]) for mark in marks)


def _escaping(module: Module) -> _Escaping:
    escaping: _Escaping = set()
    roots = {name: _roots(function) for name, function in module.functions.items()}
    changed = True
    while changed:
        before = len(escaping)
        for name, function in module.functions.items():
            for instruction in _instructions(function):
                found = _let_out(module, instruction, escaping)
                escaping |= {(name, root) for used in found for root in _known(roots[name], used)}
        changed = len(escaping) > before
    return escaping


def _instructions(function: Function) -> Iterator[LlvmInstruction]:
    return (instruction for block in function.blocks for instruction in block.instructions)


def _roots(function: Function) -> dict[str, set[str]]:
    """By each name: the locals and parameters whose address it may be, or be derived from."""
    found: dict[str, set[str]] = {parameter: {parameter} for _, parameter in function.parameters}
    for instruction in _instructions(function):
        if instruction.opcode == "alloca" and instruction.result:
            found[instruction.result] = {instruction.result}
    changed = True
    while changed:
        changed = False
        for instruction in _instructions(function):
            if _derives(instruction) and instruction.result:
                known = found.setdefault(instruction.result, set())
                new = {root for name in _names(instruction) for root in _known(found, name)}
                changed = changed or not new <= known
                known |= new
    return found


def _derives(instruction: LlvmInstruction) -> bool:
    if instruction.opcode == "call":
        callee = instruction.operands[0][1]
        return isinstance(callee, GlobalName) and callee.name.startswith("llvm.threadlocal.address")
    return instruction.opcode in _DERIVING


def _known(roots: Mapping[str, set[str]], name: str) -> set[str]:
    """What a name may be derived from; a global is itself."""
    return {name} if name.startswith("@") else roots.get(name, set())


def _names(instruction: LlvmInstruction) -> list[str]:
    values = [value for _, value in instruction.operands] + [value for value, _ in instruction.cases]
    return [name for value in values if (name := _name_of(value))]


def _name_of(value: Value) -> str:
    if isinstance(value, GlobalName):
        return f"@{value.name}"
    return value.name if isinstance(value, LocalName) else ""


def _let_out(module: Module, instruction: LlvmInstruction, escaping: _Escaping) -> list[str]:
    """The names whose value an instruction puts where others may find it later."""
    opcode = instruction.opcode
    if _derives(instruction) or opcode == "alloca":
        return []
    if opcode == "call":
        return _given_away(module, instruction, escaping)
    harmless = _COMPARING.get(opcode, set())
    operands = enumerate(value for _, value in instruction.operands)
    return [name for n, value in operands if n not in harmless and (name := _name_of(value))]


def _given_away(module: Module, call: LlvmInstruction, escaping: _Escaping) -> list[str]:
    callee = call.operands[0][1]
    arguments = [_name_of(value) for _, value in call.operands[1:]]
    if not isinstance(callee, GlobalName):
        return [name for name in arguments if name]
    function = module.functions.get(callee.name)
    if function is None:
        kept = _KEPT_ARGUMENTS.get(callee.name, set())
        return [name for n, name in enumerate(arguments) if name and n in kept]
    found = []
    for n, name in enumerate(arguments):
        known = function.parameters[n][1] if n < len(function.parameters) else ""
        if name and (not known or (function.name, known) in escaping):
            found.append(name)
    return found
