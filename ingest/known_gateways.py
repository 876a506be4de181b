"""The gateways of a building are in ``sites`` before they first speak, and until they are declared no more.

    declared, never heard of   →  a row of ``sites``: unknown
    heard of, not declared     →  its row says removed, and what its fragments put out goes

An entry of source ``sites``: {"changes": [[1, "sites", {…}]], "removed": [names]}
"""

import json
from collections.abc import Sequence

from engine.model.relation import REMOVED, SITES
from ingest.log import Entry, Log, StateChange
from ingest.log.writer import LogWriter
from ingest.sources import Gateway

SOURCE = "sites"
UNKNOWN = "unknown"


def introduce(gateways: Sequence[Gateway], log: Log, writer: LogWriter) -> None:
    """Tell the log which gateways there are by now."""
    known, declared = set(log.state(SOURCE)), {gateway.name for gateway in gateways}
    new, removed = sorted(declared - known), sorted(known - declared)
    if not new and not removed:
        return
    rows = [_row(name, UNKNOWN, "it has not spoken yet") for name in new]
    rows += [_row(name, REMOVED, "sources.yaml declares it no more") for name in removed]
    body = {"changes": [[1, SITES.name, row] for row in rows], "removed": removed}
    state = [StateChange(SOURCE, name, "known") for name in new]
    state += [StateChange(SOURCE, name, None) for name in removed]
    writer.submit([Entry(SOURCE, "gateways", json.dumps(body).encode())], None, state)


def _row(name: str, state: str, problem: str) -> dict[str, str]:
    return {"site": name, "state": state, "problem": problem}
