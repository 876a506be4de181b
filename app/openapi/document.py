"""The description of the API: the app's own routes and their roles, with what the areas say of each.

    url_map × access of each × Operation of each   →   an OpenAPI 3.1 document

A route that no area tells of, or a table's row without a route, is an error when the document is made: what
is not described would be missed by whoever reads only this.
"""

import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from flask import Flask
from werkzeug.routing import Rule

from app.openapi import alarms, asking, building, health, past, people, plans, space, ways
from app.openapi.operation import JSON, Operation
from app.openapi.shapes import FILLED, TEXT, WHOLE, Schema, array, part, record
from app.pacing import KINDS
from app.roles import Access, access_of
from engine.model.errors import InternalError

Document = dict[str, Any]

AREAS = {
    "health": health,
    "asking": asking,
    "past": past,
    "space": space,
    "building": building,
    "ways": ways,
    "alarms": alarms,
    "people": people,
}
BESIDE = frozenset({"/healthz", "/readyz", "/metrics", "/openapi.json"})
"""What is described although it is not under /api."""
VARIABLE = re.compile(r"<(?:(\w+):)?(\w+)>")
SPAN = record(line=WHOLE, start=WHOLE, end=WHOLE)
ERROR = record({"span": part("Span"), "outcomes": array(part("Outcome"))}, error=FILLED)
TITLE = "SmartCIS"
MEANING = """Everything the pages do, and more: views, queries, why, the past, alarms, the building.

Errors are always `{"error": "one line"}`; a wrong query has its place as `span`.

A program sends `Authorization: Bearer` and an API token, made on the page `/me` or by `smartcis token`.
It acts as its account, by its own role at most, until its day. Roles: admin > operator > analyst > viewer >
kiosk; each may do what a lower one may. A token that reads only may GET, and POST where `x-reads` says so.
Live rows come over Socket.IO, to the same token."""


def document(app: Flask, version: str) -> Document:
    """Return the description of everything under /api and beside it."""
    known = {key: (area, told) for area, module in AREAS.items() for key, told in module.OPERATIONS.items()}
    paths: dict[str, Document] = {}
    for rule, method in described(app):
        found = known.pop(f"{method} {rule.rule}", None)
        access = access_of(app.view_functions[rule.endpoint])
        if found is None or access is None:
            message = f"{method} {rule.rule} is not described; app/openapi has a table for each area"
            raise InternalError(message)
        area, told = found
        path = paths.setdefault(VARIABLE.sub(r"{\2}", rule.rule), {})
        path[method.lower()] = _operation(rule, method, area, told, access)
    if known:
        message = f"app/openapi describes what is not there: {', '.join(known)}"
        raise InternalError(message)
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "version": version, "description": MEANING},
        "servers": [{"url": "/"}],
        "tags": [{"name": area, "description": _meaning(module)} for area, module in AREAS.items()],
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": _schemas(), "securitySchemes": _schemes(app)},
    }


def described(app: Flask) -> Iterator[tuple[Rule, str]]:
    """Yield the routes that belong into the description, each with its method."""
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/") or rule.rule in BESIDE:
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                yield rule, method


def _operation(rule: Rule, method: str, area: str, told: Operation, access: Access) -> Document:
    found: Document = {
        "operationId": rule.endpoint,
        "tags": [area],
        "summary": told.does,
        "description": _who(access),
        "parameters": [*_variables(rule), *(each.described() for each in told.asks)],
        "responses": _responses(rule, told, access),
        "security": [{"bearer": []}, {"session": []}] if access.role is not None else [],
        "x-role": access.role.label if access.role is not None else "anyone",
        "x-reads": access.role is None or access.reads or method == "GET",
    }
    if told.body is not None:
        found["requestBody"] = {"required": True, "content": {told.sends: {"schema": told.body}}}
    return found


def _who(access: Access) -> str:
    if access.role is None:
        return "Anyone may ask."
    also = "; also whoever was handed a way" if access.walkers else ""
    reads = " A token that reads only may call it." if access.reads else ""
    return f"The least role is {access.role.label}{also}.{reads}"


def _variables(rule: Rule) -> Iterator[Schema]:
    for kind, name in VARIABLE.findall(rule.rule):
        schema: Schema = {"type": "integer", "minimum": 0} if kind == "int" else {**TEXT, "minLength": 1}
        yield {"name": name, "in": "path", "required": True, "schema": schema}


def _responses(rule: Rule, told: Operation, access: Access) -> Document:
    found = {str(status): answer.described() for status, answer in told.answers.items()}
    refused = {**_refusals(rule, told, access), **told.refuses}
    error = {"content": {JSON: {"schema": part("Error")}}}
    for status, why in sorted(refused.items()):
        found[str(status)] = {"description": why, **(error if status >= 400 else {})}
    return found


def _refusals(rule: Rule, told: Operation, access: Access) -> Mapping[int, str]:
    """Return what follows from what a route is."""
    found = {500: "the fault is ours; the server's log has it"}
    if access.role is not None:
        found |= {
            401: "nobody is signed in, or the token is no good",
            403: "the role or token does not permit it",
        }
    if rule.arguments or told.asks or told.body is not None or access.role is not None:
        found[400] = "what is asked cannot be; the error says what was expected"
    if rule.arguments:
        found[404] = "there is nothing at this address"
    if told.body is not None:
        found[413] = "the body is longer than what is read"
    if rule.endpoint in KINDS:
        found[429] = "too many of these in a minute; Retry-After says how long to wait"
    return found


def _schemas() -> Document:
    found: Document = {"Error": ERROR, "Span": SPAN, **plans.PARTS}
    for module in AREAS.values():
        found |= module.PARTS
    return dict(sorted(found.items()))


def _schemes(app: Flask) -> Document:
    cookie = app.config["SESSION_COOKIE_NAME"]
    return {
        "bearer": {"type": "http", "scheme": "bearer", "description": "an API token"},
        "session": {"type": "apiKey", "in": "cookie", "name": cookie, "description": "a browser's sign-in"},
    }


def _meaning(area: ModuleType) -> str:
    return (area.__doc__ or "").splitlines()[0]
