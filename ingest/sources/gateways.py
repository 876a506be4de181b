"""The gateways: each hears the devices of its own bus, and some hear each other.

    gateways:
      floor-1: {links: [base, floor-2]}        base ── floor-1 ── floor-2
      floor-2: {links: [floor-1]}

A link carries both ways, so it is enough that one end names it. ``base`` is where the acquisition
process listens; a gateway from which no links lead there would never be heard.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.model.errors import SourceError, nearest
from ingest.checked_yaml import mapping, names

BASE = "base"


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway, and whom it hears."""

    name: str
    links: tuple[str, ...]


def gateways_of(section: Iterable[tuple[str, Any]]) -> tuple[Gateway, ...]:
    """Return what the section ``gateways`` declares, each link at both its ends."""
    links = {name: _links(name, spec) for name, spec in section}
    for name, found in links.items():
        _check(name, found, links)
    both = {
        name: dict.fromkeys((*found, *(other for other in links if name in links[other])))
        for name, found in links.items()
    }
    for name in both.keys() - _reached(both):
        msg = f"no links lead from gateway {name} to {BASE}, where its rows are waited for; add one"
        raise SourceError(msg)
    return tuple(Gateway(name, tuple(found)) for name, found in both.items())


def _links(name: str, spec: object) -> tuple[str, ...]:
    where = f"gateway {name}"
    if name == BASE or not name or any(sign in name for sign in "/+#\0"):
        msg = f"{where} cannot be called so; expected a word without / + and #, other than {BASE}"
        raise SourceError(msg)
    return names(mapping(spec, where, {"links"}), "links", where)


def _check(name: str, links: tuple[str, ...], known: Mapping[str, object]) -> None:
    choices = [BASE, *(other for other in known if other != name)]
    for link in links:
        if link not in choices:
            there = f"there are {', '.join(choices)}{nearest(link, choices)}"
            msg = f"links of gateway {name} name {link}; {there}"
            raise SourceError(msg)


def _reached(links: Mapping[str, Iterable[str]]) -> set[str]:
    reached = {name for name, found in links.items() if BASE in found}
    unseen = list(reached)
    while unseen:
        for link in set(links[unseen.pop()]) - reached - {BASE}:
            reached.add(link)
            unseen.append(link)
    return reached
