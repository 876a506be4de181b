"""Devices that announce themselves."""
