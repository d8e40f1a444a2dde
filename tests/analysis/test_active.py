"""The worked example of paper 004, section 4.7: may and active sets under TSO, in total 221 and 58 pairs."""

from dataclasses import replace

from tests.model_builder import ModelBuilder

from treville.analysis.active import active_pairs
from treville.analysis.facts import Bounds, SetBounds, gather_facts
from treville.analysis.relations import analyse_relations
from treville.analysis.values import analyse_values
from treville.events.symbolic import symbolic_program
from treville.models.model import Model, NodeId
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Const, Load, Program, Reg, Store
from treville.relations import Relation


def tso_of_the_thesis() -> tuple[Model, dict[str, NodeId]]:
    b = ModelBuilder("tso of section 2.3", shared=True)
    po, loc, rf, co, ext, rmw = (b.base(name) for name in ("po", "loc", "rf", "co", "ext", "rmw"))
    w, r, m, a = (b.base(name, "set") for name in ("W", "R", "M", "A"))
    names = {"po": po, "loc": loc, "rf": rf, "co": co, "ext": ext, "rmw": rmw}
    names["po-loc"] = b.node("inter", po, loc)
    names["rf^-1"] = b.node("inverse", rf)
    names["fr"] = b.node("seq", names["rf^-1"], co)
    names["co|fr"] = b.node("union", co, names["fr"])
    names["com"] = b.node("union", names["co|fr"], rf)
    names["po-loc|com"] = b.node("union", names["po-loc"], names["com"])
    names["fre"] = b.node("inter", names["fr"], ext)
    names["coe"] = b.node("inter", co, ext)
    names["fre;coe"] = b.node("seq", names["fre"], names["coe"])
    names["atomic"] = b.node("inter", rmw, names["fre;coe"])
    names["W*R"] = b.node("product", w, r)
    names["po\\W*R"] = b.node("diff", po, names["W*R"])
    names["mfence"] = b.base("mfence")
    names["po-tso"] = b.node("union", names["po\\W*R"], names["mfence"])
    names["rfe"] = b.node("inter", rf, ext)
    names["com-tso"] = b.node("union", names["co|fr"], names["rfe"])
    names["po-tso|com-tso"] = b.node("union", names["po-tso"], names["com-tso"])
    names["po&W*R"] = b.node("inter", po, names["W*R"])
    names["M*A"] = b.node("product", m, a)
    names["A*M"] = b.node("product", a, m)
    names["M*A|A*M"] = b.node("union", names["M*A"], names["A*M"])
    names["implied"] = b.node("inter", names["po&W*R"], names["M*A|A*M"])
    names["ghb-tso"] = b.node("union", names["po-tso|com-tso"], names["implied"])
    b.axiom("acyclic", names["po-loc|com"], "uniproc")
    b.axiom("acyclic", names["ghb-tso"], "tso")
    b.axiom("empty", names["atomic"], "atomic")
    return b.model, names


def example_program() -> Program:
    program = ProgramDraft()
    x, y = Const(program.location("x").address), Const(program.location("y").address)
    exchange = frozenset({"A"})
    writer = ThreadDraft("P0", registers={"EAX": 1})
    writer.instructions = [
        Load("old", x, exchange, link=True, index=0),
        Store(x, Reg("EAX"), exchange, link=True, index=0),
        Store(y, Const(1), index=1),
    ]
    reader = ThreadDraft("P1", [Load("EBX", y, index=0), Load("ECX", x, index=1)])
    program.threads = [writer, reader]
    return program.finished()


MAY = {
    "po": 4, "loc": 18, "po-loc": 1, "co": 2, "rf": 6, "rf^-1": 6, "fr": 3, "co|fr": 5, "com": 11,
    "po-loc|com": 11, "rmw": 1, "ext": 34, "fre": 2, "coe": 2, "fre;coe": 0, "atomic": 0, "W*R": 12,
    "po\\W*R": 4, "mfence": 0, "po-tso": 4, "rfe": 5, "com-tso": 10, "po-tso|com-tso": 13, "po&W*R": 0,
    "M*A": 14, "A*M": 14, "M*A|A*M": 24, "implied": 0, "ghb-tso": 13,
}  # fmt: skip
ACTIVE = {
    "po": 3, "loc": 1, "po-loc": 1, "co": 2, "rf": 6, "rf^-1": 3, "fr": 3, "co|fr": 3, "com": 6,
    "po-loc|com": 6, "rmw": 0, "ext": 2, "fre": 0, "coe": 0, "fre;coe": 0, "atomic": 0, "W*R": 0,
    "po\\W*R": 2, "mfence": 0, "po-tso": 2, "rfe": 2, "com-tso": 4, "po-tso|com-tso": 6, "po&W*R": 0,
    "M*A": 0, "A*M": 0, "M*A|A*M": 0, "implied": 0, "ghb-tso": 6,
}  # fmt: skip


def bounds_of_the_example() -> tuple[Model, dict[str, NodeId], list[Bounds | SetBounds]]:
    symbolic = symbolic_program(example_program(), bound=2)
    facts = gather_facts(symbolic, analyse_values(symbolic, coherent=False), coherent=False, observed=set())
    # The thesis counts neither `loc` nor `ext` of an event with itself.
    different = Relation.full(facts.n) - Relation.identity(facts.n)
    relations = dict(facts.relations)
    for name in ("loc", "ext"):
        relation = facts.relations[name].may & different
        relations[name] = Bounds(relation, relation)
    facts = replace(facts, relations=relations)
    model, names = tso_of_the_thesis()
    return model, names, analyse_relations(model, facts)


def test_may_sets_of_the_worked_example_have_221_pairs() -> None:
    _, names, bounds = bounds_of_the_example()
    found = {}
    for name, index in names.items():
        bound = bounds[index]
        assert isinstance(bound, Bounds)
        found[name] = len(bound.may)
    assert found == MAY
    data_flow_between_registers = 2  # the thesis's internal relation `idd`, which is no relation of cat
    assert sum(found.values()) + data_flow_between_registers == 221


def test_active_sets_of_the_worked_example_have_58_pairs() -> None:
    model, names, bounds = bounds_of_the_example()
    active = active_pairs(model, bounds)
    found = {name: len(active[index]) for name, index in names.items()}
    # rf and co carry the data flow as well, so all their may pairs are encoded (section 4.7.2).
    for name in ("rf", "co"):
        bound = bounds[names[name]]
        assert isinstance(bound, Bounds)
        assert found[name] <= len(bound.may)
        found[name] = len(bound.may)
    assert found == ACTIVE
    assert sum(found.values()) == 58
