"""What the log is told of a database as a site: a row of ``sites`` whenever its state changes.

Only of a database that holds what is asked on demand; what is polled stands in the log anyway.
"""

from typing import Any

from engine.model.clock import Clock
from engine.model.relation import FAILING, SITES, UP
from ingest.sources import DatabaseSource


class SiteState:
    """The state that was told last."""

    def __init__(self, database: DatabaseSource, clock: Clock) -> None:
        self._site, self._clock = database.site, clock
        self._is_asked = bool(database.on_demand)
        self._problem: str | None = None
        self._since = 0

    def became(self, problem: str) -> list[list[Any]]:
        """Return the change that says so, if it is one; no problem means up."""
        if not self._is_asked or problem == self._problem:
            return []
        if self._problem is None or bool(problem) != bool(self._problem):
            self._since = self._clock.now()
        self._problem = problem
        state = FAILING if problem else UP
        row = {"site": self._site, "state": state, "since": self._since, "problem": problem}
        return [[1, SITES.name, row]]
