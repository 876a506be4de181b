"""The operators, one a file, each with its equation. They hold state and know neither time nor plans."""
