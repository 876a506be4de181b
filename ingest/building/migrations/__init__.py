"""Alembic migrations of the building's facts, run by `facts.prepare`."""
