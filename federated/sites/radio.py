"""What a message costs on its way: bytes, the energy of batteries, and time.

    bytes     =  hop-messages · (header + row) · ETX
    energy    =  hop-messages · ETX · (e₀ + (header + row) · (e_tx + e_rx))  +  samples · e_sample
    latency   =  epoch / 2  +  hops · ETX · ((header + row) / bandwidth + access)
    lifetime  =  battery / energy of the busiest device

ETX is how often a message is sent until it arrives. The busiest device relays ``share`` of all messages.
"""

from typing import NamedTuple


class Radio(NamedTuple):
    """Bytes, joules and seconds; two AA cells and a radio of 250 kbit/s, where nobody says otherwise."""

    header: float = 20.0
    expansion: float = 1.0
    a_message: float = 50e-6
    a_byte: float = 3.6e-6
    a_sample: float = 10e-6
    bandwidth: float = 31_250.0
    access: float = 0.005
    battery: float = 20_000.0


RADIO = Radio()


def bytes_of(messages: float, row: float, radio: Radio) -> float:
    return messages * (radio.header + row) * radio.expansion


def energy_of(messages: float, row: float, samples: float, radio: Radio) -> float:
    a_message = radio.a_message + (radio.header + row) * radio.a_byte
    return messages * radio.expansion * a_message + samples * radio.a_sample


def latency_of(hops: float, row: float, radio: Radio, epoch: float = 0.0) -> float:
    a_hop = (radio.header + row) / radio.bandwidth + radio.access
    return epoch / 2 + hops * radio.expansion * a_hop


def lifetime_of(power: float, share: float, radio: Radio) -> float:
    """Return the seconds until the busiest battery is empty, which spends its share of the power."""
    return radio.battery / (power * share) if power * share > 0 else float("inf")
