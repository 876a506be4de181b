"""The views of a session by name: which there are, what a text over them means, who reads whom."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import dropwhile, takewhile

from engine.lang.binding import bind_query
from engine.lang.streamsql import CreateView, Query, parse
from engine.lang.streamsql.statements.parameters import NO_PARAMETERS, Parameters, check_given, check_unasked
from engine.model.catalog import Catalog
from engine.model.errors import QueryError, nearest, some_of
from engine.plan.logical import Plan
from engine.plan.rewriting import within_rounds
from engine.reading_order import check_order
from engine.views.view import UNNAMED, View


class Registry:
    """Views in the order in which they were made; a view reads only those before it."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._views: dict[str, View] = {}
        self._unnamed = 0
        self._staying: set[str] = set()
        self._passing: set[str] = set()

    def __iter__(self) -> Iterator[View]:
        return iter(tuple(self._views.values()))

    def __contains__(self, name: str) -> bool:
        return name in self._views

    def __getitem__(self, name: str) -> View:
        if name in self._catalog:
            kind = self._catalog[name].kind
            message = (
                f"{name} is a {kind}, not a view: its rows come from outside; DROP {kind.upper()} ends it"
            )
            raise QueryError(message)
        if name not in self._views:
            known = sorted(self._views)
            message = f"unknown view {name}; there are {some_of(known)}{nearest(name, known)}"
            raise QueryError(message)
        return self._views[name]

    def get(self, name: str) -> View | None:
        return self._views.get(name)

    def stays(self, view: View) -> bool:
        """Tell whether a view comes with the building."""
        return view.name in self._staying or (view.is_installed and view.name not in self._passing)

    def let_stay(self, name: str) -> None:
        """Keep a view from being dropped or replaced by anything but the building's own script."""
        self._staying.add(name)

    def let_pass(self, name: str) -> None:
        """Have a view that is installed go when it is dropped; texts cannot name it."""
        self._passing.add(name)

    def put(self, view: View) -> None:
        self._views[view.name] = view

    def remove(self, *names: str) -> None:
        """Forget views that no other reads; one that was installed stays. All of them go, or none."""
        for name in names:
            view = self[name]
            if self.stays(view):
                message = f"{name} comes with the building and stays; other views may read it"
                raise QueryError(message)
            stay = [view for view in self if view.is_written and view.name not in names]
            readers = [view.name for view in stay if name not in self._passing and self._reads(view, name)]
            if readers:
                message = f"{name} is read by {', '.join(readers)}; drop what reads it first"
                raise QueryError(message)
        for name in dict.fromkeys(names):
            del self._views[name]
            self._passing.discard(name)

    def check_name(self, name: str) -> None:
        if name in self._catalog:
            message = f"{name} is a {self._catalog[name].kind}; take another name for the view"
            raise QueryError(message)
        if name.startswith(UNNAMED):
            message = f"names like {name} are for queries without one; take another name for the view"
            raise QueryError(message)

        held = self._views.get(name)
        if held is not None and not held.is_written:
            message = f"{name} is there already and comes with the building; take another name"
            raise QueryError(message)

    def check_new(self, name: str) -> None:
        self.check_name(name)
        if name in self._views:
            message = f"{name} is there already; DROP VIEW {name} first, or take another name"
            raise QueryError(message)

    def next_unnamed(self) -> str:
        self._unnamed += 1
        return f"{UNNAMED}{self._unnamed}"

    # What a text means

    def bind(self, query: Query | CreateView, given: Parameters = NO_PARAMETERS) -> Plan:
        """Return the plan of a query with the values that it was given."""
        if isinstance(query, Query):
            check_given([query.select], given)
        else:
            self._check_order(query)
        return self._bound(query, self, given)

    def bound_in_place(self, statement: CreateView) -> Plan:
        """Bind a view over those that stand before it, as the next start will."""
        return self._bound(statement, takewhile(lambda view: view.name != statement.name, self))

    def check_replaceable(self, statement: CreateView) -> None:
        """Refuse a view that those which read the one of its name could not read, or that comes to stay."""
        if statement.name in self._staying and not self._says_the_same(statement):
            message = f"{statement.name} comes with the building and stays as it is; take another name"
            raise QueryError(message)
        self._check_order(statement)
        plans: dict[str, Plan] = {}
        for view in self:
            text = parse(view.sql) if view.is_written else None
            written = statement if view.name == statement.name else text
            try:
                plans[view.name] = (
                    self._over(written, plans) if isinstance(written, CreateView) else view.logical
                )
            except QueryError as error:
                if view.name == statement.name:
                    raise
                message = f"{view.name} reads {statement.name} and could not go on: {error.message}"
                raise QueryError(message) from None

    def _says_the_same(self, statement: CreateView) -> bool:
        held = self[statement.name]
        written = parse(held.sql)
        assert isinstance(written, CreateView)
        mine, its = ((each.outputs, each.limits, each.goal) for each in (statement, written))
        return mine == its and self.bound_in_place(statement) == held.logical

    def _check_order(self, statement: CreateView) -> None:
        after = list(dropwhile(lambda view: view.name != statement.name, self))
        check_order(statement, after[1:], self._reads)

    def _reads(self, view: View, name: str) -> bool:
        statement = parse(view.sql)
        assert isinstance(statement, CreateView | Query)
        try:
            self._bound(statement, (other for other in self if other.name != name))
        except QueryError:
            return view.name != name
        return False

    def _bound(
        self, query: Query | CreateView, views: Iterable[View], given: Parameters = NO_PARAMETERS
    ) -> Plan:
        plans = {view.name: view.logical for view in views if view.name not in self._passing}
        return self._over(query, plans, given)

    def _over(
        self, query: Query | CreateView, plans: Mapping[str, Plan], given: Parameters = NO_PARAMETERS
    ) -> Plan:
        if isinstance(query, Query):
            plan = bind_query(query.select, self._catalog, plans, None, given)
        else:
            check_unasked(query.select)
            plan = bind_query(query.select, self._catalog, plans, query.name)
        return plan if query.limits.rounds is None else within_rounds(plan, query.limits.rounds)
