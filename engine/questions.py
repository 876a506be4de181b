"""How a query is run, why a row is in a view, and why not: asked between two ticks, as of the last one."""

from collections.abc import Callable
from dataclasses import replace

from engine.contracts import Explanation, Optimizer, Stamp
from engine.lang.streamsql import CreateView, Query
from engine.lang.streamsql.statements.parameters import Parameters
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.values import Row
from engine.plan.explaining import ExplainedPlan
from engine.plan.leaves import Shipped, Totalled
from engine.plan.physical import Partitioned
from engine.registry import Registry
from engine.upkeep import Upkeep
from engine.views.elsewhere import Elsewhere
from engine.views.lineage import Fact
from engine.views.nodes import Node, below
from engine.views.view import View
from engine.views.why.effort import Effort
from engine.views.why.explain import Explainer
from engine.views.why.missing import Missing


class Questions:
    """Keeps what it looked up for one question for the next of the same tick.

    ``changes`` counts a view's switches of plan, and those given up, and says what the last was to cost.
    """

    def __init__(
        self, catalog: Catalog, optimizer: Optimizer, views: Registry, upkeep: Upkeep, stamp: Stamp
    ) -> None:
        self._catalog = catalog
        self._optimizer = optimizer
        self._views = views
        self._upkeep = upkeep
        self._as_of = stamp
        self._explainers: dict[Node | None, tuple[Explainer, Node | None]] = {}
        self.changes: Callable[[View], tuple[int, int, float | None]] = lambda _view: (0, 0, None)

    def check(self, query: Query | CreateView) -> None:
        """Raise what is wrong with a query; nothing is planned."""
        self._views.bind(query)

    def plan(self, query: Query | CreateView, given: Parameters) -> ExplainedPlan:
        """Say how a query would be run."""
        self._upkeep.observe()
        logical = self._views.bind(query, given)
        return self._optimizer.explain(
            self._optimizer.optimize(logical, query.goal), None, logical, query.goal
        )

    def running(self, name: str, analyzes: bool = False, weighs: bool = True) -> ExplainedPlan:
        """Say how a view is run, with what its nodes keep; analyzed, with what they have done.

        To weigh what else could run takes as long as to plan the query.
        """
        self._upkeep.observe()
        inspecting = self._upkeep.inspecting
        tell = inspecting.used_by if analyzes else inspecting.kept_by
        view = self._views[name]
        found = self._optimizer.explain(view.physical, tell, view.logical if weighs else None, view.goal)
        search = found.search
        if search is not None:
            switches, abandoned, predicted = self.changes(view)
            search = search._replace(switches=switches, abandoned=abandoned, predicted=predicted)
        return replace(
            found,
            search=search,
            missing=self._upkeep.missing(view.nodes),
            turns=tuple(view.turns),
            suspended=view.suspended,
        )

    def why(self, name: str, row: Row, effort: Effort, stamp: Stamp) -> Explanation:
        """Say why a row is there, as exactly as the effort allows."""
        explainer, fact = self._asked(name, row, stamp)
        if row not in self._views[name].rows:
            message = f"{name} has no row {row} as of tick {stamp.tick}"
            raise QueryError(message)
        witness, absent = explainer.witness(fact), explainer.absent(fact, effort)
        found = explainer.provenance(fact, effort)
        columns = {relation.name: relation.columns for relation in self._catalog}
        columns[name] = self._views[name].columns
        elsewhere = self._elsewhere(fact)
        for leaves in (elsewhere.fragments, elsewhere.totals):
            columns |= {each: leaf.columns for each, leaf in leaves.items()}
        return Explanation(name, row, stamp.tick, witness, absent, found, columns, elsewhere)

    def why_not(self, name: str, row: Row, effort: Effort, stamp: Stamp) -> Missing:
        """Say what would have to be other for a row to be there."""
        (explainer, fact), view = self._asked(name, row, stamp), self._views[name]
        if row in view.rows or len(row) != len(view.columns):
            problem = "is there; ask why" if row in view.rows else f"has not {len(view.columns)} columns"
            message = f"the row {row} of {name} {problem}"
            raise QueryError(message)
        return explainer.missing(fact, effort)._replace(elsewhere=self._elsewhere(fact))

    def _elsewhere(self, fact: Fact) -> Elsewhere:
        """Return what of all that a view reads is another site's."""
        plans = [node.plan for node in below(fact.node)]
        sent = {plan.name: plan for plan in plans if isinstance(plan, Shipped)}
        totals = {plan.name: plan for plan in plans if isinstance(plan, Totalled)}
        sites = {each.name: each.site for each in self._catalog if not each.comes_by_itself}
        return Elsewhere(sent, sites, totals)

    def _asked(self, name: str, row: Row, stamp: Stamp) -> tuple[Explainer, Fact]:
        """Return what explains a view's rows as of the last tick, and the row as it knows it."""
        view = self._views[name]
        if view.node is None:
            message = f"the view {name} is suspended: {view.suspended}"
            raise QueryError(message)
        if self._as_of != stamp:
            self._as_of, self._explainers = stamp, {}
        asked = view.node if isinstance(view.node.plan, Partitioned) else None
        if asked not in self._explainers:
            self._explainers[asked] = self._upkeep.explainer(asked)
        explainer, node = self._explainers[asked]
        return explainer, Fact(node or view.node, row)
