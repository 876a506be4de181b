"""Which sites a view waits for: those that compute a part of it, and are not up or have not said all yet.

    expected(leaf)  =  every gateway, or the one database            of ``sites``, as they said last
    missing(nodes)  =  Σ over the shipped leaves of { s expected : s is not up, or has not answered }
    awaited(nodes)  =  those of them that are up: an answer is on its way

A gateway that is gone is missing although what it said last stands; one that was removed is nobody's.
"""

from collections.abc import Iterable, Iterator, Mapping

from engine.model.relation import DATABASE_SITE, SENSOR_SITE, UP
from engine.operators.leaf import Remote
from engine.plan.leaves import Shipped
from engine.views.dataflow import LeafNode, Node

REMOVED = "removed"
States = Mapping[str, str]


def missing(nodes: Iterable[Node], states: States) -> tuple[str, ...]:
    """Return the sites that nodes are without, each once."""
    return tuple(sorted({site for node in nodes for site in _without(node, states)}))


def awaited(nodes: Iterable[Node], states: States) -> tuple[str, ...]:
    """Return the sites from which an answer is on its way."""
    return tuple(site for site in missing(nodes, states) if states.get(site, UP) == UP)


def _without(node: Node, states: States) -> Iterator[str]:
    if isinstance(node, LeafNode) and isinstance(node.plan, Shipped) and isinstance(node.leaf, Remote):
        expected = _expected(node.plan.site, states)
        yield from (site for site in expected if states.get(site, UP) != UP)
        yield from node.leaf.unanswered(expected)


def _expected(site: str, states: States) -> list[str]:
    """Return who answers for a site: one database, or every gateway that there is; the site while none is."""
    if site != SENSOR_SITE:
        return [site]
    gateways = [name for name, state in states.items() if state != REMOVED and not is_database(name)]
    return gateways or [site]


def is_database(site: str) -> bool:
    return site.startswith(f"{DATABASE_SITE}:")
