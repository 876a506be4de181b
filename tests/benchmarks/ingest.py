"""Messages a second from MQTT to views, by the embedded broker and by Mosquitto, QoS 1 both ways.

    floor: 2,000 a second on two cores        aim: 3,000        peer: about 1,020 published

500 devices publish from a process of their own for a minute; all demo views are registered. The rate is
what was acknowledged over the time from the first publish until every message was in the views, and it
counts only if the views then equal a recomputation from the log, row for row.

Then, by Mosquitto, with a hundred devices that announced themselves among 500: FLOOR a second for ten
minutes, three times that for a minute, and the first rate again. While steady nothing is lost or left
out, 99 of 100 messages are in the views within 500 ms of their publishing, and memory is flat; of what
comes three times as fast every message is logged or counted, and latency is back ten seconds later.
SMARTCIS_BENCH_SECONDS, SMARTCIS_BENCH_STEADY and SMARTCIS_BENCH_OVERLOAD are the seconds of each; 0 leaves a
part out.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ingest.building import facts
from ingest.log import Log
from tests.benchmarks._report import Result, quantile, report
from tests.benchmarks._steady import (
    FIELDS,
    Course,
    Sent,
    flood,
    logged,
    p99_by_second,
    settled,
    shed,
    until_calm,
)
from tests.environment.mosquitto import Mosquitto
from tests.environment.product import Demo, cpu_seconds, demo, name_of, wall
from tests.environment.recompute import recompute
from tests.environment.waiting import until

SECONDS = float(os.environ.get("SMARTCIS_BENCH_SECONDS", "60"))
RATE = float(os.environ.get("SMARTCIS_BENCH_RATE", "3200"))
DEVICES = "500"
STEADY = float(os.environ.get("SMARTCIS_BENCH_STEADY", "600"))
OVERLOAD = float(os.environ.get("SMARTCIS_BENCH_OVERLOAD", "60"))
AFTER = 30.0
FLOOR, FASTER = 2_000, float(os.environ.get("SMARTCIS_BENCH_FASTER", "3"))
BOUND = 500.0
PEER = "ThingsBoard CE, 2 vCPU, published: 1,020/s"


def main() -> int:
    results = []
    for broker in ("embedded", "mosquitto") if SECONDS else ():
        rate, lost = measure(broker)
        ratio = rate / 1020
        results.append(Result(broker, rate, "msg/s", "higher", floor=2000, aim=3000, peer=PEER, ratio=ratio))
        results.append(Result(f"{broker}, lost or doubled", lost, "messages", floor=0))
    if STEADY:
        with started("mosquitto") as running:
            results += in_phases(running)
    return report("ingest", results)


def measure(broker: str) -> tuple[float, int]:
    """Return the sustained rate, and how many messages are not in the log exactly once."""
    with started(broker) as running:
        return under_load(running, broker)


@contextmanager
def started(broker: str) -> Iterator[Demo]:
    """The building without its simulated devices, by one of the brokers."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder, settings = Path(name), {"SMARTCIS_SIMULATE": "0"}
        folder.chmod(0o755)
        if broker == "mosquitto":
            (folder / "mosquitto").mkdir()
            server = Mosquitto(folder / "mosquitto")
            server.start()
            stack.callback(server.stop)
            settings["SMARTCIS_MQTT_URL"] = server.url
        state = folder / "state"
        state.mkdir()
        facts.prepare(f"sqlite:///{state / 'facts.db'}")
        (state / "reservations.ics").write_text(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nEND:VCALENDAR\r\n"
        )
        with demo(state, **settings) as running:
            yield running


def in_phases(running: Demo) -> list[Result]:
    """Steady, three times as fast, steady again; what each did."""
    phases = f"{FLOOR}:{STEADY},{FASTER * FLOOR}:{OVERLOAD},{FLOOR}:{AFTER}"
    with Log(f"sqlite:///{running.state / 'log.db'}") as log:
        before = log.last().offset
        with Course(running) as course:
            found = flood(running, phases)
            settled(running, log, course)
        sent = list(logged(log, before, course.closed))
    steady, _, after = found["phases"]
    print(f"  {len(sent)} messages logged, {dict(shed(running))} left out, {found['phases']}")
    by_second = p99_by_second(sent, steady["began"])
    print(f"  p99 of every second, ms: {' '.join(f'{p99:.0f}' for p99 in by_second.values())}")
    calm = [one for one in sent if one.at < steady["ended"]]
    return [
        Result("steady", len(calm) / STEADY, "msg/s", "higher", floor=0.99 * FLOOR),
        Result("steady, not logged", sum(steady["sent"].values()) - len(calm), "messages", floor=0),
        Result("steady, p50 to view", quantile([x.latency * 1000 for x in calm], 0.5), "ms"),
        Result("steady, p99 to view", quantile([x.latency * 1000 for x in calm], 0.99), "ms", floor=BOUND),
        Result("steady, memory late over early", growth(course, steady), "ratio", floor=1.1, ratio=1.0),
        *overloaded(running, found["phases"], sent),
        Result("latency is back after", until_calm(sent, after["began"], BOUND), "s", floor=10),
    ]


def growth(course: Course, steady: dict[str, Any]) -> float:
    """Return the memory of the last quarter of a phase over that of its second quarter."""
    found = [size for at, size in course.memory if at < steady["ended"]]
    quarter = max(len(found) // 4, 1)
    early, late = found[quarter : 2 * quarter] or found[:1], found[-quarter:]
    return (sum(late) / len(late)) / (sum(early) / len(early))


def overloaded(running: Demo, phases: list[dict[str, Any]], sent: list[Sent]) -> list[Result]:
    """Of every stream, what was sent is what is logged and what is counted."""
    published, overload = Counter[str](), phases[1]
    for phase in phases:
        for stream, count in phase["sent"].items():
            published[FIELDS.get(stream, stream)] += count
    accounted = Counter(one.stream for one in sent) + shed(running)
    wrong = sum(abs(published[stream] - accounted[stream]) for stream in published | accounted)
    offered = sum(overload["sent"].values()) / (overload["ended"] - overload["began"])
    return [
        Result("overload", offered, "msg/s"),
        Result("left out", sum(shed(running).values()), "messages"),
        Result("neither logged nor counted", wrong, "messages", floor=0),
    ]


def under_load(running: Demo, broker: str) -> tuple[float, int]:
    log_url = f"sqlite:///{running.state / 'log.db'}"
    with Log(log_url) as log:
        before = log.last().offset
        processes = running.processes()
        used, began = cpu_seconds(processes), wall()
        load = publish(running)
        sent = int(load["acknowledged"])
        end = log.last().offset
        until(lambda: running.get("/api/ticks")["ticks"][-1]["offset"] >= end, 120, "the views to catch up")
        took = wall() - began
        after = cpu_seconds(processes)
        print(f"\n{broker}: {sent} messages in {took:.1f} s (published in {load['seconds']:.1f} s)")
        for process in processes:
            share = (after.get(process.pid, 0) - used.get(process.pid, 0)) / took
            print(f"  {name_of(process):<40} {share:.2f} cores")
        check_views(running, log_url)
        return sent / took, abs(sent - counted(log, before))


def publish(running: Demo) -> dict[str, float]:
    arguments = [
        sys.executable,
        "-m",
        "ingest.building.simulate",
        "--part",
        "load",
        "--mqtt",
        running.mqtt_url,
    ]
    arguments += ["--rate", str(RATE), "--devices", DEVICES, "--seconds", str(SECONDS)]
    process = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, check=True, text=True)
    found: dict[str, float] = json.loads(process.stdout.splitlines()[-1])
    return found


def check_views(running: Demo, log_url: str) -> None:
    """Fail unless every view equals its recomputation; nothing is published meanwhile."""
    threading.Event().wait(5)  # what a window of three seconds held is gone
    wanted = recompute(log_url, f"sqlite:///{running.state / 'facts.db'}", running.state)
    for name, rows in wanted.items():
        held = Counter(tuple(row) for row in running.rows(name))
        if held != rows:
            message = f"{name} differs from its recomputation: {list((held - rows) + (rows - held))[:3]}"
            raise AssertionError(message)
    print(f"  {len(wanted)} views equal their recomputation, {sum(map(len, wanted.values()))} rows")


def counted(log: Log, start: int) -> int:
    """Count the MQTT entries after an offset."""
    count = 0
    while records := log.read(start, 20_000, 1 << 30):
        count += sum(record.source == "mqtt" for record in records)
        start = records[-1].offset
    return count


if __name__ == "__main__":
    sys.exit(main())
