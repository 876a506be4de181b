"""The console: a page where a person asks, watches the answer change, and asks why a row is there.

schema      what a text can name: completion, and the list beside the editor
saved       texts that people keep and share, and their routes
examples    texts to begin with
routes      the page; asking itself is the API's: `/api/query`, `/api/statements`, `/api/why`
"""
