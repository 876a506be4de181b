"""What gateways say of themselves is what the optimizer knows of them."""

import json

import pytest
from paho.mqtt.publish import single

from app.sites_known import SitesKnown, network_of
from federated.sites.network import Network
from ingest.sources import Sources, parse_sources
from tests.environment.waiting import until
from tests.ingest_parts import embedded_broker

TEXT = """
gateways:
  floor-1: {links: [base]}
  floor-2: {links: [floor-1]}
  floor-3: {links: [floor-2, base]}
mqtt: {}
"""


@pytest.fixture
def sources() -> Sources:
    return parse_sources(TEXT, {})


def state(links: list[str], is_up: bool = True, **streams: tuple[int, float]) -> dict[str, object]:
    told = {name: {"devices": devices, "rate": rate} for name, (devices, rate) in streams.items()}
    return {"state": "up" if is_up else "gone", "links": links, "streams": told}


def test_before_anybody_says_anything_the_declared_links_hold(sources):
    network = network_of(sources, {})
    assert [network.hops(f"floor-{i}", "base") for i in (1, 2, 3)] == [1, 2, 1]
    assert network.number_of("seats").source == "default"


def test_devices_are_added_up_and_rates_are_of_one_of_them(sources):
    network = network_of(
        sources,
        {
            "floor-1": state(["base", "floor-2"], seats=(4, 2.0), lights=(1, 0.0)),
            "floor-2": state(["floor-1", "floor-3"], seats=(12, 6.0)),
        },
    )
    assert (network.number_of("seats").value, network.rate_of("seats").value) == (16, 0.5)
    assert network.to_base("seats") == (4 * 1 + 12 * 2) / 16
    assert network.rate_of("lights").source == "default"


def test_nothing_goes_through_a_gateway_that_is_gone(sources):
    network = network_of(
        sources, {"floor-3": state([], is_up=False), "floor-2": state(["floor-1", "floor-3"], seats=(1, 1.0))}
    )
    assert network.hops("floor-2", "base") == 2
    assert network_of(sources, {"floor-1": state([], is_up=False)}).hops("floor-2", "base") == 2


def test_the_states_are_followed_at_the_broker(sources, tmp_path):
    told: list[Network] = []
    with embedded_broker() as port:
        watch = SitesKnown(f"mqtt://127.0.0.1:{port}", sources, told.append, tmp_path / "health")
        for payload in (b"no state", json.dumps(state(["base"], seats=(7, 1.0))).encode()):
            single("gateway/floor-1/state", payload, qos=1, retain=True, hostname="127.0.0.1", port=port)
        watch.start()
        try:
            until(lambda: bool(told), 20, "the state to be heard")
        finally:
            watch.stop()
    assert told[-1].number_of("seats").value == 7


def test_the_sizes_of_tables_are_followed_where_the_acquisition_says_them(sources, tmp_path):
    told: list[Network] = []
    health = tmp_path / "acquisition.json"
    watch = SitesKnown("mqtt://127.0.0.1", sources, told.append, health)
    watch.look_at_sizes()
    assert told == []
    for counted in (1_000, 1_100, 2_000):
        health.write_text(
            json.dumps({"sources": {"db:shop": {"rows": {"purchases": counted}}, "mqtt": {"rows": {}}}})
        )
        watch.look_at_sizes()
    assert [network.rows_of("purchases").value for network in told] == [1_000, 2_000]
    assert told[-1].rows_of("purchases").source == "catalog"
    watch.take("gateway/floor-1/state", json.dumps(state(["base"], seats=(7, 1.0))).encode())
    assert (told[-1].rows_of("purchases").value, told[-1].number_of("seats").value) == (2_000, 7)
