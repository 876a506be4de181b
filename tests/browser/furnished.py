"""A scene with something on every page: devices, a display, alarms that stand and one that ended.

Its ticks go on, so that it is live, and change nothing, so that it can be looked at.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from engine.lang.streamsql import Output
from tests.browser.alive import SECOND
from tests.browser.scene import Scene
from tests.web_parts import Site

LOBBY, ALARM = Output("display", "lobby"), Output("alarm", "too dark")
MINUTE = 60 * SECOND
BETWEEN_TICKS = 0.5


@contextmanager
def furnished(site: Site) -> Iterator[None]:
    """Put it there, and keep it so."""
    ended = Event()

    def go_on() -> None:
        while not ended.wait(BETWEEN_TICKS):
            site.tick()

    furnish(site)
    ticking = Thread(target=go_on, daemon=True)
    ticking.start()
    yield
    ended.set()
    ticking.join()


def furnish(site: Site) -> None:
    scene, router, now = Scene(site.engine), site.web.outlets.router, site.clock.now()
    scene.open(now)
    scene.step(now, 0.0)
    router.follow("reserved_rooms", (LOBBY,))
    router.follow("dark_rooms", (LOBBY, ALARM))
    site.engine.replace(now, dark_rooms=list(site.engine.rows["dark_rooms"])[1:])
    kettle = ("kettle", "Kettle", "Acme", "T-2", "zigbee2mqtt", None)
    stray = ("0x00158d", None, None, None, "tasmota", "bridge")
    boils = ("temperature", "°C", 300.0, 81.5, None, now)
    site.engine.replace(
        now,
        known_devices=[
            (*kettle, "1.09", None, False, "online", now - 90 * MINUTE),
            (*stray, None, None, False, "offline", now - 5 * MINUTE),
            ("lamp", "Lamp", "Acme", "L-1", "esphome", None, "1.09", "1.09-d01", True, "online", now),
        ],
        device_values=[
            ("kettle/t", "kettle", None, *boils),
            ("kettle/p", "kettle", None, "power", "W", None, 2010.0, None, now - MINUTE),
            ("stray/d", "0x00158d", "Door", "contact", None, 60.0, None, "open", now - 20 * MINUTE),
        ],
        room_devices=[("kettle/t", "1.09", None, "kettle", "Kettle", "online", None, *boils)],
        doors_now=[("1.09-door", "Lab Lovelace", "room", 1, 10.0, 8.0, 11.0, 8.0, False)],
    )
