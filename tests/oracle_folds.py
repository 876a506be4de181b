"""What an aggregate over several values is, by definition: each taken from the whole bag at once.

consumed   the counter written out again and again, until no reading of it is wrong
steady     each moment looked at by itself
"""

from collections.abc import Sequence
from typing import Any

from engine.model.values import Value
from engine.plan.meanings import in_order
from tests.oracle_values import double

HOUR, HEARD = 3_600_000_000, 5_000_000


def folded(function: str, values: Sequence[Any]) -> Value:
    """An aggregate over values none of which is NULL."""
    match function:
        case "max_by":
            return max(values, key=lambda pair: (in_order(pair[1]), in_order(pair[0])))[0]  # type: ignore[no-any-return]
        case "min_by":
            return min(values, key=lambda pair: (in_order(pair[1]), in_order(pair[0])))[0]  # type: ignore[no-any-return]
        case "consumed":
            return consumed(values)
    return steady(values)


def consumed(values: Sequence[Any]) -> Value:
    wraps = {each[-1] for each in values if len(each) in (3, 5)}
    given = [v for v in values if v[0] >= 0 and (len(v) in (2, 4) or v[0] < v[-1])]
    if not given:
        return None
    readings = sorted({(at, value) for value, at, *_ in given})
    assert len(wraps) < 2
    curve = risen(without_wrong(readings, *wraps), *wraps)
    ends = [v for v in given if len(v) > 3]
    since = min((v[2] for v in ends), default=curve[0][0])
    until = max((v[3] for v in ends), default=curve[-1][0])
    if until < since or until < curve[0][0] or since > curve[-1][0]:
        return None
    return double(at_time(curve, until) - at_time(curve, since))


def anew(mark: float, value: float, wraps: float | None) -> float:
    whole = None if wraps is None else wraps - mark + value
    return whole if whole is not None and wraps is not None and whole < 0.1 * wraps else value


def marks(readings: Sequence[tuple[int, float]]) -> list[float]:
    """How high the counter stood at each reading, since it last began."""
    found = [readings[0][1]]
    for _, value in readings[1:]:
        found.append(value if value < 0.9 * found[-1] else max(value, found[-1]))
    return found


def without_wrong(readings: list[tuple[int, float]], wraps: float | None = None) -> list[tuple[int, float]]:
    """The readings, but for those between a fall and the step that takes it back."""
    high = marks(readings)
    settled = 0
    for i in range(1, len(readings)):
        if i < settled or readings[i][1] >= 0.9 * high[i - 1]:
            continue
        for j in range(i + 1, len(readings)):
            if high[j - 1] >= 0.5 * high[i - 1] or readings[j][0] - readings[i][0] > HOUR:
                settled = j
                break
            if readings[j][1] >= 0.9 * high[i - 1]:
                return without_wrong(readings[:i] + readings[j:], wraps)
        else:
            break
    return readings


def risen(readings: Sequence[tuple[int, float]], wraps: float | None = None) -> list[tuple[int, float]]:
    high, found = marks(readings), [(readings[0][0], 0.0)]
    for i in range(1, len(readings)):
        at, value = readings[i]
        fell = value < 0.9 * high[i - 1]
        more = anew(high[i - 1], value, wraps) if fell else max(value - high[i - 1], 0.0)
        found.append((at, found[-1][1] + more))
    return found


def at_time(curve: Sequence[tuple[int, float]], at: int) -> float:
    before = [knot for knot in curve if knot[0] <= at]
    after = [knot for knot in curve if knot[0] > at]
    if not before or not after:
        return before[-1][1] if before else after[0][1]
    (begins, low), (ends, high) = before[-1], after[0]
    return low + (high - low) * ((at - begins) / (ends - begins))


def steady(values: Sequence[Any]) -> Value:
    readings = sorted({(at, in_order(place), strength, place) for place, strength, at, *_ in values})
    margin = max(v[3] if len(v) > 3 else 6.0 for v in values)
    for n in reversed(range(len(readings))):
        now = readings[n][0]
        if now - readings[0][0] < HEARD:
            continue
        heard = means([reading for reading in readings[: n + 1] if now - reading[0] <= HEARD])
        for place, strength in heard.items():
            if all(strength - other > margin for name, other in heard.items() if name != place):
                return place  # type: ignore[no-any-return]
    whole = means(readings)
    return min((p for p, mean in whole.items() if max(whole.values()) - mean <= margin), key=in_order)


def means(readings: Sequence[Any]) -> dict[Value, float]:
    told = {place: [s for _, _, s, p in readings if p == place] for *_, place in readings}
    return {place: sum(strengths) / len(strengths) for place, strengths in told.items()}
