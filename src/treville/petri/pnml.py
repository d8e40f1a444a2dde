"""PNML files (place/transition nets) -> net and initial marking.

Read with the plain expat parser, which tells lines and never fetches anything; a document type is refused,
and entities with it, so that entity bombs have no way in. Pages, reference nodes and graphics are
understood; what changes the meaning of a net (colours, inhibitor or reset arcs, time) is refused where it
stands. PNML has no targets: they come from the command line.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from treville.petri.net import Box, Interval, Marking, Net, Problem, Transition, Update
from treville.records import dataclass, field
from treville.results.errors import InputError, Unsupported
from treville.results.source import Source, Span

_MAX_DEPTH = 200
_MAX_DIGITS = 15
_PLAIN_TYPES = ("ptnet", "pt-net", "p/t net", "p/t-net", "pt net")
_IGNORED = frozenset({"graphics", "toolspecific", "name"})
_PARTS = {
    "place": frozenset({"initialMarking"}),
    "transition": frozenset(),
    "arc": frozenset({"inscription"}),
    "referencePlace": frozenset(),
    "referenceTransition": frozenset(),
}


@dataclass(slots=True)
class _Element:
    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list[_Element] = field(default_factory=list)
    text: str = ""


def parse(data: bytes, name: str, targets: tuple[Box, ...] = ()) -> Problem:
    """The net of a PNML document with its initial marking, and the given targets."""
    net, marking = read_net(data, name)
    return Problem(name, net, Box(marking, marking), targets)


def read_net(data: bytes, name: str) -> tuple[Net, Marking]:
    """The net and the initial marking; raises `InputError` with the place of what is wrong."""
    reader = _Reader(name, data)
    return reader.net(reader.tree())


class _Reader:
    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        self.source = Source(name, data.decode("utf-8", errors="replace"))
        self.lines = self.source.text.split("\n")

    def _span(self, line: int, column: int = 0) -> Span:
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return Span(self.name, max(1, line), column + 1, 1, text[:400])

    def _at(self, element: _Element) -> Span:
        return self._span(element.line, element.column)

    # --- XML

    def tree(self) -> _Element:
        """The elements of the document, names without namespaces."""
        parser = expat.ParserCreate(namespace_separator=" ")
        root = _Element("", {}, 1, 0)
        stack = [root]

        def start(tag: str, attributes: dict[str, str]) -> None:
            place = (parser.CurrentLineNumber, parser.CurrentColumnNumber)
            if len(stack) > _MAX_DEPTH:
                raise InputError(f"elements are nested more than {_MAX_DEPTH} deep", self._span(*place))
            element = _Element(tag.rpartition(" ")[2], attributes, *place)
            stack[-1].children.append(element)
            stack.append(element)

        def text(data: str) -> None:
            stack[-1].text += data

        def refuse_doctype(*_: object) -> None:
            raise Unsupported(
                "a document type declaration in PNML",
                self._span(parser.CurrentLineNumber, parser.CurrentColumnNumber),
                "remove <!DOCTYPE ...>; entities are not expanded",
            )

        def end(_: str) -> None:
            stack.pop()

        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = refuse_doctype
        parser.buffer_text = True
        try:
            parser.Parse(self.data, True)
        except expat.ExpatError as error:
            place = self._span(error.lineno, error.offset)
            raise InputError(f"not well-formed XML: {expat.ErrorString(error.code)}", place) from None
        except (LookupError, ValueError) as error:
            raise InputError(f"cannot read the XML: {error}", self._span(1)) from None
        return root.children[0]

    # --- nets

    def net(self, root: _Element) -> tuple[Net, Marking]:
        """The one place/transition net of the document."""
        if root.tag != "pnml":
            raise InputError(f"expected <pnml>, found <{root.tag}>", self._at(root))
        nets = [child for child in root.children if child.tag == "net"]
        if not nets:
            raise InputError("the document has no <net>", self._at(root))
        if len(nets) > 1:
            raise Unsupported("several nets in one PNML document", self._at(nets[1]))
        kind = nets[0].attributes.get("type", "")
        if kind and not kind.lower().endswith(_PLAIN_TYPES):
            hint = "only place/transition nets are read"
            raise Unsupported(f"the net type {kind}", self._at(nets[0]), hint)
        return self._build(list(self._nodes(nets[0])))

    def _nodes(self, parent: _Element) -> Iterator[_Element]:
        for child in parent.children:
            if child.tag == "page":
                yield from self._nodes(child)
            elif child.tag in _PARTS:
                self._check_parts(child)
                yield child
            elif child.tag not in _IGNORED:
                raise Unsupported(f"the PNML element <{child.tag}>", self._at(child))

    def _check_parts(self, node: _Element) -> None:
        for child in node.children:
            if child.tag not in _IGNORED and child.tag not in _PARTS[node.tag]:
                raise Unsupported(f"<{child.tag}> in a <{node.tag}>", self._at(child))

    def _build(self, nodes: list[_Element]) -> tuple[Net, Marking]:
        by_id: dict[str, _Element] = {}
        for node in nodes:
            identity = node.attributes.get("id")
            if node.tag != "arc" or identity:
                if not identity:
                    raise InputError(f"<{node.tag}> has no id", self._at(node))
                if identity in by_id:
                    raise InputError(f"the id `{identity}` is used twice", self._at(node))
                by_id[identity] = node
        places = [node for node in nodes if node.tag == "place"]
        index = {node.attributes["id"]: number for number, node in enumerate(places)}
        marking = tuple(self._number(node, "initialMarking", 0) for node in places)
        takes: dict[str, dict[int, int]] = {n.attributes["id"]: {} for n in nodes if n.tag == "transition"}
        gives: dict[str, dict[int, int]] = {identity: {} for identity in takes}
        for node in nodes:
            if node.tag == "arc":
                self._arc(node, by_id, index, takes, gives)
        transitions = tuple(
            self._transition(by_id[identity], takes[identity], gives[identity]) for identity in takes
        )
        return Net(self._names(places), transitions), marking

    def _names(self, places: list[_Element]) -> tuple[str, ...]:
        """Labels when they are all distinct, identifiers otherwise."""
        labels = [_label(place) for place in places]
        if len(set(labels)) == len(labels):
            return tuple(labels)
        return tuple(place.attributes["id"] for place in places)

    def _arc(
        self,
        arc: _Element,
        by_id: dict[str, _Element],
        index: dict[str, int],
        takes: dict[str, dict[int, int]],
        gives: dict[str, dict[int, int]],
    ) -> None:
        kind = arc.attributes.get("type", "normal")
        if kind != "normal":
            raise Unsupported(f"arcs of type `{kind}`", self._at(arc))
        source = self._resolve(arc, "source", by_id)
        target = self._resolve(arc, "target", by_id)
        weight = self._number(arc, "inscription", 1)
        if weight == 0:
            raise InputError("an arc's weight must be positive", self._at(arc))
        if source in index and target in takes:
            takes[target][index[source]] = takes[target].get(index[source], 0) + weight
        elif source in takes and target in index:
            gives[source][index[target]] = gives[source].get(index[target], 0) + weight
        else:
            raise InputError("an arc must join a place and a transition", self._at(arc))

    def _resolve(self, arc: _Element, end: str, by_id: dict[str, _Element]) -> str:
        """The identifier of the place or transition at an arc's end, through reference nodes."""
        identity = arc.attributes.get(end, "")
        for _ in range(len(by_id) + 1):
            node = by_id.get(identity)
            if node is None:
                raise InputError(f"the arc's {end} `{identity}` does not exist", self._at(arc))
            if not node.tag.startswith("reference"):
                return identity
            identity = node.attributes.get("ref", "")
        raise InputError(f"the arc's {end} is a reference that leads in a cycle", self._at(arc))

    def _number(self, node: _Element, part: str, default: int) -> int:
        element = next((child for child in node.children if child.tag == part), None)
        if element is None:
            return default
        text = next((child for child in element.children if child.tag == "text"), None)
        if text is None:
            raise Unsupported(f"<{part}> without <text>", self._at(element), "only numbers are read")
        digits = text.text.strip()
        if not (digits.isascii() and digits.isdigit()):
            raise InputError(f"<{part}> must be a natural number, not {digits[:40]!r}", self._at(text))
        if len(digits) > _MAX_DIGITS:
            raise Unsupported(f"numbers of more than {_MAX_DIGITS} digits", self._at(text))
        return int(digits)

    def _transition(self, node: _Element, takes: dict[int, int], gives: dict[int, int]) -> Transition:
        updates = {}
        for place in sorted({*takes, *gives}):
            change = gives.get(place, 0) - takes.get(place, 0)
            if change:
                updates[place] = Update((place,), change)
        guard = {place: Interval(number) for place, number in sorted(takes.items())}
        return Transition(_label(node), guard, updates, self._at(node))


def _label(node: _Element) -> str:
    """The node's name where it has one, its identifier otherwise."""
    for child in node.children:
        if child.tag == "name":
            for part in child.children:
                if part.tag == "text" and part.text.strip():
                    return " ".join(part.text.split())
    return node.attributes["id"]
