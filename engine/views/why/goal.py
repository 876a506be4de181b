"""Why a row of any stratum is there, from its rules and the present rows.

    ground rules below the row  →  necessary facts  →  parts  →  minimal derivations of each

Goal-directed: nothing is derived that the row does not need. Base rows are (input number, row). The
present rows of a relation with aggregate selection are those selected, so a derivation goes through
selected rows only; others could take their place only where a deletion made them best.

When the effort runs out the answer is what was found, and says so: each derivation suffices, and is
minimal as far as the rules collected tell. Where it ran out before one derivation was found there
is nothing to answer with but a witness, which the operator always has.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from engine.plan.program import Program
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.factor import Factor, SetFactor
from engine.views.why.ground import Ground, Number, collect
from engine.views.why.match import Fact, Find, matchers_of
from engine.views.why.necessary import GOAL, Part, derivable, necessary, parts
from engine.views.why.provenance import Provenance
from engine.views.why.solve import Mask, first_derivations, least, solve, union
from engine.views.why.web import bits

GROUND_PART = 0.4  # of the effort; the rest is for derivations
SOLVE_PART = 0.5  # of what is left, for each part
MADE_MINIMAL = 64  # derivations of an incomplete part,
WORK = 300_000  # or fewer, so that no more than so many bodies are looked at


def why(
    program: Program, goal: Fact, find: Find, effort: Effort, witness: Iterable[Fact] = ()
) -> Provenance[Fact] | None:
    """Return the provenance of a fact over rows of the program's inputs; None where it does not hold."""
    matchers = matchers_of(program)

    def bodies_of(fact: Fact) -> Iterator[tuple[Fact, ...]]:
        for matcher in matchers.get(fact[0], ()):
            yield from matcher.bodies(fact[1], find, share)

    with effort.part(GROUND_PART) as share:
        rules = collect(goal, bodies_of, lambda fact: fact if program.is_input(fact[0]) else None, share)
    if GOAL in derivable(rules):
        return solved(rules, effort)
    if rules.is_complete:
        return None
    known = frozenset(witness)
    if not known:
        raise Exhausted
    return Provenance((SetFactor([known], is_complete=False),))


def solved(rules: Ground, effort: Effort) -> Provenance[Any]:
    """Return the provenance of the goal over the base rows of ground rules; it is derivable."""
    return Provenance(tuple([factor(rules, group, effort) for group in groups(rules, effort)]))


def groups(rules: Ground, effort: Effort) -> list[list[Part]]:
    """Return the parts, those that share base rows together; all is one part where effort is lacking."""
    whole = [[Part(GOAL, dict(enumerate(rules.bodies)))]]
    if not rules.is_complete:
        return whole
    try:
        found = list(parts(rules, necessary(rules, derivable(rules), effort), effort))
    except Exhausted:
        return whole
    grouped: list[list[Part]] = []
    rows: list[set[Number]] = []
    for part in found:
        own = set(base_of(rules, [part]))
        if not own:
            continue
        group = [part]
        for place in range(len(grouped) - 1, -1, -1):
            if not own.isdisjoint(rows[place]):
                group += grouped.pop(place)
                own |= rows.pop(place)
        grouped.append(group)
        rows.append(own)
    return grouped


def base_of(rules: Ground, group: list[Part]) -> list[Number]:
    """Return the base rows of parts."""
    return sorted({fact for part in group for fact in part.bodies if fact in rules.base})


def factor(rules: Ground, group: list[Part], effort: Effort) -> Factor[Any]:
    """Return the factor that some parts are together."""
    rows = base_of(rules, group)
    base = {fact: bit for bit, fact in enumerate(rows)}
    derivations: list[Mask] = [0]
    is_complete = rules.is_complete
    try:
        with effort.part(SOLVE_PART) as share:
            for part in group:
                own = {fact: bit for fact, bit in base.items() if fact in part.bodies}
                solution = solve(part.root, part.bodies, own, share)
                is_complete &= solution.is_complete
                derivations = least([a | b for a in derivations for b in solution.derivations], share)
    except Exhausted:
        is_complete = False
        firsts = [first_derivations(part.bodies, base)[part.root][0] for part in group]
        derivations = [union(firsts)]
    if not is_complete:
        derivations = made_minimal(derivations, rules, rows)
    named = [frozenset([rules.facts[rows[bit]] for bit in bits(mask)]) for mask in derivations]
    return SetFactor(named, is_complete=is_complete)


def made_minimal(derivations: list[Mask], rules: Ground, rows: list[Number]) -> list[Mask]:
    """Leave out of some derivations what the goal does not need, all other factors given."""
    bodies = dict(enumerate(rules.bodies))
    others = rules.base - set(rows)

    def holds(mask: Mask) -> bool:
        given = [*others, *(rows[bit] for bit in bits(mask))]
        return GOAL in first_derivations(bodies, dict.fromkeys(given, 0))

    def less(mask: Mask) -> Mask:
        for bit in bits(mask):
            if holds(mask & ~(1 << bit)):
                mask &= ~(1 << bit)
        return mask

    looks = (1 + derivations[0].bit_count()) * (1 + sum(map(len, rules.bodies)))
    few = max(1, min(MADE_MINIMAL, WORK // looks))
    return sorted({less(mask) for mask in derivations[:few]}, key=int.bit_count)
