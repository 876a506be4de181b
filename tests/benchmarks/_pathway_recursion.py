"""Pathway as a peer: recursive views kept live, one event at a time.

An event is what comes between two commits; its time ends with the sink's end-of-time. A mark that goes
through the same pipeline changes at every event, so that the end of one without effect is seen too.
"""

import logging
import threading
import time

import pathway as pw

from tests.benchmarks._peers import serve

DEADLINE = 300
logging.disable(logging.WARNING)


class Link(pw.Schema):
    source: int = pw.column_definition(primary_key=True)
    target: int = pw.column_definition(primary_key=True)
    cost: int


class Feed(pw.io.python.ConnectorSubject):
    """Commits the load, then event by event, each when the one before has come out."""

    def __init__(self, links, events):
        super().__init__(datasource_name="links")
        self.links, self.events = links, events
        self.done = threading.Event()
        self.mark = 0
        self.times, self.answers = [], []

    def run(self):
        self.send([(1, *link) for link in self.links])
        for event in self.events:
            self.send(event)

    def send(self, changes):
        self.done.clear()
        started = time.perf_counter()
        for sign, source, target, cost in changes:
            (self.next if sign > 0 else self.delete)(source=source, target=target, cost=cost)
        self.mark -= 1
        self.next(source=self.mark, target=self.mark, cost=0)
        if self.mark < -1:
            self.delete(source=self.mark + 1, target=self.mark + 1, cost=0)
        self.commit()
        if not self.done.wait(DEADLINE):
            raise TimeoutError
        self.times.append(1000 * (time.perf_counter() - started))


def reachable(links):
    def step(reached, links):
        further = links.join(reached, pw.left.target == pw.right.source).select(
            source=pw.left.source, target=pw.right.target
        )
        both = links.select(pw.this.source, pw.this.target).concat_reindex(further)
        return {"reached": both.groupby(both.source, both.target).reduce(both.source, both.target)}

    start = links.groupby(links.source, links.target).reduce(links.source, links.target)
    return pw.iterate(step, reached=pw.iterate_universe(start), links=links)["reached"]


def cheapest(links):
    def step(best, links):
        further = links.join(best, pw.left.target == pw.right.source).select(
            source=pw.left.source, target=pw.right.target, cost=pw.left.cost + pw.right.cost
        )
        both = links.select(pw.this.source, pw.this.target, pw.this.cost).concat_reindex(further)
        return {"best": least(both)}

    def least(paths):
        return paths.groupby(paths.source, paths.target).reduce(
            paths.source, paths.target, cost=pw.reducers.min(paths.cost)
        )

    return pw.iterate(step, best=pw.iterate_universe(least(links)), links=links)["best"]


def answer(question):
    feed = Feed(question["links"], question["events"])
    links = pw.io.python.read(feed, schema=Link, autocommit_duration_ms=None)
    best = question["task"] == "cheapest"
    result = cheapest(links) if best else reachable(links)
    held = {"rows": 0, "cost": 0}
    marks = set()

    def on_change(key, row, time, is_addition):
        sign = 1 if is_addition else -1
        if row["source"] < 0:
            if is_addition:
                marks.add(row["source"])
            return
        held["rows"] += sign
        held["cost"] += sign * row.get("cost", 0)

    def on_time_end(time):
        if feed.mark in marks:
            feed.answers.append([held["rows"], held["cost"]])
            marks.clear()
            feed.done.set()

    pw.io.subscribe(result, on_change=on_change, on_time_end=on_time_end)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
    return {"load": feed.times[0], "times": feed.times[1:], "answers": feed.answers}


if __name__ == "__main__":
    serve(answer)
