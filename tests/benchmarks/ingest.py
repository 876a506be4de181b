"""Messages a second from MQTT to views, by the embedded broker and by Mosquitto, QoS 1 both ways.

    floor: 2,000 a second on two cores        aim: 3,000        peer: about 1,020 published

500 devices publish from a process of their own for a minute; all demo views are registered. The rate is
what was acknowledged over the time from the first publish until every message was in the views, and it
counts only if the views then equal a recomputation from the log, row for row.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from ingest.building import facts
from ingest.log import Log
from tests.benchmarks._report import Result, report
from tests.environment.mosquitto import Mosquitto
from tests.environment.product import Demo, cpu_seconds, demo, name_of, wall
from tests.environment.recompute import recompute
from tests.environment.waiting import until

SECONDS = float(os.environ.get("SMARTCIS_BENCH_SECONDS", "60"))
RATE = float(os.environ.get("SMARTCIS_BENCH_RATE", "3200"))
DEVICES = "500"
PEER = "ThingsBoard CE, 2 vCPU, published: 1,020/s"


def main() -> int:
    results = []
    for broker in ("embedded", "mosquitto"):
        rate, lost = measure(broker)
        ratio = rate / 1020
        results.append(Result(broker, rate, "msg/s", "higher", floor=2000, aim=3000, peer=PEER, ratio=ratio))
        results.append(Result(f"{broker}, lost or doubled", lost, "messages", floor=0))
    return report("ingest", results)


def measure(broker: str) -> tuple[float, int]:
    """Return the sustained rate, and how many messages are not in the log exactly once."""
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
            return under_load(running, broker)


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
        return sent / took, abs(sent - logged(log, before))


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


def logged(log: Log, start: int) -> int:
    """Count the MQTT entries after an offset."""
    count = 0
    while records := log.read(start, 20_000, 1 << 30):
        count += sum(record.source == "mqtt" for record in records)
        start = records[-1].offset
    return count


if __name__ == "__main__":
    sys.exit(main())
