"""Units of measurement: what a sender measures in becomes what a column is declared in.

    value in the base unit  =  value × factor + offset          exactly, as fractions, and rounded once

Two units convert if they are of one dimension.  RFC 8428's names are others for the same units.

References:
    BIPM. The International System of Units, 9th edition, 2019: tables 2 to 8 and the prefixes.
    Thompson, Taylor. NIST SP 811, 2008: appendix B.8 (degree Fahrenheit, psi, mmHg, mile, knot, inch, foot).
    Jennings et al. RFC 8428, 2018: section 12.1; Bormann. RFC 8798, 2020: the secondary units.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from engine.model.errors import SourceError, nearest

Number = int | float | Fraction


class Unit(NamedTuple):
    """A unit; ``factor`` and ``offset`` lead to its dimension's base unit."""

    symbol: str
    dimension: str
    factor: Fraction
    offset: Fraction


TABLE: Mapping[str, str] = {
    "temperature": "°C 1, K 1 -273.15, °F 5/9 -160/9",
    "power": "W 1, mW 1e-3, kW 1e3, MW 1e6",
    "apparent power": "VA 1, kVA 1e3",
    "reactive power": "var 1, kvar 1e3",
    "energy": "J 1, kJ 1e3, MJ 1e6, GJ 1e9, Wh 3600, kWh 3.6e6, MWh 3.6e9",
    "pressure": "Pa 1, hPa 100, kPa 1e3, mbar 100, bar 1e5, mmHg 133.3224, psi 6894.757",
    "ratio": "/ 1, % 1e-2, ‰ 1e-3, ppm 1e-6, ppb 1e-9",
    "mass concentration": "µg/m³ 1, mg/m³ 1e3, g/m³ 1e6",
    "illuminance": "lx 1, klx 1e3",
    "luminous flux": "lm 1",
    "irradiance": "W/m² 1, kW/m² 1e3",
    "length": "m 1, µm 1e-6, mm 1e-3, cm 1e-2, km 1e3, in 0.0254, ft 0.3048, mi 1609.344",
    "area": "m² 1, cm² 1e-4, km² 1e6",
    "speed": "m/s 1, km/h 5/18, mph 0.44704, kn 463/900",
    "volume": "m³ 1, L 1e-3, mL 1e-6",
    "flow": "m³/s 1, m³/h 1/3600, L/s 1e-3, L/min 1/60000, L/h 1/3600000",
    "time": "s 1, µs 1e-6, ms 1e-3, min 60, h 3600, d 86400",
    "voltage": "V 1, mV 1e-3, kV 1e3",
    "current": "A 1, mA 1e-3, µA 1e-6",
    "charge": "C 1, Ah 3600, mAh 3.6",
    "resistance": "Ω 1, kΩ 1e3, MΩ 1e6",
    "frequency": "Hz 1, kHz 1e3, MHz 1e6, GHz 1e9, 1/min 1/60",
    "mass": "kg 1, g 1e-3, mg 1e-6, t 1e3",
    "angle": "° 1",
    "signal strength": "dBm 1",
    "level": "dB 1",
    "acidity": "pH 1",
    "information": "B 1, bit 1/8, kB 1e3, MB 1e6, GB 1e9, TB 1e12, KiB 1024, MiB 1048576, GiB 1073741824",
    "data rate": "bit/s 1, kbit/s 1e3, Mbit/s 1e6, Gbit/s 1e9, B/s 8, kB/s 8e3, MB/s 8e6, KiB/s 8192",
}
OTHER_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("Cel", "degC", "ºC", "℃"), "°C"),
    **dict.fromkeys(("F", "degF", "ºF", "℉"), "°F"),
    **dict.fromkeys(("%RH", "%EL", "percent"), "%"),
    **{"lux": "lx", "ug/m3": "µg/m³", "ug/m³": "µg/m³", "mg/m3": "mg/m³", "m2": "m²", "m3": "m³", "l": "L"},
    **{"ml": "mL", "m3/s": "m³/s", "m3/h": "m³/h", "l/s": "L/s", "l/min": "L/min", "l/h": "L/h"},
    **{"W/m2": "W/m²", "kph": "km/h", "knots": "kn", "Ohm": "Ω", "kOhm": "kΩ", "1/s": "Hz", "rpm": "1/min"},
    **{"us": "µs", "um": "µm", "uA": "µA", "deg": "°", "KB": "kB"},
}


def _units() -> dict[str, Unit]:
    found = {}
    for dimension, row in TABLE.items():
        for each in row.split(", "):
            symbol, factor, *offset = each.split(" ")
            found[symbol] = Unit(symbol, dimension, Fraction(factor), Fraction(offset[0] if offset else 0))
    return found | {name: found[symbol] for name, symbol in OTHER_NAMES.items() if symbol in found}


UNITS: Mapping[str, Unit] = MappingProxyType(_units())


def unit_of(name: str, where: str) -> Unit:
    """Return a unit by its symbol or another of its names."""
    unit = UNITS.get(name.replace("μ", "µ").strip())  # the Greek letter, the sign
    if unit is None:
        near = nearest(name, list(UNITS))
        msg = f"unit of {where} is {name[:40]}, which is unknown; docs/sensors.md lists them{near}"
        raise SourceError(msg)
    return unit


def converter(sent: Unit, wanted: Unit, where: str) -> Callable[[Number], float]:
    """Return the function from a finite value in one unit to the nearest double in the other."""
    if sent.dimension != wanted.dimension:
        same = ", ".join(each.symbol for each in _units().values() if each.dimension == sent.dimension)
        there = f"{sent.symbol} is of {sent.dimension}: {', '.join(dict.fromkeys(same.split(', ')))}"
        msg = f"{where} is sent in {sent.symbol} and cannot be {wanted.symbol}; {there}"
        raise SourceError(msg)
    factor = sent.factor / wanted.factor
    offset = (sent.offset - wanted.offset) / wanted.factor

    def convert(value: Number) -> float:
        return float(Fraction(value) * factor + offset)

    return convert
