"""A plan, cut by keys: every partition has a share of its operators, recursion included.

    plan ─cut→ parts with stages and routes (cutting, placing, strata)
    tick ─epoch→ orders in rounds ─carrier→ shares ─parcels→ shares … → the change of the plan's rows

``operator`` makes of it one node of the dataflow; ``in_place`` has the shares in this process,
``engine.spark.partitions`` beside Spark's executors. ``recursion`` is a stratum's share. What a share is told
and sends is in ``orders``, how rows find their partition in ``hashing`` and ``roads``, bytes in ``packing``.

Architecture invariant: nothing here knows Spark or views; a share runs in any process that has the package.
"""
