"""The book's addresses: its contents, its chapters, its search. Whoever comes may read."""

from typing import Any

from flask import Blueprint, abort, render_template, request

from app.book.chapters import CHAPTERS, GROUPS, neighbours
from app.book.rendering import Chapter, chapter
from app.book.search import search
from app.roles import public

WHY_PUBLIC = "tells how to use SmartCIS, and nothing of the building"
WHILE_TYPING, ON_A_PAGE = 8, 30


def add_book_routes(pages: Blueprint) -> None:
    """Add the routes of the book to those of the pages."""

    @pages.get("/docs")
    @public(WHY_PUBLIC)
    def docs() -> str:
        words = request.args.get("words", "").strip()
        found = search(words, ON_A_PAGE)
        return render_template("docs_contents.html", groups=GROUPS, words=words, found=found)

    @pages.get("/docs/search")
    @public(WHY_PUBLIC)
    def docs_search() -> dict[str, Any]:
        found = search(request.args.get("words", ""), WHILE_TYPING)
        return {"found": [place._asdict() for place in found]}

    @pages.get("/docs/<name>")
    @public(WHY_PUBLIC)
    def docs_page(name: str) -> str:
        if name not in CHAPTERS:
            abort(404, f"There is no chapter {name}; there are {', '.join(CHAPTERS)}.")
        return shown(chapter(name))


def shown(found: Chapter) -> str:
    """Return a chapter's page."""
    before, after = neighbours(found.name)
    entry = CHAPTERS[found.name]
    return render_template("docs.html", entry=entry, chapter=found, groups=GROUPS, before=before, after=after)
