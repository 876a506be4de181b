"""Queries among expressions: what they read of the rows around them, and how these meet their answers."""
