"""A join among the devices of several gateways: the two sides over the own devices, and where they meet.

In a new topology everything between gateways begins anew; what the own devices said stays, and what the
gateways said that are gone.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.model.reading import Reading
from engine.model.relation import Relation, RelationKind
from engine.plan.expressions import row_of
from engine.plan.leaves import StreamFragment, Table, Windowed, numbered
from engine.plan.physical import Filter, GroupBy, HashJoin, Map, Merge, Physical, Unique
from ingest.gateways.devices import Readings
from ingest.gateways.fragments import Fragment
from ingest.gateways.local import Local, Rows
from ingest.gateways.meeting import NAMES, Asked, Meeting
from ingest.gateways.mesh import Mesh, Message
from ingest.gateways.methods import LEFT, METHODS, RIGHT
from ingest.gateways.standing import Standing

Recent = Callable[[str], Sequence[Reading]]


class JoinedRun:
    """A fragment with a join."""

    def __init__(self, fragment: Fragment, join: HashJoin, mesh: Mesh, packet: int) -> None:
        self._mesh, self._packet = mesh, packet
        method = METHODS[fragment.method]
        keys = (row_of(join.left_keys), row_of(join.right_keys))
        self._asked = Asked((fragment.key, fragment.version), method, keys, meeting_here(fragment.plan))
        self._sides = (Local(join.left), Local(join.right))
        self._owned = None if method.owns is None else Local(unselected((join.left, join.right)[method.owns]))
        self._whole, self._is_whole = Standing(), False
        self._meeting = self._met(0)

    def spoke(self) -> bool:
        """Tell whether gateways spoke about it since this was last asked."""
        was_busy, self._meeting.was_busy = self._meeting.was_busy, False
        return was_busy

    def start(self, recent: Recent, now: int) -> None:
        """Start from what the own devices said lately."""
        changes = [side.start(recent, now) for side in self._sides]
        self._meeting.take(changes, {} if self._owned is None else self._owned.start(recent, now))

    def renew(self, now: int) -> None:
        """Begin anew in a new topology."""
        said = self._meeting.said
        self._whole, self._is_whole = said if self._is_whole else self._whole.before(said), False
        self._meeting = self._met(now, self._whole.of(self._is_cut_off))
        changes = [side.contents() for side in self._sides]
        self._meeting.take(changes, {} if self._owned is None else self._owned.contents())

    def step(self, readings: Readings, now: int) -> Rows:
        """Return how the answer that is computed here changes."""
        changes = [side.step(readings, now) for side in self._sides]
        self._meeting.take(changes, {} if self._owned is None else self._owned.step(readings, now))
        return self._meeting.step(now)

    def heard(self, message: Message) -> None:
        self._meeting.heard(message)

    def settle(self) -> Rows:
        """Return the answer that is computed here, now that all that is on its way has come."""
        self._is_whole = True
        return self._meeting.contents()

    def _is_cut_off(self, gateway: str) -> bool:
        here = self._mesh.name
        return gateway != here and self._mesh.topology.hops(here, gateway) is None

    def _met(self, now: int, standing: Standing | None = None) -> Meeting:
        return Meeting(self._asked, self._mesh, self._packet, now, standing)


def meeting_here(plan: Physical) -> Physical:
    """Return a plan over the rows that are here to be joined."""
    if isinstance(plan, HashJoin):
        return replace(plan, left=_side(plan.left, LEFT), right=_side(plan.right, RIGHT))
    assert isinstance(plan, Filter | Map | GroupBy | Unique)
    return replace(plan, child=meeting_here(plan.child))


def _side(plan: Physical, side: int) -> Table:
    columns = numbered(plan.columns)
    return Table(Relation(NAMES[side], RelationKind.TABLE, columns), StreamFragment(NAMES[side], columns))


def unselected(plan: Physical) -> Physical:
    """Return a plan without its selections: over whatever the devices say, whether it holds or not."""
    match plan:
        case Filter(child):
            return unselected(child)
        case Windowed():
            return replace(plan, fragment=replace(plan.fragment, predicate=None))
        case Merge(inputs):
            return replace(plan, inputs=tuple(map(unselected, inputs)))
        case Map() | GroupBy() | Unique():
            return replace(plan, child=unselected(plan.child))
    return plan
