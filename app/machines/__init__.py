"""A machine that somebody clicked on: what it is, what it does now, and what each of its tasks takes."""
