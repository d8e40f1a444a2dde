"""An oracle for `treville repair`: every assignment of a small source in the order of its cost, each made as
text, read anew and asked about. It has the sites and costs of the engine, and nothing of its search."""

from __future__ import annotations

from itertools import product

from treville.models.model import Model
from treville.passes.program import Context
from treville.questions.repair.costs import Costs, read_costs
from treville.questions.repair.litmus import LitmusSubject
from treville.questions.repair.sites import Assignment, present, with_levels
from treville.results import Budget, Verdict


def cheapest_cost(subject: LitmusSubject, model: Model, most: int) -> int | None:
    """What the cheapest stronger assignment costs; None: none is right. Refuses more than `most`."""
    costs = Costs(read_costs(), [Context(model, None, subject.test.dialect)])
    movable = [site for site in subject.sites if site.number in subject.usable and site.upwards(site.present)]
    options = [[site.present, *site.upwards(site.present)] for site in movable]
    start = present(subject.sites)
    prices: list[tuple[int, Assignment]] = []
    for chosen in product(*options):
        levels = {site.number: level for site, level in zip(movable, chosen, strict=True)}
        cost = sum(costs.extra(site, levels[site.number]) for site in movable)
        prices.append((cost, with_levels(start, levels)))
        if len(prices) > most:
            raise OverflowError
    for cost, assignment in sorted(prices):
        if subject.confirm(subject.patched(assignment), model, Budget()).verdict is Verdict.PASS:
            return cost
    return None
