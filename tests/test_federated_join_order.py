"""The order of joins: any graph of predicates keeps its meaning, small inputs first, cross products last."""

from functools import reduce
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.leaves import StreamFragment, Table
from engine.plan.logical import Join, Scan
from engine.plan.physical import HashJoin, Physical, children
from federated.estimating.cost import CostModel
from federated.estimating.statistics import Statistics
from federated.joining.join_order import JoinOrder
from federated.placing.placement import place
from tests.memory_log import MemoryLog
from tests.oracle import evaluate, run
from tests.strategies import few

COLUMNS = (Column("a", Type.BIGINT), Column("b", Type.BIGINT))
RELATIONS = [Relation(f"t{i}", RelationKind.TABLE, COLUMNS, ("a",) if i % 2 else ()) for i in range(5)]


def field(position: int) -> Expr:
    return Field(position, Type.BIGINT)


def call(name: str, *args: Expr) -> Expr:
    return Call(name, args, Type.BIGINT if name == "+" else Type.BOOLEAN)


@st.composite
def predicates(draw, width: int) -> Expr:
    """An equality of two columns more often than anything else."""
    positions = st.integers(0, width - 1)
    one, other, third = field(draw(positions)), field(draw(positions)), field(draw(positions))
    choices = [call("=", one, other)] * 4 + [
        call("<", one, other),
        call("=", call("+", one, other), third),
        call("=", one, Literal(1, Type.BIGINT)),
        call("or", call("=", one, other), call("=", other, third)),
        call("is_null", one),
        Literal(True, Type.BOOLEAN),
        Literal(None, Type.BOOLEAN),
    ]
    return draw(st.sampled_from(choices))


@st.composite
def graphs(draw) -> Join:
    count = draw(st.integers(1, 5))
    inputs = tuple(Scan(draw(st.sampled_from(RELATIONS)), None) for _ in range(count))
    return Join(inputs, tuple(draw(st.lists(predicates(2 * count), max_size=5))))


def model_of(sizes: dict[str, int]) -> CostModel:
    statistics = Statistics()
    for relation in RELATIONS:
        leaf = Table(relation, StreamFragment(relation.name, relation.columns))
        statistics.observe(leaf, sizes.get(relation.name, 10))
    return CostModel(statistics)


def log_of(seed: int) -> MemoryLog:
    random, log = Random(seed), MemoryLog()
    values = [0, 1, 2, None]
    for _ in range(20):
        log.write(0, random.choice(RELATIONS).name, (random.choice(values), random.choice(values)))
    return log


@few(150)
@given(graphs(), st.integers(0, 10**6), st.lists(st.sampled_from([0, 1, 10, 10**6]), min_size=5, max_size=5))
def test_any_graph_keeps_its_meaning_in_any_order(join, seed, sizes):
    log = log_of(seed)
    plan = place(join, model_of({r.name: size for r, size in zip(RELATIONS, sizes, strict=True)}))
    assert run(plan, log.readings, log.stamps[-1]) == evaluate(join, log.readings, log.stamps[-1])


def joins(plan: Physical) -> list[HashJoin]:
    below = [found for child in children(plan) for found in joins(child)]
    return [plan, *below] if isinstance(plan, HashJoin) else below


def order(plan: Physical) -> list[str]:
    if isinstance(plan, Table):
        return [plan.relation.name]
    return reduce(list.__add__, map(order, children(plan)))


def chain(*names: str) -> Join:
    """Each joined with the next on its second column."""
    scans = tuple(Scan(next(r for r in RELATIONS if r.name == name), None) for name in names)
    links = (call("=", field(2 * i + 1), field(2 * i + 2)) for i in range(len(names) - 1))
    return Join(scans, tuple(links))


@few(40)
@given(st.lists(st.sampled_from([1, 5, 100, 10**5]), min_size=5, max_size=5))
def test_a_connected_graph_has_no_cross_product(sizes):
    model = model_of({r.name: size for r, size in zip(RELATIONS, sizes, strict=True)})
    plan = place(chain("t0", "t1", "t2", "t3", "t4"), model)
    assert len(joins(plan)) == 4
    assert all(join.left_keys for join in joins(plan))


def test_two_large_ones_meet_only_after_a_small_one_left_few_of_one_of_them():
    model = model_of({"t0": 1000, "t1": 500, "t2": 3, "t4": 50})
    plan = place(chain("t0", "t1", "t2", "t3", "t4"), model)
    met = [set(order(join)) for join in joins(plan)]
    assert {"t0", "t1"} not in met


def test_each_predicate_is_used_once():
    same = call("=", field(0), field(2))
    plan = JoinOrder(
        (place(Scan(RELATIONS[0], None), model_of({})), place(Scan(RELATIONS[2], None), model_of({}))),
        (same, same, call("=", field(1), field(3))),
        model_of({}),
    ).plan()
    assert isinstance(plan, HashJoin), "nothing is left to select"
    assert len(plan.left_keys) in (2, 3)
