"""What the words in Tasmota's messages measure, and in which unit.

    "ENERGY": {"Power": 61}   →   power, 61 W

A word that is not here is a quantity of its own, without a unit.
"""

import re

QUANTITIES: dict[str, tuple[str, str | None]] = {
    "ApparentPower": ("apparent_power", "VA"),
    "Battery": ("battery", "%"),
    "CarbonDioxide": ("carbon_dioxide", "ppm"),
    "CarbonMonoxide": ("carbon_monoxide", "ppm"),
    "Current": ("current", "A"),
    "DewPoint": ("dew_point", "°C"),
    "Distance": ("distance", "cm"),
    "ExportActive": ("energy_returned", "kWh"),
    "Factor": ("power_factor", None),
    "Frequency": ("frequency", "Hz"),
    "Humidity": ("humidity", "%"),
    "Illuminance": ("illuminance", "lx"),
    "PM1": ("pm1", "µg/m³"),
    "PM2.5": ("pm25", "µg/m³"),
    "PM10": ("pm10", "µg/m³"),
    "Period": ("energy_period", "Wh"),
    "Power": ("power", "W"),
    "Pressure": ("pressure", "hPa"),
    "ReactivePower": ("reactive_power", "var"),
    "SeaPressure": ("sea_pressure", "hPa"),
    "TVOC": ("volatile_organic_compounds", "ppb"),
    "Temperature": ("temperature", "°C"),
    "Today": ("energy_today", "kWh"),
    "Total": ("energy", "kWh"),
    "Voltage": ("voltage", "V"),
    "Weight": ("weight", "kg"),
    "Yesterday": ("energy_yesterday", "kWh"),
    "eCO2": ("carbon_dioxide", "ppm"),
}
"""Pressure and temperature as Tasmota has them unless the message names another unit."""

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")


def quantity_of(word: str) -> tuple[str, str | None]:
    """Return what a word measures, and its unit."""
    return QUANTITIES.get(word) or (_WORD.sub("_", word).lower(), None)
