"""Golden files of devices: what a kind of device sends, and what it becomes.

# what it is, and the public document that its messages follow; the words and the values are ours
TOPIC
payload, which may go on over lines
---
+ devices device=… name=…     what the message changes or says; columns without a value are left out

A block without a payload is an empty message.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engine.model.reading import Reading
from engine.model.relation import REJECTS
from ingest.decoding.decoder import Decoder
from ingest.discovery.relations import DISCOVERED
from ingest.log import Record
from ingest.sources import Sources

COLUMNS = {each.name: [column.name for column in each.columns] for each in (*DISCOVERED, REJECTS)}
MUTE = {("measurements", "at"), ("rejects", "source"), ("rejects", "topic"), ("rejects", "sample")}


class Block(NamedTuple):
    """A message, the comment before it, and what was recorded of it."""

    before: str
    topic: str
    payload: str
    recorded: str


def blocks(text: str) -> Iterator[Block]:
    for each in text.strip("\n").split("\n\n"):
        said, _, recorded = each.partition("\n---")
        lines = said.split("\n")
        comments = [line for line in lines if line.startswith("# ")]
        topic, *payload = lines[len(comments) :]
        before = "".join(f"{line}\n" for line in comments)
        yield Block(before, topic, "\n".join(payload), recorded.strip("\n"))


def shown(reading: Reading) -> str:
    named = zip(COLUMNS[reading.relation], reading.row, strict=True)
    cells = [
        f"{name}={json.dumps(value, ensure_ascii=False)}"
        for name, value in named
        if value is not None and value is not False and (reading.relation, name) not in MUTE
    ]
    return f"{'+' if reading.sign > 0 else '-'} {reading.relation} {' '.join(cells)}"


def rerun(path: Path, write: bool) -> tuple[str, str]:
    """Return what a file recorded and what it says; write that if asked."""
    decoder, said = Decoder(Sources()), []
    text = path.read_text("utf-8")
    for offset, block in enumerate(blocks(text), 1):
        record = Record(offset, 0, "mqtt", block.topic, None, block.payload.encode())
        found = "\n".join(map(shown, decoder.decode(record)))
        head = f"{block.before}{block.topic}\n" + (f"{block.payload}\n" if block.payload else "")
        said.append(f"{head}---\n{found}".rstrip("\n") + "\n")
    whole = "\n".join(said)
    if write:
        path.write_text(whole, "utf-8")
    return text, whole
