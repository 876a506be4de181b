"""What a request says, by its body or after the ? of its address, checked."""

from collections.abc import Iterable
from typing import Any

from flask import request

from app.roles import Role
from engine.model.errors import QueryError
from engine.plan.explaining import PlanForm

MAX_SQL = 20_000
MAX_MOST = 100_000
FORMS: dict[str, PlanForm] = {"text": "text", "json": "json"}


def said() -> dict[str, Any]:
    """Return what the body says by name, nothing where there is no body; raise if it is no JSON object."""
    body = request.get_json(silent=True)
    if isinstance(body, dict):
        return body
    if not request.get_data():
        return {}
    found = "it cannot be read as one" if request.is_json else f"it is of type {request.mimetype or 'unsaid'}"
    problem = (
        f'the body is no JSON object, {found}; expected such as {{"name": "…"}} of type application/json'
    )
    raise QueryError(problem)


def field(name: str) -> str:
    """Return a text that the body must have."""
    body = request.get_json(silent=True)
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, str) or not value.strip():
        problem = f'the body has no {name}; expected JSON {{"{name}": "…"}} of type application/json'
        raise QueryError(problem)
    if len(value) > MAX_SQL:
        problem = f"{name} has {len(value)} characters; at most {MAX_SQL} are read"
        raise QueryError(problem)
    return value


def role_field(offered: Iterable[Role]) -> Role:
    """Return the role that the body names; what it may be is the asked one's to say."""
    named = field("role")
    role = Role.__members__.get(named.upper())
    if role is None:
        problem = f"unknown role {named:.40}; there are {', '.join(each.label for each in offered)}"
        raise QueryError(problem)
    return role


def maybe_most() -> int | None:
    """Return how many rows the body wants at most, None where it does not say."""
    most = said().get("most")
    if most is None or (type(most) is int and 0 < most <= MAX_MOST):
        return most
    problem = f"most is {most!s:.40}; expected how many rows are wanted at most, from 1 to {MAX_MOST}"
    raise QueryError(problem)


def asked_number(name: str, default: int, least: int, most: int) -> int:
    """Return a whole number that the address says, or the default where it does not say it."""
    text = request.args.get(name)
    if text is None:
        return default
    if text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most:
        return int(text)
    problem = f"{name}={text:.40} cannot be; expected a whole number from {least} to {most}"
    raise QueryError(problem)


def plan_form() -> PlanForm:
    """Return the form in which the body asks for a plan: as text, if it does not say."""
    named = said().get("format", "text")
    form = FORMS.get(named.lower()) if isinstance(named, str) else None
    if form is None:
        problem = f"a plan has no format {named}; there are {' and '.join(FORMS)}"
        raise QueryError(problem)
    return form
