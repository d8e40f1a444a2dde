"""Strong components, and the automaton of an acyclic axiom."""

from random import Random

from treville.encoding.axioms import strong_components
from treville.relations import Relation


def test_strong_components_are_the_classes_of_mutual_reachability() -> None:
    random = Random(5)
    for _ in range(200):
        n = random.randint(1, 7)
        pairs = [(random.randrange(n), random.randrange(n)) for _ in range(random.randint(0, 10))]
        relation = Relation.of(n, pairs)
        successors = [[target for target in range(n) if (source, target) in relation] for source in range(n)]
        component = strong_components(successors)
        reach = relation.star()
        for a in range(n):
            for b in range(n):
                assert (component[a] == component[b]) == ((a, b) in reach and (b, a) in reach)
