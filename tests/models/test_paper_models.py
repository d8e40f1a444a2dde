"""RMO, Alpha and the Power of 2012 as papers 000 and 004 have them: load buffering and message passing with
every link between two accesses, by several engines, and a sample of paper 000's own suite."""

from __future__ import annotations

import csv
import random
from itertools import product
from pathlib import Path

import pytest
from tests.asking import states

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import Budget

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpora" / "litmus"

# What stands between a read of r1 and a write (of 1, to the place in r4) on Power.
TO_WRITE = {
    "po": ["li r6,1", "stw r6,0(r4)"],
    "addr": ["xor r5,r1,r1", "li r6,1", "stwx r6,r5,r4"],
    "data": ["xor r6,r1,r1", "addi r6,r6,1", "stw r6,0(r4)"],
    "ctrl": ["cmpw r1,r1", "beq L{n}", "L{n}:", "li r6,1", "stw r6,0(r4)"],
    "isync": ["isync", "li r6,1", "stw r6,0(r4)"],
    "lwsync": ["lwsync", "li r6,1", "stw r6,0(r4)"],
    "sync": ["sync", "li r6,1", "stw r6,0(r4)"],
    "eieio": ["eieio", "li r6,1", "stw r6,0(r4)"],
}
# What stands between a read of r1 and a read (of the place in r4).
TO_READ = {
    "po": ["lwz r6,0(r4)"],
    "addr": ["xor r5,r1,r1", "lwzx r6,r5,r4"],
    "ctrl": ["cmpw r1,r1", "beq L{n}", "L{n}:", "lwz r6,0(r4)"],
    "ctrlisync": ["cmpw r1,r1", "beq L{n}", "L{n}:", "isync", "lwz r6,0(r4)"],
    "lwsync": ["lwsync", "lwz r6,0(r4)"],
    "eieio": ["eieio", "lwz r6,0(r4)"],
    # through a write and a read of another place, the value depending on the first read
    "data-rfi-addr": [
        "xor r6,r1,r1", "addi r6,r6,1", "stw r6,0(r7)", "lwz r8,0(r7)", "xor r8,r8,r8", "lwzx r6,r8,r4",
    ],
    "ctrl-rfi-addr": [
        "cmpw r1,r1", "beq L{n}", "L{n}:", "li r6,1", "stw r6,0(r7)", "lwz r8,0(r7)", "xor r8,r8,r8",
        "lwzx r6,r8,r4",
    ],
}  # fmt: skip
FENCES, DEPENDENCIES = {"lwsync", "sync"}, {"addr", "data", "ctrl"}


def power_test(threads: list[list[str]], condition: str) -> LitmusTest:
    """Threads with x in r2 and y in r4 of the first, y in r2 and x in r4 of the second, z in r7."""
    rows = max(map(len, threads))
    columns = [[line.format(n=number) for line in code] for number, code in enumerate(threads)]
    lines = [" | ".join(code[row] if row < len(code) else "" for code in columns) for row in range(rows)]
    code = "\n".join(f" {line} ;" for line in [" | ".join(f"P{n}" for n in range(len(threads))), *lines])
    places = "0:r2=x; 0:r4=y; 0:r7=z; 1:r2=y; 1:r4=x; 1:r7=z;"
    return parse(f"PPC made\n{{ {places} }}\n{code}\nexists ({condition})\n", "made.litmus")


def load_buffering(first: str, second: str) -> LitmusTest:
    """Each thread reads what the other writes."""
    read = ["lwz r1,0(r2)"]
    return power_test([read + TO_WRITE[first], read + TO_WRITE[second]], "0:r1=1 /\\ 1:r1=1")


def message_passing(link: str) -> LitmusTest:
    """The second thread reads y, then x; the first wrote x, then y, with a full fence between."""
    writes = ["li r1,1", "stw r1,0(r2)", "sync", "stw r1,0(r4)"]
    return power_test([writes, ["lwz r1,0(r2)", *TO_READ[link]]], "1:r1=1 /\\ 1:r6=0")


def answers(test: LitmusTest, model: str, turn: int) -> set[bool]:
    """Whether the condition is reached, by enumeration and in turn by one of two encodings."""
    loaded = load_model(model)
    listed = set(outcomes(test, loaded, engine="enumerate").states)
    assert listed == states(test, loaded, 2, Budget(20), "clocks" if turn % 2 else "acyclicity")
    return {outcomes(test, loaded, engine="enumerate").observation != "Never"}


@pytest.mark.parametrize("model", ["rmo", "alpha", "power2012"])
def test_load_buffering_is_forbidden_by_causes_and_by_fences(model: str) -> None:
    """On Alpha only by dependencies on both sides or by fences on both: dependencies are not part of the
    order that all threads agree on."""
    for turn, (first, second) in enumerate(product(TO_WRITE, TO_WRITE)):
        links = {first, second}
        if model == "alpha":
            forbidden = links <= FENCES or links <= DEPENDENCIES
        else:
            forbidden = links <= FENCES | DEPENDENCIES
        assert answers(load_buffering(first, second), model, turn) == {not forbidden}, links


KEPT_READS = {
    "tso": set(TO_READ), "pso": set(TO_READ), "alpha": {"lwsync"},
    "rmo": {"addr", "lwsync", "data-rfi-addr", "ctrl-rfi-addr"},
    "power2012": {"addr", "ctrlisync", "lwsync", "data-rfi-addr"},
}  # fmt: skip


@pytest.mark.parametrize("model", KEPT_READS)
def test_reads_keep_their_order_as_the_papers_say(model: str) -> None:
    for turn, link in enumerate(TO_READ):
        found = answers(message_passing(link), model, turn)
        assert found == {link not in KEPT_READS[model]}, link


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpora are not here")
@pytest.mark.parametrize("column", ["sc", "tso", "pso", "rmo", "alpha", "power"])
def test_a_sample_of_the_suite_of_the_paper_is_answered_as_expected(column: str) -> None:
    with (CORPUS / "expected" / "CAV13.csv").open() as table:
        rows = random.Random(column).sample(list(csv.DictReader(table)), 60)
    model = load_model("power2012" if column == "power" else column)
    for row in rows:
        test = parse((CORPUS / row["file"]).read_text(), row["file"])
        found = "unreachable" if outcomes(test, model).observation == "Never" else "reachable"
        assert row[column] in (found, "unknown"), row["file"]
