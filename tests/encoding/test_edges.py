"""Few edges with the same paths."""

from random import Random

from tests.seeds import conclusive, generator

from treville.encoding.edges import Rows, shared, worth_sharing
from treville.relations import Relation, elements, mask_of
from treville.relations.graphs import reduced


def _random_order(random: Random, n: int) -> list[int]:
    """A random relation without cycles, often close to a total order."""
    density = random.choice((0.2, 0.6, 0.95))
    return [
        mask_of(later for later in range(event + 1, n) if random.random() < density) for event in range(n)
    ]


def _led_to(rows: Rows, number: int) -> int:
    found = rows.members[number]
    for part in rows.parts[number]:
        found |= _led_to(rows, part)
    return found


def test_shared_rows_lead_to_the_same_events() -> None:
    random = generator(3)
    parts = 0
    for _ in range(300):
        rows = _random_order(random, random.randint(1, 12))
        found = shared(rows)
        parts += sum(map(len, found.parts))
        for event, row in enumerate(rows):
            number = found.of[event]
            assert (0 if number is None else _led_to(found, number)) == row
    assert conclusive(parts > 300)


def test_a_total_order_needs_few_rows() -> None:
    rows = [mask_of(range(event + 1, 100)) for event in range(100)]
    found = shared(rows)
    assert found.edges() < 310
    assert worth_sharing(rows, found)


def _closed(rows: list[int], executed: int) -> Relation:
    """What is reached through executed events."""
    kept = [row & executed if executed >> event & 1 else 0 for event, row in enumerate(rows)]
    return Relation(kept).plus()


def test_reduction_keeps_the_paths_of_every_execution() -> None:
    random = generator(7)
    dropped = 0
    for _ in range(300):
        n = random.randint(2, 9)
        rows = _random_order(random, n)
        needs = [mask_of(e for e in range(n) if e == event or random.random() < 0.2) for event in range(n)]
        implied = Relation(needs).star().rows
        left = reduced(rows, implied, Relation(implied).inverse().rows)
        dropped += sum((row & ~less).bit_count() for row, less in zip(rows, left, strict=True))
        for executed in range(1 << n):
            if all(implied[event] & ~executed == 0 for event in elements(executed)):
                assert _closed(rows, executed) == _closed(left, executed)
    assert conclusive(dropped > 300)


def test_rows_in_a_circle_are_not_reduced() -> None:
    rows = [0b110, 0b101, 0b011]
    assert reduced(rows, [0b111] * 3, [0b111] * 3) == rows
