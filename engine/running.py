"""Views as they run: started by a plan for what there is, suspended with a reason, tried again.

register  →  running  ⇄  suspended        a view that is replaced gets a gap, as one that is back does

A start computes between two ticks, so once the building runs, what a person wrote has a moment for it;
while the server itself starts, and for what comes with the building, it is as long as a step may take.
"""

from collections.abc import Mapping

from engine.contracts import Optimizer, Stamp
from engine.limits import Limiter
from engine.model.errors import InternalError, QueryError
from engine.model.values import Row
from engine.operators.budget import NO_LIMITS, Allowance, Budget, BudgetExceeded, Limits
from engine.operators.delta import tally
from engine.plan.goal import FASTEST, Goal
from engine.plan.logical import Plan
from engine.plan.ordering import hidden_order, place_of
from engine.plan.physical import Physical, fragments_in
from engine.registry import Registry
from engine.upkeep import Readings, Upkeep
from engine.views.nodes import Node, Rows, below
from engine.views.tick import reason_of
from engine.views.view import Delta, View

RETRY_SUSPENDED = 60_000_000


class Running:
    """Starts and suspends the views of a registry."""

    def __init__(self, optimizer: Optimizer, upkeep: Upkeep, views: Registry, budget: Budget) -> None:
        self._optimizer = optimizer
        self._upkeep = upkeep
        self._views = views
        self._limiter = Limiter(budget)
        upkeep.shown = self._shown
        self._renewed: list[str] = []
        optimizer.serves(lambda: [view.physical for view in views if view.node is not None])
        self.is_up = False

    def register(
        self,
        name: str,
        sql: str,
        logical: Plan,
        stamp: Stamp,
        limits: Limits = NO_LIMITS,
        goal: Goal = FASTEST,
    ) -> None:
        """Start a view and take it up, in place of one of its name."""
        self._upkeep.observe()
        try:
            view = View(name, sql, logical, self._optimizer.optimize(logical, goal), limits, goal)
            self.start(view, stamp)
        except (BudgetExceeded, RecursionError) as error:
            too_deep = "too many views upon views; write what is needed into fewer"
            raise QueryError(too_deep if isinstance(error, RecursionError) else str(error)) from None
        if name in self._views:
            self._renewed.append(name)
        self._views.put(view)

    def start(self, view: View, stamp: Stamp) -> None:
        """Run a view from what its leaves hold."""
        node, rows = self._started(view, view.physical, stamp, self._allowed(view))
        view.start(node, rows, stamp.tick, stamp.at)
        view.most_rows = self._limiter.of(view).rows
        self._limiter.allow([*self._views, view])

    def switch(self, view: View, plan: Physical, stamp: Stamp) -> None:
        """Go on by another plan of a view's query; raise, with all as it was, where that is too much."""
        node, rows = self._started(view, plan, stamp, self._limiter.of(view).of_start)
        owed = {row: -count for row, count in view.rows.items()}
        tally(owed, rows)
        if owed and not (fragments_in(plan) or fragments_in(view.physical)):
            self.forget_unused()
            message = f"another plan of {view.name} has {len(owed)} rows more or less"
            raise InternalError(message)
        view.switch(plan, node, owed)
        self.forget_unused()
        self._limiter.allow(self._views)

    def _started(self, view: View, plan: Physical, stamp: Stamp, allowed: Allowance) -> tuple[Node, Rows]:
        """Return the node of a plan, running, within the view's limits, and what it contains."""
        try:
            node, rows = self._upkeep.start(plan, stamp, allowed)
            self._limiter.admit(view, below(node), sum(rows.values()))
        except BaseException:
            self.forget_unused()
            raise
        return node, rows

    def _allowed(self, view: View) -> Allowance:
        budget = self._limiter.of(view)
        return budget.of_start if self.is_up and not self._views.stays(view) else budget.of_step

    def _shown(self, node: Node) -> Rows | None:
        """Return what a node contains that some view shows."""
        return next((view.contents() for view in self._views if view.node is node), None)

    def in_order(self, view: View, stamp: Stamp) -> list[Row]:
        """Return a view's rows in an order that they do not tell themselves; none where that is too much."""
        found = hidden_order(view.logical)
        if found is None:
            return []
        top, show = found
        try:
            _, rows = self._upkeep.start(self._optimizer.optimize(top, view.goal), stamp, self._allowed(view))
        except BudgetExceeded:
            return []
        finally:
            self.forget_unused()
        place = place_of(top.order)
        ordered = sorted(rows.items(), key=lambda counted: place(counted[0]))
        return [show(row) for row, count in ordered for _ in range(count)]

    def forget_unused(self) -> None:
        """Let go of what no view stands on."""
        self._upkeep.keep_only(view.node for view in self._views if view.node is not None)

    def advance(
        self, end: int, at: int, readings: Readings, stamp: Stamp
    ) -> tuple[dict[Node, Rows], dict[Node, str]]:
        """Run one tick after ``stamp``; return the changes, and what failed with the reason."""
        return self._upkeep.advance(end, at, readings, stamp, self._limiter.is_watching)

    def applied(
        self, changes: Mapping[Node, Rows], failed: Mapping[Node, str], now: tuple[str, int, int]
    ) -> list[Delta]:
        """Take a tick's changes into the views; return what it changed in them."""
        running = [view for view in self._views if view.node is not None and view.node not in failed]
        due = [(view, view.due(changes)) for view in running]
        return [view.apply(change, *now) for view, change in due if change]

    def interrupted(self, failed: Mapping[Node, str], stamp: Stamp) -> list[View]:
        """Suspend what failed, start again what was suspended; return whose readers begin anew."""
        return [*self.suspend(failed, stamp.at), *self.retry_suspended(stamp), *self.renewed()]

    def suspend(self, failed: Mapping[Node, str], at: int) -> list[View]:
        """Suspend the views above what failed, and those that went over their limits; return them."""
        exceeded = self._limiter.exceeded(self._views, *self._upkeep.inspecting.spent())
        broken = []
        for view in self._views:
            if view.node is None:
                continue
            reason = failed.get(view.node) or exceeded.get(view.name)
            if reason is None and view.told > view.most_rows:
                reason = self._limiter.held_too_much(view, (), view.told)
            if reason is not None:
                view.suspend(reason, at)
                broken.append(view)
        if broken:
            self.forget_unused()
        return broken

    def retry_suspended(self, stamp: Stamp) -> list[View]:
        """Start again what was suspended a while ago, and return what goes on."""
        back = []
        for view in self._views:
            if view.suspended is not None and stamp.at - view.suspended_at > RETRY_SUSPENDED:
                try:
                    self._upkeep.observe()
                    view.physical = self._optimizer.optimize(view.logical, view.goal)
                    self.start(view, stamp)
                except Exception as error:
                    view.suspend(reason_of(error), stamp.at)
                else:
                    back.append(view)
        return back

    def renewed(self) -> list[View]:
        """Return, once, the views that stand in the place of others."""
        names, self._renewed = self._renewed, []
        return [self._views[name] for name in names if name in self._views]
