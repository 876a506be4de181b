"""The class of each stratum of a program, and why.

    not recursive          each relation is finished before what reads it
    positive recursion     a least fixpoint, linear where no rule reads the stratum twice
    XY-stratified          negation of what is being defined, but of lower stages only
    refused                negation or an aggregate through recursion, without stages

References:
    Gupta, Zhu, Xu. Deductive Framework for Programming Sensor Networks. ICDE 2009, section IV.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.lang.datalog.normal import Rule
from engine.lang.datalog.stages import Stages, atoms_of, maybe_stages
from engine.lang.datalog.strata import AGGREGATION, Edge, Stratum, cycle_through, edges_of, strata_of
from engine.lang.datalog.types import WHOLE, Fields
from engine.model.errors import QueryError


class Kind(StrEnum):
    """What a stratum is."""

    PLAIN = "not recursive"
    POSITIVE = "positive recursion"
    STAGED = "XY-stratified"
    REFUSED = "refused"


@dataclass(frozen=True)
class Class:
    """A stratum's class; ``edge`` is what it is refused for."""

    stratum: Stratum
    kind: Kind
    reason: str
    stages: Stages | None = None
    edge: Edge | None = None

    def __str__(self) -> str:
        return f"{', '.join(self.stratum.relations)}: {self.kind}, {self.reason}"


def classes_of(relations: Mapping[str, Fields], rules: Iterable[Rule]) -> tuple[Class, ...]:
    """Return the class of every stratum, in the order of evaluation."""
    known = list(rules)
    return tuple(class_of(stratum, known, relations) for stratum in strata_of(relations, known))


def class_of(stratum: Stratum, rules: list[Rule], relations: Mapping[str, Fields]) -> Class:
    own = [rule for rule in rules if rule.head.relation in stratum.relations]
    if not stratum.is_recursive:
        return Class(stratum, Kind.PLAIN, plain_reason(own))
    whole = {
        name: [i for i, (_, kind) in enumerate(relations[name]) if kind in WHOLE]
        for name in stratum.relations
    }
    against = next((edge for edge in stratum.edges if edge.through), None)
    if against is None:
        return Class(stratum, Kind.POSITIVE, positive_reason(stratum, own, relations))
    stages = maybe_stages(stratum.relations, own, whole) if against.through != AGGREGATION else None
    if stages is not None and all(edge.through != AGGREGATION for edge in stratum.edges):
        order = sorted(stages.turns, key=lambda name: stages.turns[name])
        return Class(
            stratum, Kind.STAGED, f"stage {stages.shown}; in a stage {', then '.join(order)}", stages
        )
    cycle = " → ".join(cycle_through(stratum, against))
    return Class(stratum, Kind.REFUSED, f"{against.through} through recursion: {cycle}", edge=against)


def plain_reason(rules: list[Rule]) -> str:
    through = sorted({edge.through for rule in rules for edge in edges_of(rule)} - {""})
    return f"{' and '.join(through)} of finished strata" if through else "no rule reads what it defines"


def positive_reason(stratum: Stratum, rules: list[Rule], relations: Mapping[str, Fields]) -> str:
    """Say how often a rule reads the stratum, and whether its rows have stages all the same."""
    most = max(sum(a.relation in stratum.relations for a in atoms_of(rule.body)) for rule in rules)
    shape = "linear" if most == 1 else f"non-linear, {most} atoms in a rule"
    every = {name: range(len(relations[name])) for name in stratum.relations}
    stages = maybe_stages(stratum.relations, rules, every)
    outside = sorted({e.through for rule in rules for e in edges_of(rule)} - {""})
    closed = f", over {' and '.join(outside)} of finished strata" if outside else ""
    return shape + closed + (f", locally non-recursive by {stages.shown}" if stages else "")


def check(classes: Iterable[Class]) -> None:
    """Refuse a program that has no stratification."""
    for each in classes:
        if each.edge is not None:
            head, body = each.edge.head, each.edge.body
            apart = (
                f"finish {body} without {head}"
                if head != body
                else f"take {body} from a relation that is finished"
            )
            message = (
                f"{each.reason}, line {each.edge.span.line}; a stratified program may not do this: {apart}, "
                "or give the relations a stage, a number that grows from row to row"
            )
            raise QueryError(message, each.edge.span)
