"""Where in a sources.yaml stands what an error speaks of.

    "type of column room of stream climate is txt; …"   →   the line of type, in column room, in climate

An error names its place in words, each part of the file by the same words everywhere; the longest such name
that stands in a message is its place.
"""

import re
from collections.abc import Iterator

import yaml

NAMED = {"mqtt": "stream", "databases": "database", "calendars": "calendar", "gateways": "gateway"}


def line_of(text: str, message: str) -> int | None:
    """Return the line, from 1, of what a message speaks of, if it is found."""
    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    found = [(len(words), node, line) for words, node, line in _places(root) if _names(words, message)]
    if not found:
        return None
    _, node, line = max(found, key=lambda each: each[0])
    lines = {key: at for key, _, at in _members(node)}
    first = re.match(r"(?:unknown key )?(\w+)", message)
    return lines.get(first[1] if first else "", line)


def _names(words: str, message: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", message) is not None


def _places(root: yaml.Node | None) -> Iterator[tuple[str, yaml.Node, int]]:
    """Yield the words for each part of a file, the part, and the line at which it begins."""
    for section, parts, _ in _members(root):
        kind = NAMED.get(section, section)
        for name, part, line in _members(parts):
            here = f"{kind} {name}"
            yield here, part, line
            for key, inner, at in _members(part):
                yield f"{key} of {here}", inner, at
                for column, spec, place in _members(inner):
                    yield f"{key.removesuffix('s')} {column} of {here}", spec, place


def _members(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node, int]]:
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        yield str(key.value), value, key.start_mark.line + 1
