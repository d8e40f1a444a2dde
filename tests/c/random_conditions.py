"""Random C programs that wait for and signal condition variables, and an oracle for their deadlocks.

The oracle interprets the same random choices with sets of sleeping threads; it knows no C and no memory."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from tests.seeds import generator

HEADER = """#include <pthread.h>
static int x, y;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, d = PTHREAD_COND_INITIALIZER;
"""
FREE = -1


class Statement(NamedTuple):
    """`while` and `if` wait for `condition` as long as `name` is not `value`; `set`, `signal`, ..."""

    kind: str
    name: str
    value: int = 0
    condition: str = ""

    def text(self) -> str:
        """The statement in C."""
        if self.kind == "set":
            return f"{self.name} = {self.value};"
        if self.kind in ("signal", "broadcast"):
            return f"pthread_cond_{self.kind}(&{self.name});"
        return f"{self.kind} ({self.name} != {self.value}) pthread_cond_wait(&{self.condition}, &mutex);"


def random_threads(seed: int) -> list[list[Statement]]:
    """What two or three threads do while they hold the mutex."""
    choose = generator(seed)
    count = choose.choice((2, 2, 3))
    return [[_statement(choose) for _ in range(choose.choice((2, 3)))] for _ in range(count)]


def _statement(choose: random.Random) -> Statement:
    kind = choose.choice(("while", "while", "if", "set", "set", "set", "signal", "signal", "broadcast"))
    if kind in ("signal", "broadcast"):
        return Statement(kind, choose.choice("ccd"))
    return Statement(kind, choose.choice("xy"), choose.choice((0, 1, 1)), choose.choice("ccd"))


def source(threads: list[list[Statement]]) -> str:
    """The program in C."""
    text = HEADER
    for number, body in enumerate(threads):
        lines = ["pthread_mutex_lock(&mutex);", *(s.text() for s in body), "pthread_mutex_unlock(&mutex);"]
        code = "".join(f"    {line}\n" for line in lines)
        text += f"static void *t{number}(void *unused) {{\n{code}    return 0;\n}}\n"
    numbers = range(len(threads))
    made = "".join(f"    pthread_create(&handles[{n}], 0, t{n}, 0);\n" for n in numbers)
    made += "".join(f"    pthread_join(handles[{n}], 0);\n" for n in numbers)
    return f"{text}int main(void) {{\n    pthread_t handles[3];\n{made}    return 0;\n}}\n"


class _State(NamedTuple):
    """Where each thread is, who wants the mutex, who sleeps where, the values, and who has the mutex."""

    positions: tuple[int, ...]
    wants: frozenset[int]
    sleeping: frozenset[tuple[int, str]]
    values: tuple[tuple[str, int], ...]
    owner: int


def has_deadlock(threads: list[list[Statement]]) -> bool:
    """Can some thread sleep for ever?"""
    everyone = frozenset(range(len(threads)))
    start = _State((0,) * len(threads), everyone, frozenset(), (("x", 0), ("y", 0)), FREE)
    seen, pending = {start}, [start]
    while pending:
        state = pending.pop()
        following = list(_next(threads, state))
        if not following and state.sleeping:
            return True
        for after in following:
            if after not in seen:
                seen.add(after)
                pending.append(after)
    return False


def _next(threads: list[list[Statement]], state: _State) -> Iterator[_State]:
    if state.owner == FREE:
        for thread in state.wants:
            yield state._replace(owner=thread, wants=state.wants - {thread})
        return
    thread = state.owner
    position = state.positions[thread]
    if position == len(threads[thread]):
        yield state._replace(owner=FREE)
        return
    statement = threads[thread][position]
    moved = tuple(at + (number == thread) for number, at in enumerate(state.positions))
    values = dict(state.values)
    if statement.kind == "set":
        values[statement.name] = statement.value
        yield state._replace(positions=moved, values=tuple(sorted(values.items())))
    elif statement.kind in ("while", "if"):
        if values[statement.name] == statement.value:
            yield state._replace(positions=moved)
        else:
            asleep = state.sleeping | {(thread, statement.condition)}
            after = moved if statement.kind == "if" else state.positions
            yield state._replace(positions=after, sleeping=asleep, owner=FREE)
    else:
        for woken in _woken(state, statement):
            wants = state.wants | {number for number, _ in woken}
            yield state._replace(positions=moved, wants=wants, sleeping=state.sleeping - woken)


def _woken(state: _State, statement: Statement) -> list[frozenset[tuple[int, str]]]:
    """Who may be woken."""
    there = frozenset(sleeper for sleeper in state.sleeping if sleeper[1] == statement.name)
    if statement.kind == "broadcast" or not there:
        return [there]
    return [frozenset({sleeper}) for sleeper in there]
