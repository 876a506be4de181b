"""WITH, and names that are defined by each other."""
