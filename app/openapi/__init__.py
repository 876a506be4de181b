"""The HTTP API as OpenAPI 3.1 describes it: what is there from the routes, what it says from here.

shapes      the words of JSON Schema that the areas use
operation   what is declared of one route
health, asking, plans, past, people, alarms, building, ways, space     the areas, each a table of its routes
document    the tables and the app's own routes, put together
page        the same for people, /docs/api
routes      who serves both
"""
