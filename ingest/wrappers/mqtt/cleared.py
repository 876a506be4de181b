"""What a broker is to forget: on each topic it is told to keep an empty message, on every connection anew."""

from collections.abc import Iterable

from paho.mqtt.client import Client


class Cleared:
    """The topics of one client; all calls but ``want`` come from the client's thread."""

    def __init__(self) -> None:
        self._wanted: frozenset[str] = frozenset()
        self._said: set[str] = set()

    def want(self, topics: Iterable[str]) -> None:
        """Have these cleared, and no others: those that were, the broker has said so of."""
        self._wanted = frozenset(topics)

    @property
    def is_behind(self) -> bool:
        return not self._wanted <= self._said

    def forget_said(self) -> None:
        """Take it that the broker may not have heard: a connection begins."""
        self._said = set()

    def say(self, client: Client) -> None:
        for topic in sorted(self._wanted - self._said):
            client.publish(topic, b"", qos=1, retain=True)
        self._said |= self._wanted
