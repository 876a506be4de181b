"""A plan's document, as ``engine.plan.explaining.document`` writes it."""

from app.openapi.shapes import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Schema,
    array,
    by_name,
    maybe,
    named,
    one_of,
    record,
)

SENT = record(rows=COUNT, bytes=COUNT)
SHARES = record(kept=array(COUNT), rounds=COUNT, last_rounds=COUNT, sent=by_name(SENT))
PASSED = record(ticks=COUNT, lasted=NUMBER, rows=COUNT, seconds=NUMBER)
OBSERVED = named(
    {
        "keeps": COUNT,
        "rows": maybe(NUMBER),
        "late": maybe(COUNT),
        "waiting": maybe(COUNT),
        "in": maybe(COUNT),
        "out": maybe(COUNT),
        "seconds": maybe(NUMBER),
        "passed": maybe(PASSED),
        "rows_a_second": maybe(NUMBER),
        "shares": maybe(SHARES),
    }
)
ROWS = record(
    value=NUMBER,
    expected=maybe(NUMBER),
    least=NUMBER,
    most=maybe(NUMBER),
    source=one_of("exact", "catalog", "observed", "default"),
)
NODE = record(
    id=TEXT,
    kind=TEXT,
    what=TEXT,
    site=TEXT,
    inputs=array(TEXT),
    fragment=maybe(TEXT),
    method=maybe(TEXT),
    number=maybe(WHOLE),
    rows=maybe(ROWS),
    cost=maybe(NUMBER),
    observed=maybe(OBSERVED),
    off=maybe(NUMBER),
)
EDGE = named(
    {"from": TEXT, "to": TEXT, "crosses": FLAG, "ships": maybe(array(TEXT)), "rows_a_second": maybe(NUMBER)}
)
COSTS = record(latency=NUMBER, bytes=NUMBER, energy=NUMBER)
ALTERNATIVE = record(name=TEXT, costs=COSTS, pareto=FLAG)
TIMES = record(latency=maybe(NUMBER), bytes=maybe(NUMBER), energy=maybe(NUMBER))
LOST = record(name=TEXT, costs=COSTS, pareto=FLAG, price=maybe(NUMBER), times=TIMES, why=TEXT, refused=FLAG)
ORDERED = record(order=TEXT, cost=NUMBER)
JOINED = record(
    inputs=array(record(name=TEXT, what=TEXT)),
    chosen=ORDERED,
    lost=array(record(order=TEXT, cost=NUMBER, times=maybe(NUMBER), why=TEXT)),
    searched=FLAG,
)
TURN = record(
    tick=COUNT,
    at=COUNT,
    promised=maybe(NUMBER),
    now=NUMBER,
    then=NUMBER,
    builds=NUMBER,
    before=array(TEXT),
    after=array(TEXT),
    surprises=array(record(what=TEXT, expected=NUMBER, rows=NUMBER)),
)
TICKS = record(
    state=one_of("well", "full", "late"), behind=NUMBER, takes=NUMBER, longest=NUMBER, every=NUMBER
)
GOAL = record(weights=by_name(NUMBER), lifetime=maybe(NUMBER), bytes_a_second=maybe(NUMBER))
SEARCH = record(
    considered=COUNT,
    recomputed=COUNT,
    switches=COUNT,
    abandoned=COUNT,
    predicted=maybe(NUMBER),
    observed=maybe(NUMBER),
)
ROOM = record(
    kept=NUMBER,
    most=NUMBER,
    shares=COUNT,
    fed=NUMBER,
    back=NUMBER,
    spread=array(record(name=TEXT, rows=NUMBER)),
    why=TEXT,
)

PARTS: dict[str, Schema] = {
    "Plan": record(
        root=TEXT,
        nodes=array(NODE),
        edges=array(EDGE),
        sites=array(record(site=TEXT, nodes=COUNT, rows=maybe(NUMBER), seconds=maybe(NUMBER))),
        missing=array(TEXT),
        choice=maybe(record(goal=GOAL, chosen=ALTERNATIVE, lost=array(LOST))),
        joins=array(JOINED),
        turns=array(TURN),
        search=maybe(SEARCH),
        suspended=maybe(TEXT),
        room=maybe(ROOM),
    )
}
