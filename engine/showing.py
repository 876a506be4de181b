"""What there is, as rows: views, streams, tables, functions, and the columns of one of them.

SHOW VIEWS | STREAMS | TABLES | FUNCTIONS        SHOW COLUMNS FROM x, which is DESCRIBE x
SHOW CREATE VIEW v
"""

from collections.abc import Iterable, Iterator, Sequence

from engine.contracts import ViewInfo
from engine.lang.streamsql import Show
from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.outcomes import Listing
from engine.plan.aggregates import AGGREGATES
from engine.plan.folds import FOLDS
from engine.plan.functions import FUNCTIONS
from engine.session import Session

# A conversion has no name in a text: CAST is written, and the types decide.
CONVERSION = "_of_"


def show(session: Session, asked: Show) -> Listing:
    """Return the answer to a SHOW."""
    catalog = session.catalog
    match asked.what:
        case "views":
            return listed(("view", "columns", "rows", "state"), _views(session.views()))
        case "streams":
            return listed(("stream", "columns", "window", "source"), _streams(catalog))
        case "tables":
            return listed(("table", "columns", "key", "source"), _tables(catalog))
        case "functions":
            return listed(("function", "takes"), functions())
        case "create":
            return listed(("text",), _text(session, asked))
    return listed(("column", "type", "null"), _columns(session, asked))


def listed(names: Sequence[str], rows: Iterable[tuple[object, ...]]) -> Listing:
    """Return texts in columns; what counts rows is a number."""
    columns = tuple(Column(name, Type.BIGINT if name == "rows" else Type.TEXT) for name in names)
    return Listing(columns, tuple(tuple(map(_cell, row)) for row in rows))


def _cell(value: object) -> int | str:
    return value if isinstance(value, int) else str(value)


def _views(views: Iterable[ViewInfo]) -> Iterator[tuple[object, ...]]:
    for view in sorted(views):
        state = "running" if view.suspended is None else f"suspended: {view.suspended}"
        state += f" without {', '.join(view.missing)}" if view.missing else ""
        yield view.name, told(view.columns), view.rows, state


def _streams(catalog: Catalog) -> Iterator[tuple[object, ...]]:
    for relation in _of(catalog, RelationKind.STREAM):
        yield relation.name, told(relation.columns), relation.window or "", relation.fed_by


def _tables(catalog: Catalog) -> Iterator[tuple[object, ...]]:
    for relation in _of(catalog, RelationKind.TABLE):
        yield relation.name, told(relation.columns), ", ".join(relation.key), relation.fed_by


def _of(catalog: Catalog, kind: RelationKind) -> list[Relation]:
    return sorted((each for each in catalog if each.kind is kind), key=lambda each: each.name)


def functions() -> Iterator[tuple[str, str]]:
    named = {name: each.expects for name, each in FUNCTIONS.items()} | {
        name: f"{each.expects} (an aggregate)" for name, each in (AGGREGATES | FOLDS).items()
    }
    yield from sorted((name, takes) for name, takes in named.items() if CONVERSION not in name)


def _text(session: Session, asked: Show) -> Iterator[tuple[str]]:
    """Return the lines of a view's text."""
    text = session.text_of(asked.of or "")
    return ((line,) for line in text.splitlines())


def _columns(session: Session, asked: Show) -> Iterator[tuple[object, ...]]:
    name = asked.of or ""
    view = next((view for view in session.views() if view.name == name), None)
    names = [view.name for view in session.views()]
    columns = view.columns if view else session.catalog.find(name, names, asked.span, "describe").columns
    for column in columns:
        yield column.name, column.type, "may be NULL" if column.nullable else "never NULL"


def told(columns: Iterable[Column]) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in columns)
