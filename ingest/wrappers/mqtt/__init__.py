"""Devices that speak MQTT.

url        where the broker is, and who we are to it
client     paho's client, at a tenth of its cost a message
window     which redelivery is of what is logged already
retained   what the broker keeps for us
wrapper    one broker, all topics that are asked for: read, log, acknowledge
"""
