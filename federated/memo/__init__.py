"""The cost-based memo: the and-or graph of one or more joins, kept optimal while statistics change."""
