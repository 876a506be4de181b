"""The order of joins: trees over the inputs of one join, what each costs, and which is run."""
