"""Could this recorded run happen under a consistency level: SC, TSO, causal, PRAM, ...?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from treville.campaigns.inputs import expand, read_text
from treville.campaigns.outputs import distinct_names, write_text
from treville.cli.arguments import add_json, add_limits, memory_in_bytes, positive_up_to
from treville.histories import LEVELS, Answer, History, Level, check, find_level, read_history
from treville.histories.complexity import COMPLEXITY, complexity_lines, complexity_report
from treville.histories.explain import Explanation, explain
from treville.histories.generate import generate, mutate
from treville.histories.hardness import read_dimacs, reduce_formula
from treville.histories.hierarchy import weakest_violated
from treville.histories.history import Value
from treville.histories.objects import LEVELS_OF_OBJECTS, REGISTER
from treville.histories.overall import check_all
from treville.histories.report import explanation_text, json_report, level_text, overview_text
from treville.histories.values import parse_scalar
from treville.results import (
    EXIT_OF,
    Budget,
    ExitCode,
    InputError,
    Verdict,
    batch_exit,
    report_line,
)

_SUFFIXES = (".jsonl", ".json", ".edn", ".csv", ".tsv", ".history")
_MOST_BYTES = 500_000_000
_DEFAULT_MEGABYTES = 4000
_MOST_OPERATIONS = 10_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville history`."""
    parser.add_argument(
        "inputs", nargs="*", metavar="FILE", help="histories, folders of them; - is standard input"
    )
    parser.add_argument(
        "--level", action="append", default=[], metavar="NAME[,NAME]", help="levels to check (default: all)"
    )
    parser.add_argument(
        "--model", metavar="FILE.cat", help="check against a memory model (a shipped name or a cat file)"
    )
    add_json(parser, "file and level")
    add_limits(parser, "file and level", megabytes_default=_DEFAULT_MEGABYTES)
    parser.add_argument(
        "--algorithm",
        choices=("auto", "polynomial", "saturation", "sat", "sat-transitive"),
        default="auto",
        help="how to decide (auto picks by the history's size and says which)",
    )
    parser.add_argument(
        "--initial",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="initial value of a key, * for all others (default: 0 for all)",
    )
    parser.add_argument("--svg", metavar="FILE|DIR", help="draw the history, or its failing part")
    parser.add_argument(
        "--explain",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="look for a minimal failing part of a FAIL",
    )
    parser.add_argument(
        "--complexity", action="store_true", help="how hard levels are to check (paper 004, Figure 3.4)"
    )
    _add_making(parser)


def _add_making(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("making histories (JSON lines on standard output)")
    count = positive_up_to(_MOST_OPERATIONS)
    group.add_argument("--generate", metavar="LEVEL", help="a random history that the level allows")
    group.add_argument("--operations", type=count, default=100, metavar="N", help="operations (100)")
    group.add_argument("--processes", type=count, default=3, metavar="N", help="processes (3)")
    group.add_argument("--keys", type=count, default=2, metavar="N", help="keys (2)")
    group.add_argument("--values", type=count, metavar="N", help="values for each key (default: unique)")
    group.add_argument("--seed", type=int, default=0, help="seed of the random choices (0)")
    group.add_argument("--mutate", type=count, metavar="N", help="then change the values of N reads")
    group.add_argument(
        "--from-cnf", metavar="FILE", help="the history of a DIMACS formula: passes exactly if satisfiable"
    )
    group.add_argument(
        "--reduction",
        choices=("slow", "gwo", "cc", "pso"),
        default="slow",
        help="the weak end of the formula's range of levels (slow)",
    )


def run(options: argparse.Namespace) -> int:
    """Check every history, or make one; the exit code follows the verdicts."""
    if options.generate or options.from_cnf:
        return _make(options)
    levels = [find_level(name) for given in options.level for name in given.split(",") if name.strip()]
    if options.complexity:
        return _complexity(levels, options)
    if levels and options.model:
        raise InputError("--level and --model ask two questions", hint="give one of them")
    initial = dict(_initial(text) for text in options.initial)
    files = list(expand(options.inputs, _SUFFIXES))
    if not files:
        raise InputError("no histories given", hint="give files, or folders with " + ", ".join(_SUFFIXES))
    codes = []
    for file, asked in _each(files, options):
        try:
            codes.append(_check_file(file, levels, initial, asked))
        except InputError as error:
            if len(files) == 1 and not options.json:
                raise
            codes.append(_input_failed(file, error, options))
    return int(batch_exit(codes))


def _complexity(levels: list[Level], options: argparse.Namespace) -> int:
    """Figure 3.4 of the thesis, or some rows of it."""
    for level in levels:
        if level.name not in COMPLEXITY:
            raise InputError(f"the complexity of {level.name} is not in the thesis's table")
    names = [level.name for level in levels] or list(COMPLEXITY)
    if options.json:
        for name in names:
            print(report_line(complexity_report(name)))
    else:
        print("\n".join(complexity_lines(names)))
    return int(ExitCode.PASS)


def _each(files: list[str], options: argparse.Namespace) -> Iterator[tuple[str, argparse.Namespace]]:
    """The files with what was asked about each: in a batch every file has a picture of its own."""
    names = distinct_names(files)
    for file in files:
        asked = argparse.Namespace(**vars(options))
        if options.svg and Path(options.svg).is_dir():
            asked.svg = str(Path(options.svg) / f"{names[file]}.svg")
        elif options.svg and len(files) > 1:
            whole = Path(options.svg)
            asked.svg = str(whole.with_name(f"{whole.stem}-{names[file]}{whole.suffix}"))
        yield file, asked


def _input_failed(file: str, error: InputError, options: argparse.Namespace) -> ExitCode:
    if options.json:
        report = {"file": file, "level": None, "verdict": "UNKNOWN", "reason": str(error), "seconds": 0.0}
        print(report_line({**report, "status": "error"}))
    else:
        print(error)
    return ExitCode.INPUT


def _initial(text: str) -> tuple[str, Value]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InputError(f"--initial {text}: expected KEY=VALUE")
    return key, parse_scalar(value)


def _check_file(
    file: str, levels: list[Level], initial: dict[str, Value], options: argparse.Namespace
) -> ExitCode:
    history = read_history(_read(file), file, initial)
    if options.model:
        from treville.cli.history_model import check_model

        return check_model(history, options.model, options)
    if levels:
        return _check_levels(history, levels, options)
    return _check_all(history, options)


def _read(file: str) -> str:
    if file == "-":
        try:
            return sys.stdin.read(_MOST_BYTES)
        except UnicodeDecodeError:
            raise InputError("standard input is not text in UTF-8") from None
    return read_text(file, _MOST_BYTES)


def _budget(options: argparse.Namespace) -> Budget:
    return Budget(options.timeout, memory_in_bytes(options))


def _check_levels(history: History, levels: list[Level], options: argparse.Namespace) -> ExitCode:
    codes = []
    for level in levels:
        budget = _budget(options)
        answer = check(history, level, budget, options.algorithm)
        explanation = _explanation(history, answer, options)
        codes.append(EXIT_OF[answer.verdict])
        if options.json:
            print(report_line(json_report(history, answer, explanation)), flush=True)
        else:
            print("\n".join(level_text(history, answer, explanation)), flush=True)
        if options.svg:
            _draw(history, answer, explanation, options.svg, len(levels) > 1)
    return batch_exit(codes)


def _explanation(history: History, answer: Answer, options: argparse.Namespace) -> Explanation | None:
    if answer.verdict is not Verdict.FAIL or not options.explain:
        return None
    # Explaining may take as long again as deciding.
    seconds = options.timeout if options.timeout is not None else 60.0
    return explain(history, answer, Budget(seconds, memory_in_bytes(options)))


def _check_all(history: History, options: argparse.Namespace) -> ExitCode:
    """Every level. This reports facts: the exit code is 0 when each level got an answer."""
    answers = list(_all_answers(history, options))
    if options.json:
        for answer in answers:
            explanation = _explanation(history, answer, options)
            print(report_line(json_report(history, answer, explanation)), flush=True)
    else:
        print("\n".join(overview_text(history, answers)), flush=True)
        _explain_border(history, answers, options)
    if options.svg:
        best = next((a for a in answers if a.verdict is Verdict.PASS), answers[0])
        _draw(history, best, _explanation(history, best, options), options.svg, False)
    decided = all(answer.verdict is not Verdict.UNKNOWN for answer in answers)
    return ExitCode.PASS if decided else ExitCode.UNKNOWN


def _all_answers(history: History, options: argparse.Namespace) -> Iterator[Answer]:
    about = (
        [LEVELS[n] for n in LEVELS_OF_OBJECTS] if history.object_type != REGISTER.name else LEVELS.values()
    )
    levels = [level for level in about if history.has_times or not level.needs_times]
    if not levels:
        raise InputError(f"a log about a {history.object_type} needs the start and end of every operation")
    yield from check_all(history, levels, lambda: _budget(options), options.algorithm)


def _explain_border(history: History, answers: list[Answer], options: argparse.Namespace) -> None:
    """Why the weakest violated levels fail."""
    border = weakest_violated({answer.level.name: answer.verdict for answer in answers})
    for answer in answers:
        if answer.level.name in border:
            explanation = _explanation(history, answer, options)
            if explanation is not None:
                print(f"  why not {answer.level.name}:")
                print("\n".join("  " + line for line in explanation_text(explanation)), flush=True)


def _draw(
    history: History, answer: Answer, explanation: Explanation | None, path: str, several: bool
) -> None:
    from treville.histories.timeline import draw

    title = f"{Path(history.name).name}: {answer.verdict.value} {answer.level.name}"
    if explanation is not None:
        events = explanation.part.events
        sources = {r: found[0] for r, found in events.candidates.items() if len(found) == 1}
        picture = draw(events, sources, title + " (failing part)", explanation.words, explanation.drawn)
    else:
        sources = answer.execution.sources if answer.execution else {}
        picture = draw(history.events, sources, title)
    target = Path(path)
    if several:
        target = target.with_name(f"{target.stem}-{answer.level.name.lower()}{target.suffix}")
    write_text(target, picture)


def _make(options: argparse.Namespace) -> int:
    """Write a generated history as JSON lines."""
    if options.from_cnf:
        history = reduce_formula(options.reduction, read_dimacs(_read(options.from_cnf), options.from_cnf))
    else:
        level = find_level(options.generate)
        history = generate(
            level,
            options.operations,
            options.processes,
            options.keys,
            options.seed,
            options.values,
            level.needs_times,
        )
        if options.mutate:
            history = mutate(history, options.seed, options.mutate)
    if history.default_initial != 0:
        keys = dict.fromkeys(operation.key for operation in history.operations)
        print(json.dumps({"initial": dict.fromkeys(keys, history.default_initial)}))
    for operation in history.operations:
        record = {
            "process": operation.process,
            "type": "write" if operation.is_write else "read",
            "key": operation.key,
            "value": operation.value,
        }
        if operation.start is not None:
            record |= {"invoke": operation.start, "complete": operation.end}
        print(json.dumps(record))
    return int(ExitCode.PASS)
