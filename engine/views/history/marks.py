"""How long a view's past is kept.

WITH (history = '30 days' [, hours = '365 days'] [, keyframe = '1 hour'] [, key = 'room, desk'])
"""

from typing import NamedTuple

from engine.model.durations import UNITS

DEFAULT_KEYFRAME = UNITS["HOUR"]


class Retention(NamedTuple):
    """In microseconds; without a key, rows are told apart by their texts.

    ``hours`` is how long what is said of each hour is kept, where that is longer than all the rest.
    """

    kept: int
    keyframe: int = DEFAULT_KEYFRAME
    key: tuple[str, ...] = ()
    hours: int = 0
