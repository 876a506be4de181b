"""Which rooms a calendar means.

    a calendar of one room        that room, whatever its events say
    a place in the mapping        what it stands for: a room, or several that are booked together
    places parted by ; or by ,    each of them, if the mapping knows one at least
    anything else                 itself: the calendar may use our names; told if there is a mapping

Upper and lower case and spaces do not count.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Named(NamedTuple):
    """The rooms, and whether somebody should say what they are."""

    rooms: tuple[str, ...]
    is_known: bool = True


class Rooms:
    """Makes rooms of places; ``mapping`` is from what calendars say."""

    def __init__(self, mapping: Mapping[str, tuple[str, ...]], only: str | None = None) -> None:
        self._only = only
        self._mapping = {_plain(place): rooms for place, rooms in mapping.items()}

    def named(self, places: Iterable[str]) -> Named:
        """Return the rooms that an event takes."""
        if self._only is not None:
            return Named((self._only,))
        found = [self._of(place) for place in places]
        rooms = dict.fromkeys(room for each in found for room in each.rooms)
        return Named(tuple(rooms), all(each.is_known for each in found))

    def _of(self, place: str) -> Named:
        whole = self._mapping.get(_plain(place))
        if whole is not None:
            return Named(whole)
        for separator in (";", ","):
            parts = [part.strip() for part in place.split(separator) if part.strip()]
            known = [self._mapping.get(_plain(part)) for part in parts]
            if any(known):
                rooms = [room for part, found in zip(parts, known, strict=True) for room in found or (part,)]
                return Named(tuple(rooms), all(known))
        return Named((place,), not self._mapping)


def _plain(place: str) -> str:
    return " ".join(place.split()).casefold()
