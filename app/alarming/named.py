"""Channels that rules name and that are not there.

A person who makes a rule is told at once. A rule that was made before stays when its channel is removed, at a
restart too, so what it lacks is listed for as long as it does.
"""

from collections.abc import Iterable
from typing import NamedTuple

from app.alarming.channels import Channels
from app.alarming.rule import channels_named
from app.outputs import ALARM, outputs_of
from engine.contracts import ViewInfo
from engine.lang.streamsql import Output
from engine.model.errors import QueryError, nearest, some_of


class Lacking(NamedTuple):
    """An alarm of a view, and a channel that it names."""

    view: str
    name: str
    channel: str


def check_channels(outputs: Iterable[Output], channels: Channels) -> None:
    """Raise at the first channel that is not there."""
    for output in outputs:
        for option, name in _unknown(output, channels):
            known = [channel.name for channel in channels.all()]
            there = f"there are {some_of(known)}{nearest(name, known)}" if known else "there are none yet"
            remedy = "an admin makes it on /alarms/channels, or leave it out"
            message = f"{option} of an alarm names {name:.60}, which is no channel; {there}; {remedy}"
            raise QueryError(message, output.span)


def lacking(views: Iterable[ViewInfo], channels: Channels) -> list[Lacking]:
    """Return what the alarms of these views lack, each channel once."""
    found = (
        Lacking(info.name, output.target, name)
        for info in views
        for output in outputs_of(info.sql)
        for _, name in _unknown(output, channels)
    )
    return list(dict.fromkeys(found))


def _unknown(output: Output, channels: Channels) -> list[tuple[str, str]]:
    if output.kind != ALARM:
        return []
    return [(option, name) for option, name in channels_named(output.options) if not channels.find(name)]
