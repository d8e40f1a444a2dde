"""C and LLVM IR become program IR."""

from pathlib import Path
from typing import TypeVar

import pytest

from treville.programs import ir
from treville.programs.c import load_program
from treville.programs.c.assembly.dialects import dialect_for
from treville.programs.c.llvm import (
    ArrayType,
    GlobalName,
    IntType,
    PointerType,
    StructType,
    scalars,
    size_of,
    struct_offsets,
)
from treville.programs.c.reader import read_module
from treville.results import InputError, Unsupported

T = TypeVar("T")
HEADER = "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n#include <stdlib.h>\n"


def load(tmp_path: Path, code: str) -> ir.Program:
    path = tmp_path / "program.c"
    path.write_text(HEADER + code)
    return load_program(path)


def kinds(thread: ir.Thread) -> list[str]:
    return [type(instruction).__name__ for instruction in thread.instructions]


def of_type(thread: ir.Thread, kind: type[T]) -> list[T]:
    return [i for i in thread.instructions if isinstance(i, kind)]


def test_structs_are_laid_out_as_on_a_64_bit_machine() -> None:
    node = StructType((IntType(32), PointerType(), IntType(8)))
    assert struct_offsets(node) == [0, 8, 16, 24]
    assert size_of(ArrayType(3, node)) == 72
    assert [offset for offset, _ in scalars(ArrayType(2, node))] == [0, 8, 16, 24, 32, 40]
    assert size_of(StructType((IntType(8), IntType(32)), packed=True)) == 5


def test_shared_accesses_become_loads_and_stores_in_order(tmp_path: Path) -> None:
    program = load(tmp_path, "int x, y; int main(void) { x = 1; y = x + 2; return 0; }")
    accesses = [i for i in program.threads[0].instructions if isinstance(i, (ir.Load, ir.Store))]
    assert [type(i).__name__ for i in accesses] == ["Store", "Load", "Store"]
    assert all(i.tags == frozenset({"NA", "DATA"}) and i.bits == 32 for i in accesses)
    assert accesses[0].span is not None
    assert accesses[0].span.line == HEADER.count("\n") + 1


def test_local_variables_are_registers_and_need_no_events(tmp_path: Path) -> None:
    program = load(
        tmp_path, "int main(void) { int a[3]; for (int i = 0; i < 3; i++) a[i] = i; return a[1]; }"
    )
    assert not of_type(program.threads[0], ir.Load)
    assert not of_type(program.threads[0], ir.Store)
    assert of_type(program.threads[0], ir.WritePrivate)


def test_a_variable_whose_address_escapes_is_shared(tmp_path: Path) -> None:
    code = "int *p; int main(void) { int a = 1; p = &a; *p = 2; return a; }"
    thread = load(tmp_path, code).threads[0]
    assert len(of_type(thread, ir.Allocate)) == 1
    assert len(of_type(thread, ir.Store)) == 3


def test_threads_are_spawned_with_their_argument_and_joined(tmp_path: Path) -> None:
    program = load(
        tmp_path,
        "int x; void *f(void *a) { x = (int)(long)a; return 0; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, f, (void *)7); pthread_join(t, 0); return 0; }",
    )
    spawn = of_type(program.threads[0], ir.Spawn)
    assert [(s.function, s.argument) for s in spawn] == [("f", ir.Const(7))]
    assert len(of_type(program.threads[0], ir.Join)) == 1
    assert list(program.functions) == ["f"]
    assert program.functions["f"].parameter == "argument"


def test_atomics_carry_their_memory_order(tmp_path: Path) -> None:
    code = """atomic_int x; int main(void) {
      int old = atomic_fetch_add_explicit(&x, 2, memory_order_acq_rel);
      atomic_store_explicit(&x, old, memory_order_release);
      return atomic_load_explicit(&x, memory_order_acquire); }"""
    thread = load(tmp_path, code).threads[0]
    loads, stores = of_type(thread, ir.Load), of_type(thread, ir.Store)
    assert [sorted(i.tags) for i in loads] == [["A", "ACQ_REL", "RMW"], ["A", "ACQ"]]
    assert [sorted(i.tags) for i in stores] == [["A", "ACQ_REL", "RMW"], ["A", "REL"]]
    assert loads[0].link
    assert stores[0].link
    assert loads[0].index == stores[0].index


def test_an_exchange_with_a_weaker_failure_order_chooses_its_outcome_first(tmp_path: Path) -> None:
    code = """atomic_int x; int main(void) { int e = 0;
      return atomic_compare_exchange_strong_explicit(&x, &e, 1,
        memory_order_seq_cst, memory_order_relaxed); }"""
    thread = load(tmp_path, code).threads[0]
    assert len(of_type(thread, ir.Havoc)) == 1
    assert {frozenset(i.tags) for i in of_type(thread, ir.Load)} == {
        frozenset({"SC", "A", "RMW"}),
        frozenset({"RLX", "A"}),
    }


def test_fences_of_the_language_and_of_inline_assembly_are_kept(tmp_path: Path) -> None:
    code = """int main(void) { atomic_thread_fence(memory_order_release); __sync_synchronize();
      __asm__ volatile("mfence" ::: "memory"); __asm__ volatile("" ::: "memory"); return 0; }"""
    fences = of_type(load(tmp_path, code).threads[0], ir.Fence)
    assert [sorted(f.tags) for f in fences] == [["REL"], ["MFENCE", "SC"], ["MFENCE"]]


def test_initial_values_reach_into_structs_arrays_and_pointers(tmp_path: Path) -> None:
    code = """struct n { int v; struct n *next; } a = {5, 0}, b = {6, &a}; int t[3] = {1, 2};
      int main(void) { return b.v + t[0]; }"""
    program = load(tmp_path, code)
    assert {(0, 32, 6), (8, 64, program.locations["a"].address)} <= set(program.locations["b"].parts)
    assert [value for _, _, value in program.locations["t"].parts] == [1, 2, 0]


def test_recursion_is_inlined_to_its_depth_and_then_cut(tmp_path: Path) -> None:
    code = "int x; int f(int n) { return n ? x + f(n - 1) : 0; } int main(void) { return f(9); }"
    thread = load(tmp_path, code).threads[0]
    assert [stop.cut for stop in of_type(thread, ir.Stop)].count(True) == 1
    assert len(of_type(thread, ir.Load)) >= 3


def test_functions_without_a_body_return_anything_and_users_are_told_once(tmp_path: Path) -> None:
    code = "void mystery(void); int other(void); int main(void) { mystery(); other(); return other(); }"
    program = load(tmp_path, code)
    assert [notice.sentence.split()[0] for notice in program.notices] == ["mystery", "other"]
    assert all(notice.span is not None and notice.span.line == 5 for notice in program.notices)
    assert len(of_type(program.threads[0], ir.Nondet)) == 2


@pytest.mark.parametrize("kind", ["inline", "extern inline", "static inline"])
def test_inline_functions_have_a_body_whatever_their_linkage(tmp_path: Path, kind: str) -> None:
    code = f"int x; {kind} void put(void) {{ x = 1; }} int main(void) {{ put(); return abs(x); }}"
    assert len(of_type(load(tmp_path, code).threads[0], ir.Store)) == 1


def test_a_syntax_error_shows_the_compilers_message(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"does not compile(.|\n)*expected"):
        load(tmp_path, "int main(void) { return 0 }")


def test_floating_point_is_refused_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(Unsupported) as error:
        load(tmp_path, "double d; int main(void) { d = d + 1.0; return 0; }")
    assert error.value.span is not None
    assert error.value.span.line == 5


def test_broken_llvm_text_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "broken.ll"
    path.write_text("define i32 @main( {")
    with pytest.raises(InputError, match="not LLVM IR"):
        load_program(path)


def test_the_compiler_compares_no_long_names(tmp_path: Path) -> None:
    """It takes seconds for one of 100,000 letters, and tells what was meant where there is none."""
    for long, told in ((0, True), (1_000, False)):
        with pytest.raises(InputError) as caught:
            load(tmp_path, f"int counter;\nint main(void) {{ return countr; }} // {'a' * long}\n")
        assert ("did you mean 'counter'" in str(caught.value)) == told


def test_llvm_text_is_read_without_the_compiler() -> None:
    module = read_module(
        "@x = global i32 3\n"
        "define i32 @main() {\nentry:\n  %0 = load atomic i32, ptr @x acquire, align 4\n"
        "  switch i32 %0, label %b [\n    i32 1, label %a\n  ]\na:\n  br label %b\nb:\n  ret i32 0\n}\n"
    )
    blocks = module.functions["main"].blocks
    assert [block.name for block in blocks] == ["entry", "a", "b"]
    assert blocks[0].instructions[0].words == ("atomic", "acquire")
    assert blocks[0].instructions[1].cases[0][1] == "a"


def test_a_computed_goto_is_refused_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="the address of a label as a value") as refused:
        load(tmp_path, "int main(void) {\n  void *p = &&x;\n  goto *p;\nx:\n  return 0;\n}\n")
    assert refused.value.span is not None
    assert refused.value.span.line == 7


def test_a_variable_that_no_file_defines_holds_any_number(tmp_path: Path) -> None:
    program = load(tmp_path, "extern short given; int main(void) { return given; }")
    assert [i.bits for i in of_type(program.threads[0], ir.Nondet)] == [16]
    assert kinds(program.threads[0]).index("Store") < kinds(program.threads[0]).index("Load")


def test_an_array_of_unknown_size_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="the variable given, which is defined nowhere"):
        load(tmp_path, "extern int given[]; int main(void) { return given[2]; }")


def test_functions_that_headers_name_for_the_assembler_have_their_names_of_c() -> None:
    code = 'define i32 @main() {{\n  call void @"{name}"()\n  ret i32 0\n}}\ndeclare void @"{name}"()\n'
    for triple, name, meant in (
        ("arm64-apple-macosx14.0.0", "\\01_pthread_join", "pthread_join"),
        ("arm64-apple-macosx14.0.0", "\\01_usleep$UNIX2003", "usleep"),
        ("x86_64-pc-linux-gnu", "\\01__isoc99_scanf", "__isoc99_scanf"),
    ):
        module = read_module(f'target triple = "{triple}"\n' + code.format(name=name))
        assert set(module.declared) == {meant}
        assert module.functions["main"].blocks[0].instructions[0].operands[0][1] == GlobalName(meant)


MAC = """
target triple = "arm64-apple-macosx14.0.0"
@x = global i32 0
define ptr @set(ptr %unused) {
  store i32 1, ptr @x
  ret ptr null
}
define i32 @main() {
  %thread = alloca ptr
  %done = call i32 @pthread_create(ptr %thread, ptr null, ptr @set, ptr null)
  %number = load ptr, ptr %thread
  %joined = call i32 @JOIN(ptr %number, ptr null)
  ret i32 0
}
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @JOIN(ptr, ptr)
"""


@pytest.mark.parametrize("name", ["pthread_join", '"\\01_pthread_join"', "_pthread_join"])
def test_threads_of_a_mac_are_joined(tmp_path: Path, name: str) -> None:
    file = tmp_path / "mac.ll"
    file.write_text(MAC.replace("JOIN", name))
    program = load_program(file)
    assert "Join" in kinds(program.threads[0])
    assert not program.notices


def test_constants_may_be_addresses_of_thread_local_variables(tmp_path: Path) -> None:
    file = tmp_path / "own.ll"
    file.write_text(
        """
%node = type { i32, i32 }
@own = thread_local global %node zeroinitializer
@shared = global i64 0
@other = global i64 0
define i32 @main() {
  store atomic i32 1, ptr getelementptr inbounds (%node, ptr @own, i64 0, i32 1) monotonic, align 4
  store atomic i64 ptrtoint (ptr @own to i64), ptr @shared release, align 8
  store i64 ptrtoint (ptr getelementptr inbounds (%node, ptr @own, i64 0, i32 1) to i64), ptr @other
  ret i32 0
}
"""
    )
    stores = [i for i in load_program(file).threads[0].instructions if isinstance(i, ir.Store)]
    (object_,) = [i for i in load_program(file).threads[0].instructions if isinstance(i, ir.Allocate)]
    base = ir.Reg(object_.register)
    assert [store.address for store in stores[:1]] == [ir.plus(base, 4)]
    assert [store.value for store in stores[1:]] == [base, ir.plus(base, 4)]


@pytest.mark.parametrize(
    ("templates", "dialect"),
    [
        (["1: lwarx $0, 0, $1; stwcx. $2, 0, $1; bne- 1b", "ld $0, $1"], "PPC"),
        (["sd $1, 0($0)", "ld $0, 0($1)"], "RISCV"),
        (["ldrex $0, [$2]", "ldr $0, [$1]"], "ARM"),
        (["ldr $0, [$1]", "ld $0, $1"], "AArch64"),
        (["ld $0, $1"], "AArch64"),
    ],
)
def test_assembly_in_a_module_for_aarch64_may_be_that_of_another_machine(
    templates: list[str], dialect: str
) -> None:
    found = dialect_for("arm64-apple-macosx14.0.0", templates)
    assert found is not None
    assert found.name == dialect


@pytest.mark.parametrize("index", ["0let rec", "7", ""])
def test_members_that_are_none_are_told_by_llvm(index: str, tmp_path: Path) -> None:
    """Text that is no LLVM IR meets Treville's own passes before LLVM."""
    path = tmp_path / "wrong.ll"
    path.write_text(
        "%pair = type { i32, i32 }\ndefine i32 @main() {\n  %p = alloca %pair, align 4\n"
        f"  %q = getelementptr inbounds nuw %pair, ptr %p, i32 0, i32 {index}\n  ret i32 0\n}}\n"
    )
    with pytest.raises(InputError, match=r"wrong\.ll is not LLVM IR that this LLVM reads"):
        load_program(path)
