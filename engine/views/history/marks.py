"""How long a view's past is kept.

WITH (history = '30 days' [, keyframe = '1 hour'] [, key = 'room, desk'])
"""

from typing import NamedTuple

from engine.model.durations import UNITS

DEFAULT_KEYFRAME = UNITS["HOUR"]


class Retention(NamedTuple):
    """``kept`` and ``keyframe`` in microseconds; without a key, rows are told apart by their texts."""

    kept: int
    keyframe: int = DEFAULT_KEYFRAME
    key: tuple[str, ...] = ()
