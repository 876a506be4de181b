"""What a test lacks, and the list of what therefore did not run."""

import os
from collections import defaultdict
from typing import NoReturn

import pytest


def lacking(thing: str, remedy: str) -> NoReturn:
    """Skips the test, saying what is missing and the command that gets it."""
    pytest.skip(f"missing {thing}; to get it: {remedy}")


def in_ci() -> bool:
    """Whether this is continuous integration, where nothing may be skipped."""
    return os.environ.get("CI", "").lower() not in {"", "0", "false", "no"}


def skipped_by_reason(reports: list[pytest.TestReport]) -> dict[str, list[str]]:
    """The skipped tests, under the reason each gave."""
    found: dict[str, list[str]] = defaultdict(list)
    for report in reports:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        found[reason.removeprefix("Skipped: ")].append(report.nodeid)
    return dict(found)


def write_absences(reporter: pytest.TerminalReporter) -> None:
    """Ends the output with the list of what did not run."""
    reporter.section("what did not run")
    absences = skipped_by_reason(reporter.stats.get("skipped", []))
    if not absences:
        reporter.write_line("nothing: every selected test ran")
    for reason, tests in sorted(absences.items()):
        reporter.write_line(reason, yellow=True)
        for test in tests:
            reporter.write_line(f"    {test}")
    if absences and in_ci():
        reporter.write_line("In CI this list must be empty.", red=True)
