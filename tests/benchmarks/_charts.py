"""Line charts as SVG: panels side by side, one y-axis each, one legend below.

    write_chart(path, "title", [Panel("bytes shipped", "links", {"lazy": [(10, 1e4), (20, 3e4)]}, log=True)])

A series' colour and marker follow its name, so that a scheme looks the same in every chart.
"""

import math
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

Points = Sequence[tuple[float, float]]
WIDTH, HEIGHT, LEFT, TOP, GAP = 250, 170, 58, 44, 26
ROOM = 34
INK, GRID = "#333333", "#dddddd"
LOOKS = {
    "DRed": ("#b2182b", "square"),
    "relative eager": ("#e08214", "diamond"),
    "relative lazy": ("#e08214", "circle"),
    "absorption eager": ("#2166ac", "diamond"),
    "absorption lazy": ("#2166ac", "circle"),
}
SPARE = (("#1b7837", "circle"), ("#762a83", "square"), ("#8c510a", "diamond"), ("#01665e", "circle"))


class Panel(NamedTuple):
    """One y against one x, a line for each series."""

    title: str
    x: str
    series: dict[str, Points]
    log: bool = False


def write_chart(path: Path, title: str, panels: Sequence[Panel]) -> None:
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    spare = iter(SPARE * 3)
    looks = {name: LOOKS.get(name) or next(spare) for name in names}
    width = len(panels) * (LEFT + WIDTH + GAP)
    height = TOP + HEIGHT + 70
    parts = [drawn(panel, i * (LEFT + WIDTH + GAP) + LEFT, looks) for i, panel in enumerate(panels)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" fill="{INK}">'
        f'<rect width="{width}" height="{height}" fill="white"/>'
        f"{text(width / 2, 16, title, size=13)}{''.join(parts)}{legend(looks, width, height - 12)}</svg>\n"
    )


def drawn(panel: Panel, left: float, looks: dict[str, tuple[str, str]]) -> str:
    points = [point for line in panel.series.values() for point in line]
    xs, ys = [x for x, _ in points], [y for _, y in points if y > 0 or not panel.log]
    across = scale(min(xs), max(xs), left, left + WIDTH)
    low = min(ys, default=1) if panel.log else 0
    up = scale(low, max(ys, default=1), TOP + HEIGHT, TOP, log=panel.log)
    parts = [text(left + WIDTH / 2, TOP - 8, panel.title), text(left + WIDTH / 2, TOP + HEIGHT + 32, panel.x)]
    for y in ticks(low, max(ys, default=1), panel.log):
        parts.append(line([(left, up(y)), (left + WIDTH, up(y))], GRID))
        parts.append(text(left - 5, up(y) + 4, short(y), anchor="end"))
    parts += [text(x, TOP + HEIGHT + 15, short(of)) for x, of in spaced(sorted(set(xs)), across)]
    for name, series in panel.series.items():
        colour, shape = looks[name]
        placed = [(across(x), up(y)) for x, y in series if y > 0 or not panel.log]
        dash = "4 3" if name.endswith("eager") else ""
        parts += [line(placed, colour, dash), *(marker(x, y, colour, shape) for x, y in placed)]
    return "".join(parts)


def scale(
    low: float, high: float, begin: float, end: float, *, log: bool = False
) -> Callable[[float], float]:
    def place(value: float) -> float:
        a, b, v = (math.log10(max(each, 1e-12)) if log else each for each in (low, high, value))
        return (begin + end) / 2 if a == b else begin + (v - a) / (b - a) * (end - begin)

    return place


def ticks(low: float, high: float, log: bool) -> list[float]:
    if log:
        decades = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        return [10.0**n for n in decades] if len(decades) > 1 else [low, high]
    step = rounded_up((high - low) / 4)
    return [low + step * i for i in range(5) if low + step * i <= high]


def rounded_up(value: float) -> float:
    """Return the next of 1, 2, 2.5, 5 by a power of ten."""
    power = 10.0 ** math.floor(math.log10(value)) if value > 0 else 1.0
    return next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= value)


def spaced(values: list[float], place: Callable[[float], float]) -> list[tuple[float, float]]:
    """Place the values that have room for a label, the last one first."""
    found: list[tuple[float, float]] = []
    for value in reversed(values):
        if not found or found[-1][0] - place(value) >= ROOM:
            found.append((place(value), value))
    return found


def short(value: float) -> str:
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:.3g}{name}"
    return f"{value:.3g}"


def line(points: Points, colour: str, dash: str = "") -> str:
    placed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<polyline points="{placed}" fill="none" stroke="{colour}" stroke-width="1.6"{dashed}/>'


def marker(x: float, y: float, colour: str, shape: str) -> str:
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
    turned = f' transform="rotate(45 {x:.1f} {y:.1f})"' if shape == "diamond" else ""
    return f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{colour}"{turned}/>'


def text(x: float, y: float, words: str, *, anchor: str = "middle", size: int = 11) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def legend(looks: dict[str, tuple[str, str]], width: float, y: float) -> str:
    step = width / max(len(looks), 1)
    parts = []
    for i, (name, (colour, shape)) in enumerate(looks.items()):
        x = i * step + 14
        parts.append(marker(x, y - 4, colour, shape) + text(x + 9, y, name, anchor="start"))
    return "".join(parts)
