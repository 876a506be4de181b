"""What gateways say, as rows: what their fragments put out, and how they are.

    fragment/<16 hex>/<gateway>   {"incarnation": 7, "sequence": 3, "settled": true, "changes": [[1, [v, …]]]}
        → a row for each change, and last one of sign 0 and no values: that the message came
    gateway/<name>/state          {"state": "up", "incarnation": 7, "failed": {…}, "hops": 1, …}
        → the gateway's row of ``sites``

A message is one entry of the log and counts as a whole or, where anything is wrong with it, not at all.

Only answers to what is in force here are listened to. A broker may keep what another installation asks, or
what an earlier one asked, whose folder is gone: gateways answer it, and it is nothing for this log. Nobody
can tell the one from the other, so it is not cleared; the gateway's row of ``sites`` says what it runs.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

from engine.model.relation import GONE, UP, Relation
from engine.model.values import Row, Value
from engine.plan.leaves import GATEWAY_HEAD
from ingest.decoding.payload import one_line
from ingest.decoding.values import FieldError, check_of, shown

STATES = "gateway/+/state"
LEVELS = 3
SHOWN = 5
Signed = tuple[int, Row]


def answers_to(fragment: str) -> str:
    """Return the filter of what gateways say of a fragment."""
    return f"fragment/{fragment.partition(':')[2]}/+"


def fragment_named(topic: str) -> str | None:
    """Return the relation whose rows come under a topic, if it is one of a fragment."""
    levels = topic.split("/")
    if levels[0] != "fragment":
        return None
    return f"fragment:{levels[1]}" if len(levels) == LEVELS else ""


def gateway_named(topic: str) -> str | None:
    """Return which gateway tells how it is under a topic, if one does."""
    levels = topic.split("/")
    is_state = len(levels) == LEVELS and (levels[0], levels[2]) == ("gateway", "state")
    return levels[1] if is_state else None


def signed_rows(relation: Relation, topic: str, found: Any) -> list[Signed]:
    """Return what a message says of a fragment's rows, or raise what is wrong with it."""
    if not isinstance(found, dict):
        msg = f"payload is {shown(found)}; expected an object"
        raise FieldError(msg)
    gateway, incarnation, sequence, settled = GATEWAY_HEAD
    head = (
        _checked(gateway.name, gateway.type, topic.split("/")[2]),
        *(_checked(c.name, c.type, found.get(c.name)) for c in (incarnation, sequence, settled)),
    )
    columns = relation.columns[len(GATEWAY_HEAD) :]
    changes = found.get("changes")
    if not isinstance(changes, list):
        msg = f"changes is {shown(changes)}; expected [[±1, [values]], …]"
        raise FieldError(msg)
    checks = [check_of(column.type, column.name) for column in columns]
    rows = [(sign, (*head, *values)) for sign, values in _read(changes, checks)]
    return [*rows, (0, (*head, *(None for _ in columns)))]


def _checked(name: str, kind: Any, value: object) -> Value:
    if value is None:
        msg = f"the payload has no {name}"
        raise FieldError(msg)
    return check_of(kind, name)(value)


def _read(changes: list[Any], checks: list[Callable[[Any], Value]]) -> Iterator[Signed]:
    for change in changes:
        match change:
            case [sign, list(values)] if type(sign) is int and abs(sign) == 1 and len(values) == len(checks):
                pairs = zip(checks, values, strict=True)
                yield sign, tuple(None if value is None else check(value) for check, value in pairs)
            case _:
                msg = f"a change is {str(change)[:60]}; expected [±1, [{len(checks)} values]]"
                raise FieldError(msg)


def forgetting(relation: Relation, gateway: str) -> Signed:
    """Return what takes back all that a gateway put out."""
    return -1, (gateway, *(None for _ in relation.columns[1:]))


def site_row(gateway: str, found: Any, received: int, asked: Container[str]) -> Row:
    """Return what a gateway says of itself as a row of ``sites``: since when it lives, or is gone.

    ``asked`` are the fragments that were ever asked for here.
    """
    state = found.get("state") if isinstance(found, dict) else None
    if state not in (UP, GONE):
        msg = f"state is {shown(state)}; expected up or gone"
        raise FieldError(msg)
    if state != UP:
        return gateway, state, received, "it does not answer; what it said last stands"
    born = found.get("incarnation")
    return gateway, state, born if type(born) is int else received, _problem(found, asked)


def _problem(found: Mapping[str, Any], asked: Container[str]) -> str:
    """Return what keeps a gateway that is up from doing all that it is asked, or nothing else."""
    failed, runs = found.get("failed"), found.get("runs")
    told = [f"{name}: {why}" for name, why in failed.items()] if isinstance(failed, dict) else []
    strange = [str(name) for name in runs if name not in asked] if isinstance(runs, list) else []
    if strange:
        topics = ", ".join(f"fragments/{name.partition(':')[2]}" for name in strange[:SHOWN])
        told.append(
            f"it also runs {len(strange)} that nobody asked for here; unless another installation did, "
            f"clear the retained {topics}{', …' if strange[SHOWN:] else ''}"
        )
    if "hops" in found and found["hops"] is None:
        told.insert(0, "no way to base")
    return one_line("; ".join(told))
