"""The filters, tests, functions and methods that a template may use, and what others would ask for."""

import json
from collections.abc import Callable
from typing import Any

from jinja2 import Undefined

from ingest.discovery.templates.bounds import formatted, plus, replaced, times
from ingest.discovery.templates.functions import (
    chosen,
    first,
    is_number,
    joined,
    or_default,
    replaced_in,
    rounded,
    said,
    to_bool,
    to_float,
    to_int,
    to_json,
    to_safe_json,
    total,
)

FILTERS: dict[str, Callable[..., Any]] = {
    "abs": abs, "add": plus, "bool": to_bool, "capitalize": lambda text: str(text).capitalize(),
    "count": len, "d": or_default, "default": or_default, "first": first, "float": to_float,
    "format": formatted, "from_json": json.loads, "iif": chosen, "int": to_int, "is_defined": said,
    "is_number": is_number, "join": joined, "last": lambda each: each[-1] if each else Undefined(name="last"),
    "length": len, "list": list, "lower": lambda text: str(text).lower(), "max": max, "min": min,
    "multiply": lambda value, by: times(to_float(value), by), "replace": replaced_in, "round": rounded,
    "string": str, "sum": total, "title": lambda text: str(text).title(), "to_json": to_json,
    "tojson": to_safe_json, "trim": lambda text, of=None: str(text).strip(of),
    "upper": lambda text: str(text).upper(),
}  # fmt: skip

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs, "bool": to_bool, "float": to_float, "iif": chosen, "int": to_int, "is_number": is_number,
    "max": max, "min": min,
}  # fmt: skip

TESTS: dict[str, Callable[..., bool]] = {
    "defined": lambda a: not isinstance(a, Undefined), "undefined": lambda a: isinstance(a, Undefined),
    "none": lambda a: a is None, "number": lambda a: isinstance(a, int | float),
    "boolean": lambda a: isinstance(a, bool), "string": lambda a: isinstance(a, str),
    "mapping": lambda a: isinstance(a, dict), "sequence": lambda a: isinstance(a, str | list | tuple | dict),
    "iterable": lambda a: isinstance(a, str | list | tuple | dict), "integer": lambda a: type(a) is int,
    "float": lambda a: type(a) is float, "true": lambda a: a is True, "false": lambda a: a is False,
    "even": lambda a: a % 2 == 0, "odd": lambda a: a % 2 == 1, "divisibleby": lambda a, by: a % by == 0,
    "is_number": is_number, "in": lambda a, among: a in among, "eq": lambda a, b: a == b,
    "equalto": lambda a, b: a == b, "==": lambda a, b: a == b, "ne": lambda a, b: a != b,
    "!=": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip

METHODS: dict[str, tuple[type, Callable[..., Any]]] = {
    "get": (dict, dict.get), "keys": (dict, list), "values": (dict, lambda found: list(found.values())),
    "split": (str, str.split), "replace": (str, replaced), "lower": (str, str.lower),
    "upper": (str, str.upper), "strip": (str, str.strip), "lstrip": (str, str.lstrip),
    "rstrip": (str, str.rstrip), "title": (str, str.title), "capitalize": (str, str.capitalize),
    "startswith": (str, str.startswith), "endswith": (str, str.endswith), "find": (str, str.find),
    "isdigit": (str, str.isdigit),
}  # fmt: skip

ASKED = {
    "the clock": "now utcnow today_at as_timestamp timestamp_custom timestamp_local strptime relative_time",
    "other entities": "states state_attr is_state is_state_attr has_value this entity_id",
    "regular expressions": "regex_replace regex_findall regex_findall_index regex_match regex_search",
}
ELSEWHERE = {name: asked for asked, names in ASKED.items() for name in names.split()}
"""What a name that is not listed would ask for, beyond the message or beyond bounds."""
