"""The best tree of a join is the cheapest of all; what was seen of its parts goes before what was guessed."""

from collections.abc import Iterator
from random import Random

import pytest

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field
from engine.plan.leaves import StreamFragment, Table
from engine.plan.physical import Filter, HashJoin, Physical, children
from federated.estimating.cost import CostModel
from federated.estimating.statistics import Statistics
from federated.joining.predicates import Predicates
from federated.joining.region import Region
from federated.joining.trees import Tree, build, joined, mask_of
from federated.memo.sets import parts_of

COLUMNS = (Column("a", Type.BIGINT), Column("b", Type.BIGINT), Column("x", Type.DOUBLE))
INPUTS = tuple(
    Table(relation, StreamFragment(relation.name, relation.columns))
    for relation in (Relation(f"t{i}", RelationKind.TABLE, COLUMNS) for i in range(12))
)


def field(of: int, column: int = 0) -> Field:
    return Field(of * len(COLUMNS) + column, COLUMNS[column].type)


def equal(one: Expr, other: Expr) -> Expr:
    return Call("=", (one, other), Type.BOOLEAN)


def less(one: Expr, other: Expr) -> Expr:
    return Call("<", (one, other), Type.BOOLEAN)


def trees_over(numbers: tuple[int, ...]) -> Iterator[Tree]:
    """Yield every tree over these inputs, each once."""
    if len(numbers) == 1:
        yield numbers[0]
        return
    first, *rest = numbers
    for taken in range(2 ** len(rest) - 1):
        left = (first, *(n for i, n in enumerate(rest) if taken >> i & 1))
        right = tuple(n for n in rest if n not in left)
        for one in trees_over(left):
            for other in trees_over(right):
                yield joined(one, other)


def drawn(random: Random, count: int) -> tuple[Expr, ...]:
    asked = []
    for i in range(1, count):
        sign = random.choice([equal, equal, equal, less])
        asked.append(sign(field(i, random.randrange(2)), field(random.randrange(i), random.randrange(2))))
    for _ in range(random.randrange(3)):
        one, other = random.sample(range(count), 2)
        asked.append(random.choice([equal, less])(field(one), field(other, 1)))
    return tuple(asked)


def observed(random: Random, count: int) -> tuple[Statistics, CostModel]:
    statistics = Statistics()
    for plan in INPUTS[:count]:
        rows = random.choice([1, 10, 500, 20_000])
        statistics.observe(plan, rows, 0, 1)
        statistics.observe(plan, rows, random.choice([0, 5, 300]), 2)
    return statistics, CostModel(statistics)


def region_of(predicates: tuple[Expr, ...], count: int) -> Region:
    return Region((len(COLUMNS),) * count, predicates)


@pytest.mark.parametrize("seed", range(60))
def test_no_tree_is_cheaper_than_the_best_whatever_changes(seed):
    random = Random(seed)
    count = random.randint(2, 5)
    region = region_of(drawn(random, count), count)
    statistics, model = observed(random, count)
    for tick in range(3, 9):
        tree, _ = region.plan(INPUTS[:count], model)
        related = [each for each in trees_over(tuple(range(count))) if is_related(region, each)]
        assert tree in related
        assert region.cost(tree, model) == pytest.approx(min(region.cost(each, model) for each in related))
        built = region.built(random.choice(related)).plan
        for plan in (random.choice(INPUTS[:count]), built):
            statistics.observe(plan, random.choice([0, 3, 10_000]), 10 * tick, tick)
        model = CostModel(statistics)


def is_related(region: Region, tree: Tree) -> bool:
    """Tell whether a tree makes a product only where nothing relates what it joins."""
    if isinstance(tree, int):
        return True
    neighbours = region.graph.neighbours
    whole, parts = mask_of(tree), [mask_of(each) for each in tree]
    is_whole = len(parts_of(whole, neighbours)) == 1
    apart = [part for each in parts for part in parts_of(each, neighbours)]
    fine = len(apart) == 2 if is_whole else sorted(apart) == sorted(parts_of(whole, neighbours))
    return fine and all(is_related(region, each) for each in tree)


@pytest.mark.parametrize("seed", range(60))
def test_each_predicate_is_used_once_whatever_the_tree(seed):
    random = Random(seed)
    count = random.randint(2, 5)
    asked = drawn(random, count)
    predicates = Predicates((len(COLUMNS),) * count, asked)
    tree = random.choice(list(trees_over(tuple(range(count)))))
    built = build(tree, INPUTS[:count], predicates, lambda _mask, _plan: None)
    assert sorted(built.place.values()) == list(range(count * len(COLUMNS)))
    classes = len({f for each in predicates.classes for f in each}) - len(predicates.classes)
    inside = sum(len(predicates.within(i)) for i in range(count))
    others = sum(each.mask.bit_count() > 1 for each in predicates.others)
    own = len(predicates.others) - others
    assert used(built.plan) == classes - (inside - own) + others


def used(plan: Physical) -> int:
    here = len(plan.left_keys) if isinstance(plan, HashJoin) else 0
    if isinstance(plan, Filter):
        predicate = plan.predicate
        here = len(predicate.args) if isinstance(predicate, Call) and predicate.function == "and" else 1
    return here + sum(map(used, children(plan)))


def test_columns_of_one_type_are_equal_through_others_and_those_of_two_types_are_not():
    same = Predicates((3,) * 3, (equal(field(0), field(1)), equal(field(1), field(2))))
    assert same.between(0b001, 0b100)[0] == ((field(0), field(2)),)
    mixed = Predicates((3,) * 3, (equal(field(0), field(1, 2)), equal(field(1, 2), field(2))))
    assert mixed.between(0b001, 0b100) == ((), ())
    twice = Predicates((3,) * 2, (equal(field(0), field(1)), equal(field(0, 1), field(1))))
    assert twice.within(0) == (equal(field(0), field(0, 1)),)
    assert twice.between(0b01, 0b10)[0] == ((field(0), field(1)),)


def test_what_was_seen_of_a_set_is_a_factor_of_all_larger_ones_and_of_no_other():
    asked = tuple(equal(field(i), field(i + 1, 1)) for i in range(3))
    region, statistics = region_of(asked, 4), Statistics()
    for plan in INPUTS[:4]:
        statistics.observe(plan, 100)
    model = CostModel(statistics)
    region.plan(INPUTS[:4], model)
    before = {mask: region.rows(mask) for mask in (0b0011, 0b0111, 0b1111, 0b1100)}
    pair = region.built((0, 1)).plan
    statistics.observe(pair, int(before[0b0011] / 5))
    region.best(CostModel(statistics))
    for mask, rows in before.items():
        factor = int(before[0b0011] / 5) / before[0b0011] if mask & 0b0011 == 0b0011 else 1
        assert region.rows(mask) == pytest.approx(rows * factor)


def test_what_changes_often_meets_first_what_leaves_little_of_it():
    """Sizes are alike: where an input's rows change a thousand times as often, its changes decide."""
    asked = (equal(field(0), field(1)), equal(field(1, 1), field(2)), equal(field(2, 1), field(3)))
    statistics = Statistics()
    for number, plan in enumerate(INPUTS[:4]):
        statistics.observe(plan, 100, 0, 1)
        statistics.observe(plan, 100, 1_000 if number == 0 else 1, 2)
    region, model = region_of(asked, 4), CostModel(statistics)
    tree, _ = region.plan(INPUTS[:4], model)
    assert tree == (0, ((1, 2), 3)) or tree == (0, (1, (2, 3)))


def test_beyond_ten_inputs_the_next_join_is_the_cheapest():
    asked = tuple(equal(field(i), field(i + 1, 1)) for i in range(11))
    random = Random(1)
    region, (_, model) = region_of(asked, 12), observed(random, 12)
    tree, built = region.plan(INPUTS, model)
    assert mask_of(tree) == 2**12 - 1
    assert all(join.left_keys for join in joins_of(built.plan))


def joins_of(plan: Physical) -> list[HashJoin]:
    below = [found for child in children(plan) for found in joins_of(child)]
    return [plan, *below] if isinstance(plan, HashJoin) else below
