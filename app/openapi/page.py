"""The description for people: a chapter of the reference, written from the document."""

import json
from collections.abc import Iterator
from typing import Any

from app.book.chapters import API
from app.book.rendering import Chapter, rendered
from app.openapi.document import Document
from app.openapi.shapes import Schema

HEAD = """# HTTP API

{meaning}

A program reads all of this as OpenAPI 3.1: [/openapi.json](/openapi.json).
"""


def page(document: Document) -> Chapter:
    """Return the chapter."""
    return rendered(API, "\n".join(_text(document)))


def _text(document: Document) -> Iterator[str]:
    yield HEAD.format(meaning=document["info"]["description"])
    for tag in document["tags"]:
        yield f"\n## {tag['name'].capitalize()}\n\n{tag['description']}\n"
        for path, methods in document["paths"].items():
            for method, told in methods.items():
                if tag["name"] in told["tags"]:
                    yield from _operation(f"{method.upper()} {path}", told)
    yield "\n## Shapes\n"
    for name, schema in document["components"]["schemas"].items():
        yield f"\n### {name}\n\n```\n{_shape(schema)}\n```\n"


def _operation(head: str, told: dict[str, Any]) -> Iterator[str]:
    yield f"\n### {head}\n\n{told['summary']} {told['description']}\n"
    asked = [each for each in told["parameters"] if each["in"] == "query"]
    if asked:
        yield "| parameter | is | |\n|---|---|---|"
        for each in asked:
            needed = "needed" if each.get("required") else ""
            yield f"| `{each['name']}` | {each['description']} | {needed} |"
        yield ""
    if "requestBody" in told:
        ((media, content),) = told["requestBody"]["content"].items()
        yield f"Body, `{media}`:\n\n```\n{_shape(content['schema'])}\n```\n"
    for status, answer in told["responses"].items():
        shown = [content["schema"] for content in answer.get("content", {}).values()]
        if status < "300":
            yield f"{status}, {answer['description']}:\n\n```\n{_shape(shown[0])}\n```\n"
    others = [
        f"{status}: {answer['description']}"
        for status, answer in told["responses"].items()
        if status >= "300"
    ]
    yield f"Else {'; '.join(others)}.\n"


def _shape(schema: Schema) -> str:
    """Write a schema in one line, as an example looks: {"name": text, "seen": whole or null}."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(map(_shape, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if schema.get("type") == "array":
        return f"[{_shape(schema['items'])}, …]"
    if "properties" in schema:
        return _object(schema)
    if schema.get("type") == "object":
        return f"{{name: {_shape(schema.get('additionalProperties') or {})}, …}}"
    kinds = schema.get("type", "any value")
    return " or ".join([kinds] if isinstance(kinds, str) else kinds)


def _object(schema: Schema) -> str:
    needed = schema.get("required", [])
    parts = (
        f'"{name}"{"" if name in needed else "?"}: {_shape(of)}' for name, of in schema["properties"].items()
    )
    return f"{{{', '.join(parts)}}}"
