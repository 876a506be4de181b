"""Reading YAML that people write: every surprise is one line that says what, found, expected, remedy.

The core schema of YAML 1.2 (section 10.3.2) has two booleans, true and false: ``on`` and ``off``, which
devices send, are texts. A key is the text that is written, and stands once.
"""

import re
from collections.abc import Hashable, Mapping
from typing import Any

import yaml

from engine.model.durations import UNITS, read_duration
from engine.model.errors import SourceError, nearest

MOST_VALUES = 100_000
LONGEST = 366 * UNITS["DAY"]
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


class _Loader(yaml.SafeLoader):
    """YAML 1.2's booleans, and keys as they are written."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        self.flatten_mapping(node)
        found: dict[Hashable, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key that is no name", problem_mark=key.start_mark)
            if key.value in found:
                problem = f"{key.value} stands there twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            found[key.value] = self.construct_object(value, deep)
        return found


BOOL, FLOAT, TIME = (f"tag:yaml.org,2002:{name}" for name in ("bool", "float", "timestamp"))
_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in found if tag not in (BOOL, TIME)]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(BOOL, re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver(FLOAT, re.compile(r"[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$"), list("-+0123456789"))


def read_yaml(text: str, name: str) -> Any:
    """Return what a text says, or raise the first thing that makes it no YAML, with its line."""
    try:
        found = yaml.load(text, _Loader)  # noqa: S506  # a SafeLoader of ours
    except yaml.MarkedYAMLError as error:
        line = f" at line {error.problem_mark.line + 1}" if error.problem_mark else ""
        problem = " ".join(filter(None, (error.context, error.problem)))
        msg = f"{name} is not YAML{line}: {problem}{_remedy(problem)}"
        raise SourceError(msg) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        msg = f"{name} is not YAML: {' '.join(str(error).split())[:200]}"
        raise SourceError(msg) from error
    if not _is_bounded(found):
        there = f"{name} has over {MOST_VALUES:,} values, or one within itself"
        msg = f"{there}, once its aliases are followed; write out what *names stand for"
        raise SourceError(msg)
    return found


def _remedy(problem: str) -> str:
    within = "flow mapping" in problem and "got '['" in problem
    return "; in braces a value with brackets is quoted, as path: 'a[0].b'" if within else ""


def _is_bounded(value: Any) -> bool:
    """Tell whether all values can be gone through: an alias repeats what it names, even what it stands in."""
    waiting, seen = [value], 0
    while waiting and seen <= MOST_VALUES:
        one = waiting.pop()
        seen += 1
        if isinstance(one, dict | list):
            waiting += one.values() if isinstance(one, dict) else one
    return not waiting


def expand(value: Any, environment: Mapping[str, str]) -> Any:
    """Replace ${NAME} in every text; ${NAME:-this} is this where the name is not set."""
    if isinstance(value, dict):
        return {key: expand(one, environment) for key, one in value.items()}
    if isinstance(value, list):
        return [expand(one, environment) for one in value]
    if not isinstance(value, str):
        return value

    def look_up(match: re.Match[str]) -> str:
        if match[1] not in environment and match[2] is not None:
            return match[2]
        if match[1] not in environment:
            msg = f"sources.yaml names ${{{match[1]}}}, which is not set in the environment"
            raise SourceError(msg)
        return environment[match[1]]

    return _VARIABLE.sub(look_up, value)


def mapping(value: Any, where: str, known: set[str] | None = None) -> dict[str, Any]:
    """Return the value if it maps names to values, and only known names."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        msg = f"{where} is {shown(value)}; expected names, each with a value"
        raise SourceError(msg)
    for key in value:
        if known is not None and key not in known:
            choices = sorted(known)
            msg = f"unknown key {key} in {where}; expected {', '.join(choices)}{nearest(key, choices)}"
            raise SourceError(msg)
    return value


def shown(value: object) -> str:
    """Name a value in a message."""
    return "empty" if value is None else f"{type(value).__name__} {' '.join(str(value)[:40].split())}"


def text(spec: dict[str, Any], key: str, where: str) -> str:
    """Return a text that must be there."""
    found = spec.get(key)
    if not isinstance(found, str) or not found:
        msg = f"{key} of {where} is {shown(found)}; expected text"
        raise SourceError(msg)
    return found


def names(spec: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """Return a list of names, empty if it is not there."""
    found = spec.get(key) or []
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        msg = f"{key} of {where} is {shown(found)}; expected a list of names, like [desk]"
        raise SourceError(msg)
    return tuple(found)


def switch(spec: dict[str, Any], key: str, where: str) -> bool:
    """Return whether a key says true; false if it is not there."""
    found = spec.get(key, False)
    if not isinstance(found, bool):
        msg = f"{key} of {where} is {shown(found)}; expected true or false"
        raise SourceError(msg)
    return found


def seconds(spec: dict[str, Any], where: str, default: float, key: str = "poll_seconds") -> float:
    """Return how many seconds a key says."""
    found = spec.get(key, default)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0.05 <= found <= 86_400:
        msg = f"{key} of {where} is {shown(found)}; expected seconds, from 0.05 to 86400"
        raise SourceError(msg)
    return float(found)


def duration(spec: dict[str, Any], key: str, where: str, default: int) -> int:
    """Return a text such as ``30 seconds`` in microseconds."""
    if key not in spec:
        return default
    found = read_duration(str(spec[key]))
    if found is None or found > LONGEST:
        units = ", ".join(f"{name.lower()}s" for name in reversed(UNITS))
        there = f"expected a number and one of {units}, at most a year"
        msg = f"{key} of {where} is {shown(spec[key])}; {there}"
        raise SourceError(msg)
    return found
