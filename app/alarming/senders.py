"""How a channel is told: by e-mail, by an HTTP request, by a message of the broker.

send(channel, message)   returns when the other side has taken it, or raises what is wrong, in one line
"""

import json
import smtplib
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from http.client import HTTPException
from threading import Event
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from app.alarming.channels import EMAIL, MQTT, WEBHOOK, Channel
from engine.model.errors import SourceError
from ingest.wrappers.mqtt.url import parse_mqtt_url

SECONDS = 10.0
KEEP_ALIVE = 30


@dataclass(frozen=True)
class Message:
    """What is said: a line, some more lines, and the same as data."""

    subject: str
    text: str
    data: Mapping[str, Any]


class Senders:
    """Ways to tell; ``mqtt_url`` is the installation's broker, if it has one."""

    def __init__(self, mqtt_url: str | None) -> None:
        self._mqtt_url = mqtt_url

    def send(self, channel: Channel, message: Message) -> None:
        """Tell a channel; raise ``SourceError`` where it was not told."""
        ways = {EMAIL: self._email, WEBHOOK: self._webhook, MQTT: self._mqtt}
        try:
            ways[channel.kind](channel.settings, message)
        except (OSError, smtplib.SMTPException, HTTPException, ValueError) as error:
            problem = f"{channel.kind} {channel.name}: {reason_of(error)}"
            raise SourceError(problem) from error

    def _email(self, settings: Mapping[str, str], message: Message) -> None:
        mail = EmailMessage()
        mail["Subject"], mail["From"], mail["To"] = message.subject, settings["sender"], settings["to"]
        mail.set_content(message.text)
        where = settings["server"], int(settings["port"])
        context = ssl.create_default_context()
        if settings["security"] == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(*where, timeout=SECONDS, context=context)
        else:
            server = smtplib.SMTP(*where, timeout=SECONDS)
        with server:
            if settings["security"] == "starttls":
                server.starttls(context=context)
            if settings["user"]:
                server.login(settings["user"], settings["password"])
            server.send_message(mail)

    def _webhook(self, settings: Mapping[str, str], message: Message) -> None:
        headers = {"Content-Type": "application/json", "User-Agent": "SmartCIS"}
        if settings["header"]:
            headers[settings["header"]] = settings["value"]
        body = json.dumps(message.data, ensure_ascii=False).encode()
        request = Request(settings["url"], body, headers)
        with build_opener(NoRedirect).open(request, timeout=SECONDS) as answer:
            answer.read(1_000)

    def _mqtt(self, settings: Mapping[str, str], message: Message) -> None:
        if not self._mqtt_url:
            problem = "SmartCIS runs without a broker"
            raise ValueError(problem)
        client = Client(CallbackAPIVersion.VERSION2)
        parse_mqtt_url(self._mqtt_url).prepare(client, KEEP_ALIVE)
        connected = Event()
        client.on_connect = lambda _c, _u, _f, code, _p: None if code.is_failure else connected.set()
        client.loop_start()
        try:
            if not connected.wait(SECONDS):
                problem = f"no broker answers within {SECONDS:.0f} s"
                raise TimeoutError(problem)
            sent = client.publish(settings["topic"], json.dumps(message.data, ensure_ascii=False), qos=1)
            sent.wait_for_publish(SECONDS)
            if not sent.is_published():
                problem = f"the broker took nothing within {SECONDS:.0f} s"
                raise TimeoutError(problem)
        finally:
            client.disconnect()
            client.loop_stop()


class NoRedirect(HTTPRedirectHandler):
    """A secret header goes where it was meant to go, and nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


def reason_of(error: Exception) -> str:
    """Say in one line why somebody was not told."""
    if isinstance(error, HTTPError):
        return f"the server answered {error.code} {error.reason}"
    if isinstance(error, URLError):
        return str(error.reason)
    if isinstance(error, smtplib.SMTPResponseException):
        said = error.smtp_error
        words = (said.decode(errors="replace") if isinstance(said, bytes) else said).split()
        return f"the server answered {error.smtp_code} {' '.join(words)}"
    return " ".join(str(error).split()) or type(error).__name__
