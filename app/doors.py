"""Doors are told to open or close as any controller would tell them: over MQTT, never through the engine.

    POST → building/door/{door}/set → the door → building/door/{door} → log → engine → doors_now → answer

So the answer is what the door itself said, and what the map shows by then. The topic of a command is
that of the door's state, as sources.yaml declares it for ``door_states``, and ``/set``.

A door is told by one at a time: of two opposite commands at once, the second goes out when the first was
seen, since both within one tick would change nothing that could be seen. A door that is already as wanted is
told too, and not waited for: a controller need not repeat what it has said.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock

from app.facade import Delta, Engine, Snapshot
from engine.model.errors import QueryError, SourceError, nearest
from ingest.commands import send_command
from ingest.sources import Sources
from ingest.topics import TopicPattern

STATES, VIEW = "door_states", "doors_now"
PATIENCE_SECONDS = 5.0
TellDoor = Callable[[str, bool], None]
_turning: dict[str, Lock] = {}


class NoAnswer(Exception):
    """A door, or the broker before it, does not answer."""


def no_doors(door: str, is_open: bool) -> None:
    """Tell nobody: the building declares no doors."""
    wanted = "open" if is_open else "close"
    message = (
        f"{door} cannot {wanted}: sources.yaml declares no stream {STATES} with a part {{door}} in its topic"
    )
    raise QueryError(message)


def door_teller(sources: Sources, mqtt_url: str) -> TellDoor:
    """Return what tells a door of a building to open or close."""
    topic = next((stream.topic for stream in sources.streams if stream.name == STATES), None)
    if topic is None or "door" not in topic.parts:
        return no_doors

    def tell(door: str, is_open: bool) -> None:
        send_command(mqtt_url, command_topic(topic, door), json.dumps({"open": is_open}))

    return tell


def command_topic(topic: TopicPattern, door: str) -> str:
    levels = list(topic.levels)
    levels[topic.parts["door"]] = door
    return "/".join((*levels, "set"))


def turn_door(engine: Engine, tell: TellDoor, door: str, is_open: bool) -> None:
    """Tell a door that there is, and wait until the engine has heard from it."""
    known = _states(engine.snapshot(VIEW))
    if door not in known:
        problem = f"unknown door {door}; the view {VIEW} has them all{nearest(door, list(known))}"
        raise QueryError(problem)
    try:
        with _turn_of(door):
            _turn(engine, tell, door, is_open)
    except SourceError as error:
        raise NoAnswer(error.message) from error


@contextmanager
def _turn_of(door: str) -> Iterator[None]:
    """Wait for those who are telling a door something."""
    lock = _turning.setdefault(door, Lock())
    if not lock.acquire(timeout=PATIENCE_SECONDS):
        problem = f"{door} was not told: for {PATIENCE_SECONDS:.0f} s it has not answered an earlier command"
        raise NoAnswer(problem)
    try:
        yield
    finally:
        lock.release()


def _turn(engine: Engine, tell: TellDoor, door: str, is_open: bool) -> None:
    done = Event()

    def deliver(change: Delta) -> None:
        if any(
            count > 0 and row[place["door"]] == door and row[place["open"]] is is_open
            for row, count in change.changes
        ):
            done.set()

    watched = engine.subscribe(VIEW, deliver)
    place = _places(watched.snapshot)
    try:
        tell(door, is_open)
        if _states(watched.snapshot).get(door) is not is_open and not done.wait(PATIENCE_SECONDS):
            state = "open" if is_open else "closed"
            problem = (
                f"{door} was told, and has not answered for {PATIENCE_SECONDS:.0f} s that it is {state}: "
                "it does not hear, or was at once told otherwise by others"
            )
            raise NoAnswer(problem)
    finally:
        watched.close()


def _places(snapshot: Snapshot) -> dict[str, int]:
    return {column.name: i for i, column in enumerate(snapshot.columns)}


def _states(snapshot: Snapshot) -> dict[str, object]:
    place = _places(snapshot)
    return {str(row[place["door"]]): row[place["open"]] for row, _ in snapshot.rows}
