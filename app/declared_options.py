"""What CREATE STREAM and CREATE TABLE say becomes what the log says of a relation.

    WITH (wrapper = 'mqtt', topic = 'a/{room}', path_value = 'reading.value', window = '…', event_time = 'at',
          column_value = '{unit: °F, as: °C, min: -40}', measures = '{device: room}')
    WITH (wrapper = 'database', url = '…', table = '…', poll_seconds = 2)
    nothing, or what is a stream's own: rows that people INSERT

The words are those of sources.yaml, and so are the refusals; ``column_…`` is a column's section there.
"""

from collections.abc import Callable, Mapping
from typing import Any

from engine.lang.streamsql import CreateRelation
from engine.model.errors import QueryError, SourceError, nearest
from engine.model.relation import Column, Relation
from engine.model.values import SCALARS
from engine.upkeep import is_kept, own_window
from ingest.checked_yaml import expand, mapping, read_yaml
from ingest.declarations import entry_of, read_declaration
from ingest.sources import COLUMN_KEYS, MAPPED, times_of
from ingest.sources.polled import poll_seconds_of
from ingest.wrappers.database.schema import reflect

TIMES = ("event_time", "skew", "lateness")
OF_A_STREAM = ("window", *TIMES)
OPTIONS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("stream", "mqtt"): ("topic", "device", *OF_A_STREAM, *MAPPED),
    ("table", "database"): ("url", "table", "poll_seconds"),
    ("stream", ""): OF_A_STREAM,
    ("table", ""): (),
}
PATH, COLUMN = "path_", "column_"

Body = dict[str, Any]


def body_of(statement: CreateRelation, environment: Mapping[str, str]) -> tuple[Body, Relation]:
    """Return what the log is to say, and the relation that it declares."""
    wrapper = _wrapper(statement)
    _check_options(statement, wrapper)
    _check_columns(statement, wrapper)
    try:
        body = MAKE[wrapper](statement, environment)
        relation = read_declaration(0, entry_of(body).payload).relation
        assert relation is not None
        if is_kept(relation):
            own_window(relation)
    except SourceError as error:
        raise QueryError(error.message, statement.span) from None
    return body, relation


def _wrapper(statement: CreateRelation) -> str:
    wrapper = statement.options.get("wrapper", "")
    fitting = [found for kind, found in OPTIONS if kind == statement.kind and found]
    if (statement.kind, wrapper) not in OPTIONS:
        there = (
            f"of a {statement.kind} it may be {', '.join(fitting)}, or be left out for rows that people write"
        )
        message = f"wrapper of {statement.name} is {wrapper}; {there}{nearest(wrapper, fitting)}"
        raise QueryError(message, statement.span)
    return wrapper


def _check_options(statement: CreateRelation, wrapper: str) -> None:
    known = ["wrapper", *OPTIONS[statement.kind, wrapper]]
    if wrapper == "mqtt":
        known += [f"{head}{column.name}" for column in statement.columns for head in (PATH, COLUMN)]
    for option in statement.options:
        if option not in known:
            there = f"there are {', '.join(known)}{nearest(option, known)}"
            message = f"unknown option {option} of {statement.name}; {there}"
            raise QueryError(message, statement.span)


def _check_columns(statement: CreateRelation, wrapper: str) -> None:
    if not statement.columns and wrapper != "database":
        message = f"{statement.name} has no columns; write them after its name: (room text, value double)"
        raise QueryError(message, statement.span)
    for column in statement.columns:
        if column.type not in SCALARS:
            kinds = ", ".join(str(kind) for kind in SCALARS)
            message = (
                f"column {column.name} of {statement.name} is a {column.type}; a source delivers {kinds}"
            )
            raise QueryError(message, statement.span)


def _mqtt(statement: CreateRelation, _environment: Mapping[str, str]) -> Body:
    """A value that a payload lacks is NULL, where the column may be that."""
    options = dict(statement.options)
    needed = {*statement.key, options.get("event_time")}
    columns: dict[str, Body] = {}
    for column in statement.columns:
        spec = columns[column.name] = _section(statement, column)
        if column.nullable and column.name not in needed:
            spec.setdefault("optional", True)
        if path := options.get(f"{PATH}{column.name}"):
            spec["path"] = path
    spec = {name: options[name] for name in OPTIONS["stream", "mqtt"] if name in options}
    if "measures" in spec:
        spec["measures"] = read_yaml(spec["measures"], f"measures of {statement.name}")
    spec |= {"columns": columns, "key": list(statement.key)}
    return {"name": statement.name, "kind": "stream", "wrapper": "mqtt", "spec": spec}


def _section(statement: CreateRelation, column: Column) -> Body:
    """Return what stands in sources.yaml for a column."""
    option, here = f"{COLUMN}{column.name}", f"{COLUMN}{column.name} of {statement.name}"
    written = read_yaml(statement.options.get(option, "{}"), here)
    spec = mapping(written, here, COLUMN_KEYS - {"type"})
    if "else" in spec and not column.nullable:
        message = (
            f"column {column.name} of {statement.name} is NOT NULL and has else: null; take out one of them"
        )
        raise QueryError(message, statement.span)
    return {"type": str(column.type), **spec}


def _written(statement: CreateRelation, _environment: Mapping[str, str]) -> Body:
    options: dict[str, Any] = dict(statement.options)
    body = {"name": statement.name, "kind": statement.kind, "wrapper": "", **_shape(statement.columns)}
    event_time, skew, lateness = times_of(options, statement.columns, f"stream {statement.name}")
    times = {"event_time": event_time, "skew": skew, "lateness": lateness} if event_time else {}
    return {**body, **times, "key": list(statement.key), "window": options.get("window")}


def _database(statement: CreateRelation, environment: Mapping[str, str]) -> Body:
    """The columns are the table's: those that are named, or all of them."""
    where, options = f"table {statement.name}", dict(statement.options)
    for needed in ("url", "table"):
        if not options.get(needed):
            message = f"{where} is read from a database and has no option {needed}"
            raise QueryError(message, statement.span)
    poll = poll_seconds_of({"poll_seconds": _number(options.get("poll_seconds", "2"))}, where)
    (found,) = reflect(expand(options["url"], environment), [options["table"]])
    columns = _chosen(statement, found)
    body = {"name": statement.name, "kind": "table", "wrapper": "database", **_shape(columns)}
    body |= {"url": options["url"], "table": options["table"], "poll_seconds": poll}
    return {**body, "key": list(found.key)}


def _chosen(statement: CreateRelation, found: Relation) -> tuple[Column, ...]:
    known = {column.name: column for column in found.columns}
    for column in statement.columns:
        there = f"there are {', '.join(known)}{nearest(column.name, list(known))}"
        if column.name not in known:
            message = f"unknown column {column.name} of the table {found.name}; {there}"
            raise QueryError(message, statement.span)
        if known[column.name].type is not column.type:
            is_of = f"is a {known[column.name].type}, not a {column.type}"
            message = f"column {column.name} of the table {found.name} {is_of}"
            raise QueryError(message, statement.span)
    named = [column.name for column in statement.columns] or list(known)
    lacking = next((name for name in found.key if name not in named), None)
    if lacking is not None:
        message = (
            f"{statement.name} lacks {lacking}, by which the rows of the table {found.name} are told apart"
        )
        raise QueryError(message, statement.span)
    return tuple(known[name] for name in named)


def _shape(columns: tuple[Column, ...]) -> Body:
    return {"columns": [[column.name, str(column.type), column.nullable] for column in columns]}


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


MAKE: Mapping[str, Callable[[CreateRelation, Mapping[str, str]], Body]] = {
    "mqtt": _mqtt,
    "database": _database,
    "": _written,
}
