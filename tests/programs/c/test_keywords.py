"""Every word of an LLVM instruction is known, or the instruction is refused."""

from __future__ import annotations

from contextlib import suppress

import pytest

from treville.programs.c.instructions import read_instruction
from treville.programs.c.keywords import FLAGS
from treville.programs.c.reader import read_module
from treville.programs.c.terms import Terms
from treville.programs.c.translate import translate
from treville.results import InputError, Unsupported

# Instructions as LLVM's language reference writes them, with every keyword that it allows there.
KNOWN = [
    "%r = add nuw nsw i32 %a, %b",
    "%r = sub nsw i32 %a, %b",
    "%r = mul nuw i32 %a, %b",
    "%r = shl nuw nsw i32 %a, 1",
    "%r = udiv exact i32 %a, %b",
    "%r = sdiv exact i32 %a, %b",
    "%r = urem i32 %a, %b",
    "%r = srem i32 %a, %b",
    "%r = lshr exact i32 %a, 1",
    "%r = ashr exact i32 %a, 1",
    "%r = and i32 %a, %b",
    "%r = or disjoint i32 %a, %b",
    "%r = xor i32 %a, %b",
    "%r = icmp samesign ult i32 %a, %b",
    "%r = trunc nuw nsw i32 %a to i8",
    "%r = zext nneg i32 %a to i64",
    "%r = sext i32 %a to i64",
    "%r = freeze i32 %a",
    "%r = load i32, ptr %p, align 4, !range !4, !noundef !5",
    "%r = load volatile i32, ptr %p, align 4, !tbaa !1",
    "%r = load atomic volatile i32, ptr %p seq_cst, align 4",
    "store volatile i32 %a, ptr %p, align 4, !dbg !3",
    "store atomic i32 %a, ptr %p release, align 4",
    "fence acq_rel",
    "fence seq_cst, !dbg !3",
    "%r = atomicrmw volatile add ptr %p, i32 %a monotonic, align 4",
    "%r = cmpxchg weak volatile ptr %p, i32 %a, i32 %b acq_rel acquire, align 4",
    "%r = alloca i32, i64 4, align 4",
    "%r = getelementptr inbounds nuw i8, ptr %p, i64 4, !dbg !3",
    "%r = select i1 %c, i32 %a, i32 %b, !prof !7",
    "%r = phi i32 [ %a, %x ], [ %b, %y ], !dbg !1",
    "br i1 %c, label %x, label %y, !prof !2, !dbg !3",
    "br label %x, !llvm.loop !9",
    "ret i32 %a, !dbg !2",
    "ret void, !dbg !3",
    "unreachable, !dbg !4",
    "%r = extractvalue { i32, i1 } %s, 1, !dbg !1",
    "%r = tail call noundef signext i32 @f(i32 noundef %a) #4, !dbg !3, !srcloc !4",
]
REFUSED = [
    "%r = add nonsense i32 %a, %b",
    "%r = icmp nuw eq i32 %a, %b",
    "store i32 %a, ptr %p, align 4, !nontemporal !0",
    "%r = load i32, ptr addrspace(1) %p, align 4",
    "store i32 %a, ptr addrspace(256) %p, align 4",
    "%r = atomicrmw add ptr %p, i32 %a monotonic, align 4, !mmra !3",
    "%r = alloca inalloca i32, align 4",
    "%r = alloca i32, align 4, addrspace(5)",
    "%r = load i32, ptr %p, align 4, !new.kind !3",
    'call void @f(i32 %a) [ "funclet"(token %t) ], !dbg !3',
    "%r = zext nuw i32 %a to i64",
    "%r = load elementwise i32, ptr %p",
]
SCOPED = [
    'fence syncscope("agent") seq_cst',
    'store atomic i32 %a, ptr %p syncscope("singlethread") seq_cst, align 4',
    '%r = load atomic i32, ptr %p syncscope("singlethread") acquire, align 4',
    '%r = atomicrmw add ptr %p, i32 %a syncscope("system") seq_cst, align 4',
    '%r = cmpxchg ptr %p, i32 %a, i32 %b syncscope("singlethread") seq_cst seq_cst, align 4',
]


@pytest.mark.parametrize("text", KNOWN)
def test_known_words_are_accepted(text: str) -> None:
    assert read_instruction(Terms(), text).refused == ""


@pytest.mark.parametrize("text", REFUSED)
def test_other_words_are_refused(text: str) -> None:
    with suppress(InputError):  # what cannot even be read is refused too
        assert read_instruction(Terms(), text).refused


@pytest.mark.parametrize("opcode", sorted(FLAGS))
def test_a_word_that_nobody_knows_is_refused_everywhere(opcode: str) -> None:
    """Put between the instruction and its operands, of every instruction that has words there."""
    shown = next((text for text in KNOWN if f"{opcode} " in f"{text} "), None)
    if shown is None:
        return
    at = shown.index(opcode) + len(opcode)
    with suppress(InputError):
        assert read_instruction(Terms(), f"{shown[:at]} surprising{shown[at:]}").refused


@pytest.mark.parametrize(
    "text", [*SCOPED, "%r = va_arg ptr %p, fp128", "%r = extractelement <4 x i32> %v, i32 0"]
)
def test_scopes_and_other_instructions_are_refused_where_they_stand(text: str) -> None:
    head = "define i32 @main(ptr %p, i32 %a, i32 %b) {\nentry:\n  "
    module = read_module(f"{head}{text}\n  ret i32 0\n}}\n")
    with pytest.raises(Unsupported):
        translate(module, [])


def test_a_fence_for_signal_handlers_is_no_fence() -> None:
    code = 'define i32 @main() {\nentry:\n  fence syncscope("singlethread") seq_cst\n  ret i32 0\n}\n'
    program = translate(read_module(code), [])
    assert "Fence" not in [type(i).__name__ for i in program.threads[0].instructions]
