"""A recursive stratum recognised for what it is, and its physical form (``strata``)."""
