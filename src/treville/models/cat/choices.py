"""Choices in cat: `try`, `if` and `match`, all of which must be decided before any execution."""

from __future__ import annotations

from typing import Any

from treville.models.cat import syntax
from treville.models.cat.evaluation import Evaluator, NotDefined
from treville.models.cat.values import EMPTY, Environment, Nothing, StaticSet, TagValue, Value, describe
from treville.results import Unsupported


class Chooser(Evaluator):
    """An evaluator that decides variants, compares static values and matches tags."""

    def _try(self, expression: syntax.Try, env: Environment) -> Value:
        source, depth = self.source, self.depth
        try:
            return self.evaluate(expression.attempt, env)
        except NotDefined:
            self.source, self.depth = source, depth
            return self.evaluate(expression.otherwise, env)

    def _if(self, expression: syntax.If, env: Environment) -> Value:
        chosen = expression.then if self.condition(expression.condition, env) else expression.otherwise
        return self.evaluate(chosen, env)

    def condition(self, condition: syntax.Condition, env: Environment) -> bool:
        """Decide a condition; all of them must be known before any execution."""
        if isinstance(condition, syntax.Variant):
            return condition.name.lower() in self.variants
        if isinstance(condition, syntax.Logic):
            if condition.operator == "not":
                return not self.condition(condition.operands[0], env)
            decide = all if condition.operator == "&&" else any
            return decide(self.condition(part, env) for part in condition.operands)
        left = self.evaluate(condition.left, env)
        right = self.evaluate(condition.right, env)
        return self._compare(condition.operator, left, right, condition.at)

    def _compare(self, operator: str, left: Value, right: Value, at: int) -> bool:
        if operator == "in":
            members = static_items(right)
            if members is not None and not isinstance(left, int):
                return left in members
        elif operator == "subset":
            ours, theirs = static_items(left), static_items(right)
            if ours is not None and theirs is not None:
                return set(ours) <= set(theirs)
        if operator != "in" and left == right:
            return True
        if operator == "=" and not isinstance(left, int) and not isinstance(right, int):
            ours, theirs = static_items(left), static_items(right)
            return ours is not None and theirs is not None and set(ours) == set(theirs)
        raise Unsupported(
            "this condition depends on the execution; only variants, tags and sets of tags can be compared",
            self.source.span(at),
        )

    def _match_tag(self, expression: syntax.MatchTag, env: Environment) -> Value:
        clause = self.matching(expression.subject, expression.clauses, expression.default, env)
        return self.evaluate(clause, env)

    def matching(
        self,
        subject: syntax.Expression,
        clauses: tuple[tuple[str, Any], ...],
        default: Any | None,
        env: Environment,
    ) -> Any:
        """The clause that a tag selects."""
        value = self.evaluate(subject, env)
        if not isinstance(value, TagValue):
            self.error(f"match needs a tag, found {describe(value, self.graph.kinds)}", subject.at)
        for tag, clause in clauses:
            if tag == value.name:
                return clause
        if default is None:
            self.error(f"no clause for the tag '{value.name}", subject.at)
        return default

    def _match_set(self, expression: syntax.MatchSet, env: Environment) -> Value:
        value = self.evaluate(expression.subject, env)
        items = static_items(value)
        if items is None:
            if isinstance(value, int) and self.graph.is_empty(value):
                return self.evaluate(expression.empty, env)
            raise Unsupported(
                "a match over the members of a set that depends on the execution",
                self.source.span(expression.at, 5),
                "sets of tags and of named relations can be matched",
            )
        if not items:
            return self.evaluate(expression.empty, env)
        extended = dict(env)
        extended[expression.element] = items[0]
        extended[expression.rest] = StaticSet(items[1:]) if len(items) > 1 else EMPTY
        if expression.before is not None:
            extended[expression.before] = EMPTY
        return self.evaluate(expression.body, extended)


def static_items(value: Value) -> tuple[Value, ...] | None:
    """The members of a set that is known before any execution."""
    if isinstance(value, Nothing):
        return ()
    return value.items if isinstance(value, StaticSet) else None


Chooser.readers = Evaluator.readers | {
    syntax.Try: Chooser._try,
    syntax.If: Chooser._if,
    syntax.MatchTag: Chooser._match_tag,
    syntax.MatchSet: Chooser._match_set,
}
