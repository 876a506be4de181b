"""A route is one output of one view; a sink is where one kind of output goes."""

from typing import NamedTuple, Protocol

from app.facade import Delta, Snapshot
from engine.lang.streamsql import Output


class Route(NamedTuple):
    """One output of one view."""

    view: str
    output: Output


class Sink(Protocol):
    """Where one kind of output goes. Called from the router's thread; what fails is tried again."""

    def hold(self, route: Route, state: Snapshot) -> None:
        """Make the world show exactly these rows."""

    def change(self, route: Route, change: Delta) -> None:
        """Show what changed since the state or change before."""

    def end(self, route: Route) -> None:
        """Take everything of the route back."""

    def settle(self, routes: set[Route]) -> None:
        """Take back what an earlier run left that is of none of these routes."""

    def turn(self) -> bool:
        """Do what is due, about four times a second; True asks to hold every route again."""
