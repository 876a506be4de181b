"""A building of one's own, for whoever brings one: the commands, and the page of imports and of the plan."""
