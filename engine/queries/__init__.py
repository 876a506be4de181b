"""The queries of the papers, as plans built by hand: functions from plans to a plan.

Each takes its relations as plans, so that a window, a selection or another query may stand below it,
and its columns by name.
"""
