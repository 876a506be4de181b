"""What gateways say of themselves, and the topology that follows.

gateway/<name>/state   retained: {"state": "up", "incarnation", "links", …}
                       or by its last will {"state": "gone", "connection": of which it is the end}
"""

import json
from collections.abc import Sequence
from uuid import uuid4

from engine.model.relation import GONE, UP
from ingest.decoding.payload import parse
from ingest.decoding.values import FieldError
from ingest.gateways.topology import Member, Topology


def last_will() -> bytes:
    """Return what is said where a connection ends, of each another."""
    return json.dumps({"state": GONE, "connection": uuid4().hex}).encode()


class States:
    """The gateways that one gateway knows to be up, itself among them once it is."""

    def __init__(self, name: str, links: Sequence[str]) -> None:
        self._name = name
        self.links = tuple(links)
        self._members: dict[str, Member] = {}
        self._gone: dict[str, str] = {}
        self._is_changed = False

    def forget(self) -> None:
        """Forget all: what is retained comes again."""
        self._members, self._gone = {}, {}

    def begin(self, incarnation: int) -> None:
        """Note an own new life."""
        self._note(self._name, Member(incarnation, self.links))

    def heard(self, name: str, payload: bytes) -> None:
        """Take another's state; what says nothing that can be read is gone."""
        if name == self._name:
            return
        try:
            said = parse(payload)
            if said["state"] == UP:
                links = tuple(str(link) for link in said["links"])
                self._note(name, Member(int(said["incarnation"]), links))
            else:
                self._note_gone(name, str(said["connection"]))
        except (FieldError, KeyError, TypeError, ValueError):
            self._note_gone(name, "")

    def changed(self) -> Topology | None:
        """Return the topology if it is another than at the last call."""
        is_changed, self._is_changed = self._is_changed, False
        return Topology(self._members, self._gone) if is_changed else None

    @property
    def incarnation(self) -> int:
        """Which life this gateway is in."""
        return self._members[self._name].incarnation

    def _note(self, name: str, member: Member) -> None:
        self._is_changed |= self._members.get(name) != member
        self._gone.pop(name, None)
        self._members[name] = member

    def _note_gone(self, name: str, connection: str) -> None:
        """Note that one is gone; without a connection as if it had never been, as who comes later sees it."""
        self._is_changed |= name in self._members or self._gone.get(name, "") != connection
        self._members.pop(name, None)
        self._gone.pop(name, None)
        if connection:
            self._gone[name] = connection
