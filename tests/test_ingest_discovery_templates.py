"""Value templates: what is compiled says what Jinja says, within bounds; the rest is refused and told why."""

import json
import random
from contextlib import suppress
from typing import Any

import jinja2
import pytest
from jinja2.sandbox import SandboxedEnvironment

from ingest.decoding.values import FieldError
from ingest.discovery.message import Message
from ingest.discovery.templates import TemplateError, UnsaidError, compiled, path_of

JINJA = SandboxedEnvironment()
SAID = {
    "temperature": 21.46, "humidity": 40, "contact": True, "state": "ON", "none": None, "empty": "",
    "deep": {"a": {"b": [1, 2, {"c": "x"}]}, "odd name": 7}, "list": [3, 1, 2], "text": " Hot;Cold ",
    "big": 1234567, "negative": -3.5, "words": {"on": 1, "off": 0},
}  # fmt: skip
CORPUS = """
{{ value_json.temperature }}
{{value_json['temperature']}}
{{ value_json["deep"]['a'].b[0] }}
{{ value_json.deep['odd name'] }}
{{ value_json.deep.a.b[2].c }}
{{ value_json.list[-1] }}
{{ value_json.missing }}
{{ value_json.none }}
{{ value_json.empty }}
{{ value_json.contact }}
{{ value }}
{{ value_json.temperature | round(1) }}
{{ value_json.temperature | float * 1.8 + 32 }}
{{ (value_json.temperature * 2) | round(2) }}
{{ value_json.temperature | int }}
{{ value_json.humidity / 100 }}
{{ value_json.big // 1000 }}
{{ value_json.big % 1000 }}
{{ value_json.humidity ** 2 }}
{{ -value_json.negative }}
{{ value_json.negative | abs }}
{{ value_json.missing | default(0) }}
{{ value_json.missing | default('none') | upper }}
{{ value_json.none | default('x') }}
{{ value_json.none | default('x', true) }}
{{ value_json.missing is defined }}
{{ 'on' if value_json.contact else 'off' }}
{{ 'ON' if value_json.state == 'ON' else 'OFF' }}
{{ value_json.state if value_json.state is defined else 0 }}
{% if value_json.humidity > 50 %}wet{% elif value_json.humidity > 30 %}fine{% else %}dry{% endif %}
{% if value_json.missing is defined %}{{ value_json.missing }}{% endif %}
{% set t = value_json.temperature %}{{ t - 1 }}
{% set values = {None: 'idle', 'ON': 'heating'} %}{{ values[value_json.state] }}
{% set values = {None: 'idle', 'ON': 'heating'} %}{{ values[value_json.none] }}
{{ {'ON': 1, 'OFF': 0}[value_json.state] }}
{{ {'ON': 1, 'OFF': 0}.get(value_json.empty, 9) }}
{{ value_json.words.on }}{{ value_json.words.off }}
{{ value_json.state in ['ON', 'OFF'] }}
{{ value_json.state not in ('ON', 'OFF') }}
{{ value_json.humidity >= 40 and value_json.contact }}
{{ value_json.missing or 'else' }}
{{ not value_json.contact }}
{{ 1 < value_json.humidity < 41 }}
{{ value_json.text | trim }}
{{ value_json.text.split(';')[0] | trim | lower }}
{{ value_json.text | replace(';', ',') | trim }}
{{ value_json.state[0:1] }}
{{ value_json.state | length }}
{{ value_json.list | max }}/{{ value_json.list | min }}/{{ value_json.list | sum }}
{{ value_json.list | first }}{{ value_json.list | last }}
{{ value_json.list | join('-') }}
{{ value_json.state ~ ':' ~ value_json.humidity }}
{{ value_json.state + '!' }}
{{ '%.1f' | format(value_json.temperature) }}
{{ '%05d-%s' % (value_json.humidity, value_json.state) }}
{{ value_json.list | tojson }}
{{ value_json.deep is mapping }}{{ value_json.list is sequence }}{{ value_json.state is string }}
{{ value_json.humidity is even }}{{ value_json.humidity is divisibleby(7) }}
{{ value_json.humidity is number }}{{ value_json.none is none }}{{ value_json.contact is true }}
{"a": {{ value_json.humidity }}, "b": "{{ value_json.state }}"}
text alone
{{- value_json.state -}}
{# a comment #}{{ value_json.state }}
{{ value_json.contact | string | lower }}
{{ [value_json.humidity, 5] | max }}
{{ value_json.state.lower().startswith('o') }}
""".strip().splitlines()  # fmt: skip


def rendered(template: str, payload: bytes) -> str:
    """Return what a template makes, as the text that Jinja would make of it."""
    found = compiled(template)(Message(payload))
    return str(found).strip()


def by_jinja(template: str, payload: bytes) -> str:
    said: dict[str, Any] = {"value": payload.decode()}
    with suppress(ValueError):
        said["value_json"] = json.loads(payload)
    return JINJA.from_string(template.strip()).render(said).strip()


@pytest.mark.parametrize("template", CORPUS)
def test_a_template_says_what_jinja_says(template: str) -> None:
    payload = json.dumps(SAID).encode()
    assert rendered(template, payload) == by_jinja(template, payload)


@pytest.mark.parametrize(
    ("template", "value", "said"),
    [
        ("{{ value | float(0) }}", "x", 0), ("{{ value | int(-1) }}", "", -1),
        ("{{ value | int }}", "7.9", 7),
        ("{{ float(value, 3) }}", "none", 3), ("{{ value | round(0) }}", "2.5", 2),
        ("{{ value|float|round(1) }}", "1.26", 1.3),
        ("{{ value | round(1, 'floor') }}", "1.29", 1.2), ("{{ value | round(0, 'ceil') }}", "1.2", 2),
        ("{{ value | round(1, 'half') }}", "1.3", 1.5), ("{{ value | bool }}", "off", False),
        ("{{ value | is_number }}", "1e3", True), ("{{ is_number(value) }}", "nan", False),
        ("{{ (value == 'a') | iif('yes', 'no') }}", "a", "yes"), ("{{ value | multiply(10) }}", "1.5", 15.0),
        ("{{ int(value, base=16) }}", "ff", 255), ("{{ (value | from_json).a }}", '{"a": 4}', 4),
        ("{{ value | float | add(0.5) }}", "1", 1.5),
    ],
)  # fmt: skip
def test_what_home_assistant_adds_to_jinja_is_understood(template: str, value: str, said: object) -> None:
    assert compiled(template)(Message(value.encode())) == said


def test_a_lone_expression_keeps_its_kind_and_anything_else_is_text() -> None:
    message = Message(b'{"a": 1.5}')
    assert compiled("{{ value_json.a * 2 }}")(message) == 3.0
    assert compiled(" {{ value_json.a }} W ")(message) == "1.5 W"
    assert path_of("{{ value_json['a'].b[0] }}") == ("a", "b", 0)
    assert path_of("{{ value_json.a | float }}") == ()


def test_a_name_that_a_dictionary_has_as_a_method_is_still_a_key() -> None:
    assert (
        rendered("{{ value_json.items }}{{ value_json.update.get }}", b'{"items": 1, "update": {"get": 2}}')
        == "12"
    )


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{% for x in value_json %}{{ x }}{% endfor %}", "has {% for %}; expected if, set"),
        ("{% macro a() %}{% endmacro %}", "has {% macro %}"),
        ("{% include 'x' %}", "has {% include %}"),
        ("{{ states('a.b') }}", "states asks other entities"),
        ("{{ now() }}", "now asks the clock"),
        ("{{ value | regex_replace('a', 'b') }}", "regex_replace asks regular expressions"),
        ("{{ value | pprint }}", "pprint is not understood; there are abs, add"),
        ("{{ value.__class__ }}", None),
        ("{{ value.format(1) }}", "format is not understood; there are capitalize"),
        ("{{ range(10) }}", "range is not understood"),
        ("{{ secret }}", "secret is not understood; there are value, value_json"),
        ("{{ value is callable }}", "callable is not understood"),
        ("{{ float(*value) }}", "has * or ** among arguments"),
        ("{{ value_json. }}", "is no Jinja: expected name or number"),
        ("{{ " + "1" * 5_000 + " }}", "is no Jinja: Exceeds the limit"),
        ("{{ 1" + "+1" * 2_000 + " }}", "over 1000 parts, or is over 50 deep"),
        ("{{ " + "(" * 3_000 + "1" + ")" * 3_000 + " }}", "nested too deeply"),
        ("x" * 8_001, "a template of 8001 characters; at most 8000"),
    ],
)
def test_what_is_not_understood_is_refused_with_what_and_why(template: str, reason: str | None) -> None:
    if reason is None:
        assert rendered(template, b"x") == ""
        return
    with pytest.raises(TemplateError) as raised:
        compiled(template)
    assert reason in str(raised.value)


def doubling(times: int) -> str:
    return "{% set a = 'ab' %}" + "{% set a = a ~ a %}" * times + "{{ a }}"


@pytest.mark.parametrize(
    "template",
    [
        doubling(40),
        "{% set a = 3 %}" + "{% set a = a * a %}" * 60 + "{{ a }}",
        "{{ 9 ** 9 ** 9 }}", "{{ 'a' * 1000000000 }}", "{{ [1] * 1000000000 }}", "{{ '%999999999d' % 1 }}",
        "{{ '%*d' % (999999999, 1) }}", "{{ '%999999999d' | format(1) }}", "{{ value.replace('', value) }}",
        "{% set a = [value_json] %}" + "{% set a = a + a %}" * 40 + "{{ a }}",
        "{% set a = [1, 1] %}" + "{% set a = [a, a] %}" * 40 + "{{ a }}",
        "{% set a = [1] %}{% set b = a %}" + "{% set a = [a, a] %}{% set b = [b, b] %}" * 40 + "{{ a == b }}",
        "{% set a = {'x': 1} %}" + "{% set a = {'x': a, 'y': a} %}" * 40 + "{{ a | to_json }}",
        "{% set a = [value, value] %}" + "{% set a = a + a %}" * 15 + "{{ a | join }}",
        "{{ [" + "value, " * 400 + "1] | join }}", "{{ value_json | string | length }}" * 200,
        "{{ value_json == value_json }}" * 200, "{{ value_json | max }}" * 200, "{{ 1 in value_json }}" * 200,
        "{{ value.split(',') | length }}" * 200, "{{ value[1:] | length }}" * 200, "{{ '%s' % value }}" * 200,
        "{{ value_json | string | replace('1', value) }}", "{{ value }}" * 400, "{{ 2.5 ** 5000 }}",
        "{{ '{' | from_json }}", "{{ 1 / 0 }}", "{{ value_json + 1 }}", "{{ value_json.a.b.c }}",
        "{{ value | first | last }}" * 300,
    ],
)  # fmt: skip
def test_no_template_hangs_or_fills_memory(template: str) -> None:
    message = Message(b"[" + b"1," * 49_000 + b"1]")
    with suppress(FieldError):
        assert len(str(compiled(template)(message))) < 1_000_000


def test_what_a_message_does_not_say_is_told_apart_from_what_it_says_wrongly() -> None:
    with pytest.raises(UnsaidError):
        compiled("{{ value_json.a.b }}")(Message(b"{}"))
    with pytest.raises(UnsaidError, match="payload is not JSON"):
        compiled("{{ value_json.a | float }}")(Message(b"hello"))
    with pytest.raises(FieldError, match="found 'x'; expected a number") as raised:
        compiled("{{ value_json.a | float }}")(Message(b'{"a": "x"}'))
    assert not isinstance(raised.value, UnsaidError)


class DeclinedError(Exception):
    """Jinja lets a text be taken times a number and lists hold lists, which is refused here."""


def rendered_strictly(template: str, payload: bytes) -> str:
    try:
        return rendered(template, payload)
    except FieldError as error:
        if "is no number; convert it" in str(error) or "which is not understood" in str(error):
            raise DeclinedError from error
        raise


def random_expression(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.2:
        keys = ("temperature", "humidity", "contact", "state", "none", "missing", "negative", "list", "words")
        return chance.choice(
            [f"value_json.{key}" for key in keys] + ["1", "0", "2.5", "'ON'", "''", "none", "true"]
        )

    def inner() -> str:
        return random_expression(chance, depth - 1)

    shapes = (
        lambda: f"({inner()} {chance.choice(('+', '-', '*', '/', '//', '%'))} {inner()})",
        lambda: f"({inner()} {chance.choice(('==', '!=', '<', '>=', 'in', 'and', 'or', '~'))} {inner()})",
        lambda: f"({inner()} if {inner()} else {inner()})",
        lambda: f"(not {inner()})",
        lambda: f"({inner()} | {chance.choice(FILTERS)})",
        lambda: f"({inner()} is {chance.choice(('defined', 'none', 'number', 'string', 'mapping'))})",
        lambda: f"[{inner()}, {inner()}][{chance.choice(('0', '1', '2', '-1'))}]",
        lambda: f"{{'ON': {inner()}, 'OFF': {inner()}}}[value_json.state]",
    )
    return chance.choice(shapes)()


KEYS = ("temperature", "humidity", "contact", "state", "none", "missing", "negative", "list", "words")
CONSTANTS = ("1", "0", "2.5", "'ON'", "''", "none", "true")
FILTERS = (
    "default(7)", "default('x', true)", "string", "lower", "upper", "trim", "length", "abs",
    "string | replace('O', 'o')",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_random_templates_say_what_jinja_says_or_fail_where_it_fails(seed: int) -> None:
    chance, payload = random.Random(seed), json.dumps(SAID).encode()
    for _ in range(20):
        template = f"{{{{ {random_expression(chance, 3)} }}}}{chance.choice(('', ' W'))}"
        try:
            expected = by_jinja(template, payload)
        except (jinja2.TemplateError, ArithmeticError, TypeError, ValueError, LookupError):
            with pytest.raises(FieldError):
                rendered(template, payload)
            continue
        with suppress(DeclinedError):
            assert rendered_strictly(template, payload) == expected, template
