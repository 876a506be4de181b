"""The options of ``smartcis agent``, checked; it ends on SIGTERM and SIGINT, saying good-bye.

python -m ingest.agent is the same, for a machine that has nothing of SmartCIS but this.
"""

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn

from engine.model.clock import SystemClock
from engine.model.errors import SmartCISError, SourceError
from ingest.agent.agent import Agent
from ingest.agent.announcing import Profile
from ingest.agent.identity import identity
from ingest.agent.machine import Machine
from ingest.ending import when_told_to_end
from ingest.wrappers.mqtt.url import parse_mqtt_url

BROKER = "SMARTCIS_MQTT_URL"
LEAST_SECONDS, MOST_SECONDS = 1.0, 3600.0
MOST_TASKS = 50


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the agent; return its exit code: 0 told to end, 2 it cannot begin."""
    asked = _asked(arguments)
    try:
        profile = Profile(identity(), asked.name, asked.room, asked.interval)
        address = parse_mqtt_url(asked.broker)
        agent = Agent(Machine(SystemClock(), asked.tasks, asked.user_names), profile, _version(), _say)
        when_told_to_end(agent.end)
        agent.run(address)
    except SmartCISError as error:
        _say(error.message)
        return 2
    return 0


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong with the options in a line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; {self.prog} --help lists the options\n")


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = OneLineParser("smartcis agent", description="Tell a broker how this machine is.")
    broker = os.environ.get(BROKER, "mqtt://127.0.0.1:1883")
    parser.add_argument(
        "--broker",
        default=broker,
        help=f"mqtt[s]://[user:password@]host:port[?ca=FILE]; else ${BROKER}, which ps does not show",
    )
    parser.add_argument("--interval", type=_seconds, default=10.0, help="seconds between two looks (10)")
    parser.add_argument(
        "--name", default=platform.node() or "machine", help="as people call it (its host name)"
    )
    parser.add_argument("--room", help="the room in which it stands")
    parser.add_argument("--tasks", type=_count, default=5, help="how many of the busiest tasks are told (5)")
    parser.add_argument("--user-names", action="store_true", help="tell who is logged in, not only how many")
    return parser.parse_args(arguments)


def _seconds(text: str) -> float:
    return _between(text, LEAST_SECONDS, MOST_SECONDS, "seconds")


def _count(text: str) -> int:
    return int(_between(text, 0, MOST_TASKS, "tasks"))


def _between(text: str, least: float, most: float, what: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not least <= found <= most:
        message = f"{text!r} is no number of {what} from {least:g} to {most:g}"
        raise argparse.ArgumentTypeError(message)
    return found


def _version() -> str:
    try:
        return version("smartcis")
    except PackageNotFoundError:
        return "unknown"


def _say(line: str) -> None:
    safe = SourceError(line).message
    sys.stderr.write(f"smartcis agent: {safe}\n")
    sys.stderr.flush()
