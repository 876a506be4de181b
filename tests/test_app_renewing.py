"""A gateway whose words were lost is asked to say them again, once it is late and as long as it is."""

from collections import Counter
from threading import Event

import paho.mqtt.client as paho

from app.renewing import Renewing, renewer
from engine.answering import Said, awaited, missing
from engine.operators.of_plan import leaf_of
from engine.views.nodes import LeafNode
from tests.environment.waiting import until
from tests.gateway_messages import shipped
from tests.ingest_parts import embedded_broker


def test_what_was_awaited_for_a_whole_period_is_asked_for_again() -> None:
    one, other = ("a", "fragment:1"), ("b", "fragment:1")
    awaited, sent = {one}, Counter[tuple[str, str]]()
    renewing = Renewing(lambda: frozenset(awaited), lambda *pair: sent.update([pair]))
    renewing.look()
    assert not sent, "it may be about to answer"
    awaited.add(other)
    renewing.look()
    assert sent == {one: 1}
    awaited.remove(one)
    renewing.look()
    assert sent == {one: 1, other: 1}
    awaited.clear()
    renewing.look()
    renewing.look()
    assert sent == {one: 1, other: 1}


def test_the_gateway_is_told_which_fragment_is_missed() -> None:
    heard: list[tuple[str, bytes]] = []
    with embedded_broker() as port:
        client, ready = paho.Client(paho.CallbackAPIVersion.VERSION2), Event()
        client.on_message = lambda _c, _d, m: heard.append((m.topic, m.payload))
        client.on_subscribe = lambda *_: ready.set()
        client.connect("127.0.0.1", port)
        client.subscribe("gateway/+/renew", 1)
        client.loop_start()
        assert ready.wait(120)
        renewer(f"mqtt://127.0.0.1:{port}")("floor-1", "fragment:0123")
        until(lambda: heard == [("gateway/floor-1/renew", b"fragment:0123")], 10, "the gateway to hear it")
        client.loop_stop()


def test_nobody_waits_for_what_a_gateway_says_that_it_cannot_run() -> None:
    leaf = shipped()
    node = LeafNode(leaf, leaf_of(leaf))
    sites = {"a": Said(), "b": Said("gone"), "c": Said("up", f"{leaf.name}: too much"), "d": Said("removed")}
    assert missing([node], sites) == ("a", "b", "c")
    assert awaited([node], sites) == {("a", leaf.name)}
