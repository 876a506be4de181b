"""The embedded MQTT broker, for trial: a process of its own.

embedded     the process: where it listens, whom it lets in
sessions     what it keeps of clients that are away
connection   one client, and how much of it is in flight
outbox       what a client is yet to be told
greeting     whom it refuses, and how they and people are told
"""
