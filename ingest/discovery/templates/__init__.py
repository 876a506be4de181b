"""Value templates: what a device says is done with its message to come to a value.

    {{ value_json.temperature | float | round(1) }}       message → 21.5

Jinja's own parser makes the tree. Of it a listed part is compiled to functions: what a name, a path, an
operator, a condition and the listed filters, tests, functions and methods say. There are no loops, macros,
imports, regular expressions, nor anything that asks the clock or other entities; texts, numbers and the
template itself are bounded. So whoever can publish an announcement can neither hang nor fill a reader.

bounds        how large things may grow, and operators that heed it
functions     what they may call
listed        under which names
expressions   an expression's tree → a function
scope         what they are given, and the work that is left
statements    text, if and set around expressions
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jinja2
from jinja2 import Undefined

from ingest.decoding.values import FieldError
from ingest.discovery.message import NO_JSON, Message
from ingest.discovery.templates.bounds import MAX_TEMPLATE
from ingest.discovery.templates.expressions import item_of
from ingest.discovery.templates.scope import TemplateError
from ingest.discovery.templates.statements import template_of

__all__ = ["Template", "TemplateError", "UnsaidError", "compiled", "path_of"]

KEPT = 20_000
FAILURES = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError, MemoryError)
_PART = r"""(?:\.[A-Za-z_]\w*|\[(?:'[^'"\\]*'|"[^'"\\]*"|\d{1,4})\])"""
_PLAIN = re.compile(rf"\s*\{{\{{-?\s*value_json({_PART}+)\s*-?\}}\}}\s*", re.ASCII)
_STEP = re.compile(r"""\.(\w+)|\['([^']*)'\]|\["([^"]*)"\]|\[(\d+)\]""")
_ENVIRONMENT = jinja2.Environment(autoescape=False)  # noqa: S701  # it only parses, and renders nothing

Template = Callable[[Message], Any]


class UnsaidError(FieldError):
    """A message has nothing of what a template asks for."""


@lru_cache(KEPT)
def compiled(text: str) -> Template:
    """Return what makes a value of a message: its text, or the value itself where that is one expression.

    Raises TemplateError with what is not understood; what it returns raises FieldError.
    """
    path = path_of(text)
    return _by_path(path) if path else _by_tree(text)


def path_of(text: str) -> tuple[str | int, ...]:
    """Return the path into the payload that a template is nothing else than; else nothing."""
    found = _PLAIN.fullmatch(text)
    if found is None:
        return ()
    steps = _STEP.finditer(found[1])
    return tuple(int(step[4]) if step[4] else step[1] or step[2] or step[3] or "" for step in steps)


def _by_path(path: tuple[str | int, ...]) -> Template:
    *through, last = path
    name = ".".join(map(str, path))

    def read(message: Message) -> Any:
        found = message.json
        if found is NO_JSON:
            raise UnsaidError(message.no_json)
        for step in through:
            found = item_of(found, step)
            if type(found) is Undefined:
                msg = f"the payload has no {step}, which the template needs for {name}"
                raise UnsaidError(msg)
        return item_of(found, last)

    return read


def _by_tree(text: str) -> Template:
    if len(text) > MAX_TEMPLATE:
        msg = f"a template of {len(text)} characters; at most {MAX_TEMPLATE} are compiled"
        raise TemplateError(msg)
    try:
        tree = _ENVIRONMENT.parse(text.strip())
        run = template_of(tree)
    except TemplateError:
        raise
    except RecursionError as error:
        msg = "the template is nested too deeply"
        raise TemplateError(msg) from error
    except (jinja2.TemplateError, *FAILURES) as error:
        msg = f"the template is no Jinja: {error}"
        raise TemplateError(msg) from error
    return _guarded(run)


def _guarded(run: Template) -> Template:
    def read(message: Message) -> Any:
        try:
            found = run(message)
        except jinja2.UndefinedError as error:
            raise UnsaidError(message.no_json or f"the template fails: {error}") from error
        except FAILURES as error:
            msg = f"the template fails: {error or type(error).__name__}"
            raise FieldError(msg) from error
        return found.strip() if type(found) is str else found

    return read
