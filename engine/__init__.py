"""Updates become views: model, languages, plans, operators, views, session, Spark.

References:
    The path of a tuple and of a query: ARCHITECTURE.md.
"""
