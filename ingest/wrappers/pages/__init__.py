"""Pages that are polled over HTTP: JSON documents, and HTML tables of devices that speak nothing else.

tags       a page → its tags and texts, in time by its length
tables     HTML → tables, spans laid out
rows       a page → its rows, as they stand there: {column: what the cell, or the JSON, has}
wrapper    polls a page and logs what changed of its rows
"""
