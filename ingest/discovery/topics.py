"""Which topics announce devices, and what makes devices announce themselves again.

    homeassistant/<component>/[<node>/]<object>/config      Home Assistant's discovery, also device-based
    tasmota/discovery/<mac>/config | sensors                Tasmota's own
    tele/<topic>/SENSOR                                     Tasmota without it: what is said is what there is
    shellies/<id>/announce                                  Shelly, first generation
    <prefix>/online                                         Shelly since the second, by its default prefix
    homie/5/<device>/$state | $description                  Homie 5

``tele/+/SENSOR`` and ``+/online`` are states as well; the registry goes by what they mean, so that one
that says nothing else of the device changes nothing.

Imports nothing of ours: the log asks ``announces`` of each entry that it appends.
"""

HOMEASSISTANT, TASMOTA, TELE, SHELLIES, SHELLY = "homeassistant", "tasmota", "tele", "shellies", "shelly"
HOMIE = "homie"

FILTERS: tuple[str, ...] = (
    "homeassistant/+/+/config",
    "homeassistant/+/+/+/config",
    "tasmota/discovery/+/config",
    "tasmota/discovery/+/sensors",
    "tele/+/SENSOR",
    "shellies/+/announce",
    "+/online",
    "homie/5/+/+",
)

BIRTH_TOPIC, BORN, DIED = "homeassistant/status", "online", "offline"
_ENDS = {
    HOMEASSISTANT: ("config",),
    TASMOTA: ("config", "sensors"),
    TELE: ("SENSOR",),
    SHELLIES: ("announce",),
    HOMIE: ("$state", "$description"),
}
_SECOND = {TASMOTA: "discovery", HOMIE: "5"}
_LEVELS = {HOMEASSISTANT: (4, 5), TASMOTA: (4,), TELE: (3,), SHELLIES: (3,), HOMIE: (4,)}


def announces(topic: str) -> bool:
    """Tell whether what comes under a topic says which devices there are."""
    first, _, rest = topic.partition("/")
    ends = _ENDS.get(first)
    if ends is None:
        return rest == "online" and first.startswith(SHELLY)
    levels = rest.split("/")
    if levels[-1] not in ends or len(levels) + 1 not in _LEVELS[first]:
        return False
    return levels[0] == _SECOND.get(first, levels[0])


def is_telemetry(topic: str) -> bool:
    """Tell whether a topic announces by what it measures, and nothing more."""
    return topic.startswith(f"{TELE}/")


def is_state(topic: str) -> bool:
    """Tell whether an announcing topic is a state as well, said again and again."""
    return is_telemetry(topic) or topic.endswith("/online")


def birth_messages() -> tuple[tuple[str, str], ...]:
    """Return what to publish, so that devices which do not keep their announcements say them again."""
    return ((BIRTH_TOPIC, BORN), ("shellies/command", "announce"))
