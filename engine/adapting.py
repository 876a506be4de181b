"""Views change their plans between two ticks, and nobody sees it.

    switch  ⇔  H · (cost(P) − cost(P′))  >  (1 + h) · M

H is for how many ticks the next plan is expected to last: a moving mean of how long the last ones did, or
as long as this one did already, if that is more. M is what has to be built, in rows. Nodes that both
plans have go on; what is missing is started from what is there, without a word to anyone; what nobody
reads any more goes. So a recursive stratum whose inputs change is built anew and never migrated.

A plan that reads what another site has to begin with is not taken up at once: its leaves are installed, and
run beside the old plan until the site has answered. What it holds otherwise then, since two sites look
at two moments, is told with the next delta. Any other difference is an error of ours: the view stays.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, chapter 5; M, H and h are
    ours.
    Zhu, Rundensteiner, Heineman. Dynamic Plan Migration for Continuous Queries over Data Streams.
    SIGMOD 2004: the moving state strategy.
"""

from typing import NamedTuple

import structlog

from engine.contracts import Optimizer, Stamp, Switch
from engine.plan.explaining import Search, Turn
from engine.plan.physical import Partitioned, Physical, fragments_in
from engine.registry import Registry
from engine.running import Running
from engine.upkeep import Upkeep
from engine.views.tick import reason_of
from engine.views.view import View

log = structlog.get_logger(__name__)


class Policy(NamedTuple):
    """When a switch is worth it; times are in ticks, ``least`` is the part of the cost that it must save.

    In one tick of ``each`` the optimizer is asked: to look at every node costs more than to think.
    """

    horizon: float = 50.0
    longest: float = 2_000.0
    hysteresis: float = 0.2
    least: float = 0.05
    keep_out: int = 3
    retry: int = 500
    each: int = 4

    def is_worth(self, switch: Switch, lasts: float) -> bool:
        """Tell whether a plan that lasts so many ticks pays for what it takes to get there."""
        saved = switch.now - switch.then
        horizon = min(max(self.horizon, lasts), self.longest)
        return saved > self.least * switch.now and horizon * saved > (1 + self.hysteresis) * switch.builds

    def following(self, lasts: float, gap: int) -> float:
        """Return how long a plan is expected to last after one did for ``gap`` ticks."""
        return 0.8 * (lasts or self.horizon) + 0.2 * gap


class Course(NamedTuple):
    """One view's changes of mind.

    ``since`` is the tick of the last one, ``lasts`` the mean time between them; ``awaited`` is a plan whose
    leaves are installed and not all answered, ``taken`` the switch that led to the present plan.
    """

    since: int
    lasts: float = 0.0
    barred: int = 0
    switches: int = 0
    abandoned: int = 0
    awaited: Physical | None = None
    taken: Switch | None = None


class Adapting:
    """Asks the optimizer of each running view, and carries out what is worth it."""

    def __init__(self, optimizer: Optimizer, upkeep: Upkeep, views: Registry, running: Running) -> None:
        self.is_on = True
        self.policy = Policy()
        self._optimizer = optimizer
        self._upkeep = upkeep
        self._views = views
        self._running = running
        self._courses: dict[View, Course] = {}
        self._switches = self._abandoned = 0
        self._has_moved = False
        self._barred = 0

    def course(self, view: View) -> Course:
        """Tell of a view's changes of mind."""
        return self._courses.get(view) or Course(view.version)

    def changes(self, view: View) -> tuple[int, int, float | None]:
        """Count a view's switches, and those given up; and say what a tick was to cost by the last."""
        course = self.course(view)
        return course.switches, course.abandoned, None if course.taken is None else course.taken.then

    def totals(self) -> tuple[int, int]:
        """Count all switches since the start, of views that are gone too, and those that were given up."""
        return self._switches, self._abandoned

    def searched(self) -> Search:
        """Say what all searches took so far, and how often running views changed their plans."""
        switches, abandoned = self.totals()
        return self._optimizer.searched()._replace(switches=switches, abandoned=abandoned)

    def adapt(self, stamp: Stamp) -> None:
        """Let the views change their plans, as of the last closed tick."""
        if not self.is_on or stamp.tick % self.policy.each:
            return
        self._upkeep.observe(stamp.tick)
        running = [view for view in self._views if view.node is not None]
        self._has_moved = self._moved_leaf(stamp)
        self._courses = {view: self._next(view, self.course(view), stamp) for view in running}
        awaited = [course.awaited for course in self._courses.values() if course.awaited is not None]
        if self._upkeep.install([leaf for plan in awaited for leaf in fragments_in(plan)], stamp):
            self._running.forget_unused()

    def _moved_leaf(self, stamp: Stamp) -> bool:
        """Move a leaf's rows between the driver and shares where there is one to move; tell whether."""
        if stamp.tick < self._barred:
            return False
        try:
            return self._upkeep.maybe_move()
        except Exception as error:
            log.warning("a leaf stays where it is", reason=reason_of(error))
            self._barred = stamp.tick + self.policy.retry
            return False

    def _next(self, view: View, course: Course, stamp: Stamp) -> Course:
        """Return how a view's course goes on, its plan changed if that is worth it."""
        course = course._replace(awaited=None)
        gap = stamp.tick - course.since
        if stamp.tick < course.barred or gap < self.policy.keep_out:
            return course
        switch = self._optimizer.reconsider(view.logical, view.physical, self._upkeep.is_running, view.goal)
        if switch is None or switch.plan == view.physical:
            return course
        if not self.policy.is_worth(switch, max(course.lasts, gap)):
            return course
        if isinstance(switch.plan, Partitioned):
            if self._has_moved:  # what moves out is built anew elsewhere, and ticks wait: one at a time
                return course
            self._has_moved = True
        known = fragments_in(view.physical)
        if not all(leaf in known or self._upkeep.answers(leaf) for leaf in fragments_in(switch.plan)):
            return course._replace(awaited=switch.plan)
        return self._switched(view, course, switch, stamp)

    def _switched(self, view: View, course: Course, switch: Switch, stamp: Stamp) -> Course:
        promised = None if course.taken is None else course.taken.then
        try:
            compared = self._optimizer.compared(view.physical, switch.plan)
            self._running.switch(view, switch.plan, stamp)
        except Exception as error:
            log.info("a cheaper plan was given up", view=view.name, reason=reason_of(error))
            self._abandoned += 1
            return course._replace(barred=stamp.tick + self.policy.retry, abandoned=course.abandoned + 1)
        self._switches += 1
        view.turns.append(Turn(stamp.tick, stamp.at, compared, promised, *switch[1:]))
        lasts = self.policy.following(course.lasts, stamp.tick - course.since)
        return Course(stamp.tick, lasts, 0, course.switches + 1, course.abandoned, None, switch)
