"""Why a row is not there: of each rule that could derive it, how far the rule gets.

    h(x, y) :- a(x, z), b(z, w), c(w, y), z < w        with a row found for a, and one for b:
    c is the first that fails, asked for w and y as they were found

Of all ways through a rule the one that satisfies most is told. What fails is a row that is missing,
a condition that no row meets, or that the rule gives another value. Where the body is satisfied the
row is derived and not selected: a better one of its group is there. A missing row of a definition
can be asked about in turn.

References:
    Chapman, Jagadish. Why Not? SIGMOD 2009.
    Lee, Ludäscher, Glavic. PUG: A Framework and Practical Implementation for Why and Why-Not
    Provenance. VLDB Journal 2019 (failed derivations and their failed goals).
"""

from enum import StrEnum
from typing import NamedTuple

from engine.model.values import Row, Value
from engine.plan.program import Program
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.match import Blocked, Bound, Fact, Find, Match, Matcher, matchers_of


class Reason(StrEnum):
    """Why a row is not derived."""

    NO_ROW = "no row"
    CONDITION = "a condition"
    OTHER_VALUE = "another value"
    OUTRANKED = "outranked"
    BLOCKED = "blocked"
    CUT_OFF = "cut off"


class Failure(NamedTuple):
    """How far one rule gets: the rows found for its body, and what fails next.

    ``relation`` is that of the first atom that fails and ``wanted`` what is asked of its columns;
    there is none where all atoms are satisfied, or where the rule can never give such a row. Of what
    a negated literal finds, they are its relation and what it asks, and ``blocking`` the rows found.
    """

    rule: int
    reason: Reason
    satisfied: tuple[Fact, ...]
    relation: int | None
    wanted: dict[int, Value]
    blocking: tuple[Row, ...] = ()


class WhyNot(NamedTuple):
    """A failure of each rule, as far as the effort went."""

    failures: tuple[Failure, ...]
    is_truncated: bool


def why_not(program: Program, relation: int, head: Bound, find: Find, effort: Effort) -> WhyNot:
    """Say why no row with these values is there of one of the program's definitions."""
    matchers = matchers_of(program).get(relation, [])
    searches = [Search(matcher, head, find, effort) for matcher in matchers]
    numbers = [number for number, rule in enumerate(program.rules) if rule.head == relation]
    failures = [search.failure(number) for number, search in zip(numbers, searches, strict=True)]
    return WhyNot(tuple(failures), any(search.is_truncated for search in searches))


class Search:
    """Looks for the way through one rule that satisfies most of it."""

    def __init__(self, matcher: Matcher, head: Bound, find: Find, effort: Effort) -> None:
        self._matcher = matcher
        self._head = head
        self._find = find
        self._effort = effort
        self._best: Match | None = matcher.start(head)
        self._is_derived = False
        self._blocked: Blocked | None = None
        self.is_truncated = False
        try:
            if self._best is not None:
                self._deepen(self._best, 0)
        except Exhausted:
            self.is_truncated = True

    def _deepen(self, match: Match, depth: int) -> None:
        if self._best is None or len(match.facts) > len(self._best.facts):
            self._best = match
        if depth == len(self._matcher.atoms):
            if self._matcher.gives(match, self._head):
                self._blocked = self._matcher.blocked(match, self._find, self._effort)
                self._is_derived = self._blocked is None
                self._best = match
            return
        for longer in self._matcher.extended(match, self._matcher.atoms[depth], self._find, self._effort):
            self._deepen(longer, depth + 1)
            if self._is_derived:
                return

    def failure(self, number: int) -> Failure:
        if self._best is None:
            return Failure(number, Reason.OTHER_VALUE, (), None, {})
        satisfied = tuple(self._best.facts.values())
        if self._is_derived:
            return Failure(number, Reason.OUTRANKED, satisfied, None, {})
        if self._blocked is not None:
            relation, wanted, rows = self._blocked
            return Failure(number, Reason.BLOCKED, satisfied, relation, wanted, rows)
        if len(satisfied) == len(self._matcher.atoms):
            return Failure(number, Reason.OTHER_VALUE, satisfied, None, {})
        atom = self._matcher.atoms[len(satisfied)]
        wanted = self._matcher.wanted(self._best, atom)
        is_there = any(True for _ in self._find(atom.relation, wanted))
        reason = Reason.CONDITION if is_there else Reason.NO_ROW
        return Failure(number, reason, satisfied, atom.relation, wanted)
