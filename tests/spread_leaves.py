"""Leaves that may be in shares, what comes for them, and sessions over one that is."""

from dataclasses import replace
from random import Random

from engine.model.catalog import Catalog
from engine.model.reading import Reading
from engine.model.relation import Relation, RelationKind
from engine.model.values import Row, Type
from engine.operators.leaf import Punctual, Remote
from engine.partitions.in_place import InPlace
from engine.plan.leaves import Leaf, Shipped, StreamFragment, Table, Windowed
from engine.plan.windows import Range, Rows, Unbounded, Window
from engine.session import Session
from engine.views.nodes import LeafNode
from federated.optimizer import FederatedOptimizer
from federated.placing.outgrown import Outgrown
from tests.memory_log import MemoryLog
from tests.strategies import relation

KEYED = relation("t", RelationKind.TABLE, key=("k",), k=Type.TEXT, n=Type.BIGINT)
TWICE_KEYED = relation("t", RelationKind.TABLE, key=("n", "k"), k=Type.TEXT, n=Type.BIGINT)
BAG = relation("t", RelationKind.TABLE, k=Type.TEXT, n=Type.BIGINT)
STREAM = relation("s", RelationKind.STREAM, k=Type.TEXT, n=Type.BIGINT)
TIMED = replace(relation("s", RelationKind.STREAM, k=Type.TEXT, n=Type.TIMESTAMP), event_time="n")


def fragment(of: Relation) -> StreamFragment:
    return StreamFragment(of.name, of.columns)


def table(of: Relation) -> Table:
    return Table(of, fragment(of))


def windowed(of: Relation, window: Window, sample: int | None = None) -> Windowed:
    return Windowed(of, window, fragment(of), sample)


LEAVES: dict[str, Leaf] = {
    "keyed": table(KEYED),
    "keyed twice": table(TWICE_KEYED),
    "bag": table(BAG),
    "range": windowed(STREAM, Range(10)),
    "last of each": windowed(STREAM, Rows(2, (0,), ("k",))),
    "unbounded": windowed(STREAM, Unbounded()),
    "by event": windowed(TIMED, Range(12)),
    "by event in steps": windowed(replace(TIMED, lateness=3), Range(12, 4)),
    "for ever by event": windowed(TIMED, Unbounded()),
    "in steps": windowed(STREAM, Range(12, 4)),
    "of a database": Shipped("database:facts", table(BAG)),
}
APART: dict[str, Leaf] = {
    "last of all": windowed(STREAM, Rows(2)),
    "sampled": windowed(STREAM, Range(10), sample=5),
    "of gateways": Shipped("sensor", table(BAG)),
}


def readings(leaf: Leaf, random: Random, now: int) -> list[Reading]:
    """What a tick brings; what was there may go, of a database also all of it."""
    found = []
    for _ in range(random.choice([0, 1, 2, 5])):
        happened = now + random.randint(-20, 3)
        row: Row = (random.choice("abcd"), happened if leaf.relation.event_time else random.randint(0, 3))
        can_go = leaf.relation.kind is RelationKind.TABLE
        sign = random.choice([1, 1, -1] if can_go else [1])
        if isinstance(leaf, Shipped) and random.random() < 0.1:
            sign, row = 0, (None, None)
        found.append(Reading(leaf.relation.name, sign, row, 0, 0, now))
    return found


def told(leaf: object) -> tuple[object, ...]:
    late = (leaf.late, leaf.waiting) if isinstance(leaf, Punctual) else ()
    unanswered = leaf.unanswered(["facts"]) if isinstance(leaf, Remote) else None
    return len(leaf), late, unanswered  # type: ignore[arg-type]


CATALOG = Catalog([KEYED])
COUNTED = "CREATE VIEW counted AS SELECT t.n, COUNT(*) AS many FROM t GROUP BY t.n"


def session_of(log: MemoryLog, outgrown: Outgrown, carrier: InPlace | None = None) -> Session:
    """A session with as many shares as are told; ``carrier`` is for the only thing that is in some."""
    carry = (lambda: carrier) if carrier is not None else (lambda: InPlace(outgrown.partitions))
    return log.session(CATALOG, optimizer=FederatedOptimizer(outgrown=outgrown), carry=carry)


def leaf_in(session: Session, name: str = "t") -> LeafNode:
    return next(
        node
        for node in session._upkeep.nodes()
        if isinstance(node, LeafNode) and node.plan.relation.name == name
    )


def ticks(log: MemoryLog, session: Session, count: int) -> None:
    for _ in range(count):
        log.write(1_000, "t")
        log.tick(session)
