"""How much is asked of a *why*: how many derivations, at which error rates, in which form; read from a body.

{"listed": 60, "rates": {"seats": 0.05}, "format": "prov"}
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from app.bodies import said
from engine.model.errors import QueryError

LISTED, MOST_LISTED = 20, 500
MOST_RATES = 100
NO_RATES: Mapping[str, float] = MappingProxyType({})
Form = Literal["json", "prov"]
FORMS: dict[str, Form] = {"json": "json", "prov": "prov"}


class Asked(NamedTuple):
    """What is asked beside the row: ``rates`` say how often rows of a relation are wrong."""

    listed: int = LISTED
    rates: Mapping[str, float] = NO_RATES
    form: Form = "json"
    deeper: bool = False


USUAL = Asked()


def asked() -> Asked:
    """Return what the body asks for; what it leaves out is as usual."""
    body = said()
    return Asked(
        _listed(body.get("listed", LISTED)),
        _rates(body.get("rates", {})),
        _form(body.get("format", "json")),
        body.get("deeper") is True,
    )


def _listed(given: Any) -> int:
    if type(given) is int and 0 < given <= MOST_LISTED:
        return given
    problem = f"listed is {given!s:.40}; expected how many derivations are wanted, from 1 to {MOST_LISTED}"
    raise QueryError(problem)


def _rates(given: Any) -> Mapping[str, float]:
    if not isinstance(given, dict) or len(given) > MOST_RATES:
        problem = (
            f'rates is not as expected: {{"relation": how often its rows are wrong, …}}, at most {MOST_RATES}'
        )
        raise QueryError(problem)
    for relation, rate in given.items():
        if type(rate) not in (int, float) or not 0 <= rate <= 1:
            problem = f"the error rate of {relation:.40} is {rate!s:.40}; expected a number from 0 to 1"
            raise QueryError(problem)
    return {relation: float(rate) for relation, rate in given.items()}


def _form(given: Any) -> Form:
    form = FORMS.get(given) if isinstance(given, str) else None
    if form is None:
        problem = f"why has no format {given!s:.40}; there are {' and '.join(FORMS)}"
        raise QueryError(problem)
    return form
