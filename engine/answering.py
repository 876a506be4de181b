"""Which sites a view waits for: those that compute a part of it, and are not up or have not said all yet.

    expected(leaf)  =  every gateway, or the one database            of ``sites``, as they said last
    missing(nodes)  =  Σ over the shipped leaves of { s expected : s is not up, or has not answered }
                     + Σ over the leaves that gateways hand on of { g : g is not up }
    awaited(nodes)  =  those of them that are up and can run it: an answer is on its way

A gateway that is gone is missing although what it said last stands; one that was removed is nobody's.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from engine.model.relation import DATABASE_SITE, REMOVED, SENSOR_SITE, UP
from engine.operators.leaf import Remote
from engine.plan.leaves import Shipped
from engine.views.nodes import LeafNode, Node


class Said(NamedTuple):
    """What a site said of itself; its problem names the fragments that it cannot run."""

    state: str = UP
    problem: str = ""


UNHEARD = Said()
Sites = Mapping[str, Said]


def missing(nodes: Iterable[Node], sites: Sites) -> tuple[str, ...]:
    """Return the sites that nodes are without, each once."""
    leaves = [node for node in nodes if isinstance(node, LeafNode)]
    found = {site for node in _remote(leaves) for site in _without(node, sites)}
    return tuple(sorted(found.union(*(_silent(node.plan.relation.gateways, sites) for node in leaves))))


def awaited(nodes: Iterable[Node], sites: Sites) -> frozenset[tuple[str, str]]:
    """Return from which sites an answer is on its way, each with the fragment's name."""
    pairs = ((site, node.plan.relation.name) for node in _remote(nodes) for site in _without(node, sites))
    return frozenset(pair for pair in pairs if _answers(sites.get(pair[0], UNHEARD), pair[1]))


def _answers(said: Said, fragment: str) -> bool:
    return said.state == UP and fragment not in said.problem


def _remote(nodes: Iterable[Node]) -> Iterator[LeafNode]:
    return (node for node in nodes if isinstance(node, LeafNode) and isinstance(node.plan, Shipped))


def _without(node: LeafNode, sites: Sites) -> Iterator[str]:
    assert isinstance(node.plan, Shipped)
    assert isinstance(node.leaf, Remote)
    expected = _expected(node.plan.site, sites)
    yield from (site for site in expected if sites.get(site, UNHEARD).state != UP)
    yield from node.leaf.unanswered(expected)


def _silent(gateways: str, sites: Sites) -> set[str]:
    """Return who should hand rows on and is not up."""
    if not gateways:
        return set()
    heard = set(_expected(SENSOR_SITE, sites)) - {SENSOR_SITE}
    return {name for name in heard if gateways in ("+", name) and sites.get(name, UNHEARD).state != UP}


def _expected(site: str, sites: Sites) -> list[str]:
    """Return who answers for a site: one database, or every gateway that there is; the site while none is."""
    if site != SENSOR_SITE:
        return [site]
    gateways = [name for name, said in sites.items() if said.state != REMOVED and not is_database(name)]
    return gateways or [site]


def is_database(site: str) -> bool:
    return site.startswith(f"{DATABASE_SITE}:")
