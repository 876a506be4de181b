"""What the web side answers is written down, and nothing else is."""

import re
from pathlib import Path

from app.create_app import Web
from app.roles import access_of
from tests.memory_engine import MemoryEngine
from tests.web_parts import web_over

ROUTE = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`]*)`")


def written(repository: Path) -> str:
    return (repository / "docs" / "web.md").read_text()


def routes(web: Web) -> set[tuple[str, str]]:
    return {
        (method, rule.rule)
        for rule in web.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def test_every_route_is_documented_and_every_documented_route_is_there(
    repository: Path, tmp_path: Path
) -> None:
    table = written(repository).partition("## HTTP")[2].partition("## Socket.IO")[0]
    rows = "\n".join(row for row in table.splitlines() if row.startswith("|"))
    assert set(ROUTE.findall(rows)) == routes(web_over(MemoryEngine(), tmp_path))


def test_a_routes_role_is_the_documented_one(repository: Path, tmp_path: Path) -> None:
    web = web_over(MemoryEngine(), tmp_path)
    for rule in web.app.url_map.iter_rules():
        access = access_of(web.app.view_functions[rule.endpoint])
        assert access
        role = access.role.label if access.role else "anyone"
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            row = next(r for r in written(repository).splitlines() if f"`{method} {rule.rule}`" in r)
            assert row.split("|")[2].strip() == role, row


def test_every_event_is_documented(repository: Path, tmp_path: Path) -> None:
    table = written(repository).partition("## Socket.IO")[2]
    documented = set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE))
    handled = set(web_over(MemoryEngine(), tmp_path).socketio.server.handlers["/"])
    code = "".join((repository / "app" / name).read_text() for name in ("broadcaster.py", "sockets.py"))
    sent = set(re.findall(r"(?:post|self)\.send\(\s*\"(\w+)\"", code))
    assert documented == handled | sent
