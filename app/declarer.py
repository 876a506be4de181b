"""CREATE STREAM, CREATE TABLE, their DROP, INSERT and DELETE: the world is told by entries of the log.

    CREATE  entry → the reader passes it → the engine has the relation → a snapshot knows it → answer
    DROP    the engine lets go, or says who reads it → entry → snapshot → answer
    INSERT, DELETE   entry → the reader passes it → answer: whoever wrote a row can read it

The engine takes a relation up at the tick that passes its entry, so it never meets rows that were decoded
by an earlier relation of the name. One statement at a time.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Event, Lock

from sqlglot import exp

from app.declared_options import body_of
from app.waiting_list import WaitingList
from engine.lang.streamsql import (
    CreateRelation,
    DeleteRows,
    DropRelation,
    InsertRows,
    Query,
    Statement,
)
from engine.lang.streamsql.spans import span_of
from engine.lang.streamsql.statements.constants import value_for
from engine.lang.streamsql.statements.parameters import Parameters
from engine.model.errors import QueryError, nearest
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row
from engine.outcomes import Changed, Outcome, Written
from engine.service import Engine
from engine.session import Session
from ingest.acquisition import HEALTH_FILE
from ingest.declarations import (
    WRITTEN_SOURCE,
    dropping,
    entry_of,
    in_force,
    read_declaration,
    rows_of,
)
from ingest.log import Entry, Log

Outward = CreateRelation | DropRelation | InsertRows | DeleteRows
LISTENING_TURNS, LISTENING_PAUSE = 60, 0.05


class Declarer:
    """Carries such statements out over a session and the log that it reads."""

    def __init__(
        self, engine: Engine, session: Session, log: Log, state: Path, environment: Mapping[str, str]
    ) -> None:
        self._engine, self._session, self._log = engine, session, log
        self._health, self._environment = state / HEALTH_FILE, environment
        self._due = WaitingList(engine)
        self._lock = Lock()

    def maybe_run(self, statement: Statement, given: Parameters) -> Outcome | None:
        """Do what a statement says, if it is one of these, and return what it led to."""
        if not isinstance(statement, Outward):
            return None
        with self._lock:
            match statement:
                case CreateRelation():
                    return self._create(statement)
                case DropRelation():
                    return self._drop(statement)
                case InsertRows():
                    return self._insert(statement, given)
                case DeleteRows():
                    return self._delete(statement, given)

    def _create(self, statement: CreateRelation) -> Changed:
        name, kind = statement.name, statement.kind
        if statement.is_optional and name in self._known():
            return Changed("kept", kind, (name,))
        self._check_free(name)
        body, relation = body_of(statement, self._environment)
        offset = self._log.append([entry_of(body)]).offset
        self._due.wait(offset, lambda: self._session.relations.declare(relation, self._session.stamp))
        if body["wrapper"]:
            self._wait_for_acquisition(offset)
        return Changed("created", kind, (name,))

    def _check_free(self, name: str) -> None:
        """Raise what has the name already; what the building has cannot make room for it."""
        if name in self._known() - self._declared():
            kind = self._relation(name).kind
            message = f"{name} is a {kind} that comes with the building; take another name"
            raise QueryError(message)
        self._engine.ask(lambda: self._session.relations.check_new(name))

    def _declared(self) -> set[str]:
        return {found.name for found in in_force(read_declaration(*each) for each in self._log.declared())}

    def _drop(self, statement: DropRelation) -> Changed:
        known = self._known()
        names = [name for name in statement.names if name in known or not statement.is_optional]
        for name in names:
            self._check_dropped(self._relation(name), statement.kind)
        for name in names:
            self._engine.ask(partial(self._session.relations.drop, name))
            self._log.append([dropping(name)])
        return Changed("dropped", statement.kind, tuple(names))

    def _check_dropped(self, relation: Relation, kind: str) -> None:
        if relation.kind != kind:
            message = f"{relation.name} is a {relation.kind}; expected DROP {relation.kind.upper()}"
            raise QueryError(message)
        if relation.name not in self._declared():
            message = f"{relation.name} comes with the building and stays; its sources.yaml declares it"
            raise QueryError(message)

    def _insert(self, statement: InsertRows, given: Parameters) -> Written:
        relation = self._written(statement.name)
        places = [_place(relation, name, statement) for name in statement.columns]
        places = places or list(range(len(relation.columns)))
        rows = [_row(relation.columns, places, nodes, given, statement) for nodes in statement.rows]
        self._write(rows_of(relation, 1, rows))
        return Written("inserted", relation.name, len(rows))

    def _delete(self, statement: DeleteRows, given: Parameters) -> Written:
        relation = self._written(statement.name)
        if relation.kind is RelationKind.STREAM:
            message = f"{relation.name} is a stream; its rows leave by a window"
            raise QueryError(message, statement.span)
        rows = self._engine.ask(lambda: self._rows(Query(statement.select, ""), given))
        if rows:
            self._write(rows_of(relation, -1, rows))
        return Written("deleted", relation.name, len(rows))

    def _rows(self, query: Query, given: Parameters) -> tuple[Row, ...]:
        name = self._session.start(query, given)
        try:
            held = self._session.snapshot(name).rows
        finally:
            self._session.drop(name)
        return tuple(row for row, count in held for _ in range(count))

    def _write(self, entry: Entry) -> None:
        self._due.wait(self._log.append([entry]).offset)

    def _written(self, name: str) -> Relation:
        relation = self._relation(name)
        if relation.source != WRITTEN_SOURCE:
            message = f"{name} is fed by {relation.fed_by}; people write what CREATE made without a wrapper"
            raise QueryError(message)
        return relation

    def _relation(self, name: str) -> Relation:
        return self._engine.ask(lambda: self._session.relations.get(name))

    def _known(self) -> set[str]:
        return {relation.name for relation in self._engine.ask(self._session.relations.all)}

    def _wait_for_acquisition(self, offset: int) -> None:
        """Give the acquisition a moment to listen, so that what is said next is heard."""
        pause = Event()
        for _ in range(LISTENING_TURNS):
            try:
                heard = json.loads(self._health.read_text("utf-8")).get("declared", 0)
            except (OSError, ValueError):
                heard = 0
            if heard >= offset or pause.wait(LISTENING_PAUSE):
                return


def _place(relation: Relation, name: str, statement: InsertRows) -> int:
    names = [column.name for column in relation.columns]
    if name not in names:
        message = (
            f"unknown column {name} in insert; {relation.name} has {', '.join(names)}{nearest(name, names)}"
        )
        raise QueryError(message, statement.span)
    return names.index(name)


def _row(
    columns: Sequence[Column],
    places: Sequence[int],
    nodes: Sequence[exp.Expr],
    given: Parameters,
    statement: InsertRows,
) -> Row:
    """Return a row in the relation's order; a column that is not named is NULL."""
    place = span_of(nodes[0].parent) if nodes else statement.span
    if len(nodes) != len(places):
        message = f"a row for {statement.name} has {len(places)} values, found {len(nodes)}"
        raise QueryError(message, place)
    said = {at: value_for(columns[at], node, given, "insert") for at, node in zip(places, nodes, strict=True)}
    for at, column in enumerate(columns):
        if said.get(at) is None and not column.nullable:
            message = f"{column.name} of {statement.name} may not be NULL"
            raise QueryError(message, place)
    return tuple(said.get(at) for at in range(len(columns)))
