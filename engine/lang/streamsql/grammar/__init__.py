"""Text becomes a tree: the dialect of sqlglot, our words in it, and what is said of a text that is none."""
