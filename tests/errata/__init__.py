"""The algorithms as they were printed, one erratum at a time: each must fail where ours hold."""
