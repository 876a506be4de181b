"""What the session wants of other sites is declared in the log, and dropped when nobody wants it any more.

    wanted  =  the shipped leaves of the dataflow          in force  =  what the log declares last
    sync:      wanted, not in force  →  declare            in force, not wanted  →  drop

A leaf that was let go and is made again is another one: it is declared again, so that its sites say all
from the beginning. After a start the leaves have what they held from the snapshot, or from the log since
their declaration, and what is in force goes on.
"""

import threading
from collections.abc import Callable

import structlog
from sqlalchemy.exc import SQLAlchemyError

from engine.contracts import Stamp
from engine.plan.leaves import Shipped
from engine.views.nodes import LeafNode
from ingest.declarations import asking_for, dropping, in_force, read_declaration
from ingest.log import Log

RETRY_SECONDS = 1.0

logger = structlog.get_logger()


class Fragments:
    """Keeps the log's declarations in step with the leaves, on a thread of its own."""

    def __init__(self, shipped: Callable[[], tuple[LeafNode, ...]], log: Log) -> None:
        self._shipped, self._log = shipped, log
        self._seen: tuple[LeafNode, ...] | None = None
        self._declared: dict[str, LeafNode | None] = {}
        self._wake, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._serve, name="fragments", daemon=True)

    def start(self) -> None:
        """Bring the log in step with what runs, and keep it so."""
        found = in_force(read_declaration(*each) for each in self._log.declared())
        self._declared = {each.name: None for each in found if each.is_fragment}
        self._wake.set()
        self._thread.start()

    def look(self, _stamp: Stamp) -> None:
        """See after a tick whether the leaves are others."""
        if self._shipped() is not self._seen:
            self._wake.set()

    def stop(self) -> None:
        """End; what is in force stays so, for the next start to find."""
        self._ending.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def sync(self) -> None:
        """Declare what is wanted and drop what is not, in one append."""
        nodes = self._shipped()
        wanted = {node.plan.name: node for node in nodes if isinstance(node.plan, Shipped)}
        entries = [dropping(name) for name in self._declared if name not in wanted]
        for name, node in wanted.items():
            if isinstance(node.plan, Shipped) and not self._is_in_force(name, node):
                entries.append(asking_for(node.plan))
        if entries:
            self._log.append(entries)
        self._declared, self._seen = dict(wanted), nodes

    def _is_in_force(self, name: str, node: LeafNode) -> bool:
        return name in self._declared and self._declared[name] in (None, node)

    def _serve(self) -> None:
        while not self._ending.is_set():
            self._wake.wait()
            self._wake.clear()
            try:
                if not self._ending.is_set():
                    self.sync()
            except SQLAlchemyError as error:
                logger.warning("fragments cannot be declared", error=str(error).splitlines()[0])
                self._ending.wait(RETRY_SECONDS)
                self._wake.set()
