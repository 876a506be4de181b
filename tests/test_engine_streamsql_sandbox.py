"""Whatever sqlglot can read, and we do not run, is refused: every class of node, in every place."""

import string
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from sqlglot import exp

from engine.lang.streamsql import Query, Statement
from engine.lang.streamsql.grammar import nodes
from engine.lang.streamsql.grammar.dialect import StreamSQL
from engine.lang.streamsql.grammar.known import LOOKED_AT, check_known
from engine.lang.streamsql.scalars.calls import FORMS
from engine.lang.streamsql.scalars.scalar import BINARY
from engine.lang.streamsql.statements.meant import statement_of
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.registry import Registry
from engine.statements import prepared

COLUMNS = (Column("a", Type.TEXT), Column("b", Type.BIGINT), Column("c", Type.BOOLEAN))
REGISTRY = Registry(Catalog([Relation("r", RelationKind.TABLE, COLUMNS)]))


def classes(of: type) -> Iterator[type]:
    for each in of.__subclasses__():
        yield each
        yield from classes(each)


OURS = {*LOOKED_AT, *BINARY, *FORMS, exp.Not, exp.Null, exp.Boolean, exp.Neg, exp.Paren, exp.Placeholder}
"""What the binder has a meaning for; of a PivotAlias only its PIVOT is refused."""
STATEMENTS = {each for each in vars(nodes).values() if isinstance(each, type) and issubclass(each, exp.Expr)}
NODES = sorted(
    set(classes(exp.Expression)) - OURS - STATEMENTS - {exp.PivotAlias}, key=lambda each: each.__name__
)
PLURAL = ("expressions", "ifs", "true", "actions", "args")


def made(kind: type[exp.Expression], column: str) -> exp.Expr | None:
    """A node of a class with what it must have, as far as it can be made at all."""
    needed = [name for name, is_required in kind.arg_types.items() if is_required]
    arguments = {name: exp.column(column) for name in needed}
    try:
        return kind(**{name: [one] if name in PLURAL else one for name, one in arguments.items()})
    except (NotImplementedError, TypeError, AttributeError):
        return None


@cache
def parsed(text: str) -> Any:
    return StreamSQL().parse(text)[0]


def read(text: str) -> Any:
    return parsed(text).copy()


def in_every_place(node: exp.Expr) -> Iterator[exp.Expr]:
    """The node as a statement, an item, a condition, an operand, a relation, and what is computed on."""
    yield node.copy()
    yield read("SELECT a FROM r").select(node.copy(), append=True, copy=False)
    where = read("SELECT a FROM r WHERE c")
    where.args["where"].set("this", node.copy())
    yield where
    operand = read("SELECT a FROM r WHERE b = 1")
    operand.args["where"].this.set("expression", node.copy())
    yield operand
    relation = read("SELECT a FROM r")
    relation.args["from_"].set("this", node.copy())
    yield relation
    argument = read("SELECT upper(a) FROM r")
    argument.expressions[0].set("this", node.copy())
    yield argument
    ordered = read("SELECT a FROM r ORDER BY a LIMIT 1")
    ordered.args["limit"].set("expression", node.copy())
    yield ordered
    body = read("WITH x AS (SELECT a FROM r) SELECT a FROM x")
    body.args["with_"].expressions[0].set("this", node.copy())
    yield body


def bound_statement(statement: Statement) -> object:
    return REGISTRY.bind(statement) if isinstance(statement, Query) else statement


def bound(tree: exp.Expr) -> object:
    check_known(tree)
    return bound_statement(statement_of(tree, "x"))


@pytest.mark.parametrize("initial", string.ascii_uppercase)
def test_a_node_that_is_not_ours_is_refused_wherever_it_stands(initial: str) -> None:
    tried = 0
    for kind in (each for each in NODES if each.__name__.startswith(initial)):
        for column in "ac":
            node = made(kind, column)
            if node is None:
                continue
            for tree in in_every_place(node):
                tried += 1
                with pytest.raises(QueryError):
                    raise AssertionError(f"{kind.__name__} binds to {bound(tree)}")
    assert tried or initial in "Z"


def test_nearly_every_class_can_be_made() -> None:
    assert len(NODES) > 900
    assert sum(made(each, "a") is not None for each in NODES) > 0.95 * len(NODES)


@pytest.mark.parametrize(
    "text",
    [
        "DO $$ BEGIN END $$",
        "SET a = 1",
        "COPY r TO '/tmp/x'",
        "LOAD 'x'",
        "CALL f()",
        "BEGIN",
        "COMMIT",
        "VACUUM",
        "GRANT ALL ON r TO me",
        "ALTER TABLE r ADD COLUMN d text",
        "TRUNCATE r",
        "PRAGMA x",
        "USE x",
        "KILL 1",
        "ATTACH 'x' AS y",
        "EXECUTE x",
        "FETCH x",
        "LOCK TABLE r",
        "COMMENT ON TABLE r IS 'x'",
        "MERGE INTO r",
        "ANALYZE r",
        "REFRESH x",
        "RESET x",
        "CACHE TABLE x",
        "TABLE r",
        "FROM r",
        "DECLARE x",
        "REINDEX TABLE r",
        "CREATE FUNCTION f() RETURNS int AS $$ $$",
        "CREATE TRIGGER x",
        "CREATE SCHEMA x",
        "DROP SCHEMA x",
        "DESC r",
        "WITH x AS (CREATE VIEW v AS SELECT a FROM r) SELECT a FROM x",
        "WITH x AS (DROP VIEW v) SELECT a FROM x",
        "WITH x AS (SHOW VIEWS) SELECT a FROM x",
        "WITH x AS (SELECT a FROM r OUTPUT TO ALARM) SELECT a FROM x",
        "SELECT a FROM (DROP VIEW v) x",
        "SELECT a FROM r WHERE a IN (CREATE VIEW v AS SELECT a FROM r)",
        "EXPLAIN DROP VIEW v",
        "WITH x AS (DATALOG $$ .decl p(x: symbol) $$) SELECT a FROM x",
        "SELECT pg_sleep(10)",
        "SELECT a FROM read_csv('/etc/passwd')",
        "SELECT a INTO x FROM r",
        "SELECT a FROM '/etc/passwd'",
        "SELECT current_user",
        "SELECT @@version",
        "SELECT a FROM r; ATTACH x",
        "SELECT {{ a }} FROM r",
    ],
)
def test_a_statement_of_another_sql_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        raise AssertionError(["binds to", *map(bound_statement, prepared(text, {}))])
