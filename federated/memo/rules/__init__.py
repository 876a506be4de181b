"""The declarative optimizer: rules R0 to R10, C1, B0 to B4 over tables of facts.

    tables        SearchSpace, Local, PlanCost, Best, Low, Bound, RefCount
    enumeration   R0 to R5        costing    C1, R6 to R8
    selection     R9, R10         bounding   B0 to B4
    keeping       which alternatives stay: suppression, reference counts, bounds
    agenda        which fact is looked at next; any order ends in the same state
    declarative   the loop

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, chapter 4 (figures 19 and 22),
    as corrected in REFERENCES.md.
"""
