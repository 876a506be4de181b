"""Entries of the log become typed rows; used by whoever reads the log, and by gateways for their own bus.

payload        bytes → what JSON says
values         one value, checked against its column's type
messages       what devices say, by the streams that declare the topic
discovered     what devices say that announce themselves, by the registry
gateway_words  what gateways say of fragments and of themselves
keyed          changes of keyed rows: databases, calendars, what people write
decoder        an entry → its readings, by its source
"""
