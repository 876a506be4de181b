"""Which site runs what: rewrites, join order, placement, cost."""
