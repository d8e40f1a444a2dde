"""A violating execution -> what every repair must go beyond.

With the levels of a maximal assignment the execution is still there; so it is with all that are at most as
strong, and a repair has a stronger one at some site. Sites are raised by halves: most do not matter to a
given execution.
"""

from __future__ import annotations

from collections.abc import Sequence

from treville.questions.repair.sites import Assignment, Site, with_levels
from treville.questions.repair.upgrading import Violation

_MOST = 6


def beyond(violation: Violation, sites: Sequence[Site], under: Assignment) -> list[Assignment]:
    """Maximal assignments, from `under` upwards, with which the execution is still there; those after the
    first leave, where that is possible, other sites as they are."""
    movable = [site for site in sites if site.upwards(under[site.number])]
    found: list[Assignment] = []
    stuck: list[Site] = []
    for _ in range(_MOST):
        others = [site for site in movable if site not in stuck]
        assignment = _raised(violation, sites, under, stuck)
        assignment = _raised(violation, sites, assignment, others)
        if assignment in found:
            break
        found.append(assignment)
        held = [site for site in movable if assignment[site.number] != _strongest(site, under)]
        if not held or any(site in stuck for site in held):
            break
        stuck += held
    return found


def _strongest(site: Site, under: Assignment) -> int:
    return (site.upwards(under[site.number]) or [under[site.number]])[0]


def _raised(
    violation: Violation, sites: Sequence[Site], assignment: Assignment, movable: Sequence[Site]
) -> Assignment:
    """As many of the sites as possible at their strongest levels, others as strong as they may be."""
    if not movable:
        return assignment
    strongest = {site.number: _strongest(site, assignment) for site in movable}
    whole = with_levels(assignment, strongest)
    if whole == assignment or violation.stays(sites, whole):
        return whole
    if len(movable) > 1:
        half = len(movable) // 2
        first = _raised(violation, sites, assignment, movable[:half])
        return _raised(violation, sites, first, movable[half:])
    (site,) = movable
    for level in site.upwards(assignment[site.number])[1:]:
        part = with_levels(assignment, {site.number: level})
        if violation.stays(sites, part):
            return part
    return assignment
