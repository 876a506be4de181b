"""The gateway: what a site does that stands beside its devices.

devices, rates   what they say, decoded and kept a while; what is handed on as it came; how often
fragments        what is asked of a gateway, read and checked
local            a plan over what the own devices say, by the engine's operators
topology, mesh   who hears whom, and a message's way, hop by hop
methods          the four methods to join what devices of several gateways say
joins, meeting   a join, and where its sides meet; exchange, travelling, bitmap: what gateways say for it
results, runs    what a fragment says, numbered, and when
installed        the fragments that are asked for
states, agent    what a gateway says of itself, and all of it, without a clock and without a broker
connection       the broker
kept             what devices said last, on the disk; incarnations: the number of the last life
"""
