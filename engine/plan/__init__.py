"""Plans are values: expressions, functions, logical and physical plans, and how they are explained."""
