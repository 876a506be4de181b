"""How probable a row is at error rates, against all worlds that the rates allow; and the rows as PROV."""

import random
import time
from collections.abc import Callable, Iterable
from itertools import product

import pytest

from app import why
from app.prov import document, entity_of
from app.roles import Role
from app.why_asked import Asked
from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.service import Engine
from engine.session import Session
from engine.views.lineage import BaseRow
from engine.views.why.effort import Effort
from ingest.lately import Came, Lately
from tests.memory_engine import MemoryEngine
from tests.memory_log import Change, Entry, MemoryLog, rows_of
from tests.possible_worlds import probability
from tests.web_parts import ORIGIN, client_of, web_over

PLACES = "abcd"
CATALOG = Catalog(
    [
        Relation(name, RelationKind.TABLE, (Column("x", Type.TEXT), Column("y", Type.TEXT)), source="house")
        for name in ("door", "lift")
    ]
)
QUERIES = {
    "join": "SELECT d.x, l.y FROM door d, lift l WHERE d.y = l.x",
    "union": "SELECT x, y FROM door UNION SELECT x, y FROM lift UNION SELECT y, x FROM door",
    "projection": "SELECT DISTINCT d.x FROM door d, lift l WHERE d.x = l.x",
    "recursion": "WITH RECURSIVE way(x, y) AS (SELECT x, y FROM door "
    "UNION SELECT w.x, l.y FROM way w, lift l WHERE w.y = l.x "
    "UNION SELECT w.x, d.y FROM way w, door d WHERE w.y = d.x) SELECT x, y FROM way",
}

Pairs = set[tuple[str, str]]


def joined(left: Pairs, right: Pairs) -> Pairs:
    return {(x, z) for x, y in left for also, z in right if y == also}


def closed(steps: Pairs) -> Pairs:
    found = set(steps)
    while longer := joined(found, steps) - found:
        found |= longer
    return found


def ways(door: Pairs, lift: Pairs) -> Pairs:
    """Every way begins by a door and goes on by doors and lifts."""
    return door | joined(door, closed(door | lift))


MEANINGS: dict[str, Callable[[Pairs, Pairs], set[Row]]] = {
    "join": joined,
    "union": lambda door, lift: door | lift | {(y, x) for x, y in door},
    "projection": lambda door, lift: {(x,) for x, _ in door if x in {also for also, _ in lift}},
    "recursion": ways,
}


def rows_in(world: frozenset[BaseRow], query: str) -> set[Row]:
    door, lift = ({row.row for row in world if row.relation == name} for name in ("door", "lift"))
    return MEANINGS[query](door, lift)


def session_of(sql: str, rows: Iterable[BaseRow]) -> tuple[Session, str]:
    log = MemoryLog([Entry(1, [Change(each.relation, 1, each.row) for each in sorted(rows)])])
    session = log.session(CATALOG)
    view = session.query(sql)
    log.tick(session)
    return session, view


def drawn(chosen: random.Random, most: int) -> list[BaseRow]:
    pairs = [BaseRow(name, (x, y)) for name in ("door", "lift") for x, y in product(PLACES, repeat=2)]
    return sorted(chosen.sample(pairs, most))


@pytest.fixture(autouse=True)
def _plenty_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(why, "CHANCE_SECONDS", 30.0)


@pytest.mark.bdd
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("seed", range(5))
def test_the_probability_is_that_of_all_worlds_in_which_the_row_is_there(query: str, seed: int) -> None:
    chosen = random.Random(seed)
    base = drawn(chosen, 9)
    rates = {"door": chosen.choice((0.0, 0.05, 0.3)), "lift": chosen.choice((0.1, 0.5, 1.0))}
    session, view = session_of(QUERIES[query], base)
    there = sorted(rows_of(session, view))
    assert set(there) == rows_in(frozenset(base), query)
    for row in chosen.sample(there, min(3, len(there))):
        found = session.why(view, row, Effort(10, 10**7, time.monotonic))
        told = why.probability(found, rates)
        assert told["exact"]
        assert told["low"] == pytest.approx(expected(base, query, row, rates))


def expected(base: list[BaseRow], query: str, row: Row, rates: dict[str, float]) -> float:
    return probability(
        base, lambda world: row in rows_in(world, query), lambda each: 1 - rates[each.relation]
    )


def test_where_the_effort_runs_out_the_probability_lies_within_what_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = drawn(random.Random(5), 9)
    session, view = session_of(QUERIES["recursion"], base)
    row = sorted(rows_of(session, view))[0]
    rates = {"door": 0.2, "lift": 0.4}
    exact = why.probability(session.why(view, row, Effort(10, 10**7, time.monotonic)), rates)["low"]
    monkeypatch.setattr(why, "effort", lambda _: Effort(10, 40, time.monotonic))
    told = why.probability(session.why(view, row, Effort(10, 40, time.monotonic)), rates)
    assert told["low"] <= exact <= told["high"]


def test_more_derivations_are_listed_on_demand() -> None:
    pairs = [BaseRow("door", ("a", str(n))) for n in range(40)] + [
        BaseRow("lift", (str(n), "b")) for n in range(40)
    ]
    session, view = session_of("SELECT DISTINCT d.x FROM door d, lift l WHERE d.y = l.x", pairs)
    engine = Engine(session)
    try:
        usual, all_ = (why.answer(engine, view, {"x": "a"}, Asked(listed=listed)) for listed in (20, 500))
    finally:
        engine.stop()
    assert (usual["count"], len(usual["derivations"]), len(all_["derivations"])) == (40, 20, 40)
    assert usual["derivations"] == all_["derivations"][:20]


def test_a_row_says_when_it_came_and_on_which_topic() -> None:
    engine = MemoryEngine()
    engine.close_tick(1, free_desks=[(("1.01", 3), 1)])

    def look_back(rows: Iterable[tuple[str, Row]], end: int) -> Lately:
        return Lately({row: Came(77, "desks/1.01") for row in rows}, 5)

    told = why.answer(engine, "free_desks", {"room": "1.01"}, Asked(), look_back)
    assert [(row["came"], row["topic"]) for row in told["witness"]] == [(77, "desks/1.01")]
    assert told["looked_since"] == 5


def test_prov_says_which_rows_a_derivation_used_and_what_it_generated() -> None:
    base = [BaseRow("door", ("a", "b")), BaseRow("lift", ("b", "c"))]
    session, view = session_of(QUERIES["join"], base)
    found = session.why(view, ("a", "c"), Effort(10, 10**6, time.monotonic))
    made = document(found, found.provenance.derivations(), {base[0]: 1_000_000}, lambda _: "house")
    (activity,) = made["activity"]
    row = entity_of(BaseRow(view, ("a", "c")))
    assert made["entity"][row]["smartcis:x"] == "a"
    assert {used["prov:entity"] for used in made["used"].values()} == {entity_of(each) for each in base}
    assert {"prov:entity": row, "prov:activity": activity} in made["wasGeneratedBy"].values()
    times = [each["prov:time"] for each in made["wasGeneratedBy"].values() if "prov:time" in each]
    assert times == ["1970-01-01T00:00:01.000000Z"]
    derived = {
        (each["prov:generatedEntity"], each["prov:usedEntity"]) for each in made["wasDerivedFrom"].values()
    }
    assert derived == {(row, entity_of(each)) for each in base}
    named = {name for kind in ("entity", "activity", "agent") for name in made[kind]}
    ends = [
        value
        for kind in ("used", "wasAttributedTo")
        for each in made[kind].values()
        for value in each.values()
    ]
    assert set(ends) <= named


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"listed": 0}, "listed is 0; expected how many derivations are wanted, from 1 to 500"),
        ({"listed": True}, "listed is True"),
        ({"rates": {"seats": 1.5}}, "the error rate of seats is 1.5; expected a number from 0 to 1"),
        ({"rates": {"seats": "much"}}, "the error rate of seats is much"),
        ({"rates": [1]}, "rates is not as expected"),
        ({"format": "xml"}, "why has no format xml; there are json and prov"),
        ({"where": 3}, "where must say column by column"),
    ],
)
def test_what_is_wrong_with_a_question_is_said(tmp_path, body, problem) -> None:
    engine = MemoryEngine()
    engine.close_tick(1, free_desks=[(("1.01", 3), 1)])
    client = client_of(web_over(engine, tmp_path), Role.ANALYST)
    answer = client.post(
        "/api/why", json={"view": "free_desks", "where": {"room": "1.01"}} | body, headers=ORIGIN
    )
    assert answer.status_code == 400
    assert problem in answer.get_json()["error"]


def test_rates_and_prov_are_asked_over_http(tmp_path) -> None:
    engine = MemoryEngine()
    engine.close_tick(1, free_desks=[(("1.01", 3), 1)])
    client = client_of(web_over(engine, tmp_path), Role.ANALYST)
    asked = {"view": "free_desks", "where": {"room": "1.01"}}
    told = client.post("/api/why", json=asked | {"rates": {"free_desks": 0.25}}, headers=ORIGIN).get_json()
    assert told["probability"] == {"low": 0.75, "high": 0.75, "exact": True}
    assert "probability" not in client.post("/api/why", json=asked, headers=ORIGIN).get_json()
    made = client.post("/api/why", json=asked | {"format": "prov"}, headers=ORIGIN).get_json()
    assert len(made["activity"]) == 1
