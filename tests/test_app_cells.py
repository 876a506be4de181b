"""What the command line prints: no value steers the terminal or makes a line of its own, whoever wrote it."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app import asking, cells
from app.cells import cell_of, put_out
from app.cli import main
from app.client import Refused

EVIL = "\x1b[31mred\x07\n2026-01-01 00:00:00  a forged line\r\u202e\x9b1m"
SHOWN = r"\u001b[31mred\u0007\n2026-01-01 00:00:00  a forged line\r\u202e\u009b1m"
COLUMNS = [{"name": EVIL, "type": "text"}]
PLAN = "scan\n  filter " + EVIL.replace("\n", " ")  # a plan writes no value with its line ends
ROW = {"relation": EVIL, "row": [EVIL]}
GAP = {"reason": EVIL, "of": EVIL, "wanted": {EVIL: EVIL}, "found": [[EVIL]], "condition": EVIL, "by": [ROW]}
ABSENT = {"relation": EVIL, "key": [EVIL], "missing": [GAP], "truncated": True}
STANDS = {
    "view": EVIL, "row": [EVIL], "tick": 1, "witness": [ROW], "absent": [ABSENT],
    "count": 2, "truncated": True, "derivations": [[ROW]], "cuts": [[ROW]],
}  # fmt: skip
MISSES = {"view": EVIL, "row": [EVIL], "tick": 1, "missing": [GAP]}
ANSWERS: dict[str, Any] = {
    "/api/statements": {
        "outcomes": [
            {"columns": COLUMNS, "rows": [[EVIL], [[EVIL]]], "more": 0},
            {"why": STANDS},
            {"why": MISSES},
            {"plan": PLAN},
            {"done": "created", "kind": "view", "names": [EVIL]},
        ]
    },
    "/api/explain": {"plan": PLAN},
    "/api/why": STANDS,
    "/api/views": [{"name": EVIL, "columns": COLUMNS, "rows": 1, "suspended": EVIL, "missing": [EVIL]}],
    "/api/alarms?ended=0": {
        "alarms": [
            {
                "id": 1,
                "since": 0,
                "until": 1,
                "severity": "high",
                "name": EVIL,
                "view": "v",
                "row": {EVIL: EVIL},
                "acknowledged_by": EVIL,
                "note": EVIL,
            }
        ],
        "untold": [{"alarm": 1, "problem": EVIL}],
        "lacking": [{"view": EVIL, "name": EVIL, "channel": EVIL}],
    },
    "/healthz": {"status": "ok", "tick": 1, "lag": 0.1, "reason": EVIL},
    "/api/sources": {EVIL: EVIL},
    "/api/windows": [{"window": EVIL, "late": 0, "waiting": 0}],
    "/api/losses": [{"stream": EVIL, "cause": cause, "messages": 1} for cause in ("shed", "gap", EVIL)],
    "/api/sites": [{"site": EVIL, "state": EVIL, "since": None, "problem": EVIL}],
}


class Hostile:
    """A server whose every text would steer the terminal."""

    def get(self, path: str) -> Any:
        return ANSWERS[path]

    def post(self, path: str, _body: Any) -> Any:
        return ANSWERS[path]

    def stream(self, _path: str, _body: Any) -> Iterator[str]:
        yield json.dumps({"columns": COLUMNS, "rows": [[EVIL]], "tick": 1, "changes": [[1, [EVIL]]]})
        raise Refused(EVIL, is_the_askers=False)


@pytest.mark.parametrize("command", ["sql x", "query x", "explain x", "why v", "views", "alarms", "status"])
def test_no_value_steers_the_terminal(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "Client", lambda _: Hostile())
    monkeypatch.setattr(asking, "settings", lambda: None)
    printed = CliRunner().invoke(main, command.split()).output
    assert {sign for sign in printed if not sign.isprintable()} <= {"\n", "\t"}
    assert not any(line.startswith("2026") for line in printed.split("\n"))
    assert SHOWN.partition(r"\n")[0] in printed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (0.5, "0.5"),
        ("", ""),
        ("a\tb\\n", r"a\tb\n"),
        ("Straße 部屋", "Straße 部屋"),
        (["", None, [True]], '["", null, [true]]'),
        (EVIL, SHOWN),
    ],
)
def test_a_value_is_one_line_of_what_can_be_seen(value: Any, text: str) -> None:
    assert cell_of(value) == text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_rows_are_as_they_are_in_a_file_and_escaped_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for out, expected in ((io.StringIO(), "a\x1b\tb\n"), (Terminal(), "a\\u001b\tb\n")):
        monkeypatch.setattr(cells.sys, "stdout", out)
        put_out("a\x1b\tb")
        assert out.getvalue() == expected


def test_a_program_that_is_not_there_is_named_without_steering(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["datalog", str(tmp_path / "a\x1bb.dl")])
    assert done.exit_code == 1
    assert "\x1b" not in done.output
    assert r"a\u001bb.dl" in done.output
