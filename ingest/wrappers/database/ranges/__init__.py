"""Large tables of a database, read by ranges of their keys, each beside one of Spark's executors.

    key range p  ─read and compared there with what was said of it→  Δ of range p  ─→  entries of the log

So neither reading nor comparing is one process's work, and no process holds all of a table. ``cutting`` says
where ranges begin, ``share`` is what reads one and remembers what was said of it, ``scanning`` has those of
a table read as of one moment, ``polling`` those of a database, and ``telling`` tells the log.
"""
