"""Somebody who opens pages meanwhile: python -m tests.benchmarks._socket_asker PORT COOKIE.

Asks ten times a second until its input ends, then writes one JSON list, the milliseconds of each answer.
"""

import http.client
import json
import sys
import threading
import time
from itertools import cycle

PAGES = ("/", "/api/building", "/healthz", "/static/js/main.js", "/api/displays")
BETWEEN = 0.1


def ask(port: int, path: str, cookie: str) -> float:
    """Return how long one answer took, its connection included, as of a page that is opened anew."""
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Cookie": cookie})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != http.client.OK:
        message = f"{path} answered {answer.status}"
        raise AssertionError(message)
    return (time.perf_counter() - began) * 1000


def main(port: int, cookie: str) -> None:
    ended, took = threading.Event(), []
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    for path in cycle(PAGES):
        if ended.wait(BETWEEN):
            break
        took.append(ask(port, path, cookie))
    sys.stdout.write(json.dumps(took))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
