"""A recursive stratum, hash-partitioned: each partition's share of its facts and joins."""
