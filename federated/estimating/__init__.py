"""What is expected of the nodes of a plan: rows with their bounds, from what was observed, and the work."""
