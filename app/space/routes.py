"""The use of space over HTTP: a page, and what it shows.

    GET /space             the page
    GET /api/space/use     each floor and room between ?from= and &to=
    GET /api/space/hours   one place by the hour: &room=1.01, &floor=2, or all of the building
    GET /api/space/energy  what floors, rooms and machines drew, with its cost where there is a tariff
    GET /api/space/sensors those that are stuck

A stretch is whole hours, at most 400 days; all but the last are CSV by format=csv.
"""

from collections.abc import Mapping
from contextlib import suppress

from flask import Blueprint, Response, jsonify, render_template, request, session

from app.auth import Auth
from app.building import AnyBuilding
from app.history.routes import as_csv, moment_in, wants_csv
from app.roles import Role, requires
from app.space import told
from app.space.energy import drawn, drawn_by_hour, tariff_of
from app.space.hours import DAY, HeldHours
from app.space.sensors import Judged, judged, rules_of
from app.space.use import FLOORS, ROOMS, Asked, by_hour, uses, without_few
from app.together import SEES_ALL
from app.vendor import vendor_tags
from engine.model.clock import Clock
from engine.model.errors import QueryError

LONGEST_DAYS = 400


class Space:
    """What the routes ask: the past of a building, by the hour."""

    def __init__(
        self, held: HeldHours | None, building: AnyBuilding, clock: Clock, auth: Auth, together: int
    ) -> None:
        self._held, self.building, self.clock = held, building, clock
        self.auth, self.together = auth, together
        self.tariff, self.rules = tariff_of(building.described), rules_of(building.described)

    @property
    def held(self) -> HeldHours:
        if self._held is None:
            message = "no past is kept by this server, so nothing is known of the use of space"
            raise QueryError(message)
        return self._held

    def judged(self) -> Judged:
        """Return the sensors that are stuck; without a past, none is known to be."""
        if self._held is None:
            return Judged([], ["no past is kept by this server"])
        return judged(self._held, self.building, self.rules, self.clock.now())

    def stretch(self) -> tuple[int, int]:
        """Return what the request asks for, a day up to now where it says nothing."""
        now = self.clock.now()
        end = min(moment_in("to", now), now)
        start = moment_in("from", now, end - DAY)
        if not end - LONGEST_DAYS * DAY <= start < end:
            message = f"the stretch begins before it ends, in the past, at most {LONGEST_DAYS} days before"
            raise QueryError(message)
        return start, end


def create_space_routes(space: Space) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("space", __name__)

    @routes.get("/space")
    @requires(Role.VIEWER)
    def space_page() -> str:
        return render_template("space.html", building=space.building.name, vendor=vendor_tags())

    _use_routes(routes, space)
    _energy_routes(routes, space)
    routes.register_error_handler(QueryError, lambda error: (jsonify({"error": error.message}), 400))
    return routes


def _use_routes(routes: Blueprint, space: Space) -> None:
    def least() -> int:
        """Return how many people may be told of; whoever sees each of them sees any number."""
        visitor = space.auth.visitor(request, session)
        return 1 if visitor and visitor.role >= SEES_ALL else space.together

    @routes.get("/api/space/use")
    @requires(Role.VIEWER)
    def use() -> Response:
        start, end = space.stretch()
        enough = least()
        floors, rooms = (
            [without_few(each, enough) for each in uses(space.held, view, start, end)]
            for view in (FLOORS, ROOMS)
        )
        if wants_csv():
            return as_csv(told.use_csv(floors, rooms, space.building, enough), "use")
        found = told.use_json(floors, rooms, space.building)
        return jsonify({"from": start, "to": end, "least": enough, **found})

    @routes.get("/api/space/hours")
    @requires(Role.VIEWER)
    def hours() -> Response:
        start, end = space.stretch()
        asked = _asked()
        enough = least()
        known = by_hour(space.held, space.building, asked, start, end)
        found = [without_few(each, enough) for each in known]
        energy = []
        with suppress(QueryError):  # a building without meters
            energy = drawn_by_hour(space.held, _rooms_of(asked, space.building), start, end)
        if wants_csv():
            return as_csv(told.hours_csv(found, energy, enough), "hours")
        return jsonify({"from": start, "to": end, "least": enough, **told.hours_json(found, energy)})

    @routes.get("/api/space/sensors")
    @requires(Role.VIEWER)
    def sensors() -> Response:
        return jsonify(told.sensors_json(space.judged(), space.building))


def _energy_routes(routes: Blueprint, space: Space) -> None:
    @routes.get("/api/space/energy")
    @requires(Role.VIEWER)
    def energy() -> Response:
        start, end = space.stretch()
        found = drawn(space.held, space.building, start, end)
        if wants_csv():
            return as_csv(told.energy_csv(found, space.tariff), "energy")
        return jsonify({"from": start, "to": end, **told.energy_json(found, space.tariff)})


def _asked() -> Asked:
    room, floor = request.args.get("room"), request.args.get("floor")
    if room is not None and floor is not None:
        problem = "a room or a floor, not both; a room is on one floor"
        raise QueryError(problem)
    if floor is not None and not floor.removeprefix("-").isdecimal():
        problem = f"floor={floor[:40]} is no floor; expected its number"
        raise QueryError(problem)
    return Asked(room, None if floor is None else int(floor))


def _rooms_of(asked: Asked, building: AnyBuilding) -> Mapping[str, bool]:
    """Mark the rooms that belong to what is asked for."""
    return {
        place.id: place.id == asked.room if asked.room is not None else asked.floor in (None, place.floor)
        for place in building.places
    }
