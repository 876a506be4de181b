"""What everything speaks of: values, relations, readings, deltas, time, errors.

Architecture invariant: this package imports nothing of ours.
"""
