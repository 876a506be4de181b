"""What a request's body says, checked."""

from flask import request

from engine.model.errors import QueryError
from engine.plan.explaining import PlanForm

MAX_SQL = 20_000
MAX_MOST = 100_000
FORMS: dict[str, PlanForm] = {"text": "text", "json": "json"}


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


def maybe_most() -> int | None:
    """Return how many rows the body wants at most, None where it does not say."""
    said = request.get_json().get("most")
    if said is None or (type(said) is int and 0 < said <= MAX_MOST):
        return said
    problem = f"most is {said!s:.40}; expected how many rows are wanted at most, from 1 to {MAX_MOST}"
    raise QueryError(problem)


def plan_form() -> PlanForm:
    """Return the form in which the body asks for a plan: as text, if it does not say."""
    said = request.get_json().get("format", "text")
    form = FORMS.get(said.lower()) if isinstance(said, str) else None
    if form is None:
        problem = f"a plan has no format {said}; there are {' and '.join(FORMS)}"
        raise QueryError(problem)
    return form
