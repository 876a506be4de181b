"""An explained plan as text: one node a line, with its site, its rows and its cost.

join desk = desk                  stream: operators      rows 75    cost 512
  …
chosen for energy: semi join in the network      latency 1.2 s  bytes 96 B/s  energy 0.004 J/s
  lost: rows apart                               latency 1.1 s  …          7.6 times the energy

What is read more than once is one node: shown once, with a number, and after that by its number.
"""

from collections.abc import Iterator

from engine.plan.explaining.choosing import Alternative, Choice, Costs, Search, goal_text
from engine.plan.explaining.estimates import Estimate, Kept, number, off_by
from engine.plan.explaining.ordering import Joined
from engine.plan.explaining.sites import by_site, every
from engine.plan.explaining.tree import OPERATORS, Explained, ExplainedPlan
from engine.plan.explaining.turning import Turn

Line = tuple[str, str, str]


def as_text(plan: ExplainedPlan) -> str:
    """Return the plan as an indented table, and below it what else could have been."""
    parts = [in_columns(list(lines(plan.root, 0, set())))]
    parts += [f"{site}: {did}" for site, did in by_site(plan).items() if did.rows is not None]
    parts += [
        f"{each.what}: {each.kept.shares}" for each in every(plan.root) if each.kept and each.kept.shares
    ]
    if plan.room is not None:
        parts.append(str(plan.room))
    if plan.missing:
        parts.append(f"without {', '.join(plan.missing)}: not up, or still to answer")
    if plan.choice is not None:
        parts.append(in_columns(list(choice_lines(plan.choice))))
    if plan.root.kept is not None:
        parts += [in_columns(list(join_lines(each))) for each in plan.joins if each.lost]
    if plan.search is not None and plan.root.kept is not None:
        parts.append(search_text(plan.search))
    parts += map(turn_text, plan.turns)
    return "\n".join(parts)


def in_columns(found: list[Line]) -> str:
    widths = [max(len(line[i]) for line in found) for i in (0, 1)]
    return "\n".join(f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c}".rstrip() for a, b, c in found)


def lines(node: Explained, depth: int, shown: set[str]) -> Iterator[Line]:
    """Yield what is done, where, and how much it is."""
    indent = "  " * depth + ("" if node.number is None else f"({node.number}) ")
    if node.id in shown and node.number is not None:
        yield f"{indent}as above", OPERATORS, ""
        return
    shown.add(node.id)
    yield f"{indent}{node.what}", node.site, amounts(node)
    for each in node.inputs:
        yield from lines(each, depth + 1, shown)


def amounts(node: Explained) -> str:
    """Say how much is expected of a node, how much there is, and how far off the one is from the other."""
    if node.estimate is None:
        return ""
    text = f"rows {number(node.estimate.rows):>8}  cost {number(node.estimate.cost):>9}"
    if node.kept is None:
        return text
    return f"{text}{node.kept}{there(node.estimate, node.kept)}"


def there(estimate: Estimate, kept: Kept) -> str:
    """Say how many rows there are, analyzed, and how many times as many as were expected, where far off."""
    if kept.rows is None or kept.went is None:
        return ""
    ratio = off_by(estimate, kept)
    return f"  there {number(kept.rows):>8}" + ("" if ratio is None else f" ({ratio:.2g} times)")


def choice_lines(choice: Choice) -> Iterator[Line]:
    """Yield what was chosen, and each alternative with why it lost; those that cost the same are one line."""
    best = {each.costs for each in choice.pareto()}
    chosen = choice.chosen
    yield f"chosen for {goal_text(choice.goal)}: {chosen.name}", costs(chosen, best), chosen.refused
    for each, alike in choice.told():
        more = f" (and {alike} more alike)" if alike else ""
        yield f"  lost: {each.name}{more}", costs(each, best), choice.why_lost(each)


def costs(of: Alternative, best: set[Costs]) -> str:
    return f"{of.costs}{'  (Pareto)' if of.costs in best and not of.refused else ''}"


def join_lines(joined: Joined) -> Iterator[Line]:
    """Yield the order of a join that runs, and those that lost."""
    chosen = joined.chosen
    yield f"joined as {chosen.order}", f"{number(chosen.cost)} rows handled a tick", ""
    for each in joined.lost:
        yield f"  lost: {each.order}", number(each.cost), joined.why_lost(each)


def turn_text(turn: Turn) -> str:
    """Say when a plan was changed, from what to what, and why."""
    before, after, surprises = turn.compared
    told = f"changed in tick {turn.tick:,}: {both(before)} to {both(after)}, a tick cost {number(turn.now)}"
    seen = [f"{s.what} had {number(s.rows)} rows, {number(s.expected)} expected" for s in surprises]
    return "; ".join([f"{told} and was to cost {number(turn.then)} rows handled", *seen])


def both(parts: tuple[str, ...]) -> str:
    return " and ".join(parts) or "the same parts"


def search_text(search: Search) -> str:
    """Say how the plan was sought."""
    told = [f"{search.considered:,} ways to join considered", f"{search.recomputed:,} computed anew"]
    told.append(f"{search.switches:,} switches")
    if search.abandoned:
        told.append(f"{search.abandoned:,} given up")
    if search.predicted is not None:
        told.append(f"a tick was to cost {number(search.predicted)}")
    if search.observed is not None:
        told.append(f"by what was seen a tick costs {number(search.observed)} rows handled")
    return ", ".join(told)
