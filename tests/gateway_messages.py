"""What gateways say, and the declarations that they answer."""

import json
from typing import Any

from engine.plan.leaves import Shipped
from engine.plan.physical import fragments_in
from ingest.declarations import asking_for, dropping
from ingest.log import Entry
from tests.three_sites import optimized

COLD = "SELECT room, lux FROM lights WHERE lux < 5.0"


def shipped(sql: str = COLD) -> Shipped:
    """The one fragment of a query over ``tests.three_sites``."""
    (found,) = fragments_in(optimized(sql))
    return found


def asked(leaf: Shipped) -> Entry:
    return asking_for(leaf)


def dropped(leaf: Shipped) -> Entry:
    return dropping(leaf.name)


def topic_of(leaf: Shipped, gateway: str) -> str:
    return f"fragment/{leaf.name.partition(':')[2]}/{gateway}"


def body(incarnation: int, sequence: int, changes: list[Any], settled: bool = True) -> bytes:
    said = {"incarnation": incarnation, "sequence": sequence, "settled": settled, "changes": changes}
    return json.dumps(said).encode()


def said(leaf: Shipped, gateway: str, *of: Any, **more: Any) -> Entry:
    return Entry("mqtt", topic_of(leaf, gateway), body(*of, **more))


def state(gateway: str, **of: Any) -> Entry:
    return Entry("mqtt", f"gateway/{gateway}/state", json.dumps(of).encode())
