"""What a request's body says, checked."""

from flask import request

from engine.model.errors import QueryError

MAX_SQL = 20_000


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
