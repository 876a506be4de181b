"""What gateways say of themselves, and the topology that follows.

gateway/<name>/state   retained: {"state": "up", "incarnation", "links", …}, or gone by its last will
"""

import json
from collections.abc import Sequence

from engine.model.relation import GONE, UP
from ingest.decode import parse
from ingest.field_values import FieldError
from ingest.gateways.topology import Member, Topology

LAST_WILL = json.dumps({"state": GONE}).encode()


class States:
    """The gateways that one gateway knows to be up, itself among them once it is."""

    def __init__(self, name: str, links: Sequence[str]) -> None:
        self._name = name
        self.links = tuple(links)
        self._members: dict[str, Member] = {}
        self._is_changed = False

    def forget(self) -> None:
        """Forget all: what is retained comes again."""
        self._members = {}

    def begin(self, incarnation: int) -> None:
        """Note an own new life."""
        self._note(self._name, Member(incarnation, self.links))

    def heard(self, name: str, payload: bytes) -> None:
        """Take another's state; what says nothing that can be read is gone."""
        if name == self._name:
            return
        try:
            said = parse(payload)
            links = tuple(str(link) for link in said["links"])
            self._note(name, Member(int(said["incarnation"]), links) if said["state"] == UP else None)
        except (FieldError, KeyError, TypeError, ValueError):
            self._note(name, None)

    def changed(self) -> Topology | None:
        """Return the topology if it is another than at the last call."""
        is_changed, self._is_changed = self._is_changed, False
        return Topology(self._members) if is_changed else None

    @property
    def incarnation(self) -> int:
        """Which life this gateway is in."""
        return self._members[self._name].incarnation

    def _note(self, name: str, member: Member | None) -> None:
        if self._members.get(name) == member:
            return
        self._is_changed = True
        if member is None:
            del self._members[name]
        else:
            self._members[name] = member
