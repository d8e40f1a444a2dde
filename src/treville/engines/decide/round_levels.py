"""Bounds of rounds, timestamps and nodes: how they grow, when they are enough, what is told of them."""

from __future__ import annotations

from treville.engines.task import RoundBounds
from treville.programs.narrow import WIDTH
from treville.sequential.rounds import Bounds

# One after the other, where nobody asked for numbers (bench/sequentialise.py).
LEVELS = (
    Bounds(2, 2, 2), Bounds(3, 3, 2), Bounds(4, 4, 3), Bounds(6, 6, 3), Bounds(8, 8, 4), Bounds(12, 12, 5),
    Bounds(16, 16, 6), Bounds(24, 24, 8), Bounds(32, 32, 10), Bounds(48, 48, 12), Bounds(64, 64, 16),
)  # fmt: skip


def clipped(asked: RoundBounds, level: Bounds, most: Bounds, model: str) -> Bounds:
    """The bounds that were asked for, or those of a level, as far as they make a difference."""
    return Bounds(
        min(asked.rounds or level.rounds, most.rounds),
        1 if model == "sc" else min(asked.timestamps or level.timestamps, most.timestamps),
        min(asked.nodes or level.nodes, most.nodes),
    )


def covers(bounds: Bounds, most: Bounds) -> bool:
    """Do the bounds lose no run?"""
    return (
        bounds.rounds >= most.rounds and bounds.timestamps >= most.timestamps and bounds.nodes >= most.nodes
    )


def in_vain(bounds: Bounds, most: Bounds, bits: int) -> tuple[str, list[str]]:
    """That nothing goes wrong within bounds, and the options that would be enough."""
    reason, advice = (
        f"nothing goes wrong in {bounds.rounds} rounds, {bounds.timestamps} timestamps, {bounds.nodes} nodes",
        [],
    )
    for name, own, all_of in (
        ("--rounds", bounds.rounds, most.rounds),
        ("--timestamps", bounds.timestamps, most.timestamps),
        ("--nodes", bounds.nodes, most.nodes),
    ):
        if own < all_of:
            advice.append(f"{name} {all_of}")
    if bits < WIDTH:
        reason += f", with {bits} bits"
        advice.append(f"--bits {WIDTH}")
    return reason, advice
