"""What a message of a discovered device costs to decode, beside one of a declared stream.

    one value, plain path     the template's path       over  a declared stream's column
    four values               four templates, four rows over  four declared columns, one row
    one value, computed       {{ … | float | round }}   over  Jinja itself, compiled once, sandboxed

Microseconds of one core, the best of some runs; the ratios are what is promised.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence

from jinja2.sandbox import SandboxedEnvironment

from ingest.decoding.decoder import Decoder
from ingest.discovery.message import Message
from ingest.discovery.templates import compiled
from ingest.log import Record
from ingest.sources import Sources, parse_sources
from tests.benchmarks._report import Result, report

DEVICES, MESSAGES, RUNS = 200, 20_000, 5
QUANTITIES = ("temperature", "humidity", "battery", "linkquality")
PAYLOAD = json.dumps(
    {"temperature": 20.6, "humidity": 40, "battery": 90, "linkquality": 100, "on": True}
).encode()
COMPUTED = "{{ (value_json.temperature | float * 1.8 + 32) | round(1) }}"
STREAM = "mqtt: {{s: {{topic: 'z/{{device}}', columns: {{device: text, {columns}}}}}}}"


def main() -> int:
    one, four = (QUANTITIES[:1], QUANTITIES)
    plain = seconds_of(discovered(one)) / seconds_of(declared(one))
    several = seconds_of(discovered(four)) / seconds_of(declared(four))
    ours, jinja = computed()
    results = [
        Result("a message of one value", seconds_of(discovered(one)) * 1e6, "us"),
        Result("one value, over a declared column", plain, "ratio", floor=1.5, aim=1, ratio=plain),
        Result("four values, over four declared columns", several, "ratio", floor=4, aim=2, ratio=several),
        Result("a computed value, over Jinja", ours / jinja, "ratio", floor=1, aim=0.3, ratio=ours / jinja),
    ]
    return report("states", results)


def discovered(quantities: Sequence[str]) -> Decoder:
    """Return a decoder that knows devices by their announcements."""
    decoder, offset = Decoder(Sources()), 0
    for device in range(DEVICES):
        for quantity in quantities:
            offset += 1
            found = {
                "stat_t": f"z/d{device}", "uniq_id": f"{device}{quantity}", "unit_of_meas": "x",
                "val_tpl": f"{{{{ value_json.{quantity} }}}}", "dev": {"ids": f"d{device}"},
            }  # fmt: skip
            topic, body = f"homeassistant/sensor/d{device}/{quantity}/config", json.dumps(found).encode()
            decoder.decode(Record(offset, offset, "mqtt", topic, None, body))
    return decoder


def declared(quantities: Sequence[str]) -> Decoder:
    """Return a decoder of a declared stream with the same values."""
    columns = ", ".join(f"{each}: double" for each in quantities)
    return Decoder(parse_sources(STREAM.format(columns=columns), {}))


def seconds_of(decoder: Decoder) -> float:
    """Return the seconds of one message."""
    records = [
        Record(n, n, "mqtt", f"z/d{n % DEVICES}", None, PAYLOAD) for n in range(10_000, 10_000 + MESSAGES)
    ]
    return best(lambda: [decoder.decode(record) for record in records]) / MESSAGES


def computed() -> tuple[float, float]:
    """Return what our function of a template takes, and Jinja's."""
    ours, theirs = compiled(COMPUTED), SandboxedEnvironment().from_string(COMPUTED)
    found = json.loads(PAYLOAD)
    messages = [Message(PAYLOAD) for _ in range(MESSAGES // 4)]
    for message in messages:
        assert message.json
    by_us = best(lambda: [ours(message) for message in messages])
    by_jinja = best(lambda: [theirs.render(value_json=found) for _ in messages])
    return by_us, by_jinja


def best(run: Callable[[], object]) -> float:
    """Return the seconds of the fastest run."""
    taken = []
    for _ in range(RUNS):
        began = time.perf_counter()
        run()
        taken.append(time.perf_counter() - began)
    return min(taken)


if __name__ == "__main__":
    sys.exit(main())
