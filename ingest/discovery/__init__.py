"""Devices that announce themselves: what was said becomes known devices, entities and measurements.

topics         which topics announce; imports nothing of ours, since the log asks it
relations      devices, entities, measurements, device_states
known          a device, an entity, how its value is read, whether it is there
registry       the fold: what was announced and what people say → what is known
index          what all announcements say together, and what each changes
parts          what many announcements say of one device
listened       by topic: what is read there
superseded     what of the log's index of announcements says nothing any more
forms          an announcement's form by its topic: homeassistant, tasmota, shelly, homie
states         a message on a known topic → values
templates      value templates, compiled to functions that cannot hang
"""
