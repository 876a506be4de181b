"""Best costs from nodes to the nearest of all seeds: one number a node, changed where a change reaches."""
