"""Devices that speak MQTT.

url        where the broker is, and who we are to it
client     paho's client, at a tenth of its cost a message
asked      what of all that a broker hands out is asked for, and the few filters that bring it
intake     which messages go to the log; what nobody asks for is held in case somebody does
heard      who spoke since it was last asked
cleared    what the broker is to forget
window     which redelivery is of what is logged already
retained   what the broker keeps for us
wrapper    one broker, all topics that are asked for: read, log, acknowledge
"""
