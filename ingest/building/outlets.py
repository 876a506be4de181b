"""The power units of a lab, and the page on which each shows what its outlets deliver.

They speak no MQTT: who wants to know polls the page, as with many a real one. Each has two banks of outlets;
a machine hangs on one outlet. Energy is counted from the day the unit was fitted, and from there again
when its process starts anew.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from ingest.building.devices import chance
from ingest.building.elements import Building, Machine

LAB = "Lab Hopper"
UNITS = ("pdu-1", "pdu-2")
BANK = 5


class Outlet(NamedTuple):
    """An outlet and the machine that hangs on it."""

    unit: str
    number: int
    machine: Machine


class Load(NamedTuple):
    """What an outlet delivers now, and has delivered so far."""

    outlet: Outlet
    watts: float
    kwh: float


def outlets(building: Building) -> Iterator[Outlet]:
    """All outlets with a machine, unit by unit."""
    (lab,) = [room.id for room in building.rooms if room.name == LAB]
    machines = [machine for machine in building.machines if machine.room == lab]
    share = -(-len(machines) // len(UNITS))
    for n, machine in enumerate(machines):
        yield Outlet(UNITS[n // share], n % share + 1, machine)


def fitted(outlet: Outlet) -> float:
    """What an outlet's counter shows at a start."""
    return round(900 + 2_400 * chance(outlet.unit, outlet.number, "kwh"), 2)


def page(unit: str, loads: Sequence[Load]) -> str:
    """The page of one unit."""
    rows = "\n".join(_row(n, load) for n, load in enumerate(loads))
    total = sum(load.watts for load in loads), sum(load.kwh for load in loads)
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{escape(unit)}</title></head><body>
<h1>{escape(unit)}</h1>
<table id="unit"><tr><td>Inlet<td>16 A<tr><td>Banks<td>{-(-len(loads) // BANK)}</table>
<table id="outlets"><caption>Outlets</caption>
<thead><tr><th rowspan="2">Bank<th rowspan="2">Outlet<th rowspan="2">Host<th colspan="2">Load
<tr><th>Power<th>Energy</thead>
<tbody>
{rows}
</tbody>
<tfoot><tr><td colspan="3">Total<td>{total[0]:,.1f} W<td>{total[1]:,.2f} kWh</tfoot>
</table></body></html>
"""


def _row(n: int, load: Load) -> str:
    bank = f'<td rowspan="{BANK}">{"AB"[n // BANK % 2]}' if n % BANK == 0 else ""
    name = escape(load.outlet.machine.host)
    return f"<tr>{bank}<td>{load.outlet.number}<td>{name}<td>{load.watts:,.1f} W<td>{load.kwh:,.2f} kWh"
