"""Golden scripts: what the engine says, recorded beside the comment that says what must hold.

# a comment
verb> input, which may go on
over lines
---
recorded output

catalog>  stream s(k text, x double) window ROWS 1        relations; a new, empty session
          stream e(k text, at timestamp) event_time at lateness 5 seconds device badge
          table t(k text, n bigint) key k site database:hall
parse>    the kinds of the statements of a script
view>     CREATE VIEW …
plan>     the logical plan of a SELECT, before anyone rewrites it
explain>  the physical plan
error>    the error, and the part of the text that its span covers
run>      2s + s ('a', 0.5), ('b', NULL)                  entries of the log; a tick closes after the
          0s - t ('a', 1)                                 last; what changed in the views; @2.5 is
                                                          2.5 s after the log's beginning
rows>     the rows of a view, or why it has none
sql>      :name = value                                   a script of statements, with the values of its
          SELECT …; CREATE VIEW …; EXPLAIN WHY …          parameters before it; what each leads to
datalog>, classes>, refused>                              a program of Datalog: see ``golden_datalog``
"""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from engine.lang.streamsql import CreateView, Query, parse, parse_script
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.catalog import Catalog
from engine.model.errors import PlanError, QueryError
from engine.model.relation import DEFAULT_SKEW, STREAM_SITE, Column, Relation, RelationKind
from engine.model.values import Row, Type, Value
from engine.outcomes import Changed, Listing, NotThere, Outcome
from engine.outcomes import Plan as Explained
from engine.plan.aggregates import call_text
from engine.plan.constant import Constant
from engine.plan.explaining import as_document, as_text
from engine.plan.explaining.describing import meeting, named, top_text
from engine.plan.expressions import to_text
from engine.plan.logical import (
    Aggregate,
    AntiJoin,
    Join,
    Plan,
    Project,
    Scan,
    Select,
    Top,
    inputs_of,
)
from engine.plan.outer_join import OuterJoin
from engine.session import Session
from engine.statements import Statements, prepared
from engine.views.why.effort import Effort
from ingest.checked_yaml import duration
from tests.golden_datalog import check, classes, installed, refused, told_of
from tests.memory_log import ORIGIN, Change, Entry, MemoryLog

RELATION = re.compile(r"(stream|table) (\w+)\((.*?)\)(.*)")
CLAUSES = "window|key|event_time|skew|lateness|device|site"
CLAUSE = re.compile(rf" ({CLAUSES}) (.*?)(?= (?:{CLAUSES}) |$)")
GIVEN = re.compile(r":(\w+) = (.*)\n")
ENTRY = re.compile(r"([\d.]+)s(?: ([+-]) (\w+) (.*))?")


class Step(NamedTuple):
    """A comment with the lines around it, a verb, its input, and what was recorded."""

    before: str
    verb: str
    text: str
    recorded: str


STEP = re.compile(r"((?:#[^\n]*\n|\n)*)(\w+)>[ \n](.*?)\n---\n(.*?)(?=\n\n|\n*\Z)", re.DOTALL)


def steps(script: str) -> list[Step]:
    found = [Step(*match.groups()) for match in STEP.finditer(script)]
    read = "".join(f"{s.before}{s.verb}> {s.text}\n---\n{s.recorded}\n" for s in found)
    assert re.sub(r"\s", "", read) == re.sub(r"\s", "", script), "a part of the script is no step"
    return found


def written(found: list[Step]) -> str:
    return "\n".join(f"{s.before.lstrip()}{s.verb}> {s.text}\n---\n{s.recorded}\n" for s in found)


class Golden:
    """Runs steps, one after the other, over one session."""

    def __init__(self) -> None:
        self.verbs: dict[str, Callable[[str], str]] = {
            "catalog": self.catalog, "parse": self.parse, "view": self.view, "plan": self.plan,
            "explain": self.explain, "error": self.error, "run": self.run, "rows": self.rows,
            "sql": self.sql, "datalog": self.datalog, "classes": classes, "refused": self.refused,
        }  # fmt: skip
        self.catalog("")

    def answer(self, step: Step) -> str:
        return self.verbs[step.verb](step.text)

    def catalog(self, text: str) -> str:
        relations = [relation(line) for line in text.splitlines()]
        self.log, self.known = MemoryLog(), Catalog(relations)
        self.session: Session = self.log.session(self.known)
        self.programs: dict[str, Plan] = {}
        return ", ".join(each.name for each in relations)

    def parse(self, text: str) -> str:
        found = [
            (type(each).__name__, getattr(each, "name", "") or ", ".join(getattr(each, "names", ())))
            for each in parse_script(text)
        ]
        return "\n".join(f"{kind} {name}".strip() for kind, name in found)

    def view(self, text: str) -> str:
        name = self.session.create_view(text)
        info = next(view for view in self.session.views() if view.name == name)
        return f"{info.name}({', '.join(f'{c.name} {c.type}' for c in info.columns)})"

    def plan(self, text: str) -> str:
        statement = parse(text)
        assert isinstance(statement, Query | CreateView)
        views = {view.name: view.logical for view in self.session._views}
        return "\n".join(outline(SelectBinder(self.known, views).bind(statement.select)))

    def explain(self, text: str) -> str:
        return as_text(self.session.explain(text))

    def error(self, text: str) -> str:
        given, text = given_in(text)
        try:
            done = self.outcomes(text, given)
        except (QueryError, PlanError) as error:
            span = error.span if isinstance(error, QueryError) else None
            covered = text[span.start : span.end] if span else ""
            return f"{error.message}\n{covered}".strip()
        raise AssertionError(f"no error, but {done}")

    def sql(self, text: str) -> str:
        is_ordered = "ORDER BY" in text.upper()
        given, text = given_in(text)
        return "\n".join(told(outcome, is_ordered) for outcome in self.outcomes(text, given))

    def outcomes(self, text: str, given: dict[str, Value]) -> list[Outcome]:
        statements = Statements(self.session, lambda: Effort(60.0, 100_000, lambda: 0.0))
        return [statements.execute(statement, given) for statement in prepared(text, given)]

    def datalog(self, text: str) -> str:
        found = installed(self.session, self.known, text)
        self.programs |= found.plans
        check(self.session, self.log, self.programs)
        return told_of(found)

    def refused(self, text: str) -> str:
        return refused(self.known, text)

    def run(self, text: str) -> str:
        for line in text.splitlines():
            self.log.append(entry(line))
        deltas = self.log.tick(self.session)
        check(self.session, self.log, self.programs)
        told = [
            f"{'+' if n > 0 else '-'} {d.view} {shown(row)}{times(abs(n))}"
            for d in deltas
            for row, n in d.changes
        ]
        return "\n".join(sorted(told, key=lambda line: line[2:])) or "nothing changed"

    def rows(self, text: str) -> str:
        try:
            found = self.session.snapshot(text).rows
        except QueryError as error:
            return error.message
        return "\n".join(sorted(shown(row) + times(n) for row, n in found)) or "no rows"


def relation(line: str) -> Relation:
    """Read ``stream name(column type, …) window … key … event_time … lateness n seconds …`` of a line."""
    match = RELATION.fullmatch(line)
    assert match, line
    kind, name, columns, rest = match.groups()
    found = dict(CLAUSE.findall(rest))
    typed = [column.split() for column in columns.split(", ")]
    return Relation(
        name,
        RelationKind(kind),
        tuple(Column(c, Type(t)) for c, t in typed),
        tuple(found["key"].split(", ")) if "key" in found else (),
        found.get("window"),
        kind,
        found.get("event_time"),
        duration(found, "skew", name, DEFAULT_SKEW),
        duration(found, "lateness", name, 0),
        found.get("device"),
        found.get("site", STREAM_SITE),
    )


def entry(line: str) -> Entry:
    match = ENTRY.fullmatch(line)
    assert match, line
    gap, sign, name, values = match.groups()
    python = re.sub(r"\b(TRUE|FALSE|NULL)\b", lambda m: m[1].title().replace("Null", "None"), values or "")
    python = re.sub(r"@(-?[\d.]+)", lambda m: str(ORIGIN + round(float(m[1]) * 1e6)), python)
    rows = [row if isinstance(row, tuple) else (row,) for row in ast.literal_eval(f"[{python}]")]
    return Entry(round(float(gap) * 1e6), [Change(name, 1 if sign == "+" else -1, row) for row in rows])


def given_in(text: str) -> tuple[dict[str, Value], str]:
    """The values before a script, and the script."""
    given = {}
    while match := GIVEN.match(text):
        given[match[1]] = ast.literal_eval(match[2])
        text = text[match.end() :]
    return given, text


def told(outcome: Outcome, is_ordered: bool) -> str:
    match outcome:
        case Changed(done, kind, names):
            return f"{done} {kind} {', '.join(names)}"
        case Listing(columns, rows):
            lines = list(map(shown, rows))
            names = ", ".join(column.name for column in columns)
            return "\n".join([names, *(lines if is_ordered else sorted(lines))])
        case Explained(plan, form):
            return as_text(plan) if form == "text" else json.dumps(as_document(plan), indent=1)
        case NotThere(snapshot, row, missing):
            gaps = [f"{gap.reason} of {gap.of} {gap.wanted}" for gap in missing.gaps]
            return "\n".join([f"{snapshot.view} has no {shown(row)}", *gaps])
    stands = sorted(f"{relation} {shown(row)}" for relation, row in outcome.witness)
    return "\n".join([f"{outcome.view} {shown(outcome.row)} stands on", *stands])


def shown(row: Row) -> str:
    values = ["NULL" if v is None else str(v).upper() if isinstance(v, bool) else repr(v) for v in row]
    return f"({', '.join(values)})"


def times(count: int) -> str:
    return f" {count} times" if count != 1 else ""


def outline(plan: Plan, depth: int = 0) -> list[str]:
    """A logical plan, one node a line."""
    below = (line for each in inputs_of(plan) for line in outline(each, depth + 1))
    return ["  " * depth + headline(plan), *below]


def headline(plan: Plan) -> str:
    match plan:
        case Scan(of, window):
            return f"scan {of.name}" + (f" [{window}]" if window else "")
        case Constant(rows):
            return f"{len(rows)} constant rows"
        case Join(_, predicates):
            return f"join {' and '.join(map(to_text, predicates)) or 'all combinations'}"
        case Select(_, predicate):
            return f"select {to_text(predicate)}"
        case Project(_, expressions, columns):
            return "project " + ", ".join(named(e, c.name) for e, c in zip(expressions, columns, strict=True))
        case Aggregate(_, groups, calls, _):
            by = ", ".join(map(to_text, groups)) or "nothing"
            return f"aggregate {', '.join(map(call_text, calls))} by {by}"
        case AntiJoin(_, _, left, right):
            return f"antijoin {meeting(left, right)}"
        case OuterJoin(_, _, predicates, keeps_right):
            kept = "full" if keeps_right else "left"
            return f"{kept} join {' and '.join(map(to_text, predicates)) or 'of all combinations'}"
        case Top(_, order, count, skip):
            return top_text(order, count, skip)
    return type(plan).__name__.lower()


def rerun(path: Path, write: bool) -> tuple[str, str]:
    """What a script records and what is said instead; ``write`` records the latter."""
    before = path.read_text("utf-8")
    golden = Golden()
    after = written([step._replace(recorded=golden.answer(step)) for step in steps(before)])
    if write:
        path.write_text(after, "utf-8")
    return before, after
