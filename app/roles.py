"""Who may do what: every route and every socket event declares it, or nobody may.

    admin  >  operator  >  analyst  >  viewer  >  kiosk

A role permits whatever a lower one does. A declaration is a mark on the function; the checks
stand in one place each, ``create_app`` for routes and ``sockets.GuardedSocketIO`` for events.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

from app.machines.followed import is_followed
from app.ways.wish import is_view_of_wish

Handler = TypeVar("Handler", bound=Callable[..., Any])
MARK = "__access__"


class Role(IntEnum):
    """What a signed-in person may do at most."""

    KIOSK = 1
    VIEWER = 2
    ANALYST = 3
    OPERATOR = 4
    ADMIN = 5

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Access:
    """A declaration: the least role, or, where that is None, why no account is needed.

    ``walkers``: also for who was handed one way and nothing else; ``reads``: it changes nothing, although it
    is a POST, so a token that reads only may call it.
    """

    role: Role | None
    reason: str = ""
    walkers: bool = False
    reads: bool = False


def requires(role: Role, walkers: bool = False, reads: bool = False) -> Callable[[Handler], Handler]:
    """Declare the least role that may call this, and whether whoever was handed a way or only reads may."""
    return _marked(Access(role, walkers=walkers, reads=reads))


def public(reason: str) -> Callable[[Handler], Handler]:
    """Declare that anyone may call this, and why that is safe."""
    return _marked(Access(None, reason))


def _marked(access: Access) -> Callable[[Handler], Handler]:
    def mark(handler: Handler) -> Handler:
        setattr(handler, MARK, access)
        return handler

    return mark


def access_of(handler: Callable[..., Any] | None) -> Access | None:
    """Return the declaration, or None where there is none."""
    return getattr(handler, MARK, None)


MAP_VIEWS = frozenset(
    {
        "taken_desks",
        "dark_rooms",
        "reserved_rooms",
        "busy_machines",
        "people_together",
        "floors_with_few",
        "room_temperature",
        "room_power",
        "machine_power",
        "machine_energy",
        "machine_load",
        "task_load",
        "free_desks",
        "free_word_machines",
        "recorded_hours",
        "nearest_machines",
        "cut_off_rooms",
        "walking_points",
        "room_points",
        "doors_now",
        "walking_ways",
        "landmarks",
        "holds_now",
        "held_ways",
        "room_devices",
        "room_light",
        "coming_bookings",
        "machine_software",
        "room_equipment",
    }
)
WALKER_VIEWS = frozenset({"walking_points", "walking_ways", "room_points", "doors_now"})
HOLDER_VIEWS = frozenset({"held_ways", "holds_now"})
OPERATOR_VIEWS = frozenset(
    {
        "rejected",
        "known_devices",
        "device_values",
        "system_queries",
        "system_operators",
        "system_parts",
        "system_sites",
    }
)
ALARMS_ROLE = Role.OPERATOR
DEVICES_ROLE = Role.OPERATOR
BUILDING_ROLE = Role.ADMIN
OUTPUTS_ROLE = Role.ADMIN  # what is routed reaches everyone, and devices


def role_for_view(view: str) -> Role:
    """Return the least role that may watch a view: what is not on the map is for analysts."""
    if view in MAP_VIEWS or is_view_of_wish(view) or is_followed(view):
        return Role.KIOSK
    return Role.OPERATOR if view in OPERATOR_VIEWS else Role.ANALYST
