"""C source (or LLVM IR) -> LLVM IR text, inlined and with local variables in registers.

The compiler is the user's `clang`, or the one that the `ziglang` package brings. LLVM passes may not remove,
merge, duplicate or reorder shared accesses, nor turn branches into selects, nor break syntactic
dependencies; the only ones that are run are the always-inliner, which copies bodies, and SROA, which puts
variables whose address is never taken into registers. `volatile` and atomic accesses are left alone by both.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from treville.results import InputError

FLAGS = (
    "-S", "-emit-llvm", "-O0", "-g", "-fno-stack-protector", "-fno-discard-value-names",
    "-Xclang", "-disable-O0-optnone", "-Wno-everything",
)  # fmt: skip
_ZIG_FLAGS = ("-target", "x86_64-linux-musl", "-fno-sanitize=undefined")
_INLINED = "#99999"
_ATOMIC = "__VERIFIER_atomic_"
INSTALL_HINT = "install the C front end: pip install 'treville[c]'"
COMPILE_SECONDS = 60
RUNTIME = Path(__file__).parent / "runtime"
_STRINGS = frozenset(
    ("strlen", "strnlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strncat", "strchr",
     "strrchr", "strstr", "strdup", "strndup", "memcmp", "memchr", "atoi", "atol", "abs", "labs")
)  # fmt: skip
_BUILTIN = re.compile(r"error: redefinition of '(\w+)' as different kind of symbol")
_DEFINED = re.compile(r"^define [^@\n]*@([\w.$]+)\(", re.MULTILINE)
_MAY_INLINE = re.compile(r'\b(?:__)?inline\b|^\s*#\s*include\s*"', re.MULTILINE)


def llvm_text(path: Path, defines: tuple[str, ...] = (), includes: tuple[str, ...] = ()) -> str:
    """The prepared LLVM IR of a .c, .i, .ll or .bc file."""
    if path.suffix in (".ll", ".bc"):
        return prepare(path.read_bytes(), str(path))
    return prepare(_compile(path, defines, includes).encode(), str(path))


def compiler() -> list[str]:
    """The command that compiles C to LLVM IR: `clang`, or the one inside ziglang."""
    if own := os.environ.get("TREVILLE_CLANG"):
        return [own]
    if clang := shutil.which("clang"):
        return [clang]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc", *_ZIG_FLAGS]
    raise InputError("no C compiler that writes LLVM IR was found", hint=INSTALL_HINT)


def _compile(path: Path, defines: tuple[str, ...], includes: tuple[str, ...]) -> str:
    """LLVM IR of a C file. A program may use the name of a function that clang knows (`index`, `log`) for
    something else, as other compilers allow."""
    options = [f"-D{name}" for name in defines] + [f"-I{folder}" for folder in includes]
    text, message = _run_compiler(path, options)
    names = dict.fromkeys(_BUILTIN.findall(message))
    if text is None and names:
        text, message = _run_compiler(path, [*options, *(f"-fno-builtin-{name}" for name in names)])
    if text is None:
        raise InputError(f"{path} does not compile:\n{message[:4000]}")
    return _with_inline_functions(path, options, text)


def _with_inline_functions(path: Path, options: list[str], text: str) -> str:
    """To C99 a function that is `inline` and neither `static` nor `extern` is defined elsewhere, and clang
    leaves its body out. Programs that have no elsewhere mean what GNU C meant before."""
    if not _MAY_INLINE.search(path.read_text(errors="replace")):
        return text
    other, _ = _run_compiler(path, [*options, "-fgnu89-inline"])
    return other if other is not None and _defined(other) > _defined(text) else text


def _defined(text: str) -> set[str]:
    return set(_DEFINED.findall(text))


def _run_compiler(path: Path, options: list[str]) -> tuple[str | None, str]:
    """LLVM IR, None if there are errors; what the compiler says."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "program.ll"
        headers = ["-idirafter", str(RUNTIME)]
        name = f"./{path}" if str(path).startswith("-") else str(path)
        command = [*compiler(), *FLAGS, *options, *headers, name, "-o", str(output)]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=COMPILE_SECONDS,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            raise InputError(f"the compiler did not finish {path} in {COMPILE_SECONDS} s") from None
        worked = not done.returncode and output.exists()
        return output.read_text(errors="replace") if worked else None, done.stderr.strip()


@cache
def _strings() -> str:
    """The LLVM IR of string functions; without lines of source, so that those of the calls stay."""
    text, message = _run_compiler(RUNTIME / "strings.c", ["-g0", "-fno-builtin"])
    if text is None:
        raise InputError(f"the string functions do not compile:\n{message[:1000]}")
    return text


def prepare(module: bytes, name: str) -> str:
    """Run the allowed passes; text and bitcode are both accepted."""
    if find_spec("llvmlite") is None:
        raise InputError("reading LLVM IR needs llvmlite", hint=INSTALL_HINT)
    from llvmlite import binding as llvm

    try:
        if module[:4] in (b"BC\xc0\xde", b"\xde\xc0\x17\x0b"):
            text = str(llvm.parse_bitcode(module))
        else:
            text = module.decode(errors="replace")
        parsed = llvm.parse_assembly(_mark_for_inlining(text))
        parsed.verify()
        if any(f.name in _STRINGS and f.is_declaration for f in parsed.functions):
            parsed.link_in(llvm.parse_assembly(_mark_for_inlining(_strings())))
    except RuntimeError as error:
        raise InputError(f"{name} is not LLVM IR that this LLVM reads: {str(error).strip()[:1000]}") from None
    builder = llvm.create_pass_builder(_machine(llvm), llvm.create_pipeline_tuning_options(speed_level=0))
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.run(parsed, builder)
    return str(parsed)


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
    marked = re.sub(pattern, mark, _with_atomic_blocks(text), flags=re.MULTILINE)
    return f"{marked}\nattributes {_INLINED} = {{ alwaysinline nounwind }}\n"


def _with_atomic_blocks(text: str) -> str:
    """A block around the body of every `__VERIFIER_atomic_` function."""

    def block(match: re.Match[str]) -> str:
        body = match.group("body")
        first = re.search(r", !dbg !\d+$", body, flags=re.MULTILINE)
        place = first.group(0) if first else ""
        ended = re.sub(
            r"^  ret [^\n]*?(?P<line>(?:, !dbg !\d+)?)$",
            lambda ret: f"  call void @{_ATOMIC}end(){ret.group('line')}\n{ret.group(0)}",
            body,
            flags=re.MULTILINE,
        )
        return f"{match.group('head')}  call void @{_ATOMIC}begin(){place}\n{ended}"

    pattern = (
        rf"^(?P<head>define [^\n]*@{_ATOMIC}(?!begin\(|end\()[\w.$]+\([^\n]*\{{\n(?:[\w.$]+:[^\n]*\n)?)"
        r"(?P<body>.*?^\}$)"
    )
    changed = re.sub(pattern, block, text, flags=re.MULTILINE | re.DOTALL)
    if changed == text:
        return text
    missing = [name for name in ("begin", "end") if f"@{_ATOMIC}{name}(" not in text]
    return "\n".join([changed, *(f"declare void @{_ATOMIC}{name}()" for name in missing)])
