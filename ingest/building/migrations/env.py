"""Alembic's entry: it runs on the connection `facts.prepare` hands over, in that connection's transaction."""

from alembic import context

from ingest.building.facts import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
context.run_migrations()
