"""Why, through what another site computed: it is named, and its rows as far as they can be known here."""

import time
from collections import Counter
from random import Random

import pytest

from app.present import explanation, missing
from app.told import explained, named
from engine.model.reading import Reading
from engine.model.relation import SENSOR_SITE
from engine.model.values import Row
from engine.plan.goal import Goal
from engine.plan.leaves import Shipped
from engine.plan.physical import fragments_in, leaves
from engine.session import Session
from engine.views.elsewhere import parts_of
from engine.views.why.effort import Effort
from tests.memory_log import Change, Entry, MemoryLog, rows_of
from tests.placed import fragment_rows
from tests.three_sites import CATALOG, optimized

ROOMS, OWNERS = "abc", "pqr"
KEPT = "SELECT s.desk, s.room, s.n FROM seats s WHERE s.n > 1 AND s.room = 'a'"
WHOLE = "SELECT m.machine, m.room, m.owner, m.n FROM machines m WHERE m.n > 1"
MET = "SELECT s.desk, l.lamp, l.open FROM seats s, lights l WHERE s.room = l.room AND l.open"
OWNED = "SELECT m.machine, p.phone FROM machines m, people p WHERE m.owner = p.person AND m.n > 0"
UNNAMED = "SELECT m.room FROM machines m"
TOTAL = "SELECT m.room, count(*) AS n FROM machines m GROUP BY m.room"


def effort() -> Effort:
    return Effort(5.0, 100_000, time.monotonic)


def base_rows(random: Random) -> dict[str, list[Row]]:
    """What the sites hold, each key once."""

    def some(of: str) -> str | None:
        return random.choice([*of, None])

    return {
        "seats": [(f"d{i}", some(ROOMS), 1.5, random.randrange(4)) for i in range(6)],
        "lights": [(f"l{i}", some(ROOMS), 300.0, random.random() < 0.6) for i in range(5)],
        "machines": [(f"m{i}", some(ROOMS), some(OWNERS), random.randrange(4)) for i in range(6)],
        "people": [(name, f"0{i}", i) for i, name in enumerate(OWNERS)],
    }


def readings_of(held: dict[str, list[Row]]) -> list[Reading]:
    rows = [(name, row) for name, of in held.items() for row in of]
    return [Reading(name, 1, row, i, 0, i) for i, (name, row) in enumerate(rows, 1)]


class Asked:
    """A view over fragments, each answered by its site."""

    def __init__(self, sql: str, held: dict[str, list[Row]]) -> None:
        self.held, self.log = held, MemoryLog()
        self.session: Session = self.log.session(CATALOG)
        self.session.create_view(f"CREATE VIEW v AS {sql}")
        self.fragments = fragments_in(self.session._views["v"].physical)
        for leaf in self.fragments:
            self.log.append(Entry(1, list(answers(leaf, fragment_rows(leaf, readings_of(held), 99)))))
        self.log.tick(self.session)

    def why(self, row: Row):
        return self.session.why("v", row, effort())

    def told(self, row: Row) -> list[str]:
        found = self.why(row)
        return list(explained(explanation(found, found.provenance.derivations(), [])))


def answers(leaf: Shipped, rows: Counter[Row]) -> list[Change]:
    """What a site says of a fragment: all of its rows, and that these are all."""
    head = ("g", 1, 0, True) if leaf.site == SENSOR_SITE else ()
    changes = [Change(leaf.name, 1, (*head, *row)) for row in rows.elements()]
    return [*changes, Change(leaf.name, 0, (*head, *[None] * len(leaf.columns)))] if head else changes


@pytest.mark.parametrize("sql", [KEPT, WHOLE, MET, OWNED, UNNAMED, TOTAL])
@pytest.mark.parametrize("seed", range(5))
def test_the_rows_that_are_named_are_there_and_give_the_row(sql: str, seed: int) -> None:
    asked = Asked(sql, base_rows(Random(seed)))
    for row in rows_of(asked.session, "v"):
        found = asked.why(row)
        for base in found.witness:
            assert found.elsewhere.site_of(base.relation) == asked.fragments[0].site
            leaf = found.elsewhere.fragments.get(base.relation)
            if leaf is None:
                assert base.row in asked.held[base.relation]
            else:
                check(asked.held, leaf, base.row)


def check(held: dict[str, list[Row]], leaf: Shipped, row: Row) -> None:
    """See that the parts are rows of the site, one each, of which the fragment makes the row."""
    parts = parts_of(leaf, row)
    if not parts:
        return
    assert [part.relation for part in parts] == [each.relation for each in leaves(leaf.plan)]
    meant: dict[str, list[Row]] = {}
    for part in parts:
        (only,) = [r for r in held[part.relation.name] if all(r[i] == v for i, v in part.known.items())]
        meant[part.relation.name] = [only]
    assert fragment_rows(leaf, readings_of(meant), 99)[row]


HELD = {
    "seats": [("d1", "a", 0.5, 2)],
    "lights": [("l1", "a", 300.0, True)],
    "machines": [("m1", "a", "p", 2), ("m2", "a", "q", 3)],
    "people": [("p", "01", 0)],
}


@pytest.mark.parametrize(
    ("sql", "row", "said"),
    [
        (WHOLE, ("m1", "a", "p", 2), "from the database hall: machines(m1, a, p, 2)"),
        (KEPT, ("d1", "a", 2), "from the gateways: (d1, a, 2), which is seats(desk=d1, room=a, n=2)"),
        (
            OWNED,
            ("m1", "01"),
            "from the database hall: (m1, 01) of machines and people; "
            "by which rows, only the database hall can tell",
        ),
        (
            TOTAL,
            ("a", 2),
            "from the database hall: (a, 2) of machines; by which rows, only the database hall can tell",
        ),
    ],
)
def test_a_row_of_another_site_is_named_as_far_as_it_is_known(sql: str, row: Row, said: str) -> None:
    assert Asked(sql, HELD).told(row)[1].strip() == said


def test_a_join_in_the_network_names_a_row_of_each_side() -> None:
    energy = Goal((("energy", 1.0),))
    (leaf,) = fragments_in(optimized(f"{MET} AND s.weight < 5.0", energy))
    row = tuple({"desk": "d1", "lamp": "l1", "open": True, "room": "a"}[c.name] for c in leaf.columns)
    seat, light = sorted(parts_of(leaf, row), key=lambda part: part.relation.name, reverse=True)
    assert (seat.relation.name, seat.known[0]) == ("seats", "d1")
    assert (light.relation.name, light.known[0], light.known[3]) == ("lights", "l1", True)
    check(HELD, leaf, row)


def test_rows_that_are_joined_here_are_named_one_by_one() -> None:
    assert {line.strip() for line in Asked(MET, HELD).told(("d1", "l1", True))[1:]} == {
        "from the gateways: (l1, a, true), which is lights(lamp=l1, room=a, open=true)",
        "from the gateways: (d1, a), which is seats(desk=d1, room=a)",
    }


def test_what_no_site_has_is_told_of_the_site_with_what_it_was_asked() -> None:
    asked = Asked(KEPT, HELD)
    found = asked.session.why_not("v", ("d9", "a", 3), effort())
    (gap,) = found.gaps
    assert gap.of == "seats of the gateways"
    assert gap.wanted["desk"] == "d9"
    assert "(s.n > 1)" in gap.condition
    snapshot = asked.session.snapshot("v")
    assert "seats of the gateways" in list(explained(missing(snapshot, ("d9", "a", 3), found)))[1]


def test_a_base_row_of_the_stream_site_is_named_as_before() -> None:
    assert named({"relation": "desks", "row": ["d1", None]}) == "desks(d1, NULL)"
