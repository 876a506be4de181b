"""A workstation or a server says how it is: ``smartcis agent``, a process beside the work of others.

identity      which machine it is, the same for ever, told to nobody
machine       what it says: load, memory, disk, users, network, temperature
tasks         and which tasks take most of it
announcing    how it introduces itself: device-based discovery of Home Assistant's MQTT
agent         one broker: announce, say, and say good-bye
command       the options, and how it ends

It stands alone: of SmartCIS it imports errors, the clock and the broker's address, of others psutil and paho.
"""
