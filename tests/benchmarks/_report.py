"""A benchmark's result: a table for people, `build/bench/NAME.json` for machines."""

import json
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[2] / "build" / "bench"


class Result(NamedTuple):
    """One measured number, the bar that it must reach, and what it aims at."""

    case: str
    value: float
    unit: str
    better: str = "lower"
    floor: float | None = None
    aim: float | None = None
    peer: str | None = None
    ratio: float | None = None

    @property
    def holds(self) -> bool:
        if self.floor is None:
            return True
        return self.value <= self.floor if self.better == "lower" else self.value >= self.floor


def report(name: str, results: list[Result], *, only_floors: bool = False) -> int:
    """Write the results and print them, or those that have a floor; return 1 where one does not hold."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = [result._asdict() for result in results]
    (FOLDER / f"{name}.json").write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    printed = [result for result in results if result.floor is not None or not only_floors]
    width = max(len(result.case) for result in printed)
    print(f"\n{name}")
    print(f"{'case':<{width}}  {'value':>10} {'unit':<8} {'floor':>8} {'aim':>8}")
    for result in printed:
        missed = "" if result.holds else "  MISSED"
        bars = f"{shown(result.floor):>8} {shown(result.aim):>8}"
        print(f"{result.case:<{width}}  {shown(result.value):>10} {result.unit:<8} {bars}{missed}")
    return 0 if all(result.holds for result in results) else 1


def shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def quantile(values: list[float], part: float) -> float:
    """Return the value below which ``part`` of the values lie."""
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]
