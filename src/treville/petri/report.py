"""An `Answer` as a report and as text, and a certificate in JSON back into evidence for the checker."""

from __future__ import annotations

from typing import Any

from treville.petri.answers import Combination, Cover, Evidence, FiringSequence, Invariant, Markings
from treville.petri.checking import replay
from treville.petri.decide import Answer
from treville.petri.halfspace import HalfSpace, triviality
from treville.petri.net import UNBOUNDED, Bound, Box, Marking, Net, Problem, describe_box, describe_marking
from treville.results.errors import InputError, limit_in
from treville.results.reports.petri import PetriReport
from treville.results.reports.report import Status
from treville.results.verdict import Verdict

_LONGEST_LIST = 40  # boxes or limits that the text shows; JSON has all


def as_report(answer: Answer) -> PetriReport:
    """The report of one file; `certificate` or `counterexample` carry the checked evidence. There is
    nothing to warn of: a question without a marking to ask about is refused by the readers."""
    problem, evidence = answer.problem, answer.evidence
    fired = isinstance(evidence, FiringSequence)
    decided = answer.verdict is not Verdict.UNKNOWN
    return PetriReport(
        file=problem.name,
        verdict=answer.verdict,
        status=Status.DONE if decided else Status.UNKNOWN,
        reason=answer.reason + (f" ({answer.advice})" if answer.advice else ""),
        limit=None if decided else limit_in(answer.advice),
        method=answer.method,
        question="coverability" if problem.coverability else "reachability",
        places=len(problem.net.places),
        transitions=len(problem.net.transitions),
        targets=len(problem.targets),
        counterexample=_sequence_json(problem, evidence) if isinstance(evidence, FiringSequence) else None,
        certificate=certificate_json(problem, evidence) if evidence is not None and not fired else None,
        text=as_text(answer),
    )


def _marking_json(net: Net, marking: Marking) -> dict[str, int]:
    return {net.places[p]: n for p, n in enumerate(marking) if n}


def _sequence_json(problem: Problem, sequence: FiringSequence) -> dict[str, Any]:
    net = problem.net
    markings = replay(problem, sequence)
    steps = []
    for index, marking in zip(sequence.steps, markings[1:], strict=True):
        step: dict[str, Any] = {"transition": net.transitions[index].name, "index": index}
        if span := net.transitions[index].span:
            step["line"] = span.line
        step["marking"] = _marking_json(net, marking)
        steps.append(step)
    return {"initial": _marking_json(net, markings[0]), "steps": steps, "checked": True}


def certificate_json(problem: Problem, evidence: Evidence) -> dict[str, Any]:
    """A certificate with place names; `evidence_from_json` reads it back."""
    net = problem.net
    if isinstance(evidence, Cover):
        limits = [
            {net.places[p]: "any" if n == UNBOUNDED else n for p, n in enumerate(limit) if n}
            for limit in evidence.limits
        ]
        return {"kind": "cover", "limits": limits, "checked": True}
    if isinstance(evidence, Markings):
        markings = [_marking_json(net, marking) for marking in sorted(evidence.markings)]
        return {"kind": "markings", "markings": markings, "checked": True}
    assert isinstance(evidence, Invariant)
    half_spaces = [
        {
            "k": {net.places[p]: v for p, v in enumerate(h.k) if v},
            "c": h.c,
            "text": inequality(net, h),
            "trivial": is_trivial(net, h),
        }
        for h in evidence.half_spaces
    ]
    return {
        "kind": "invariant",
        "half_spaces": half_spaces,
        "excluded": [_box_json(net, box) for box in evidence.boxes],
        "sums": [
            {"target": number + 1, "of": [[index + 1, factor] for index, factor in combination.multipliers]}
            for number, combination in sorted(evidence.combinations.items())
        ],
        "checked": True,
    }


def _box_json(net: Net, box: Box) -> dict[str, list[int | None]]:
    return {
        net.places[p]: [low, None if high == UNBOUNDED else int(high)]
        for p, (low, high) in enumerate(zip(box.low, box.high, strict=True))
        if low or high != UNBOUNDED
    }


def is_trivial(net: Net, half_space: HalfSpace) -> bool:
    """True when every transition is oriented, monotone or antitone for the half space (section 7.3)."""
    return all(triviality(half_space, transition) for transition in net.transitions)


def evidence_from_json(problem: Problem, data: Any) -> Evidence:
    """The evidence of a JSON certificate; raises `InputError` when it does not fit the net."""
    net = problem.net
    index = {name: number for number, name in enumerate(net.places)}
    count = len(index)
    try:
        if "steps" in data:
            initial = _marking_from_json(data["initial"], index)
            return FiringSequence(initial, tuple(_step(net, step) for step in data["steps"]))
        if data["kind"] == "markings":
            return Markings(frozenset(_marking_from_json(given, index) for given in data["markings"]))
        if data["kind"] == "cover":
            limits = []
            for given in data["limits"]:
                limit: list[Bound] = [0] * count
                for name, value in given.items():
                    limit[index[name]] = UNBOUNDED if value == "any" else _integer(value)
                limits.append(tuple(limit))
            return Cover(tuple(limits))
        if data["kind"] != "invariant":
            raise InputError(f"unknown kind of certificate: {data['kind']!r}")
        return _invariant_from_json(data, index)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise InputError(f"the certificate does not fit the net: {type(error).__name__}: {error}") from None


def _invariant_from_json(data: Any, index: dict[str, int]) -> Invariant:
    half_spaces = []
    for given in data["half_spaces"]:
        k = [0] * len(index)
        for name, value in given["k"].items():
            k[index[name]] = _integer(value)
        half_spaces.append(HalfSpace(tuple(k), _integer(given["c"])))
    boxes = []
    for given in data["excluded"]:
        low = [0] * len(index)
        high: list[Bound] = [UNBOUNDED] * len(index)
        for name, (first, last) in given.items():
            low[index[name]] = _integer(first)
            high[index[name]] = UNBOUNDED if last is None else _integer(last)
        boxes.append(Box(tuple(low), tuple(high)))
    combinations = {}
    for given in data["sums"]:
        parts = tuple((_integer(number) - 1, _integer(factor)) for number, factor in given["of"])
        if any(not 0 <= number < len(half_spaces) for number, _ in parts):
            raise ValueError("a sum names a half space that is not there")
        combinations[_integer(given["target"]) - 1] = Combination(parts)
    return Invariant(tuple(half_spaces), tuple(boxes), combinations)


def _marking_from_json(given: Any, index: dict[str, int]) -> Marking:
    marking = [0] * len(index)
    for name, value in given.items():
        marking[index[name]] = _integer(value)
    return tuple(marking)


def _step(net: Net, step: Any) -> int:
    index = _integer(step["index"])
    if not 0 <= index < len(net.transitions):
        raise ValueError(f"there is no transition {index}")
    return index


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not a whole number")
    return value


# --- text


def inequality(net: Net, half_space: HalfSpace) -> str:
    """`2 x + y <= 3 + z`: the half space with every coefficient positive."""
    left = [(net.places[p], v) for p, v in enumerate(half_space.k) if v > 0]
    right = [(net.places[p], -v) for p, v in enumerate(half_space.k) if v < 0]
    bound = half_space.c
    if not left:
        return f"{_terms(right)} <= {-bound}"
    return f"{_terms(left)} >= {_terms(right, bound)}"


def _terms(pairs: list[tuple[str, int]], constant: int = 0) -> str:
    terms = [name if factor == 1 else f"{factor} {name}" for name, factor in pairs]
    text = " + ".join(terms)
    if not text:
        return str(constant)
    if constant:
        text += f" {'+' if constant > 0 else '-'} {abs(constant)}"
    return text


def as_text(answer: Answer) -> str:
    """The verdict with its proof or its firing sequence, for people."""
    problem = answer.problem
    head = f"{problem.name}: {answer.verdict.value} ({answer.method}, {answer.seconds:.2f} s)"
    advice = f" ({answer.advice})" if answer.advice else ""
    lines = [head, f"  {answer.reason}{advice}"]
    if isinstance(answer.evidence, FiringSequence):
        lines += _sequence_lines(problem, answer.evidence)
    elif isinstance(answer.evidence, Cover):
        lines.append("  every reachable marking is below one of")
        limits = answer.evidence.limits
        lines += [f"    {_limit(problem.net, limit)}" for limit in limits[:_LONGEST_LIST]]
        lines += _more(len(limits))
    elif isinstance(answer.evidence, Markings):
        markings = sorted(answer.evidence.markings)
        lines.append(f"  there are {len(markings)} reachable markings:")
        lines += [f"    {describe_marking(problem.net, marking)}" for marking in markings[:_LONGEST_LIST]]
        lines += _more(len(markings))
    elif isinstance(answer.evidence, Invariant):
        lines += _invariant_lines(problem, answer.evidence)
    return "\n".join(lines)


def _limit(net: Net, limit: tuple[Bound, ...]) -> str:
    parts = [f"{net.places[p]}<={'any' if n == UNBOUNDED else n}" for p, n in enumerate(limit) if n]
    return ", ".join(parts) or "empty"


def _more(count: int) -> list[str]:
    return [f"    ... and {count - _LONGEST_LIST} more (--json has all)"] if count > _LONGEST_LIST else []


def _invariant_lines(problem: Problem, invariant: Invariant) -> list[str]:
    net, lines = problem.net, []
    if invariant.half_spaces:
        lines.append("  always (each of these is inductive by itself):")
        for number, half_space in enumerate(invariant.half_spaces[:_LONGEST_LIST], 1):
            note = "" if is_trivial(net, half_space) else "   (non-trivial half space)"
            lines.append(f"    [{number}] {inequality(net, half_space)}{note}")
        lines += _more(len(invariant.half_spaces))
    if invariant.boxes:
        lines.append("  and never:")
        lines += [f"    {describe_box(net, box)}" for box in invariant.boxes[:_LONGEST_LIST]]
        lines += _more(len(invariant.boxes))
    for number, combination in sorted(invariant.combinations.items())[:_LONGEST_LIST]:
        parts = [f"[{i + 1}]" if f == 1 else f"{f} x [{i + 1}]" for i, f in combination.multipliers]
        lines.append(f"  target {number + 1} is excluded by the sum {' + '.join(parts)}")
    return lines


def _sequence_lines(problem: Problem, sequence: FiringSequence) -> list[str]:
    net = problem.net
    markings = replay(problem, sequence)
    lines = [f"  start   {describe_marking(net, markings[0])}"]
    shown = list(zip(sequence.steps, markings[1:], strict=True))
    for index, marking in shown[: 5 * _LONGEST_LIST]:
        transition = net.transitions[index]
        place = f" (line {transition.span.line})" if transition.span else ""
        lines.append(f"  {transition.name}{place}   {describe_marking(net, marking)}")
    if len(shown) > 5 * _LONGEST_LIST:
        lines.append(f"  ... and {len(shown) - 5 * _LONGEST_LIST} more steps (--json has all)")
    return lines
