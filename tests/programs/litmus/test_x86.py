"""X86 and X86_64: what each instruction computes, and which events it has."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from treville.programs.ir import Fence, Instruction, Load, Store
from treville.programs.litmus import parse
from treville.results import InputError, Unsupported

Final = Callable[..., dict[str, str]]
EVERY_CONDITION = "e z ne nz l lt nge ge nl le ng g gt nle b c nae ae nb nc be na a nbe s ns o no"


def accesses(dialect: str, code: str) -> list[Instruction]:
    test = parse(f"{dialect} t\n{{}}\nP0 ;\n{code} ;\nexists (x=1)", "t.litmus")
    kinds = (Load, Store, Fence)
    return [step for step in test.program.threads[0].instructions if isinstance(step, kinds)]


@pytest.mark.parametrize(
    ("initial", "code", "observed", "expected"),
    [
        ("", "mov [x],$3\nmov EAX,[x]\nmov [y],EAX", "y", "3"),
        ("0:EAX=x", "mov [EAX],7\nmov EBX,[EAX]", "0:EBX", "7"),
        ("int t[2]={4,5}; 0:EAX=t", "mov EBX,[EAX+4]", "0:EBX", "5"),
        ("int t[2]={4,5}", "mov EBX,[t+4]", "0:EBX", "5"),
        ("0:EAX=5", "xchg EAX,[x]\nxchg [x],EAX\nxchg EAX,[x]", "x", "5"),
        ("0:EAX=1; 0:EBX=2", "xchg EAX,EBX", "0:EAX", "2"),
        ("x=4", "inc [x]\ndec [x]\nadd [x],$3\nsub [x],1", "x", "6"),
        ("0:EAX=6", "and EAX,$3\nor EAX,$8\nxor EAX,$1\nnot EAX\nneg EAX", "0:EAX", "12"),
        ("0:EAX=2147483647", "inc EAX", "0:EAX", "-2147483648"),
        ("0:EAX=3", "shl EAX,$4\nshr EAX,$1\nsar EAX,$2", "0:EAX", "6"),
        ("x=5; 0:EAX=5; 0:EBX=9", "lock cmpxchg [x],EBX", "x", "9"),
        ("x=4; 0:EAX=5; 0:EBX=9", "lock cmpxchg [x],EBX", "x", "4"),
        ("x=4; 0:EAX=5; 0:EBX=9", "lock cmpxchg [x],EBX", "0:EAX", "4"),
        ("x=4; 0:EAX=3", "lock xadd [x],EAX", "x", "7"),
        ("x=4; 0:EAX=3", "lock xadd [x],EAX", "0:EAX", "4"),
        ("0:EAX=0x1234", "mov AL,$0x56", "0:EAX", str(0x1256)),
        ("0:EAX=0x1234; 0:EBX=0", "mov BL,AH", "0:EBX", str(0x12)),
        ("", "lea EAX,[x]\nmov [EAX],$2", "x", "2"),
        ("", "mov EAX,$1\nret\nmov EAX,$2", "0:EAX", "1"),
    ],
)
def test_instructions_of_x86(final: Final, initial: str, code: str, observed: str, expected: str) -> None:
    assert final("X86", initial, code, observed)[observed] == expected


@pytest.mark.parametrize(
    ("left", "right", "taken"),
    [
        (1, 1, "e z le ge be ae ns no nl ng na nb nc"),
        (1, 2, "ne nz l le b be c s no nge ng nae na lt"),
        (2, 1, "ne nz g ge a ae ns no nl nle nb nbe nc gt"),
        (-1, 1, "ne nz l le a ae s no nge ng nb nbe nc lt"),
        (-2147483648, 1, "ne nz l le a ae ns o nge ng nb nbe nc lt"),
    ],
)
def test_jumps_follow_the_comparison(final: Final, left: int, right: int, taken: str) -> None:
    for condition in re.findall(r"\w+", EVERY_CONDITION):
        code = f"cmp EAX,EBX\nj{condition} L\nmov ECX,$1\nL: mov EDX,$1"
        state = final("X86", f"0:EAX={left}; 0:EBX={right}", code, "0:ECX")
        assert (state["0:ECX"] == "0") == (condition in taken.split()), condition


def test_conditional_moves_and_sets(final: Final) -> None:
    code = "cmp EAX,$1\ncmove EBX,ECX\ncmovne EDX,ECX\nsete AL"
    state = final("X86", "0:EAX=1; 0:ECX=7", code, "0:EBX; 0:EDX; 0:EAX")
    assert state == {"0:EAX": "1", "0:EBX": "7", "0:EDX": "0"}


@pytest.mark.parametrize(
    ("initial", "code", "observed", "expected"),
    [
        ("", "movl $1,(x)\nmovl (x),%eax\nmovl %eax,(y)", "y", "1"),
        ("int64_t t[2]={1,-1}; 0:rax=t; 0:rbx=1; int64_t 0:rcx", "movq 0(%rax,%rbx,8),%rcx", "0:rcx", "-1"),
        ("uint64_t x; 0:RBX=0x202020202020202", "MOVQ %RBX,(x)", "x", "144680345676153346"),
        ("int64_t 0:rax=-1", "movl $1,%eax", "0:rax", "1"),
        ("int64_t 0:rax=-1; 0:rbx=-1", "movl %ebx,%eax", "0:rax", str(0xFFFFFFFF)),
        ("int64_t 0:rax=-1", "movb $0,%ah", "0:rax", "-65281"),
        ("0:rax=3", "shl $2,%eax\nand $8,%eax", "0:rax", "8"),
        ("0:rax=1", "cmp $1,%eax\nje L\nmovl $5,%ebx\nL: endbr64", "0:rbx", "0"),
        ("0:rax=6", "xchgl %eax,(x)", "x", "6"),
        ("uint64_t %P0_x=x", "movl $1,(%P0_x)", "x", "1"),
        ("", "movl $1,x(%rip)", "x", "1"),
        ("0:rax=2", "nopl %cs:0(%rax,%eax,0)\naddq $1,%rax", "0:rax", "3"),
    ],
)
def test_instructions_of_x86_64(final: Final, initial: str, code: str, observed: str, expected: str) -> None:
    assert final("X86_64", initial, code, observed)[observed] == expected


@pytest.mark.parametrize(
    "code", ["xchg EAX,[x]", "lock inc [x]", "lock xadd [x],EAX", "lock cmpxchg [x],EBX"]
)
def test_locked_instructions_are_linked_pairs_of_atomic_accesses(code: str) -> None:
    load, store = accesses("X86", code)
    assert isinstance(load, Load)
    assert isinstance(store, Store)
    assert load.link
    assert store.link
    assert load.tags == store.tags == {"X"}
    assert load.index == store.index


def test_unlocked_arithmetic_on_memory_is_two_plain_accesses() -> None:
    load, store = accesses("X86", "inc [x]")
    assert isinstance(load, Load)
    assert isinstance(store, Store)
    assert not load.link
    assert not store.link
    assert not load.tags


@pytest.mark.parametrize(("code", "tag"), [("mfence", "MFENCE"), ("SFENCE", "SFENCE"), ("lfence", "LFENCE")])
def test_fences_carry_their_name(code: str, tag: str) -> None:
    (fence,) = accesses("X86", code)
    assert isinstance(fence, Fence)
    assert fence.tags == {tag}


@pytest.mark.parametrize(
    ("dialect", "code", "named"),
    [
        ("X86", "fnord EAX,EBX", "FNORD"),
        ("X86", "mov AL,[x]", "mixed-size"),
        ("X86_64", "movq %rax,(x)", "mixed-size"),
        ("X86_64", "movnti %eax,(x)", "non-temporal"),
        ("X86_64", "clflush (x)", "cache"),
    ],
)
def test_what_is_not_supported_is_named_with_its_place(dialect: str, code: str, named: str) -> None:
    with pytest.raises(Unsupported, match=named) as refused:
        parse(f"{dialect} t\n{{ x=0; }}\nP0 ;\n  {code} ;\nexists (x=1)", "t.litmus")
    assert refused.value.span is not None
    assert (refused.value.span.line, refused.value.span.column) == (4, 3)


@pytest.mark.parametrize(
    "code",
    ["mov EAX", "mov $1,EAX", "mov [x],[y]", "mov QQX,$1", "jmp", "lock mov [x],EAX", "lock", "xchg $1,$2"],
)
def test_wrong_operands_are_refused(code: str) -> None:
    with pytest.raises(InputError):
        parse(f"X86 t\n{{}}\nP0 ;\n{code} ;\nexists (x=1)", "t.litmus")


def test_flags_are_written_only_where_they_are_read() -> None:
    quiet = parse("X86 t\n{}\nP0 ;\nadd EAX,$1 ;\nexists (0:EAX=1)", "t")
    loud = parse("X86 t\n{}\nP0 ;\nadd EAX,$1 ;\nexists (0:ZF=1)", "t")
    assert len(quiet.program.threads[0].instructions) == 1
    assert len(loud.program.threads[0].instructions) > 1
