"""A tree becomes a statement, with the values that it asks for."""
