"""A database: polled for its tables (``wrapper``), asked for fragments (``fragments``, ``sql``)."""

from ingest.wrappers.database.declared import DeclaredTableWrapper
from ingest.wrappers.database.wrapper import DatabaseWrapper

__all__ = ["DatabaseWrapper", "DeclaredTableWrapper"]
