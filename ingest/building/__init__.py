"""The simulated building: its design, its facts, and its devices, which speak real MQTT.

    layout → design → floor plans, facts in a database, sources.yaml, views.sql
                 └──→ agenda (what everybody does, a pure function of seed and time) → simulate → MQTT

Nothing in the rest of SmartCIS knows that this building is not real: it arrives through the same
wrappers.
"""
