"""The programs of `make bench-general` in Pathway: runs in its Python, asked by lines of JSON.

    {"program": name, "inputs": {relation: [column, column]}}     builds the dataflow
    {"changes": [[relation, sign, [a, b]], …]}                    one commit; answers when it is through
    {"rows": true}                                                all rows of the result

All relations come through one connector, tagged, so that a commit is one time for all of them. With
each commit goes a mark, to the result's sink; a commit is through when the sink closed the mark's time.
"""

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import pathway as pw

from tests.benchmarks._peers import serve

MARK = "mark"
Tables = dict[str, pw.Table]


class Tagged(pw.Schema):
    """A row of any relation."""

    relation: str = pw.column_definition(primary_key=True)
    a: int = pw.column_definition(primary_key=True)
    b: int = pw.column_definition(primary_key=True)


class Changes(pw.io.python.ConnectorSubject):
    """What is asked for, one commit at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: queue.Queue[list[Any]] = queue.Queue()

    def run(self) -> None:
        while True:
            for relation, sign, (a, b) in self.asked.get():
                if sign > 0:
                    self.next(relation=relation, a=a, b=b)
                else:
                    self.delete(relation=relation, a=a, b=b)
            self.commit()


def distinct(table: pw.Table) -> pw.Table:
    return table.groupby(table.a, table.b).reduce(table.a, table.b)


def either(*tables: pw.Table) -> pw.Table:
    return distinct(pw.Table.concat_reindex(*tables))


def after(first: pw.Table, second: pw.Table) -> pw.Table:
    """(x, y) where first(x, z), second(z, y)."""
    return first.join(second, first.b == second.a).select(a=first.a, b=second.b)


def turned(table: pw.Table) -> pw.Table:
    return table.select(a=table.b, b=table.a)


def nonlinear_closure(link: pw.Table) -> pw.Table:
    def step(closure: pw.Table, link: pw.Table) -> dict[str, pw.Table]:
        return {"closure": either(link, after(closure, closure.copy()))}

    return pw.iterate(step, closure=pw.iterate_universe(distinct(link)), link=link).closure


def mutual_recursion(link: pw.Table) -> pw.Table:
    def step(even: pw.Table, odd: pw.Table, link: pw.Table) -> dict[str, pw.Table]:
        return {"even": distinct(after(link, odd)), "odd": either(link, after(link, even))}

    nothing = link.filter(link.a != link.a)
    found = pw.iterate(
        step, even=pw.iterate_universe(distinct(nothing)), odd=pw.iterate_universe(distinct(link)), link=link
    )
    return found.even


def same_generation(up: pw.Table) -> pw.Table:
    siblings = distinct(after(up, turned(up)))

    def step(same: pw.Table, up: pw.Table, siblings: pw.Table) -> dict[str, pw.Table]:
        return {"same": either(siblings, after(after(up, same), turned(up)))}

    return pw.iterate(step, same=pw.iterate_universe(siblings), up=up, siblings=siblings).same


def points_to(new: pw.Table, assign: pw.Table, load: pw.Table, store: pw.Table) -> pw.Table:
    def step(
        points: pw.Table, held: pw.Table, new: pw.Table, assign: pw.Table, load: pw.Table, store: pw.Table
    ) -> dict[str, pw.Table]:
        through = after(after(load, points), held)
        stored = after(after(turned(points), store), points.copy())
        return {"points": either(new, after(assign, points), through), "held": distinct(stored)}

    nothing = distinct(new.filter(new.a != new.a))
    found = pw.iterate(
        step,
        points=pw.iterate_universe(distinct(new)),
        held=pw.iterate_universe(nothing),
        new=new,
        assign=assign,
        load=load,
        store=store,
    )
    return found.points


def active_region(near: pw.Table, triggered: pw.Table, seed: pw.Table) -> pw.Table:
    on = triggered.select(a=triggered.a, b=triggered.a)
    lit = after(near, on)
    begun = distinct(after(seed, on))

    def step(active: pw.Table, lit: pw.Table, begun: pw.Table) -> dict[str, pw.Table]:
        return {"active": either(begun, after(active, lit))}

    return pw.iterate(step, active=pw.iterate_universe(begun), lit=lit, begun=begun).active


PROGRAMS: dict[str, Callable[..., pw.Table]] = {
    "non-linear closure": nonlinear_closure,
    "mutual recursion": mutual_recursion,
    "same generation": same_generation,
    "points-to": points_to,
    "active region": active_region,
}


class Live:
    """A running dataflow and what its sink was told."""

    def __init__(self, program: str, inputs: dict[str, Any]) -> None:
        self.changes = Changes()
        tagged = pw.io.python.read(self.changes, schema=Tagged, autocommit_duration_ms=None)
        tables = [self.relation(tagged, name) for name in inputs]
        self.rows: dict[tuple[int, int], int] = {}
        self.marked = self.closed = -1
        self.told = threading.Condition()
        self.sent = 0
        result = PROGRAMS[program](*tables).concat_reindex(self.relation(tagged, MARK))
        pw.io.subscribe(result, on_change=self.on_change, on_time_end=self.on_time_end)
        run = threading.Thread(
            target=pw.run, kwargs={"monitoring_level": pw.MonitoringLevel.NONE}, daemon=True
        )
        run.start()

    def relation(self, tagged: pw.Table, name: str) -> pw.Table:
        return tagged.filter(tagged.relation == name).select(pw.this.a, pw.this.b)

    def on_change(self, key: Any, row: dict[str, Any], time: int, is_addition: bool) -> None:
        pair = (row["a"], row["b"])
        if pair[0] < 0:
            self.marked = max(self.marked, pair[1])
        else:
            self.rows[pair] = self.rows.get(pair, 0) + (1 if is_addition else -1)

    def on_time_end(self, time: int) -> None:
        with self.told:
            self.closed = self.marked
            self.told.notify()

    def apply(self, changes: list[Any]) -> float:
        """Return the seconds from the commit to the close of its time at the sink."""
        self.sent += 1
        began = time.perf_counter()
        self.changes.asked.put([*changes, (MARK, 1, (-1, self.sent))])
        with self.told:
            self.told.wait_for(lambda: self.closed == self.sent)
        return time.perf_counter() - began

    def standing(self) -> list[tuple[int, int]]:
        return sorted(pair for pair, count in self.rows.items() if count)


class Answers:
    """One dataflow, made by the first question."""

    def __init__(self) -> None:
        self.live: Live | None = None

    def __call__(self, question: dict[str, Any]) -> Any:
        if "program" in question:
            self.live = Live(question["program"], question["inputs"])
            return None
        assert self.live
        return self.live.standing() if "rows" in question else self.live.apply(question["changes"])


if __name__ == "__main__":
    serve(Answers())
