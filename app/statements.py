"""Statements over HTTP: a text, the values of its parameters, and what each statement leads to.

    {"sql": "SELECT …; EXPLAIN WHY …", "parameters": {"kiosk": "lobby"}}   →   {"outcomes": [{…}, {…}]}

Whoever may ask may also read; what makes or drops something needs what POST /api/views needs.
"""

from collections.abc import Callable, Iterable
from typing import Any

from flask import Blueprint, Response, abort, jsonify, request, session

from app import present
from app.accounts.noting import note
from app.auth import Auth
from app.bodies import field
from app.facade import Engine
from app.roles import OUTPUTS_ROLE, Role, requires
from app.why import effort, told
from engine.lang.streamsql import CreateView, Output, Query
from engine.lang.streamsql.statements.parameters import Parameters
from engine.model.errors import PlanError, QueryError
from engine.outcomes import Changed, Listing, NotThere, Outcome, Plan, Written
from engine.statements import changes_something, prepared

TOO_MUCH = "What makes, drops or writes needs the role admin, and no token that reads only."
TO_ROUTE = (
    f"the role {OUTPUTS_ROLE.label} makes it a view, CREATE VIEW name AS … OUTPUT TO …; "
    "leave OUTPUT TO out to read the rows yourself"
)
ASKED_ONCE = (
    f"OUTPUT TO sends rows for as long as something stands, found a query that is asked once; {TO_ROUTE}"
)
MAX_ROWS = 10_000
MAX_PARAMETERS = 100


def add_statement_routes(
    api: Blueprint,
    engine: Engine,
    auth: Auth,
    check: Callable[[Iterable[Output]], None],
    refused: Callable[[QueryError | PlanError], tuple[Response, int]],
) -> None:
    """Add the route that takes any text; ``check`` objects to where a view sends its rows."""

    @api.post("/api/statements")
    @requires(Role.ANALYST, reads=True)
    def statements() -> tuple[Response, int]:
        text = field("sql")
        given = parameters()
        asked = prepared(text, given)
        visitor = auth.visitor(request, session)
        changes = any(map(changes_something, asked))
        if changes and (visitor is None or not visitor.may_change(Role.ADMIN)):
            abort(403, TOO_MUCH)
        if changes:
            note("carried out statements", text)
        outcomes: list[dict[str, Any]] = []
        try:
            for statement in asked:
                if isinstance(statement, CreateView):
                    check(statement.outputs)
                if isinstance(statement, Query) and statement.outputs:
                    raise QueryError(ASKED_ONCE, statement.outputs[0].span)
                outcomes.append(outcome_of(engine.execute(statement, given, effort)))
        except (QueryError, PlanError) as error:
            refusal, status = refused(error)
            return jsonify({**refusal.get_json(), "outcomes": outcomes}), status
        return jsonify({"outcomes": outcomes}), 200


def parameters() -> Parameters:
    """Return the values that a request gives, by name in small letters."""
    given = request.get_json().get("parameters", {})
    if not isinstance(given, dict) or len(given) > MAX_PARAMETERS:
        problem = f'parameters must be values by name, at most {MAX_PARAMETERS}: {{"kiosk": "lobby"}}'
        raise QueryError(problem)
    return {name.lower(): value for name, value in given.items()}


def outcome_of(outcome: Outcome) -> dict[str, Any]:
    """Return what a statement led to, as JSON."""
    match outcome:
        case Changed(done, kind, names):
            return {"done": done, "kind": kind, "names": list(names)}
        case Written(done, name, rows):
            return {"done": done, "kind": "rows", "names": [name], "rows": rows}
        case Listing(columns, rows, missing):
            cells = present.row_presenter(columns)
            shown = [cells(row) for row in rows[:MAX_ROWS]]
            more = len(rows) - len(shown)
            found = {"columns": present.columns(columns), "rows": shown, "more": more}
            return {**found, "missing": list(missing)} if missing else found
        case Plan(plan, form):
            return {"plan": present.plan(plan, form), "document": present.plan(plan, "json")}
        case NotThere(snapshot, row, missing):
            return {"why": present.missing(snapshot, row, missing)}
    return {"why": told(outcome)}
