"""A database: polled for its tables (``wrapper``), asked for fragments (``fragments``, ``sql``)."""

from ingest.wrappers.database.wrapper import DatabaseWrapper, DeclaredTableWrapper

__all__ = ["DatabaseWrapper", "DeclaredTableWrapper"]
