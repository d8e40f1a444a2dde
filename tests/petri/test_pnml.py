"""Reading PNML: nets with pages and references, and refusal of everything that changes the meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.petri.net import Interval, Update
from treville.petri.pnml import read_net
from treville.petri.reading import read_problem
from treville.results.errors import InputError, Unsupported

PTNET = "http://www.pnml.org/version-2009/grammar/ptnet"
GOOD = f"""<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
 <net id="n" type="{PTNET}">
  <name><text>a net</text></name>
  <page id="g1">
   <place id="a"><name><text>A</text></name><initialMarking><text> 3 </text></initialMarking></place>
   <place id="b"/>
   <transition id="t"><graphics/></transition>
   <arc id="x" source="a" target="t"><inscription><text>2</text></inscription></arc>
  </page>
  <page id="g2">
   <referencePlace id="rb" ref="b"/>
   <arc id="y" source="t" target="rb"/>
   <arc id="z" source="t" target="a"/>
  </page>
 </net>
</pnml>
"""


def test_pages_and_references_make_one_net() -> None:
    net, marking = read_net(GOOD.encode(), "good.pnml")
    assert net.places == ("A", "b")
    assert marking == (3, 0)
    (transition,) = net.transitions
    assert transition.guard == {0: Interval(2)}
    assert transition.updates == {0: Update((0,), -1), 1: Update((1,), 1)}


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (PTNET, "http://www.pnml.org/version-2009/grammar/symmetricnet", 3, "net type"),
        ('<arc id="y" ', '<arc id="y" type="inhibitor" ', 13, "arcs of type `inhibitor`"),
        ("<graphics/>", "<delay/>", 8, "<delay>"),
        ('source="a"', 'source="q"', 9, "does not exist"),
        ('ref="b"', 'ref="rb"', 13, "cycle"),
        ("<text>2</text>", "<text>-2</text>", 9, "natural number"),
        ("<text>2</text>", "<text>0</text>", 9, "positive"),
        ("<text> 3 </text>", "<text>Default,3</text>", 6, "natural number"),
        ('<place id="b"/>', '<place id="a"/>', 7, "used twice"),
        ('target="a"', 'target="b"><colour/></arc><arc id="w" source="t" target="a"', 14, "<colour>"),
        ("</page>\n  <page", "</pge>\n  <page", 10, "not well-formed"),
        ('<?xml version="1.0"?>', '<!DOCTYPE pnml [<!ENTITY a "b">]>', 1, "document type"),
    ],
)
def test_what_changes_the_meaning_is_refused_at_its_line(old: str, new: str, line: int, message: str) -> None:
    assert old in GOOD
    with pytest.raises(InputError) as caught:
        read_net(GOOD.replace(old, new, 1).encode(), "bad.pnml")
    assert message in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.line == line


def test_entities_never_expand() -> None:
    bomb = '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><pnml>&b;</pnml>'
    with pytest.raises(Unsupported):
        read_net(bomb.encode(), "bomb.pnml")


def test_deep_nesting_is_an_input_error() -> None:
    with pytest.raises(InputError, match="nested"):
        read_net(("<pnml>" + "<page>" * 5000).encode(), "deep.pnml")


def test_pnml_needs_a_target_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "net.pnml"
    path.write_text(GOOD)
    with pytest.raises(InputError, match="no target"):
        read_problem(str(path))
    problem = read_problem(str(path), ("b >= 4",))
    assert problem.targets[0].low == (0, 4)
    exact = read_problem(str(path), ("b >= 4",), "reach")
    assert exact.targets[0].high == (0, 4)
