"""The naive optimizer: rows by the formula, costs by recursion over every plan; shares nothing with the memo.

best(T, p)  =  min over scans, sorts and joins of T of  Σ best(inputs) + work · factor  +  γ rows(T)
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from math import inf, log2

from federated.memo.costs import Costs
from federated.memo.graph import QueryGraph

Property = tuple[str, int]
NONE: Property = ("none", -1)
Inputs = tuple[tuple[frozenset[int], Property], ...]
Step = tuple[frozenset[int], Property, str, Inputs]


class Naive:
    """One graph with factors on sets."""

    def __init__(self, graph: QueryGraph, costs: Costs | None = None, *, physical: bool = True) -> None:
        self.graph, self.costs = graph, costs or Costs()
        self.classes = [(c, frozenset(r for r, _ in c.values)) for c in graph.classes]
        self.physical = physical
        self.kept: dict[frozenset[int], float] = {}

    def scale(self, part: frozenset[int], factor: float) -> None:
        self.kept[part] = self.kept.get(part, 1.0) * factor

    def rows(self, relations: frozenset[int]) -> float:
        rows = 1.0
        for r in relations:
            rows *= self.graph.bases[r].rows
        for joined, members in self.classes:
            values = sorted(v for r, v in joined.values if r in relations & members)
            for value in values[1:]:
                rows /= value
        for mask, share in self.graph.kept:
            rows *= share if all(r in relations for r in range(20) if mask >> r & 1) else 1.0
        for part, factor in self.kept.items():
            rows *= factor if part <= relations else 1.0
        return rows

    def best(self, relations: frozenset[int], has: Property = NONE) -> float:
        """Return the least cost, each set and property once."""

        @cache
        def least(relations: frozenset[int], has: Property) -> float:
            return min(map(whole, self.steps(relations, has)), default=inf)

        def whole(step: Step) -> float:
            return sum(least(*each) for each in step[3]) + self.own(step)

        return least(relations, has)

    def every(self, relations: frozenset[int], has: Property = NONE) -> Iterator[float]:
        """Yield what each plan there is costs, tree by tree."""
        for step in self.steps(relations, has):
            for below in product(*(tuple(self.every(*each)) for each in step[3])):
                yield sum(below) + self.own(step)

    def reached(self, relations: frozenset[int], has: Property = NONE) -> set[Step]:
        """Return every step that some plan of a set may take."""
        found: dict[tuple[frozenset[int], Property], list[Step]] = {}
        wanted = [(relations, has)]
        while wanted:
            if (key := wanted.pop()) not in found:
                found[key] = list(self.steps(*key))
                wanted += [each for step in found[key] for each in step[3]]
        return {step for steps in found.values() for step in steps}

    def own(self, step: Step) -> float:
        relations, _, operator, inputs = step
        out = self.rows(relations)
        work = self.work(operator, out, [self.rows(part) for part, _ in inputs])
        return work + (0.0 if operator in ("sort", "index access") else self.costs.output * out)

    def work(self, operator: str, out: float, inputs: list[float]) -> float:
        match operator:
            case "scan":
                return self.costs.scan * out
            case "index scan":
                return self.costs.index_scan * out
            case "index access":
                return 0.0
            case "sort":
                return self.costs.sort * out * log2(out + 2)
            case "lookup":
                return self.costs.lookup * inputs[0]
            case "hash":
                return self.costs.hash * sum(inputs)
        return self.costs.merge * sum(inputs)

    def steps(self, relations: frozenset[int], has: Property) -> Iterator[Step]:
        if has[0] == "order":
            yield relations, has, "sort", ((relations, NONE),)
        if len(relations) > 1:
            yield from self.joins(relations, has)
            return
        for operator in self.scans(*relations, has):
            yield relations, has, operator, ()

    def joins(self, relations: frozenset[int], has: Property) -> Iterator[Step]:
        kind, of = has
        for left, right in self.splits(relations):
            if kind == "none":
                yield relations, has, "hash", ((left, NONE), (right, NONE))
            for c, (joined, members) in enumerate(self.classes if self.physical else []):
                if not (members & left and members & right):
                    continue
                order = ("order", c)
                if has in (NONE, order):
                    yield relations, has, "merge", ((left, order), (right, order))
                for outer, inner in ((left, right), (right, left)):
                    fits = kind == "none" or self.classes[of][1] & outer
                    if len(inner) == 1 and joined.indexed >> next(iter(inner)) & 1 and fits:
                        yield relations, has, "lookup", ((outer, has), (inner, ("index", c)))

    def scans(self, r: int, has: Property) -> Iterator[str]:
        kind, of = has
        kept = self.graph.classes[of] if of >= 0 else None
        if kind == "index":
            yield "index access"
            return
        if kept is None or kept.ordered >> r & 1:
            yield "scan"
        if kept is not None and kept.indexed >> r & 1:
            yield "index scan"

    def splits(self, relations: frozenset[int]) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
        """Yield each cut in two connected halves once; any cut of whole parts where nothing connects."""
        first = min(relations)
        parts = self.parts(relations)
        for size in range(1, len(relations)):
            for left in map(frozenset, combinations(sorted(relations), size)):
                right = relations - left
                if first not in left:
                    continue
                whole = all(part <= left or part <= right for part in parts)
                both = len(self.parts(left)) == 1 and len(self.parts(right)) == 1
                if both if len(parts) == 1 else whole:
                    yield left, right

    def parts(self, relations: frozenset[int]) -> list[frozenset[int]]:
        left, parts = set(relations), []
        while left:
            part = {left.pop()}
            while more := {r for r in left if any(self.joined(r, s) for s in part)}:
                part |= more
                left -= more
            parts.append(frozenset(part))
        return parts

    def joined(self, r: int, s: int) -> bool:
        if self.graph.products:
            return True
        pairs = any({r, s} <= members for _, members in self.classes)
        return pairs or any(mask == 1 << r | 1 << s for mask, _ in self.graph.kept)
