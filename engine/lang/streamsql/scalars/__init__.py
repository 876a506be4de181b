"""Expressions and aggregate calls, with their types."""
