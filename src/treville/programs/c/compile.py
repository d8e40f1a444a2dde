"""C source (or LLVM IR) -> LLVM IR text, inlined and with local variables in registers.

`compilers` chooses the compiler. LLVM passes may not remove,
merge, duplicate or reorder shared accesses, nor turn branches into selects, nor break syntactic
dependencies; the only ones that are run are the always-inliner, which copies bodies, and SROA, which puts
variables whose address is never taken into registers. `volatile` and atomic accesses are left alone by both.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from treville.programs.c.assembly.dialects import guess
from treville.programs.c.commands import DATABASE, Command, read_commands
from treville.programs.c.compilers import INSTALL_HINT, compiler
from treville.programs.c.marks import TYPES_OF_C
from treville.programs.c.outside import with_kept_variables
from treville.programs.c.sandbox import Sandbox
from treville.programs.c.scopes import with_lives
from treville.programs.c.unset import with_unset_variables
from treville.programs.includes import reached
from treville.results import InputError, temporary

FLAGS = (
    "-S", "-emit-llvm", "-O0", "-g", "-fno-stack-protector", "-fno-discard-value-names",
    "-Xclang", "-disable-O0-optnone", "-Wno-everything",
)  # fmt: skip
# What assembly of these architectures is compiled for: 32-bit Arm for 64 bits, as pointers have here.
_TARGETS = {
    "X86_64": "x86_64-linux-musl", "AArch64": "aarch64-linux-musl", "ARM": "aarch64-linux-musl",
    "PPC": "powerpc64le-linux-musl", "RISCV": "riscv64-linux-musl",
}  # fmt: skip
# Which processor of another machine a program is for means nothing to the LLVM of this one, and would end it.
_CPU = re.compile(r' "(?:target-cpu|tune-cpu|target-features)"="[^"]*"')
_TEMPLATE = re.compile(r' asm (?:\w+ )*"([^"]*)"')
_FOREIGN = re.compile(r"invalid (?:input|output) constraint|unknown register name|invalid .*operand .*asm")
_INLINED = "#99999"
_ATOMIC = "__VERIFIER_atomic_"
_BLOCK, _START = "treville_atomic_", "treville_async"  # what calls of these names mean, no program says
_ASYNC = re.compile(
    r"^(?P<label>__CPROVER_ASYNC_\w+:[^\n]*\n(?:\s*#dbg[^\n]*\n)*)"
    r"  (?:%[\w.]+ = )?call [^@\n]*@(?P<name>[\w.$]+)"
    r"\((?P<arguments>[^()\n]*)\)(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
COMPILE_SECONDS = 60
RUNTIME = Path(__file__).parent / "runtime"
CPP = (".cpp", ".cc", ".cxx")
SOURCES = (".c", ".i", *CPP)
# The standard library of C++ is replaced by headers that say what threads and atomics mean.
_CPP_FLAGS = ("-std=c++20", "-fno-exceptions", "-fno-rtti", "-nostdinc++", "-isystem", str(RUNTIME / "cpp"))
# Files of functions in C that are linked where a program uses one of them.
_WRITTEN_IN_C = {
    "strings.c": frozenset(
        ("strlen", "strnlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strncat",
         "strchr", "strrchr", "strstr", "strdup", "strndup", "memchr", "atoi", "atol",
         "abs", "labs", "memcpy_s", "memmove_s")
    ),
    "characters.c": frozenset(
        ("isupper", "islower", "isdigit", "isalpha", "isalnum", "isxdigit", "isblank", "isspace", "isgraph",
         "isprint", "iscntrl", "ispunct", "tolower", "toupper", "strspn", "strcspn", "strpbrk", "strcasecmp",
         "strncasecmp", "strtok", "strtok_r", "strsep", "stpcpy", "stpncpy", "strlcpy", "strchrnul",
         "memrchr", "memccpy")
    ),
    "numbers.c": frozenset(
        ("strtol", "strtoll", "strtoul", "strtoull", "atoll", "llabs", "div", "ldiv", "lldiv", "qsort",
         "bsearch")
    ),
    "errno.c": frozenset(("__errno_location", "__error")),
    "guards.c": frozenset(("__cxa_guard_acquire", "__cxa_guard_release")),
}  # fmt: skip
_BUILTIN = re.compile(r"error: redefinition of '(\w+)' as different kind of symbol")
Compiling = Callable[[Path, list[str]], tuple[str | None, str]]
Overlay: TypeAlias = tuple[tuple[str, str], ...]
"""Files and their contents, in place of those on the disk."""
_DEFINED = re.compile(r"^define [^@\n]*@([\w.$]+)\(", re.MULTILINE)
_INLINE = re.compile(rb"\b(?:__)?inline\b")


def llvm_text(
    path: Path,
    defines: tuple[str, ...] = (),
    includes: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
    sandbox: Sandbox | None = None,
    overlay: Overlay = (),
) -> str:
    """The prepared LLVM IR of a program: a file (or all files of a `compile_commands.json`) and others. Files
    of the `overlay` have these contents, whatever the disk has."""
    options = [*(f"-D{name}" for name in defines), *(f"-I{folder}" for folder in includes)]
    given = [path, *map(Path, others)]
    if sandbox is not None and any(file.name == DATABASE for file in given):
        raise InputError(f"{DATABASE} names files and options of its choice", hint="not with --sandbox")
    files = [command for file in given for command in _commands(file)]
    run = partial(_run_compiler, sandbox=sandbox, overlay=overlay)
    text = prepare([(_module(file, [*own, *options], run), str(file)) for file, own in files])
    return text if any(file.suffix in (".ll", ".bc") for file, _ in files) else f"{text}\n{TYPES_OF_C}\n"


def _commands(path: Path) -> list[Command]:
    return read_commands(path, SOURCES) if path.name == DATABASE else [Command(path, ())]


def _module(path: Path, options: list[str], run: Compiling) -> bytes:
    """The LLVM IR of one file, as text or bitcode."""
    if path.suffix in (".ll", ".bc"):
        return path.read_bytes()
    return _compile(path, options, run).encode()


# Clang compares a name that it does not know with all others: seconds for one of 100,000 letters.
_LONG_NAME = re.compile(rb"\w{1000}")


def _compile(path: Path, options: list[str], run: Compiling) -> str:
    """LLVM IR of a C or C++ file. A program may use the name of a function that clang knows (`index`, `log`)
    for something else, as other compilers allow."""
    if _LONG_NAME.search(path.read_bytes()):
        options = [*options, "-fno-spell-checking"]
    text, message = run(path, options)
    names = dict.fromkeys(_BUILTIN.findall(message))
    if text is None and names:
        options += [f"-fno-builtin-{name}" for name in names]
        text, message = run(path, options)
    elsewhere = _for_its_assembly(path, options, text, message, run)
    text = elsewhere if elsewhere is not None else text
    if text is None:
        raise InputError(f"{path} does not compile:\n{message[:4000]}")
    return _with_inline_functions(path, options, text, run)


def _for_its_assembly(
    path: Path, options: list[str], text: str | None, message: str, run: Compiling
) -> str | None:
    """The program compiled for the architecture of its inline assembly, which the text may be of any."""
    if text is not None:
        found = guess(_TEMPLATE.findall(text))
        if not found:
            return None
        options += ["-target", _TARGETS[found]]
        return run(path, options)[0]
    for name, target in _TARGETS.items() if _FOREIGN.search(message) else ():
        other, _ = run(path, [*options, "-target", target])
        if other is not None and guess(_TEMPLATE.findall(other)) == ("" if name == "X86_64" else name):
            options += ["-target", target]
            return other
    return None


def _with_inline_functions(path: Path, options: list[str], text: str, run: Compiling) -> str:
    """To C99 a function that is `inline` and neither `static` nor `extern` is defined elsewhere, and clang
    leaves its body out. Programs that have no elsewhere mean what GNU C meant before."""
    if path.suffix in CPP or not _may_inline(path, options):
        return text
    other, _ = run(path, [*options, "-fgnu89-inline"])
    return other if other is not None and _defined(other) > _defined(text) else text


def _may_inline(path: Path, options: list[str]) -> bool:
    """Whether the file, a header of the program's own, or an option may make such a function."""
    folders = [Path(option[2:]) for option in options if option.startswith("-I")]
    if Path() in folders or any("inline" in option or option.startswith("-i") for option in options):
        return True  # options of a database, in two words
    own = reached([path], folders)
    return own is None or any(_INLINE.search(file.read_bytes()) for file in own)


def _defined(text: str) -> set[str]:
    return set(_DEFINED.findall(text))


def _run_compiler(
    path: Path, options: list[str], sandbox: Sandbox | None = None, overlay: Overlay = ()
) -> tuple[str | None, str]:
    """LLVM IR, None if there are errors; what the compiler says. Whatever stands before such a name, the
    bundled compiler takes the rest for a file of options."""
    if any(part.startswith("@") for part in path.parts):
        raise InputError(f"{path}: a name that begins with @ means options to compilers", hint="rename it")
    target = options[options.index("-target") + 1] if "-target" in options else ""
    headers = ["-idirafter", str(RUNTIME), *(_CPP_FLAGS if path.suffix in CPP else ())]
    name = f"./{path}" if str(path).startswith("-") else str(path)
    used = compiler()
    with temporary.folder() if sandbox is not None or overlay else nullcontext("") as folder:
        if sandbox is not None:
            headers += sandbox.options(used, RUNTIME, Path(folder))
        if overlay:
            headers += _overlaid(overlay, Path(folder))
        command = [*used.command, *FLAGS, *used.compiling_for(target), *options, *headers, name, "-o", "-"]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=COMPILE_SECONDS, check=False, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            raise InputError(f"the compiler did not finish {path} in {COMPILE_SECONDS} s") from None
    text = done.stdout.decode(errors="replace") if done.stdout and not done.returncode else None
    return text, done.stderr.decode(errors="replace").strip()


def _overlaid(overlay: Overlay, folder: Path) -> list[str]:
    """The options that give files other contents; `folder` is for temporary files."""
    roots = []
    for number, (file, text) in enumerate(overlay):
        real = folder / f"{number}{Path(file).suffix}"
        real.write_text(text, encoding="utf-8", errors="surrogateescape")
        named = {"name": str(Path(file).absolute()), "external-contents": str(real)}
        roots.append({"type": "file", **named, "use-external-name": False})
    listed = folder / "overlay.yaml"
    listed.write_text(json.dumps({"version": 0, "roots": roots}), encoding="utf-8", errors="surrogateescape")
    return ["-ivfsoverlay", str(listed)]


@cache
def _written_in_c(file: str) -> str:
    """The LLVM IR of library functions; without lines of source, so that those of the calls stay. A program
    may define some of them itself."""
    text, message = _run_compiler(RUNTIME / file, ["-g0", "-fno-builtin"])
    if text is None:
        raise InputError(f"{file} does not compile:\n{message[:1000]}")
    return re.sub(r"^define (?=dso_local )", "define weak ", text, flags=re.MULTILINE)


def prepare(modules: Sequence[tuple[bytes, str]]) -> str:
    """Link modules, given with their names as text or bitcode, and run the allowed passes."""
    if find_spec("llvmlite") is None:
        raise InputError("reading LLVM IR needs llvmlite", hint=INSTALL_HINT)
    try:
        return _prepared(modules)
    except UnicodeDecodeError:  # of what LLVM says about it
        raise InputError(f"{modules[0][1]} is not LLVM IR that this LLVM reads: it is no text") from None


def _prepared(modules: Sequence[tuple[bytes, str]]) -> str:
    from llvmlite import binding as llvm

    parsed = _parsed(llvm, *modules[0])
    for module, name in modules[1:]:
        other = _parsed(llvm, module, name)
        try:
            parsed.link_in(other)
        except RuntimeError as error:
            raise InputError(f"{name} cannot be linked: {str(error).strip()[:1000]}") from None
    for file, names in _WRITTEN_IN_C.items():  # files use only those behind them
        missing = {function.name for function in parsed.functions if function.is_declaration}
        if not missing.isdisjoint(names):
            parsed.link_in(_parsed(llvm, _written_in_c(file).encode(), file))
    builder = llvm.create_pass_builder(_machine(llvm), llvm.create_pipeline_tuning_options(speed_level=0))
    inlining = llvm.create_new_module_pass_manager()
    inlining.add_always_inliner_pass()
    inlining.run(parsed, builder)
    kept = with_kept_variables(str(parsed))
    parsed = parsed if kept is None else llvm.parse_assembly(kept)
    promoting = llvm.create_new_module_pass_manager()
    promoting.add_sroa_pass()
    promoting.run(parsed, builder)
    return str(parsed)


def _parsed(llvm: Any, module: bytes, name: str) -> Any:
    """A module as LLVM has it, its functions marked for inlining."""
    try:
        if module[:4] in (b"BC\xc0\xde", b"\xde\xc0\x17\x0b"):
            text = str(llvm.parse_bitcode(module))
        else:
            text = _CPU.sub("", module.decode(errors="replace"))
            if name.endswith(".ll"):  # people write it as they like
                text = str(llvm.parse_assembly(text))
        parsed = llvm.parse_assembly(_mark_for_inlining(_marked(llvm, _CPU.sub("", text))))
        parsed.verify()
    except RuntimeError as error:
        raise InputError(f"{name} is not LLVM IR that this LLVM reads: {str(error).strip()[:1000]}") from None
    return parsed


def _marked(llvm: Any, text: str) -> str:
    """The text with marks for lives and for reads of what nobody set."""
    try:
        return with_unset_variables(with_lives(text))
    except (ValueError, LookupError):
        llvm.parse_assembly(text)  # it says what is wrong with a text that is no LLVM IR
        raise


def _machine(llvm: Any) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine()


def _mark_for_inlining(text: str) -> str:
    """Mark every function for inlining but `main` and those whose calls mean something to the analysis. The
    bodies of `__VERIFIER_atomic_` functions become atomic blocks, so that their calls mean nothing more."""

    def mark(match: re.Match[str]) -> str:
        name = match.group("name")
        known = name.startswith("__VERIFIER_") and not name.startswith(_ATOMIC)
        if name == "main" or known or name in ("reach_error", "assume_abort_if_not"):
            return match.group(0)
        return f"{match.group('head')}{_INLINED}{match.group('rest')}"

    pattern = r"^(?P<head>define [^\n]*@(?P<name>[\w.$]+)\([^\n]*\) (?:[\w_]+ )*?)#\d+(?P<rest>[^\n]*\{)$"
    marked = re.sub(pattern, mark, _with_started_threads(_with_atomic_blocks(text)), flags=re.MULTILINE)
    return f"{marked}\nattributes {_INLINED} = {{ alwaysinline nounwind }}\n"


def _with_atomic_blocks(text: str) -> str:
    """A block around the body of every `__VERIFIER_atomic_` function, begin and end included where a program
    defines them itself."""

    def block(match: re.Match[str]) -> str:
        body = match.group("body")
        first = re.search(r", !dbg !\d+$", body, flags=re.MULTILINE)
        place = first.group(0) if first else ""
        ended = re.sub(
            r"^  ret [^\n]*?(?P<line>(?:, !dbg !\d+)?)$",
            lambda ret: f"  call void @{_BLOCK}end(){ret.group('line')}\n{ret.group(0)}",
            body,
            flags=re.MULTILINE,
        )
        return f"{match.group('head')}  call void @{_BLOCK}begin(){place}\n{ended}"

    pattern = (
        rf"^(?P<head>define [^\n]*@{_ATOMIC}[\w.$]+\([^\n]*\{{\n(?:[\w.$]+:[^\n]*\n)?)(?P<body>.*?^\}}$)"
    )
    changed = re.sub(pattern, block, text, flags=re.MULTILINE | re.DOTALL)
    if changed == text:
        return text
    return "\n".join([changed, *(f"declare void @{_BLOCK}{name}()" for name in ("begin", "end"))])


def _with_started_threads(text: str) -> str:
    """Calls behind labels `__CPROVER_ASYNC_1:` start threads."""
    changed = _ASYNC.sub(
        lambda call: (
            f"{call['label']}  call void (ptr, ...) @{_START}(ptr @{call['name']}"
            f"{', ' if call['arguments'] else ''}{call['arguments']}){call['rest']}"
        ),
        text,
    )
    return f"{changed}\ndeclare void @{_START}(ptr, ...)\n" if changed != text else text
