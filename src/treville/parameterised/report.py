"""An answer as text for people and as a JSON object for programs."""

from __future__ import annotations

from treville.parameterised.decide import Answer
from treville.parameterised.states.happens_before import graph_of, slot_names
from treville.parameterised.states.replay import RunStep, TraceStep
from treville.parameterised.wording import cube_text, process, state_text
from treville.results import Notice, Span, Verdict, as_warnings, warning_lines
from treville.results.errors import limit_in
from treville.results.reports import param as report
from treville.results.reports.param import HappensBefore, OrderedEvent, OrderEdge, ParamReport, Taken
from treville.results.reports.report import Status

_MOST_CUBES = 40


def as_text(answer: Answer, *, everything: bool = False) -> str:
    """The verdict, then the invariant or the run."""
    system = answer.system
    lines = [f"{system.name}: {answer.verdict.value} under {system.model.upper()} ({answer.seconds:.2f} s)"]
    if answer.verdict is Verdict.PASS:
        lines += _passed(answer, everything=everything)
    elif answer.verdict is Verdict.FAIL:
        lines += _failed(answer)
    else:
        lines.append(f"  {answer.reason}" + (f" ({answer.advice})" if answer.advice else ""))
        if answer.trace is not None:
            lines.append("  the trace: " + _trace_text(answer))
    for names, words in (
        (answer.assumed, "assumed, not proved (it speaks of constants only)"),
        (answer.refuted, "does not hold, and was not used"),
    ):
        lines += [f"  {name}: {words}" for name in names]
    lines += warning_lines(_warnings(answer))
    lines.append("  " + _effort(answer))
    return "\n".join(lines)


def _warnings(answer: Answer) -> tuple[str, ...]:
    """Where the verdict says little, or rests on what was not proved."""
    start = Span(answer.system.name, 1, 1)
    found = (
        []
        if answer.system.unsafe
        else [Notice("the system has no unsafe states: it is safe whatever it does", start)]
    )
    found += [Notice(f"the invariant {name} was assumed, not proved", start) for name in answer.assumed]
    return as_warnings(found)


def _no_unsafe_state(answer: Answer) -> str:
    count = answer.system.processes
    scope = f"with {count} processes" if count else "for any number of processes"
    return f"no unsafe state is reachable {scope}"


def _passed(answer: Answer, *, everything: bool) -> list[str]:
    cubes = [cube_text(node) for node in answer.cubes()]
    lines = [
        f"  {_no_unsafe_state(answer)}",
        f"  inductive invariant: none of these {len(cubes)} ever",
    ]
    shown = cubes if everything else cubes[:_MOST_CUBES]
    lines += [f"    [{number}] {text}" for number, text in enumerate(shown, 1)]
    if len(shown) < len(cubes):
        lines.append(f"    ... and {len(cubes) - len(shown)} more (--all shows them)")
    return lines


def _failed(answer: Answer) -> list[str]:
    assert answer.machine is not None
    assert answer.run is not None
    machine = answer.machine
    count = "1 process" if machine.processes == 1 else f"{machine.processes} processes"
    lines = [f"  an unsafe state is reached with {count}; this run was replayed"]
    previous = None
    width = max(len(step_text(step)) for step in answer.run)
    for step in answer.run:
        shown = state_text(machine, step.state, previous)
        lines.append(f"    {step_text(step):<{width}}  {shown}".rstrip())
        previous = step.state
    if answer.system.model != "sc":
        lines.append("  global happens-before:")
        lines += [f"    {line}" for line in ghb_lines(answer)]
    return lines


def step_text(step: RunStep) -> str:
    """The name of a step of a run."""
    if step.kind == "step" and step.step is not None:
        return f"{step.text}({', '.join(process(i) for i in step.step.place)})"
    return {"flush": f"write of {process(step.process)} lands", "look": "unsafe looks"}.get(
        step.kind, "start"
    )


def ghb_lines(answer: Answer) -> list[str]:
    """One line an event, with what comes after it."""
    assert answer.machine is not None
    assert answer.run is not None
    graph = graph_of(answer.machine, answer.run)
    names = slot_names(answer.machine)
    lines = []
    for number, event in enumerate(graph.events):
        accesses = [f"R {names[slot]}" for slot in event.reads] + [
            f"W {names[slot]}" for slot in event.writes
        ]
        accesses += ["fence"] if event.fence else []
        after = [
            f"{'+'.join(sorted(labels))} -> e{second + 1}"
            for (first, second), labels in sorted(graph.edges.items())
            if first == number
        ]
        lines.append(
            f"e{number + 1} {event.name}: {', '.join(accesses)}"
            + (f"   [{'; '.join(after)}]" if after else "")
        )
    return lines


def _trace_text(answer: Answer) -> str:
    assert answer.trace is not None
    steps = [f"{s.name}({', '.join(process(i) for i in s.processes)})" for s in answer.trace.steps]
    return " -> ".join(["init", *steps, answer.trace.unsafe.name])


def _effort(answer: Answer) -> str:
    numbers = statistics(answer)
    return ", ".join(f"{value} {key.replace('_', ' ')}" for key, value in numbers.items() if value)


def statistics(answer: Answer) -> dict[str, int]:
    """How much work it was."""
    search = answer.search
    if search is None:
        return {}
    return {
        "nodes": len(search.explored),
        "covered": search.covered,
        "waiting": search.pushed - len(search.taken),
        "depth": search.deepest,
        "cover_tests": search.visited.tests,
        "theory_calls": search.theory.calls,
        "literals_dropped": search.reductions,
        "guesses": len(answer.guesses),
        "restarts": answer.restarts,
        "states_explored_for_guesses": answer.known_states,
    }


def as_report(answer: Answer, *, everything: bool = False) -> ParamReport:
    """The report of one file."""
    advice = f" ({answer.advice})" if answer.advice else ""
    decided = answer.verdict is not Verdict.UNKNOWN
    replayed = answer.run is not None and answer.machine is not None
    trace = answer.trace
    return ParamReport(
        file=answer.system.name,
        model=answer.system.model,
        verdict=answer.verdict,
        status=Status.DONE if decided else Status.UNKNOWN,
        reason=f"{answer.reason}{advice}" or _summary(answer),
        limit=None if decided else limit_in(answer.advice),
        warnings=_warnings(answer),
        assumed=tuple(answer.assumed) or None,
        proved=tuple(answer.proved) or None,
        refuted=tuple(answer.refuted) or None,
        invariant=tuple(map(cube_text, answer.cubes())) if answer.verdict is Verdict.PASS else None,
        trace=None if trace is None else tuple(map(_taken, trace.steps)),
        unsafe=None if trace is None else trace.unsafe.name,
        processes=answer.machine.processes if answer.machine is not None and replayed else None,
        run=_run(answer) if replayed else None,
        ghb=_happens_before(answer) if replayed and answer.system.model != "sc" else None,
        statistics=statistics(answer),
        text=as_text(answer, everything=everything),
    )


def _summary(answer: Answer) -> str:
    """The verdict in a sentence."""
    if answer.verdict is Verdict.PASS:
        return _no_unsafe_state(answer)
    return "an unsafe state is reached" if answer.verdict is Verdict.FAIL else ""


def _taken(step: TraceStep) -> Taken:
    return Taken(transition=step.name, processes=tuple(process(i) for i in step.processes))


def _run(answer: Answer) -> tuple[report.RunStep, ...]:
    assert answer.run is not None
    assert answer.machine is not None
    made, previous = [], None
    for step in answer.run:
        changes = state_text(answer.machine, step.state, previous)
        made.append(report.RunStep(step=step_text(step), changes=changes))
        previous = step.state
    return tuple(made)


def _happens_before(answer: Answer) -> HappensBefore:
    assert answer.run is not None
    assert answer.machine is not None
    graph = graph_of(answer.machine, answer.run)
    names = slot_names(answer.machine)
    events = tuple(
        OrderedEvent(
            event=f"e{number}",
            transition=event.name,
            reads=tuple(names[slot] for slot in event.reads),
            writes=tuple(names[slot] for slot in event.writes),
            fence=event.fence,
        )
        for number, event in enumerate(graph.events, 1)
    )
    edges = tuple(
        OrderEdge({"from": f"e{first + 1}", "to": f"e{second + 1}", "kinds": sorted(labels)})
        for (first, second), labels in sorted(graph.edges.items())
    )
    return HappensBefore(events=events, edges=edges)
