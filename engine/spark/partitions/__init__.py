"""Shares of partitioned plans in Spark's executors.

    driver ─ one job a round ─▶ task of partition p ─ socket ─▶ keeper: share p
           ◀─ what it told, what it sends ─┘             (carrier, asking, keeper)

A Python task of Spark has no memory of its own between two jobs, so a share lives beside it, in a keeper: a
process of the executor, started by the first task that needs it, ended with the executor. What a share sends
goes through the driver while it is little, and through a shuffle of Spark's where it is much; there is no
connection between executors but Spark's own. A cached block of nothing keeps each partition at its executor.

What was tried, and what it cost, is in ARCHITECTURE.md ("Why shares live in keepers").
"""
