"""Plans made of plans: each node once, its inputs before it, however many read it.

rewritten(plan, f)  =  f(node over its rewritten inputs)        where nothing changes the node itself stays
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from engine.plan.constant import Constant
from engine.plan.logical import AntiJoin, Fixpoint, Join, Plan, Recur, Scan, Union, inputs_of
from engine.plan.nearest import Nearest
from engine.plan.outer_join import OuterJoin

Change = Callable[[Plan], Plan]


def over(plan: Plan, change: Change) -> Plan:
    """Return the plan with each of its inputs changed."""
    before = inputs_of(plan)
    after = tuple(map(change, before))
    is_same = all(old is new for old, new in zip(before, after, strict=True))
    return plan if is_same else _with(plan, after)


def _with(plan: Plan, inputs: tuple[Plan, ...]) -> Plan:
    match plan:
        case Scan() | Constant() | Recur():
            return plan
        case Join() | Union():
            return replace(plan, inputs=inputs)
        case AntiJoin() | OuterJoin():
            return replace(plan, left=inputs[0], right=inputs[1])
        case Nearest():
            return replace(plan, ways=inputs[0], targets=inputs[1])
        case Fixpoint(definitions):
            rest = iter(inputs)
            changed = (replace(d, bodies=tuple(islice(rest, len(d.bodies)))) for d in definitions)
            return replace(plan, definitions=tuple(changed))
        case _:
            return replace(plan, child=inputs[0])


def bottom_up(plan: Plan) -> list[Plan]:
    """Return all nodes, each once and behind its inputs."""
    found: dict[int, Plan] = {}
    unseen = [(plan, False)]
    while unseen:
        node, is_ready = unseen.pop()
        if is_ready:
            found[id(node)] = node
        elif id(node) not in found:
            unseen.append((node, True))
            unseen += [(each, False) for each in inputs_of(node)]
    return list(found.values())


def rewritten(plan: Plan, change: Change) -> Plan:
    """Change each node, its inputs first; a node remembers what a change, a function by name, made of it."""
    name = f"{change.__module__}.{change.__qualname__}"
    for node in bottom_up(plan):
        if name not in vars(node):
            made = change(over(node, lambda below: vars(below)[name]))
            vars(node)[name] = node if made == node else made
    found: Plan = vars(plan)[name]
    return found


def each_once(plan: Plan, change: Callable[[Plan, Plan], Plan]) -> Plan:
    """Change each node, given as it was and over its changed inputs; nothing is remembered."""
    known: dict[int, Plan] = {}
    for node in bottom_up(plan):
        known[id(node)] = change(node, over(node, lambda below: known[id(below)]))
    return known[id(plan)]


def apart(plan: Plan, change: Change) -> Plan:
    """Change what is read more than once by itself, and what reads it without looking into it."""
    nodes = bottom_up(plan)
    readers = Counter(id(each) for node in nodes for each in inputs_of(node))
    parts: list[Plan] = []
    known: dict[int, Plan] = {}
    for node in nodes:
        made = over(node, lambda below: known[id(below)])
        if readers[id(node)] > 1 and inputs_of(node):
            parts.append(change(made))
            made = Recur(-len(parts), node.columns)
        known[id(node)] = made
    whole: list[Plan] = []

    def put_back(_: Plan, node: Plan) -> Plan:
        return whole[-node.number - 1] if isinstance(node, Recur) and node.number < 0 else node

    for part in (*parts, change(known[id(plan)])):
        whole.append(each_once(part, put_back))
    return whole[-1]


def within_rounds(plan: Plan, rounds: int) -> Plan:
    """Return the plan with every recursion in it bounded to so many rounds a tick."""

    def bounded(_: Plan, node: Plan) -> Plan:
        if not isinstance(node, Fixpoint):
            return node
        return replace(node, rounds=rounds if node.rounds is None else min(node.rounds, rounds))

    return each_once(plan, bounded)


def size(plan: Plan) -> int:
    """Count the nodes, each once."""
    return len(bottom_up(plan))


def paths(plan: Plan) -> int:
    """Count the nodes as often as they are read."""
    known: dict[int, int] = {}
    for node in bottom_up(plan):
        known[id(node)] = 1 + sum(known[id(each)] for each in inputs_of(node))
    return known[id(plan)]
