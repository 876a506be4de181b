"""An explained plan as JSON has it, with all that a drawing needs.

{"root": id, "nodes": [{"id", "what", "site", "rows", "observed", …}],
 "edges": [{"from", "to", "crosses", "ships", "rows_a_second"}], "sites": [{"site", "nodes", …}],
 "missing": [site], "choice": {"goal", "chosen", "lost"} | null, "joins": [{"inputs", "chosen", "lost"}],
 "turns": [{"tick", "at", "before", "after", …}], "search": {…} | null, "suspended": why | null,
 "room": {"shares", "kept", "most", …} | null}

An edge goes as the rows do: from a node to the one that reads it. A bound that is not known is null.
"""

from math import isfinite
from typing import Any

from engine.plan.explaining.choosing import Alternative, Choice, Costs
from engine.plan.explaining.estimates import Estimate, Kept, off_by
from engine.plan.explaining.ordering import Joined, Ordered
from engine.plan.explaining.room import Room
from engine.plan.explaining.shares import Shares
from engine.plan.explaining.sites import by_site, every
from engine.plan.explaining.tree import Explained, ExplainedPlan
from engine.plan.explaining.turning import Turn

Document = dict[str, Any]


def as_document(plan: ExplainedPlan) -> Document:
    """Return nodes and edges, each once, what each site does, and what else could have been."""
    nodes = list(every(plan.root))
    return {
        "root": plan.root.id,
        "nodes": [node_of(each) for each in nodes],
        "edges": [edge_of(below, each) for each in nodes for below in each.inputs],
        "sites": [{"site": site, **doing._asdict()} for site, doing in by_site(plan).items()],
        "missing": list(plan.missing),
        "choice": None if plan.choice is None else choice_of(plan.choice),
        "joins": [joined(each) for each in plan.joins],
        "turns": [turned(each) for each in plan.turns],
        "search": None if plan.search is None else plan.search._asdict(),
        "suspended": plan.suspended,
        "room": None if plan.room is None else room_of(plan.room),
    }


def node_of(node: Explained) -> Document:
    """Return one node; ``off`` is how many times as many rows there are as expected, where far off."""
    estimate, kept = node.estimate, node.kept
    return {
        "id": node.id,
        "kind": node.kind,
        "what": node.what,
        "site": node.site,
        "inputs": [each.id for each in node.inputs],
        "fragment": node.fragment,
        "method": node.method,
        "number": node.number,
        "rows": None if estimate is None else rows_of(estimate),
        "cost": None if estimate is None else estimate.cost,
        "observed": None if kept is None else observed(kept),
        "off": None if estimate is None or kept is None else off_by(estimate, kept),
    }


def rows_of(estimate: Estimate) -> Document:
    most = estimate.most if isfinite(estimate.most) else None
    return {
        "value": estimate.rows,
        "expected": estimate.expected,
        "least": estimate.least,
        "most": most,
        "source": str(estimate.source),
    }


def observed(kept: Kept) -> Document:
    return {
        "keeps": kept.entries,
        "rows": kept.rows,
        "late": kept.late,
        "waiting": kept.waiting,
        "in": kept.came,
        "out": kept.went,
        "seconds": kept.seconds,
        "passed": None if kept.passed is None else kept.passed._asdict(),
        "rows_a_second": rate_of(kept),
        "shares": None if kept.shares is None else shares_of(kept.shares),
    }


def shares_of(shares: Shares) -> Document:
    sent = {kind: {"rows": each.rows, "bytes": each.bytes} for kind, each in shares.sent.items()}
    return {**shares._asdict(), "kept": list(shares.kept), "sent": sent}


def edge_of(below: Explained, above: Explained) -> Document:
    """Return where rows go, how many a second, and with which columns where they leave their site for it."""
    crosses = below.site != above.site
    return {
        "from": below.id,
        "to": above.id,
        "crosses": crosses,
        "ships": list(below.columns) if crosses else None,
        "rows_a_second": None if below.kept is None else rate_of(below.kept),
    }


def rate_of(kept: Kept) -> float | None:
    return None if kept.passed is None else kept.passed.rows_a_second()


def choice_of(choice: Choice) -> Document:
    best = set(choice.pareto())
    mine = choice.chosen.costs
    lost = [
        {
            **alternative_of(each, best),
            "price": choice.price(each),
            "times": times(each.costs, mine),
            "why": choice.why_lost(each),
            "refused": bool(each.refused),
        }
        for each in choice.nearest_first()
    ]
    return {
        "goal": {
            "weights": dict(choice.goal.weights),
            "lifetime": choice.goal.lifetime,
            "bytes_a_second": choice.goal.bytes_a_second,
        },
        "chosen": alternative_of(choice.chosen, best),
        "lost": lost,
    }


def alternative_of(each: Alternative, best: set[Alternative]) -> Document:
    return {"name": each.name, "costs": each.costs._asdict(), "pareto": each in best}


def room_of(room: Room) -> Document:
    spread = [{"name": name, "rows": rows} for name, rows in room.spread]
    return {**room._asdict(), "spread": spread, "why": str(room)}


def times(its: Costs, mine: Costs) -> Document:
    """Return how many times as much each metric is; null where the other is nothing."""
    pairs = zip(its._fields, its, mine, strict=True)
    return {name: a / b if b > 0 else None for name, a, b in pairs}


def joined(each: Joined) -> Document:
    chosen = each.chosen.cost
    lost = [
        {**ordered(other), "times": other.cost / chosen if chosen > 0 else None, "why": each.why_lost(other)}
        for other in each.lost
    ]
    inputs = [{"name": name, "what": what} for name, what in each.inputs]
    return {"inputs": inputs, "chosen": ordered(each.chosen), "lost": lost, "searched": each.is_searched}


def ordered(each: Ordered) -> Document:
    return {"order": each.order, "cost": each.cost}


def turned(turn: Turn) -> Document:
    before, after, surprises = turn.compared
    figures = turn._asdict()
    del figures["compared"]
    seen = [surprise._asdict() for surprise in surprises]
    return {**figures, "before": list(before), "after": list(after), "surprises": seen}
