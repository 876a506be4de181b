"""The sites: what each can run."""
