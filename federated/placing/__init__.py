"""Which site computes which part of a plan, in every way that there is (``way``, ``alternatives``)."""
