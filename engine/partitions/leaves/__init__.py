"""A leaf that outgrew the driver: its rows are with the owners of their keys, beside Spark's executors.

    readings ─spread→ shares, each a leaf like any other ─Δ→ the driver, which keeps none of it

``spreading`` says which leaves can be, and by what key; ``share`` is one partition's part, ``leaf`` what the
dataflow has in their place; ``states`` divides what is held and puts it together, ``pieces`` packs it, and
``journal`` is what it takes to make lost shares anew.
"""
