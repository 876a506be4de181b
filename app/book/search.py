"""A search over all chapters: which sections have the words that somebody types.

    index     sections, each with the set of its words, made once
    score     the most of the asked words first; of equals those whose heading has them, then the book's order

A word is found by how it begins, so that results come while one types.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from app.book.chapters import FILES
from app.book.rendering import Section, chapter

LONGEST, MOST_WORDS = 200, 8
EXCERPT, BEFORE = 180, 60
IN_HEADING, WHOLE, BEGUN = 8, 2, 1


class Found(NamedTuple):
    """A place in the book."""

    chapter: str
    title: str
    heading: str
    anchor: str
    excerpt: str


class Indexed(NamedTuple):
    """A section with its words."""

    chapter: str
    title: str
    section: Section
    words: frozenset[str]
    heading_words: frozenset[str]


def words_in(text: str) -> list[str]:
    """Return the words of a text, small."""
    return re.findall(r"\w+", text.lower())


@cache
def index() -> tuple[Indexed, ...]:
    """Return every section of the book in order."""
    return tuple(
        Indexed(
            entry.name,
            entry.title,
            section,
            frozenset(words_in(" ".join((section.heading, *section.blocks)))),
            frozenset(words_in(f"{section.heading} {entry.title}")),
        )
        for entry in FILES
        for section in chapter(entry.name).sections
    )


def search(text: str, most: int) -> list[Found]:
    """Return the sections that have the most of these words, the best first."""
    asked = list(dict.fromkeys(words_in(text[:LONGEST])))[:MOST_WORDS]
    scored = [(_score(place, asked), place) for place in index()] if asked else []
    best = max((score[0] for score, _ in scored), default=0)
    found = [(score, place) for score, place in scored if best and score[0] == best]
    found.sort(key=lambda one: -one[0][1])
    return [
        Found(place.chapter, place.title, place.section.heading, place.section.anchor, _excerpt(place, asked))
        for _, place in found[:most]
    ]


def _score(place: Indexed, asked: Sequence[str]) -> tuple[int, int]:
    """How many words are there, and how much they say."""
    weights = [_weight(place, word) for word in asked]
    return sum(weight > 0 for weight in weights), sum(weights)


def _weight(place: Indexed, word: str) -> int:
    in_heading = IN_HEADING * any(each.startswith(word) for each in place.heading_words)
    if word in place.words or word in place.heading_words:
        return in_heading + WHOLE
    begun = in_heading or any(each.startswith(word) for each in place.words)
    return in_heading + BEGUN if begun else 0


def _excerpt(place: Indexed, asked: Sequence[str]) -> str:
    """Return what stands around the words, of the block that has the most of them."""
    blocks = place.section.blocks
    if not blocks:
        return ""
    block = " ".join(max(blocks, key=lambda each: len(set(_beginnings(each, asked)))).split())
    first = re.search(rf"\b(?:{'|'.join(asked)})", block, re.IGNORECASE)
    start = max(0, first.start() - BEFORE) if first else 0
    if start:
        start = block.find(" ", start) + 1
    end = block.rfind(" ", start, start + EXCERPT) if len(block) > start + EXCERPT else len(block)
    return f"{'… ' if start else ''}{block[start:end]}{' …' if end < len(block) else ''}"


def _beginnings(text: str, asked: Sequence[str]) -> Iterator[str]:
    words = set(words_in(text))
    return (word for word in asked if any(each.startswith(word) for each in words))
