"""Views reach people: HTTP, Socket.IO, pages, accounts, and the runtime that puts the parts together.

Architecture invariant: only this package speaks HTTP and Socket.IO, and only ``app/present.py``
turns our types into JSON.
"""
