"""Why a row does not hold: of each rule that could derive it, how far it gets.

    path("a", "d") does not hold
      path(x, z) :- path(x, y), edge(y, z), !shut(z).
        path("a", "b") holds
        no edge("b", "d")

Of the ways through a rule the one is told that satisfies most of it: the nearest binding.
"""

from collections.abc import Callable, Iterator

from app.datalog.proof import Pattern
from app.datalog.proof_text import INDENT, Show
from app.datalog.rules import Ruled
from engine.views.why.absent import Failure, Reason, WhyNot, why_not
from engine.views.why.effort import Effort
from engine.views.why.match import Fact, Find

SHOWN = 3


class FailureText:
    """Writes for people why a row does not hold."""

    def __init__(self, rules: Ruled, show: Show, pattern: Callable[[int, Pattern], str]) -> None:
        self._rules = rules
        self._show = show
        self._pattern = pattern

    def lines(self, goal: Fact, find: Find, effort: Effort, *, is_input: bool) -> Iterator[str]:
        """Yield what is told of a row that does not hold."""
        relation, row = goal
        found = why_not(self._rules.program, relation, dict(enumerate(row)), find, effort)
        yield f"{self._show(*goal)} does not hold"
        if is_input:
            yield f"{INDENT}it is not among the facts of {self._rules.name(relation)}"
        for failure in found.failures:
            yield INDENT + self._rules.texts[failure.rule]
            yield from (INDENT * 2 + line for line in self._reasons(failure, find))
        yield from self._ending(found, is_input=is_input)

    def _ending(self, found: WhyNot, *, is_input: bool) -> Iterator[str]:
        if found.is_truncated:
            yield f"{INDENT}the search was cut short: other bindings may get further"
        elif not found.failures and not is_input:
            yield f"{INDENT}no rule derives it, and no .input reads it"

    def _reasons(self, failure: Failure, find: Find) -> Iterator[str]:
        for fact in failure.satisfied:
            if self._rules.name(fact[0]) is not None:
                yield f"{self._show(*fact)} holds"
        relation = failure.relation
        if relation is None:
            yield from self._of_head(failure)
            return
        asked = self._pattern(relation, failure.wanted)
        match failure.reason:
            case Reason.BLOCKED:
                yield from (
                    f"{self._show(relation, row)} holds, and must not" for row in failure.blocking[:SHOWN]
                )
            case Reason.CONDITION:
                for row in list(find(relation, failure.wanted))[:SHOWN]:
                    yield f"{self._show(relation, row)} holds, and does not meet the conditions"
            case _:
                yield f"no {asked.removeprefix('an ')}"

    def _of_head(self, failure: Failure) -> Iterator[str]:
        if failure.satisfied:
            yield "with these the head is another"
        else:
            yield "the head is never so"
