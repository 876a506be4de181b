"""Entries of the log become typed rows; used by whoever reads the log, and by gateways for their own bus.

payload        bytes → what JSON says
values         one value, checked against its column's type
conversions    what is sent, made such a value by what the column declares
senml          the records of a SenML pack, resolved
streams        one stream's rows of a payload; columns: one column of a row
messages       what devices say, by the streams that declare the topic; measured: as measurements of devices
discovered     what devices say that announce themselves, by the registry
gateway_words  what gateways say of fragments and of themselves
keyed          changes of keyed rows: databases, calendars, what people write
decoder        an entry → its readings, by its source
"""
