"""Rewrites of the logical plan, one a file, in the order in which they run.

A rule never mutates; where it declines it returns the plan that it was given.
"""

from federated.rules.push_selections import push_selections

RULES = (push_selections,)
