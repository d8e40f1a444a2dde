"""Inputs that are nearly right: tokens, lines and bytes of right ones dropped, doubled, swapped, nested."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_LONGEST = 200_000
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_ODD = (
    "0", "-1", "99999999999999999999", "0x7fffffffffffffff", "(", ")", "{", "}", "[", "]", ";", "|", "/\\",
    "~", "exists", "forall", "let rec", "acyclic", "include \"stdlib.cat\"", "(*", "\"", "\\", "P9", "x",
    "0:EAX", ":", ",", "=", "+", "*", "^-1", "\0", "é", "\t", "\r\n", "_", "x[999999999]", "#", "//", "'",
    "$",
)  # fmt: skip

Mutation = Callable[[random.Random, list[str]], list[str]]


# -- mutations of token lists ----------------------------------------------------------------------


def _delete(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    return tokens[:at] + tokens[at + pick.randint(1, 6) :]


def _replace(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    return [*tokens[:at], pick.choice(_ODD), *tokens[at + 1 :]]


def _insert(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    return [*tokens[:at], pick.choice(_ODD), *tokens[at:]]


def _swap(pick: random.Random, tokens: list[str]) -> list[str]:
    a, b = pick.randrange(len(tokens)), pick.randrange(len(tokens))
    out = list(tokens)
    out[a], out[b] = out[b], out[a]
    return out


def _duplicate(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    piece = tokens[at : at + pick.randint(1, 12)]
    return tokens[:at] + piece * pick.randint(1, 4) + tokens[at:]


def _truncate(pick: random.Random, tokens: list[str]) -> list[str]:
    return tokens[: pick.randrange(len(tokens))]


def _nest(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    depth = pick.choice((5, 100, 3000, 20000))
    opening, closing = pick.choice(
        (("(", ")"), ("{", "}"), ("[", "]"), ("~", ""), ("if (1) ", ""), ("(* ", " *)"))
    )
    return [*tokens[:at], opening * depth, tokens[at], closing * depth, *tokens[at + 1 :]]


def _lengthen(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    return [*tokens[:at], tokens[at] * pick.choice((50, 5000)), *tokens[at + 1 :]]


def _copy_line(pick: random.Random, tokens: list[str]) -> list[str]:
    lines = "".join(tokens).split("\n")
    at = pick.randrange(len(lines))
    lines[at:at] = [pick.choice(lines)] * pick.choice((1, 2, 30))
    return ["\n".join(lines)]


MUTATIONS: tuple[Mutation, ...] = (
    _delete, _replace, _insert, _swap, _duplicate, _truncate, _nest, _lengthen, _copy_line,
)  # fmt: skip


def mutate(pick: random.Random, text: str) -> str:
    """One to four mutations."""
    for _ in range(pick.choice((1, 1, 1, 2, 4))):
        tokens = _TOKEN.findall(text)
        if not tokens:
            return text
        text = "".join(pick.choice(MUTATIONS)(pick, tokens))
    return text[:_LONGEST]


def mutate_bytes(pick: random.Random, data: bytes) -> bytes:
    """The text mutated, and now and then single bytes of it, or bytes that are no text."""
    data = mutate(pick, data.decode("utf-8", errors="replace")).encode("utf-8", errors="replace")
    if data and pick.random() < 0.1:
        changed = bytearray(data)
        for _ in range(pick.choice((1, 3, 20))):
            changed[pick.randrange(len(changed))] = pick.randrange(256)
        return bytes(changed)
    return data


def mutate_words(pick: random.Random, words: list[str], others: list[str]) -> list[str]:
    """Words of a command line, some of them changed, dropped, doubled, or taken from elsewhere."""
    changed = list(words)
    for _ in range(pick.choice((1, 2, 4))):
        at = pick.randrange(len(changed) + 1)
        what = pick.randrange(4)
        if what == 0:
            changed[at : at + 1] = []
        elif what == 1:
            changed.insert(at, pick.choice(others))
        elif what == 2:
            changed.insert(at, pick.choice(_ODD))
        elif at < len(changed):
            changed[at] = mutate(pick, changed[at])[:2000]
    return changed
