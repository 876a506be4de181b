"""Tells channels what the outbox has for them, on a thread of its own; a slow channel holds up no other."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from threading import Event, Thread
from typing import Any, Protocol

import structlog

from app.alarming.channels import Channel, Channels
from app.alarming.outbox import Outbox
from app.alarming.senders import Message
from app.alarming.store import ENDED, ESCALATED
from app.told import moment
from engine.model.errors import SmartCISError

EACH_SECONDS = 1.0
AT_A_TIME = 4
UNFORESEEN = "something went wrong on our side; what SmartCIS wrote on its terminal says more"
WORDS = {ENDED: "over: ", ESCALATED: "nobody acknowledged: "}

log = structlog.get_logger(__name__)


class Sends(Protocol):
    """Whoever can tell a channel."""

    def send(self, channel: Channel, message: Message) -> None: ...


class Notifier:
    """Started with the server; ``link`` is where people find the alarms."""

    def __init__(self, outbox: Outbox, channels: Channels, senders: Sends, link: str) -> None:
        self._outbox, self._channels, self._senders, self._link = outbox, channels, senders, link
        self._stopping = Event()
        self._pool = ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="notice")
        self._thread = Thread(target=self._work, name="notices", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=15)
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._outbox.close()

    def _work(self) -> None:
        while not self._stopping.wait(EACH_SECONDS):
            try:
                self.look()
            except Exception:
                log.exception("notices of alarms could not be looked through")

    def look(self) -> None:
        """Tell everybody who is to be told by now."""
        by_channel = sorted(self._outbox.due(), key=lambda notice: (notice.channel, notice.id))
        groups = [list(some) for _, some in groupby(by_channel, key=lambda notice: notice.channel)]
        for done in [self._pool.submit(self._tell, notices) for notices in groups]:
            done.result()

    def _tell(self, notices: Sequence[Any]) -> None:
        """Tell one channel; what does not answer is not asked again for the rest of what waits."""
        for notice in notices:
            try:
                channel = self._channels.get(notice.channel)
                self._senders.send(channel, message_of(notice, self._outbox.alarm(notice.alarm), self._link))
            except SmartCISError as error:
                self._failed(notice, error.message)
                return
            except Exception as error:
                log.exception("a channel could not be told")
                self._failed(notice, f"{notice.channel}: {UNFORESEEN} ({type(error).__name__})")
                return
            self._outbox.sent(notice.id)

    def _failed(self, notice: Any, reason: str) -> None:
        self._outbox.failed(notice, reason)
        log.warning("a channel was not told", channel=notice.channel, reason=reason)


def message_of(notice: Any, alarm: Any, link: str) -> Message:
    """Return what a notice says."""
    if alarm is None:
        data: dict[str, Any] = {"what": notice.what, "alarm": {"id": notice.alarm}, "link": link}
        return Message(f"SmartCIS: alarm {notice.alarm}", "It is no longer kept.", data)
    row = json.loads(alarm.row)
    name = alarm.name or alarm.view.replace("_", " ")
    values = ", ".join(f"{key} {value}" for key, value in row.items())
    subject = f"[{alarm.severity}] {WORDS.get(notice.what, '')}{name}: {values}"
    lines = [f"{name}, {alarm.severity}", *(f"  {key}: {value}" for key, value in row.items())]
    lines.append(f"since {moment(alarm.since)}" + (f" until {moment(alarm.until)}" if alarm.until else ""))
    told = {"id": alarm.id, "name": alarm.name, "view": alarm.view, "severity": alarm.severity, "row": row,
            "since": alarm.since, "until": alarm.until, "flaps": alarm.flaps}  # fmt: skip
    text = "\n".join([*lines, "", f"{link}#{alarm.id}"])
    return Message(" ".join(subject.split())[:200], text, {"what": notice.what, "alarm": told, "link": link})


def trial(channel: str, link: str) -> Message:
    """Return what is sent to try a channel."""
    text = f"This is a try of the channel {channel} of SmartCIS. Alarms that name it are told here.\n{link}"
    return Message(f"SmartCIS: a try of {channel}", text, {"what": "try", "channel": channel, "link": link})
